import Foundation
import Testing

/// A daemon that drives through Andorra, with a file of its roads and a real routing server.
@Suite(.enabled(if: ExternalProgram.has("python3") && ValhallaServer.shared != nil, "\(ValhallaServer.reason)"))
struct RoutingServerTests {
    /// A daemon whose receiver drives from the middle of Andorra la Vella to the south, ended with the test.
    final class Drive {
        let daemon: DaemonProcess
        private let folder: TemporaryFolder
        private let receiver: ChildProcess

        init(_ settings: [String]) throws {
            let server = try #require(ValhallaServer.shared)
            folder = try TemporaryFolder()
            try server.line(from: (42.5078, 1.5211), to: (42.4637, 1.4912)).write(
                toFile: "\(folder.path)/line", atomically: true, encoding: .utf8)
            let port = try GpsdProcess.freePort()
            let roads = "\(folder.path)/roads.posed"
            let imported = try ExternalProgram.run(
                "posectl", ["roads", "import", try #require(ValhallaServer.extract), "-o", roads, "--country", "AD"])
            try #require(imported.exitCode == 0, "\(imported.errors)")
            // After that: the drive begins with the program.
            let script = ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/gpsd_drive.py"
            receiver = try ExternalProgram.start("python3", [script, "\(port)", "\(folder.path)/line", "14"])
            daemon = try DaemonProcess(
                [
                    "--source", "live", "--set", "gps.port=\(port)", "--set", "roads.file=\(roads)", "--set",
                    "imu.gyro_device=off", "--set",
                    "imu.accelerometer_device=off",
                ]
                    + settings.flatMap { ["--set", $0] })
        }

        func control(_ arguments: [String], _ operands: String...) throws -> ProgramResult {
            try ExternalProgram.run("posectl", arguments + ["--socket", daemon.streamPath, "--"] + operands)
        }

        var status: String { (try? control(["status", "--json"]))?.output ?? "" }
    }

    @Test func aRouteToADestinationAndAnotherAfterLeavingIt() throws {
        let server = try #require(ValhallaServer.shared)
        // GIVEN a daemon that has a fix, and a routing server
        let drive = try Drive(["routing.server=http://127.0.0.1:\(server.port)"])
        #expect(DaemonProcess.poll(seconds: 60) { drive.daemon.frameClientHasPosition })
        // WHEN a route to the north-east is asked for
        let asked = try drive.control(["route", "to"], "42.5666,1.5970")
        // THEN it is loaded from the server
        #expect(asked.exitCode == 0, "\(asked.errors)")
        #expect(drive.status.contains("\"loaded\":true") && drive.status.contains("valhalla at 127.0.0.1"))
        // WHEN the vehicle goes on to the south THEN the departure is found, and another route is asked for and
        // followed
        #expect(
            DaemonProcess.poll(seconds: 120) { drive.daemon.log.contains("requesting a reroute from") },
            "\(drive.status)")
        #expect(
            DaemonProcess.poll(seconds: 60) { drive.status.contains("\"version\":2,\"loaded\":true") },
            "\(drive.daemon.log)")
        // and the limit comes from the route or the road, not from the stand-in
        #expect(
            DaemonProcess.poll(seconds: 60) {
                drive.daemon.limitSource.map { $0 != "fallback" && $0 != "none" } ?? false
            })
    }

    @Test(.enabled(if: OSRMServer.shared != nil, "\(OSRMServer.reason)"))
    func aRouteOfOSRMAndItsErrors() throws {
        let server = try #require(OSRMServer.shared)
        // GIVEN a daemon that asks an OSRM server
        let drive = try Drive(["routing.server=http://127.0.0.1:\(server.port)", "routing.kind=osrm"])
        #expect(DaemonProcess.poll(seconds: 60) { drive.daemon.frameClientHasPosition })
        // WHEN a route is asked for THEN it is loaded, with maneuvers and times of the server
        let asked = try drive.control(["route", "to"], "42.5666,1.5970")
        #expect(asked.exitCode == 0, "\(asked.errors)")
        #expect(drive.status.contains("\"loaded\":true") && drive.status.contains("osrm at 127.0.0.1"))
        // WHEN the vehicle goes on the other way THEN another is asked for, in its direction of travel
        #expect(
            DaemonProcess.poll(seconds: 120) { drive.status.contains("\"version\":2,\"loaded\":true") },
            "\(drive.daemon.log)")
        // WHEN the answer is no route THEN the server's own word is told, and the route stays
        let path = try Drive(["routing.server=http://127.0.0.1:\(server.port)/elsewhere", "routing.kind=osrm"])
        #expect(DaemonProcess.poll(seconds: 60) { path.daemon.frameClientHasPosition })
        let refused = try path.control(["route", "to"], "42.5666,1.5970")
        #expect(refused.exitCode == 65 && refused.errors.contains("refused the request (400)"), "\(refused.errors)")
    }

    @Test func withoutAServerItSaysSo() throws {
        let drive = try Drive([])
        #expect(DaemonProcess.poll(seconds: 60) { drive.daemon.frameClientHasPosition })
        let asked = try drive.control(["route", "to"], "42.5666,1.5970")
        #expect(asked.exitCode == 65 && asked.errors.contains("routing.server"))
        // AND the limits of the road stand in for those of a route
        #expect(
            DaemonProcess.poll(seconds: 60) {
                drive.daemon.limitSource.map { $0 == "road" || $0 == "roadClass" } ?? false
            })
    }

    @Test func aServerThatIsNotThereOrKnowsNoWay() throws {
        let server = try #require(ValhallaServer.shared)
        let gone = try Drive(["routing.server=http://127.0.0.1:9"])
        #expect(DaemonProcess.poll(seconds: 60) { gone.daemon.frameClientHasPosition })
        let asked = try gone.control(["route", "to"], "42.5666,1.5970")
        #expect(asked.exitCode == 65 && asked.errors.contains("no routing server answers"), "\(asked.errors)")
        let drive = try Drive(["routing.server=http://127.0.0.1:\(server.port)/"])
        #expect(DaemonProcess.poll(seconds: 60) { drive.daemon.frameClientHasPosition })
        let far = try drive.control(["route", "to"], "-10,20")
        #expect(far.exitCode == 65 && far.errors.contains("refused the request (400)"), "\(far.errors)")
    }
}

extension DaemonProcess {
    /// The value of a member of the next frame; a client of its own each time.
    private func member(_ name: String) -> String? {
        guard let line = LineConnection(streamPath) else { return nil }
        line.send(Array("{\"cmd\":\"subscribe\",\"rate_hz\":10,\"topics\":[\"pose\",\"speed\"]}\n".utf8))
        for _ in 0..<10 {
            guard let text = line.receive(), let place = text.range(of: "\"\(name)\":") else { continue }
            return String(text[place.upperBound...].prefix { $0 != "," && $0 != "}" })
        }
        return nil
    }

    /// Whether a frame has a position.
    var frameClientHasPosition: Bool { member("lat_deg").map { $0 != "null" } ?? false }

    /// Where the limit comes from.
    var limitSource: String? { member("limit_source")?.replacingOccurrences(of: "\"", with: "") }
}
