import Foundation
import Measurements
import PoseMath
import Testing

@testable import Recording

/// Files of a recording, character by character, and how each column is read.
@Suite struct ExactFilesTests {
    private static func at(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test func theFilesAreThese() throws {
        // GIVEN one measurement of each sensor, a fix with every value and one with none
        let folder = try TemporaryFolder()
        let path = folder.path + "/drive"
        var fix = GnssFix(
            validityTime: Self.at(-1_500_000_000), arrivalTime: Self.at(2_000_000_001), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (1.5.degreesInRadians, (-2.25).degreesInRadians)
        (fix.altitudeEllipsoidMeters, fix.altitudeMeanSeaMeters, fix.geoidSeparationMeters) = (3, 4, 5.5)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 6, northMetersPerSecond: 7)
        fix.climbMetersPerSecond = 8
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (9, 10)
        (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (11, 12)
        (fix.magneticVariationRadians, fix.headingTrueRadians) = (13.0.degreesInRadians, 14.0.degreesInRadians)
        fix.headingSigmaRadians = 0.5.degreesInRadians
        (fix.satellitesUsed, fix.satellitesVisible, fix.quality, fix.isInterfered) = (15, 16, .rtkFloat, true)
        (fix.receiver, fix.utcNanoseconds, fix.timeSigmaSeconds) = (17, 1_800_000_000_000_000_010, 0.25)
        let writer = try FolderWriter(folder: path)
        let empty = GnssFix(validityTime: Self.at(3_000_000_000), arrivalTime: Self.at(3_000_000_000), mode: .none)
        for event in [
            .inertial(
                InertialSample(
                    time: Self.at(1), angularRateRadiansPerSecond: Vector3(1, 2.5, -3),
                    specificForceMetersPerSecondSquared: Vector3(4, 5, 6))),
            .magnetic(MagneticSample(time: Self.at(10), fluxDensityTesla: Vector3(1e-6, -2e-6, 3.5e-6))),
            .pressure(PressureSample(time: Self.at(0), pressurePascal: 100_000)),
            .wheelSpeed(WheelSpeedSample(time: Self.at(1_100_000_000), speedMetersPerSecond: 12.5)), .gnss(fix),
            .gnss(empty),
        ] as [SensorEvent] { try writer.write(event) }
        try writer.finish()
        // THEN these are the files
        func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
        #expect(
            try text("imu.csv")
                == "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"
                + "0.000000001,1,2.5,-3,4,5,6\n")
        #expect(try text("mag.csv") == "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n0.00000001,1,-2,3.5\n")
        #expect(try text("pressure.csv") == "t_s,pressure_pa\n0,100000\n")
        #expect(try text("wheel.csv") == "t_s,speed_m_s\n1.1,12.5\n")
        let fixes = try text("gnss.csv")
        #expect(fixes == Stored.fixes)
        #expect(writer.written == 6 && writer.skipped == 0)
    }

    /// The fix of a file with these columns and values.
    private static func fix(_ columns: String, _ values: String) throws -> GnssFix {
        let folder = try TemporaryFolder(["gnss.csv": "t_s,lat_deg,lon_deg,\(columns)\n5,1,2,\(values)\n"])
        let events = try RecordingTests.events(in: folder.path)
        guard case .gnss(let fix)? = events.first, events.count == 1 else {
            throw RecordingError(path: folder.path, problem: "has no fix", remedy: "")
        }
        return fix
    }

    @Test func eachColumnOfAFixIsReadInItsUnit() throws {
        // GIVEN radii over two and three axes THEN the sigma of one axis is a root of two or three smaller
        let radii = try Self.fix("eph_m,epv_m,sacc_m_s", "2,3,6")
        #expect(abs((radii.horizontalSigmaMeters ?? 0) - 2.squareRoot()) < 1e-12 && radii.verticalSigmaMeters == 3)
        #expect(abs((radii.speedSigmaMetersPerSecond ?? 0) - 12.squareRoot()) < 1e-12)
        #expect(abs((radii.climbSigmaMetersPerSecond ?? 0) - 12.squareRoot()) < 1e-12)
        // THEN sigmas of an axis go before them
        let sigmas = try Self.fix("eph_m,sacc_m_s,horizontal_sigma_m,speed_sigma_m_s,climb_sigma_m_s", "2,6,7,8,9")
        #expect(sigmas.horizontalSigmaMeters == 7 && sigmas.speedSigmaMetersPerSecond == 8)
        #expect(sigmas.climbSigmaMetersPerSecond == 9)
        // THEN the mode follows from the values where it is not stated
        #expect(try Self.fix("alt_msl_m", "").mode == .twoDimensional)
        #expect(try Self.fix("alt_msl_m", "3").mode == .twoDimensional)
        #expect(try Self.fix("alt_msl_m,geoid_separation_m", "3,").mode == .twoDimensional)
        #expect(try Self.fix("geoid_separation_m", "3").mode == .twoDimensional)
        // A height above the sea and that of the geoid give one above the ellipsoid; both heights give the geoid.
        let summed = try Self.fix("alt_msl_m,geoid_separation_m", "3,48.5")
        #expect(summed.mode == .threeDimensional && summed.altitudeEllipsoidMeters == 51.5)
        #expect(try Self.fix("alt_hae_m,alt_msl_m", "51.5,3").geoidSeparationMeters == 48.5)
        #expect(try Self.fix("alt_hae_m,alt_msl_m", "3,203").geoidSeparationMeters == -200)
        #expect(try Self.fix("alt_hae_m,alt_msl_m", "3,203.5").geoidSeparationMeters == nil)
        #expect(try Self.fix("alt_hae_m,alt_msl_m,geoid_separation_m", "51.5,3,40").geoidSeparationMeters == 40)
        #expect(try Self.fix("alt_hae_m", "3").mode == .threeDimensional)
        for (mode, expected) in [(0, FixMode.none), (1, .none), (2, .twoDimensional), (3, .threeDimensional)] {
            #expect(try Self.fix("mode", "\(mode)").mode == expected)
        }
        // THEN the quality is stated by a number, or by the kind of RTK
        for (rtk, expected) in [("0", FixQuality.unknown), ("1", .rtkFloat), ("2", .rtkFixed), ("", .unknown)] {
            #expect(try Self.fix("rtk", rtk).quality == expected)
        }
        #expect(try Self.fix("quality,rtk", "2,2").quality == .differential)
        #expect(try Self.fix("interfered", "1").isInterfered && !(try Self.fix("interfered", "0").isInterfered))
        // THEN half a velocity is none, and down is the other way
        #expect(try Self.fix("vel_n_m_s,vel_e_m_s,vel_d_m_s", "1,,3").horizontalVelocity == nil)
        let moving = try Self.fix("vel_n_m_s,vel_e_m_s,vel_d_m_s", "1,2,3")
        #expect(moving.horizontalVelocity == HorizontalVelocity(eastMetersPerSecond: 2, northMetersPerSecond: 1))
        #expect(moving.climbMetersPerSecond == -3 && moving.arrivalTime == moving.validityTime)
    }

    @Test(arguments: [
        ("mode", "4", "mode is out of range"), ("mode", "1.5", "mode is not one of 0, 1, 2, 3"),
        ("quality", "8", "quality is"), ("rtk", "3", "rtk is"), ("rtk", "0.5", "rtk is not one of 0, 1, 2"),
        ("arrival_s", "4.5", "the fix came in 0.5 s before it was valid"),
    ])
    func aValueThatCannotBeIsNamed(column: String, value: String, problem: String) {
        let error = #expect(throws: RecordingError.self) { try Self.fix(column, value) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("gnss.csv:2:7:") == true, "\(error?.description ?? "")")
    }

    @Test func linesEndInAnyForm() throws {
        // GIVEN line ends of all systems, blank lines, spaces around names, and no end of the last line
        let folder = try TemporaryFolder([
            "wheel.csv": " t_s , speed_m_s ,other\r\n\r\n1,2,x\n \t\n3, 4 ,\"y\"\r\n5,6,"
        ])
        let speeds = try RecordingTests.events(in: folder.path).map { event -> [Double] in
            guard case .wheelSpeed(let sample) = event else { return [] }
            return [sample.time.seconds, sample.speedMetersPerSecond]
        }
        #expect(speeds == [[1, 2], [3, 4], [5, 6]])
    }

    @Test func aTabBesideANameIsNoPartOfIt() throws {
        // GIVEN a header with tabs THEN the columns are known
        let folder = try TemporaryFolder(["wheel.csv": "\tt_s\t,\tspeed_m_s\t\n1,2\n"])
        let events = try RecordingTests.events(in: folder.path)
        guard case .wheelSpeed(let sample)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.count == 1 && sample.time.seconds == 1 && sample.speedMetersPerSecond == 2)
    }

