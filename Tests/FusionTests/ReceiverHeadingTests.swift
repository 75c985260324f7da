import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion
@testable import Simulation

/// The heading of a receiver with two antennas.
@Suite struct ReceiverHeadingTests {
    private static let degree = Angle.radiansPerDegree

    /// A drive whose fixes state a heading.
    private struct HeadingDrive {
        var estimator: PoseEstimator
        /// Error of the published heading in the second half, RMS, and of the first published one, degrees.
        var headingDegrees = 0.0
        var firstDegrees: Double?
        /// Sigma of the first published heading, degrees.
        var firstSigmaDegrees: Double?

        /// - Parameters:
        ///   - stated: what the receiver states for a true heading, radians; `nil`: nothing.
        ///   - told: the angle of the baseline in the settings, radians; `nil`: none.
        init(
            seed: UInt64, told: Double? = nil, seconds: Double = .infinity,
            stated: (Double, inout RandomSource) -> Double?
        ) throws {
            var plan = DrivePlan.random(seed: seed, edges: 12)
            plan.standingSecondsBefore = 20
            var settings = FusionSettings()
            settings.headingBaselineRadians = told
            estimator = PoseEstimator(settings: settings)
            let drive = try Drive(plan)
            var random = RandomSource(seed: seed, use: 51)
            let end = min(drive.durationSeconds, seconds)
            var (squares, count) = (0.0, 0.0)
            for event in SimulatedDrive(drive: drive, sensors: SensorSuite(), seed: seed) {
                guard event.arrivalTime.seconds < end else { break }
                var event = event
                if case .gnss(var fix) = event {
                    fix.headingTrueRadians = stated(
                        Self.heading(drive.truth(atSeconds: fix.validityTime.seconds).bodyToENU), &random)
                    event = .gnss(fix)
                }
                guard estimator.ingest(event), let body = estimator.estimate.bodyToENU,
                    let sigma = estimator.estimate.headingSigmaRadians
                else { continue }
                let truth = drive.truth(atSeconds: estimator.estimate.time.seconds)
                let error = Angle.wrappedToPi(Self.heading(body) - Self.heading(truth.bodyToENU)).radiansInDegrees
                if firstDegrees == nil { (firstDegrees, firstSigmaDegrees) = (error, sigma.radiansInDegrees) }
                guard estimator.estimate.time.seconds > 0.5 * end else { continue }
                (squares, count) = (squares + error * error, count + 1)
            }
            headingDegrees = (squares / max(count, 1)).squareRoot()
        }

        static func heading(_ bodyToENU: Quaternion) -> Double { EulerAngles(bodyToENU: bodyToENU).headingTrueRadians }
    }

    @Test func aVehicleThatStandsHasATrueHeading() throws {
        // GIVEN a vehicle that has not moved, its mount unknown, its baseline told, and a heading with an error of a
        // degree
        let drive = try HeadingDrive(seed: 1, told: 0, seconds: 15) { $0 + 1 * Self.degree * $1.gaussian() }
        // THEN its heading is published with a sigma that contains that of the baseline (3 degrees) and holds
        #expect(abs(try #require(drive.firstDegrees)) < 3)
        let sigma = try #require(drive.firstSigmaDegrees)
        #expect(sigma > 3 && sigma < 4)
        // AND without the receiver's heading there is none
        #expect(try HeadingDrive(seed: 1, told: 0, seconds: 15) { _, _ in nil }.firstDegrees == nil)
    }

    @Test func aBaselineThatNobodyTellsShowsNoHeadingAtRest() throws {
        // GIVEN a vehicle that has not moved, whose antennas are across, and settings that do not tell their baseline
        let drive = try HeadingDrive(seed: 1, seconds: 15) { heading, _ in Angle.wrappedToTwoPi(heading + .pi / 2) }
        // THEN no heading is published: it would be wrong by that angle
        #expect(drive.firstDegrees == nil)
    }

