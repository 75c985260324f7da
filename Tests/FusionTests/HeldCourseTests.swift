import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A receiver that holds its course while the vehicle turns.
@Suite struct HeldCourseTests {
    /// A fix with a velocity at the filter's place.
    private func fix(_ filter: NavigationFilter, east: Double, north: Double) -> GnssFix {
        let place = filter.state.position
        var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: east, northMetersPerSecond: north)
        (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (3, 0.3)
        return fix
    }

    /// A filter that goes east at 6 m/s, its gyro known, which has agreed with the receiver while it sped up.
    private func filter(agreed: Bool = true) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 0),
            velocityENU: Vector3(6, 0, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.gyroBias, variance: 1e-6)
        for speed in agreed ? [0.0, 3, 6] : [] {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: state.time)
        }
        return filter
    }

    /// Turns the filter to the left within a second, radians.
    private func turn(_ filter: inout NavigationFilter, by angle: Double) {
        for _ in 0..<100 {
            // The centripetal force of 6 m/s.
            filter.predict(
                angularRate: Vector3(0, 0, angle), specificForce: Vector3(0, 6 * angle, 9.81), seconds: 0.01,
                noise: IMUNoiseEstimator.Density())
        }
        filter.state.time = filter.state.time.advanced(bySeconds: 1)
    }

    /// Weight of the receiver's velocity after a turn of 0.8 rad: 1-sigma of its own noise, m/s.
    private func sigma(after course: (east: Double, north: Double)) -> Double {
        var filter = filter()
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: 0.8)
        filter.fuse(fix(filter, east: course.east, north: course.north), forceHistory: VectorHistory())
        return filter.aids[Int(AidSource.gnssVelocity.rawValue)].observationVariance.squareRoot()
    }

    @Test func aHeldCourseIsAsWrongAsTheVehicleHasTurned() {
        // GIVEN a vehicle that has turned by 0.8 rad at 6 m/s WHEN the receiver states the same course and another
        // speed THEN that velocity has a sigma of the receiver's speed times the turn, 4.4 m/s, with the stated one
        let held = sigma(after: (5.5, 0))
        #expect(abs(held - 4.4) < 0.5, "\(held) m/s")
        // AND one whose course has changed by half a degree has the stated one, with what the acceleration adds
        #expect(sigma(after: (5.5, 0.05)) < 1.6)
    }

    @Test func aFilterThatRunsAwayTakesNoWeightFromASlowReceiver() {
        // GIVEN a filter at 6 m/s that has turned by 0.8 rad WHEN the receiver holds its course at 0.5 m/s THEN that
        // velocity is wrong by no more than 0.4 m/s for the turn: its sigma is that of the acceleration, as of a course
        // that is new
        let (held, new) = (sigma(after: (0.5, 0)), sigma(after: (0.5, 0.05)))
        #expect(held > new && (held * held - new * new).squareRoot() < 0.41, "\(held) and \(new) m/s")
    }

    @Test func aCourseOnAStraightRoadIsNotHeld() {
        // GIVEN a vehicle that goes straight WHEN the receiver repeats its course THEN its velocity keeps its sigma
        var filter = filter()
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: 0)
        filter.fuse(fix(filter, east: 6.2, north: 0), forceHistory: VectorHistory())
        #expect(filter.heldCourse.isHeld)
        #expect(filter.heldCourseSigma(of: HorizontalVelocity(eastMetersPerSecond: 6, northMetersPerSecond: 0)) == 0)
    }

    @Test func aTurnOfAnUnknownGyroHidesNothing() {
        // GIVEN a gyro whose bias is known to 0.5 rad/s WHEN it seems to turn by 0.8 rad beside a held course
        var filter = filter()
        filter.covariance.restart(.gyroBias, variance: 0.25)
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: 0.8)
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        // THEN that is the gyro's error
        #expect(filter.heldCourse.isHeld && filter.heldCourse.hiddenTurn == 0)
    }

    @Test func theTimeOfAJamCountsOnce() {
        // GIVEN a receiver that is jammed for three fixes, a second each, 2 s after the last one that was not WHEN the
        // one after them has the course of before THEN that course is 6 s old
        var filter = filter()
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: 0)
        for isInterfered in [true, true, true, false] {
            filter.state.time = filter.state.time.advanced(bySeconds: 1)
            var next = fix(filter, east: 6, north: 0)
            next.isInterfered = isInterfered
            filter.fuse(next, forceHistory: VectorHistory())
        }
        #expect(filter.heldCourse.isHeld && abs(filter.heldCourse.seconds - 6) < 1e-6)
    }

    @Test(arguments: [(1.4, 1.4), (-1.4, 1.4), (1.6, 1.5), (-1.6, 1.5)])
    func aHeldCourseHidesATurnOfOneAndAHalfRadians(angle: Double, hidden: Double) {
        // GIVEN a vehicle that has turned either way beside a held course THEN that turn is hidden, up to 1.5 rad,
        // beyond which the direction is unknown; the Earth turns by less than 1e-4 rad
        var filter = filter()
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: angle)
        filter.noteCourse(of: fix(filter, east: 6, north: 0))
        #expect(filter.heldCourse.isHeld && abs(filter.heldCourse.hiddenTurn - hidden) < 0.01)
    }

    @Test func aYoungFilterMayBeWhatTurns() {
        // GIVEN a filter that has not agreed with the receiver yet WHEN it turns beside a held course THEN the course
        // counts
        var filter = filter(agreed: false)
        filter.fuse(fix(filter, east: 6, north: 0), forceHistory: VectorHistory())
        turn(&filter, by: 0.8)
        filter.noteCourse(of: fix(filter, east: 6, north: 0))
        #expect(filter.heldCourse.isHeld && filter.heldCourse.hiddenTurn == 0)
    }

    @Test func aCourseIsTheSameToTheLastDigitOnly() {
        // GIVEN velocities of one course rounded to a tenth of a millimetre per second THEN it is held; 0.1 degrees
        // beside it, at rest, or backwards, it is not
        func held(_ a: (Double, Double), _ b: (Double, Double)) -> Bool {
            NavigationFilter.isCourseHeld(
                HorizontalVelocity(eastMetersPerSecond: b.0, northMetersPerSecond: b.1),
                after: HorizontalVelocity(eastMetersPerSecond: a.0, northMetersPerSecond: a.1))
        }
        #expect(held((-0.6446, -1.3549), (-0.4235, -0.8902)))
        // Rounding turns the course of the slower one most, and the faster one goes farther aside by that.
        #expect(held((0.2702, 0.4207), (5.403, 8.4147)) && held((5.403, 8.4147), (0.2702, 0.4207)))
        #expect(!held((-0.6446, -1.3549), (-0.4251, -0.8894)))
        #expect(!held((0, 0), (0, 0)))
        #expect(!held((1, 0), (-1, 0)))
    }

    @Test(arguments: [(1.9e-4, true), (-1.9e-4, true), (2.1e-4, false), (-2.1e-4, false)])
    func aCourseIsTheOneBeforeToTheLastDigit(sideways: Double, isHeld: Bool) {
        // GIVEN a velocity of 10 m/s to the east, and one of 5 m/s that goes sideways by so many m/s THEN it has the
        // course of the one before up to 0.2 mm/s
        let before = HorizontalVelocity(eastMetersPerSecond: 10, northMetersPerSecond: 0)
        let now = HorizontalVelocity(eastMetersPerSecond: 5, northMetersPerSecond: sideways)
        #expect(NavigationFilter.isCourseHeld(now, after: before) == isHeld)
        // AND neither one that goes back nor one that stands has it
        let back = HorizontalVelocity(eastMetersPerSecond: -5, northMetersPerSecond: 0)
        let rest = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
        #expect(!NavigationFilter.isCourseHeld(back, after: before))
        #expect(!NavigationFilter.isCourseHeld(rest, after: rest))
    }
}
