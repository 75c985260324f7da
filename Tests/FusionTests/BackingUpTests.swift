import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Parked vehicles that leave in reverse, or that somebody has turned.
@Suite struct BackingUpTests {
    /// A drive that begins parked and leaves in reverse: that of a vehicle whose body points the other way.
    private struct Leaving {
        /// Time from the first motion until the pose was aligned, seconds; `nil` if it was not below 5 m/s.
        var alignedAfter: Double?
        /// Error of the heading then, radians.
        var headingError = 0.0
        /// Number of contradicted mounts.
        var contradictions: UInt64 = 0

        init(seed: UInt64, knowsStop: Bool) throws {
            let drive = try Drive(.random(seed: seed, edges: 6))
            var suite = SensorSuite.random(seed: seed)
            suite.satellite?.outages = []
            let mount = try Self.mount(drive, suite, seed)
            let turn = Quaternion(rotationVector: Vector3(0, 0, .pi))
            var estimator = PoseEstimator()
            estimator.offer(
                mount: MountEstimate(
                    sensorToBody: turn * mount, sigmaBodyRadians: Vector3(repeating: 0.005), origin: .found
                ).onTheNextDrive)
            if knowsStop { estimator.offer(resting: Self.stop(drive, turn).onTheNextStart) }
            var motion: MonotonicTime?
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) where estimator.ingest(event) {
                let estimate = estimator.estimate
                let truth = drive.truth(atSeconds: estimate.time.seconds)
                let speed = truth.velocityENUMetersPerSecond.length
                if motion == nil, speed > 1 { motion = estimate.time }
                guard speed < 5 else { break }
                guard let motion, estimate.state == .aligned, let body = estimate.bodyToENU else { continue }
                alignedAfter = estimate.time.seconds(since: motion)
                let backward = EulerAngles(bodyToENU: truth.bodyToENU * turn.inverse).headingTrueRadians
                headingError = abs(
                    Angle.wrappedToPi(EulerAngles(bodyToENU: body).headingTrueRadians - backward))
                break
            }
            contradictions = estimator.mounts.contradictionCount
        }

        /// The mount of the simulated IMU, as a drive finds it.
        static func mount(_ drive: Drive, _ suite: SensorSuite, _ seed: UInt64) throws -> Quaternion {
            var estimator = PoseEstimator()
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) { _ = estimator.ingest(event) }
            return try #require(estimator.mount).sensorToBody
        }

        /// The pose of the stop at the beginning of a drive, of a body that is turned against the simulated one.
        static func stop(_ drive: Drive, _ turn: Quaternion) -> RestingPose {
            let truth = drive.truth(atSeconds: 0)
            let body = truth.bodyToENU * turn.inverse
            return RestingPose(
                position: truth.position, horizontalSigmaMeters: 1.5, verticalSigmaMeters: 3,
                headingTrueRadians: EulerAngles(bodyToENU: body).headingTrueRadians, headingSigmaRadians: 0.01,
                downBody: body.inverse.rotate(-.unitZ))
        }
    }

    @Test(arguments: [UInt64(3), 5, 13]) func theLastStopTellsThatTheVehicleBacksUp(seed: UInt64) throws {
        // GIVEN a vehicle that leaves its place in reverse WHEN it is known how it stood
        let known = try Leaving(seed: seed, knowsStop: true)
        // THEN it is aligned in seconds, pointing the right way, and its mount is not doubted
        #expect((known.alignedAfter ?? .infinity) < 3, "\(known)")
        #expect(known.headingError < 0.1 && known.contradictions == 0, "\(known)")
        // Otherwise the motion may be that of a device that was turned round.
        #expect(try Leaving(seed: seed, knowsStop: false).alignedAfter == nil)
    }

    @Test(arguments: [(0.0, true), (Double.pi, false)]) func aVehicleThatIsShakenByItsEngineWaitsWhereItMayBackUp(
        direction: Double, starts: Bool
    ) throws {
        // GIVEN a vehicle with a kept mount that did not look at rest for 12 s, so that the bias of its gyro is
        // unknown, and whose accelerations show that it points to the east
        var vehicle = RestingVehicle(knowsBias: false)
        vehicle.align(radians: RestingVehicle.mountYaw)
        var estimator = vehicle.estimator
        estimator.attitude = AttitudeFilter(profile: .vehicle)
        for k in 0...1200 {
            let sample = InertialSample(
                time: RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k - 1200)),
                angularRateRadiansPerSecond: .zero, specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            estimator.attitude.update(sample, still: false, meanAngularRate: .zero)
        }
        try #require(!estimator.attitude.isBiasKnown)
        var sample = RestingVehicle.sample()
        sample.sensorToLevel = .identity
        for k in 0...10 {
            sample.time = RestingVehicle.now.advanced(bySeconds: 0.1 * Double(k - 10))
            estimator.delayedMeasurements.note(sample)
        }
        // WHEN it goes there at 5 m/s, or to the west
        var fix = GnssFix(validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        fix.horizontalVelocity = RestingVehicle.velocity(5, toward: direction)
        (fix.speedSigmaMetersPerSecond, fix.horizontalSigmaMeters) = (0.1, 2)
        estimator.lastFix = fix
        estimator.lifeCycle = .findingHeading(try #require(GNSSPositionFilter(fix: fix)))
        estimator.tryToStart(with: fix)
        // THEN only the former starts the filter: the mount of the latter would be half a turn wrong
        #expect(estimator.isNavigating == starts)
        #expect(estimator.mounts.contradictionCount == 0 && estimator.mounts.prior != nil)
    }

    @Test(arguments: [UInt64(3), 5, 13]) func aVehicleTurnedOnTheSpotIsRightFiveSecondsAfterItsFirstMotion(
        seed: UInt64
    ) throws {
        // GIVEN a parked vehicle with a known mount that somebody has turned by 20 degrees
        let drive = try Drive(.random(seed: seed, edges: 6))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        var estimator = PoseEstimator()
        estimator.offer(
            mount: MountEstimate(
                sensorToBody: try Leaving.mount(drive, suite, seed), sigmaBodyRadians: Vector3(repeating: 0.005),
                origin: .found
            ).onTheNextDrive)
        var stop = Leaving.stop(drive, .identity)
        stop.headingTrueRadians = Angle.wrappedToTwoPi(stop.headingTrueRadians + 20 * .pi / 180)
        estimator.offer(resting: stop.onTheNextStart)
        // WHEN it drives off
        var motion: MonotonicTime?
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) where estimator.ingest(event) {
            let time = estimator.estimate.time
            if motion == nil, drive.truth(atSeconds: time.seconds).velocityENUMetersPerSecond.length > 1 {
                motion = time
            }
            if let motion, time.seconds(since: motion) >= 5 { break }
        }
        // THEN the heading of the stop is forgotten
        let body = try #require(estimator.estimate.bodyToENU)
        let truth = drive.truth(atSeconds: estimator.estimate.time.seconds)
        let (shown, right) = (EulerAngles(bodyToENU: body), EulerAngles(bodyToENU: truth.bodyToENU))
        let error = Angle.wrappedToPi(shown.headingTrueRadians - right.headingTrueRadians)
        #expect(estimator.estimate.state == .aligned && abs(error) < 0.03, "\(error)")
    }
}