    @Test func aBoatLeansAsItsSensor() throws {
        // GIVEN a boat at its berth that is heeled by 15 degrees, its sensor along the hull, and a receiver with two
        // antennas
        var settings = FusionSettings()
        settings.profile = .boat
        settings.headingBaselineRadians = 0
        var estimator = PoseEstimator(settings: settings)
        let hull = EulerAngles(rollRadians: 0.26, pitchRadians: 0, headingTrueRadians: 0.5).bodyToENU
        let force = hull.inverse.rotate(Vector3(0, 0, 9.80665))
        for index in 0..<500 {
            let time = MonotonicTime(nanoseconds: Int64(index) * 20_000_000)
            // A sensor that repeats a reading counts as stuck.
            let noise = 0.002 * Vector3(Double(index % 7) - 3, Double(index % 5) - 2, Double(index % 3) - 1)
            _ = estimator.ingest(
                .inertial(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: noise * 0.1,
                        specificForceMetersPerSecondSquared: force + noise)))
            guard index % 50 == 49 else { continue }
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians, fix.headingTrueRadians) = (0.9, 0.2, 0.5)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN its heading is that of the antennas, and it is heeled
        let found = EulerAngles(bodyToENU: try #require(estimator.estimate.bodyToENU))
        #expect(abs(found.rollRadians - 0.26) < 0.01 && abs(found.pitchRadians) < 0.01, "\(found)")
        #expect(abs(Angle.wrappedToPi(found.headingTrueRadians - 0.5)) < 0.01, "\(found)")
        #expect(estimator.estimate.headingSigmaRadians != nil && !estimator.isNavigating)
    }

