import Foundation
import Glibc
import Testing

/// What the daemon does while it records, compared with what its unit allows. systemd itself would need a machine of
/// its own: its file systems, capabilities and state folder are set up here, and its filter of system calls is compared
/// with a trace.
@Suite(.serialized) struct SandboxTests {
    private static let isPossible =
        ExternalProgram.has("strace", "setpriv", "systemd-analyze", "unshare")
        && (try? ExternalProgram.run("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).exitCode) == 0

    /// Makes everything read-only but the folder of sockets and trace `$0` and the state folder `$1`, drops all
    /// capabilities, and traces the daemon.
    private static let script = """
        set -e; state=$1; shift
        mount --bind "$0" "$0"; mount --bind "$state" "$state"
        while read -r _ place _; do
            case $place in "$0"|"$state"|/proc*|/sys*|/dev*) continue ;; esac
            mount -o remount,bind,ro "$place" || true
        done </proc/self/mounts
        exec strace -f -qq -o "$0/trace" setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
        """

    /// The values of a key of the unit, in the order of its lines.
    private static func unit(_ key: String) throws -> [String] {
        let text = try String(
            contentsOfFile: "\(ExternalProgram.packageFolder)/systemd/posed.service", encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
        return lines.map { String($0.dropFirst(key.count + 1)) }
    }

    /// The system calls of a group of systemd, with those of the groups in it.
    private static func calls(_ group: String, _ groups: [String: [String]]) -> Set<String> {
        Set((groups[group] ?? []).flatMap { $0.hasPrefix("@") ? Array(calls($0, groups)) : [$0] })
    }

    /// What the unit's filter allows.
    private static func allowedCalls() throws -> Set<String> {
        let text = try ExternalProgram.run("systemd-analyze", ["--no-pager", "syscall-filter"]).output
        var (groups, name) = ([String: [String]](), "")
        for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("#") {
            if line.hasPrefix("@") { name = String(line) }
            if line.hasPrefix(" ") { groups[name, default: []].append(line.trimmingCharacters(in: .whitespaces)) }
        }
        var allowed: Set<String> = []
        for value in try unit("SystemCallFilter") {
            let words = value.drop { $0 == "~" }.split(separator: " ").map(String.init)
            let named = words.reduce(into: Set<String>()) { $0.formUnion(calls($1, groups)) }
            if value.hasPrefix("~") { allowed.subtract(named) } else { allowed.formUnion(named) }
        }
        // systemd always allows these.
        return allowed.union(calls("@default", groups))
    }

    /// The calls of a trace after the daemon has started, one per line: `number name(arguments`.
    private static func trace(_ text: String) -> [(name: String, line: Substring)] {
        let lines = text.split(separator: "\n")
        let start = lines.lastIndex { $0.contains("execve(") } ?? 0
        return lines[start...].compactMap { line in
            let call = line.drop { $0 != " " }.drop { $0 == " " }
            guard let end = call.firstIndex(of: "("), call.first?.isLetter == true else { return nil }
            return (String(call[..<end]), line)
        }
    }

    @Test(.enabled(if: isPossible, "needs root, strace, setpriv and systemd-analyze"))
    func theRecorderWorksInTheSandboxOfTheUnit() throws {
        // GIVEN the file systems as the unit has them: only the state folder is writable, and no capabilities
        #expect(try Self.unit("ProtectSystem") == ["strict"] && Self.unit("CapabilityBoundingSet") == [""])
        #expect(try Self.unit("StateDirectory") == ["posed"] && Self.unit("NoNewPrivileges") == ["yes"])
        let (state, folder) = (try TemporaryFolder(), try TemporaryFolder())
        let process = try start(folder, state)
        defer { process.kill() }
        // WHEN it records a few seconds into the folder that the unit gives it, and is stopped by command
        let recordings = "\(state.path)/recordings"
        func file() -> String? {
            (try? FileManager.default.contentsOfDirectory(atPath: recordings))?.first.map { "\(recordings)/\($0)" }
        }
        func bytes() -> Int {
            file().flatMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int } ?? 0
        }
        #expect(DaemonProcess.poll(seconds: 120) { bytes() > 8000 }, "\(folder.text(of: "log"))")
        let stopped = try ExternalProgram.run("posectl", ["record", "stop", "--folder=\(folder.path)"])
        #expect(stopped.exitCode == 0, "\(stopped)")
        #expect(stopped.output.hasPrefix("off\nrecorded to \(recordings)/posed-"), "\(stopped)")
        // THEN the recording is complete
        let info = try ExternalProgram.run("posectl", ["info", try #require(file())])
        #expect(info.exitCode == 0 && !info.output.contains("cut off"), "\(info)")
        // THEN every system call is one that the filter of the unit allows, and no memory is writable and executable
        let allowed = try Self.allowedCalls()
        let calls = Self.trace(folder.text(of: "trace"))
        #expect(allowed.count > 200 && calls.count > 1000)
        #expect(["fdatasync", "mkdir", "statfs"].allSatisfy { name in calls.contains { $0.name == name } })
        let refused = calls.filter { !allowed.contains($0.name) }
        #expect(refused.isEmpty, "\(refused.prefix(3).map(\.line))")
        let writable = calls.filter {
            ($0.name == "mmap" && $0.line.contains("PROT_WRITE|PROT_EXEC"))
                || ($0.name == "mprotect" && $0.line.contains("PROT_EXEC"))
        }
        #expect(writable.isEmpty, "\(writable.prefix(3).map(\.line))")
        // THEN nothing was written elsewhere: other attempts would have failed
        #expect(!calls.contains { $0.line.contains("EROFS") || $0.line.contains("EACCES") })
    }

    /// Starts the daemon in the sandbox with its sockets, log and trace in one folder and its state in another.
    private func start(_ folder: TemporaryFolder, _ state: TemporaryFolder) throws -> ChildProcess {
        try ExternalProgram.start(
            "unshare",
            [
                "-m", "sh", "-c", Self.script, folder.path, state.path, "\(ExternalProgram.buildFolder)/posed",
                "--source", "simulated", "--set", "sockets.folder=\(folder.path)", "--set", "recording.mode=always",
                "--set", "recording.reserve_mib=0",
            ], environment: ["STATE_DIRECTORY": state.path], output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
    }
}
