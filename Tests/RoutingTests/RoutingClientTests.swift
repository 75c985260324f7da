import CSystem
import Foundation
import Geodesy
import Platform
import PoseMath
import RoadData
import Synchronization
import Testing

@testable import Routing

/// A server on loopback that gives each connection the answer of a test.
private final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// `answer`: handles a connection whose request has been read.
    init(_ answer: @escaping @Sendable (Int32) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
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
        acceptAll(descriptor, answer)
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    static func send(_ text: String, to connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

/// The client of a routing server with all kinds of server answers.
@Suite struct RoutingClientTests {
    private static let query = RoutingQuery(
        start: GeodeticPosition(latitudeDegrees: 42.5078, longitudeDegrees: 1.5211), directionRadians: 1,
        destination: GeodeticPosition(latitudeDegrees: 42.5666, longitudeDegrees: 1.597))

    /// The client's error for a server's answer; `nil` if it accepted the answer. The client's time is long, because
    /// many tests share the processors: a test of the time states it.
    private func problem(seconds: Double = 30, scheme: String = "http", _ answer: @escaping @Sendable (Int32) -> Void)
        throws -> String?
    {
        let server = try ScriptedServer(answer)
        defer { withExtendedLifetime(server) {} }
        let place = try #require(RoutingServer(kind: .osrm, address: "\(scheme)://127.0.0.1:\(server.port)"))
        return try outcome(of: RoutingClient(server: place, limitSeconds: seconds))
    }

    /// The client's error; `nil` if it has a route. `cancels`: stops it at its start.
    private func outcome(of client: RoutingClient, cancels: Bool = false) throws -> String? {
        let outcome = Outcome()
        let thread = WorkerThread(name: "client") { stop in
            do throws(RequestProblem) {
                outcome.points = try client.route(Self.query, stop: stop).route.vertexCount
            } catch {
                outcome.problem = "\(error.what); \(error.remedy)"
            }
            outcome.done.signal()
        }
        try #require(thread.start())
        if cancels { thread.requestStop() }
        #expect(outcome.done.wait(timeout: .now() + 60) == .success)
        thread.stop()
        return outcome.problem
    }

    private final class Outcome: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var problem: String?
        var points = 0
    }

    /// An answer after which the server closes the connection. It says so: a client that sent its next request, after a
    /// redirection, on a connection that is just being closed would find it reset.
    private static func whole(_ status: String, _ body: String, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json; charset=UTF-8\r\nConnection: close\r\n\(more)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
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
            "refused the request (400): Impossible route between points"
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
            "refused the request (404): no reason given; check routing.server and routing.kind"
        ),
        ("407 Proxy Authentication Required", "", "(407): no reason given; check routing.proxy"),
        ("429 Too Many Requests", "{}", "(429): no reason given; it is asked too often"),
        ("503 Service Unavailable", "busy", "(503): no reason given; it is overloaded"),
        ("500 Internal Server Error", #"{"message":7}"#, "(500): no reason given"),
        ("302 Found", "", "redirects the request (Failed to connect to 127.0.0.1 port 1"),
        ("200 OK", "", "empty"), ("200 OK", "{\"code\":\"Ok\",\"routes\":[", "the end of the text"),
        ("204 No Content", "", "empty"),
    ])
    func refusalsAreTold(status: String, body: String, word: String) throws {
        let found = try problem {
            _ = ScriptedServer.send(Self.whole(status, body, "Location: http://127.0.0.1:1/\r\n"), to: $0)
        }
        #expect(found?.contains(word) == true, "\(String(describing: found))")
    }

    /// GIVEN invalid, truncated or too large answers WHEN read THEN the error is reported at once.
    @Test(arguments: [
        ("", "cut off"), ("HELLO\r\n\r\n", "cannot be parsed"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", "cut off"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{", "larger than a route may be"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{", "cannot be parsed"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffff\r\n", "cut off"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "cut off"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "cannot be parsed"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: zipzap\r\nContent-Length: 3\r\n\r\nabc", "cannot be parsed"),
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
            found?.contains("no complete answer") == true && found?.contains("within 0.4 s") == true,
            "\(String(describing: found))")
    }

    /// GIVEN a server that sends interim answers, a head, or a line of it without end WHEN asked THEN the exchange ends
    /// with the bound it broke, or at its limit.
    @Test(arguments: ["HTTP/1.1 100 Continue\r\n\r\n", "X-Field: of a head that never ends\r\n", "x"])
    func aHeadWithoutEndIsRefused(piece: String) throws {
        let flood = String(repeating: piece, count: 1000)
        let found = try problem(seconds: 3) { connection in
            if !piece.hasPrefix("HTTP") { _ = ScriptedServer.send("HTTP/1.1 200 OK\r\n", to: connection) }
            while ScriptedServer.send(flood, to: connection) {}
        }
        let words = ["cannot be parsed", "no complete answer", "failed"]
        #expect(words.contains { found?.contains($0) == true }, "\(String(describing: found))")
    }

    /// GIVEN a body without a length that never ends WHEN asked THEN it is refused at the size a route may have.
    @Test func aBodyWithoutEndIsRefused() throws {
        let piece = String(repeating: " ", count: 1 << 20)
        let found = try problem(seconds: 20) { connection in
            _ = ScriptedServer.send("HTTP/1.1 200 OK\r\n\r\n", to: connection)
            while ScriptedServer.send(piece, to: connection) {}
        }
        #expect(found?.contains("larger than a route may be") == true, "\(String(describing: found))")
    }

    /// GIVEN a server that redirects the request WHEN it ends at a route THEN that is taken; in a circle it is
    /// refused.
    @Test func redirectionsAreFollowedAFewTimes() throws {
        let count = Mutex(0)
        let answer = Self.whole("200 OK", Self.route)
        #expect(
            try problem { connection in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                _ = ScriptedServer.send(
                    isFirst ? Self.whole("307 Temporary Redirect", "", "Location: /elsewhere\r\n") : answer,
                    to: connection)
            } == nil)
        let circle = try problem {
            _ = ScriptedServer.send(Self.whole("302 Found", "", "Location: /again\r\n"), to: $0)
        }
        #expect(
            circle?.contains("redirects the request (Maximum (5) redirects followed)") == true,
            "\(String(describing: circle))")
        let file = try problem {
            _ = ScriptedServer.send(Self.whole("302 Found", "", "Location: file:///etc/passwd\r\n"), to: $0)
        }
        #expect(file?.contains("redirects the request") == true, "\(String(describing: file))")
    }

    /// GIVEN a server without encryption WHEN it is asked for encryption THEN that is the reason.
    @Test func aServerWithoutEncryptionIsNotTrusted() throws {
        let found = try problem(scheme: "https") { _ = ScriptedServer.send("HTTP/1.1 200 OK\r\n\r\n", to: $0) }
        #expect(found?.contains("no encrypted connection") == true, "\(String(describing: found))")
        // AND what to look at: without a clock of its own a computer takes no certificate before it has the time
        for word in ["certificate", "clock", "routing.ca_file"] { #expect(found?.contains(word) == true) }
    }

    /// GIVEN an unknown host, a port without a listener WHEN asked THEN that is the reason.
    @Test func aServerThatIsNotThere() throws {
        for (address, words) in [
            (
                "http://no-such-host.invalid:80",
                "the host no-such-host.invalid is not known; check routing.server and the network"
            ),
            (
                "http://127.0.0.1:1",
                "no routing server answers at 127.0.0.1 port 1: is it running?; check routing.server, and that the "
                    + "server runs"
            ),
        ] {
            let server = try #require(RoutingServer(kind: .osrm, address: address))
            #expect(try outcome(of: RoutingClient(server: server, limitSeconds: 5)) == words)
        }
    }

    /// GIVEN a proxy on whose port nobody listens WHEN the server is asked through it THEN the proxy is the reason.
    @Test func aProxyThatIsNotThere() throws {
        let server = try #require(RoutingServer(kind: .osrm, address: "https://router.example:443"))
        let client = RoutingClient(server: server, limitSeconds: 5, proxy: "http://127.0.0.1:1")
        let found = try outcome(of: client)
        #expect(found?.hasPrefix("no connection through the proxy (") == true, "\(String(describing: found))")
        let remedy = "; check routing.proxy, and that the server can be reached from there"
        #expect(found?.contains("127.0.0.1 port 1") == true && found?.hasSuffix(remedy) == true)
    }

    /// GIVEN programs that are not the one WHEN asked THEN each is one reason, and none is waited for longer than the
    /// request.
    @Test(arguments: [
        ("/no/such/program", "cannot be started"), ("/bin/true", "ended without an answer"),
        ("/bin/cat", "no complete answer"),
    ])
    func anotherProgramIsNamed(path: String, words: String) throws {
        let found = try outcomeOfProgram(path)
        #expect(found?.contains(words) == true, "\(String(describing: found))")
    }

    /// GIVEN a program that answers anything else WHEN asked THEN that is the reason.
    @Test func anotherFormIsNamed() throws {
        // A file that the test has just written may still be open in a program that another test starts.
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/answers-anything"
        let found = try outcomeOfProgram(path)
        #expect(found?.contains("uses another protocol version") == true, "\(String(describing: found))")
    }

    private func outcomeOfProgram(_ path: String) throws -> String? {
        let server = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:1"))
        let helper = RoutingHelper(socketPath: nil, programPath: path)
        return try outcome(of: RoutingClient(server: server, limitSeconds: 1, helper: helper))
    }

    /// GIVEN a server that says nothing WHEN the request is cancelled THEN it ends long before its limit: a tenth of it
    /// is waited for the outcome.
    @Test func aRequestCanBeCancelled() throws {
        let server = try ScriptedServer { connection in
            var byte: UInt8 = 0
            _ = recv(connection, &byte, 1, 0)
        }
        let place = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:\(server.port)"))
        let found = try outcome(of: RoutingClient(server: place, limitSeconds: 600), cancels: true)
        #expect(found?.contains("was cancelled") == true, "\(String(describing: found))")
    }
}
