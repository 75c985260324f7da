import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// From which difference on the velocity of a receiver is not that of the filter, and from when on that is asked.
@Suite struct SpeedVetoTests {
    /// Whether a velocity to the east and north, m/s, known to 0.05 m/s, contradicts a filter that goes east at 10 m/s,
    /// known to a centimetre a second, so many seconds after its start.
    private func isDoubted(
        east: Double, north: Double = 0, at seconds: Double = 60, _ change: (inout NavigationFilter) -> Void = { _ in }
    ) -> Bool {
        let start = MonotonicTime(nanoseconds: 0)
        let state = NavigationState(
            time: start,
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            velocityENU: Vector3(10, 0, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.velocity, variance: 1e-4)
        // Both have agreed through 6 m/s of changes.
        for speed in [0.0, 3, 6] {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: start)
        }
        let time = start.advanced(bySeconds: seconds)
        filter.state.time = time
        change(&filter)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (state.position.latitudeRadians, state.position.longitudeRadians)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: east, northMetersPerSecond: north)
        (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (3, 0.05)
        _ = filter.usableParts(of: fix, forceHistory: VectorHistory())
        return filter.gnssIntegrity.isSpeedSuspect
    }

    /// The same of a velocity of 10 m/s whose end is so far beside that of the filter, m/s.
    private func isDoubted(beside: Double, _ change: (inout NavigationFilter) -> Void = { _ in }) -> Bool {
        let angle = 2 * asin(beside / 20)
        return isDoubted(east: 10 * cos(angle), north: 10 * sin(angle), change)
    }

    @Test(arguments: [(29.9, false), (30.1, true), (60, true)])
    func aFilterJudgesTheSpeedAfterHalfAMinute(seconds: Double, isJudged: Bool) {
        // GIVEN a receiver that states 2 m/s more than the filter has THEN that counts from 30 s after its start on
        let found = isDoubted(east: 12, at: seconds)
        #expect(found == isJudged)
    }

    @Test(arguments: [(10.49, false), (10.51, true), (9.51, false), (9.49, true)])
    func aSpeedIsWrongFromHalfAMeterASecondOn(speed: Double, isWrong: Bool) {
        // GIVEN speeds of which both are sure THEN from 0.5 m/s on, more or less, they contradict
        let found = isDoubted(east: speed)
        #expect(found == isWrong)
    }

    @Test(arguments: [(10.99, false), (11.01, true)])
    func aSpeedIsWrongFromFiveSigmasOn(speed: Double, isWrong: Bool) {
        // GIVEN a filter whose velocity has with the receiver's 0.05 m/s a 1-sigma of 0.2 m/s THEN 1 m/s contradicts
        let found = isDoubted(east: speed) { $0.covariance.restart(.velocity, variance: 0.037_5) }
        #expect(found == isWrong)
    }

    @Test(arguments: [(11.09, false), (11.11, true)])
    func anAccelerationExcusesThreeTenthsOfASecondOfIt(speed: Double, isWrong: Bool) {
        // GIVEN a vehicle that accelerates by 2 m/s2 THEN 0.3 s of that are allowed beside the 0.5 m/s
        let found = isDoubted(east: speed) { $0.state.accelerationENU = Vector3(1.2, 1.6, 0) }
        #expect(found == isWrong)
    }

    @Test(arguments: [(1.95, false), (2.05, true)])
    func aVelocityIsWrongFromTwoMetersASecondOn(beside: Double, isWrong: Bool) {
        // GIVEN a velocity of the same speed and another direction THEN from 2 m/s between both on they contradict
        let found = isDoubted(beside: beside)
        #expect(found == isWrong)
    }

    @Test(arguments: [(0.14, true), (0.16, false)])
    func aTurnSinceTheFixBeforeExcusesTheDirection(turned: Double, isWrong: Bool) {
        // GIVEN a velocity 3 m/s beside the filter's, of a vehicle that has turned since the fix before THEN it
        // contradicts where that turn was below 0.15 rad
        let found = isDoubted(beside: 3) { $0.turnedSinceFix = turned }
        #expect(found == isWrong)
    }

    @Test(arguments: [(2.95, false), (3.05, true)])
    func aHeldCourseExcusesTheDirection(beside: Double, isWrong: Bool) {
        // GIVEN a course of 10 m/s that the receiver holds, which hides a turn of 0.1 rad THEN a metre a second more is
        // allowed
        let found = isDoubted(beside: beside) { $0.heldCourse.hiddenTurn = 0.1 }
        #expect(found == isWrong)
    }
}
