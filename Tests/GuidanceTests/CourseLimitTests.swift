import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Speed and direction of travel from the inputs, and the multipath filter, at their limits.
@Suite struct CourseLimitTests {
    private let sheet = Sheet()

    private func input(_ seconds: Double, _ x: Double, _ y: Double, sigma: Double? = 3) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), position: sheet.place(x, y),
            horizontalSigmaMeters: sigma)
    }

    /// The steps of inputs; a position that is not later than the previous one has none.
    private func steps(_ inputs: [GuidanceInput]) -> [CourseEstimator.Step?] {
        var course = CourseEstimator()
        return inputs.map { input in
            let plane = TangentPlane(at: input.position ?? sheet.place(0, 0))
            return course.update(input, plane: plane, settings: GuidanceSettings())
        }
    }

    @Test func aPositionIsLaterByAMillisecond() {
        // GIVEN positions 0.9 ms, 1 ms and a second after the first, and one before it THEN the first is too early, and
        // the last is none
        let found = steps([input(5, 0, 0), input(5.0009, 0, 1), input(5.001, 0, 1), input(6, 0, 2), input(4, 0, 3)])
        #expect(found.map { $0 == nil } == [false, true, false, false, true])
    }

    @Test func theDirectionIsTheBestThatIsKnown() throws {
        // GIVEN a course, a heading, or neither, with and without a sigma THEN the course comes first, a sigma of 0 is
        // one, and one that is none is 0.1 rad for a course and 0.35 rad for a heading
        func step(course: Double?, _ courseSigma: Double?, heading: Double?, _ headingSigma: Double?) -> String {
            var given = input(0, 0, 0)
            given.speedMetersPerSecond = 10
            (given.courseOverGroundRadians, given.courseSigmaRadians) = (course, courseSigma)
            (given.headingTrueRadians, given.headingSigmaRadians) = (heading, headingSigma)
            guard let step = steps([given])[0] else { return "none" }
            let degrees = step.travelDirection?.bearingRadians.map { "\(Int($0.radiansInDegrees.rounded()))" } ?? "-"
            return "\(degrees) \(step.travelDirectionSigmaRadians) \(step.isVelocityMeasured)"
        }
        #expect(step(course: 1, 0.2, heading: 2, 0.3) == "57 0.2 true")
        #expect(step(course: 1, 0, heading: 2, 0.3) == "57 0.0 true")
        for sigma in [nil, -0.1, .nan, .infinity] as [Double?] {
            #expect(step(course: 1, sigma, heading: nil, nil) == "57 0.1 true")
            #expect(step(course: nil, nil, heading: 2, sigma) == "115 0.35 false")
        }
        #expect(step(course: .nan, 0.2, heading: 2, 0) == "115 0.0 false")
        #expect(step(course: nil, nil, heading: .infinity, 0.1) == "- 0.35 false")
        // AND from 0.8 rad on a direction is none
        #expect(step(course: 1, 0.79, heading: nil, nil) == "57 0.79 true")
        #expect(step(course: 1, 0.8, heading: nil, nil) == "- 0.8 true")
    }

    @Test func aVehicleMovesFromWalkingSpeedOn() throws {
        // GIVEN speeds around that of a walk and half of it THEN from 1.5 m/s on there is a direction, and below 0.75
        // m/s the vehicle stands; a speed that is none is derived
        for (speed, isMoving, isStanding) in [
            (1.5, true, false), (1.49, false, false), (0.75, false, false), (0.74, false, true), (0, false, true),
            (-1, false, false), (.nan, false, false),
        ] as [(Double, Bool, Bool)] {
            var given = input(0, 0, 0)
            (given.speedMetersPerSecond, given.courseOverGroundRadians) = (speed, 0)
            let step = try #require(steps([given])[0])
            #expect(step.isMoving == isMoving && step.isStanding == isStanding, "\(speed)")
            #expect(step.isSpeedMeasured == (speed >= 0), "\(speed)")
        }
    }

    @Test func aDerivedCourseNeedsItsBaseline() throws {
        // GIVEN two positions without a velocity THEN from 10 m on there are course and speed between them; 2.5 s apart
        // or more they must be two and a half sigmas apart
        func derived(_ seconds: Double, _ meters: Double, sigma: Double) -> Double? {
            steps([input(0, 0, 0, sigma: sigma), input(seconds, 0, meters, sigma: sigma)])[1]?.travelDirection?.north
        }
        #expect(derived(1, 10.01, sigma: 8) != nil && derived(1, 9.9, sigma: 8) == nil)
        #expect(derived(2.49, 19.9, sigma: 8) != nil && derived(2.5, 19.9, sigma: 8) == nil)
        #expect(derived(2.5, 20.01, sigma: 8) != nil && derived(2.5, 10.01, sigma: 4) != nil)
        // AND a course that was not confirmed for 20 s ends
        let slow = [input(0, 0, 0), input(1, 0, 12), input(20.9, 0, 13), input(21.1, 0, 14)]
        let found = steps(slow + [input(22, 0, 14.5)])
        #expect(found[1]?.isMoving == true && found[1]?.speedMetersPerSecond.map { abs($0 - 12) < 0.01 } == true)
        #expect(found[4]?.isMoving == false && (found[4]?.speedMetersPerSecond ?? 9) < 0.2)
    }

    /// The shifts of a filter, metres, for positions a second apart of a vehicle that travels 10 m/s to the north, each
    /// by so many metres to the east.
    private func shifts(_ east: [Double], sigma: Double? = 1, isDeadReckoning: Bool = false) -> [Double] {
        var filter = MultipathFilter()
        return east.enumerated().map { second, x in
            var given = input(Double(second), x, Double(second) * 10, sigma: sigma)
            given.isDeadReckoning = isDeadReckoning
            let plane = TangentPlane(at: given.position ?? sheet.place(0, 0))
            let velocity = PlaneOffset(east: 0, north: 10)
            return filter.update(given, plane: plane, elapsedSeconds: second == 0 ? 0 : 1, velocity: velocity).shift
                .east
        }
    }

    @Test func aJumpAboveTheGateIsAShift() {
        // GIVEN jumps to the side just below and above the gate, 3 m and four sigmas and 0.75 m of acceleration THEN
        // only the second is a shift; a sigma above 4 m counts as 4 m, but not of a dead-reckoned position
        #expect(shifts([0, 7.7]).last == 0)
        // A millimetre: the curvature of the Earth.
        #expect(abs((shifts([0, 7.8]).last ?? 0) - 7.8) < 1e-3)
        #expect(shifts([0, 19.7], sigma: 30).last == 0 && (shifts([0, 19.8], sigma: 30).last ?? 0) > 19)
        #expect(shifts([0, 19.8], sigma: 30, isDeadReckoning: true).last == 0)
        // AND it decays in 20 s
        let decayed = shifts([0, 60, 60])
        #expect(abs(decayed[2] - 60 * exp(-1.0 / 20)) < 1e-3)
    }

    @Test func anUnknownSigmaCountsAsTwoAndAHalfMeters() {
        // GIVEN jumps to the side of positions that tell no sigma THEN the gate is at 3 m, 10 m and 0.75 m
        #expect(shifts([0, 13.7], sigma: nil).last == 0)
        #expect(abs((shifts([0, 13.8], sigma: nil).last ?? 0) - 13.8) < 1e-3)
    }

    @Test func aSecondJumpEndsTheShiftUnlessItReturns() {
        // GIVEN a jump by 60 m, and a second one in the next position THEN one that leaves less than half of the shift
        // is a return, one that leaves more begins anew, and one that leaves less than the gate is a return always
        let rest = 60 * exp(-1.0 / 20)
        let returned = shifts([0, 60, 0.49 * rest])
        #expect(abs(returned[2] - 0.49 * rest) < 1e-3)
        #expect(shifts([0, 60, 0.51 * rest])[2] == 0)
        #expect(shifts([0, 60, -40])[2] == 0)
        let small = shifts([0, 10, -6])
        #expect(abs(small[2] + 6) < 1e-3)
    }

    @Test func aJumpAfterARealMotionIsAShiftAgain() {
        // GIVEN two jumps in succession that do not cancel, so that the track begins anew at 40 m to the west WHEN the
        // next position jumps once more, by 60 m to the east THEN that is a shift, and not a motion
        let found = shifts([0, 60, -40, 20])
        // A millimetre: the curvature of the Earth.
        #expect(found[2] == 0 && abs(found[3] - 60) < 1e-3, "\(found)")
    }

    @Test func theFirstManeuverAheadIsTheFirstOfAll() throws {
        // GIVEN a route with a maneuver each 50 m, some of them at one place WHEN it is entered anywhere THEN the first
        // maneuver is the first one that is more than 20 m ahead, and the last one at the end
        let points = (0...12).map { (0.0, Double($0) * 50) }
        let places = [0, 1, 2, 2, 2, 5, 6, 7, 9, 9, 10, 11]
        let route = try sheet.route(points, maneuvers: places.map { PlannedManeuver(point: $0, kind: .turn) })
        for along in stride(from: -30.0, through: 640, by: 7) {
            let expected = route.maneuvers.firstIndex { $0.alongMeters > along + 20 } ?? route.maneuvers.count - 1
            #expect(route.firstManeuver(fromAlong: along, settings: GuidanceSettings()) == expected)
        }
    }

    @Test func aStopAtAPointTakesItsTime() throws {
        // GIVEN a point that is there twice, between which five seconds pass THEN at the point they have passed
        let route = try sheet.route([(0, 0), (0, 100), (0, 100), (0, 300)], durations: [10, 5, 20])
        let along = route.planPointsAlongMeters[1]
        #expect(route.timeSeconds(alongMeters: along) == 15)
        // To the rounding of the lengths.
        #expect(abs((route.timeSeconds(alongMeters: along.nextDown) ?? 0) - 10) < 1e-9)
        #expect(abs((route.timeSeconds(alongMeters: along + 100) ?? 0) - 25) < 1e-6)
    }
}
