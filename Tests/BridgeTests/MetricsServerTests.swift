import CSystem
import Foundation
import Frames
import FullDescriptors
import Glibc
import KeptLog
import Logging
import Platform
import Publishing
import Testing

@testable import Bridge

/// The metrics by HTTP and as a file.
@Suite struct MetricsServerTests {
    /// A server with a socket, and with a file, on a thread of its own.
    private final class Bench {
        let folder: String
        let board = MetricsBoard(id: "b1", link: nil, queue: nil)
        let log = LogLines()
        private let server: MetricsServer
        private let thread: WorkerThread
        var file: String { "\(folder)/posed.prom" }

        init(fileSeconds: Double = 15) throws {
            folder = NSTemporaryDirectory() + "posed-metrics-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let log = log
            let server = try MetricsServer(
                port: nil, socket: "\(folder)/socket", file: "\(folder)/posed.prom", board: board,
                streamPath: "/nowhere/stream", log: Logger(label: "test") { _ in log }, fileSeconds: fileSeconds)
            self.server = server
            thread = WorkerThread(name: "metrics") { server.run($0) }
            thread.start()
        }

        deinit {
            thread.stop()
            server.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// What the server answers to text in pieces; `isWhole`: nothing follows, so that the server need not wait.
        /// `between` is done after each piece but the last, with the client's socket.
        func answer(_ pieces: String..., isWhole: Bool = false, between: (Int32) -> Void = { _ in }) -> String {
            let client = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
            defer { close(client) }
            posed_connect(client, "\(folder)/socket")
            for (index, piece) in pieces.enumerated() {
                let bytes = Array(piece.utf8)
                _ = posed_send(client, bytes, bytes.count)
                if index < pieces.count - 1 { between(client) }
            }
            if isWhole { shutdown(client, Int32(SHUT_WR)) }
            var received: [UInt8] = []
            // A deadline that only ends what hangs.
            while posed_wait_readable(client, SystemClock.monotonicNow.nanoseconds + 20_000_000_000) == 1 {
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = recv(client, &chunk, chunk.count, 0)
                guard count > 0 else { break }
                received += chunk[..<count]
            }
            return String(decoding: received, as: UTF8.self)
        }
    }

