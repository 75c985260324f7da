import PoseMath
import Testing

@testable import Calibration

@Suite struct SensorCorrectionTests {
    @Test(arguments: UInt64(1)...20) func twoCorrectionsAreOne(seed: UInt64) {
        // GIVEN two corrections of some per cent
        var sensors = SimulatedSensors(seed: seed)
        func correction(_ sensors: inout SimulatedSensors) -> SensorCorrection {
            SensorCorrection(
                offset: sensors.uniform3(-0.5, 0.5), diagonal: sensors.uniform3(0.97, 1.03),
                offDiagonal: sensors.uniform3(-0.01, 0.01))
        }
        let (first, second) = (correction(&sensors), correction(&sensors))
        let both = second.after(first)
        let reading = sensors.uniform3(-10, 10)
        // THEN the length is that of both in turn, up to the product of their deviations (0.03 times 0.01 of 17)
        let turns = second.apply(first.apply(reading))
        #expect(abs(both.apply(reading).length - turns.length) < 0.006)
        // AND one after none is itself, exactly
        #expect(first.after(SensorCorrection()) == first)
    }

    @Test func whatNoSensorNeedsIsRefused() {
        // GIVEN corrections that are no numbers, or beyond a half THEN they are not valid
        #expect(SensorCorrection().isValid && SensorCorrection().isIdentity)
        for wrong in [
            SensorCorrection(offset: Vector3(repeating: .nan)), SensorCorrection(diagonal: Vector3(0.4, 1, 1)),
            SensorCorrection(diagonal: Vector3(1, .infinity, 1)), SensorCorrection(offDiagonal: Vector3(0, 0.6, 0)),
        ] { #expect(!wrong.isValid) }
    }
}
