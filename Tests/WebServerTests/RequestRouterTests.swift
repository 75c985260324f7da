import FlyingFox
import Glibc
import Logging
import RoadMaps
import Testing

import struct Foundation.Data

@testable import WebServer

/// What each path answers: status, headers and text.
@Suite struct RequestRouterTests {
    /// A page with an index, a style and a script in a folder.
    private static func page() -> ImportFolder {
        let folder = ImportFolder()
        folder.write(Array("<html>".utf8), to: "index.html")
        folder.write(Array("a{}".utf8), to: "style.css")
        return folder
    }

    private static func router(token: String? = nil) throws -> RequestRouter {
        let log = RareLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let viewer = ViewerHandler(hub: ViewerHub(limit: 1), perform: { _, _, _ in true }, log: log)
        let page = page()
        let files = try withExtendedLifetime(page) { try PageFiles(folder: page.path) }
        return RequestRouter(
            files: files, access: AccessControl(token: token, hostNames: ["Car.local"]),
            viewers: WebSocketHTTPHandler(handler: viewer), roads: RoadTiles(),
            recordings: RecordingLibrary(folder: "/nowhere/recordings"), log: log)
    }

    private static func request(
        _ path: String, _ headers: [HTTPHeader: String] = [:], method: HTTPMethod = .GET,
        query: [HTTPRequest.QueryItem] = []
    ) -> HTTPRequest {
        let all = headers.merging([.host: "car.local:80"]) { own, _ in own }
        return HTTPRequest(method: method, version: .http11, path: path, query: query, headers: all, body: Data())
    }

    private static func body(_ response: HTTPResponse) async throws -> String {
        String(decoding: try await response.bodyData, as: UTF8.self)
    }

    private static let missing = ": does not exist; the page is at /\n"
    private static let noTile = "is no tile; use /roads/ZOOM/X/Y with zoom 10, 12 or 14\n"
    private static let noSeconds = "give from and to in seconds from the start, such as ?from=0&to=10\n"
    private static let noRecording = "/nowhere/recordings: has no recording 'a'\n"

    @Test(arguments: [
        ("/", 200, "<html>"), ("/index.html", 200, "<html>"), ("/style.css", 200, "a{}"), ("/x", 404, "/x" + missing),
        ("/roads/14/1/2/3", 404, "/roads/14/1/2/3" + missing), ("/roads/13/1/1", 404, noTile),
        ("/roads/14/x/1", 404, noTile), ("/roads/14/1/x", 404, noTile), ("/roads/x/1/1", 404, noTile),
        ("/roads/10/1024/1", 404, noTile), ("/recordings/a/b", 404, "/recordings/a/b" + missing),
        ("/recordings/a/frames/1", 404, "/recordings/a/frames/1" + missing), ("/recordings/a/frames", 400, noSeconds),
        ("/" + String(repeating: "a", count: 90), 404, "/" + String(repeating: "a", count: 79) + missing),
        ("/ws", 400, "/ws is a WebSocket; open the page instead\n"),
    ]) func aPathHasItsAnswer(path: String, status: Int, text: String) async throws {
        let response = try await Self.router().handleRequest(Self.request(path))
        #expect(response.statusCode.code == status)
        #expect(try await Self.body(response) == text)
        // AND whatever it is, no other site may use it
        #expect(response.headers[HTTPHeader("Content-Security-Policy")]?.contains("frame-ancestors 'none'") == true)
        #expect(response.headers[HTTPHeader("X-Content-Type-Options")] == "nosniff")
    }

    @Test func listsAndTilesAreJSON() async throws {
        // GIVEN no recordings and no roads THEN list and tile are there all the same, and a tile is kept ten minutes
        let router = try Self.router()
        let list = try await router.handleRequest(Self.request("/recordings"))
        #expect(list.statusCode == .ok && list.headers[.contentType] == "application/json")
        #expect(list.headers[.cacheControl] == "no-cache")
        #expect(try await Self.body(list).hasPrefix(#"{"folder":"/nowhere/recordings","problem":"/nowhere"#))
        let tile = try await router.handleRequest(Self.request("/roads/10/1023/1"))
        #expect(tile.statusCode == .ok && tile.headers[.cacheControl] == "private, max-age=600")
        let recording = try await router.handleRequest(Self.request("/recordings/a"))
        #expect(try await Self.body(recording) == Self.noRecording && recording.statusCode != .ok)
    }

    @Test(arguments: [
        ("0", "10", true), ("-1", "0", true), ("5", "5", false), ("5", "4.9", false), ("5", "5.1", true),
        ("x", "10", false),
        ("0", "x", false), ("0", "inf", false), ("nan", "1", false),
    ]) func framesAreFromATimeToALaterOne(from: String, to: String, isTaken: Bool) async throws {
        // GIVEN two times WHEN frames of a recording that is not there are asked for THEN the times are refused, or the
        // recording is
        let query = [HTTPRequest.QueryItem(name: "from", value: from), .init(name: "to", value: to)]
        let response = try await Self.router().handleRequest(Self.request("/recordings/a/frames", query: query))
        #expect(try await Self.body(response) == (isTaken ? Self.noRecording : Self.noSeconds))
    }

