import Foundation
import Glibc
import Testing

/// The units, as systemd's own tools read them.
@Suite struct UnitFileTests {
    private static let tools = ["systemd-analyze", "systemd-sysusers"]

    private static let names = [
        "posed.service", "posed.socket", "posed-routing.socket", "posed-routing@.service", "posed-bridge.service",
        "posed-web.service", "posed-trigger.service",
    ]

    /// A folder with the units, their programs replaced by ones that are there.
    private func units() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in Self.names {
            let text = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/systemd/\(name)", encoding: .utf8)
            try folder.write(
                text.replacingOccurrences(of: "/usr/bin/posed-bridge", with: "/bin/true").replacingOccurrences(
                    of: "/usr/bin/posed-web", with: "/bin/true"
                ).replacingOccurrences(
                    of: "/usr/bin/posed", with: "/bin/true"
                ).replacingOccurrences(
                    of: "/usr/libexec/posed/posed-routing", with: "/bin/true"), to: name)
        }
        return folder
    }

    @Test(.enabled(if: ExternalProgram.has("systemd-analyze"), "systemd-analyze is not installed"))
    func systemdUnderstandsEveryLine() throws {
        let folder = try units()
        let result = try ExternalProgram.run(
            "systemd-analyze",
            ["--man=no", "verify"] + Self.names.map { "\(folder.path)/\($0)" })
        // An unknown key is a line on standard error with exit code 0.
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
    }

    @Test(.enabled(if: ExternalProgram.has("systemd-analyze"), "systemd-analyze is not installed"))
    func theSandboxIsTight() throws {
        let folder = try units()
        // The threshold is ten times the exposure: 1.7 of 10 at most.
        let result = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=17", "\(folder.path)/posed.service"])
        #expect(result.exitCode == 0, "\(result.output.suffix(200))")
        let routing = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=18", "\(folder.path)/posed-routing@.service"])
        #expect(routing.exitCode == 0, "\(routing.output.suffix(200))")
        let bridge = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=18", "\(folder.path)/posed-bridge.service"])
        #expect(bridge.exitCode == 0, "\(bridge.output.suffix(200))")
        let web = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=17", "\(folder.path)/posed-web.service"])
        #expect(web.exitCode == 0, "\(web.output.suffix(200))")
        let trigger = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=17", "\(folder.path)/posed-trigger.service"])
        #expect(trigger.exitCode == 0, "\(trigger.output.suffix(200))")
        // The check itself must be able to fail.
        try folder.write("[Service]\nExecStart=/bin/true\n", to: "posed.service")
        let open = try ExternalProgram.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=18", "\(folder.path)/posed.service"])
        #expect(open.exitCode == 1)
    }

    private static let dropIns = "\(ExternalProgram.packageFolder)/systemd/drop-ins"

    @Test(.enabled(if: ExternalProgram.has("systemd-analyze"), "systemd-analyze is not installed"))
    func everyDropInStatesItsExposure() throws {
        // GIVEN each drop-in alone beside the unit WHEN systemd judges them THEN it understands every line, and the
        // exposure is the one that the file states, 1.7 at most
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.dropIns).sorted()
        #expect(names.count >= 4 && names.allSatisfy { $0.hasSuffix(".conf") }, "\(names)")
        for name in names {
            let folder = try units()
            let place = "\(folder.path)/posed.service.d"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: "\(Self.dropIns)/\(name)", toPath: "\(place)/\(name)")
            let text = folder.text(of: "posed.service.d/\(name)")
            let stated = text.split(separator: "\n").first { $0.hasPrefix("# Exposure: ") }?.dropFirst(12)
            let exposure = try #require(stated.flatMap { Double($0) }, "\(name) does not state its exposure")
            #expect(exposure <= 1.7)
            let unit = "\(folder.path)/posed.service"
            let judged = try ExternalProgram.run("systemd-analyze", ["security", "--no-pager", "--offline=true", unit])
            #expect(judged.output.contains("exposure level for posed.service: \(exposure) "), "\(name) \(judged)")
            let verified = try ExternalProgram.run(
                "systemd-analyze", ["--man=no", "verify", "\(folder.path)/posed.socket", unit])
            #expect(verified.exitCode == 0 && verified.errors == "", "\(name) \(verified)")
            // The line that installs it names the file itself.
            #expect(text.contains("install -D -m 644 \(name) /etc/systemd/system/posed.service.d/\(name)\n"))
        }
    }

    @Test(.enabled(if: ExternalProgram.has("systemd-sysusers"), "systemd-sysusers is not installed"))
    func theUserAndItsGroupsAreMade() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/etc", withIntermediateDirectories: true)
        let result = try ExternalProgram.run(
            "systemd-sysusers", ["--root=\(folder.path)", "\(ExternalProgram.packageFolder)/systemd/posed.sysusers"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(folder.text(of: "etc/passwd").contains("posed:x:"))
        let groups = folder.text(of: "etc/group").split(separator: "\n")
        #expect(groups.contains { $0.hasPrefix("posed:x:") })
        #expect(groups.contains { $0.hasPrefix("iio:x:") && $0.hasSuffix(":posed") })
    }

    @Test func recordingsThatArePlayedAreNotInMemory() throws {
        // GIVEN a unit whose memory is limited THEN its temporary files are in a folder that is on a disk, and its own
        let path = "\(ExternalProgram.packageFolder)/systemd/posed-web.service"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        for line in ["MemoryMax=256M", "Environment=TMPDIR=/var/tmp", "PrivateTmp=yes"] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test func theUnitAndTheRuleAgreeOnTheirNames() throws {
        let folder = "\(ExternalProgram.packageFolder)"
        let unit = try String(contentsOfFile: "\(folder)/systemd/posed.service", encoding: .utf8)
        let socket = try String(contentsOfFile: "\(folder)/systemd/posed.socket", encoding: .utf8)
        let rule = try String(contentsOfFile: "\(folder)/udev/60-posed.rules", encoding: .utf8)
        let sample = try String(contentsOfFile: "\(folder)/config/posed.yaml", encoding: .utf8)
        let routing = try String(contentsOfFile: "\(folder)/systemd/posed-routing.socket", encoding: .utf8)
        #expect(
            sample.contains("#socket: /run/posed/routing\n")
                && routing.contains("ListenStream=/run/posed/routing\n"))
        #expect(unit.contains("SupplementaryGroups=iio\n") && rule.contains("GROUP=\"iio\""))
        #expect(sample.contains("#folder: /run/posed\n"))
        #expect(
            socket.contains("ListenSequentialPacket=/run/posed/frames\n")
                && socket.contains("ListenStream=/run/posed/stream\n"))
    }
}
