import PoseMath
import Testing

@testable import Fusion

/// How a mount that was told or kept is confirmed or dropped.
@Suite struct MountPriorTests {
    /// A filter that has started with the mount of the settings.
    private static func begun() -> MountPrior {
        var settings = FusionSettings()
        settings.sensorToBody = .identity
        var prior = MountPrior(settings: settings)
        prior.begin(withPrior: true)
        return prior
    }

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// What a second-by-second comparison of headings leads to.
    private enum End: Equatable {
        /// The mount is contradicted, or confirmed, with the comparison at this time, seconds.
        case contradicted(Double), confirmed(Double)
        /// Neither for five minutes.
        case open
    }

    /// The end of comparisons from 0 s on.
    ///
    /// - Parameters:
    ///   - difference: of the heading from accelerations and the filter's, with its 1-sigma, radians.
    ///   - wheels: whether the rolling wheels were accepted since the comparison before; `nil`: neither that nor
    ///     rejected.
    ///   - interval: of the comparisons, seconds.
    private func end(
        _ difference: (radians: Double, sigma: Double)?, wheels: (Double) -> Bool? = { _ in nil },
        every interval: Double = 1
    ) -> End {
        var (prior, status) = (Self.begun(), AidSourceStatus())
        for count in 0..<300 {
            let seconds = Double(count) * interval
            switch wheels(seconds) {
            case true?: status.accept()
            case false?: status.reject(because: .innovation)
            case nil: break
            }
            if prior.check(difference: difference, nonholonomic: status, at: Self.time(seconds)) {
                return .contradicted(seconds)
            }
            if !prior.isUnconfirmed { return .confirmed(seconds) }
        }
        return .open
    }

    @Test func headingsThatAgreeForFifteenSecondsConfirmIt() {
        // GIVEN a heading that agrees, once a second or every ten seconds, of which two count THEN more than 15 s of it
        // confirm the mount
        #expect(end((0, 0.01)) == .confirmed(16))
        #expect(end((0, 0.01), every: 10) == .confirmed(80))
        // AND without any, and without wheels, nothing does
        #expect(end(nil) == .open)
    }

    @Test func rollingWheelsConfirmItAfterTwoMinutes() {
        // GIVEN wheels that roll straight on, and no heading THEN more than two minutes of it confirm the mount
        #expect(end(nil, wheels: { _ in true }) == .confirmed(121))
    }

    @Test(arguments: [
        (0.09, 0.01, true), (0.11, 0.01, false), (-0.11, 0.01, false), (0.19, 0.05, true), (0.21, 0.05, false),
    ])
    func aHeadingMayDifferByFourSigmas(radians: Double, sigma: Double, agrees: Bool) {
        // GIVEN a heading that differs THEN up to four of its sigmas, or 0.1 rad, it agrees; beyond that more than 3 s
        // contradict the mount
        let expected: End = agrees ? .confirmed(16) : .contradicted(4)
        #expect(end((radians, sigma)) == expected)
    }

    @Test func wheelsThatSlipForFourSecondsContradictIt() {
        // GIVEN wheels that slip sideways THEN more than 4 s of it contradict the mount, unless one in that time did
        // not
        #expect(end(nil, wheels: { _ in false }) == .contradicted(5))
        #expect(end(nil, wheels: { Int($0) % 4 == 0 }) == .confirmed(121))
    }

