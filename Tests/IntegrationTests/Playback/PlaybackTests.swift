import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// `posectl replay --speed`: a recording on the sockets, as a display meets it.
@Suite struct PlaybackTests {
    private static var sample: String { "\(ExternalProgram.packageFolder)/samples/drive" }

    private static func start(_ folder: TemporaryFolder, _ options: [String], recording: String = sample) throws
        -> ChildProcess
    {
        try ExternalProgram.start(
            "posectl", ["replay", recording, "--folder", folder.path] + options, output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
    }

    /// A connection to the stream as soon as it listens.
    private static func connect(_ folder: TemporaryFolder) -> LineConnection? {
        var connection: LineConnection?
        _ = DaemonProcess.poll(seconds: 60) {
            connection = LineConnection("\(folder.path)/stream")
            return connection != nil
        }
        return connection
    }

    @Test func framesComeInRealTimeWithThePresentTime() throws {
        // GIVEN the sample drive that is played at its own speed, with a route
        let folder = try TemporaryFolder()
        let route = "\(ExternalProgram.packageFolder)/config/demo-route.json"
        let begin = monotonicSeconds()
        let process = try Self.start(folder, ["--speed", "1", "--route", route])
        defer { process.kill() }
        let stream = try #require(Self.connect(folder), "\(folder.text(of: "log"))")
        // WHEN a client subscribes THEN it gets frames of now, at the rate that it asks for, and the commands work
        stream.send(Array(#"{"cmd":"subscribe","rate_hz":20,"topics":["pose","guidance","sources"]}"#.utf8) + [10])
        var times: [Double] = []
        while times.count < 20, let line = stream.receive() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard object["type"] as? String == "frame", let time = object["t_s"] as? Double else { continue }
            times.append(time)
            // Not of the time of the recording: after the start, and not after the present.
            #expect(time > begin - 1 && time < monotonicSeconds() + 1)
            #expect((object["guidance"] as? [String: Any])?["route_version"] as? Int ?? 0 <= 1)
        }
        #expect(times.count == 20 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let status = stream.ask(#"{"cmd":"status"}"#)
        #expect(status["ok"] as? Bool == true, "\(status)")
        // WHEN it is told to stop THEN it ends at once and removes its sockets
        process.send(SIGINT)
        #expect(DaemonProcess.poll(seconds: 5) { !process.isRunning })
        #expect(process.exitCode == 0)
        #expect(access("\(folder.path)/stream", F_OK) != 0 && access("\(folder.path)/frames", F_OK) != 0)
    }

    @Test func aFastPlaybackEndsWithTheRecording() throws {
        // GIVEN the drive of a minute at twenty times its speed
        let folder = try TemporaryFolder()
        let begin = monotonicSeconds()
        let process = try Self.start(folder, ["--speed", "20"])
        defer { process.kill() }
        let stream = try #require(Self.connect(folder), "\(folder.text(of: "log"))")
        stream.send(Array(#"{"cmd":"subscribe","rate_hz":50,"topics":["pose"]}"#.utf8) + [10])
        // WHEN it is read to the end THEN the pose became good, and a last message came
        var states: Set<String> = []
        var last = ""
        while let line = stream.receive() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if let state = (object["pose"] as? [String: Any])?["state"] as? String { states.insert(state) }
            last = object["type"] as? String ?? ""
        }
        #expect(states.contains("aligned") && last == "bye", "\(states) \(last)")
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
        #expect(process.exitCode == 0)
        #expect(monotonicSeconds() - begin >= 2.9)
    }

    @Test func aRecordingIsPlayedWithItsRouteAndCommands() throws {
        // GIVEN a recording of a simulated drive, in which a route is loaded and the heading is trimmed
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "recording.mode=always", "--set",
            "recording.folder=\(folder.path)/drives",
            "--set", "recording.reserve_mib=0",
        ])
        let commands = try #require(LineConnection(daemon.streamPath))
        #expect(
            DaemonProcess.poll(seconds: 60) {
                ((commands.ask(#"{"cmd":"status"}"#)["route"] as? [String: Any])?["version"] as? Int ?? 0) > 0
            })
        #expect(commands.ask(#"{"cmd":"trim","to_deg":2.5}"#)["ok"] as? Bool == true)
        // Two seconds with it, so that a client which is held up finds some of them.
        var client = daemon.frameClient()
        let first = client.latestFrame(timeoutSeconds: 60)?.frame.sequence ?? .max
        #expect(
            first < .max
                && DaemonProcess.poll(seconds: 60) {
                    (client.latestFrame(timeoutSeconds: 1)?.frame.sequence ?? 0) > first + 200
                })
        #expect(daemon.stop().exitCode == 0)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/drives").first)
        // WHEN it is played THEN a client gets the route's name and maneuvers, and the trim
        let process = try Self.start(folder, ["--speed", "1"], recording: "\(folder.path)/drives/\(name)")
        defer { process.kill() }
        let stream = try #require(Self.connect(folder), "\(folder.text(of: "log"))")
        stream.send(Array(#"{"cmd":"subscribe","topics":["pose","guidance","events"]}"#.utf8) + [10])
        var (versions, trims, maneuvers): (Set<Int>, Set<Double>, [String]) = ([], [], [])
        while let line = stream.receive() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if let version = (object["guidance"] as? [String: Any])?["route_version"] as? Int {
                versions.insert(version)
            }
            if let trim = (object["pose"] as? [String: Any])?["heading_trim_deg"] as? Double { trims.insert(trim) }
            if object["type"] as? String == "maneuver", object["index"] is Int { maneuvers.append(line) }
        }
        #expect(versions.contains(1) && trims.contains(2.5), "\(versions) \(trims) \(folder.text(of: "log"))")
        #expect(!maneuvers.isEmpty)
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning } && process.exitCode == 0)
    }

    struct Usage: CustomTestStringConvertible {
        var options: [String]
        var status: Int32
        var testDescription: String { options.joined(separator: " ") }
    }

    @Test(arguments: [
        Usage(options: ["--speed", "0.5", "--folder", "/tmp"], status: 64),
        Usage(options: ["--speed", "1"], status: 64),
        Usage(options: ["--rate", "5"], status: 64),
        Usage(options: ["--speed", "1", "--folder", "/tmp", "--frames", "-"], status: 64),
        Usage(options: ["--speed", "1", "--folder", "/proc/x"], status: 73),
    ])
    func wrongUsageIsExplained(_ usage: Usage) throws {
        let result = try ExternalProgram.run("posectl", ["replay", Self.sample] + usage.options)
        #expect(result.exitCode == usage.status, "\(result.errors)")
        #expect(!result.errors.isEmpty)
    }
}
