import ArgumentParser
import Foundation
import Platform
import PlayedDaemon
import Testing

@testable import posectl

/// Whole commands in this process: the files that they write, what the daemon hears, and their exit status.
@Suite struct RunTests {
    private typealias Folder = CommandFolder

    /// The exit status of a command, whose words have `F` for the folder of the test.
    private func run(_ words: String, _ folder: String = "/nowhere") -> Int32 { CommandFolder.run(words, folder) }

    /// A drive of some seconds, with a recording of CSV files and one of MCAP.
    private func drive() throws -> Folder {
        let folder = try Folder()
        try folder.write(
            "title: short\nroute: {corners: [[48, 11], [48.0005, 11]]}\nspeed: {standing_before_s: 2}\n", "s.yaml")
        #expect(run("simulate F/s.yaml --output F/drive --quiet", folder.path) == 0)
        #expect(folder.text("drive/truth.csv").hasPrefix("t_s,lat_deg,lon_deg,alt_hae_m,"))
        #expect(folder.text("drive/gnss.csv").split(separator: "\n").count > 5)
        return folder
    }

    @Test func aRecordingGoesThroughEveryCommand() throws {
        let folder = try drive()
        // WHEN a recording is converted to MCAP and back THEN its measurements are the same
        #expect(run("convert F/drive F/a.mcap --quiet", folder.path) == 0)
        #expect(run("convert F/a.mcap F/back --quiet", folder.path) == 0)
        #expect(!folder.text("drive/imu.csv").isEmpty && folder.text("back/imu.csv") == folder.text("drive/imu.csv"))
        // THEN each format of poses is written, with as many poses as asked for
        #expect(run("convert F/drive F/a.tum --rate 2 --quiet", folder.path) == 0)
        #expect(run("convert F/drive F/b.tum --rate 4 --quiet --smooth", folder.path) == 0)
        #expect(run("convert F/a.mcap F/c.tum --rate 2 --quiet --from mcap --to tum", folder.path) == 0)
        let (slow, fast) = (folder.text("a.tum"), folder.text("b.tum"))
        #expect(slow.count > 100 && fast.split(separator: "\n").count > slow.split(separator: "\n").count)
        #expect(folder.text("c.tum") == slow)
        // THEN frames are written at their rate, forward and smoothed, and what the drive has shown is kept
        #expect(run("replay F/drive --frames F/f.ndjson --rate 2 --quiet", folder.path) == 0)
        #expect(run("replay F/a.mcap --frames F/g.ndjson --rate 2 --quiet", folder.path) == 0)
        #expect(run("smooth F/drive --frames F/s.ndjson --rate 4 --quiet", folder.path) == 0)
        let frames = folder.text("f.ndjson").split(separator: "\n")
        #expect(frames.count > 5 && frames.allSatisfy { $0.hasPrefix("{\"type\":\"frame\"") })
        #expect(folder.text("g.ndjson").split(separator: "\n").count == frames.count)
        #expect(folder.text("s.ndjson").split(separator: "\n").count > frames.count)
        #expect(run("replay F/drive --frames F/h.ndjson --rate 2 --quiet --state F/state", folder.path) == 0)
        #expect(folder.text("h.ndjson") == folder.text("f.ndjson"))
        #expect(run("replay F/a.mcap --frames F/h.ndjson --state F/state", folder.path) == 64)
    }

