import Testing

@testable import Calibration
@testable import posectl

/// The settings that a measurement of noise gives.
@Suite struct NoiseOutputTests {
    /// A curve of white noise of that density: its deviation falls with the root of the time.
    private static func curve(_ name: String, _ density: Double, isGyro: Bool, hasFit: Bool = true)
        -> NoiseCollector.Curve
    {
        let points = (0..<8).map { step in
            let seconds = Double(1 << step)
            return AllanFit.Point(seconds: seconds, deviation: density / seconds.squareRoot(), freedom: 1000)
        }
        return NoiseCollector.Curve(
            name: name, points: points, fit: hasFit ? AllanFit(points) : nil, isGyro: isGyro)
    }

    /// The settings of curves, as `name: value`.
    private static func keys(_ gyro: [Double], _ accelerometer: [Double], hidden: Int = 0) -> [String] {
        let curves =
            gyro.enumerated().map { curve("gyro \($0)", $1, isGyro: true, hasFit: $0 >= hidden) }
            + accelerometer.enumerated().map { curve("accelerometer \($0)", $1, isGyro: false) }
        return NoiseOutput.keys(curves).map { "\($0.section).\($0.name): \($0.value)" }
    }

    @Test func theLargestOfTheThreeAxesCounts() {
        // GIVEN densities of 0.06, 0.18 and 0.12 degrees, and of 0.02, 0.01 and 0.03 m/s2 THEN the largest are the
        // settings, in the units of their keys
        let degree = Double.pi / 180
        #expect(
            Self.keys([0.06 * degree, 0.18 * degree, 0.12 * degree], [0.02, 0.01, 0.03]) == [
                "fusion.gyro_noise_deg_s_sqrt_hz: 0.1800000", "fusion.accelerometer_noise_m_s2_sqrt_hz: 0.0300000",
            ])
    }

    @Test func aSensorWithAnAxisThatShowsNothingHasNoSetting() {
        #expect(Self.keys([], []) == [])
        #expect(Self.keys([1, 1], [0.02, 0.02, 0.02]) == ["fusion.accelerometer_noise_m_s2_sqrt_hz: 0.0200000"])
        #expect(Self.keys([1, 1, 1], [], hidden: 1) == [])
    }

    @Test func whatWasDoneWithTheSettingsIsTold() {
        let ending = "; in force after sudo systemctl restart posed"
        #expect(NoiseOutput.note(.unchanged, "/s") == "/s has these settings already")
        #expect(NoiseOutput.note(.created, "/s") == "written to /s" + ending)
        #expect(
            NoiseOutput.note(.changed(previous: "/etc/s.previous"), "/s")
                == "written to /s, the one before is /etc/s.previous" + ending)
    }

    @Test(arguments: [
        (2.0, "2.0000000"), (0.000_001_5, "0.0000015"), (1e-9, "0.0000001"), (12.25, "12.2500000"),
        (1e9, "100000.0000000"),
    ]) func aNumberHasSevenDecimals(density: Double, text: String) {
        // What is less than the last digit is one of it: zero would mean that there is no noise.
        #expect(
            Self.keys([], [density, density, density]) == ["fusion.accelerometer_noise_m_s2_sqrt_hz: \(text)"])
    }
}
