import Foundation
import Glibc
import RoutingProtocol
import Testing

@testable import HTTPTransfer

/// One request to a server that the test plays, and the limits of what is received.
@Suite struct TransferTests {
    /// The report and the body of a request whose server answers so, and what the server was asked.
    private func answer(
        _ response: String, body: [UInt8]? = nil, maximumBytes: UInt32 = 100, takesBody: Bool = true
    ) throws -> (report: RoutingReport, body: String, request: String) {
        let server = try PlayedHTTPServer(response)
        let call = RoutingCall(
            url: "http://127.0.0.1:\(server.port)/route?x=1", body: body, agent: "posed/test",
            limitMilliseconds: 20_000,
            maximumBytes: maximumBytes)
        var received: [UInt8] = []
        let report = Transfer(call).perform(
            onBody: {
                received += $0
                return takesBody
            }, isCancelled: { false })
        return (report, String(decoding: received, as: UTF8.self), server.request)
    }

    private func response(_ status: String, _ body: String, _ headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
    }

    @Test func aRequestHasTheseHeaders() throws {
        // GIVEN a query without and with a body WHEN sent THEN these are the requests, and the answer is told
        let common = "User-Agent: posed/test\r\nAccept-Encoding: gzip, deflate\r\nAccept: application/json\r\n"
        func hostless(_ text: String) -> String {
            text.split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Host: 127.0.0.1:") }
                .joined(separator: "\r\n")
        }
        let get = try answer(response("200 OK", "{}"))
        #expect(get.report == .answered(status: 200) && get.body == "{}")
        #expect(hostless(get.request) == "GET /route?x=1 HTTP/1.1\r\n\(common)\r\n")
        let post = try answer(response("404 Not Found", "no"), body: Array("{\"a\":1}".utf8))
        #expect(post.report == .answered(status: 404) && post.body == "no")
        #expect(
            hostless(post.request) == "POST /route?x=1 HTTP/1.1\r\n\(common)Content-Type: application/json\r\n"
                + "Content-Length: 7\r\n\r\n{\"a\":1}")
    }

    @Test func aStatusIsOneOfHTTP() throws {
        for (status, report) in [
            ("599 x", .answered(status: 599)), ("600 x", .failed(.malformed, detail: "invalid HTTP status 600")),
        ] as [(String, RoutingReport)] { #expect(try answer(response(status, "")).report == report) }
    }

    @Test func aBodyHasItsLimit() throws {
        // GIVEN an answer without a length, which ends with the connection WHEN it has as many bytes as are allowed,
        // and one more THEN the second is too large
        for (count, report) in [
            (50, .answered(status: 200)), (51, .failed(.tooLarge, detail: "the body has more than 50 bytes")),
        ] as [(Int, RoutingReport)] {
            let body = String(repeating: "b", count: count)
            let found = try answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(body)", maximumBytes: 50)
            #expect(found.report == report, "\(count)")
        }
        // AND one who takes no body ends it; an answer that is none, or ends early, is told
        #expect(
            try answer(response("200 OK", "x"), takesBody: false).report
                == .failed(.other, detail: "the request was cancelled"))
        guard case .failed(.cutOff, _) = try answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx").report,
            case .failed(.cutOff, _) = try answer("").report
        else {
            Issue.record("not cut off")
            return
        }
    }

    @Test func headersHaveTheirLimitAndTheFirstReasonStays() {
        // GIVEN headers of 262144 bytes in all THEN they are taken, and one byte more is not; the first reason stays
        var isCancelled = false
        var taken = 0
        let progress = TransferProgress(
            maximumBytes: 10,
            onBody: {
                taken += $0.count
                return true
            }, isCancelled: { isCancelled })
        #expect(progress.addHeader(count: 200_000) == 200_000 && progress.addHeader(count: 62_144) == 62_144)
        let bytes = [UInt8](repeating: 0, count: 11)
        let counts = [4, 6].map { count in bytes.withUnsafeBytes { progress.addBody(.init(rebasing: $0[..<count])) } }
        #expect(counts == [4, 6] && taken == 10 && progress.stopped == nil && !progress.shouldStop)
        #expect(progress.addHeader(count: 1) == 0)
        let reason = RoutingReport.failed(.malformed, detail: "the headers have more than 262144 bytes")
        #expect(progress.stopped == reason)
        let more = bytes.withUnsafeBytes { progress.addBody(.init(rebasing: $0[..<1])) }
        isCancelled = true
        #expect(more == 0 && taken == 10 && progress.shouldStop && progress.stopped == reason)
        // AND a cancelled request says so
        let cancelled = TransferProgress(maximumBytes: 10, onBody: { _ in true }, isCancelled: { true })
        #expect(cancelled.shouldStop)
        #expect(cancelled.stopped == .failed(.other, detail: "the request was cancelled"))
        #expect(TransferProgress.of(nil).shouldStop && TransferProgress.of(nil).addHeader(count: 1) == 1)
    }

    @Test func aReasonHasNoControlCharacters() {
        // GIVEN a text with characters that would move the cursor of a terminal THEN they are left out, and no others
        #expect(Transfer.printable("a\u{1B}[2J b\u{7F}\r\n\u{1F} ~ü") == "a[2J b ~ü")
        #expect(Transfer.printable("Could not resolve host: x") == "Could not resolve host: x")
    }

    @Test func whatTheLibraryDoesNotTakeIsMisuse() {
        // GIVEN a URL that is longer than libcurl takes, eight million bytes THEN nothing is sent, and that is told
        let url = "http://127.0.0.1:1/" + String(repeating: "x", count: 8_000_000)
        let call = RoutingCall(url: url, agent: "a", limitMilliseconds: 20_000, maximumBytes: 10)
        let report = Transfer(call).perform(onBody: { _ in true }, isCancelled: { false })
        guard case .failed(.misused, let detail) = report else {
            Issue.record("\(report)")
            return
        }
        #expect(!detail.isEmpty)
    }

    @Test func aServerThatNeverAnswersIsTooSlow() throws {
        // GIVEN a server that accepts and never answers THEN the answer was too slow, not the way to the server
        func fault(limitMilliseconds: UInt32) throws -> RoutingFault? {
            let server = try PlayedHTTPServer(nil)
            let call = RoutingCall(
                url: "http://127.0.0.1:\(server.port)/", agent: "a", limitMilliseconds: limitMilliseconds,
                maximumBytes: 10)
            let report = Transfer(call).perform(onBody: { _ in true }, isCancelled: { false })
            server.end()
            if case .failed(let fault, _) = report { return fault }
            return nil
        }
        // A machine that is too busy to connect within the short limit gets a longer one.
        #expect(try [200, 5000].contains { try fault(limitMilliseconds: $0) == .answerTooSlow })
    }

    @Test func whatCannotBeReachedHasItsReason() throws {
        // GIVEN a port on which nobody listens, a URL that is none, and one of another protocol THEN each has its
        // reason
        let server = try PlayedHTTPServer("")
        let free = server.port
        server.end()
        func fault(_ url: String) -> RoutingFault? {
            let call = RoutingCall(url: url, agent: "a", limitMilliseconds: 20_000, maximumBytes: 10)
            let report = Transfer(call).perform(onBody: { _ in true }, isCancelled: { false })
            if case .failed(let fault, _) = report { return fault }
            return nil
        }
        #expect(fault("http://127.0.0.1:\(free)/") == .refused)
        #expect(fault("http://[::1/") == .malformed && fault("ftp://127.0.0.1/") == .malformed)
        #expect(fault("http://user@127.0.0.1:\(free)/") == .malformed)
    }

    @Test func aProxyThatRefusesOrIsDownIsNotTheServer() throws {
        func report(_ url: String, proxyPort: UInt16) -> RoutingReport {
            let call = RoutingCall(
                url: url, agent: "a", proxy: "http://127.0.0.1:\(proxyPort)", limitMilliseconds: 20_000,
                maximumBytes: 10)
            return Transfer(call).perform(onBody: { _ in true }, isCancelled: { false })
        }
        // GIVEN a proxy that does not connect to the server THEN that is the reason
        for status in ["403 Forbidden", "407 Proxy Authentication Required", "503 Service Unavailable"] {
            let proxy = try PlayedHTTPServer(response(status, ""))
            guard case .failed(.proxy, let detail) = report("https://router.example/", proxyPort: proxy.port) else {
                Issue.record("another reason than the proxy: \(status)")
                continue
            }
            #expect(detail.contains(String(status.prefix(3))))
            #expect(proxy.request.hasPrefix("CONNECT router.example:443 "))
        }
        // AND so it is for a proxy on whose port nobody listens, which is named
        let down = try PlayedHTTPServer("")
        let free = down.port
        down.end()
        for url in ["https://router.example/", "http://router.example/", "http://127.0.0.1:\(free)/"] {
            guard case .failed(.proxy, let detail) = report(url, proxyPort: free) else {
                Issue.record("another reason than the proxy: \(url)")
                continue
            }
            #expect(detail.contains("127.0.0.1"))
        }
        // AND a request through a proxy that ends before the answer is cut off
        let short = try PlayedHTTPServer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
        guard case .failed(.cutOff, _) = report("http://router.example/", proxyPort: short.port) else {
            Issue.record("not cut off")
            return
        }
    }
}

/// An HTTP server for one request. Why `@unchecked Sendable` is true: the thread writes the request before it answers,
/// which the end of the transfer orders.
private final class PlayedHTTPServer: @unchecked Sendable {
    private(set) var port: UInt16 = 0
    private(set) var request = ""
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

    struct Failure: Error {}

    /// Listens on a free port; without a response nobody takes the connection that the kernel makes.
    init(_ response: String?) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = place.sin_port.bigEndian
        guard let response else { return }
        Thread { [self] in serve(Array(response.utf8)) }.start()
    }

    deinit { close(listener) }

    /// Listens no longer.
    func end() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ response: [UInt8]) {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        var buffer = [UInt8](repeating: 0, count: 8192)
        while !isComplete {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        }
        _ = send(client, response, response.count, Int32(MSG_NOSIGNAL))
        close(client)
    }

    /// Whether the request has its head and its body; the only body here ends with a brace.
    private var isComplete: Bool {
        guard request.contains("\r\n\r\n") else { return false }
        return request.hasPrefix("GET") || request.hasPrefix("CONNECT") || request.hasSuffix("}")
    }
}
