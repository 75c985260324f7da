import CSystem
import Glibc
import Measurements
import Platform
import PoseMath
import Testing

@testable import Scenarios

/// How connections to the emulated IMU end.
@Suite struct LiveConnectionTests {
    private static var scenario: Scenario {
        var scenario = Scenario(name: "x")
        scenario.way = .corners([[48, 11], [48.001, 11]])
        return scenario
    }

    /// A connection to a port of loopback, with a deadline that only ends what hangs.
    static func connection(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        withUnsafePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    static func say(_ text: String, to descriptor: Int32) {
        _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether the other side ends the connection without a byte more.
    private static func isAtEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Whether the other side tells its version when it is asked for it, with these words after the question.
    private static func isServed(_ descriptor: Int32, thenSaying words: String = "") -> Bool {
        say("VERSION\n" + words, to: descriptor)
        var answer = [UInt8](repeating: 0, count: 13)
        guard recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count else { return false }
        return String(decoding: answer, as: UTF8.self) == "0.24.0000000\n"
    }

    @Test("a connection that its client ends is closed") func anEndedConnectionIsClosed() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        let client = Self.connection(device.port)
        defer { close(client) }
        device.accept()
        // WHEN the client says that nothing more follows THEN the device closes its side
        Self.say("VERS", to: client)
        shutdown(client, Int32(SHUT_WR))
        #expect(Self.isAtEnd(client))
    }

    @Test("who has not come yet is not waited for") func acceptingDoesNotWait() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        // GIVEN nobody who connects WHEN connections are accepted THEN that ends at once, and who comes then is served
        device.accept()
        let client = Self.connection(device.port)
        defer { close(client) }
        device.accept()
        #expect(Self.isServed(client))
    }

    @Test("what is not to be written ends the connection", arguments: ["4097", "-1"])
    func tooMuchToWriteEndsIt(count: String) throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        let client = Self.connection(device.port)
        defer { close(client) }
        device.accept()
        Self.say("WRITE iio:device0 x \(count)\n", to: client)
        #expect(Self.isAtEnd(client))
    }

    @Test("connections that have ended leave room for others") func endedConnectionsLeaveRoom() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        // GIVEN more connections than the device has at a time, one after the other
        for _ in 0..<(EmulatedIIO.mostConnections + 1) {
            let client = Self.connection(device.port)
            defer { close(client) }
            device.accept()
            // THEN each is served, and then closed
            #expect(Self.isServed(client, thenSaying: "EXIT\n"))
            #expect(Self.isAtEnd(client))
        }
    }

    @Test("one connection more than the device has at a time is closed") func tooManyConnectionsAreRefused() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        // GIVEN as many connections as there can be
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        for _ in 0..<EmulatedIIO.mostConnections {
            clients.append(Self.connection(device.port))
            device.accept()
        }
        // WHEN another one comes THEN it is closed, and the last one before is served
        clients.append(Self.connection(device.port))
        device.accept()
        #expect(Self.isAtEnd(clients[EmulatedIIO.mostConnections]))
        #expect(Self.isServed(clients[EmulatedIIO.mostConnections - 1]))
    }

    @Test("the end of the device ends a connection that waits for samples") func theEndEndsAWait() throws {
        // GIVEN a drive that begins in an hour, and a client that waits for its first sample
        let begin = SystemClock.monotonicNow.advanced(bySeconds: 3600)
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: begin))
        let client = Self.connection(device.port)
        defer { close(client) }
        device.accept()
        // A version before shows that the connection is served.
        #expect(Self.isServed(client, thenSaying: "READBUF iio:device0 32\n"))
        // WHEN the device ends THEN the connection does, without a sample
        device.end()
        #expect(Self.isAtEnd(client))
    }
}
