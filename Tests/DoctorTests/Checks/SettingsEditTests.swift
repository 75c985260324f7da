import Configuration
import Foundation
import RunPrograms
import SensorInterface
import Testing

@testable import Doctor

/// Commands that change settings whose values go over several lines, are in another file, or are a list.
@Suite struct SettingsEditTests {
    /// A machine with these settings, without a daemon that runs.
    private static func facts(_ root: RootFolder) throws -> DoctorFacts {
        var facts = Machine.healthy
        facts.daemon.connection = .noSocket
        facts.settings = SettingsCollector(files: root.files, config: root.path + "/posed.yaml").collect()
        try #require(facts.settings.loaded != nil, "\(facts.settings.mistake?.first ?? "")")
        return facts
    }

    /// The rows of a mount.
    static let rows = "[0, -1, 0], [1, 0, 0], [0, 0, 1]"

    @Test(
        arguments: [
            ("fusion:\n  sensor_to_body: [\(rows)] # mine\n  gyro_noise_deg_s_sqrt_hz: 0.01\n", true),
            ("fusion:\n  sensor_to_body: [\(rows)]\n\n# more\ngps:\n  port: 2948\n", true),
            ("fusion:\n  sensor_to_body:\n    - [0, -1, 0]\n    - [1, 0, 0]\n    - [0, 0, 1]\n", false),
            ("fusion:\n  sensor_to_body:\n  - [0, -1, 0]\n  - [1, 0, 0]\n  - [0, 0, 1]\n", false),
            ("fusion:\n  sensor_to_body: [[0, -1, 0],\n    [1, 0, 0], [0, 0, 1]]\n", false),
            ("fusion:\n  sensor_to_body: # mine\n    [\(rows)]\n", false),
        ] as [(String, Bool)])
    func onlyAValueInOneLineIsReplaced(text: String, isReplaced: Bool) throws {
        // GIVEN settings whose mount is in one line, or in several
        let root = try RootFolder(["/posed.yaml": text])
        let path = root.path + "/posed.yaml"
        let before = try Self.facts(root)
        // WHEN the command is printed that takes the mount off THEN a value in one line is replaced, and the file is
        // valid; another one is for a person
        let command = SettingsEdit(before).command("fusion.sensor_to_body", "null")
        guard isReplaced else {
            #expect(command == "sudoedit \(path)")
            return
        }
        _ = try ProgramRun("/bin/sh", ["-c", command.replacingOccurrences(of: "sudo ", with: "")])
        let loaded = try SettingsLoader.load(file: path)
        #expect(loaded.settings.engine.fusion.sensorToBody == nil)
        #expect(loaded.origins.count == before.settings.loaded?.origins.count)
    }

    @Test func aKeyOfAnIncludedFileIsEditedThere() throws {
        // GIVEN a file that includes another one, which has the key
        let root = try RootFolder([
            "/posed.yaml": "include: [own.yaml]\nfusion:\n", "/own.yaml": "fusion:\n  sensor_to_body: [\(Self.rows)]\n",
        ])
        let command = SettingsEdit(try Self.facts(root)).command("fusion.sensor_to_body", "null")
        #expect(command == "sudoedit \(root.path)/own.yaml")
    }

    /// A machine whose settings list receivers, and whose gpsd has some.
    private static func machine(listing list: [String], having paths: [String]) -> DoctorFacts {
        var facts = Machine.healthy
        facts.settings.loaded?.settings.gps.receivers = list.compactMap { GPSReceiverPlace($0) }
        let gps = facts.loaded.gps
        facts.gpsd?.wanted = gps.perReceiver.first?.device
        facts.gpsd?.listed = gps.devicesListed(atGpsdOf: gps.perReceiver.first ?? gps)
        facts.gpsd?.receivers = paths.map { path in
            var receiver = Machine.receiver
            receiver.path = path
            receiver.file?.path = path
            return receiver
        }
        return facts
    }

    @Test(
        arguments: [
            (["/dev/a", "/dev/b"], ["/dev/b"], [Fault.gpsdMissingReceiver], "gps.receivers names /dev/a, and"),
            (["/dev/a", "/dev/b"], ["/dev/a"], [.gpsdMissingReceiver], "gps.receivers names /dev/b, and"),
            (["/dev/a", "/dev/b"], ["/dev/c"], [.gpsdOtherReceiver], "gps.receivers names /dev/a, /dev/b, and"),
            (["/dev/a", "/dev/b"], ["/dev/c", "/dev/b", "/dev/a"], [], ""),
            (["/dev/a", "localhost"], ["/dev/c"], [.gpsdMissingReceiver], "gps.receivers names /dev/a, and"),
            (["/dev/a", "boat:2947:/dev/b"], ["/dev/a"], [], ""),
            (["/dev/a", "boat:2947:/dev/b"], ["/dev/c"], [.gpsdMissingReceiver], "gps.receivers names /dev/a, and"),
        ] as [([String], [String], [Fault], String)])
    func aListOfReceiversIsEditedByHand(list: [String], paths: [String], faults: [Fault], text: String) throws {
        // GIVEN a list of receivers of which gpsd has some WHEN judged THEN it fails only without all of them
        let report = DoctorReport(judging: Self.machine(listing: list, having: paths))
        #expect(report.findings.map(\.fault) == faults)
        #expect(report.exitCode == (faults == [.gpsdOtherReceiver] ? 1 : 0))
        // AND no command adds a key that is refused beside the list
        #expect(report.findings.allSatisfy { $0.remedy == .look("sudoedit /etc/posed/posed.yaml") })
        #expect(report.findings.first?.text.hasPrefix(text) ?? text.isEmpty)
    }

    @Test func theAddressOfAListIsEditedByHand() {
        // GIVEN a list of receivers, whose gpsd is not at its address, or another program is
        for (port, connection, fault) in [
            (2950, .refused, .gpsdStopped), (8080, .foreign(kind: "an HTTP server", line: "x"), .gpsdForeign),
        ] as [(UInt16, GpsdState.Connection, Fault)] {
            var facts = Self.machine(listing: ["localhost:\(port):/dev/a"], having: [])
            facts.gpsd?.port = port
            facts.gpsd?.connection = connection
            facts.gpsd?.isOnDefaultPort = true
            let found = DoctorReport(judging: facts).findings
            #expect(found.map(\.fault) == [fault])
            #expect(found.first?.remedy == .look("sudoedit /etc/posed/posed.yaml"))
            #expect(found.first?.text.contains("gps.port") == false)
        }
    }
}
