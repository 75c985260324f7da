import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The heading with which the filter of a vehicle starts where its mount is known, and what contradicts it.
@Suite struct MountHeadingTests {
    /// The heading from the mount for a velocity.
    private func heading(
        _ vehicle: RestingVehicle, _ velocity: HorizontalVelocity, sigma: Double? = 0.2, rate: Vector3 = .zero,
        lean: Double = 0
    ) -> PoseEstimator.StartHeading? {
        var estimator = vehicle.estimator
        let moment = RestingVehicle.moment(rate: rate, toLevel: Quaternion(rotationVector: Vector3(lean, 0, 0)))
        return estimator.headingFromMount(at: moment, velocity: velocity, speedSigma: sigma)
    }

    @Test(
        arguments: [
            (10, 0.2, 0, 0.041_231_1), (10, 0.2, 0.2, 0.05), (10, 0.2, -0.2, 0.05), (10, nil, 0.2, 0.054_772_3),
            (20, 0.2, 0.2, 0.043_589),
        ] as [(Double, Double?, Double, Double)])
    func theCourseIsAsUnsureAsVelocityLagAndArmMakeIt(speed: Double, sigma: Double?, rate: Double, expected: Double)
        throws
    {
        // GIVEN a vehicle that goes in a direction, and turns THEN it points there, to 0.02 rad of the mount, 0.03 rad
        // of sideslip, the velocity's own error, 0.3 m/s where none is stated, 0.1 s of the turn, and a metre of arm
        let found = try #require(
            heading(
                RestingVehicle(), RestingVehicle.velocity(speed, toward: 1.2), sigma: sigma,
                rate: Vector3(0.3, -0.4, rate)))
        #expect(abs(found.levelToENURadians - 1.5) < 1e-9 && abs(found.sigma - expected) < 1e-6, "\(found)")
        // AND the mount is that of before, which no acceleration has confirmed
        #expect(found.followsMount && found.accelerationHeading == nil && found.rate == 0)
    }

    @Test(arguments: [(6.0, false), (6.01, true)]) func aSlowVehicleMayBackUp(speed: Double, isFound: Bool) {
        // GIVEN a vehicle at a speed at which it may back up, 6 m/s, or just beyond THEN only the latter points where
        // it goes
        let velocity = HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0)
        let alone = heading(RestingVehicle(), velocity)
        #expect((alone != nil) == isFound)
        // AND both do where the accelerations agree
        var aligned = RestingVehicle()
        aligned.align(radians: 0.3)
        let agreed = heading(aligned, velocity)
        #expect(agreed?.followsMount == true)
    }

    @Test(arguments: [(true, 0.136, true), (true, 0.138, false), (false, 0.280, true), (false, 0.282, false)])
    func aVehicleThatLeansTooMuchHasAnotherMount(knowsBias: Bool, lean: Double, isFound: Bool) {
        // GIVEN a level that was found at rest, to 0.02 rad, or in motion, to 0.1 rad, beside 0.05 rad of the road and
        // 0.01 rad of the mount THEN the vehicle leans by 2.5 sigmas at most
        let found = heading(
            RestingVehicle(knowsBias: knowsBias), RestingVehicle.velocity(10, toward: 0), lean: lean)
        #expect((found != nil) == isFound)
    }

    @Test(arguments: [(0.0, true), (0.24, true), (-0.24, true), (0.253, false), (-0.253, false), (3, false)])
    func accelerationsAgreeToFourSigmas(difference: Double, agrees: Bool) throws {
        // GIVEN a heading from accelerations, which counts as known to 0.03 rad at best, and a course to 0.054 rad THEN
        // they agree up to 0.247 rad
        var vehicle = RestingVehicle()
        vehicle.align(radians: 0.5)
        let velocity = RestingVehicle.velocity(10, toward: 0.5 - RestingVehicle.mountYaw - difference)
        let found = heading(vehicle, velocity, sigma: 0.4)
        #expect((found != nil) == agrees)
        guard agrees else { return }
        let felt = try #require(found?.accelerationHeading)
        #expect(abs(felt.radians - difference) < 0.001 && felt.sigma == 0.03, "\(felt)")
        #expect(found?.followsMount == true && abs((found?.sigma ?? 0) - 0.053_851_6) < 1e-6)
    }

    @Test func accelerationsTellTheHeadingOfTheBody() throws {
        // GIVEN a level frame that is turned by 0.5 rad THEN the body, which is turned by 0.3 rad against it, points to
        // 1.371 rad from north, as sure as mount and accelerations, which tell 0.03 rad at best
        for (acceleration, isBest) in [(2.0, true), (0.4, false)] {
            var vehicle = RestingVehicle()
            vehicle.align(radians: 0.5, acceleration: acceleration)
            let heading = vehicle.estimator.accelerationHeadingOfBody
            let felt = try #require(heading)
            let own = try #require(vehicle.estimator.aligner.found?.sigma)
            #expect((own < 0.03) == isBest && own < 0.1, "\(own)")
            #expect(abs(felt.radians - (Double.pi / 2 - 0.2)) < 0.004, "\(felt)")
            #expect(abs(felt.sigma - hypot(isBest ? 0.03 : own, 0.02)) < 1e-9, "\(felt)")
        }
        // AND while the bias of the gyro is not known, they tell none, and contradict no course
        var moving = RestingVehicle(knowsBias: false)
        moving.align(radians: 0.5)
        let none = moving.estimator.accelerationHeadingOfBody
        let isTold = none != nil
        #expect(!isTold)
        let found = try #require(heading(moving, RestingVehicle.velocity(10, toward: -2)))
        #expect(found.accelerationHeading == nil && abs(found.levelToENURadians + 1.7) < 1e-9)
    }

    @Test(
        arguments: [
            (2.15, 6, true, true), (-2.15, 6, true, true), (2.13, 6, true, false), (-2.13, 6, true, false),
            (3.1, 6, true, true), (3.1, 6.01, true, false), (3.1, 6, false, true), (2.13, 6, false, false),
        ] as [(Double, Double, Bool, Bool)])
    func aVehicleThatGoesAgainstItsAccelerationsMayBackUp(
        difference: Double, speed: Double, knowsBias: Bool, mayReverse: Bool
    ) {
        // GIVEN a course that differs from the heading from accelerations by more than half a turn less 1 rad, 2.142
        // rad, up to 6 m/s THEN the vehicle may be backing up, also where no rest has shown the bias of its gyro
        var vehicle = RestingVehicle(knowsBias: knowsBias)
        vehicle.align(radians: 0.5)
        let course = Double.pi / 2 - (0.5 - RestingVehicle.mountYaw - difference)
        let found = vehicle.estimator.mayBeReversing(at: RestingVehicle.moment(), speed: speed, course: course)
        #expect(found == mayReverse)
    }

    /// Whether a rest drops the known mount.
    ///
    /// - Parameters:
    ///   - age: of the last fix, seconds.
    ///   - late: its age when it came, seconds.
    ///   - rest: how long the vehicle has rested, seconds; `nil`: that is not known.
    private func isDropped(
        lean: Double = 0.2, speed: Double = 0, sigma: Double? = 0.1, age: Double = 1, late: Double = 0,
        rest: Double? = nil
    ) -> Bool {
        var estimator = RestingVehicle().estimator
        estimator.restBeginTime = rest.map { RestingVehicle.now.advanced(bySeconds: -$0) }
        estimator.restingUp = Vector3(0, sin(lean), cos(lean))
        let time = RestingVehicle.now.advanced(bySeconds: -age)
        var fix = GnssFix(validityTime: time, arrivalTime: time.advanced(bySeconds: late), mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = sigma
        estimator.lastFix = fix
        estimator.checkMountAtRest()
        return estimator.mounts.contradictionCount == 1 && estimator.mounts.prior == nil
    }

    @Test func aVehicleThatStandsAskewHasAnotherMount() {
        // GIVEN a vehicle that rests THEN it leans by 2.5 sigmas of road and mount at most, 0.1275 rad
        #expect(!isDropped(lean: 0.127) && isDropped(lean: 0.128))
        // AND the receiver has to show the rest, by less than 0.5 m/s, or three sigmas
        #expect(isDropped(speed: 0.49) && !isDropped(speed: 0.51))
        #expect(isDropped(speed: 0.89, sigma: 0.3) && !isDropped(speed: 0.91, sigma: 0.3))
        #expect(isDropped(speed: 0.89, sigma: nil) && !isDropped(speed: 0.91, sigma: nil))
        // AND for two seconds
        #expect(isDropped(age: 1.99) && !isDropped(age: 2))
    }

    @Test func aLateFixOfTheRestShowsItForTwoSeconds() {
        // GIVEN a vehicle that rests with another lean, and a fix that came 5 s late THEN it shows the rest for 2 s
        // since it came, where it is of that rest
        #expect(isDropped(age: 6, late: 5, rest: 7) && isDropped(age: 6.99, late: 5, rest: 7))
        #expect(!isDropped(age: 7, late: 5, rest: 8) && !isDropped(age: 6, late: 5, rest: 5.9))
        // AND one that is older than that rest shows it by its own age
        #expect(isDropped(age: 1.9, late: 0.5, rest: 1) && !isDropped(age: 2.1, late: 0.5, rest: 1))
    }

    @Test(arguments: [(0.159, true), (0.160_5, false)]) func accelerationsShowThatNobodyBacksUpToFourTenths(
        variance: Double, isFound: Bool
    ) {
        // GIVEN a vehicle at 6 m/s whose accelerations agree with its course, and are known to 0.017 rad WHEN a gap
        // hides a turn, rad2, so that they are known just better than to 0.4 rad, or just worse THEN only the former
        // show that it does not back up
        var vehicle = RestingVehicle()
        vehicle.align(radians: 0.3)
        vehicle.estimator.aligner.noteUnseenTurn(variance: variance)
        let found = heading(vehicle, HorizontalVelocity(eastMetersPerSecond: 6, northMetersPerSecond: 0))
        #expect((found != nil) == isFound)
    }
}
