import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The first seconds of the attitude: gravity, and the bias of a gyro of which nothing is known.
@Suite struct AttitudeStartTests {
    private static let gravity = InertialSample.standardGravity

    /// Three seconds at 100 Hz: a sensor that turns at a rate, with a gyro that is biased, both sensor axes, rad/s.
    private static func start(
        rate: Vector3 = .zero, bias: Vector3 = .zero, force: Vector3 = Vector3(0, 0, gravity)
    ) -> AttitudeStart {
        var (start, attitude, truth) = (AttitudeStart(), Quaternion.identity, Quaternion.identity)
        for _ in 0..<300 {
            truth = (truth * Quaternion(rotationVector: rate * 0.01)).normalized
            attitude = (attitude * Quaternion(rotationVector: (rate + bias) * 0.01)).normalized
            let toUp = start.add(
                truth.inverse.rotate(force), rate: rate + bias, attitude: attitude, seconds: 0.01)
            if let toUp { attitude = (toUp * attitude).normalized }
        }
        return start
    }

    // 0.26 rad/s over 3 s turn the frame of the gyro by 45 degrees.
    @Test(arguments: [Vector3(0.26, 0, 0), Vector3(-0.1, 0.2, 0), Vector3(0.2, -0.2, 0.2), Vector3(0, 0.065, 0)])
    func aBiasAboutTheLevelAxesIsFound(bias: Vector3) throws {
        // GIVEN a sensor at a constant attitude whose gyro says that it tilts WHEN gravity does not move
        let found = try #require(Self.start(bias: bias).bias)
        // THEN the rates about the level axes are the bias, and about the vertical nothing is said
        #expect((found.level - Vector3(bias.x, bias.y, 0)).length < 1e-9)
        #expect((found.up - .unitZ).length < 1e-9)
        // AND it is known to 1.5 deg/s, or to what 0.15 rad of lean make of the turn about the vertical
        let leaned = 0.15 * bias.z
        #expect(abs(found.sigma - (0.026 * 0.026 + leaned * leaned).squareRoot()) < 1e-9)
    }

    @Test func aVehicleThatTurnsHasNone() {
        // GIVEN a vehicle in a bend, with the force of it WHEN its gyro is right, or biased about the vertical alone
        let force = Vector3(2, 0, Self.gravity)
        for bias in [0, 0.3, -0.3] {
            let start = Self.start(rate: Vector3(0, 0, 0.3), bias: Vector3(0, 0, bias), force: force)
            // THEN none is found
            #expect(start.bias == nil)
        }
    }

    @Test(arguments: [0.059, 0.061]) func whatAnySensorHasIsLeftToTheFilter(bias: Double) {
        // GIVEN a bias below or above 0.06 rad/s THEN only the larger one is taken
        #expect((Self.start(bias: Vector3(bias, 0, 0)).bias != nil) == (bias > 0.06))
    }

    @Test func aJerkIsNoBias() {
        // GIVEN a gyro that shows a turn of half a radian within a quarter of a second, and gravity none WHEN that
        // is in the first or the second half THEN it is no bias
        for begin in [50, 200] {
            var (start, attitude) = (AttitudeStart(), Quaternion.identity)
            for k in 0..<300 {
                let rate = (begin..<begin + 25).contains(k) ? Vector3(2, 0, 0) : .zero
                attitude = (attitude * Quaternion(rotationVector: rate * 0.01)).normalized
                let force = Vector3(0, 0, Self.gravity)
                if let toUp = start.add(force, rate: rate, attitude: attitude, seconds: 0.01) {
                    attitude = (toUp * attitude).normalized
                }
            }
            #expect(start.bias == nil)
        }
    }

    @Test(arguments: [Vector3(0.2, 0, 0), Vector3(0.1, -0.3, 0.1)]) func aTiltIsNoBias(rate: Vector3) {
        // GIVEN a sensor that does tilt at such a rate WHEN gravity follows THEN it is a turn
        #expect(Self.start(rate: rate).bias == nil)
        // AND in its first moment nothing is known
        #expect(AttitudeStart().bias == nil)
    }
}
