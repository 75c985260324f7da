import Foundation
import Glibc
import Testing

/// Faults whose printed commands end a program and start it again, or end it for good, where no service manager does.
/// The commands are run.
@Suite struct DoctorRestartTests {
    @Test func aDaemonThatHangsIsStartedAgainByTheCommand() throws {
        // GIVEN a daemon that does not answer
        let machine = try DoctoredMachine()
        let daemon = try DaemonProcess()
        daemon.process.send(SIGSTOP)
        let report = try machine.examine(sockets: daemon.folder.path)
        let command = try #require(report.command("daemon.silent"))
        #expect(report.faults == ["daemon.silent"])
        // The command must end this process and no other one.
        try #require(command.hasPrefix("sudo kill -KILL \(daemon.process.processIdentifier) && "))
        // WHEN the printed command runs THEN another one answers, with the arguments of the first
        let other = try machine.runStarting(command, after: daemon.process, stream: daemon.streamPath)
        defer { kill(other, SIGKILL) }
        #expect(try machine.examine(sockets: daemon.folder.path).faults == [])
        let line = try String(contentsOfFile: "/proc/\(other)/cmdline", encoding: .utf8)
        #expect(line.hasSuffix("--source\0simulated\0"))
    }

    @Test(
        .enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv", "prlimit"), "needs root, setpriv and prlimit"))
    func aRealTimePriorityThatIsRefusedIsTakenOutOfTheSettings() throws {
        // GIVEN a daemon that may not have the real-time priority of its settings
        let machine = try DoctoredMachine(settings: "source: simulated\nprocess:\n  real_time_priority: 50\n")
        let daemon = try DaemonProcess(
            ["--config", machine.config],
            launcher: ["prlimit", "--rtprio=0", "setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"])
        let report = try machine.examine(sockets: daemon.folder.path)
        // A warning is no failure.
        #expect(report.faults == ["daemon.real-time"] && report.exitCode == 0)
        // WHEN the printed command runs, with the same limits THEN the setting and the line are gone
        let command = try #require(report.command("daemon.real-time"))
        let other = try machine.runStarting(
            "ulimit -r 0; " + command, after: daemon.process, stream: daemon.streamPath)
        defer { kill(other, SIGKILL) }
        #expect(machine.folder.text(of: "posed.yaml").contains("real_time_priority: null"))
        #expect(try machine.examine(sockets: daemon.folder.path).faults == [])
    }

    @Test func aMountThatContradictsGravityIsTakenOutOfTheSettings() throws {
        // GIVEN a daemon whose settings say that the IMU is upside down
        let machine = try DoctoredMachine(
            settings: "source: simulated\nfusion:\n  sensor_to_body: [[1, 0, 0], [0, -1, 0], [0, 0, -1]]\n")
        let daemon = try DaemonProcess(["--config", machine.config])
        func faults() -> [String] { (try? machine.examine(sockets: daemon.folder.path).faults) ?? ["?"] }
        #expect(DaemonProcess.poll(seconds: 60) { faults() == ["filter.mount"] }, "\(faults())")
        // WHEN the printed command runs THEN the setting is gone, and the estimate does not complain any more
        let command = try #require(try machine.examine(sockets: daemon.folder.path).command("filter.mount"))
        let other = try machine.runStarting(
            command, after: daemon.process, stream: daemon.streamPath)
        defer { kill(other, SIGKILL) }
        #expect(machine.folder.text(of: "posed.yaml").contains("sensor_to_body: null"))
        // The first daemon complained as soon as it had a state.
        #expect(DaemonProcess.poll(seconds: 60) { self.poseState(daemon.streamPath) != "initializing" })
        #expect(faults() == [])
    }

    private func poseState(_ stream: String) -> String {
        let pose = LineConnection(stream)?.ask(#"{"cmd":"status"}"#)["pose"] as? [String: Any]
        return pose?["state"] as? String ?? "initializing"
    }

    @Test(.enabled(if: ExternalProgram.has("gcc"), "needs gcc"))
    func aDaemonOfAnOlderReleaseIsReplacedByTheCommand() throws {
        // GIVEN a daemon of an older release, whose program has been replaced since by that of this release
        let machine = try DoctoredMachine()
        mkdir(machine.sockets, 0o755)
        let program = "\(machine.folder.path)/posed"
        let source = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Doctor/old_posed.c"
        #expect(try ExternalProgram.run("gcc", ["-Wall", "-Werror", "-o", program, source]).exitCode == 0)
        let old = try ExternalProgram.start(
            program, ["--set", "sockets.folder=\(machine.sockets)", "--source", "simulated"],
            output: "\(machine.folder.path)/out", errors: "\(machine.folder.path)/err")
        defer { old.kill() }
        #expect(DaemonProcess.poll(seconds: 60) { LineConnection("\(machine.sockets)/stream") != nil })
        unlink(program)
        #expect(symlink("\(ExternalProgram.buildFolder)/posed", program) == 0)
        let report = try machine.examine()
        #expect(report.faults == ["daemon.release"] && report.exitCode == 0)
        // WHEN the printed command runs THEN a daemon of this release answers
        let other = try machine.runStarting(
            try #require(report.command("daemon.release")), after: old,
            stream: "\(machine.sockets)/stream")
        defer { kill(other, SIGKILL) }
        #expect(try machine.examine().faults == [])
    }

    @Test(.enabled(if: GpsdProcess.isInstalled && geteuid() == 0, "needs gpsd and root"))
    func aGpsdThatHangsIsStartedAgainByTheCommand() throws {
        // GIVEN a real gpsd with a receiver, which is stopped
        let feed = try ReceiverFeed()
        defer { feed.stop() }
        NMEAReceiver().play(on: feed)
        let gpsd = try GpsdProcess(devices: [feed.path])
        let machine = try DoctoredMachine(settings: "gps:\n  host: 127.0.0.1\n  port: \(gpsd.port)\n")
        func faults() -> [String] { (try? machine.examine().faults.filter { $0 != "daemon.stopped" }) ?? ["?"] }
        #expect(DaemonProcess.poll(seconds: 60) { faults() == [] }, "\(faults())")
        gpsd.kill(SIGSTOP)
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.silent"])
        // WHEN the printed command runs THEN another gpsd has the same receiver
        let command = try #require(report.command("gpsd.silent"))
        let prefix = "sudo kill -KILL \(gpsd.process.processIdentifier) && "
        try #require(command.hasPrefix(prefix) && command.hasSuffix(" &"))
        try machine.run(command.dropLast() + ">/dev/null 2>&1 &", ending: gpsd.process)
        defer { for process in GpsdProcess.processes(["-S", "\(gpsd.port)"]) { kill(process, SIGKILL) } }
        #expect(DaemonProcess.poll(seconds: 60) { faults() == [] }, "\(faults()) \(command)")
    }

    @Test func aProgramThatOccupiesTheSensorsIsEndedByTheCommand() throws {
        // GIVEN a program with the name of iio-sensor-proxy among the processes of this machine
        let machine = try DoctoredMachine()
        symlink("/proc", "\(machine.root)/proc")
        let program = "\(machine.folder.path)/iio-sensor-proxy"
        try FileManager.default.copyItem(atPath: try #require(ExternalProgram.path(of: "sleep")), toPath: program)
        #expect(try machine.examine().faults == ["daemon.stopped"])
        let proxy = try ExternalProgram.start(
            program, ["1800"], output: "\(machine.folder.path)/out", errors: "\(machine.folder.path)/err")
        defer { proxy.kill() }
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "kernel.occupied"])
        // WHEN the printed command runs THEN that program has ended
        let command = try #require(report.command("kernel.occupied"))
        try #require(command == "sudo kill \(proxy.processIdentifier)")
        try machine.run(command)
        #expect(DaemonProcess.poll(seconds: 60) { !proxy.isRunning })
        #expect(try machine.examine().faults == ["daemon.stopped"])
    }
}
