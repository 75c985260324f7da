import Foundation
import Testing

/// The guides: every command in them is run against a daemon on the demo drive. Those that need root or hardware are
/// marked, and their programs, options, units and files must exist.
@Suite struct GuideTests {
    private static let package = ExternalProgram.packageFolder
    private static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: "\(package)/docs/guides"))?.filter {
            $0.hasSuffix(".md")
        }.sorted() ?? []

    /// A fenced block: what follows the fence, its lines, and where it begins.
    struct Block {
        var kind: String
        var lines: [String] = []
        var line: Int

        /// The commands, each with its continuation lines.
        var commands: [String] {
            lines.joined(separator: "\n").replacingOccurrences(of: "|\n", with: "| ")
                .replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n").map(String.init)
        }
    }

    /// The fenced blocks of a page. A fence in a list is indented.
    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var open: (block: Block, indent: Int)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let bare = line.drop { $0 == " " }
            if bare.hasPrefix("```") {
                if let block = open?.block {
                    blocks.append(block)
                    open = nil
                } else {
                    open = (Block(kind: String(bare.dropFirst(3)), line: index + 1), line.count - bare.count)
                }
            } else if let indent = open?.indent {
                open?.block.lines.append(String(line.dropFirst(indent)))
            }
        }
        if let block = open?.block { blocks.append(block) }
        return blocks
    }

    @Test(.enabled(if: ExternalProgram.has("socat"), "socat is not installed"), arguments: names)
    func everyCommandOfAGuideWorks(name: String) throws {
        // GIVEN a daemon on the demo drive, whose sockets and sample are where the guide says
        let text = try String(contentsOfFile: "\(Self.package)/docs/guides/\(name)", encoding: .utf8)
        let state = try TemporaryFolder()
        let daemon = try DaemonProcess(
            ["--source", "simulated", "--set", "recording.reserve_mib=0"],
            environment: ["STATE_DIRECTORY": state.path])
        let work = try TemporaryFolder()
        // WHEN each command is run THEN it succeeds
        var count = 0
        for block in Self.blocks(text) {
            let place = "\(name):\(block.line)"
            switch block.kind {
            case "sh", "sh endless":
                for command in block.commands {
                    count += 1
                    try run(command, endless: block.kind != "sh", at: place, daemon: daemon, work: work)
                }
            case "sh root": for command in block.commands { try Self.check(command, at: place) }
            case "yaml":
                try work.write(block.lines.joined(separator: "\n") + "\n", to: "settings.yaml")
                let result = try ExternalProgram.run("posed", ["--check", "--config", "\(work.path)/settings.yaml"])
                #expect(result.exitCode == 0, "\(place): \(result.errors)")
            case "text": break
            default: Issue.record("\(place): a block must be sh, sh root, sh endless, yaml or text")
            }
        }
        #expect(count > 0)
        // Commands outside of a fence would not be found: code is not indented instead.
        #expect(!text.contains(#/\n\n    [a-z]/#), "\(name) has an indented block: use a fence")
    }

    private func run(
        _ command: String, endless: Bool, at place: String, daemon: DaemonProcess, work: TemporaryFolder
    ) throws {
        let samples = "/usr/share/posed/samples/drive"
        let line = command.replacingOccurrences(of: "/run/posed/", with: "\(daemon.folder.path)/")
            .replacingOccurrences(of: "/tmp/posed-demo", with: endless ? work.path : daemon.folder.path)
            .replacingOccurrences(of: "\(samples)-route.json", with: "\(Self.package)/config/demo-route.json")
            .replacingOccurrences(of: samples, with: "\(Self.package)/samples/drive")
        let environment = [
            "PATH": "\(ExternalProgram.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
            "POSED_STREAM": daemon.streamPath,
        ]
        // What runs until Ctrl-C gets it after half a second.
        let words = endless ? ["-c", "cd \"$0\" && timeout -s INT 0.5 \(line)"] : ["-c", "cd \"$0\" && \(line)"]
        let result = try ExternalProgram.run("sh", words + [work.path], environment: environment, seconds: 30)
        // posectl status tells by 1 that the pose is not aligned yet; timeout by 124 that it had to interrupt.
        let good: Set<Int32?> = endless ? [0, 124, 130] : command.hasPrefix("posectl status") ? [0, 1] : [0]
        #expect(good.contains(result.exitCode), "\(place): \(command)\n\(result.output)\(result.errors)")
        #expect(!result.errors.contains("rror: "), "\(place): \(command)\n\(result.errors)")
        if command.contains("socat") {
            #expect(result.output.contains("\"type\":\"frame\"") || result.output.contains("\"ok\":true"), "\(place)")
        }
    }

    /// Programs of Debian that the guides may name; their options are not checked.
    private static let foreign: Set = [
        "apt", "cgps", "gpspipe", "gpsctl", "lsusb", "iio_info", "journalctl", "ls", "id", "udevadm", "usermod",
    ]

    /// Checks a command that is not run: programs, options, units and files exist.
    private static func check(_ command: String, at place: String) throws {
        var words = command.split(separator: " ").map(String.init)
        if words.first == "sudo" { words.removeFirst() }
        let program = words.removeFirst()
        switch program {
        case "posed", "posectl":
            let help = try ExternalProgram.run(program, words.prefix { !$0.hasPrefix("-") } + ["--help"])
            #expect(help.exitCode == 0, "\(place): \(command)")
            for option in words where option.hasPrefix("--") {
                #expect(help.output.contains(option), "\(place): \(program) has no \(option)")
            }
        case "make":
            let makefile = try String(contentsOfFile: "\(package)/Makefile", encoding: .utf8)
            for target in words { #expect(makefile.contains("\n\(target):"), "\(place): make has no \(target)") }
        case "systemctl":
            let units = try FileManager.default.contentsOfDirectory(atPath: "\(package)/systemd")
            let known = ["gpsd.socket", "gpsd.service", "iio-sensor-proxy", "posed"] + units
            for unit in words.dropFirst() where !unit.hasPrefix("-") {
                #expect(known.contains(unit), "\(place): there is no unit \(unit)")
            }
        case "install":
            let source = words.first { $0.hasPrefix("/usr/share/posed/") } ?? ""
            let file = source.replacingOccurrences(of: "/usr/share/posed", with: "\(package)/systemd")
            #expect(FileManager.default.fileExists(atPath: file), "\(place): \(source) is not installed")
        default: #expect(foreign.contains(program), "\(place): \(program) is not known: is it run, or a typing error?")
        }
    }

    @Test func everyStateIsExplained() throws {
        // GIVEN the states of the pose and of a source WHEN the guide to `status` is read THEN it has a row for each
        let page = try String(contentsOfFile: "\(Self.package)/docs/guides/status.md", encoding: .utf8)
        let source = try String(contentsOfFile: "\(Self.package)/Sources/Frames/Frame.swift", encoding: .utf8)
        let assignment = #/case ([a-zA-Z]+) =/#
        for name in ["PoseState", "SourceState"] {
            let rest = try #require(source.components(separatedBy: "enum \(name):").last)
            let body = rest.components(separatedBy: "\n    }")[0]
            let states = body.matches(of: assignment).map { String($0.1) }
            #expect(states.count >= 6)
            for state in states { #expect(page.contains("\n| `\(state)` | "), "\(state)") }
        }
    }
}
