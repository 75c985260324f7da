import FlyingFox
import Testing

@testable import WebServer

@Suite struct AccessControlTests {
    private func request(
        _ host: String?, query: [HTTPRequest.QueryItem] = [], _ more: [String: String] = [:]
    ) -> HTTPRequest {
        var headers = HTTPHeaders()
        headers[.host] = host
        for (name, value) in more { headers[HTTPHeader(name)] = value }
        return HTTPRequest(
            method: .GET, version: .http11, path: "/", query: query, headers: headers, body: HTTPBodySequence())
    }

    @Test func nothingIsAllowedThatWasNotAskedFor() {
        // GIVEN the defaults THEN the page is read-only, on this machine alone, for a bounded number of viewers
        let settings = WebSettings()
        #expect(!settings.allowsControl && settings.isLoopback && settings.port == 8470)
        #expect(settings.viewerLimit == 64 && settings.token == nil && settings.hostNames.isEmpty)
    }

    @Test(arguments: [(1, 67), (64, 256), (200, 664)])
    func connectionsAreThreeTimesThePagesAndSome(pages: Int, connections: Int) {
        // GIVEN a number of pages THEN three times as many connections and 64 more may be open, as docs/web.md tells
        var settings = WebSettings()
        settings.viewerLimit = pages
        #expect(settings.connectionLimit == connections)
    }

    @Test(arguments: ["localhost:8470", "127.0.0.1:8470", "[::1]:8470", "192.168.7.2", "car.local:80", "a.localhost"])
    func ownNamesAreServed(host: String) {
        let access = AccessControl(token: nil, hostNames: ["car.local"])
        #expect(access.decide(request(host)) == .allowed)
    }

    @Test func aNameMayBeGivenWithItsPort() {
        // GIVEN a name as the refusal shows it, with the port of a proxy THEN it is served at any port, and no other is
        let access = AccessControl(token: nil, hostNames: ["Bus.example:8443"])
        for host in ["bus.example:8443", "bus.example", "BUS.example:8470"] {
            #expect(access.decide(request(host)) == .allowed, "\(host)")
        }
        #expect(access.decide(request("example:8443")) == .foreign("example:8443"))
    }

    @Test(arguments: ["evil.example", "localhost.evil.example:8470", "127.0.0.1.evil.example", "300.0.0.1", ""])
    func foreignNamesAreRefused(host: String) {
        // A name that an attacker's name server resolves to this machine gives no access to the page of a visitor.
        let access = AccessControl(token: nil, hostNames: ["car.local"])
        #expect(access.decide(request(host)) == .foreign(host))
        #expect(access.decide(request(nil)) == .foreign(""))
    }

    @Test func aPageOfAnotherSiteMayNotConnect() {
        // GIVEN a connection that a script has opened WHEN its page is another site's THEN it is refused
        let access = AccessControl(token: nil, hostNames: [])
        for origin in ["https://evil.example", "null", "http://127.0.0.1:9000", "http://localhost:8470"] {
            #expect(access.decide(request("127.0.0.1:8470", ["Origin": origin])) == .foreign(origin))
        }
        #expect(access.decide(request("127.0.0.1:8470", ["Origin": "http://127.0.0.1:8470"])) == .allowed)
    }

    @Test func theTokenIsAskedForAndKept() {
        let access = AccessControl(token: "0123456789abcdef", hostNames: [])
        let host = "127.0.0.1:8470"
        #expect(access.decide(request(host)) == .tokenNeeded)
        #expect(access.decide(request(host, query: [.init(name: "token", value: "0123456789abcdee")])) == .tokenNeeded)
        #expect(access.decide(request(host, query: [.init(name: "token", value: "0123456789abcdef")])) == .welcome)
        #expect(access.decide(request(host, ["Cookie": "a=b; posed_token=0123456789abcdef"])) == .allowed)
        for cookie in ["posed_token=0123456789abcde", "posed_token=0123456789abcdeff", "posed_token=", "a=b"] {
            #expect(access.decide(request(host, ["Cookie": cookie])) == .tokenNeeded, "\(cookie)")
        }
    }
}
