import Foundation
import Glibc
import Testing

/// Faults of gpsd and its receiver, with real gpsd where a command changes it.
@Suite struct DoctorGpsdTests {
    /// A machine whose settings name a port and perhaps a receiver.
    private func machine(port: UInt16, device: String? = nil, host: String = "127.0.0.1") throws -> DoctoredMachine {
        try DoctoredMachine(
            settings: "gps:\n  host: \(host)\n  port: \(port)\n" + (device.map { "  device: \($0)\n" } ?? ""))
    }

    /// The faults beside the missing daemon.
    private func faults(_ machine: DoctoredMachine) throws -> [String] {
        try machine.examine().faults.filter { $0 != "daemon.stopped" }
    }

    /// A receiver that gpsd lists, and a report of it.
    private static func devices(_ path: String, _ more: String = #","activated":1.5,"driver":"u-blox","bps":9600"#)
        -> String
    {
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"\#(path)"\#(more)}]}"#
    }

    private static func fix(_ path: String, _ members: String, time: String = "NOW") -> String {
        #"{"class":"TPV","device":"\#(path)","time":"\#(time)",\#(members)}"#
    }

    private static func sky(_ path: String, visible: Int, used: Int) -> String {
        #"{"class":"SKY","device":"\#(path)","nSat":\#(visible),"uSat":\#(used),"satellites":[]}"#
    }

    @Test func aGoodReceiverHasNoFault() throws {
        let server = try ScriptedServer.gpsd(
            Self.devices("/dev/null"), Self.sky("/dev/null", visible: 12, used: 8),
            Self.fix("/dev/null", #""mode":3,"lat":48.0,"lon":11.0,"speed":1.5,"track":10.0"#))
        defer { server.stop() }
        let report = try machine(port: server.port).examine()
        #expect(report.faults == ["daemon.stopped"])
        // A probe that has seen everything does not wait for its time to pass.
        #expect(report.seconds < 2)
    }

    /// What gpsd sends, and the fault.
    static let reports: [(fault: String, lines: [String])] =
        [
            ("fix.silent", [devices("/dev/null")]),
            (
                "fix.none",
                [devices("/dev/null"), sky("/dev/null", visible: 9, used: 0), fix("/dev/null", #""mode":1"#)]
            ),
            (
                "fix.indoors",
                [devices("/dev/null"), sky("/dev/null", visible: 2, used: 0), fix("/dev/null", #""mode":1"#)]
            ),
            (
                "fix.date",
                [devices("/dev/null"), fix("/dev/null", #""mode":3,"speed":1.0"#, time: "2007-05-24T01:02:03.000Z")]
            ),
            (
                "fix.velocity",
                [devices("/dev/null"), sky("/dev/null", visible: 9, used: 7), fix("/dev/null", #""mode":3"#)]
            ),
            ("gpsd.receiver-gone", [devices("/dev/ttyNONE")]),
            ("gpsd.no-receiver", [#"{"class":"DEVICES","devices":[]}"#]),
        ]

    @Test(arguments: 0..<7)
    func whatTheReceiverReportsIsJudged(index: Int) throws {
        let (fault, lines) = Self.reports[index]
        let version = #"{"class":"VERSION","release":"3.22","proto_major":3}"#
        let server = try ScriptedServer(
            greeting: version + "\r\n", answers: [lines.map { $0 + "\r\n" }.joined()])
        defer { server.stop() }
        #expect(try faults(machine(port: server.port)) == [fault])
    }

    @Test func aReceiverAtAnotherSpeedIsRecognizedByTheSpeedsThatGpsdTries() throws {
        let speeds = [4800, 9600, 38400].map { Self.devices("/dev/null", #","activated":1.5,"bps":\#($0)"#) + "\r\n" }
        let server = try ScriptedServer(
            greeting: #"{"class":"VERSION","release":"3.22","proto_major":3}"# + "\r\n", answers: speeds)
        defer { server.stop() }
        #expect(try faults(machine(port: server.port)) == ["fix.unrecognized"])
    }

    @Test func otherProgramsOnThePortAreNamedAndTheSettingIsCorrected() throws {
        // GIVEN an HTTP server, another JSON service THEN the command sets the port of gpsd
        for line in ["HTTP/1.1 400 Bad Request", #"{"jsonrpc":"2.0"}"#] {
            let server = try ScriptedServer(answers: [line + "\r\n\r\n"], closes: true)
            defer { server.stop() }
            let machine = try machine(port: server.port)
            let report = try machine.examine()
            #expect(report.faults == ["daemon.stopped", "gpsd.foreign"])
            try machine.run(try #require(report.command("gpsd.foreign")))
            #expect(machine.folder.text(of: "posed.yaml").contains("port: 2947"))
            #expect(try !machine.examine().faults.contains("gpsd.foreign"))
        }
    }

    @Test func aGpsdThatHangsOrIsTooOldOrMissing() throws {
        let silent = try ScriptedServer()
        defer { silent.stop() }
        let report = try machine(port: silent.port).examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.silent"] && report.seconds < 10)
        let old = try ScriptedServer.gpsd(protocolMajor: 2)
        defer { old.stop() }
        #expect(try faults(machine(port: old.port)) == ["gpsd.protocol"])
        #expect(try faults(machine(port: 2950, host: "no.such.host.invalid")) == ["gpsd.host"])
        let bare = try machine(port: try GpsdProcess.freePort())
        try bare.remove("/usr/sbin/gpsd")
        #expect(try ["gpsd.missing", "gpsd.stopped"].contains(faults(bare).first ?? ""))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func aReceiverThatGpsdMayNotOpenIsOpenedByTheCommand() throws {
        // GIVEN a device that only its owner may open
        let machine = try machine(port: 1)
        try machine.write("root:x:0:\ndialout:x:20:\n", "/etc/group")
        try machine.write("", "/dev/ttyACM0")
        let path = "\(machine.root)/dev/ttyACM0"
        chmod(path, 0o600)
        let server = try ScriptedServer.gpsd(Self.devices(path, #","activated":0"#))
        defer { server.stop() }
        try machine.configure("gps:\n  host: 127.0.0.1\n  port: \(server.port)\n")
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.receiver-access"])
        try machine.run(try #require(report.command("gpsd.receiver-access")))
        // THEN only its silence is left: this receiver is a file
        #expect(try faults(machine) == ["fix.silent"])
    }

    @Test(.enabled(if: GpsdProcess.isInstalled && ExternalProgram.has("gpsdctl"), "needs gpsd and gpsdctl"))
    func receiversAreNamedToARealGpsdByTheCommands() throws {
        // GIVEN a real gpsd without a receiver, and settings that name one
        let feed = try ReceiverFeed()
        defer { feed.stop() }
        NMEAReceiver().play(on: feed)
        let folder = try TemporaryFolder()
        let gpsd = try GpsdProcess(devices: [], control: "\(folder.path)/control")
        let machine = try machine(port: gpsd.port, device: feed.path)
        #expect(DaemonProcess.poll(seconds: 60) { access("\(folder.path)/control", F_OK) == 0 })
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.no-receiver"])
        // WHEN the printed command names it to gpsd THEN it has a fix
        let environment = ["GPSD_SOCKET": "\(folder.path)/control"]
        try machine.run(try #require(report.command("gpsd.no-receiver")), environment: environment)
        #expect(DaemonProcess.poll(seconds: 60) { ((try? self.faults(machine)) ?? [""]).isEmpty })
        // WHEN the settings name another one THEN the command names that of gpsd
        try machine.configure("gps:\n  host: 127.0.0.1\n  port: \(gpsd.port)\n  device: /dev/ttyNONE\n")
        let other = try machine.examine()
        #expect(other.faults == ["daemon.stopped", "gpsd.other-receiver"])
        try machine.run(try #require(other.command("gpsd.other-receiver")))
        #expect(try faults(machine) == [])
    }

    @Test(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
    func aStoppedGpsdIsStartedByTheCommand() throws {
        // GIVEN no gpsd on the port of the settings
        let port = try GpsdProcess.freePort()
        let machine = try machine(port: port, device: "/dev/ttyNONE")
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.stopped"])
        let command = try #require(report.command("gpsd.stopped"))
        // A gpsd of this machine on the default port would be offered instead.
        guard command.contains("gpsd -S \(port)") else { return }
        try machine.run(command)
        defer { for process in GpsdProcess.processes(["-S", "\(port)"]) { kill(process, SIGKILL) } }
        #expect(
            DaemonProcess.poll(seconds: 60) { ((try? self.faults(machine)) ?? [])?.contains("gpsd.stopped") == false })
    }
}
