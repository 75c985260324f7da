import Testing

@testable import Simulation

/// Which numbers a plan may have: each limit from both sides.
@Suite struct PlanLimitsTests {
    /// One number of a plan, with values that it may have and values that it may not.
    struct Limit: Sendable, CustomTestStringConvertible {
        var name: String
        var place: WritableKeyPath<DrivePlan, Double> & Sendable
        var taken: [Double]
        var refused: [Double]
        var testDescription: String { name }
    }

    private static let limits: [Limit] = [
        Limit(
            name: "acceleration", place: \.accelerationMetersPerSecondSquared, taken: [0.1, 20],
            refused: [0.0999, 20.01, .nan]),
        Limit(
            name: "braking", place: \.brakingMetersPerSecondSquared, taken: [0.1, 20], refused: [0.0999, 20.01, .nan]),
        Limit(
            name: "lateral", place: \.lateralMetersPerSecondSquared, taken: [0.1, 20], refused: [0.0999, 20.01, .nan]),
        Limit(name: "wavelength", place: \.hillWavelengthMeters, taken: [50, 500], refused: [49.99, .nan]),
        Limit(name: "height", place: \.hillHeightMeters, taken: [0], refused: [1000, -1000, .nan]),
        Limit(name: "before", place: \.standingSecondsBefore, taken: [0, 3600], refused: [-0.1, 3600.1, .nan]),
        Limit(name: "after", place: \.standingSecondsAfter, taken: [0, 3600], refused: [-0.1, 3600.1, .nan]),
        Limit(
            name: "roll", place: \.rollPerLateralAcceleration, taken: [0.0999, -0.0999], refused: [0.1, -0.1, .nan]),
        Limit(name: "pitch", place: \.pitchPerAcceleration, taken: [0.0999, -0.0999], refused: [0.1, -0.1, .nan]),
        Limit(name: "factor", place: \.limitFactor, taken: [0.11, 2.99], refused: [0.1, 3, .nan]),
    ]

    @Test(arguments: limits) func aNumberHasItsLimits(limit: Limit) {
        for (values, isTaken) in [(limit.taken, true), (limit.refused, false)] {
            for value in values {
                var plan = townPlan()
                plan[keyPath: limit.place] = value
                #expect(((try? Drive(plan)) != nil) == isTaken, "\(value)")
            }
        }
    }

    @Test func speedsAndStopsHaveTheirLimits() {
        for (speed, isTaken) in [(0.5, true), (0.499, false), (100, true), (100.1, false)] {
            var plan = townPlan()
            plan.limitsMetersPerSecond = [speed]
            #expect(((try? Drive(plan)) != nil) == isTaken, "\(speed) m/s")
        }
        for (vertex, seconds, isTaken) in [
            (6, 0.0, true), (7, 1, false), (-1, 1, false), (3, 3600, true), (3, 3600.1, false), (3, -0.1, false),
        ] {
            var plan = townPlan()
            plan.stops = [DrivePlan.Stop(vertex: vertex, durationSeconds: seconds)]
            #expect(((try? Drive(plan)) != nil) == isTaken, "\(vertex), \(seconds) s")
        }
    }
}
