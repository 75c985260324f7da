import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// What the motion of a vehicle is taken for where its velocity is known in part, or not at all.
@Suite struct VelocityLimitTests {
    private let sheet = Sheet()

    private func input(_ seconds: Double, _ x: Double, _ y: Double) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), position: sheet.place(x, y),
            horizontalSigmaMeters: 1)
    }

    /// The shift to the east, metres, of the third of three positions, a second and 10 m to the north apart, of which
    /// the third is moved to the east; each has a velocity or none.
    private func shift(_ east: Double, measured: [Bool]) -> Double {
        var filter = MultipathFilter()
        for second in 0..<3 {
            let given = input(Double(second), second == 2 ? east : 0, Double(second) * 10)
            let plane = TangentPlane(at: given.position ?? sheet.place(0, 0))
            let velocity = measured[second] ? PlaneOffset(east: 0, north: 10) : nil
            _ = filter.update(given, plane: plane, elapsedSeconds: second == 0 ? 0 : 1, velocity: velocity)
        }
        return filter.shift.east
    }

    @Test("an unknown velocity leaves room for a turn") func anUnknownVelocityLeavesRoom() {
        // GIVEN a sigma of 1 m, so that noise is 7 m WHEN the velocity is measured at both ends of a step THEN 0.75 m
        // more are motion; where it is not, 2.5 m and a quarter of the speed are
        for (measured, gate) in [
            ([true, true, true], 7.75), ([false, false, false], 12), ([true, true, false], 12),
            ([false, false, true], 12),
        ] {
            #expect(shift(gate - 0.1, measured: measured) == 0, "\(measured)")
            #expect(abs(shift(gate + 0.1, measured: measured) - gate - 0.1) < 1e-3, "\(measured)")
        }
    }

    @Test("a velocity that is derived follows in a second and a half") func aDerivedVelocityFollows() throws {
        // GIVEN positions a second apart, without velocities, that are 10 m and then 15 m farther
        var filter = MultipathFilter()
        for (second, north) in [0.0, 10, 25].enumerated() {
            let given = input(Double(second), 0, north)
            let plane = TangentPlane(at: try #require(given.position))
            _ = filter.update(given, plane: plane, elapsedSeconds: second == 0 ? 0 : 1, velocity: nil)
        }
        // THEN of the 5 m that were not expected a second leaves the e-th part, and of the change of the velocity that
        // follows a second leaves exp(-1 / 1.5)
        #expect(abs((filter.velocity?.north ?? 0) - 11.538) < 1e-3, "\(String(describing: filter.velocity))")
    }

    /// The steps of inputs.
    private func steps(_ inputs: [GuidanceInput]) -> [CourseEstimator.Step?] {
        var course = CourseEstimator()
        return inputs.map { input in
            let plane = TangentPlane(at: input.position ?? sheet.place(0, 0))
            return course.update(input, plane: plane, settings: GuidanceSettings())
        }
    }

    @Test("below half of a walk's speed a vehicle stands, wherever its course is") func aSlowVehicleStands() throws {
        // GIVEN positions at one place with a speed of 0.7 m/s or 0.8 m/s, with a course or without
        func moved(_ speed: Double, course: Double?) throws -> Double {
            let inputs = (0..<3).map { second in
                var given = input(Double(second), 0, 0)
                (given.speedMetersPerSecond, given.courseOverGroundRadians) = (speed, course)
                return given
            }
            return try #require(steps(inputs)[1]).displacementMeters
        }
        // THEN the first was not expected to move, the second was, by 0.8 m, of which a second leaves the e-th part
        #expect(try moved(0.7, course: .pi / 2) < 1e-6 && moved(0.7, course: nil) < 1e-6)
        #expect(try abs(moved(0.8, course: .pi / 2) - 0.8 * exp(-1)) < 1e-3)
    }

    @Test("the length of a step is that of its mean speed") func theLengthIsThatOfTheMeanSpeed() throws {
        // GIVEN a vehicle that accelerates from 8 to 12 m/s in two seconds, and is 20 m farther
        var (first, second) = (input(0, 0, 0), input(2, 0, 20))
        (first.speedMetersPerSecond, second.speedMetersPerSecond) = (8, 12)
        (first.courseOverGroundRadians, second.courseOverGroundRadians) = (0, 0)
        let found = steps([first, second])
        // THEN its mean is 10 m/s, its largest 12, and the first position has its own speed
        #expect(found[0]?.meanMetersPerSecond == 8 && found[1]?.meanMetersPerSecond == 10)
        #expect(found[1]?.fastestMetersPerSecond == 12 && abs((found[1]?.lengthMeters ?? 0) - 20) < 1e-3)
        #expect(found[1]?.isSparse == false && found[1]?.isStanding == false)
        // AND a speed that falls counts as the faster one that it was
        first.time = MonotonicTime(nanoseconds: 3_000_000_000)
        let falling = steps([second, first])
        #expect(falling[1]?.fastestMetersPerSecond == 12 && falling[1]?.meanMetersPerSecond == 10)
    }

    @Test("where the limit is zero a vehicle that stands is blue") func standingIsBelowHalfAMetrePerSecond() {
        for (speed, colour) in [(0.49, SpeedColour.blue), (0.5, .red)] {
            var advice = SpeedAdvice()
            let status = advice.update(
                time: MonotonicTime(nanoseconds: 0), speedMetersPerSecond: speed, limit: .metersPerSecond(0),
                source: .route)
            #expect(status.colour == colour, "\(speed) m/s")
        }
        // AND its speedometer is corrected from the same speed on
        for (speed, indicated) in [(0.49, 0.49), (0.5, 1.5)] {
            var settings = SpeedAdviceSettings()
            (settings.indicatedRatio, settings.indicatedOffsetMetersPerSecond) = (2, 0.5)
            var advice = SpeedAdvice(settings: settings)
            let status = advice.update(
                time: MonotonicTime(nanoseconds: 0), speedMetersPerSecond: speed, limit: .unlimited, source: .route)
            #expect(status.indicatedSpeedMetersPerSecond == indicated)
        }
    }

    @Test("a velocity is derived over the time that passed", arguments: [(0.5, 40.0), (2, 10)])
    func aVelocityIsDerivedOverItsTime(seconds: Double, speed: Double) throws {
        // GIVEN two positions without velocities, 20 m apart WHEN half a second or two seconds are between them
        var filter = MultipathFilter()
        for (elapsed, north) in [(0, 0), (seconds, 20)] as [(Double, Double)] {
            let given = input(elapsed, 0, north)
            let plane = TangentPlane(at: try #require(given.position))
            _ = filter.update(given, plane: plane, elapsedSeconds: elapsed, velocity: nil)
        }
        // THEN the velocity is the way over that time, to a millimetre of the way: the curvature of the Earth
        #expect(abs((filter.velocity?.north ?? 0) - speed) < 2e-3, "\(String(describing: filter.velocity))")
    }

    @Test("a jump that just reaches the gate is a motion") func aJumpThatJustReachesTheGateIsAMotion() {
        // GIVEN a vehicle that stands, and is 6.7 m away a second later WHEN its sigma is such that noise, 3 m and four
        // sigmas, and 0.75 m of acceleration are just that way, to the last digit, or a little less
        let (start, end) = (TangentPlane(at: sheet.place(0, 0)), TangentPlane(at: sheet.place(3, 6)))
        let meters = end.offset(of: start.origin).length
        let sigma = (meters - 3.75) / 4
        for (stated, isShifted) in [(sigma, false), (sigma - 1e-9, true)] {
            var filter = MultipathFilter()
            for (second, plane) in [start, end].enumerated() {
                let given = GuidanceInput(
                    time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), horizontalSigmaMeters: stated)
                _ = filter.update(given, plane: plane, elapsedSeconds: Double(second), velocity: PlaneOffset.zero)
            }
            // THEN it is a shift only where the way is beyond
            #expect((filter.shift.length > 0) == isShifted, "\(stated) m")
        }
    }
}
