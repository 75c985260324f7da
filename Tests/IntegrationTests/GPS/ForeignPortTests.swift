import Foundation
import Testing

/// Programs that are not gpsd on the port of the settings, and names that gpsd does not have.
@Suite struct ForeignPortTests {
    @Test(.enabled(if: ExternalProgram.has("python3"), "needs python3"))
    func anHTTPServerIsNamed() throws {
        // GIVEN an HTTP server on the port of the settings
        let folder = try TemporaryFolder()
        let port = try GpsdProcess.freePort()
        let server = try ExternalProgram.start(
            "python3", ["-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path, "\(port)"],
            output: "\(folder.path)/out", errors: "\(folder.path)/err")
        defer { server.kill() }
        let daemon = try DaemonProcess(["--source", "live", "--set", "gps.port=\(port)"])
        // THEN the log says that it is none of gpsd, and what to set
        #expect(
            DaemonProcess.poll(seconds: 60) {
                daemon.log.contains("localhost port \(port) is an HTTP server, not gpsd")
                    && daemon.log.contains("set gps.port")
            }, "\(daemon.log)")
    }

    @Test(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
    func aNameThatGpsdDoesNotHaveIsNamed() throws {
        // GIVEN gpsd with a receiver, and settings that name another one
        let feed = try ReceiverFeed()
        defer { feed.stop() }
        let gpsd = try GpsdProcess(devices: [feed.path])
        let daemon = try DaemonProcess([
            "--source", "live", "--set", "gps.port=\(gpsd.port)", "--set", "gps.device=/dev/ttyNONE",
        ])
        // THEN the status says which one gpsd has
        #expect(
            DaemonProcess.poll(seconds: 60) {
                usleep(200_000)
                let reply = LineConnection(daemon.streamPath)?.ask(#"{"cmd":"status"}"#)
                let sources = reply?["sources"] as? [[String: Any]] ?? []
                return sources.contains {
                    ($0["explanation"] as? String)?.contains(
                        "gpsd has \(feed.path), and gps.device is /dev/ttyNONE: set gps.device") == true
                }
            }, "\(daemon.log)")
    }
}
