import CSystem
import Foundation
import Glibc

/// The real daemon, started the way systemd starts it: sockets handed over, a notification socket, a watchdog, settings
/// in a file.
final class ManagedDaemon {
    /// The folder that holds its sockets and its settings.
    let folder: TemporaryFolder
    /// Its process.
    let process: ChildProcess
    private let notifications: Int32
    private let sockets: [Int32]
    private var received: [String] = []

    /// What it told its manager so far, oldest first. The socket holds ten messages, and one that finds no room is
    /// lost: whoever waits for the daemon reads them meanwhile.
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
            "-c", "LISTEN_PID=$$; export LISTEN_PID; exec \"$@\"", "sh",
            "\(ExternalProgram.buildFolder)/posed", "--config",
            "\(folder.path)/posed.yaml", "--source", "simulated", "--set", "sockets.folder=\(folder.path)/own",
        ]
        process = try ExternalProgram.start(
            "/bin/sh", command, environment: environment, errors: .file("\(folder.path)/log"), descriptors: sockets)
    }

    deinit {
        process.kill()
        for descriptor in sockets + [notifications] { close(descriptor) }
    }

    /// What it logged.
    var log: String { folder.text(of: "log") }

    /// Waits until `condition` holds, at most `seconds`; whether it came to hold.
    func waits(_ seconds: Double = 60, until condition: () -> Bool) -> Bool {
        NapClock.wait(seconds: seconds, until: condition)
    }

    /// Sends SIGTERM; the exit code and the seconds of a ``NapClock`` until the process was gone, or `nil` when it
    /// did not go within 60 s.
    func stop() -> (exitCode: Int32, seconds: Double)? {
        process.terminate()
        var clock = NapClock()
        while process.isRunning, clock.seconds < 60 {
            _ = messages
            clock.nap()
        }
        return process.isRunning ? nil : (process.exitCode ?? -1, clock.seconds)
    }

    /// Connects to the JSON socket, sends a line, and returns the first line that contains `text`, at most `seconds`
    /// later.
    func ask(_ line: String, for text: String, seconds: Double = 60) throws -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        guard Self.withAddress("\(folder.path)/in-stream", { connect(descriptor, $0, $1) }) == 0 else { return nil }
        let request = Array("\(line)\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var bytes: [UInt8] = []
        var found: String?
        var buffer = [UInt8](repeating: 0, count: 65536)
        _ = waits(seconds) {
            _ = messages
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
}
