import Geodesy
import Guidance
import RoadData
import Testing

@Suite struct RoutingQueryTests {
    static let query = RoutingQuery(
        start: GeodeticPosition(latitudeDegrees: 42.5063, longitudeDegrees: -1.52180001), directionRadians: -.pi / 2,
        waypoints: [GeodeticPosition(latitudeDegrees: -0.05, longitudeDegrees: 1)],
        destination: GeodeticPosition(latitudeDegrees: 43, longitudeDegrees: 2))

    static func body(_ server: RoutingServer?, _ query: RoutingQuery = query) -> String {
        String(decoding: server?.request(query).body ?? [], as: UTF8.self)
    }

    /// GIVEN addresses WHEN parsed THEN host, port, path and encryption are right; anything else is refused.
    @Test func addresses() throws {
        let server = try #require(RoutingServer(kind: .valhalla, address: "http://[::1]:8002/maps/"))
        #expect(server.host == "::1" && server.port == 8002 && server.prefix == "/maps")
        #expect(RoutingServer(kind: .osrm, address: "http://router.local")?.port == 80)
        let encrypted = try #require(RoutingServer(kind: .osrm, address: "https://router.local/x"))
        #expect(encrypted.isEncrypted && encrypted.port == 443 && !server.isEncrypted)
        #expect(encrypted.request(Self.query).url.hasPrefix("https://router.local:443/x/route/v1/driving/"))
        for bad in [
            "", "router", "ftp://x", "https:/x", "http://", "http://:80", "http://x:0", "http://x:99999",
            "http://u:p@x",
            "http://x/?a", "http://a b",
            "http://::1", "http://x\r\nY: z",
        ] {
            #expect(RoutingServer(kind: .valhalla, address: bad) == nil, "\(bad)")
        }
    }

    /// GIVEN a query WHEN encoded for Valhalla THEN it has all positions, and the direction of travel at the first.
    @Test func valhalla() throws {
        let server = RoutingServer(kind: .valhalla, address: "http://127.0.0.1:8002")
        #expect(server?.request(Self.query).url == "http://127.0.0.1:8002/route")
        let body = Self.body(server)
        #expect(
            body.contains(
                "{\"lat\":42.5063000,\"lon\":-1.5218000,\"type\":\"break\",\"heading\":270,\"heading_tolerance\":60},"
                    + "{\"lat\":-0.0500000,\"lon\":1.0000000,"
            ))
        #expect(body.contains("\"format\":\"osrm\""))
        var standing = Self.query
        standing.directionRadians = nil
        #expect(!Self.body(RoutingServer(kind: .valhalla, address: "http://x"), standing).contains("heading"))
    }

    /// GIVEN a query WHEN encoded for OSRM THEN positions are longitude first, and there is one bearing per position,
    /// empty except for the first.
    @Test func osrm() {
        let request = RoutingServer(kind: .osrm, address: "http://127.0.0.1:5000/")?.request(Self.query)
        let text = request?.url ?? ""
        #expect(request?.body == nil)
        #expect(
            text.hasPrefix(
                "http://127.0.0.1:5000/route/v1/driving/-1.5218000,42.5063000;1.0000000,-0.0500000;2.0000000,"
                    + "43.0000000?overview=full&geometries=polyline6&"
            ))
        #expect(text.hasSuffix("&bearings=270,60;;"))
    }

    /// GIVEN responses without a route WHEN read THEN the server's own message is reported.
    @Test func refusals() {
        let body = Array("{\"code\":\"NoSegment\",\"message\":\"nothing near\"}".utf8)
        let problem = #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 400, body: body) }
        #expect(problem?.reason.contains("nothing near") == true)
        #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 502, body: Array("<html>".utf8)) }
        #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 200, body: []) }
    }

    /// GIVEN a server that answers with a page for people, with a text, or with nothing WHEN read THEN the reason and
    /// the remedy are about the server, not about a route file.
    @Test(arguments: [
        (
            "<!DOCTYPE html>\n<html><body>Sign in</body></html>",
            "the routing server answered with a web page, not with a route",
            "check routing.server; a network that asks for a login answers so, too"
        ),
        (
            "\n <html>OSRM</html>", "the routing server answered with a web page, not with a route",
            "check routing.server; a network that asks for a login answers so, too"
        ),
        ("OK", "the routing server's answer is not a route", "check routing.server and routing.kind"),
        (" \n", "the routing server's answer is empty", "check routing.server and routing.kind"),
    ])
    func otherAnswersAreThoseOfTheServer(body: String, reason: String, remedy: String) {
        let problem = #expect(throws: RouteDataProblem.self) {
            try RoutingAnswer.route(status: 200, body: Array(body.utf8))
        }
        #expect(problem?.reason == reason)
        #expect(problem?.remedy == remedy)
    }
}
