import ArgumentParser
import Testing

@testable import posectl

/// What a calibration takes from its recording besides the samples.
@Suite struct CalibrationInputTests {
    /// Gravity for a recording with these rows of fixes: time, latitude, longitude and height.
    private func gravity(_ rows: String) throws -> Double? {
        let folder = try CommandFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("t_s,lat_deg,lon_deg,alt_hae_m\n\(rows)\n", "gnss.csv")
        let command = try PoseControl.parseAsRoot(["calibrate", "accel", folder.path])
        return try #require(command as? CalibrateCommand.Accelerometer).input.recordedGravity()
    }

    @Test(arguments: [
        ("0,0,8,0", 9.780_325_335_9), ("0,45,8,0", 9.806_197_769_4), ("0,45,8,", 9.806_197_769_4),
        ("0,89,8,0", 9.832_169_072_1), ("0,-89,8,0", 9.832_169_072_1), ("0,45,8,100", 9.805_889_221_7),
        // The poles.
        ("0,90,8,0", 9.832_184_937_9), ("0,-90,8,0", 9.832_184_937_9),
        ("0,45,8,-500", 9.807_740_724_7), ("0,45,8,-600", 9.807_740_724_7), ("0,45,8,9000", 9.778_486_404_5),
        ("0,45,8,9500", 9.778_486_404_5),
    ]) func gravityIsThatOfThePlace(rows: String, gravity expected: Double) throws {
        // GIVEN a fix anywhere on the Earth THEN gravity is that of WGS 84 at its latitude and height; a height that no
        // road has counts as the nearest that one may have
        let found = try #require(try gravity(rows))
        #expect(abs(found - expected) < 1e-9)
    }

    @Test func theFirstPlaceCounts() throws {
        // GIVEN fixes without a place before one with a place, and another one after it THEN that is where it was
        let found = try #require(try gravity("0,,,\n1,,,\n2,45,8,0\n3,0,8,0"))
        #expect(abs(found - 9.806_197_769_4) < 1e-9)
        #expect(try gravity("0,,,\n1,,,") == nil)
    }
}
