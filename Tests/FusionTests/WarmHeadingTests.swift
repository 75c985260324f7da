import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What the heading of the last stop is worth, beside the course and against it.
@Suite struct WarmHeadingTests {
    /// A vehicle that has stopped with a heading, clockwise from north, and its 1-sigma, radians.
    private static func stopped(heading: Double, sigma: Double) -> RestingVehicle {
        var vehicle = RestingVehicle()
        let pose = RestingPose(
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            horizontalSigmaMeters: 3, verticalSigmaMeters: 5, headingTrueRadians: heading, headingSigmaRadians: sigma,
            downBody: Vector3(0, 0, -1))
        vehicle.estimator.warmStart = WarmStart(
            pose: pose, sensorToLevel: .identity, stoodUntil: RestingVehicle.now)
        return vehicle
    }

    /// The heading at the start for a velocity that is known to 0.4 m/s.
    private func start(
        _ vehicle: RestingVehicle, _ velocity: HorizontalVelocity, turned: Double = 0
    ) -> PoseEstimator.StartHeading? {
        var estimator = vehicle.estimator
        let moment = RestingVehicle.moment(toLevel: Quaternion(rotationVector: Vector3(0, 0, turned)))
        return estimator.headingFromMount(at: moment, velocity: velocity, speedSigma: 0.4)
    }

    private static let east = HorizontalVelocity(eastMetersPerSecond: 10, northMetersPerSecond: 0)

    @Test(arguments: [
        (0.1, 0.02, 0.048_99), (-0.1, -0.02, 0.048_99), (-0.22, -0.044, 0.048_99), (0.23, 0, 0.053_852),
        (-0.23, 0, 0.053_852),
    ])
    func courseAndStopAreWeighed(difference: Double, taken: Double, sigma: Double) throws {
        // GIVEN a course to the east, known to 0.05 rad, and a heading of the last stop, to 0.1 rad THEN up to two
        // sigmas of both, 0.224 rad, a fifth of the difference is taken, and beyond the course alone counts, each
        // beside the 0.02 rad of the mount
        let vehicle = Self.stopped(heading: .pi / 2 + difference, sigma: 0.1)
        let found = try #require(start(vehicle, Self.east))
        // The level frame turns against the heading, from the 0.3 rad of the mount.
        #expect(abs(found.levelToENURadians - (0.3 - taken)) < 1e-6, "\(found)")
        #expect(abs(found.sigma - sigma) < 1e-5 && found.followsMount, "\(found)")
    }

    @Test func theStopIsThatOfTheMomentOfTheFix() throws {
        // GIVEN a vehicle that pointed 0.1 rad to the right of east at its stop WHEN it had turned to the left by that
        // at the time of a fix, which goes to the east THEN both headings are one
        let found = try #require(start(Self.stopped(heading: .pi / 2 + 0.1, sigma: 0.1), Self.east, turned: 0.1))
        #expect(abs(found.levelToENURadians - 0.2) < 1e-6 && abs(found.sigma - 0.048_99) < 1e-5, "\(found)")
    }

    @Test func aVehicleThatBacksUpKeepsTheHeadingOfItsStop() throws {
        // GIVEN a vehicle that pointed to the east, and whose accelerations say so WHEN it goes west at 6 m/s THEN it
        // backs up; faster it does not, and nothing fits
        var vehicle = Self.stopped(heading: .pi / 2, sigma: 0.1)
        vehicle.align(radians: 0.3)
        let back = HorizontalVelocity(eastMetersPerSecond: -6, northMetersPerSecond: 0)
        let found = try #require(start(vehicle, back))
        #expect(abs(found.levelToENURadians - 0.3) < 1e-6 && abs(found.sigma - 0.062_314) < 1e-5, "\(found)")
        let faster = start(vehicle, HorizontalVelocity(eastMetersPerSecond: -6.01, northMetersPerSecond: 0))
        let fits = faster != nil
        #expect(!fits)
        // AND where the accelerations show that it was turned round, it points where it goes
        vehicle.align(radians: 0.3 - .pi)
        let turned = try #require(start(vehicle, back))
        #expect(abs(Angle.wrappedToPi(turned.levelToENURadians - (0.3 - Double.pi))) < 1e-6, "\(turned)")
    }

    @Test func theGyroTurnsTheHeadingOfTheStopOn() throws {
        // GIVEN a vehicle that has turned to the left by 0.2 rad since its stop, ten seconds ago THEN its heading is
        // less by that, and less sure by what the gyro may have drifted
        var vehicle = Self.stopped(heading: 1, sigma: 0.04)
        vehicle.estimator.warmStart.sensorToLevel = Quaternion(rotationVector: Vector3(0, 0, -0.2))
        vehicle.estimator.warmStart.stoodUntil = RestingVehicle.now.advanced(bySeconds: -10)
        let drift = vehicle.estimator.attitude.gyroBiasSigma
        #expect(drift > 5e-4 && drift < 5e-3)
        let warm = vehicle.estimator.warmHeading
        let heading = try #require(warm)
        #expect(abs(heading.radians - 0.8) < 1e-6 && abs(heading.sigma - hypot(0.04, 10 * drift)) < 1e-9, "\(heading)")
        // AND as sure as at the stop while it stands
        vehicle.estimator.warmStart.stoodUntil = RestingVehicle.now.advanced(bySeconds: 1)
        let standing = vehicle.estimator.warmHeading
        #expect(standing?.sigma == 0.04)
    }