    @Test(arguments: [(0.34, true), (0.38, false)]) func aKeptMountMayDifferFromTheSettingsByFourSigmas(
        radians: Double, isTaken: Bool
    ) {
        // GIVEN a mount in the settings, known to 3 degrees about each axis, 0.091 rad together WHEN a kept one is
        // offered that differs THEN it is taken up to 0.363 rad
        var prior = Self.begun()
        let kept = MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, radians)),
            sigmaBodyRadians: Vector3(repeating: 0.001), origin: .kept)
        let wasTaken = prior.offer(kept)
        let origin: MountEstimate.Origin = isTaken ? .kept : .configured
        #expect(wasTaken == isTaken && prior.prior?.origin == origin)
    }

    @Test func aContradictedMountOfTheSettingsStaysRefused() {
        // GIVEN the mount of the settings WHEN the drive contradicts it THEN it is gone, counted, and known as refused;
        // one that was kept is not of the settings
        var told = Self.begun()
        told.contradict()
        #expect(told.prior == nil && told.contradictionCount == 1 && told.isConfiguredRefused && !told.isUnconfirmed)
        var kept = MountPrior(settings: FusionSettings())
        _ = kept.offer(
            MountEstimate(sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.01), origin: .kept))
        kept.contradict()
        #expect(kept.prior == nil && kept.contradictionCount == 1 && !kept.isConfiguredRefused)
    }

    @Test(arguments: [(MountEstimate.Origin.found, true), (.kept, false), (.configured, false)])
    func onlyAMountThatTheDriveHasFoundOutlastsTheFilter(origin: MountEstimate.Origin, outlasts: Bool) {
        // GIVEN a running filter that knows its mount to half a degree: it was found, kept or told
        var estimator = PoseEstimator()
        estimator.lifeCycle = .navigating
        let mount = MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, 0.5)), sigmaBodyRadians: Vector3(repeating: 0.01),
            origin: origin)
        estimator.estimate.mount = mount
        // THEN only the one that was found outlasts a time of which nothing is known, as on the next drive
        let lasting = estimator.lastingMount.prior
        #expect(lasting == (outlasts ? mount.onTheNextDrive : nil))
        // AND only that is carried over, as it is, when the filter stops
        estimator.carryMountOver()
        let prior = estimator.mounts.prior
        #expect(prior == (outlasts ? mount : nil))
    }

    @Test func theLeanOfTheStopTurnsBothAxesOfAKeptMount() throws {
        // GIVEN a kept mount that is known to 0.026 rad about the forward axis and to 0.014 about the left one WHEN the
        // vehicle leans otherwise than at the stop, which is known to 0.007 rad
        var prior = MountPrior(settings: FusionSettings())
        _ = prior.offer(
            MountEstimate(sensorToBody: .identity, sigmaBodyRadians: Vector3(0.026, 0.014, 0.035), origin: .kept))
        prior.settle(lean: Vector3(0.0087, -0.004, 0.1))
        // THEN the mount takes 676 / 725 and 4 / 5 of that, the known part of its variances goes, and the vertical is
        // as it was
        let settled = try #require(prior.prior)
        let turn = settled.sensorToBody.rotationVector
        #expect((turn - Vector3(0.0087 * 676 / 725, -0.0032, 0)).length < 1e-9, "\(turn)")
        let sigma = settled.sigmaBodyRadians
        #expect((sigma - Vector3(0.006_759_3, 0.006_261, 0.035)).length < 1e-6, "\(sigma)")
    }

    @Test func onlyAKeptMountIsSettledByTheLean() {
        // GIVEN the mount of the settings WHEN the vehicle leans otherwise than at the stop THEN it stays as told
        var told = Self.begun()
        let before = told.prior
        told.settle(lean: Vector3(0.01, 0.01, 0))
        #expect(told.prior == before && before != nil)
    }

    @Test(arguments: [
        (Vector3(0.034_9, 0.034_9, 0.034_9), true), (Vector3(0.035_1, 0.01, 0.01), false),
        (Vector3(0.01, 0.035_1, 0.01), false), (Vector3(0.01, 0.01, 0.035_1), false),
    ])
    func aMountIsCarriedToTheNextFilterWhereItIsKnownToTwoDegrees(sigma: Vector3, isCarried: Bool) {
        // GIVEN a running filter that has found its mount, to just less than 0.035 rad about each axis, or to just more
        // about one
        var estimator = PoseEstimator()
        estimator.lifeCycle = .navigating
        let mount = MountEstimate(sensorToBody: .identity, sigmaBodyRadians: sigma, origin: .found)
        estimator.estimate.mount = mount
        // THEN only the former is carried over
        let carried = estimator.carriedMount
        #expect(carried == (isCarried ? mount : nil))
    }

    @Test func theAntennaOfTheFirstReceiverOutlastsAFilterOfAnotherOne() {
        // GIVEN a mount with the antenna of the first receiver, and a filter that has found a mount, and whose receiver
        // is another one
        var estimator = PoseEstimator()
        estimator.lifeCycle = .navigating
        let antenna = AntennaArm(meters: SIMD2<Double>(1.2, 0.6), sigmaMeters: SIMD2<Double>(repeating: 0.05))
        estimator.mounts.carryOver(
            MountEstimate(
                sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.02), origin: .found, antenna: antenna))
        var own = MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, 0.5)), sigmaBodyRadians: Vector3(repeating: 0.01),
            origin: .found)
        estimator.estimate.mount = own
        // WHEN it stops THEN its mount is carried over, with that antenna
        estimator.carryMountOver()
        own.antenna = antenna
        let prior = estimator.mounts.prior
        #expect(prior == own)
    }
}
