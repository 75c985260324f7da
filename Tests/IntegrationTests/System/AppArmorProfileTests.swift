import Foundation
import Glibc
import Testing

/// packaging/apparmor/posed against what the daemon opens. The kernel of a test machine may have no AppArmor: the
/// profile is parsed, and its rules are compared with the system calls of sessions.
@Suite struct AppArmorProfileTests {
    private static let path = "\(ExternalProgram.packageFolder)/packaging/apparmor/posed"
    private static let canTrace = ExternalProgram.has("strace")

    /// A rule of a profile for paths.
    struct Rule {
        var pattern: Regex<Substring>
        /// Its letters, such as `rw`.
        var permissions: String

        /// The rules of a profile: lines such as `  /etc/posed/** r,`.
        static func all(of text: String) throws -> [Rule] {
            try text.split(separator: "\n").compactMap { line in
                guard let found = line.wholeMatch(of: /\s*(\/\S+) (\w+),\s*/) else { return nil }
                return Rule(
                    pattern: try Regex(expression(String(found.1)), as: Substring.self),
                    permissions: String(found.2))
            }
        }

        /// A regular expression for a pattern of AppArmor, as apparmor.d(5) describes it.
        static func expression(_ glob: String) -> String {
            var (text, rest, depth) = ("", glob[...], 0)
            while let first = rest.popFirst() {
                switch first {
                case "*" where rest.first == "*": (text, rest) = (text + ".*", rest.dropFirst())
                case "*": text += "[^/]*"
                case "?": text += "[^/]"
                case "{": (text, depth) = (text + "(?:", depth + 1)
                case "}": (text, depth) = (text + ")", depth - 1)
                case "," where depth > 0: text += "|"
                case "[", "]", "-": text.append(first)
                default: text += first.isLetter || first.isNumber || first == "/" ? String(first) : "\\\(first)"
                }
            }
            return text
        }
    }

    /// Something that a session did with a path.
    private struct Use: Hashable {
        var path: String
        /// The letters that its rule must have.
        var needs: String
    }

    /// What the lines of a trace did with paths, with those of the test replaced by those of an installation.
    private static func uses(_ trace: String, _ replaced: [(String, String)]) -> Set<Use> {
        var found: Set<Use> = []
        for line in trace.split(separator: "\n") {
            guard let call = line.firstMatch(of: /\b(\w+)\((.*)/) else { continue }
            let (name, rest) = (call.1, call.2)
            let paths = rest.matches(of: /"(\/[^"]*)"/).map { String($0.1) }
            // Looking for a library in the folders of a build is no use of it.
            guard let last = paths.last, !line.contains("ENOENT") || !last.contains(".so") else { continue }
            // What is changed through a descriptor is judged by the path of its file, which was opened before.
            if name == "chmod", last.hasPrefix("/proc/self/fd/") { continue }
            var needs = ""
            switch name {
            case "openat", "open": needs = rest.contains("O_RDONLY") ? "r" : rest.contains("O_RDWR") ? "rw" : "w"
            case "connect": needs = "w"
            case "bind", "mkdir", "unlink", "rename", "symlink", "mknod", "chmod", "unlinkat", "renameat2": needs = "w"
            default: continue
            }
            let isFolder = rest.contains("O_DIRECTORY") || name == "mkdir"
            for path in name == "symlink" ? [last] : paths {
                let other = replaced.first { path == $0.0 || path.hasPrefix($0.0 + "/") }
                let place = other.map { $0.1 + path.dropFirst($0.0.count) } ?? path
                found.insert(Use(path: place + (isFolder && !place.hasSuffix("/") ? "/" : ""), needs: needs))
            }
        }
        return found
    }

