import Frames
import FullDescriptors
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
        /// The time of the server, seconds.
        var now = 0.0
        private var received: [UInt8] = []

        /// Connects to a port that the kernel chose.
        convenience init() throws { try self.init(GpsdOutput(port: 0, rateHertz: 1, release: "0")) }

        /// Connects to a server.
        init(_ output: GpsdOutput) throws {
            self.output = output
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

        /// Publishes a frame.
        func publish(_ frame: Frame) {
            output.publish(frame, now: MonotonicTime(nanoseconds: Int64((now * 1e9).rounded())))
        }

        /// Another client of the same server.
        func another() throws -> Connection { try Connection(output) }

        /// The next lines; `nil` if the connection ends, or if 10 s bring none.
        func lines(_ count: Int) -> [String]? {
            while true {
                let lines = String(decoding: received, as: UTF8.self).split(separator: "\r\n").map(String.init)
                if lines.count >= count, received.last == 0x0A {
                    received = []
                    return lines
                }
                guard turn() else { return nil }
            }
        }

        /// The classes of the next reports, in order; `nil` if the connection ends, or if 10 s bring none.
        func classes(_ count: Int) -> [String]? {
            lines(count)?.map { String($0.dropFirst(10).prefix { $0 != "\"" }) }
        }

        /// Serves what is ready, or reads what was sent; waits for either.
        private func turn() -> Bool {
            var ready = [
                pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, 10_000) > 0 else { return false }
            if ready[0].revents != 0 { output.serve(now: MonotonicTime(nanoseconds: Int64((now * 1e9).rounded()))) }
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

    @Test func twentyRequestsASecondAreTaken() throws {
        // GIVEN a client that has used up its burst of 200 requests WHEN half a second passes THEN ten more are taken,
        // and the eleventh ends the connection
        let client = try Connection()
        #expect(client.classes(1) == ["VERSION"])
        client.send(String(repeating: "\n", count: 199) + "?VERSION;")
        #expect(client.classes(1) == ["VERSION"])
        client.now = 0.5
        client.send(String(repeating: "\n", count: 9) + "?DEVICES;")
        #expect(client.classes(1) == ["DEVICES"])
        client.send("?VERSION;")
        #expect(client.classes(1) == nil)
    }

    @Test func reportsComeWhileTheyAreWatched() throws {
        // GIVEN a client WHEN it has not asked for reports THEN none comes before the answer
        let client = try Connection()
        #expect(client.classes(1) == ["VERSION"])
        client.publish(Frame())
        client.send("?WATCH;")
        let off = client.lines(2)
        #expect(off?.last?.hasPrefix(#"{"class":"WATCH","enable":false,"json":false"#) == true)
        // WHEN it watches THEN one report per second comes, which is the rate of the output
        client.send("?WATCH={\"enable\":true}\n")
        let on = client.lines(2)
        #expect(on?.last?.hasPrefix(#"{"class":"WATCH","enable":true,"json":true"#) == true)
        for now in [1.0, 1.5, 2.0] {
            client.now = now
            client.publish(Frame())
        }
        client.send("?WATCH={ \"enable\" : false };?VERSION;")
        #expect(client.classes(5) == ["TPV", "TPV", "DEVICES", "WATCH", "VERSION"])
        // WHEN it has ended that THEN none comes
        client.now = 9
        client.publish(Frame())
        client.send("?VERSION;")
        #expect(client.classes(1) == ["VERSION"])
    }

    @Test(arguments: [(0.1, 1.0), (1, 1), (50, 0.02), (200, 0.02)])
    func theRateIsThatOfTheSettingsFrom1To50Hertz(rate: Double, period: Double) throws {
        // GIVEN a client that watches
        let client = try Connection(GpsdOutput(port: 0, rateHertz: rate, release: "0"))
        #expect(client.classes(1) == ["VERSION"])
        client.send("?WATCH={\"enable\":true};")
        #expect(client.classes(2) == ["DEVICES", "WATCH"])
        // WHEN 100 frames come at the rate, and another one by a third of the time too early
        for number in (0..<100).map({ Double($0) }) + [99.7] {
            client.now = number * period
            client.publish(Frame())
        }
        // THEN each of the 100 is reported
        client.send("?VERSION;")
        #expect(client.classes(101) == [String](repeating: "TPV", count: 100) + ["VERSION"])
    }

    @Test func sixteenClientsAreServed() throws {
        // GIVEN sixteen clients, of which each was greeted WHEN one more comes THEN its connection ends
        let first = try Connection()
        #expect(first.classes(1) == ["VERSION"])
        let others = try (0..<15).map { _ in try first.another() }
        for other in others { #expect(other.classes(1) == ["VERSION"]) }
        #expect(try first.another().classes(1) == nil)
        first.send("?VERSION;")
        #expect(first.classes(1) == ["VERSION"])
    }

    @Test func aClientThatHasClosedItsConnectionLeavesItsPlace() throws {
        // GIVEN sixteen clients WHEN one of them closes its connection, and the server has had its turn THEN another
        // one is served, although none of the others has been idle
        let first = try Connection()
        #expect(first.classes(1) == ["VERSION"])
        var others = try (0..<15).map { _ in try first.another() }
        for other in others { #expect(other.classes(1) == ["VERSION"]) }
        others.removeLast()
        first.send("?VERSION;")
        #expect(first.classes(1) == ["VERSION"])
        #expect(try first.another().classes(1) == ["VERSION"])
        withExtendedLifetime(others) {}
    }

    @Test func anIdleClientGivesWayToAnotherOne() throws {
        // GIVEN sixteen clients, of which the first watches WHEN the others have been silent for less than 10 s THEN
        // one more is refused
        let first = try Connection()
        #expect(first.classes(1) == ["VERSION"])
        first.send("?WATCH={\"enable\":true};")
        #expect(first.classes(2) == ["DEVICES", "WATCH"])
        let others = try (0..<15).map { _ in try first.another() }
        for other in others { #expect(other.classes(1) == ["VERSION"]) }
        let early = try first.another()
        early.now = 9.9
        #expect(early.classes(1) == nil)
        // WHEN they have been silent for 10 s THEN one of them gives way, and not the one that watches
        let late = try first.another()
        late.now = 10
        #expect(late.classes(1) == ["VERSION"])
        first.now = 10
        first.send("?VERSION;")
        #expect(first.classes(1) == ["VERSION"])
    }

    /// Connects with a server whose process has no free descriptor.
    static func connectWithoutDescriptors() throws {
        // What would go on for ever is ended.
        alarm(300)
        // GIVEN a client that waits to be accepted, and free descriptors below that of the server
        let before = (0..<3).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        let output = try GpsdOutput(port: 0, rateHertz: 1, release: "0")
        for descriptor in before { close(descriptor) }
        let client = try Connection(output)
        var watched = pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 10_000) == 1)
        // WHEN the server has had its turn while none is free THEN nothing is left to do, and the client has been sent
        // away
        withoutFreeDescriptors { output.serve(now: MonotonicTime(nanoseconds: 0)) }
        #expect(poll(&watched, 1, 0) == 0)
        #expect(client.classes(1) == nil)
        // AND where one is free again, the next client is served
        #expect(try client.another().classes(1) == ["VERSION"])
    }

    @Test func aClientForWhichThereIsNoDescriptorIsSentAway() async {
        // The limit is that of the process, in which other tests run beside this one.
        await #expect(processExitsWith: .success) { try GpsdOutputTests.connectWithoutDescriptors() }
    }

    @Test(arguments: [(8192, true), (8193, false)]) func aRequestHas8192Bytes(count: Int, isTaken: Bool) throws {
        // GIVEN a request of the greatest length with its end, or one byte more
        let client = try Connection()
        #expect(client.classes(1) == ["VERSION"])
        // WHEN it is sent THEN the connection goes on, or ends
        client.send(String(repeating: "x", count: count - 1) + ";")
        #expect(client.classes(1) == (isTaken ? ["ERROR"] : nil))
    }
}
