import CSystem
import Foundation
import Geodesy
import PoseMath
import RoadData
import Sensors
import Testing

@testable import Service

/// A server on loopback that answers one connection after the other with what a test gives it.
private final class ScriptedServer: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let answer: @Sendable (Int32) -> Void

    /// `answer`: what to do with a connection whose request has been read.
    init(_ answer: @escaping @Sendable (Int32) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isUp = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isUp)
        port = UInt16(bigEndian: address.sin_port)
        self.answer = answer
        Thread.detachNewThread { [descriptor, answer] in
            // Who accepts closes: a number that was closed elsewhere may be another server's by now.
            defer { close(descriptor) }
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &request, request.count, 0)
                answer(connection)
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    static func send(_ text: String, to connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

/// The client of a routing server against everything that a server may answer.
@Suite struct RoutingClientTests {
    private static let query = RoutingQuery(
        start: GeodeticPosition(latitudeDegrees: 42.5078, longitudeDegrees: 1.5211), directionRadians: 1,
        destination: GeodeticPosition(latitudeDegrees: 42.5666, longitudeDegrees: 1.597))

    /// What the client says of a server's answer; `nil`: it took it for a route.
    private func problem(seconds: Double = 5, _ answer: @escaping @Sendable (Int32) -> Void) throws -> String? {
        let server = try ScriptedServer(answer)
        let place = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:\(server.port)"))
        let client = RoutingClient(server: place, limitSeconds: seconds)
        let outcome = Outcome()
        let thread = SourceThread(name: "client") { stop in
            do throws(CommandProblem) {
                outcome.points = try client.route(Self.query, stop: stop).route.vertexCount
            } catch {
                outcome.problem = "\(error.what); \(error.remedy)"
            }
            outcome.done.signal()
        }
        try #require(thread.start())
        #expect(outcome.done.wait(timeout: .now() + 20) == .success)
        thread.stop()
        withExtendedLifetime(server) {}
        return outcome.problem
    }

    private final class Outcome: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var problem: String?
        var points = 0
    }

    private static func whole(_ status: String, _ body: String, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json; charset=UTF-8\r\n\(more)Content-Length: "
            + "\(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let route = """
        {"code":"Ok","routes":[{"distance":556.6,"duration":40,"legs":[],"geometry":{"type":"LineString","coordinates":[[1.52,42.5],[1.52,42.505]]}}]}
        """

    @Test func aRouteIsTaken() throws {
        #expect(try problem { _ = ScriptedServer.send(Self.whole("200 OK", Self.route), to: $0) } == nil)
        // In chunks, byte by byte, and with the end of the connection as the end of the body.
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(Self.route.utf8.count, radix: 16)
            + "\r\n\(Self.route)\r\n0\r\n\r\n"
        #expect(
            try problem { connection in for byte in chunked { _ = ScriptedServer.send(String(byte), to: connection) } }
                == nil)
        #expect(try problem { _ = ScriptedServer.send("HTTP/1.0 200 OK\r\n\r\n\(Self.route)", to: $0) } == nil)
    }

    /// GIVEN the refusals as OSRM writes them, and those of a proxy before it WHEN asked THEN status, reason and remedy
    /// are told.
    @Test(arguments: [
        (
            "400 Bad Request", #"{"message":"Impossible route between points","code":"NoRoute"}"#,
            "says no (400): Impossible route between points"
        ),
        (
            "400 Bad Request", #"{"message":"Could not find a matching segment for coordinate 0","code":"NoSegment"}"#,
            "matching segment for coordinate 0"
        ),
        (
            "400 Bad Request", #"{"message":"Query string malformed close to position 33","code":"InvalidQuery"}"#,
            "malformed close to position 33"
        ),
        (
            "400 Bad Request",
            #"{"message":"Number of elements in bearings size 1 does not match coordinate size 2","code":"InvalidOptions"}"#,
            "bearings"
        ),
        ("200 OK", #"{"message":"Impossible route between points","code":"NoRoute"}"#, "Impossible route"),
        ("200 OK", #"{"code":"Ok","routes":[]}"#, "empty"),
        (
            "404 Not Found", "<html>nothing here</html>",
            "says no (404): without a reason; check routing.server and routing.kind"
        ),
        ("429 Too Many Requests", "{}", "(429): without a reason; it is asked too often"),
        ("503 Service Unavailable", "busy", "(503): without a reason; it is overloaded"),
        ("500 Internal Server Error", #"{"message":7}"#, "(500): without a reason"),
        ("302 Found", "", "(302): without a reason; set routing.server to the address that it names"),
        ("200 OK", "", "empty"), ("200 OK", "{\"code\":\"Ok\",\"routes\":[", "the end of the text"),
        ("204 No Content", "", "empty"),
    ])
    func refusalsAreTold(status: String, body: String, word: String) throws {
        let found = try problem {
            _ = ScriptedServer.send(Self.whole(status, body, "Location: http://127.0.0.1:1/\r\n"), to: $0)
        }
        #expect(found?.contains(word) == true, "\(String(describing: found))")
    }

    /// GIVEN answers that are none, cut off, or too large WHEN read THEN that is told at once.
    @Test(arguments: [
        ("", "cut off"), ("HELLO\r\n\r\n", "not understood"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", "cut off"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{", "larger than a route may be"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{", "its length is"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffff\r\n", "larger than a route may be"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "packed"),
    ])
    func brokenAnswersAreTold(text: String, word: String) throws {
        let found = try problem { _ = ScriptedServer.send(text, to: $0) }
        #expect(found?.contains(word) == true, "\(String(describing: found))")
    }

    /// GIVEN a server that sends a byte now and then WHEN asked THEN the exchange ends at its limit, however alive the
    /// connection is.
    @Test func aSlowBodyEndsAtTheLimit() throws {
        let found = try problem(seconds: 0.4) { connection in
            guard ScriptedServer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", to: connection) else {
                return
            }
            while ScriptedServer.send(" ", to: connection) { usleep(20_000) }
        }
        #expect(
            found?.contains("no whole answer") == true && found?.contains("within 0.4 s") == true,
            "\(String(describing: found))")
    }
}
