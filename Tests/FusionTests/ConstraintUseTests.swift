import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When the constraints of rest and of a level motion apply.
@Suite struct ConstraintUseTests {
    /// A filter that goes east, and up, m/s.
    private func filter(speed: Double = 0, climb: Double = 0, profile: MotionProfile = .vehicle) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 100_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400),
            velocityENU: Vector3(speed, 0, climb), sensorToENU: .identity)
        return NavigationFilter(at: state, leverArm: .zero, profile: profile)
    }

    private func apply(_ filter: inout NavigationFilter, still: Bool, spread: Double) {
        filter.applyConstraints(
            .init(seconds: 0.2, accelerationENU: .zero, angularRateSensor: .zero), still: still, spread: spread,
            meanAngularRate: .zero, stepsPerSecond: 0)
    }

    @Test(arguments: [(0.59, true), (0.6, false), (0.61, false)])
    func withoutFixesARestIsQuieterThanTheSmoothestRide(spread: Double, rests: Bool) {
        // GIVEN a vehicle whose smoothest ride had a spread of 1 m/s2 WHEN its sensors are quiet and no fixes come THEN
        // it rests below 60 % of that, and not from there on
        var silent = filter()
        silent.movingSpread = 1
        apply(&silent, still: true, spread: spread)
        #expect((silent.lastRestTime != nil) == rests)
        // AND with fixes, and before any ride, whatever its spread
        var seen = filter()
        (seen.movingSpread, seen.lastFixTime) = (1, seen.state.time)
        apply(&seen, still: true, spread: spread)
        #expect(seen.lastRestTime != nil)
        var fresh = filter()
        apply(&fresh, still: true, spread: spread)
        #expect(fresh.lastRestTime != nil)
    }

    @Test func theSmoothestRideIsForgottenInFiveMinutes() {
        /// The least spread after a fifth of a second with a spread, m/s2.
        func least(_ before: Double?, spread: Double, speed: Double = 3.1, hasFix: Bool = true) -> Double? {
            var filter = filter(speed: speed)
            filter.movingSpread = before
            if hasFix { filter.lastFixTime = filter.state.time }
            apply(&filter, still: false, spread: spread)
            return filter.movingSpread
        }
        // GIVEN a ride at more than 3 m/s with fixes WHEN its spread is larger than the least one THEN that grows by a
        // three-hundredth a second AND a smaller one, and the first one, is the least
        #expect(abs((least(0.5, spread: 0.8) ?? 0) - 0.500_333_333) < 1e-8)
        #expect(least(0.5, spread: 0.4) == 0.4 && least(nil, spread: 0.8) == 0.8)
        // AND slower, or without fixes, nothing is learned
        #expect(least(0.5, spread: 0.4, speed: 2.9) == 0.5)
        #expect(least(0.5, spread: 0.4, hasFix: false) == 0.5)
    }

    @Test func withoutWheelsThatFitTheBodyDoesNotClimbInTheMean() {
        // GIVEN bodies that climb by 0.5 m/s, known to 1 m/s WHEN nothing tells their climb THEN on a boat, on a person
        // and on a vehicle whose wheels slip half of it is left, as slopes and waves have 1 m/s
        func climb(_ profile: MotionProfile, slips: Bool = false) -> (speed: Double, count: UInt32) {
            var filter = filter(climb: 0.5, profile: profile)
            if slips {
                for k in 0..<20 {
                    _ = filter.constraintFit.note(
                        slip: k % 2 == 0 ? 10 : -10, metersPerSecond: 2, speed: 8, seconds: 1)
                }
                #expect(!filter.constraintFit.isFitting)
            }
            filter.fuseLevelMotion()
            let status = filter.aids[Int(AidSource.nonholonomic.rawValue)]
            return (filter.state.velocityENU.z, status.acceptedCount)
        }
        for (profile, slips) in [(MotionProfile.boat, false), (.wearable, false), (.vehicle, true)] {
            let level = climb(profile, slips: slips)
            #expect(abs(level.speed - 0.25) < 1e-9 && level.count == 1, "\(profile)")
        }
        // AND wheels that fit the motion hold the vehicle to the road themselves
        let rolling = climb(.vehicle)
        #expect(rolling.speed == 0.5 && rolling.count == 0)
    }

    @Test(arguments: 0..<3) func aBodyAtRestMovesByThreeHundredthsOfAMeterASecond(axis: Int) {
        // GIVEN a body that seems to move along an axis THEN rest is a velocity of zero, to 0.03 m/s
        var filter = filter()
        filter.state.velocityENU[axis] = 0.2
        let rest = filter.zeroVelocityComponent(axis)
        #expect(rest.innovation == -0.2 && abs(rest.variance - 0.000_9) < 1e-15)
        #expect(rest.row.coefficient(of: FilterState.velocity[axis].index) == 1)
    }

    @Test(arguments: [(0.149, true), (0.151, false)], 0..<2) func aRestIsOneWithinThreeSigmasOfTheVelocity(
        limit: (speed: Double, rests: Bool), axis: Int
    ) {
        // GIVEN a vehicle whose velocity is known to 0.04 m/s, and with the 0.03 m/s of a rest to 0.05 m/s WHEN its
        // sensors are quiet THEN it rests up to three of those sigmas, in any direction
        var filter = filter()
        filter.covariance.restart(.velocity, variance: 0.001_6)
        filter.state.velocityENU[axis] = limit.speed
        apply(&filter, still: true, spread: 0)
        #expect((filter.lastRestTime != nil) == limit.rests)
    }

    @Test(arguments: [(7.49, true), (-7.49, true), (7.51, false), (-7.51, false)])
    func aConstraintIsTakenWithinFiveSigmas(climb: Double, isTaken: Bool) {
        // GIVEN a boat whose climb has a variance of 1.25 m2/s2, beside the 1 m2/s2 of waves THEN it is taken not to
        // climb in the mean up to five sigmas, 7.5 m/s
        var filter = filter(climb: climb, profile: .boat)
        filter.covariance.restart(.velocity, variance: 1.25)
        filter.fuseLevelMotion()
        let status = filter.aids[Int(AidSource.nonholonomic.rawValue)]
        #expect((status.acceptedCount == 1) == isTaken && (status.rejectedCount == 0) == isTaken)
    }

    @Test func restAndRoadAreKnownToAnAngleAndARate() {
        // GIVEN a vehicle that leans by 0.1 rad to the right, and rests THEN its gyro measures what it turns, to 0.002
        // rad/s (eq. 5.5), and the road leans by as much as the vehicle, to 0.15 rad (eq. 5.8)
        var filter = filter()
        filter.state.sensorToVehicle = .identity
        filter.state.sensorToENU = Quaternion(rotationVector: Vector3(0.1, 0, 0))
        let level = filter.levelVehicleComponent()
        #expect(abs(level.variance - 0.022_5) < 1e-15 && abs(level.innovation + 0.099_833_417) < 1e-9)
        let rotation = filter.zeroRotationComponent(meanAngularRate: .zero)
        #expect(abs(rotation.variance - 4e-6) < 1e-18)
    }

    @Test(arguments: [(0.0, 0), (0.99, 0), (-0.99, 0), (1.01, 1), (-1.01, 1)] as [(Double, UInt32)])
    func aVehicleLeansInTheMeanOfTheRoadsThatItDrives(speed: Double, count: UInt32) {
        // GIVEN a vehicle that leans by 0.05 rad to the right and is shaken by its engine, so that it does not look at
        // rest WHEN it stands or moves along its axis THEN the road leans either way from 1 m/s on AND the place where
        // it stands tells nothing of the mount
        var filter = filter(speed: speed)
        filter.state.sensorToVehicle = .identity
        filter.state.sensorToENU = Quaternion(rotationVector: Vector3(0.05, 0, 0))
        apply(&filter, still: false, spread: 0.5)
        #expect(filter.aids[Int(AidSource.levelVehicle.rawValue)].acceptedCount == count)
        #expect((filter.state.sensorToVehicle == .identity) == (count == 0))
    }

    @Test func aPlaceAloneTellsNoClimbEither() {
        // GIVEN a boat that climbs by 0.5 m/s, known to 1 m/s WHEN a fix comes that has a place, and no height, climb
        // or velocity THEN half of the climb is left, and with a height all of it
        for (hasHeight, climb) in [(false, 0.25), (true, 0.5)] {
            var filter = filter(climb: 0.5, profile: .boat)
            var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
            fix.latitudeRadians = filter.state.position.latitudeRadians
            fix.longitudeRadians = filter.state.position.longitudeRadians
            fix.altitudeEllipsoidMeters = hasHeight ? 400 : nil
            let taken = filter.fuse(fix, forceHistory: VectorHistory())
            #expect(taken && abs(filter.state.velocityENU.z - climb) < 1e-9, "\(filter.state.velocityENU.z)")
        }
    }

    @Test(arguments: [(0.2, 34.434_195), (0.5, 13.352_035)]) func aBodyThatSlipsGoesWhereItPointsInTheMean(
        seconds: Double, variance: Double
    ) {
        // GIVEN a body that has slipped by 2 m/s to both sides in turn for 20 s, so that the mean over 10 s of the
        // square is 4 (1 - 0.9^20) m2/s2 WHEN it goes straight ahead at 10 m/s for some time THEN that mean decays, and
        // the slip has a variance of 2 s over that time as large; height and lean are left out (eq. 5.28)
        var filter = filter(speed: 10)
        filter.state.sensorToVehicle = .identity
        for k in 0..<20 {
            _ = filter.constraintFit.note(slip: k % 2 == 0 ? 10 : -10, metersPerSecond: 2, speed: 8, seconds: 1)
        }
        filter.applyConstraints(
            .init(seconds: seconds, accelerationENU: .zero, angularRateSensor: .zero), still: false, spread: 1,
            meanAngularRate: .zero, stepsPerSecond: 0)
        let status = filter.aids[Int(AidSource.nonholonomic.rawValue)]
        #expect(status.acceptedCount == 1 && abs(status.observationVariance / variance - 1) < 1e-6)
        #expect(filter.aids[Int(AidSource.levelVehicle.rawValue)].acceptedCount == 0)
    }
}