    @Test func aFileIsSentWhenItHasChanged() async throws {
        // GIVEN a file that a browser has WHEN it is asked for with its tag THEN it is not sent again, but with another
        // tag it is; HEAD has the headers alone
        let router = try Self.router()
        let first = try await router.handleRequest(Self.request("/"))
        let tag = try #require(first.headers[.eTag])
        #expect(first.headers[.contentType] == "text/html; charset=utf-8" && first.headers[.contentLength] == "6")
        let again = try await router.handleRequest(Self.request("/", [.ifNoneMatch: tag]))
        #expect(again.statusCode == .notModified && again.headers[.eTag] == tag)
        let other = try await router.handleRequest(Self.request("/", [.ifNoneMatch: "\"1\""]))
        #expect(other.statusCode == .ok)
        let head = try await router.handleRequest(Self.request("/", method: .HEAD))
        #expect(head.statusCode == .ok && head.headers[.contentLength] == "6")
        #expect(try await Self.body(head) == "")
        let post = try await router.handleRequest(Self.request("/", method: .POST))
        #expect(post.statusCode == .methodNotAllowed)
        #expect(try await Self.body(post) == "POST is not served; use GET\n")
    }

    @Test(arguments: ["/", "/style.css", "/x", "/ws", "/recordings", "/recordings/a", "/roads/10/1/1"])
    func headHasTheHeadersAlone(path: String) async throws {
        // GIVEN what a path answers, with a token and without WHEN it is asked for by HEAD THEN status and length are
        // the same, and no text follows, which would be read as the start of the next answer
        for router in [try Self.router(), try Self.router(token: "0123456789abcdef")] {
            let whole = try await router.handleRequest(Self.request(path))
            let head = try await router.handleRequest(Self.request(path, method: .HEAD))
            let length = try await Self.body(whole).utf8.count
            #expect(head.statusCode == whole.statusCode && head.headers[.contentLength] == String(length))
            #expect(try await Self.body(head) == "")
        }
    }

    @Test func theTokenOpensThePage() async throws {
        // GIVEN a server with a token WHEN a page comes without it THEN it gets the form, and what the form needs
        let router = try Self.router(token: "0123456789abcdef")
        let form = try await router.handleRequest(Self.request("/"))
        #expect(form.statusCode == .unauthorized && form.headers[.contentType] == "text/html; charset=utf-8")
        #expect(try await Self.body(form).contains("posed: token"))
        #expect(try await router.handleRequest(Self.request("/style.css")).statusCode == .ok)
        #expect(try await router.handleRequest(Self.request("/recordings")).statusCode == .unauthorized)
        // WHEN it comes with it THEN it is sent on with a cookie, with which it is served
        let query = [HTTPRequest.QueryItem(name: "token", value: "0123456789abcdef")]
        let welcome = try await router.handleRequest(Self.request("/", query: query))
        let cookie = "posed_token=0123456789abcdef"
        #expect(welcome.statusCode == .seeOther && welcome.headers[.location] == "/")
        #expect(
            welcome.headers[.setCookie] == cookie + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000")
        let page = try await router.handleRequest(Self.request("/", [.cookie: "a=b; \(cookie); c=d"]))
        #expect(page.statusCode == .ok)
    }

    @Test(arguments: [
        ("CAR.LOCAL", true), ("car.local:8470", true), ("car.local.", false), ("[fe80::1]:80", true), ("1.2.3.4", true),
        ("1.2.3", false), ("1.2.3.4.5", false), ("1.2.3.256", false), ("LOCALHOST", true), ("x.localhost:1", true),
        ("xlocalhost", false), ("[", false),
    ]) func aForeignHostIsToldItsName(host: String, isOwn: Bool) async throws {
        let response = try await Self.router().handleRequest(Self.request("/", [.host: host]))
        #expect(response.statusCode == (isOwn ? .ok : .forbidden))
        guard !isOwn else { return }
        let text = "'\(host)' is not this server; if this is a name of this server, start posed-web with --host NAME\n"
        #expect(try await Self.body(response) == text)
    }

    @Test func filesOfFoldersAreServedOneLevelDeep() throws {
        // GIVEN a page with a folder, a hidden folder and files that are none of a page's
        let folder = Self.page()
        let inner = ImportFolder()
        inner.write(Array("let a;".utf8), to: "a.js")
        inner.write(Array("x".utf8), to: ".b.js")
        inner.write(Array("x".utf8), to: "c.txt")
        for name in ["js", ".git"] { _ = symlink(inner.path, "\(folder.path)/\(name)") }
        // WHEN it is read THEN those of the folder are served below its name
        let files = try PageFiles(folder: folder.path).files
        #expect(files.keys.sorted() == ["/", "/index.html", "/js/a.js", "/style.css"])
        #expect(files["/style.css"]?.tag == "\"\(fnv("a{}"))\"")
    }

    /// FNV-1a of 64 bits in hexadecimal, by its definition with a product modulo 2^64.
    private func fnv(_ text: String) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)).multipliedFullWidth(by: 1_099_511_628_211).low }
        return String(hash, radix: 16)
    }
}
