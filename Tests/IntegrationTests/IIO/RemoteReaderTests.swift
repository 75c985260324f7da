import Foundation
import Glibc
import Testing

/// The daemon with an IIO context on another machine, which a process of its own reads.
@Suite(.serialized) struct RemoteReaderTests {
    private func daemon(_ server: IIODTestServer) throws -> DaemonProcess {
        // A backtrace of the reader would take longer than all the rest.
        try DaemonProcess(
            [
                "--set", "gps.enabled=false", "--set", "imu.context=ip:127.0.0.1:\(server.port)",
                "--set", "imu.magnetometer_device=off", "--set", "imu.barometer_device=off",
                "--set", "imu.context_timeout_s=5",
            ], environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// The entry of the IMU in the status.
    private func imu(_ daemon: DaemonProcess) -> [String: Any] {
        let reply = LineConnection(daemon.streamPath)?.ask(#"{"cmd":"status"}"#)
        return (reply?["sources"] as? [[String: Any]])?.first { $0["name"] as? String == "imu" } ?? [:]
    }

    private func isStreaming(_ daemon: DaemonProcess) -> Bool { imu(daemon)["state"] as? String == "streaming" }

    /// The children of a process, with their names.
    private func children(_ process: pid_t) -> [(process: pid_t, name: String)] {
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return all.compactMap { id in
            guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let open = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")")
            else { return nil }
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            guard fields.count > 1, fields[0] != "Z", pid_t(fields[1]) == process else { return nil }
            return (id, String(stat[stat.index(after: open)..<end]))
        }
    }

    /// Whether a process runs; one that has ended and that nobody has waited for does not.
    private func runs(_ process: pid_t) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return false }
        return !stat[stat.index(after: end)...].hasPrefix(" Z")
    }

    @Test func anOversizedReplyEndsTheReaderAndNeverTheDaemon() throws {
        // GIVEN a daemon that streams from another machine, which a process of its own reads
        let server = IIODTestServer()
        server.start()
        defer { server.end() }
        let daemon = try daemon(server)
        #expect(DaemonProcess.poll(seconds: 60) { self.isStreaming(daemon) }, "\(imu(daemon)) \(daemon.log)")
        let keeper = try #require(children(daemon.process.processIdentifier).first { $0.name == "posed-iio-keep" })
        let reader = try #require(children(keeper.process).first { $0.name == "posed-iio-read" })
        let descriptors = daemon.descriptorCount
        // WHEN the other machine sends eight megabytes more than it was asked for
        server.set(.oversizedReply)
        let isGone = DaemonProcess.poll(seconds: 60) { !self.runs(reader.process) }
        // THEN the reader ends, the status says so, and the daemon is the same and answers
        #expect(isGone)
        #expect(
            DaemonProcess.poll(seconds: 60) {
                (self.imu(daemon)["explanation"] as? String)?.contains("the process that reads ip:127.0.0.1") == true
            }, "\(imu(daemon))")
        #expect(daemon.process.isRunning)
        #expect(DaemonProcess.poll(seconds: 60) { daemon.log.contains("was ended by signal") }, "\(daemon.log)")
        // AND where that ends, another reader streams soon, without more descriptors
        server.set(.none)
        // A second until the next reader, the time to open the device, and twice that on a busy machine.
        #expect(DaemonProcess.poll(seconds: 4) { self.isStreaming(daemon) }, "\(imu(daemon))")
        #expect(DaemonProcess.poll(seconds: 60) { daemon.descriptorCount <= descriptors })
        #expect(daemon.stop().exitCode == 0)
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func theReaderEndsWithTheDaemon(signal: Int32) throws {
        // GIVEN a daemon with a reader
        let server = IIODTestServer()
        server.start()
        defer { server.end() }
        let daemon = try daemon(server)
        #expect(DaemonProcess.poll(seconds: 60) { self.isStreaming(daemon) })
        let keeper = try #require(children(daemon.process.processIdentifier).first)
        let reader = try #require(children(keeper.process).first)
        // WHEN it is stopped or killed
        let (seconds, _) = daemon.stop(signal)
        // THEN no process of it is left, and a stop ends: it takes 0.3 s at most, and some seconds on a busy machine
        #expect(seconds < 5)
        #expect(DaemonProcess.poll(seconds: 60) { !self.runs(keeper.process) && !self.runs(reader.process) })
    }
}
