import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion
@testable import Simulation

/// The change to another receiver, with its own antenna, lag and accuracy (docs/math.md, eq. 7.30).
@Suite struct ReceiverChangeTests {
    /// A drive whose fixes come from one receiver until a time, then from another one.
    private struct ChangingDrive {
        var estimator: PoseEstimator
        /// Place of the antenna and lag of the position as found at the change.
        var armBefore = SIMD2<Double>.zero
        /// Root mean square and maximum of the horizontal error from the change on, metres.
        var place = 0.0
        var worst = 0.0

        /// - Parameters:
        ///   - number: of the second receiver; 0: the estimator is not told.
        ///   - change: when the second one begins, and when the first one is back, seconds.
        init(number: UInt8, change: ClosedRange<Double>, seed: UInt64 = 1) throws {
            var plan = DrivePlan.random(seed: seed, edges: 14)
            plan.standingSecondsBefore = 5
            let drive = try Drive(plan)
            var (first, second) = (SensorSuite(), SensorSuite())
            var receiver = SatelliteReceiver.rtk
            receiver.leverArmBodyMeters = Vector3(1.2, 0.6, 1)
            first.satellite = receiver
            receiver.leverArmBodyMeters = Vector3(-1.3, -0.6, 1)
            receiver.positionLagSeconds = 0.25
            receiver.velocityLagSeconds = 0.25
            second.satellite = receiver
            estimator = PoseEstimator(settings: FusionSettings())
            let others = SimulatedDrive(drive: drive, sensors: second, seed: seed + 100).filter { $0.kind == .gps }
            var next = others.makeIterator()
            var waiting = next.next()
            var (sum, count) = (0.0, 0.0)
            for event in SimulatedDrive(drive: drive, sensors: first, seed: seed) {
                while let other = waiting, other.arrivalTime <= event.arrivalTime {
                    waiting = next.next()
                    guard change.contains(other.arrivalTime.seconds), case .gnss(var fix) = other else { continue }
                    fix.receiver = number
                    _ = estimator.ingest(.gnss(fix))
                }
                if case .gnss(let fix) = event, change.contains(fix.arrivalTime.seconds) { continue }
                guard estimator.ingest(event), case .inertial(let sample) = event else { continue }
                if sample.time.seconds < change.lowerBound { armBefore = estimator.filter.state.antennaArmMeters }
                guard sample.time.seconds > change.lowerBound, sample.time.seconds < change.upperBound,
                    let position = estimator.estimate.position
                else { continue }
                let truth = drive.truth(atSeconds: sample.time.seconds)
                let offset = truth.position.surfaceOffsetMeters(to: position)
                let square = offset.east * offset.east + offset.north * offset.north
                worst = max(worst, square.squareRoot())
                sum += square
                count += 1
            }
            place = (sum / max(count, 1)).squareRoot()
        }
    }

