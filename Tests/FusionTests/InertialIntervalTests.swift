import PoseMath
import Testing

@testable import Fusion

/// What a step of the attitude filter sums of the samples in it (docs/math.md, eq. 8.3).
@Suite struct InertialIntervalTests {
    /// A sensor that is turned by a quarter to the left: its axis x is the level frame's y.
    private static let axes = SensorAxes(Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))

    /// Adds a sample that turns by 0.1, 0.2 and 0.3 rad/s about the sensor's axes.
    private func add(_ force: Vector3, seconds: Double, to interval: inout InertialInterval) {
        interval.add(axes: Self.axes, force: force, rate: Vector3(0.1, 0.2, 0.3), seconds: seconds)
    }

    private func isNear(_ found: Vector3, _ expected: Vector3) -> Bool { (found - expected).length < 1e-12 }

    @Test func twoSamplesAreSummedByTheirDurations() {
        // GIVEN samples of 0.1 s and 0.2 s THEN forces are turned into the level frame and summed by their means, the
        // first one with itself
        var interval = InertialInterval()
        add(Vector3(1, 2, 3), seconds: 0.1, to: &interval)
        add(Vector3(3, 2, 1), seconds: 0.2, to: &interval)
        #expect(abs(interval.seconds - 0.3) < 1e-12)
        #expect(isNear(interval.force, Vector3(-0.6, 0.5, 0.7)), "\(interval.force)")
        // AND the squared rate of 0.14 rad2/s2, and each axis, by the time
        #expect(abs(interval.squaredTurn - 0.042) < 1e-12)
        #expect(isNear(interval.axes.x, Vector3(0, 0.3, 0)) && isNear(interval.axes.y, Vector3(-0.3, 0, 0)))
        #expect(isNear(interval.axes.z, Vector3(0, 0, 0.3)))
        // AND each axis by the turn about each: 0.03, 0.06 and 0.09 rad
        let turns = interval.turns
        for (found, axis) in [(turns.x, Vector3.unitY), (turns.y, -Vector3.unitX), (turns.z, Vector3.unitZ)] {
            #expect(isNear(found.x, axis * 0.03) && isNear(found.y, axis * 0.06) && isNear(found.z, axis * 0.09))
        }
    }

    @Test func theNextIntervalBeginsWithTheLastForce() {
        // GIVEN an interval WHEN the next one begins THEN it has nothing but the force at which the one before ended
        var interval = InertialInterval()
        add(Vector3(3, 2, 1), seconds: 0.2, to: &interval)
        interval.restart()
        #expect(interval.seconds == 0 && interval.squaredTurn == 0 && interval.force == .zero)
        #expect(interval.axes.x == .zero && interval.turns.x.x == .zero)
        add(Vector3(1, 2, 3), seconds: 0.1, to: &interval)
        #expect(isNear(interval.force, Vector3(-0.2, 0.2, 0.2)), "\(interval.force)")
    }
}