    @Test func aLineHasItsNumberAndItsLongestLength() throws {
        let folder = try TemporaryFolder()
        func lines(_ text: String, longest: Int) throws -> [String] {
            try text.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
            let reader = try #require(try LineReader(path: folder.path + "/x", maximumLineBytes: longest))
            #expect(reader.size == text.utf8.count)
            var lines: [String] = []
            while let line = try reader.next() {
                lines.append("\(reader.line) \(String(decoding: line, as: UTF8.self))")
            }
            #expect(reader.bytesRead == text.utf8.count)
            return lines
        }
        #expect(try lines("a\n\nb\r\n\r\nc", longest: 16) == ["1 a", "2 ", "3 b", "4 ", "5 c"])
        #expect(try lines("", longest: 16) == [] && lines("a\r\r\n", longest: 16) == ["1 a\r"])
        // A buffer has eight lines: the text is longer than it.
        let many = (0..<100).map { "line \($0)" }
        let expected = many.enumerated().map { "\($0.offset + 1) \($0.element)" }
        #expect(try lines(many.joined(separator: "\n"), longest: 8) == expected)
        let error = #expect(throws: RecordingError.self) {
            _ = try lines("a\n" + String(repeating: "x", count: 200), longest: 16)
        }
        #expect(
            error?.description.contains("x:2: the line is longer than 16 bytes") == true, "\(error?.description ?? "")")
        #expect(try LineReader(path: folder.path + "/none") == nil)
    }
}

/// The stored documents.
private enum Stored {
    static let fixes = #"""
        t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,epv_m,mode,alt_msl_m,\#
        geoid_separation_m,magnetic_variation_deg,satellites_used,satellites_visible,quality,interfered,\#
        horizontal_sigma_m,speed_sigma_m_s,climb_sigma_m_s,utc_s,heading_deg,heading_sigma_deg,receiver,time_sigma_s
        -1.5,2.000000001,1.5,-2.25,3,7,6,-8,10,3,4,5.5,13,15,16,4,1,9,11,12,1800000000.00000001,14,0.5,17,0.25
        3,3,,,,,,,,1,,,,,,0,0,,,,,,,,

        """#
}