    /// The trace of a session of five seconds, or until its end.
    private func session(_ folder: TemporaryFolder, _ arguments: [String]) throws -> String {
        let trace = "\(folder.path)/trace"
        let process = try ExternalProgram.start(
            "strace",
            ["-f", "-qq", "-s", "300", "-e", "trace=%file,connect,bind", "-o", trace]
                + ["\(ExternalProgram.buildFolder)/posed", "--set", "sockets.folder=\(folder.path)/s"]
                + ["--set", "recording.mode=always", "--set", "recording.reserve_mib=0"] + arguments,
            environment: ["STATE_DIRECTORY": "\(folder.path)/state"], output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
        defer { process.kill() }
        #expect(
            DaemonProcess.poll(seconds: 60) {
                ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/state/recordings")) ?? []).count
                    > 0
                    && access("\(folder.path)/s/stream", F_OK) == 0
            }, "\(folder.text(of: "log"))")
        // strace ends with the daemon.
        let children =
            (try? String(
                contentsOfFile: "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children",
                encoding: .utf8)) ?? ""
        for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, SIGTERM) }
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
        return folder.text(of: "trace")
    }

    @Test(
        .enabled(if: canTrace, "strace is not installed"),
        arguments: [
            ["--source", "simulated"], ["--set", "outputs.nmea_path=FOLDER/out-link"],
        ])
    func everythingThatASessionOpensIsAllowed(arguments: [String]) throws {
        // GIVEN a session of the daemon that records, with simulated sources, or with those of this machine and an NMEA
        // terminal
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/state", withIntermediateDirectories: true)
        let words = arguments.map { $0.replacing("FOLDER", with: "\(folder.path)/outputs") }
        try FileManager.default.createDirectory(atPath: "\(folder.path)/outputs", withIntermediateDirectories: true)
        let trace = try session(folder, words)
        // WHEN its paths are those of an installation
        let package = ExternalProgram.packageFolder
        let uses = Self.uses(
            trace,
            [
                ("\(folder.path)/s", "/run/posed"), ("\(folder.path)/state", "/var/lib/posed"),
                ("\(folder.path)/outputs", "/run/posed-outputs"), ("\(package)/data", "/usr/share/posed"),
                ("\(ExternalProgram.buildFolder)/posed", "/usr/bin/posed"), (package, "/usr"),
            ]
        ).filter { !$0.path.hasPrefix("/opt/swift") && !$0.path.hasPrefix("/usr/.build") }
        // THEN the profile allows each
        let rules = try Rule.all(of: String(contentsOfFile: Self.path, encoding: .utf8))
        #expect(uses.count > 20 && rules.count > 20, "\(uses.count) \(rules.count)")
        for use in uses {
            let given = rules.filter { (try? $0.pattern.wholeMatch(in: use.path)) != nil }.map(\.permissions).joined()
            #expect(use.needs.allSatisfy { given.contains($0) }, "\(use.path) needs \(use.needs), has `\(given)`")
        }
    }

    @Test(.enabled(if: ExternalProgram.has("apparmor_parser"), "apparmor is not installed"))
    func theProfileIsUnderstood() throws {
        let result = try ExternalProgram.run("apparmor_parser", ["-Q", "-K", Self.path])
        #expect(result.exitCode == 0, "\(result.errors)")
        // AND a profile with a mistake is not
        let folder = try TemporaryFolder()
        try folder.write(String(contentsOfFile: Self.path, encoding: .utf8).replacing("mr,", with: "mq,"), to: "posed")
        #expect(try ExternalProgram.run("apparmor_parser", ["-Q", "-K", "\(folder.path)/posed"]).exitCode != 0)
    }

    @Test func patternsAreThoseOfAppArmor() throws {
        for (glob, path, fits) in [
            ("/a/*", "/a/b", true), ("/a/*", "/a/b/c", false), ("/a/**", "/a/b/c", true), ("/a/", "/a", false),
            ("/{,usr/}lib/**", "/lib/x", true), ("/{,usr/}lib/**", "/usr/lib/x.so", true), ("/a.b", "/aXb", false),
            ("/dev/iio:device[0-9]*", "/dev/iio:device12", true), ("/dev/tty?", "/dev/tty1", true),
        ] {
            let pattern = try Regex(Rule.expression(glob), as: Substring.self)
            #expect((path.wholeMatch(of: pattern) != nil) == fits, "\(glob) \(path)")
        }
    }
}
