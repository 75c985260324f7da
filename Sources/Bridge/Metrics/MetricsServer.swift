import CSystem
import Files
import Frames
import Glibc
import Logging
import Platform
import Publishing

/// Gives the metrics to Prometheus: by HTTP on a loopback port and a Unix socket, one request after the other, and as a
/// file.
package final class MetricsServer: Sendable {
    private let listeners: [Int32]
    private let unix: ListeningSocket?
    private let file: String?
    private let board: MetricsBoard
    private let streamPath: String
    private let log: Logger
    private let files: Interval

    /// Maximum size of a request, bytes, and the longest wait for one, milliseconds.
    private static let requestLimit = 8192
    private static let requestWait: Int32 = 1000

    /// Opens the port and the socket.
    ///
    /// - Parameter fileSeconds: interval of the file.
    package init(
        port: Int?, socket: String?, file: String?, board: MetricsBoard, streamPath: String, log: Logger,
        fileSeconds: Double? = nil
    ) throws(SocketError) {
        var listeners: [Int32] = []
        if let port {
            let descriptor = posed_listen_loopback(UInt16(clamping: port))
            guard descriptor >= 0 else {
                throw SocketError(
                    place: "127.0.0.1:\(port)",
                    text: "cannot listen: \(describe(errno)); choose another bridge.metrics_port")
            }
            listeners.append(descriptor)
        }
        unix = try socket.map { path throws(SocketError) in
            try ListeningSocket(path: path, kind: .stream, mode: 0o660, group: nil)
        }
        if let unix { listeners.append(unix.descriptor) }
        self.listeners = listeners
        self.file = file
        self.board = board
        self.streamPath = streamPath
        self.log = log
        files = fileSeconds.map { Interval(seconds: $0) } ?? .ofMetricsFile
    }

    /// Removes the socket.
    package func close() { unix?.removeFile() }

    /// Serves until a stop is requested: the body of a thread.
    package func run(_ stop: StopSignal) {
        var question = StatusQuestion(path: streamPath)
        var files = files
        var hasComplained = false
        var spare = SpareDescriptor()
        while !stop.isRaised {
            var watched = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Half a second until a stop is seen.
            poll(&watched, nfds_t(watched.count), 500)
            for entry in watched where entry.revents != 0 {
                guard let client = spare.accept(on: entry.fd) else { continue }
                answer(client, &question)
                Glibc.close(client)
            }
            guard let file, files.isDue(nowNanoseconds: SystemClock.monotonicNow.nanoseconds) else { continue }
            do throws(FileFault) {
                try Self.write(board.text(status: question.status()), to: file)
                hasComplained = false
            } catch {
                if !hasComplained { log.warning("bridge.metrics_file: \(file) \(error)") }
                hasComplained = true
            }
        }
    }

    /// Writes the file for programs of other users, whatever umask this one has: the service's gives nothing to others.
    private static func write(_ text: String, to path: String) throws(FileFault) {
        var file = try AtomicFile(replacing: path, permissions: 0o644)
        fchmod(file.descriptor, 0o644)
        try FileTransfer.write(text, to: file.descriptor)
        try file.commit()
    }

    /// Reads one request and answers it.
    private func answer(_ client: Int32, _ question: inout StatusQuestion) {
        guard let request = Self.request(from: client) else { return }
        let words = request.split(separator: " ", maxSplits: 2)
        let isKnown = words.count == 3 && (words[1] == "/metrics" || words[1].hasPrefix("/metrics?"))
        guard words.count == 3, words[0] == "GET" else {
            return Self.send("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n", to: client)
        }
        guard isKnown else {
            return Self.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: client)
        }
        let text = board.text(status: question.status())
        Self.send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: "
                + "\(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)", to: client)
    }

    /// The head of a request; `nil` if none arrives in time.
    private static func request(from client: Int32) -> String? {
        var bytes: [UInt8] = []
        let end = SystemClock.monotonicNow.nanoseconds + Int64(requestWait) * 1_000_000
        while bytes.count < requestLimit {
            guard posed_wait_readable(client, end) == 1 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 2048)
            let count = recv(client, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("\r\n\r\n") || text.contains("\n\n") { return text }
        }
        return nil
    }

    private static func send(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { posed_send(client, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
            if count > 0 {
                sent += count
                continue
            }
            var room = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
            guard count < 0, errno == EAGAIN || errno == EINTR, poll(&room, 1, requestWait) == 1 else { return }
        }
    }
}
