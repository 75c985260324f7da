import PoseMath
import Testing

@testable import Calibration

@Suite struct GyroBiasTableTests {
    /// A gyro whose bias changes by 0.02 deg/s/K.
    private static func bias(_ celsius: Double) -> Vector3 { Vector3(0.000_35, -0.000_2, 0) * celsius }

    @Test func drivesAtTwoTemperaturesGiveTheLineBetween() throws {
        // GIVEN drives in a cold and in a warm car
        var table = GyroBiasTable()
        for celsius in [12.0, 24] { table.learn([.init(celsius: celsius, bias: Self.bias(celsius))], latest: nil) }
        // WHEN the bias in between, and outside, is asked
        let between = try #require(table.bias(at: 18))
        let outside = try #require(table.bias(at: 44))
        // THEN it is on the line, and outside that of the nearest, with the distance
        #expect((between.bias - Self.bias(18)).length < 1e-12 && between.kelvin == 6)
        #expect(outside.bias == Self.bias(24) && outside.kelvin == 20)
    }

    @Test func aDriveCountsOnceInEachFiveDegrees() throws {
        // GIVEN a drive whose sensor warms up from 20 to 26 degrees, looked at each minute
        var found: [GyroBiasTable.Entry] = []
        for step in 0...60 {
            let celsius = 20 + Double(step) / 10
            GyroBiasTable.note(Self.bias(celsius), at: celsius, in: &found)
        }
        #expect(found.map(\.celsius) == [24.9, 26])
        // WHEN it is learned four times, and then one of another bias
        var table = GyroBiasTable()
        for _ in 0..<4 { table.learn(found, latest: nil) }
        let before = try #require(table.bias(at: 26)).bias
        table.learn([.init(celsius: 26, bias: before + Vector3(0.001, 0, 0))], latest: nil)
        // THEN the new one has a fifth of the weight
        let after = try #require(table.bias(at: 26)).bias
        #expect(abs((after - before).x - 0.0002) < 1e-12)
        #expect(table.entries.map(\.drives) == [4, 5])
    }

    @Test func withoutATemperatureTheLastBiasCounts() throws {
        // GIVEN a sensor without a temperature channel
        var table = GyroBiasTable()
        #expect(table.bias(at: nil) == nil && table.bias(at: 20) == nil)
        table.learn([], latest: Vector3(0.01, 0, 0))
        // THEN the last bias is given, at an unknown distance
        let found = try #require(table.bias(at: nil))
        #expect(found.bias.x == 0.01 && found.kelvin == nil)
        #expect(try #require(table.bias(at: 20)).kelvin == nil)
    }

    @Test func whatIsNoBiasIsNotLearned() {
        // GIVEN numbers that no sensor has WHEN they are learned THEN nothing changes
        var table = GyroBiasTable()
        var found: [GyroBiasTable.Entry] = []
        for (celsius, bias) in [
            (Double.nan, Vector3.zero), (1e9, .zero), (20, Vector3(repeating: .nan)), (20, Vector3(9, 0, 0)),
        ] {
            GyroBiasTable.note(bias, at: celsius, in: &found)
            table.learn([.init(celsius: celsius, bias: bias)], latest: bias.length < 1 ? nil : bias)
        }
        #expect(found.isEmpty && table == GyroBiasTable())
        #expect(GyroBiasTable(entries: [.init(celsius: 20, bias: .zero, drives: 0)], latest: nil).entries.isEmpty)
    }
}