    @Test func eachLossOfTheFileIsToldOnce() throws {
        // GIVEN a file that is written after each request WHEN a folder has its name, twice, and goes again THEN each
        // time is told once
        let bench = try Bench(fileSeconds: 0)
        func ask() { for _ in 0..<2 { _ = bench.answer("GET /metrics HTTP/1.1\n\n") } }
        ask()
        for _ in 0..<2 {
            for _ in 0..<100_000 where mkdir(bench.file, 0o700) != 0 { unlink(bench.file) }
            ask()
            rmdir(bench.file)
            ask()
        }
        let lines = bench.log.labelled
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("warning: bridge.metrics_file: \(bench.file) ") }, "\(lines)")
    }

    @Test func onlyTheMetricsCanBeRead() throws {
        let bench = try Bench()
        bench.board.note(Frame(), arrivedNanoseconds: 0, lost: 7)
        let text = bench.board.text(status: nil)
        let whole =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: "
            + "\(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
        // GIVEN requests for the metrics, with and without a question, in one piece and in two
        #expect(bench.answer("GET /metrics HTTP/1.1\r\nHost: a b\r\n\r\n") == whole)
        #expect(bench.answer("GET /metrics?a=1 HTTP/1.1\n\n") == whole)
        #expect(bench.answer("GET /metr", "ics HTTP/1.0\r\n\r\n") == whole)
        // AND requests for something else, or in another way
        for path in ["/", "/metricsx", "/metrics/"] {
            #expect(
                bench.answer("GET \(path) HTTP/1.1\r\n\r\n")
                    == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        for request in ["POST /metrics HTTP/1.1", "GET /metrics", "HEAD / HTTP/1.1", "GET"] {
            #expect(
                bench.answer("\(request)\r\n\r\n")
                    == "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n")
        }
        // THEN one without an end gets no answer, and the next one is served
        #expect(bench.answer("GET /metrics HTTP/1.1\r\n", isWhole: true).isEmpty)
        #expect(bench.answer("GET /metrics HTTP/1.1\n\n") == whole)
    }

    /// Connects with a server whose process has no free descriptor.
    static func askWithoutDescriptors() throws {
        // What would go on for ever is ended.
        alarm(300)
        // GIVEN a server that waits after two requests, so that it has passed the end of its loop, with free
        // descriptors below its own
        let before = (0..<3).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        let bench = try Bench()
        for _ in 0..<2 { #expect(bench.answer("GET /metrics HTTP/1.1\n\n").hasPrefix("HTTP/1.1 200 OK\r\n")) }
        for descriptor in before { close(descriptor) }
        let client = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        // WHEN another client comes while none is free THEN its connection ends; the deadline only ends what hangs
        withoutFreeDescriptors {
            posed_connect(client, "\(bench.folder)/socket")
            #expect(posed_wait_readable(client, SystemClock.monotonicNow.nanoseconds + 20_000_000_000) == 1)
            var byte: UInt8 = 0
            #expect(recv(client, &byte, 1, 0) == 0)
        }
        close(client)
        // AND where a descriptor is free again, the next one is answered
        #expect(bench.answer("GET /metrics HTTP/1.1\n\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func aRequestForWhichThereIsNoDescriptorIsSentAway() async {
        // The limit is that of the process, in which other tests run beside this one.
        await #expect(processExitsWith: .success) { try MetricsServerTests.askWithoutDescriptors() }
    }

    @Test func theServerWaitsForTheRestOfARequest() throws {
        // GIVEN half a request WHEN the rest does not follow at once THEN the server says nothing and keeps the
        // connection
        let bench = try Bench()
        var said: [Int32] = []
        let answer = bench.answer("GET /metr", "ics HTTP/1.0\r\n\r\n") { client in
            var watched = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            said.append(poll(&watched, 1, 50))
        }
        // AND answers when it is there
        #expect(said == [0] && answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test(arguments: [(8192, true), (8193, false)]) func aRequestHasEightKilobytesAtMost(size: Int, isTaken: Bool)
        throws
    {
        let bench = try Bench()
        let (head, end) = ("GET /metrics HTTP/1.1\r\nA: ", "\r\n\r\n")
        let request = head + String(repeating: "a", count: size - head.utf8.count - end.utf8.count) + end
        #expect(bench.answer(request, isWhole: true).hasPrefix("HTTP/1.1 200 OK\r\n") == isTaken)
    }

    @Test func theFileHasTheSameText() throws {
        // GIVEN a file that is written after each request WHEN there are two requests, so that the server has passed
        // the end of its loop THEN the file is there
        let bench = try Bench(fileSeconds: 0)
        var modes: [mode_t] = []
        for _ in 0..<10 {
            for _ in 0..<2 { _ = bench.answer("GET /metrics HTTP/1.1\n\n") }
            #expect(try String(contentsOfFile: bench.file, encoding: .utf8) == bench.board.text(status: nil))
            var entry = stat()
            #expect(stat(bench.file, &entry) == 0)
            modes.append(entry.st_mode & 0o777)
        }
        // AND for all to read
        #expect(modes.allSatisfy { $0 == 0o644 }, "\(modes)")
        #expect(bench.log.lines.isEmpty)
    }

    /// Writes the file under the umask of the installed service.
    static func writeForOthers() throws {
        umask(0o077)
        let bench = try Bench(fileSeconds: 0)
        for _ in 0..<2 { _ = bench.answer("GET /metrics HTTP/1.1\n\n") }
        var entry = stat()
        #expect(stat(bench.file, &entry) == 0)
        #expect(entry.st_mode & 0o777 == 0o644)
    }

    @Test func theUmaskOfTheServiceDoesNotHideTheFile() async {
        // GIVEN a umask that gives nothing to others, in a process of its own WHEN the file is written THEN programs of
        // other users can read it
        await #expect(processExitsWith: .success) { try MetricsServerTests.writeForOthers() }
    }

    @Test func aPortInUseIsToldWithTheRemedy() {
        let broker = PlayedBroker()
        let problem = #expect(throws: SocketError.self) {
            try MetricsServer(
                port: broker.port, socket: nil, file: nil, board: MetricsBoard(id: "b1", link: nil, queue: nil),
                streamPath: "", log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(
            problem?.description
                == "127.0.0.1:\(broker.port): cannot listen: Address already in use; choose another "
                + "bridge.metrics_port")
    }
}