    @Test func aLateHeadingIsTurnedOnFromItsOwnTime() throws {
        // GIVEN a boat that turns right by 0.2 rad/s, and headings of its antennas that come a second late
        var settings = FusionSettings()
        (settings.profile, settings.headingBaselineRadians) = (.boat, 0)
        var estimator = PoseEstimator(settings: settings)
        for index in 0..<500 {
            let time = MonotonicTime(nanoseconds: Int64(index) * 20_000_000)
            // A sensor that repeats a reading counts as stuck.
            let noise = 0.002 * Vector3(Double(index % 7) - 3, Double(index % 5) - 2, Double(index % 3) - 1)
            _ = estimator.ingest(
                .inertial(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: Vector3(0, 0, -0.2) + noise * 0.1,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665) + noise)))
            guard index % 50 == 49, index > 50 else { continue }
            var fix = GnssFix(
                validityTime: time.advanced(bySeconds: -1), arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (0.9, 0.2)
            fix.headingTrueRadians = 0.5 + 0.2 * fix.validityTime.seconds
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN the published heading is the present one, as far as the gyro's bias is known: 0.02 rad in 2 s
        #expect(estimator.estimate.headingSigmaRadians != nil && !estimator.isNavigating)
        let found = EulerAngles(bodyToENU: try #require(estimator.estimate.bodyToENU))
        let expected = 0.5 + 0.2 * estimator.estimate.time.seconds
        #expect(abs(Angle.wrappedToPi(found.headingTrueRadians - expected)) < 0.02, "\(found)")
    }

    @Test(arguments: [true, false]) func theMagneticHeadingFollowsFromThatOfTheReceiver(isVariationKnown: Bool) {
        // GIVEN a boat at its berth with the heading of a magnetometer, and with that of its antennas
        var settings = FusionSettings()
        (settings.profile, settings.headingBaselineRadians) = (.boat, 0)
        var estimator = PoseEstimator(settings: settings)
        let time = MonotonicTime(nanoseconds: 1_000_000_000)
        estimator.receiverHeading = ReceiverHeading(time: time, radians: 0.5, sigma: 0.09)
        var next = PoseEstimate(time: time)
        (next.headingMagneticRadians, next.headingMagneticSigmaRadians) = (0.4, 0.03)
        if isVariationKnown { (next.magneticVariationRadians, next.magneticVariationSigmaRadians) = (0.05, 0.01) }
        // WHEN that of the antennas is published THEN nothing of the magnetometer's is left beside it, unless the
        // declination is unknown
        estimator.describeReceiverHeading(&next)
        #expect(next.headingSigmaRadians == 0.09)
        #expect(next.headingMagneticRadians == (isVariationKnown ? nil : 0.4))
        #expect(next.headingMagneticSigmaRadians == (isVariationKnown ? nil : 0.03))
    }

    @Test(arguments: [0.0, 4, 37, 180], [UInt64(1), 2]) func theBaselineIsFound(degrees: Double, seed: UInt64) throws {
        // GIVEN a baseline at any angle that nobody tells, and errors of a degree WHEN the vehicle drives
        let drive = try HeadingDrive(seed: seed) {
            Angle.wrappedToTwoPi($0 + (degrees + $1.gaussian()) * Self.degree)
        }
        let without = try HeadingDrive(seed: seed) { _, _ in nil }
        // THEN the angle is found with a sigma that holds, the heading is used, and that of the drive is no worse
        let found = drive.estimator.filter.baseline
        let error = Angle.wrappedToPi(found.angle - degrees * Self.degree)
        #expect(abs(error) < max(1 * Self.degree, 3 * found.variance.squareRoot()), "\(error.radiansInDegrees)")
        #expect(found.isUsable)
        #expect(drive.headingDegrees < 1.05 * without.headingDegrees + 0.02, "\(drive.headingDegrees)")
        #expect((drive.estimator.aid(.receiverHeading)?.acceptedCount ?? 0) > 20)
        // AND both are told
        var trust = TrustReport()
        var estimator = drive.estimator
        estimator.describeTrust(&trust)
        let told = try #require(trust.heading)
        #expect(told.isUsed && !told.isGivenUp && told.baselineRadians == found.angle)
        #expect(told.baselineSigmaRadians == found.variance.squareRoot() && told.baselineSigmaRadians > 0)
    }

    /// What a broken receiver states.
    enum Nonsense: String, CaseIterable {
        case random, frozen, mirrored
    }

    @Test(arguments: Nonsense.allCases) func nonsenseIsGivenUpAndChangesNothing(kind: Nonsense) throws {
        // GIVEN a heading that is none of the vehicle
        let drive = try HeadingDrive(seed: 3) { heading, random in
            switch kind {
            case .random: random.uniform(0, 2 * .pi)
            case .frozen: 1
            case .mirrored: Angle.wrappedToTwoPi(-heading)
            }
        }
        let without = try HeadingDrive(seed: 3) { _, _ in nil }
        // THEN it is not used and reported, and the drive ends as without it
        var trust = TrustReport()
        var estimator = drive.estimator
        estimator.describeTrust(&trust)
        #expect(trust.heading?.isUsed == false)
        #expect(drive.headingDegrees < 1.05 * without.headingDegrees + 0.02, "\(drive.headingDegrees)")
        #expect((drive.estimator.aid(.receiverHeading)?.rejectedCount ?? 0) > 50)
    }

    /// A filter whose heading is 4 degrees off, with a sigma of 5.7, and whose baseline is confirmed.
    private func filter() -> NavigationFilter {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 5_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 500),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, 0, 4 * Self.degree)))
        state.sensorToVehicle = .identity
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.baseline.agreed = Tuning.Heading.comparisons
        filter.baseline.variance = 0.01 * Self.degree * Self.degree
        return filter
    }

    private func fix(headingDegrees: Double) -> GnssFix {
        let time = MonotonicTime(nanoseconds: 5_000_000_000)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.headingTrueRadians = headingDegrees * Self.degree
        return fix
    }

    /// How many of some headings that agree the filter of a slow body uses that knows its own to a degree, or another
    /// sigma, and its velocity to a sigma, m/s. It turns at a rate, rad/s.
    private func used(
        of count: Int, told: Double?, profile: MotionProfile, speed: Double = 2.5, velocitySigma: Double = 1,
        headingDegrees: Double = 1, yawRate: Double = 0
    ) -> UInt32 {
        var settings = FusionSettings()
        settings.profile = profile
        settings.headingBaselineRadians = told
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 5_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 500),
            velocityENU: Vector3(speed, 0, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        filter.covariance.restart(.velocity, variance: velocitySigma * velocitySigma)
        filter.baseline = HeadingBaseline(settings: settings)
        if profile.traits.rollsOnWheels { filter.covariance.restart(.mount, variance: 1e-8) }
        let sigma = headingDegrees * Self.degree
        filter.covariance[.attitude.z, .attitude.z] = sigma * sigma
        filter.lastFixTime = state.time
        filter.state.meanYawRate = yawRate
        for _ in 0..<count { filter.fuseHeading(of: fix(headingDegrees: 90)) }
        return filter.aids[Int(AidSource.receiverHeading.rawValue)].acceptedCount
    }

    @Test func aSlowBoatUsesTheHeadingOfItsAntennas() {
        // GIVEN a boat at 2.5 m/s THEN the first heading is used where the baseline is told, and where it is not, the
        // tenth that agrees with the filter's
        #expect(used(of: 1, told: 0, profile: .boat) == 1)
        #expect(used(of: 9, told: nil, profile: .boat) == 0 && used(of: 10, told: nil, profile: .boat) == 1)
        // AND a vehicle at that speed, whose course does not show its heading yet, uses none
        #expect(used(of: 20, told: 0, profile: .vehicle) == 0)
    }

    @Test(arguments: [(2.5, 0.06, true), (2.5, 0.07, false), (1.1, 0.025, true), (0.9, 0.001, false)])
    func aMachineThatIsNeverFastUsesItWhereItsCourseIsKnown(speed: Double, sigma: Double, isUsed: Bool) {
        // GIVEN a vehicle on wheels below 3 m/s THEN the tenth heading that agrees is used where its velocity is known
        // to 1.5 degrees, and it is faster than 1 m/s
        for told in [nil, 0.0] {
            let nine = used(of: 9, told: told, profile: .vehicle, speed: speed, velocitySigma: sigma)
            let ten = used(of: 10, told: told, profile: .vehicle, speed: speed, velocitySigma: sigma)
            #expect(nine == 0 && (ten == 1) == isUsed)
        }
    }

    @Test func aVagueHeadingIsCorrectedAndNoSurerThanTheBaseline() {
        // GIVEN a vehicle that points east, seen by the receiver a hundred times
        var filter = filter()
        let before = filter.headingVariance()
        for _ in 0..<100 { filter.fuseHeading(of: fix(headingDegrees: 90)) }
        // THEN its heading is right to the part of the error that lasts, and does not claim more
        let heading = EulerAngles(bodyToENU: filter.state.vehicleToENU).headingTrueRadians.radiansInDegrees
        #expect(abs(heading - 90) < 0.5)
        let after = filter.headingVariance()
        #expect(after < 0.1 * before && after > 0.99 * filter.baseline.lastingVariance)
    }

    @Test func aHeadingBeyondTheGateIsRejected() {
        // GIVEN a heading 60 degrees off, more than ten sigmas
        var filter = filter()
        filter.fuseHeading(of: fix(headingDegrees: 150))
        // THEN it is counted and not used
        let status = filter.aids[Int(AidSource.receiverHeading.rawValue)]
        #expect(status.rejection == .innovation && status.rejectedCount == 1)
        let heading = EulerAngles(bodyToENU: filter.state.vehicleToENU).headingTrueRadians.radiansInDegrees
        #expect(abs(heading - 86) < 1e-6)
    }

    @Test(arguments: [(1.45, true), (1.55, false)]) func aVagueHeadingShowsNoBaseline(degrees: Double, isShown: Bool) {
        // GIVEN a boat whose baseline nobody tells, and whose filter knows its heading to less than 1.5 degrees, or not
        // so well THEN ten headings that agree with it confirm the baseline, and the tenth is used, or none is
        let count = used(of: 10, told: nil, profile: .boat, headingDegrees: degrees)
        #expect((count == 1) == isShown && (count == 0) == !isShown)
    }

    @Test(arguments: [(2.99, 0), (3.01, 1)] as [(Double, UInt32)])
    func aVehicleAboveThreeMetersASecondHasACourse(speed: Double, expected: UInt32) {
        // GIVEN a vehicle whose velocity is known to 1 m/s alone THEN from 3 m/s on its course confirms the baseline
        let count = used(of: 10, told: 0, profile: .vehicle, speed: speed)
        #expect(count == expected)
    }

    @Test(arguments: [(0.149, 1), (-0.149, 1), (0.15, 0), (-0.15, 0), (0.151, 0)] as [(Double, UInt32)])
    func aTurnShowsNoBaseline(yawRate: Double, expected: UInt32) {
        // GIVEN a boat whose baseline nobody tells, and that turns either way THEN ten headings that agree confirm it
        // below 0.15 rad/s
        let count = used(of: 10, told: nil, profile: .boat, yawRate: yawRate)
        #expect(count == expected)
    }
}
