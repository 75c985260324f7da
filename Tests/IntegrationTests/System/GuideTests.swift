import Foundation
import Testing

/// The guides: every command in them is run against a daemon on the demo drive. Those that need root or hardware are
/// marked, and their programs, options, units and files must exist.
@Suite struct GuideTests {
    private static let package = ExternalProgram.packageFolder
    private static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: "\(package)/docs/guides"))?.filter {
            $0.hasSuffix(".md")
        }.sorted().map { "guides/\($0)" } ?? []
    /// Pages that are checked in the same way.
    private static let pages = names + ["calibration.md", "can.md", "doctor.md", "hardware.md", "receivers.md"]

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

    @Test(.enabled(if: ExternalProgram.has("socat"), "socat is not installed"), arguments: pages)
    func everyCommandOfAGuideWorks(name: String) throws {
        // GIVEN a daemon on the demo drive, whose sockets and sample are where the guide says
        let text = try String(contentsOfFile: "\(Self.package)/docs/\(name)", encoding: .utf8)
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
            case "sh root":
                for command in block.commands.flatMap({ $0.components(separatedBy: " && ") }) {
                    try Self.check(command, at: place)
                }
            case "yaml":
                try work.write(block.lines.joined(separator: "\n") + "\n", to: "settings.yaml")
                let result = try ExternalProgram.run("posed", ["--check", "--config", "\(work.path)/settings.yaml"])
                #expect(result.exitCode == 0, "\(place): \(result.errors)")
            case "chrony": try Self.checkChrony(block, at: place, in: work)
            case "python":
                count += 1
                try Self.runPython(block, at: place, daemon: daemon)
            case "text": break
            default: Issue.record("\(place): a block must be sh, sh root, sh endless, python, yaml, chrony or text")
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
        let result = try ExternalProgram.run("sh", words + [work.path], environment: environment)
        let good = Self.goodExitCodes(of: command, endless: endless, output: result.output)
        #expect(good.contains(result.exitCode), "\(place): \(command)\n\(result.output)\(result.errors)")
        #expect(!result.errors.contains("rror: "), "\(place): \(command)\n\(result.errors)")
        if command.contains("socat") {
            #expect(result.output.contains("\"type\":\"frame\"") || result.output.contains("\"ok\":true"), "\(place)")
        }
    }

    /// The exit codes by which a command has worked.
    private static func goodExitCodes(of command: String, endless: Bool, output: String) -> Set<Int32?> {
        // timeout tells by 124 that it had to interrupt.
        if endless { return [0, 124, 130] }
        // posectl status tells by 1 that the pose is not aligned yet.
        if command.hasPrefix("posectl status") { return [0, 1] }
        guard command.hasPrefix("posectl doctor") else { return [0] }
        // The doctor tells the number of failures that it has found on this machine.
        if output.contains("\nno failure") { return [0] }
        let count = output.firstMatch(of: #/"failures": ?(\d+)/#)?.1 ?? output.firstMatch(of: #/\n(\d+) failure/#)?.1
        return [count.flatMap { Int32($0) } ?? -1]
    }

    /// Programs of Debian that the guides may name; their options are not checked.
    private static let foreign: Set = [
        "apt", "cgps", "gpspipe", "gpsctl", "lsusb", "iio_info", "journalctl", "ls", "id", "udevadm", "usermod",
        "str2str", "chronyc", "ip", "candump", "cangen", "modprobe",
    ]

    /// Whether ubxtool runs: it needs two Python modules.
    private static let hasUbxtool =
        (try? ExternalProgram.run("python3", ["-c", "import gps, serial"]).exitCode) == 0
        && ExternalProgram.has("ubxtool")

    /// Starts ubxtool on a pseudo-terminal in place of a receiver, and prints how many bytes begin a UBX message.
    private static let ubxtool = """
        import os, pty, subprocess, sys, threading, tty
        master, slave = pty.openpty()
        tty.setraw(master)
        tty.setraw(slave)
        got = bytearray()
        done = subprocess.Popen(["ubxtool", "-w", "0.1", "-f", os.ttyname(slave)] + sys.argv[1:])
        def read():
            while True:
                got.extend(os.read(master, 4096))
        threading.Thread(target=read, daemon=True).start()
        code = done.wait(120)
        print(code, got[:2].hex())
        """

    /// Checks that ubxtool knows the items of a command, and sends them.
    private static func checkUbxtool(_ words: [String], at place: String) throws {
        guard hasUbxtool else { return }
        let result = try ExternalProgram.run("python3", ["-c", ubxtool] + words)
        #expect(result.output.hasSuffix("0 b562\n"), "\(place): \(words)\n\(result.output)\(result.errors)")
    }

    /// Runs a program that sends wheel speeds, with fifty of them, and looks at the first reply.
    private static func runPython(_ block: Block, at place: String, daemon: DaemonProcess) throws {
        let text = block.lines.joined(separator: "\n").replacingOccurrences(
            of: "/run/posed/", with: "\(daemon.folder.path)/")
        let speeds = """
            def wheel_speeds():
                for _ in range(50):
                    time.sleep(0.002)
                    yield 10.0

            """
        let result = try ExternalProgram.run(
            "python3", ["-c", speeds + text + "\nprint(posed.recv(4096).decode())\n"])
        #expect(result.exitCode == 0 && result.errors == "", "\(place): \(result.errors)")
        #expect(result.output.contains(#""cmd":"wheel","ok":true"#), "\(place): \(result.output)")
    }

    /// Checks lines of chrony.conf, if chrony is installed.
    private static func checkChrony(_ block: Block, at place: String, in work: TemporaryFolder) throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/chronyd") else { return }
        try work.write(block.lines.joined(separator: "\n") + "\n", to: "chrony.conf")
        let result = try ExternalProgram.run("/usr/sbin/chronyd", ["-p", "-f", "\(work.path)/chrony.conf"])
        #expect(result.exitCode == 0, "\(place): \(result.errors)")
    }

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
            let known = ["gpsd.socket", "gpsd.service", "iio-sensor-proxy", "posed", "chrony"] + units
            for unit in words.dropFirst() where !unit.hasPrefix("-") {
                let isKnown = known.contains(unit) || known.contains("\(unit).service")
                #expect(isKnown, "\(place): there is no unit \(unit)")
            }
        case "ubxtool": try checkUbxtool(words, at: place)
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
