import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What the estimator makes of the dead reckoning of a vehicle: when a course held, where it is, where it points.
@Suite struct DeadReckoningTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)

    /// A fix some seconds before the last sample, of a vehicle that goes east at 10 m/s.
    private static func fix(secondsAgo age: Double) -> GnssFix {
        let time = RestingVehicle.now.advanced(bySeconds: -age)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 2)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 10, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        return fix
    }

    /// A vehicle that has turned to the left for 5 s, rad/s, whose receiver is known to be late: its velocity by 1 s,
    /// and its position by 0.7 s.
    private func vehicle(turnRate: Double) -> PoseEstimator {
        var estimator = RestingVehicle().estimator
        estimator.carriedLags = ReceiverLags(
            velocity: 1, velocitySigma: 0.1, position: 0.7, positionSigma: 0.01, difference: 0.3)
        for k in -500...0 {
            estimator.reckoning.advance(
                .init(turn: 0.01 * turnRate, seconds: 0.01),
                until: RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k)))
        }
        return estimator
    }

    @Test(arguments: [(0.0, 1.0), (0.5, 1.2)]) func aCourseHeldWhenItsVelocityDid(
        velocityAge: Double, age: Double
    ) throws {
        // GIVEN a vehicle that turns to the left by 0.1 rad/s WHEN a fix of now states a course to the east, 1 s late,
        // or has it from positions that are 0.7 s late, half a second before the last THEN it has turned on since
        var estimator = vehicle(turnRate: 0.1)
        estimator.velocityAge = velocityAge
        estimator.reckon(with: Self.fix(secondsAgo: 0))
        let heading = try #require(estimator.reckoning.heading)
        #expect(abs(heading.radians - 0.1 * age) < 1e-9, "\(heading)")
    }

    @Test func aSpeedWhoseChangeIsSeenIsSurer() {
        // GIVEN a fix of now whose velocity is 1 s late, known to 0.1 m/s WHEN nothing tells the direction of the
        // accelerometer against north THEN the speed may have changed by 1.5 m/s since then (eq. 7.22)
        var estimator = vehicle(turnRate: 0)
        estimator.reckon(with: Self.fix(secondsAgo: 0))
        #expect(abs(estimator.reckoning.speedSigma - (0.1 * 0.1 + 0.2 * 0.2 + 1.5 * 1.5).squareRoot()) < 1e-9)
        // AND WHEN it is known, and with it the lag THEN by what the tilt makes of gravity in that time, and 0.1 m/s2
        var aligned = RestingVehicle()
        aligned.align(radians: 0)
        estimator.aligner = aligned.estimator.aligner
        estimator.reckon(with: Self.fix(secondsAgo: 0))
        let tilt = estimator.attitude.findings.tiltSigma * InertialSample.standardGravity
        let changed = hypot(tilt, 0.1) * estimator.velocityLag.seconds
        let known = (0.1 * 0.1 + 0.2 * 0.2 + changed * changed).squareRoot()
        #expect(abs(estimator.reckoning.speedSigma - known) < 1e-9, "\(estimator.reckoning.speedSigma) \(known)")
        #expect(changed > 0 && changed < 0.1)
    }

    @Test(arguments: [false, true]) func thePlaceIsMovedOnByTheLagOfTheReceiver(isOverdue: Bool) throws {
        // GIVEN a vehicle that goes straight on at 10 m/s, and a fix of a second ago whose position was 0.7 s late WHEN
        // its place is published THEN it is 10 m and 7 m on, less by the height of 400 m over the radius of the Earth
        var estimator = vehicle(turnRate: 0)
        let fix = Self.fix(secondsAgo: 1)
        estimator.reckon(with: fix)
        let filter = try #require(GNSSPositionFilter(fix: fix))
        var next = PoseEstimate(time: RestingVehicle.now)
        estimator.describeReckoning(&next, from: filter, isOverdue: isOverdue)
        let moved = Self.place.surfaceOffsetMeters(to: try #require(next.position))
        #expect(abs(moved.east - 17) < 0.002 && abs(moved.north) < 0.001, "\(moved)")
        // AND its velocity is that of the fix, and it is dead reckoning where the next one is overdue
        let velocity = try #require(next.velocityENUMetersPerSecond)
        #expect((velocity - Vector3(10, 0, 0)).length < 1e-9, "\(velocity)")
        #expect(next.state == (isOverdue ? .deadReckoning : .coarse))
    }

    @Test func thePlaceIsMovedOnByTheLagOfAReceiverWithoutVelocity() throws {
        // GIVEN a vehicle that goes straight on at 10 m/s by the positions of a receiver that states no velocity, which
        // are 0.7 s late WHEN its place is published a second after the last one THEN it is 10 m and 7 m on, less by
        // the height of 400 m over the radius of the Earth
        var estimator = vehicle(turnRate: 0)
        let fix = Self.fix(secondsAgo: 1)
        (estimator.lastFix, estimator.velocityAge) = (fix, 0.5)
        estimator.reckon(with: fix)
        var bare = fix
        (bare.horizontalVelocity, bare.speedSigmaMetersPerSecond) = (nil, nil)
        let filter = try #require(GNSSPositionFilter(fix: bare))
        var next = PoseEstimate(time: RestingVehicle.now)
        estimator.describeReckoning(&next, from: filter, isOverdue: true)
        let moved = Self.place.surfaceOffsetMeters(to: try #require(next.position))
        #expect(abs(moved.east - 17) < 0.002 && abs(moved.north) < 0.001, "\(moved)")
    }

    @Test(arguments: [(5.0, true), (9.9, true), (10, false)]) func aGapIsReckonedOverAsLongAsItIs(
        seconds: Double, isReckoned: Bool
    ) {
        // GIVEN a vehicle that goes east at 10 m/s WHEN its IMU and its receiver are silent THEN it is as far on as it
        // goes in that time, and its course as unsure as a turn of 0.1 rad/s makes it AND after 10 s nothing is known
        var estimator = vehicle(turnRate: 0)
        estimator.reckon(with: Self.fix(secondsAgo: 0))
        var entry = RestingVehicle.sample()
        entry.time = RestingVehicle.now.advanced(bySeconds: seconds)
        estimator.reckon(entry)
        let (heading, way) = (estimator.reckoning.heading, estimator.reckoning.way(since: RestingVehicle.now))
        #expect((heading != nil) == isReckoned)
        guard let heading else { return }
        #expect(abs(way.meters.x - 10 * seconds) < 1e-6 && abs(way.meters.y) < 1e-6, "\(way)")
        #expect(heading.sigma > 0.1 * seconds && way.sigma > 10 * seconds * heading.sigma, "\(heading) \(way)")
    }

    @Test func theBodyPointsAlongTheCourseAndLeansAsItsMountSays() throws {
        // GIVEN a sensor that leans, and whose mount is turned by 0.3 rad WHEN the vehicle goes 1 rad to the left of
        // east
        let toLevel =
            Quaternion(rotationVector: Vector3(0, 0, 0.5)) * Quaternion(rotationVector: Vector3(0.1, -0.05, 0))
        var (mounted, next) = (RestingVehicle().estimator, PoseEstimate(time: RestingVehicle.now))
        mounted.describeReckonedHeading(&next, (radians: 1, sigma: 0.07), toLevel: toLevel)
        // THEN its nose points there, it leans as the sensor does, and its heading is as sure as the course
        let body = try #require(next.bodyToENU)
        let (ahead, up) = (body.rotate(.unitX), body.inverse.rotate(.unitZ))
        let mount = Quaternion(rotationVector: Vector3(0, 0, RestingVehicle.mountYaw))
        #expect(abs(atan2(ahead.y, ahead.x) - 1) < 1e-12, "\(ahead)")
        #expect((up - mount.rotate(toLevel.inverse.rotate(.unitZ))).length < 1e-12, "\(up)")
        #expect(next.headingSigmaRadians == 0.07)
        // AND where no mount is known it is level
        var unmounted = PoseEstimator()
        unmounted.describeReckonedHeading(&next, (radians: 1, sigma: 0.07), toLevel: toLevel)
        let turn = try #require(next.bodyToENU).rotationVector
        #expect((turn - Vector3(0, 0, 1)).length < 1e-12, "\(turn)")
    }
}
