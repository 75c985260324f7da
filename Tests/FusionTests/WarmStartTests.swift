import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Starts from the pose of the last stop.
@Suite struct WarmStartTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47.1, longitudeDegrees: 9.5, altitudeEllipsoidMeters: 460)
    /// Facing east-north-east on a garage ramp that rises by 3 degrees.
    private static let heading = 70 * Double.pi / 180
    private static let pitch = 3 * Double.pi / 180
    /// The IMU sits turned about the vertical and upside down.
    private static let mount =
        Quaternion(rotationVector: Vector3(0, 0, 0.7)) * Quaternion(rotationVector: Vector3(.pi, 0, 0))

    /// A vehicle with an IMU at 100 Hz, and what the estimator makes of it.
    private final class Vehicle {
        private(set) var estimator: PoseEstimator
        private(set) var seconds = 0.0
        private var random = RandomSource(seed: 5)
        var heading = WarmStartTests.heading
        var pitch = WarmStartTests.pitch
        /// Bias of the accelerometer, sensor axes, m/s2.
        var bias = Vector3.zero

        init(lean: Double = WarmStartTests.pitch, offers: Bool = true, profile: MotionProfile = .vehicle) {
            pitch = lean
            var settings = FusionSettings()
            settings.profile = profile
            estimator = PoseEstimator(settings: settings)
            estimator.offer(
                mount: MountEstimate(
                    sensorToBody: WarmStartTests.mount, sigmaBodyRadians: Vector3(repeating: 0.005), origin: .kept))
            guard offers else { return }
            estimator.offer(resting: WarmStartTests.pose.onTheNextStart)
        }

        /// Tells what an earlier drive has found of the accelerometer.
        func tell(accelerometerBias bias: Vector3) {
            var prior = SensorPrior()
            prior.accelerometerBias = .init(
                metersPerSecondSquared: bias, sigmaMetersPerSecondSquared: Vector3(repeating: 0.03))
            estimator.offer(sensors: prior)
        }

        /// Whether the heading of the last stop was refused.
        var isRefused: Bool { estimator.rejections.warmStartRefused == 1 }

        /// Whether a pose at rest is taken.
        func isOffered(_ pose: RestingPose) -> Bool { estimator.offer(resting: pose) }

        private func noise() -> Vector3 {
            Vector3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))
        }

        /// Stands, or turns with a rate counter-clockwise, rad/s, vibrating.
        func run(_ duration: Double, turnRate: Double = 0, isMoving: Bool = false, _ each: (Vehicle) -> Void = { _ in })
        {
            for _ in 0..<Int((duration * 100).rounded()) {
                seconds += 0.01
                heading -= turnRate * 0.01
                let body = EulerAngles(rollRadians: 0, pitchRadians: pitch, headingTrueRadians: heading).bodyToENU
                let toSensor = (body * WarmStartTests.mount).inverse
                let shake = isMoving ? 0.6 : 0.01
                let force = toSensor.rotate(Vector3(0, 0, 9.81)) + noise() * shake + bias
                let rate = toSensor.rotate(Vector3(0, 0, turnRate)) + noise() * (isMoving ? 0.02 : 0.0005)
                _ = estimator.ingest(
                    .inertial(
                        InertialSample(
                            time: WarmStartTests.time(seconds), angularRateRadiansPerSecond: rate,
                            specificForceMetersPerSecondSquared: force)))
                each(self)
            }
        }

        /// A fix with an offset from the garage, metres, and a velocity.
        func fix(east: Double, velocity: HorizontalVelocity? = nil) {
            let place = WarmStartTests.place.moved(byENU: Vector3(east, 0, 0))
            var fix = GnssFix(
                validityTime: WarmStartTests.time(seconds - 0.1), arrivalTime: WarmStartTests.time(seconds),
                mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (460, 3, 5)
            (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (velocity, 0.1)
            _ = estimator.ingest(.gnss(fix))
        }

        var error: Double {
            guard let place = estimator.estimate.position else { return .infinity }
            let offset = place.surfaceOffsetMeters(to: WarmStartTests.place)
            return Vector3(offset.east, offset.north, 0).length
        }

        /// Error of the heading, degrees; `nil` while it is unknown.
        var headingError: Double? {
            guard let attitude = estimator.estimate.bodyToENU, estimator.estimate.headingSigmaRadians != nil else {
                return nil
            }
            let shown = EulerAngles(bodyToENU: attitude).headingTrueRadians
            return abs(Angle.wrappedToPi(shown - heading)) * 180 / .pi
        }
    }

    private static let pose = RestingPose(
        position: place, horizontalSigmaMeters: 1, verticalSigmaMeters: 2, headingTrueRadians: heading,
        headingSigmaRadians: 0.01,
        downBody: EulerAngles(rollRadians: 0, pitchRadians: pitch, headingTrueRadians: 0).bodyToENU.inverse
            .rotate(-Vector3.unitZ))

    private static let standing = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    @Test func headingAndPositionAreKnownWithinTwoSecondsWithoutSatellites() {
        // GIVEN a vehicle in a garage that stands as it stopped WHEN two seconds have passed
        let vehicle = Vehicle()
        vehicle.run(2)
        // THEN position and heading are those of the stop, with more than their sigma then, and not called aligned
        #expect(vehicle.error < 0.01 && (vehicle.headingError ?? .infinity) < 0.5)
        let estimate = vehicle.estimator.estimate
        #expect(estimate.state == .coarse && estimate.fixAgeSeconds == nil)
        #expect((estimate.positionSigmaENUMeters?.x ?? 0) >= 3 && (estimate.headingSigmaRadians ?? 0) >= 0.02)
        // and the lean is measured, not remembered
        let pitch = estimate.bodyToENU.map { EulerAngles(bodyToENU: $0).pitchRadians } ?? 0
        #expect(abs(pitch - Self.pitch) < 0.01)
        // WHEN the first fixes agree, minutes later THEN nothing jumps
        vehicle.run(120)
        for _ in 0..<10 {
            vehicle.run(1)
            vehicle.fix(east: 2)
        }
        #expect(vehicle.error < 3 && vehicle.estimator.estimate.resetCount == 0)
        #expect((vehicle.headingError ?? .infinity) < 2)
    }

    @Test func anotherLeanIsNotTheSamePlace() {
        // GIVEN a vehicle that stands level, or an IMU that was mounted anew by 2 degrees
        let vehicle = Vehicle(lean: Self.pitch - 2 * .pi / 180)
        // THEN nothing is published of the pose, and it is refused as soon as what is known of the accelerometer cannot
        // come any more
        vehicle.run(3)
        #expect(!vehicle.isRefused)
        vehicle.run(3) { #expect($0.estimator.estimate.position == nil) }
        #expect(vehicle.headingError == nil && vehicle.isRefused)
    }

    @Test func theBiasOfTheAccelerometerIsNoLean() {
        // GIVEN an accelerometer that seems to lean by 1.6 degrees WHEN the earlier finding is told after the pose
        let vehicle = Vehicle()
        vehicle.bias = Vector3(0.27, 0, 0)
        vehicle.run(2)
        #expect(vehicle.headingError == nil)
        vehicle.tell(accelerometerBias: vehicle.bias)
        // THEN the vehicle stands as it stopped
        vehicle.run(1)
        #expect((vehicle.headingError ?? .infinity) < 0.5 && !vehicle.isRefused)
    }

    @Test func theLeanOfTheStopTellsTheTiltOfTheMount() throws {
        // GIVEN a vehicle that leans by half a degree more than at the stop, its mount known to 1.5 degrees
        let mount = MountEstimate(
            sensorToBody: Self.mount, sigmaBodyRadians: Vector3(0.026, 0.026, 0.035), origin: .kept)
        var prior = MountPrior(settings: FusionSettings())
        _ = prior.offer(mount)
        // WHEN the filter starts THEN the mount has turned by what eq. 7.35 gives, and is known four times as well
        prior.settle(lean: Vector3(0, 0.0087, 0))
        let settled = try #require(prior.prior)
        let turn = (settled.sensorToBody * mount.sensorToBody.inverse).rotationVector
        let gain = 0.026 * 0.026 / (0.026 * 0.026 + 0.007 * 0.007)
        #expect((turn - Vector3(0, gain * 0.0087, 0)).length < 1e-9)
        #expect(abs(settled.sigmaBodyRadians.y - gain.squareRoot() * 0.007) < 1e-9)
        #expect(settled.sigmaBodyRadians.z == 0.035 && settled.isValid)
    }

    @Test func oneFalseFixMovesNothingAndATowedVehicleIsFoundInFiveSeconds() {
        // GIVEN a vehicle that begins where it stopped WHEN one fix is 200 m off THEN it moves nothing
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.fix(east: 200)
        vehicle.run(1)
        #expect(vehicle.error < 1)
        vehicle.fix(east: 1)
        vehicle.run(1)
        #expect(vehicle.error < 4 && vehicle.estimator.estimate.resetCount == 0)
        // GIVEN one that was towed by 200 m WHEN the fixes say so THEN it is there within 5 s of the first, announced,
        // and its heading is not that of the stop any more
        let towed = Vehicle()
        towed.run(3)
        for _ in 0..<5 {
            towed.fix(east: 200)
            towed.run(1)
        }
        #expect(abs(towed.error - 200) < 5 && towed.estimator.estimate.resetCount == 1)
        #expect(towed.headingError == nil && towed.estimator.rejections.warmStartRefused == 1)
    }

    @Test func aVehicleThatWasTurnedIsFoundByItsCourse() {
        // GIVEN a vehicle that was turned by 90 degrees on the same ground WHEN it goes straight at 5 m/s
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.fix(east: 0)
        let course = Self.heading + .pi / 2
        let velocity = HorizontalVelocity(
            eastMetersPerSecond: 5 * Vector3.headed(course).x, northMetersPerSecond: 5 * Vector3.headed(course).y)
        // THEN the heading of the stop is given up within 5 s, and announced
        var refusedAfter = Double.infinity
        for second in 1...5 {
            vehicle.run(1, isMoving: true)
            vehicle.fix(east: 0, velocity: velocity)
            if vehicle.estimator.rejections.warmStartRefused == 1 { refusedAfter = min(refusedAfter, Double(second)) }
        }
        #expect(refusedAfter <= 5 && vehicle.estimator.estimate.resetCount >= 1)
        // One that goes in reverse is right.
        let reversing = Vehicle()
        reversing.run(3)
        reversing.fix(east: 0)
        let back = Vector3.headed(Self.heading + .pi) * 5
        for _ in 0..<5 {
            reversing.run(1, isMoving: true)
            reversing.fix(
                east: 0, velocity: HorizontalVelocity(eastMetersPerSecond: back.x, northMetersPerSecond: back.y))
        }
        #expect(reversing.estimator.rejections.warmStartRefused == 0)
    }

    @Test(arguments: [(0.07, true), (0.16, false)]) func twoCoursesBesideTurnsContradictTheHeading(
        turnRate: Double, isJudged: Bool
    ) {
        // GIVEN a vehicle that was turned by 90 degrees WHEN it goes on a slight bend, or turns faster than by 0.1
        // rad/s, in which a course is late THEN the second course on the bend contradicts, and none in the turn
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.fix(east: 0)
        for count in 1...2 {
            vehicle.run(1, turnRate: turnRate, isMoving: true)
            let ahead = Vector3.headed(vehicle.heading + .pi / 2) * 5
            vehicle.fix(
                east: 0, velocity: HorizontalVelocity(eastMetersPerSecond: ahead.x, northMetersPerSecond: ahead.y))
            #expect(vehicle.isRefused == (isJudged && count == 2))
        }
    }

    @Test func aVehicleThatMovesWithoutAFixLosesItsPositionNotItsHeading() {
        // GIVEN a vehicle in a garage WHEN it drives off, turning left by 60 degrees
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.run(6, turnRate: 60 * .pi / 180 / 6, isMoving: true)
        // THEN the position is unknown, as it was not measured, and the heading has turned with the vehicle
        #expect(vehicle.estimator.estimate.position == nil)
        #expect((vehicle.headingError ?? .infinity) < 3)
        // WHEN it rests there THEN it points where it has turned to
        vehicle.run(2)
        #expect(vehicle.estimator.estimate.position == nil)
        #expect((vehicle.headingError ?? .infinity) < 3)
    }

    @Test func theHeadingIsKnownAtRestWhereTheReceiverWasFirst() {
        // GIVEN a receiver that had its fixes before the pose was read WHEN the vehicle stands there, 2 m off
        let vehicle = Vehicle(offers: false)
        vehicle.run(1)
        vehicle.fix(east: 2)
        #expect(vehicle.isOffered(Self.pose.onTheNextStart))
        vehicle.run(2)
        // THEN the heading is that of the stop, and the position that of the fixes
        #expect((vehicle.headingError ?? .infinity) < 0.5 && abs(vehicle.error - 2) < 0.1)
        // AND a gyro that drifts while the vehicle rests does not turn it
        for _ in 0..<60 {
            vehicle.run(1)
            vehicle.fix(east: 2)
        }
        #expect((vehicle.headingError ?? .infinity) < 0.1 && vehicle.estimator.estimate.resetCount == 0)
    }

    @Test func aReceiverThatSeesTheVehicleElsewhereGivesNoHeading() {
        // GIVEN fixes 40 m from the stop, on ground of the same lean THEN no heading is published, and none is refused
        // as long as the receiver may be wrong
        let vehicle = Vehicle(offers: false)
        vehicle.run(1)
        vehicle.fix(east: 40, velocity: Self.standing)
        #expect(vehicle.isOffered(Self.pose.onTheNextStart))
        vehicle.run(3)
        #expect(vehicle.headingError == nil && !vehicle.isRefused)
        // WHEN the receiver settles at the stop THEN the heading is known
        for _ in 0..<5 {
            vehicle.run(1)
            vehicle.fix(east: 3, velocity: Self.standing)
        }
        #expect((vehicle.headingError ?? .infinity) < 0.5)
        // WHEN it shows after all that the vehicle is elsewhere THEN the heading is given up with the fourth fix
        for count in 1...4 {
            #expect(!vehicle.isRefused, "\(count)")
            vehicle.run(1)
            vehicle.fix(east: 40, velocity: Self.standing)
        }
        vehicle.run(0.1)
        #expect(vehicle.isRefused && vehicle.headingError == nil)
    }

    @Test func aVehicleThatWasTurnedRoundIsFoundByItsSpeed() {
        // GIVEN a vehicle that was turned by half a turn on level ground WHEN it goes faster than any that backs up
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.fix(east: 0)
        let ahead = Vector3.headed(Self.heading + .pi) * 8
        vehicle.run(1, isMoving: true)
        for _ in 0..<3 {
            vehicle.run(1, isMoving: true)
            vehicle.fix(
                east: 0, velocity: HorizontalVelocity(eastMetersPerSecond: ahead.x, northMetersPerSecond: ahead.y))
        }
        // THEN the heading of the stop is given up
        #expect(vehicle.isRefused)
    }

    @Test func thePositionOfTheFixesStaysWhereTheRestWasNone() {
        // GIVEN a receiver that had its fixes before the pose was read, while the vehicle seemed to rest
        let vehicle = Vehicle(offers: false)
        for _ in 0..<5 {
            vehicle.run(1)
            vehicle.fix(east: 2, velocity: Self.standing)
        }
        #expect(vehicle.isOffered(Self.pose.onTheNextStart))
        vehicle.run(1)
        #expect(vehicle.headingError != nil)
        // WHEN one false fix shows a speed, 200 m away THEN the pose of the stop is given up, and the position of the
        // fixes before is not
        vehicle.fix(east: 200, velocity: HorizontalVelocity(eastMetersPerSecond: 30, northMetersPerSecond: 0))
        vehicle.run(0.1)
        #expect(vehicle.estimator.warmStart.pose == nil && vehicle.estimator.rejections.fixUnconfirmed == 1)
        #expect(vehicle.error < 10, "\(vehicle.error)")
    }

    @Test func aRestOnTheWayIsNotTheLastStop() {
        // GIVEN a daemon that begins on a smooth ride, which looks like rest WHEN the first fix shows the speed
        let vehicle = Vehicle()
        vehicle.run(3)
        #expect(vehicle.headingError != nil)
        vehicle.fix(east: 5000, velocity: HorizontalVelocity(eastMetersPerSecond: 30, northMetersPerSecond: 0))
        vehicle.run(1)
        // THEN nothing of the last stop is left, and the position is that of the fix
        #expect(abs(vehicle.error - 5000) < 60 && vehicle.estimator.warmStart.pose == nil)
        // AND after a drive the pose of the last stop is not taken
        #expect(!vehicle.isOffered(Self.pose.onTheNextStart))
    }

    @Test func nothingIsUsedOnAWearable() {
        let wearable = Vehicle(offers: false, profile: .wearable)
        #expect(!wearable.isOffered(Self.pose))
        var broken = Self.pose
        broken.headingSigmaRadians = .nan
        let fresh = Vehicle(offers: false)
        #expect(!fresh.isOffered(broken) && fresh.isOffered(Self.pose))
    }

    @Test func aMotionOfASecondEndsThePosition() {
        // GIVEN a vehicle that begins where it stopped WHEN it moves without a fix for less than a second THEN its
        // position is that of the stop
        let vehicle = Vehicle()
        vehicle.run(3)
        vehicle.run(0.8, isMoving: true)
        #expect(vehicle.error < 1)
        // WHEN it has moved for more than one THEN the position is unknown
        vehicle.run(0.8, isMoving: true)
        #expect(vehicle.estimator.estimate.position == nil)
    }
}

extension Vector3 {
    /// The horizontal unit vector of a heading.
    fileprivate static func headed(_ radians: Double) -> Vector3 {
        EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: radians).bodyToENU.rotate(.unitX)
    }
}
