import Geodesy
import PoseMath
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

    /// Whether a way through these places, metres east and north, can be driven.
    private func isDriven(_ places: [Vector3]) -> Bool {
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9))
        let plan = DrivePlan(vertices: places.map { frame.position(ofENUMeters: $0) }, limitsMetersPerSecond: [10])
        return (try? Drive(plan)) != nil
    }

    @Test func aWayHasItsLimits() {
        // GIVEN a corner after 200 m THEN one of 150 degrees can be driven, and a sharper one cannot
        for (degrees, isTaken) in [(149.9, true), (150.1, false), (-149.9, true), (-150.1, false)] {
            let turn = Quaternion(rotationVector: Vector3(0, 0, -degrees * Angle.radiansPerDegree))
            let corner = Vector3(0, 200, 0)
            #expect(isDriven([.zero, corner, corner + turn.rotate(corner)]) == isTaken, "\(degrees) degrees")
        }
        // AND corners are half a metre apart at least
        for (meters, isTaken) in [(0.51, true), (0.49, false)] {
            #expect(isDriven([.zero, Vector3(0, meters, 0)]) == isTaken, "\(meters) m")
        }
        // AND a kilometre from the poles is left out, and no more than that
        for (latitude, isTaken) in [(75.0, true), (-89.9, true), (89.991, false), (-89.991, false)] {
            let vertices = [1, 0.999_99].map { share in
                GeodeticPosition(latitudeDegrees: latitude * share, longitudeDegrees: 9)
            }
            let plan = DrivePlan(vertices: vertices, limitsMetersPerSecond: [10])
            #expect(((try? Drive(plan)) != nil) == isTaken, "\(latitude) degrees")
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

    /// A way of 200.5 m to the north with corners at these distances, metres, and stops of 7 s at some of them.
    private func straight(_ distances: [Double], stops: [Int]) -> DrivePlan {
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9))
        var plan = DrivePlan(
            vertices: ([0] + distances + [200.5]).map { frame.position(ofENUMeters: Vector3(0, $0, 0)) },
            limitsMetersPerSecond: [10])
        plan.stops = stops.map { DrivePlan.Stop(vertex: $0, durationSeconds: 7) }
        return plan
    }

    @Test func stopsMayBeAMeterApart() throws {
        // GIVEN stops a metre from each other, from the start and from the end WHEN the drive is planned THEN it ends,
        // and each stop has its time, with at most 5 s more for each braking and start
        let plain = try Drive(straight([1, 100, 101, 199.5], stops: [])).durationSeconds
        for stops in [[2, 3], [1], [4], [1, 2, 3, 4]] {
            let drive = try Drive(straight([1, 100, 101, 199.5], stops: stops))
            let more = drive.durationSeconds - plain
            let least = 7 * Double(stops.count)
            #expect(more > least && more < least + 5 * Double(stops.count), "\(stops): \(more) s more")
        }
    }

    @Test func aStopAtTheStartIsWaitedFor() throws {
        // GIVEN a stop at the first corner THEN the vehicle stands so much longer there, and drives as without it
        let (plain, waiting) = (try Drive(straight([100], stops: [])), try Drive(straight([100], stops: [0])))
        #expect(abs(waiting.durationSeconds - plain.durationSeconds - 7) < 1e-9)
        #expect(plain.truth(atSeconds: 15).distanceMeters > 1 && waiting.truth(atSeconds: 15).distanceMeters == 0)
        // AND one at the last corner has its time too
        let end = try Drive(straight([100], stops: [2]))
        #expect(abs(end.durationSeconds - plain.durationSeconds - 7) < 1e-9)
    }
}
