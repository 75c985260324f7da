import Geodesy
import Guidance
import RoadData
import Testing

@Suite struct RoutingQueryTests {
    static let query = RoutingQuery(
        start: GeodeticPosition(latitudeDegrees: 42.5063, longitudeDegrees: -1.52180001), directionRadians: -.pi / 2,
        waypoints: [GeodeticPosition(latitudeDegrees: -0.05, longitudeDegrees: 1)],
        destination: GeodeticPosition(latitudeDegrees: 43, longitudeDegrees: 2))

    static func text(_ server: RoutingServer?, _ query: RoutingQuery = query) -> String {
        String(decoding: server?.request(query, agent: "posed/1") ?? [], as: UTF8.self)
    }

    /// GIVEN addresses WHEN read THEN host, port and path are theirs; what is no plain address of HTTP is none.
    @Test func addresses() throws {
        let server = try #require(RoutingServer(kind: .valhalla, address: "http://[::1]:8002/maps/"))
        #expect(server.host == "::1" && server.port == 8002 && server.prefix == "/maps")
        #expect(RoutingServer(kind: .osrm, address: "http://router.local")?.port == 80)
        for bad in [
            "", "router", "https://x", "http://", "http://:80", "http://x:0", "http://x:99999", "http://u:p@x",
            "http://x/?a", "http://a b",
            "http://::1", "http://x\r\nY: z",
        ] {
            #expect(RoutingServer(kind: .valhalla, address: bad) == nil, "\(bad)")
        }
    }

    /// GIVEN a query WHEN asked of Valhalla THEN it has all places, the direction of travel at the first, and the
    /// length of its body.
    @Test func valhalla() throws {
        let text = Self.text(RoutingServer(kind: .valhalla, address: "http://127.0.0.1:8002"))
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        let body = String(try #require(parts.last))
        #expect(
            text.hasPrefix("POST /route HTTP/1.1\r\nHost: 127.0.0.1:8002\r\n")
                && text.contains("Content-Length: \(body.utf8.count)\r\n"))
        #expect(
            body.contains(
                "{\"lat\":42.5063000,\"lon\":-1.5218000,\"type\":\"break\",\"heading\":270,\"heading_tolerance\":60},"
                    + "{\"lat\":-0.0500000,\"lon\":1.0000000,"
            ))
        #expect(body.contains("\"format\":\"osrm\""))
        var standing = Self.query
        standing.directionRadians = nil
        #expect(!Self.text(RoutingServer(kind: .valhalla, address: "http://x"), standing).contains("heading"))
    }

    /// GIVEN a query WHEN asked of OSRM THEN places are longitude first, and there is one bearing for each place, empty
    /// but for the first.
    @Test func osrm() {
        let text = Self.text(RoutingServer(kind: .osrm, address: "http://127.0.0.1:5000/"))
        #expect(
            text.hasPrefix(
                "GET /route/v1/driving/-1.5218000,42.5063000;1.0000000,-0.0500000;2.0000000,"
                    + "43.0000000?overview=full&geometries=polyline6&"
            ))
        #expect(text.contains("&bearings=270,60;; HTTP/1.1\r\n"))
    }

    /// GIVEN answers that are no routes WHEN read THEN the server's own words are told.
    @Test func refusals() {
        let body = Array("{\"code\":\"NoSegment\",\"message\":\"nothing near\"}".utf8)
        let problem = #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 400, body: body) }
        #expect(problem?.reason.contains("nothing near") == true)
        #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 502, body: Array("<html>".utf8)) }
        #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 200, body: []) }
    }
}
