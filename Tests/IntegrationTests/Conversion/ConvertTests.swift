import Foundation
import Testing

/// `posectl convert` and `posectl info` as a user runs them.
@Suite struct ConvertTests {
    private static func convert(_ arguments: String...) throws -> ProgramResult {
        try ExternalProgram.run("posectl", ["convert"] + arguments)
    }

    /// Sentences of a receiver that drives north with 10 m/s, one epoch per second, as GGA, GSA, GSV and RMC. Without
    /// GSV gpsd reports no number of satellites, and reads a position without that number as no fix.
    private static func drive(seconds: Int) -> String {
        func sentence(_ body: String) -> String {
            "$\(body)*\(String(format: "%02X", Int(body.utf8.reduce(0) { $0 ^ $1 })))\r\n"
        }
        return (0..<seconds).map { second in
            let minutes = Double(second) * 10 / 1853.0
            let place = String(format: "48%08.5f,N,01130.00000,E", minutes)
            let clock = String(format: "1200%02d.00", second)
            return sentence("GPGGA,\(clock),\(place),1,09,0.9,514.0,M,46.0,M,,")
                + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,09,,,,1.6,0.9,1.3")
                + (0..<3).map { part in
                    let satellites = (part * 3 + 1...part * 3 + 3).map { ",0\($0),45,\(100 + $0 * 20),40" }
                    return sentence("GPGSV,3,\(part + 1),09\(satellites.joined())")
                }.joined() + sentence("GPRMC,\(clock),A,\(place),19.438,0.0,010326,,,A")
        }.joined()
    }