    @Test func theSettingsDescribeTheFirstReceiver() throws {
        // GIVEN a lag that was told THEN it is that of the first receiver alone
        var settings = FusionSettings()
        #expect(settings.toldPositionLag(of: 0) == nil && settings.toldAntenna == nil)
        settings.gnssPositionLagSeconds = -0.3
        #expect(settings.toldPositionLag(of: 0) == -0.3 && settings.toldPositionLag(of: 1) == nil)
        // AND an estimator whose first fix is one of another receiver takes what any receiver has
        settings.antennaLeverArmBodyMeters = Vector3(2, 1, 1)
        let time = try #require(MonotonicTime(seconds: 1))
        for receiver in UInt8(0)...1 {
            var estimator = PoseEstimator(settings: settings)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians, fix.receiver) = (0.8, 0.2, receiver)
            _ = estimator.ingest(.gnss(fix))
            #expect(estimator.toldPositionLag == (receiver == 0 ? -0.3 : nil))
            #expect(estimator.antennaPrior.meters == (receiver == 0 ? SIMD2(2, 1) : .zero))
            // Of one that was not told, it is the mean of what receivers have: none below zero.
            #expect((estimator.receiverLags.position == -0.3) == (receiver == 0))
        }
    }

    @Test func theNextReceiverIsLearnedAnew() throws {
        // GIVEN a drive that changes at 120 s to a receiver whose antenna is 2.8 m behind that of the first one, and
        // that is 0.25 s late
        let told = try ChangingDrive(number: 8, change: 120...10_000)
        // THEN the first one's antenna was found, then the second one's, with a sigma that holds
        #expect(abs(told.armBefore.x - 1.2) < 0.2 && abs(told.armBefore.y - 0.6) < 0.2, "\(told.armBefore)")
        var filter = told.estimator.filter
        let (found, sigma) = (filter.state.antennaArmMeters, filter.antennaArm.sigmaMeters)
        #expect(abs(found.x + 1.3) < max(0.25, 3 * sigma.x), "\(found) \(sigma)")
        #expect(abs(found.y + 0.6) < max(0.25, 3 * sigma.y), "\(found) \(sigma)")
        let lagSigma = filter.covariance[.positionLag, .positionLag].squareRoot()
        let lag = filter.state.positionLagSeconds
        #expect(abs(lag - 0.25) < max(0.03, 3 * lagSigma), "\(lag)")
        // and the place is better than that of an estimator that takes both for one
        let untold = try ChangingDrive(number: 0, change: 120...10_000)
        #expect(told.place < 0.7 * untold.place, "\(told.place) \(untold.place)")
        #expect(told.worst < 0.7 * untold.worst, "\(told.worst) \(untold.worst)")
        #expect(told.estimator.estimate.resetCount == 0 && told.estimator.isNavigating)
        // and what is kept for the next drive has no antenna: it is that of the first receiver
        #expect(told.estimator.estimate.mount?.antenna == nil && untold.estimator.estimate.mount?.antenna != nil)
    }

    @Test func whatWasLearnedOfAReceiverIsNotTakenForTheNext() throws {
        // GIVEN a filter that knows its receiver well, and doubts its accuracy
        let position = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 400)
        let now = MonotonicTime(nanoseconds: 100_000_000_000)
        let state = NavigationState(
            time: now, position: position, velocityENU: Vector3(3, 4, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: Vector3(1, 0.5, 1))
        filter.state.positionLagSeconds = 0.4
        filter.state.velocityLagSeconds = 0.6
        for second in 0..<5 {
            _ = filter.noiseScaling.learn(normalisedSquare: 50, at: now.advanced(bySeconds: Double(second)))
        }
        #expect(filter.noiseScaling.factor > 1.5)
        let before = filter.covariance.sigma(of: .position)
        // WHEN a fix of another receiver comes
        var fix = GnssFix(validityTime: now, arrivalTime: now, mode: .threeDimensional)
        fix.receiver = 3
        fix.horizontalSigmaMeters = 2
        filter.change(toReceiverOf: fix)
        // THEN antenna, lags, bias and accuracy are those of an unknown one, independent of the rest
        #expect(filter.state.antennaArmMeters == .zero)
        #expect(filter.antennaArm.sigmaMeters.x == Tuning.Antenna.unknownSigma)
        #expect(filter.state.positionLagSeconds == 0 && filter.state.velocityLagSeconds == 0.1)
        #expect(filter.covariance[.positionLag, .positionLag].squareRoot() > 0.05)
        #expect(filter.noiseScaling.factor == 1 && filter.receiver == 3)
        for state in [FilterState.antennaArm, .positionLag, .velocityLag, .gnssBias] {
            for i in state.elements {
                for j in 0..<FilterState.count where j != i { #expect(filter.covariance[i, j] == 0) }
            }
        }
        // and the body's place is known as before
        #expect(filter.covariance.sigma(of: .position) == before && filter.state.velocityENU == Vector3(3, 4, 0))
        // WHEN the first one is back THEN what the settings say of it is valid again
        fix.receiver = 0
        filter.change(toReceiverOf: fix)
        #expect(filter.state.antennaArmMeters == SIMD2(1, 0.5))
        #expect(filter.antennaArm.sigmaMeters.x == Tuning.Antenna.toldSigma)
    }

    @Test(arguments: [MotionProfile.boat, .wearable]) func theAntennaIsThatOfTheReceiverInUse(profile: MotionProfile) {
        // GIVEN an antenna 8 m behind the IMU, on what has no wheels to show it WHEN another receiver takes over, and
        // the first one is back THEN its antenna is where nobody has told, and then where it was told
        let time = MonotonicTime(nanoseconds: 100_000_000_000)
        let state = NavigationState(
            time: time,
            position: GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: Vector3(-8, 0, 0), profile: profile)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.receiver = 3
        filter.change(toReceiverOf: fix)
        #expect(filter.state.antennaArmMeters == .zero)
        fix.receiver = 0
        filter.change(toReceiverOf: fix)
        #expect(filter.state.antennaArmMeters == SIMD2(-8, 0))
        // AND the lag of its velocity is as unknown as at the start, where the motion does not show it
        let sigma = filter.covariance[.velocityLag, .velocityLag].squareRoot()
        #expect(sigma == (profile == .wearable ? 0.5 : 0.1))
    }

    @Test(arguments: [(false, 0.006_670_667), (true, 0.007_570_667)]) func theLagOfTheNextReceiverIsAsUnsureAsAnyOne(
        isEstimated: Bool, variance: Double
    ) {
        // GIVEN a filter whose heading is not settled yet, or is WHEN another receiver takes over THEN the lag of its
        // position is what the clocks (0.1 s) may have of a velocity's lag (0.1 s twice), 0.01 0.02 / 0.03 s2, beside
        // the 0.002 s of any (eq. 7.18), and 0.03 s more where the lag is estimated
        var filter = Self.filterAtRest
        filter.isPositionLagEstimated = isEstimated
        Self.changeReceiver(&filter)
        let found = filter.covariance[.positionLag, .positionLag]
        #expect(abs(found - variance) < 1e-8)
    }

    /// A filter that has just started at rest.
    private static var filterAtRest: NavigationFilter {
        let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 100_000_000_000), position: place, velocityENU: .zero,
            sensorToENU: .identity)
        return NavigationFilter(at: state, leverArm: .zero)
    }

    /// Lets another receiver take over.
    private static func changeReceiver(_ filter: inout NavigationFilter) {
        var fix = GnssFix(
            validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        fix.receiver = 3
        filter.change(toReceiverOf: fix)
    }

    @Test func theScatterOfAReceiverIsNotThatOfTheNext() {
        // GIVEN a receiver that scatters with a fifth of the variance that it states WHEN another one takes over THEN
        // that is as good as it says, and other sources are as they were
        var filter = Self.filterAtRest
        for source in AidSource.allCases { filter.aids[Int(source.rawValue)].varianceFactor = 0.2 }
        Self.changeReceiver(&filter)
        let receivers: Set<AidSource> = [.gnssPosition, .gnssHeight, .gnssVelocity, .gnssClimb]
        for source in AidSource.allCases {
            let factor = filter.aids[Int(source.rawValue)].varianceFactor
            #expect(factor == (receivers.contains(source) ? 1 : 0.2), "\(source)")
        }
    }
}