    @Test func aGapMakesTheHeadingOfTheStopLessSure() throws {
        // GIVEN a vehicle that has stopped with a heading that is known to 0.04 rad WHEN no sample comes for 2 s, and
        // the gyro shows no turn before and after that
        var vehicle = Self.stopped(heading: 1, sigma: 0.04)
        let drift = vehicle.estimator.attitude.gyroBiasSigma
        _ = vehicle.estimator.ingest(
            InertialSample(
                time: RestingVehicle.now.advanced(bySeconds: 2), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65)))
        // THEN it may have turned by what eq. 8.6 says: 0.35 of 0.03 rad/s, times sqrt(2^3 / 12)
        let warm = vehicle.estimator.warmHeading
        let heading = try #require(warm)
        let hidden = 0.35 * 0.03 * (8.0 / 12).squareRoot()
        #expect(abs(heading.radians - 1) < 1e-6)
        #expect(abs(heading.sigma - hypot(hypot(0.04, 2 * drift), hidden)) < 1e-9, "\(heading)")
    }

    @Test func aLevelThatIsSearchedAnewEndsTheHeadingOfTheStop() {
        // GIVEN a vehicle that stands as it has stopped, its heading known to 0.04 rad
        var vehicle = Self.stopped(heading: 1, sigma: 0.04)
        vehicle.estimator.describe(at: RestingVehicle.now)
        #expect(vehicle.estimator.estimate.headingSigmaRadians == 0.04)
        // WHEN its level was wrong, so that the next one may be turned by a radian THEN no heading is published
        vehicle.estimator.forgetLevelFrame()
        vehicle.estimator.describe(at: RestingVehicle.now)
        #expect(vehicle.estimator.estimate.headingSigmaRadians == nil)
    }

    /// Number of contradictions after a fix with a velocity that is known to 0.5 m/s, of a vehicle that stopped with
    /// its heading to the east, known to 0.04 rad.
    private func contradictions(_ velocity: HorizontalVelocity, rate: Double = 0, felt: Double? = nil) -> Int {
        var vehicle = Self.stopped(heading: .pi / 2, sigma: 0.04)
        if let felt { vehicle.align(radians: felt) }
        vehicle.estimator.lastSample = RestingVehicle.sample(rate: Vector3(0, 0, rate))
        var fix = GnssFix(
            validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (velocity, 0.5)
        vehicle.estimator.lastFix = fix
        vehicle.estimator.checkWarmStart(against: fix)
        return vehicle.estimator.warmStart.contradictions
    }

    @Test func aCourseContradictsBeyondFourSigmas() {
        // GIVEN a course that differs by up to four sigmas of heading, course and sideslip, 0.283 rad THEN it agrees,
        // on either side
        for (angle, count) in [(0.28, 0), (-0.28, 0), (0.286, 1), (-0.286, 1)] {
            let found = contradictions(RestingVehicle.velocity(10, toward: angle))
            #expect(found == count, "\(angle)")
        }
        // AND up to 6 m/s the vehicle may back up
        let slow = contradictions(HorizontalVelocity(eastMetersPerSecond: -6, northMetersPerSecond: 0))
        let fast = contradictions(HorizontalVelocity(eastMetersPerSecond: -6.01, northMetersPerSecond: 0))
        #expect(slow == 0 && fast == 1)
    }

    @Test func aTurnOfATenthOfARadianASecondIsNoCourse() {
        // GIVEN a course to the north WHEN the vehicle turns by 0.1 rad/s THEN it says nothing, and just below it
        // contradicts
        let north = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
        let (turning, bending) = (contradictions(north, rate: 0.1), contradictions(north, rate: 0.099_9))
        #expect(turning == 0 && bending == 1)
    }

    @Test(arguments: [(4.0, 0.0, 0), (4, 1.5, 1), (2, 1.5, 0), (0.2, 1.5, 0), (0.2, 0, 1)])
    func aLateCourseIsComparedWithTheHeadingOfItsTime(age: Double, toward: Double, count: Int) {
        // GIVEN a vehicle that has stopped with its heading to the east, and has turned to the left by 1.5 rad within
        // 3 s, until half a second ago WHEN a fix comes late THEN its course is compared with the heading of its time,
        // and says nothing where that is in the turn
        var vehicle = Self.stopped(heading: .pi / 2, sigma: 0.04)
        vehicle.estimator.warmStart.sensorToLevel = Quaternion(rotationVector: Vector3(0, 0, -1.5))
        vehicle.estimator.warmStart.stoodUntil = RestingVehicle.now.advanced(bySeconds: -10)
        for k in -500...0 {
            let seconds = 0.01 * Double(k)
            let isTurning = seconds > -3.5 && seconds < -0.5
            var sample = RestingVehicle.sample(rate: Vector3(0, 0, isTurning ? 0.5 : 0))
            sample.time = RestingVehicle.now.advanced(bySeconds: seconds)
            let turned = 0.5 * min(max(seconds + 3.5, 0), 3)
            sample.sensorToLevel = Quaternion(rotationVector: Vector3(0, 0, turned - 1.5))
            vehicle.estimator.delayedMeasurements.note(sample)
        }
        var fix = GnssFix(
            validityTime: RestingVehicle.now.advanced(bySeconds: -age), arrivalTime: RestingVehicle.now,
            mode: .threeDimensional)
        (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (RestingVehicle.velocity(10, toward: toward), 0.5)
        vehicle.estimator.lastFix = fix
        vehicle.estimator.checkWarmStart(against: fix)
        #expect(vehicle.estimator.warmStart.contradictions == count)
    }

    @Test func accelerationsContradictBeyondFourSigmas() {
        // GIVEN a course that agrees, and accelerations that differ by up to four sigmas, 0.215 rad THEN they agree,
        // and beyond they contradict
        let (near, far) = (contradictions(Self.east, felt: 0.09), contradictions(Self.east, felt: 0.08))
        #expect(near == 0 && far == 1)
        let (left, beyond) = (contradictions(Self.east, felt: 0.51), contradictions(Self.east, felt: 0.52))
        #expect(left == 0 && beyond == 1)
    }

    @Test(arguments: [
        (16.9, 1.0, true), (17.1, 1, false), (-12.9, 1, true), (-13.1, 1, false), (2, 15.9, true), (2, 16.1, false),
        (2, -13.9, true), (2, -14.1, false),
    ])
    func aFixLiesAtTheStopWithinThreeSigmas(east: Double, north: Double, isThere: Bool) {
        // GIVEN a place of the last stop that was known to 4 m, beside the 3 m by which a parked vehicle may be moved,
        // its heading to the east, and an antenna 2 m ahead and 1 m to the left of the sensor, known to 0.1 m WHEN a
        // fix is known to 3 m THEN it lies there within three times the root of 4, 3 and 0.1 m, 15.0 m, of the antenna
        var estimator = PoseEstimator()
        estimator.offer(
            mount: MountEstimate(
                sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.01), origin: .kept,
                antenna: AntennaArm(meters: SIMD2(2, 1), sigmaMeters: SIMD2(0.1, 0.1))))
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let pose = RestingPose(
            position: place, horizontalSigmaMeters: 5, verticalSigmaMeters: 5, headingTrueRadians: .pi / 2,
            headingSigmaRadians: 0.1, downBody: Vector3(0, 0, -1))
        estimator.warmStart = WarmStart(pose: pose)
        var fix = GnssFix(
            validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        let there = place.moved(byENU: Vector3(east, north, 0))
        (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        fix.horizontalSigmaMeters = 3
        estimator.lastFix = fix
        let found = estimator.liesAtLastStop(fix)
        #expect(found == isThere)
    }

    @Test(arguments: [(0, false), (1, true)]) func theSecondContradictionIsAnnouncedAsATurn(
        before: Int, isRefused: Bool
    ) {
        // GIVEN a vehicle that stopped with its heading to the east, and none or one course that has contradicted it
        // WHEN its course is to the north THEN the second one refuses the stop, and announces one turn to the left by a
        // quarter, and no move
        var vehicle = Self.stopped(heading: .pi / 2, sigma: 0.04)
        vehicle.estimator.warmStart.contradictions = before
        vehicle.estimator.pastResets.deltaENU = Vector3(3, 4, 5)
        var fix = GnssFix(
            validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
        fix.speedSigmaMetersPerSecond = 0.5
        vehicle.estimator.lastFix = fix
        vehicle.estimator.checkWarmStart(against: fix)
        let (estimator, announced) = (vehicle.estimator, vehicle.estimator.pastResets)
        #expect((estimator.warmStart.pose == nil) == isRefused)
        #expect(estimator.rejections.warmStartRefused == (isRefused ? 1 : 0))
        #expect(announced.count == (isRefused ? 1 : 0))
        #expect(announced.deltaENU == (isRefused ? .zero : Vector3(3, 4, 5)))
        #expect(abs(announced.deltaHeading - (isRefused ? -Double.pi / 2 : 0)) < 1e-6, "\(announced.deltaHeading)")
    }
}