    @Test func aReportIsAPageAndItsFigures() throws {
        let folder = try drive()
        #expect(run("report F/drive --output F/p.html --figures F/p.json --quiet", folder.path) == 0)
        #expect(folder.text("p.html").hasPrefix("<!DOCTYPE html>") && folder.text("p.json").hasPrefix("{"))
        // The truth beside the recording is the reference.
        #expect(folder.text("p.json").contains("\"error\":{"))
        // The figures are written, too, where they are printed instead of a page.
        #expect(run("report F/drive --json --figures F/q.json --quiet", folder.path) == 0)
        #expect(folder.text("q.json").contains("\"error\":{"))
        #expect(run("report F/drive F/drive --output F/two.html --quiet", folder.path) == 0)
        #expect(folder.text("two.html").count > folder.text("p.html").count)
        for (words, status) in [
            ("report F/none --output F/x.html", 65), ("report F/drive --output F/no/x.html", 73),
            ("report F/drive --output F/x.html --figures F/no/x.json", 73),
            ("report F/drive --output F/x.html --reference F/s.yaml", 65),
            ("report F/drive --output F/x.html --route F/s.yaml", 65),
            ("report F/drive --output F/x.html --config F/none", 78),
        ] as [(String, Int32)] { #expect(run("\(words) --quiet", folder.path) == status, "\(words)") }
    }

    @Test func whatCannotBeDoneHasItsExitStatus() throws {
        let folder = try drive()
        try folder.write("fusion: {nothing: 1}\n", "bad.yaml")
        try folder.write("not a recording\n", "text")
        for (words, status) in [
            ("convert F/none F/x.gpx", 65), ("convert F/text F/x.gpx", 65), ("convert F/drive F/no/x.gpx", 73),
            ("convert F/drive F/no/x", 73), ("convert F/drive F/no/x.mcap", 73),
            ("convert F/drive F/x.gpx --config F/bad.yaml", 78), ("convert F/text F/x.gpx --from csv", 65),
            ("replay F/none --frames F/x", 65), ("replay F/drive --frames F/no/x", 73),
            ("replay F/drive --frames F/x --config F/bad.yaml", 78), ("replay F/drive --frames F/x --route F/text", 65),
            ("replay F/drive --frames F/x --events F/no/x", 73), ("smooth F/none --frames F/x", 65),
            ("smooth F/drive --frames F/no/x", 73), ("simulate F/none.yaml", 65), ("simulate nothing", 65),
            ("simulate F/bad.yaml", 65), ("simulate F/s.yaml --output F/no/x.mcap", 73),
            ("simulate nothing --print", 65),
        ] as [(String, Int32)] {
            let quiet = words.hasSuffix("--print") ? "" : " --quiet"
            #expect(run(words + quiet, folder.path) == status, "\(words)")
        }
    }

    @Test func aBatchThatCannotBeginHasItsExitStatus() throws {
        let folder = try Folder()
        try folder.write("x", "text")
        #expect(run("batch replay F/text --output F/no/out --quiet", folder.path) == 73)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        #expect(run("batch replay F/empty --output F/out --quiet", folder.path) == 65)
        #expect(run("batch replay @F/none --output F/out --quiet", folder.path) == 65)
        #expect(run("batch collect F/text", folder.path) == 65 && run("batch run F/text --task 0", folder.path) == 65)
    }

    // MARK: - The daemon

    /// The exit status of commands to a daemon with these answers, and what it heard.
    private func ask(_ words: String, _ answer: @escaping @Sendable (String) -> [String]?) throws -> (Int32, [String]) {
        let folder = try Folder()
        let daemon = PlayedDaemon("\(folder.path)/stream", answer: answer)
        return (run("\(words) --folder \(folder.path)"), daemon.lines)
    }

    /// A positive reply to any command.
    private static func reply(_ line: String, _ more: String = "") -> [String] {
        let name = line.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
        return [#"{"type":"reply","cmd":"\#(name)","ok":true\#(more)}"#]
    }

    @Test(arguments: [
        ("reset", #"{"cmd":"reset"}"#), ("trim 1.5", #"{"cmd":"trim","by_deg":1.500000}"#),
        ("trim --set=-2", #"{"cmd":"trim","to_deg":-2.000000}"#), ("route clear", #"{"cmd":"route_clear"}"#),
        ("route load /etc/../etc/hostname", #"{"cmd":"route_load","path":"/etc/hostname"}"#),
    ]) func aCommandReachesTheDaemon(words: String, line: String) throws {
        let (status, heard) = try ask(words) { Self.reply($0) }
        #expect(status == 0 && heard == [line])
        // AND one that is refused, or that ends the connection
        let refusal = #"{"type":"reply","cmd":null,"ok":false,"error":{"what":"w","where":"x","remedy":"y"}}"#
        #expect(try ask(words) { _ in [refusal] }.0 == 65)
        #expect(try ask(words) { _ in nil }.0 == 2 && run("\(words) --folder /nowhere") == 2)
    }

    @Test(arguments: [
        ("/home/u/r.json", true), ("/root/r.json", true), ("/run/user/1000/r.json", true), ("/tmp/r.json", true),
        ("/var/tmp/r.json", true), ("/etc/posed/r.json", false), ("/homework/r.json", false),
    ]) func aFileThatTheServiceCannotSeeHasAHint(path: String, isHidden: Bool) {
        // GIVEN a refusal WHEN the file could not be opened THEN the hint tells where it has to lie
        let hint = RouteCommand.Load.hint(for: path, refusal: "\(path): cannot be opened: Permission denied; check")
        let expected =
            "the service cannot see /home and /tmp: sudo install -m 644 '\(path)' /etc/posed/, and load that"
        #expect(hint == (isHidden ? expected : nil))
        // AND a file that the daemon has read has none
        #expect(RouteCommand.Load.hint(for: path, refusal: "\(path): has no route; name another") == nil)
    }

    @Test func aRouteToPlacesReachesTheDaemon() throws {
        let folder = try Folder()
        let daemon = PlayedDaemon("\(folder.path)/stream") { Self.reply($0) }
        #expect(run("route to --folder \(folder.path) -- 42.5,1.25 -10,180") == 0)
        #expect(
            daemon.lines == [#"{"cmd":"route_to","places":[[42.5000000,1.2500000],[-10.0000000,180.0000000]]}"#])
    }

    @Test(arguments: [("aligned", Int32(0)), ("coarse", 1), ("lost", 1)])
    func theStatusTellsTheHealth(pose: String, exit: Int32) throws {
        let status =
            #","release":"1","uptime_s":1,"pose":{"state":"\#(pose)","why":[]},"sources":[{"name":"gps","#
            + #""kind":"gps","place":"gpsd","state":"streaming","explanation":""}],"clients":{"connected":1},"#
            + #""settings":{"notes":[]}"#
        #expect(try ask("status") { Self.reply($0, status) }.0 == exit)
    }

    @Test func aWaitEndsWithItsStatus() throws {
        #expect(run("wait --timeout 0 --quiet --folder /nowhere") == 2)
        #expect(try ask("wait --until route --timeout 0 --quiet") { _ in [] }.0 != 0)
        #expect(try ask("record status") { Self.reply($0, #","recording":{"state":"failed","problem":"p"}"#) }.0 == 1)
        #expect(try ask("record status") { Self.reply($0, #","recording":{"state":"waiting"}"#) }.0 == 0)
        #expect(try ask("record status") { Self.reply($0) }.0 == 2)
    }

    @Test(arguments: [
        ("record status", ["status"]), ("record stop", ["status", "stop", "status"]),
        ("record start", ["start", "status"]),
        ("record start --reset", ["start", "reset", "status"]),
    ]) func theRecorderIsAskedInThisOrder(words: String, heard: [String]) throws {
        let waiting = #","recording":{"state":"waiting"}"#
        let (status, lines) = try ask(words) { Self.reply($0, waiting) }
        #expect(status == 0)
        #expect(
            lines == heard.map { $0 == "reset" ? #"{"cmd":"reset"}"# : #"{"cmd":"record","action":"\#($0)"}"# })
    }

    @Test func aGoalThatIsNotReachedHasItsStatus() throws {
        // GIVEN a daemon without a route WHEN that is waited for THEN the status is 1; that of a daemon that has not
        // answered yet is 2, for which a slow machine has some rounds
        var status = Int32(2)
        for timeout in ["0.1", "0.5", "2", "8"] where status == 2 {
            status = try ask("wait --until route --timeout \(timeout) --quiet") { _ in [] }.0
        }
        #expect(status == 1)
    }

    @Test func theClockRunsInSeconds() {
        // GIVEN two readings of the monotonic clock THEN a reading between them is between them; a microsecond is for
        // rounding
        for _ in 0..<10 {
            let before = SystemClock.monotonicNow.seconds
            let now = SystemSeconds.now
            #expect(now >= before - 1e-6 && now <= SystemClock.monotonicNow.seconds + 1e-6)
        }
    }
}
