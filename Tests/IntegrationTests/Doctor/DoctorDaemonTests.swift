import CSystem
import Foundation
import Glibc
import Testing

/// Faults of the daemon and its sockets, with a real daemon. The printed commands are run.
@Suite struct DoctorDaemonTests {
    private static let settings = "source: simulated\n"

    private func machine(_ settings: String = settings) throws -> DoctoredMachine {
        let machine = try DoctoredMachine(settings: settings)
        mkdir(machine.sockets, 0o755)
        return machine
    }

    /// Starts the daemon by the printed command. Returns its process.
    private func start(_ machine: DoctoredMachine, _ command: String) throws -> pid_t {
        // Its output must not keep the shell's files open, and its process is that of the shell's last job.
        let quiet = command.replacingOccurrences(of: " &", with: " >/dev/null 2>&1 &")
        let output = try machine.run(quiet, printsProcess: true)
        let process = try #require(pid_t(output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(DaemonProcess.poll(seconds: 60) { LineConnection("\(machine.sockets)/stream") != nil })
        return process
    }

    @Test func aStoppedDaemonIsStartedAndReloadedByTheCommands() throws {
        // GIVEN no daemon WHEN the printed command runs THEN it serves
        let machine = try machine()
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped"])
        let process = try start(machine, try #require(report.command("daemon.stopped")))
        defer { kill(process, SIGKILL) }
        #expect(try machine.examine().faults == [])
        // WHEN a reload meets a mistake THEN the file is told first, and after its correction the daemon
        try machine.configure(Self.settings + "profile: sled\n")
        kill(process, SIGHUP)
        #expect(DaemonProcess.poll(seconds: 60) { self.notes(machine).contains { $0.contains("rejected") } })
        let invalid = try machine.examine()
        #expect(invalid.faults == ["settings.invalid"])
        try machine.run(try #require(invalid.command("settings.invalid")))
        let stale = try machine.examine()
        #expect(stale.faults == ["daemon.settings"])
        try machine.run(try #require(stale.command("daemon.settings")))
        #expect(DaemonProcess.poll(seconds: 60) { !self.notes(machine).contains { $0.contains("rejected") } })
        #expect(try machine.examine().faults == [])
    }

    @Test func aStaleSocketIsReplacedByAStart() throws {
        // GIVEN a socket on which nobody listens
        let machine = try machine()
        let descriptor = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        #expect(posed_bind(descriptor, "\(machine.sockets)/stream") == 0)
        close(descriptor)
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stale-socket"])
        let process = try start(machine, try #require(report.command("daemon.stale-socket")))
        defer { kill(process, SIGKILL) }
        #expect(try machine.examine().faults == [])
    }

    @Test func aRoadFileThatIsNoneIsTakenOutOfTheSettings() throws {
        // GIVEN a daemon with a damaged road file
        let machine = try machine()
        try machine.write("no roads", "/x.roads")
        try machine.configure(Self.settings + "roads:\n  file: \(machine.root)/x.roads\n")
        let process = try start(machine, try #require(try machine.examine().command("daemon.stopped")))
        defer { kill(process, SIGKILL) }
        #expect(DaemonProcess.poll(seconds: 60) { (try? machine.examine())?.faults == ["storage.roads"] })
        // WHEN the printed command runs THEN the line is gone
        try machine.run(try #require(try machine.examine().command("storage.roads")))
        #expect(DaemonProcess.poll(seconds: 60) { (try? machine.examine())?.faults == [] })
    }

    @Test func aDaemonThatIsStoppedHangs() throws {
        // GIVEN a daemon that is stopped, and a gpsd that says nothing THEN both are told within 10 s
        let server = try ScriptedServer()
        defer { server.stop() }
        let machine = try machine("gps:\n  host: 127.0.0.1\n  port: \(server.port)\n")
        let daemon = try DaemonProcess()
        daemon.process.send(SIGSTOP)
        defer { daemon.process.send(SIGCONT) }
        let report = try machine.examine(sockets: daemon.folder.path)
        #expect(report.faults == ["daemon.silent", "gpsd.silent"] && report.exitCode == 2)
        #expect(report.seconds < 10)
    }

    @Test(.enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv"), "needs root and setpriv"))
    func aUserWithoutAccessGetsTheGroup() throws {
        let machine = try machine()
        chmod(machine.folder.path, 0o755)
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.group=65500"])
        chmod(daemon.folder.path, 0o755)
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let report = try machine.examine(sockets: daemon.folder.path, launcher: user)
        #expect(report.faults == ["daemon.access"])
        #expect(report.command("daemon.access") == "sudo usermod -aG 65500 nobody && newgrp 65500")
    }

    @Test func aMachineWithoutAnyDeviceIsExamined() throws {
        // GIVEN nothing at all WHEN the doctor writes for people THEN every area has a line within 80 columns
        let folder = try TemporaryFolder()
        let result = try ExternalProgram.run(
            "posectl", ["doctor", "--root", "\(folder.path)/none", "--folder", folder.path])
        for area in [
            "settings", "daemon", "kernel", "device", "trigger", "range", "rate", "clock", "gpsd", "fix", "filter",
        ] {
            #expect(result.output.contains(" \(area) "), "\(result.output)")
        }
        #expect((result.exitCode ?? 0) >= 2 && result.errors == "" && !result.output.contains("\u{1B}"))
        #expect(result.output.contains("\nFirst:\n  "))
    }

    private func notes(_ machine: DoctoredMachine) -> [String] {
        let reply = LineConnection("\(machine.sockets)/stream")?.ask(#"{"cmd":"status"}"#)
        return (reply?["settings"] as? [String: Any])?["notes"] as? [String] ?? []
    }
}