    @Test(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
    func aReceiversLogBecomesARecordingAndATrackAndANMEALogAgain() throws {
        // GIVEN a log of 40 epochs in NMEA
        let folder = try TemporaryFolder()
        try folder.write(Self.drive(seconds: 40), to: "drive.log")
        // WHEN it is converted by a real gpsd
        let made = try Self.convert("\(folder.path)/drive.log", "\(folder.path)/drive")
        #expect(made.exitCode == 0 && made.output == "", "\(made.errors)")
        #expect(made.errors.hasPrefix("posectl: receiver's log in NMEA 0183, 40 measurements in 39 s; wrote 40"))
        // THEN every epoch is a fix with its UTC; the last digit is that of the log
        let rows = folder.text(of: "drive/gnss.csv").split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows.count == 41)
        let utc = try #require(rows[0].firstIndex(of: "utc_s"))
        for (second, row) in rows.dropFirst().enumerated() {
            #expect(abs((Double(row[2]) ?? 0) - 48 - Double(second) * 10 / 1853 / 60) < 1e-7)
            #expect(row[0] == "\(second)" && row[utc] == "\(1_772_366_400 + second)")
        }
        // WHEN that is written as NMEA and read again THEN the positions are those of the poses
        let again = try Self.convert("\(folder.path)/drive", "\(folder.path)/out.nmea")
        #expect(again.exitCode == 0, "\(again.errors)")
        let back = try Self.convert("\(folder.path)/out.nmea", "\(folder.path)/back")
        #expect(back.exitCode == 0, "\(back.errors)")
        let track = try Self.convert("\(folder.path)/drive", "\(folder.path)/out.gpx")
        #expect(track.exitCode == 0, "\(track.errors)")
        let latitudes = folder.text(of: "back/gnss.csv").split(separator: "\n").dropFirst().compactMap {
            Double($0.split(separator: ",", omittingEmptySubsequences: false)[2])
        }
        let points = folder.text(of: "out.gpx").matches(of: /lat="([-0-9.]+)"/).compactMap { Double($0.output.1) }
        #expect(points.count >= 38 && latitudes.count == points.count, "\(latitudes.count) of \(points.count)")
        // Seven decimals of a minute.
        for (read, written) in zip(latitudes, points) { #expect(abs(read - written) < 2e-9) }
    }

    @Test(
        .enabled(if: GpsdProcess.isInstalled && ReceiverLog.areThere, "needs gpsd and the shared receiver logs"),
        arguments: ["ublox-neo-m8n", "neo-m8n", "bu303-moving", "garmin-10x", "ublox-f9p-hpnmea"])
    func logsOfRealReceiversGiveEveryEpoch(_ name: String) throws {
        // GIVEN a log of a real receiver: u-blox binary and NMEA, SiRF, Garmin
        let log = try ReceiverLog(name)
        let folder = try TemporaryFolder()
        try Data(log.bytes).write(to: URL(fileURLWithPath: folder.path + "/log"))
        let result = try Self.convert("\(folder.path)/log", "\(folder.path)/drive")
        #expect(result.exitCode == 0, "\(result.errors)")
        // THEN the fixes are the epochs that gpsd's own results have; the first and last may be cut there
        let fixes = folder.text(of: "drive/gnss.csv").split(separator: "\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        }
        let expected = log.epochs.dropFirst().dropLast()
        let found = expected.count { epoch in
            fixes.contains {
                abs(($0[2] ?? 99) - epoch.latitudeDegrees) < 2e-9 && abs(($0[3] ?? 999) - epoch.longitudeDegrees) < 2e-9
            }
        }
        #expect(found == expected.count, "\(found) of \(expected.count), \(fixes.count) fixes")
    }

    @Test(
        .enabled(if: GpsdProcess.isInstalled && ReceiverLog.areThere, "needs gpsd and the shared receiver logs"),
        arguments: [
            "ublox-neo-m8n", "neo-m8n", "bu303-moving", "garmin-10x", "ublox-f9p-hpnmea", "bu303-climbing", "ac12",
            "bt-q818", "et-332", "bu353s4",
        ])
    func aRealGpsdFindsEveryFixInTheOutputOfReceiverLogs(_ name: String) throws {
        // GIVEN a log of a real receiver WHEN its poses are written as NMEA
        let folder = try TemporaryFolder()
        try Data(ReceiverLog(name).bytes).write(to: URL(fileURLWithPath: folder.path + "/log"))
        for (from, to) in [("log", "drive"), ("drive", "out.nmea"), ("out.nmea", "back")] {
            let result = try Self.convert("\(folder.path)/\(from)", "\(folder.path)/\(to)")
            #expect(result.exitCode == 0, "\(from) to \(to): \(result.errors)")
        }
        // THEN gpsd finds a fix in every epoch that states one, at its place, and none in the others
        let sentences = folder.text(of: "out.nmea").split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let written = sentences.filter { $0[0].hasSuffix("RMC") && $0[2] == "A" }.compactMap { fields -> Double? in
            guard let degrees = Double(fields[3].prefix(2)), let minutes = Double(fields[3].dropFirst(2)) else {
                return nil
            }
            return (degrees + minutes / 60) * (fields[4] == "S" ? -1 : 1)
        }
        let found = folder.text(of: "back/gnss.csv").split(separator: "\n").dropFirst().compactMap {
            Double($0.split(separator: ",", omittingEmptySubsequences: false)[2])
        }
        #expect(written.count >= 5 && found.count == written.count, "\(found.count) of \(written.count)")
        // Seven decimals of a minute.
        for (read, told) in zip(found, written) { #expect(abs(read - told) < 2e-9) }
        // AND no position is stated with no satellites, which gpsd 3.22 reads as no fix
        let positions = sentences.filter { $0[0].hasSuffix("GGA") && $0[6] != "0" }
        #expect(positions.count == written.count && positions.allSatisfy { $0[7] != "00" })
    }

    @Test(.enabled(if: ExternalProgram.has("script"), "needs script of bsdutils"))
    func aTerminalShowsTheProgressAndAPipeDoesNot() throws {
        // GIVEN a replay on a terminal and one with its messages in a file
        let folder = try TemporaryFolder()
        let sample = "\(ExternalProgram.packageFolder)/samples/drive"
        let program = "\(ExternalProgram.buildFolder)/posectl replay \(sample) --frames \(folder.path)/frames"
        let shown = try ExternalProgram.run(
            "script", ["-qec", program, "\(folder.path)/screen"], environment: ["TERM": "xterm"])
        #expect(shown.exitCode == 0)
        let screen = folder.text(of: "screen")
        // THEN the terminal has a bar that grows (this recording is read in a few blocks) and is removed before the
        // summary
        let shares = screen.matches(of: /\] ([0-9]+) %/).compactMap { Int($0.output.1) }
        #expect(!shares.isEmpty && shares == shares.sorted() && shares.allSatisfy { $0 <= 100 }, "\(shares)")
        #expect(screen.contains("\r\u{1B}[Kposectl: 3300 events in 59 s gave 3000 frames"), "\(screen)")
        let piped = try ExternalProgram.run("posectl", ["replay", sample, "--frames", "\(folder.path)/frames"])
        #expect(piped.errors.hasPrefix("posectl: 3300 events") && piped.output == "")
    }

    @Test func aFileThatIsTheStandardOutputIsWrittenAsThat() throws {
        // GIVEN a standard output that is a file WHEN the output is a link to it THEN it gets the same as for `-`:
        // nothing is put in the place of the link
        let sample = "\(ExternalProgram.packageFolder)/samples/drive"
        let usual = try Self.convert(sample, "-", "--to", "gpx")
        let linked = try Self.convert(sample, "/proc/self/fd/1", "--to", "gpx")
        #expect(linked.exitCode == 0 && linked.output == usual.output, "\(linked.errors)")
        #expect(usual.output.hasPrefix("<?xml") && usual.output.hasSuffix("</gpx>\n"))
    }

    @Test func everyFormatCanBeReplayedAndSmoothed() throws {
        // GIVEN the sample drive as a recording of posed, and a log of gpsd's JSON
        let folder = try TemporaryFolder()
        let made = try Self.convert("\(ExternalProgram.packageFolder)/samples/drive", "\(folder.path)/drive.mcap")
        #expect(made.exitCode == 0, "\(made.errors)")
        let reports = (10..<30).map { second in
            #"{"class":"TPV","mode":3,"time":"2026-03-01T12:00:\#(second).000Z","lat":47.5,"lon":8.25,"altHAE":500}"#
        }
        try folder.write(reports.joined(separator: "\n"), to: "log.json")
        func lines(_ command: String, _ recording: String) throws -> [Substring] {
            let result = try ExternalProgram.run(
                "posectl", [command, recording, "--frames", "\(folder.path)/frames", "--quiet"])
            #expect(result.exitCode == 0 && result.errors == "", "\(result.errors)")
            return folder.text(of: "frames").split(separator: "\n")
        }
        // THEN the recording is smoothed to the same frames as its source, and the log is smoothed and replayed
        let smoothed = try lines("smooth", "\(ExternalProgram.packageFolder)/samples/drive")
        #expect(try smoothed.count >= 3000 && lines("smooth", "\(folder.path)/drive.mcap") == smoothed)
        #expect(try lines("smooth", "\(folder.path)/log.json").count == 20)
        #expect(try lines("replay", "\(folder.path)/log.json").count == 20)
    }

    @Test func problemsNameTheFileAndHaveTheirExitStatus() throws {
        let folder = try TemporaryFolder()
        for name in ["drive", "fixes"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try folder.write("t_s,speed_m_s\n0,1\n0.1,x\n", to: "drive/wheel.csv")
        // GIVEN a broken line THEN its place is named, and there is no output
        let broken = try Self.convert("\(folder.path)/drive", "\(folder.path)/copy")
        #expect(broken.exitCode == 65)
        #expect(
            broken.errors.hasPrefix("posectl: \(folder.path)/drive/wheel.csv:3:5: speed_m_s is not a number: \"x\""))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy/wheel.csv"))
        // AND info shows what comes before it
        let info = try ExternalProgram.run("posectl", ["info", "\(folder.path)/drive"])
        #expect(info.exitCode == 65 && info.output.contains("wheels"), "\(info.output)")
        // GIVEN an unknown extension, a folder on the standard output, a place that cannot be written
        #expect(try Self.convert("\(folder.path)/drive", "a.xyz").exitCode == 64)
        #expect(try Self.convert("\(folder.path)/drive", "-", "--to", "csv").exitCode == 64)
        try folder.write("t_s,lat_deg,lon_deg\n0,47,8\n", to: "fixes/gnss.csv")
        #expect(try Self.convert("\(folder.path)/fixes", "/proc/a.gpx").exitCode == 73)
        #expect(try Self.convert("\(folder.path)/fixes", "/proc/a").exitCode == 73)
        #expect(try Self.convert("\(folder.path)/absent", "\(folder.path)/x").exitCode == 65)
    }
}
