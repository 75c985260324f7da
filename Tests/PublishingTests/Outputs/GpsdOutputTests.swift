import Glibc
import PoseMath
import Testing

@testable import Publishing

/// The requests of a client of gpsd's protocol, over a connection on loopback.
@Suite struct GpsdOutputTests {
    /// A client whose lines are read after the server has had its turns.
    private final class Connection {
        private let output: GpsdOutput
        private let descriptor: Int32
        private let start = MonotonicTime(nanoseconds: 0)
        private var received: [UInt8] = []

        /// Connects to a port that the kernel chose.
        init() throws {
            output = try GpsdOutput(port: 0, rateHertz: 1, release: "0")
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var (place, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let listener = output.listener
            let result = withUnsafeMutablePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(listener, $0, &size) == 0 ? connect(descriptor, $0, size) : -1
                }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), 0) } }

        /// The classes of the next reports, in order; `nil` if the connection ends, or if 10 s bring none.
        func classes(_ count: Int) -> [String]? {
            while true {
                let lines = String(decoding: received, as: UTF8.self).split(separator: "\r\n")
                if lines.count >= count, received.last == 0x0A {
                    received = []
                    return lines.map { String($0.dropFirst(10).prefix { $0 != "\"" }) }
                }
                guard turn() else { return nil }
            }
        }

        /// Serves what is ready, or reads what was sent; waits for either.
        private func turn() -> Bool {
            var ready = [
                pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, 10_000) > 0 else { return false }
            if ready[0].revents != 0 { output.serve(now: start) }
            guard ready[1].revents != 0 else { return true }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            received += bytes[..<max(count, 0)]
            return count > 0
        }
    }

    @Test func requestsEndWithASemicolonOrALineEnd() throws {
        // GIVEN a client; WHEN it sends requests with either end, in one packet or in parts, and empty ones; THEN each
        // is answered once, in order.
        let client = try Connection()
        #expect(client.classes(1) == ["VERSION"])
        client.send("?VERSION;?DEVICES\n\n?WATCH={\"enable\":true};\r\n?PO")
        #expect(client.classes(4) == ["VERSION", "DEVICES", "DEVICES", "WATCH"])
        client.send("LL;")
        #expect(client.classes(1) == ["ERROR"])
    }

    @Test func aClientThatAsksTooOftenIsDisconnected() throws {
        // GIVEN a client with 200 requests at once; WHEN it sends one more, even empty; THEN the connection ends.
        let client = try Connection()
        #expect(client.classes(1) == ["VERSION"])
        client.send(String(repeating: "\n", count: 200) + "?VERSION;")
        #expect(client.classes(1) == nil)
    }
}
