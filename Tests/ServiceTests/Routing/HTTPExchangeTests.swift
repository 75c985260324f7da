import CSystem
import Glibc
import Sensors
import Testing

@testable import Service

@Suite struct HTTPExchangeTests {
    /// GIVEN a server that takes the connection and says nothing WHEN asked THEN the exchange ends at its limit, with
    /// the reason.
    @Test func silentServer() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(listener, pointer, length)
                _ = listen(listener, 4)
                _ = getsockname(listener, pointer, &length)
            }
        }
        let exchange = HTTPExchange(
            host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port), limitSeconds: 0.3, maximumBytes: 1000)
        let outcome = Outcome()
        let began = SystemClock.monotonicNow
        let thread = SourceThread(name: "exchange") { stop in
            do throws(HTTPExchange.Failure) {
                _ = try exchange.perform(Array("GET / HTTP/1.1\r\n\r\n".utf8), stop: stop)
            } catch {
                outcome.explanation = error.explanation
            }
            outcome.isDone = true
        }
        try #require(thread.start())
        // Ten times the limit, for a machine under load.
        while !outcome.isDone, SystemClock.monotonicNow.seconds(since: began) < 3 { usleep(5000) }
        thread.stop()
        #expect(outcome.isDone && outcome.explanation.contains("within 0.3 s"), "\(outcome.explanation)")
        #expect(SystemClock.monotonicNow.seconds(since: began) >= 0.3)
    }

    /// Written by one thread, read by the other after it.
    private final class Outcome: @unchecked Sendable {
        var explanation = ""
        var isDone = false
    }
}
