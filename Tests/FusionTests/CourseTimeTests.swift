import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The time at which the velocity held from which the filter of a vehicle with a known mount starts.
@Suite struct CourseTimeTests {
    /// A fix of now or later of a vehicle, its velocity in a direction, counterclockwise from east, radians.
    private static func fix(after seconds: Double = 0, toward angle: Double) -> GnssFix {
        let time = RestingVehicle.now.advanced(bySeconds: seconds)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (RestingVehicle.velocity(10, toward: angle), 0.1)
        fix.horizontalSigmaMeters = 2
        return fix
    }

    /// A vehicle that has turned to the left by 0.2 rad/s since its samples began, and points to the east by a level
    /// frame that is turned by the 0.3 rad of its mount, after its first fix.
    private func vehicle(
        samples: Int = 300, course: Double, velocityAge: Double = 0, lags: ReceiverLags? = nil,
        _ change: (inout RestingVehicle) -> Void = { _ in }
    ) throws -> PoseEstimator {
        var vehicle = RestingVehicle()
        change(&vehicle)
        var estimator = vehicle.estimator
        for k in -samples...0 {
            var sample = RestingVehicle.sample(rate: Vector3(0, 0, 0.2))
            sample.time = RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k))
            sample.sensorToLevel = Quaternion(rotationVector: Vector3(0, 0, 0.002 * Double(k)))
            estimator.delayedMeasurements.note(sample)
        }
        let fix = Self.fix(toward: course)
        (estimator.carriedLags, estimator.velocityAge, estimator.lastFix) = (lags, velocityAge, fix)
        estimator.lifeCycle = .findingHeading(try #require(GNSSPositionFilter(fix: fix)))
        estimator.tryToStart(with: fix)
        return estimator
    }

    /// Lags that an earlier drive has found, of which the velocity's is a second.
    private static let lags = ReceiverLags(
        velocity: 1, velocitySigma: 0.1, position: 0, positionSigma: 0.01, difference: 1)

    @Test(arguments: [(0.0, 0.0, false), (-0.25, 1.25, false), (-0.2, 0, true)])
    func theCourseIsTheHeadingOfItsTime(course: Double, velocityAge: Double, isLate: Bool) throws {
        // GIVEN a vehicle with a known mount that points to the east at its fix, and turns to the left by 0.2 rad/s
        // WHEN the filter starts with a velocity of that time, with the mean of 2.5 s, or with one that is known to be
        // a second late, whose courses are 0.25 and 0.2 rad to the right of it
        let estimator = try vehicle(course: course, velocityAge: velocityAge, lags: isLate ? Self.lags : nil)
        try #require(estimator.isNavigating)
        // THEN it points to the east
        let turn = estimator.filter.state.sensorToENU
        #expect(abs(2 * atan2(turn.z, turn.w) - 0.3) < 1e-6, "\(turn)")
    }

    @Test func aCourseFromBeforeTheLevelFrameSaysNothing() throws {
        // GIVEN the same with a mean whose middle is before the first sample of the level frame, and accelerations that
        // show its heading THEN the filter waits, and the mount is not contradicted by a turn that nothing has seen
        let estimator = try vehicle(samples: 100, course: -0.25, velocityAge: 1.25) { $0.align(radians: 0.3) }
        #expect(!estimator.isNavigating && estimator.mounts.contradictionCount == 0)
        #expect(estimator.mounts.prior != nil)
    }

    @Test(arguments: [(0.0, true), (0.01, false)]) func aFixFromBeforeTheMotionIsKnownBeginsNothing(
        seconds: Double, begins: Bool
    ) throws {
        // GIVEN a filter that was stopped, after which the motion is integrated from the time of a late fix on, or from
        // 10 ms after it WHEN that fix comes, at 10 m/s THEN only the former begins a filter: what the vehicle has done
        // since is not known otherwise, neither its turns nor its speed
        let estimator = try vehicle(course: 0) {
            $0.estimator.preintegrated.add(
                force: Vector3(0, 0, 9.8), seconds: 0.01, until: RestingVehicle.now.advanced(bySeconds: seconds))
        }
        #expect(estimator.isNavigating == begins)
    }

    @Test func velocitiesBetweenPositionsCheckTheMountAsWell() throws {
        // GIVEN a filter that has started with a known mount, and the search for the heading up to then
        var estimator = try vehicle(course: 0)
        try #require(estimator.isNavigating && estimator.mounts.isUnconfirmed)
        var aligner = InMotionAligner(profile: .vehicle)
        for k in -30...0 {
            func velocity(_ seconds: Double) -> Vector3 {
                Vector3(10 + 4 * sin(0.5 * seconds), 4 * (1 - cos(0.35 * seconds)) / 0.7, 0)
            }
            let seen = velocity(Double(k) - 0.1)
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                isLevelKnown: true, at: RestingVehicle.now.advanced(bySeconds: Double(k))
            ) { time, _ in velocity(time.seconds(since: RestingVehicle.now)) }
        }
        estimator.aligner = aligner
        let before = try #require(aligner.found)
        // WHEN two positions come without a velocity THEN the search goes on with the mean between them
        for seconds in [0.3, 0.9] {
            var fix = Self.fix(after: seconds, toward: 0)
            (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (nil, nil)
            _ = estimator.ingest(.gnss(fix))
        }
        #expect(estimator.aligner.found?.sigma != before.sigma)
    }
}
