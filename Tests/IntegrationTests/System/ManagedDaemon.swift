import CSystem
import Foundation
import Glibc

/// The real daemon, started the way systemd starts it: sockets handed over, a notification socket, a watchdog, settings
/// in a file.
final class ManagedDaemon {
    /// The folder that holds its sockets and its settings.
    let folder: TemporaryFolder
    /// Its process.
    let process: pid_t
    private let notifications: Int32
    private let sockets: [Int32]
    private var received: [String] = []

    /// What it told its manager so far, oldest first.
    var messages: [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(notifications, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return received }
            received.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    /// Starts it on the demo drive. `names` is LISTEN_FDNAMES for the two sockets, frames first.
    init(settings: String, names: String = "frames:stream") throws {
        folder = try TemporaryFolder()
        try folder.write(settings, to: "posed.yaml")
        let paths = (
            notify: "\(folder.path)/notify", frames: "\(folder.path)/in-frames", stream: "\(folder.path)/in-stream"
        )
        notifications = try Self.bound(paths.notify, Int32(SOCK_DGRAM.rawValue))
        sockets = [
            try Self.bound(paths.frames, Int32(SOCK_SEQPACKET.rawValue)),
            try Self.bound(paths.stream, Int32(SOCK_STREAM.rawValue)),
        ]
        for descriptor in sockets { listen(descriptor, 16) }
        let environment = [
            "NOTIFY_SOCKET": paths.notify, "WATCHDOG_USEC": "600000", "LISTEN_FDS": "2", "LISTEN_FDNAMES": names,
        ]
        // Only the started process knows its own number, which LISTEN_PID must be.
        let command = [
            "/bin/sh", "-c", "LISTEN_PID=$$; export LISTEN_PID; exec \"$@\"", "sh",
            "\(ExternalProgram.buildFolder)/posed", "--config",
            "\(folder.path)/posed.yaml", "--source", "simulated", "--set", "sockets.folder=\(folder.path)/own",
        ]
        process = try Self.spawn(command, environment, descriptors: sockets, log: "\(folder.path)/log")
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        for descriptor in sockets + [notifications] { close(descriptor) }
    }

    /// What it logged.
    var log: String { folder.text(of: "log") }

    /// Waits until `condition` holds, at most `seconds`; whether it came to hold.
    func waits(_ seconds: Double = 20, until condition: () -> Bool) -> Bool {
        NapClock.wait(seconds: seconds, until: condition)
    }

    /// Sends SIGTERM; the exit code and the seconds of a ``NapClock`` until the process was gone, or `nil` when it
    /// did not go within 20 s.
    func stop() -> (exitCode: Int32, seconds: Double)? {
        kill(process, SIGTERM)
        var (status, clock): (Int32, NapClock) = (0, NapClock())
        while waitpid(process, &status, WNOHANG) != process {
            guard clock.seconds < 20 else { return nil }
            clock.nap()
        }
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, clock.seconds)
    }

    /// Connects to the JSON socket, sends a line, and returns the first line that contains `text`, at most `seconds`
    /// later.
    func ask(_ line: String, for text: String, seconds: Double = 20) throws -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        guard Self.withAddress("\(folder.path)/in-stream", { connect(descriptor, $0, $1) }) == 0 else { return nil }
        let request = Array("\(line)\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var bytes: [UInt8] = []
        var found: String?
        var buffer = [UInt8](repeating: 0, count: 65536)
        _ = waits(seconds) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { bytes += buffer[..<count] }
            found = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }.first {
                $0.contains(text)
            }
            return found != nil
        }
        return found
    }

    private static func bound(_ path: String, _ type: Int32) throws -> Int32 {
        let descriptor = socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard withAddress(path, { bind(descriptor, $0, $1) }) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return descriptor
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    /// Starts a program with descriptors at 3 and up.
    private static func spawn(_ command: [String], _ environment: [String: String], descriptors: [Int32], log: String)
        throws -> pid_t
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // First to numbers nobody uses, so that no copy runs over a socket still to be copied.
        for (index, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, 200 + Int32(index))
        }
        for index in descriptors.indices {
            posix_spawn_file_actions_adddup2(&actions, 200 + Int32(index), 3 + Int32(index))
            posix_spawn_file_actions_addclose(&actions, 200 + Int32(index))
        }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }.map { "\($0)=\($1)" }
        var arguments = command.map { strdup($0) } + [nil]
        var environment = variables.map { strdup($0) } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, command[0], &actions, nil, &arguments, &environment)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .ENOENT) }
        return process
    }
}
