import Measurements
import PoseMath
import Testing

@testable import Calibration

@Suite struct GravityCheckTests {
    /// Seconds at rest, then shaken, of a sensor with a scale.
    private func checked(scale: Double, rest: Double = 5, shaken: Double = 0) -> GravityCheck {
        var sensors = SimulatedSensors(seed: 3)
        var check = GravityCheck()
        for index in 0..<Int((rest + shaken) * 100) {
            let isShaken = Double(index) / 100 >= rest
            let force = Vector3(3, 0, 9.3) * scale + sensors.normal3(isShaken ? 8 : 0.02)
            check.add(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(index) * 10_000_000),
                    angularRateRadiansPerSecond: sensors.normal3(isShaken ? 1 : 0.001),
                    specificForceMetersPerSecondSquared: force))
        }
        return check
    }

    @Test(arguments: [(1.0, false), (1.05, false), (1.15, true), (2, true), (0.102, true)])
    func aWrongScaleIsSeenAtRest(scale: Double, isContradicted: Bool) throws {
        // GIVEN a sensor whose scale is wrong by a factor WHEN it rests for five seconds THEN it is seen
        let check = checked(scale: scale, shaken: 3)
        #expect(check.isContradicted == isContradicted)
        #expect(abs(try #require(check.restingForce) / (9.772 * scale) - 1) < 0.001)
    }

    @Test func withoutRestNothingIsJudged() {
        // GIVEN a sensor that is never still, and one without samples THEN nothing is said
        #expect(checked(scale: 2, rest: 0, shaken: 10).restingForce == nil)
        #expect(!GravityCheck().isContradicted)
    }
}
