import BoundedJSON
import Geodesy
import Guidance
import Testing

@testable import RoadData

/// Codes of routers, limits of what is read, and the requests to servers, to the last letter.
@Suite struct RouteLimitsTests {
    @Test func everyManeuverOfValhallaHasItsMeaning() {
        // GIVEN the types 0 to 43 of Valhalla's API reference THEN each has its kind and direction
        let expected: [(Maneuver.Kind, Maneuver.Modifier?)] =
            [
                (.other, nil), (.depart, nil), (.depart, .right), (.depart, .left), (.arrive, nil), (.arrive, .right),
                (.arrive, .left), (.newName, .straight), (.proceed, .straight), (.turn, .slightRight), (.turn, .right),
                (.turn, .sharpRight), (.turn, .uTurn), (.turn, .uTurn), (.turn, .sharpLeft), (.turn, .left),
                (.turn, .slightLeft), (.onRamp, .straight), (.onRamp, .right), (.onRamp, .left), (.offRamp, .right),
                (.offRamp, .left), (.fork, .straight), (.fork, .slightRight), (.fork, .slightLeft), (.merge, nil),
                (.roundabout, nil), (.exitRoundabout, nil), (.notification, nil), (.notification, nil),
            ] + Array(repeating: (.other, nil), count: 7) + [(.merge, .slightRight), (.merge, .slightLeft)]
            + Array(repeating: (.other, nil), count: 5)
        for (type, expected) in expected.enumerated() {
            let found = ValhallaManeuver.meaning(of: type)
            #expect(found.kind == expected.0 && found.modifier == expected.1, "\(type)")
        }
        #expect(ValhallaManeuver.meaning(of: -1).kind == .other && ValhallaManeuver.meaning(of: .max).kind == .other)
    }

    @Test func everyArrowOfALaneHasItsBit() throws {
        func lane(_ members: String) throws -> Lane {
            let lanes = try ValhallaManeuver.lanes(JSONDocument("{\"lanes\":[{\(members)}]}").root)
            return try #require(lanes.first)
        }
        // GIVEN all arrows THEN they come from left to right
        let all = try lane("\"directions\":65535")
        #expect(
            all.indications == [
                .uTurn, .sharpLeft, .left, .slightLeft, .slightLeft, .straight, .slightRight, .slightRight, .right,
                .sharpRight,
            ])
        #expect(!all.isValid && !all.isRecommended && all.validIndication == nil)
        // GIVEN single arrows THEN each bit is its own
        for (bit, arrow) in [
            (1, .straight), (2, .sharpLeft), (3, .left), (4, .slightLeft), (5, .slightRight), (6, .right),
            (7, .sharpRight), (8, .uTurn), (9, .slightLeft), (10, .slightRight),
        ] as [(Int, Maneuver.Modifier)] {
            let one = try lane("\"directions\":\(1 << bit),\"valid\":\(1 << bit)")
            #expect(one.indications == [arrow] && one.isValid && !one.isRecommended && one.validIndication == arrow)
        }
        #expect(try lane("\"directions\":1").indications.isEmpty)
        // GIVEN an active direction THEN it goes before a valid one, also if it is none
        let active = try lane("\"directions\":72,\"active\":64,\"valid\":8")
        #expect(active.isValid && active.isRecommended && active.validIndication == .right)
        let inactive = try lane("\"directions\":72,\"active\":0,\"valid\":8")
        #expect(!inactive.isValid && !inactive.isRecommended && inactive.validIndication == nil)
        for wrong in ["\"directions\":65536", "\"directions\":-1", "\"directions\":1,\"valid\":65536", "\"active\":1"] {
            #expect(throws: JSONProblem.self) { try lane(wrong) }
        }
        #expect(try ValhallaManeuver.lanes(JSONDocument("{}").root).isEmpty)
    }

    @Test(arguments: [
        ("null", SpeedLimit.unknown), ("{\"none\":true}", .unlimited), ("{\"unknown\":true}", .unknown),
        ("{\"none\":false,\"unknown\":false,\"speed\":36}", .metersPerSecond(10)),
        ("{\"speed\":500,\"unit\":\"km/h\"}", .metersPerSecond(500 / 3.6)),
        ("{\"speed\":100,\"unit\":\"MPH\"}", .metersPerSecond(44.704)),
        ("{\"speed\":36,\"unit\":\"knots\"}", .metersPerSecond(18.52)),
        ("{\"speed\":7,\"unit\":\"m/s\"}", .metersPerSecond(7)), ("{\"speed\":0}", .metersPerSecond(0)),
    ])
    func aLimitOfARouterIsRead(text: String, limit: SpeedLimit) throws {
        #expect(try SpeedLimitText.annotation(JSONDocument(text).root) == limit)
    }

    @Test(arguments: [
        ("null", SpeedLimit.unknown), ("36", .metersPerSecond(10)), ("\"none\"", .unlimited),
        ("\"36\"", .metersPerSecond(10)), ("\"36  kmh\"", .metersPerSecond(10)), ("\"36 kph \"", .metersPerSecond(10)),
        ("\"walk\"", .unknown), ("\"50 km/h x\"", .unknown), ("\"\"", .unknown), ("500", .metersPerSecond(500 / 3.6)),
        ("0", .metersPerSecond(0)),
    ])
    func aLimitOfAPropertyIsRead(text: String, limit: SpeedLimit) throws {
        #expect(try SpeedLimitText.property(JSONDocument(text).root) == limit)
    }

    @Test(arguments: ["500.1", "-0.1", "\"501\"", "\"-1 mph\"", "\"50 furlongs\"", "\"1001 km/h\""])
    func aLimitThatCannotBeIsRefused(text: String) {
        #expect(throws: JSONProblem.self) { try SpeedLimitText.property(JSONDocument(text).root) }
    }

    @Test(arguments: [
        "{\"speed\":500.1}", "{\"speed\":-1}", "{\"speed\":1001,\"unit\":\"m/s\"}", "{\"unit\":\"km/h\"}", "5",
    ])
    func anAnnotationThatCannotBeIsRefused(text: String) {
        #expect(throws: JSONProblem.self) { try SpeedLimitText.annotation(JSONDocument(text).root) }
    }

    // MARK: - Servers

    private static let query = RoutingQuery(
        start: GeodeticPosition(latitudeDegrees: -0.00000004, longitudeDegrees: 179.99999996), directionRadians: -0.001,
        waypoints: [GeodeticPosition(latitudeDegrees: 1.00000006, longitudeDegrees: -2)],
        destination: GeodeticPosition(latitudeDegrees: 3, longitudeDegrees: 4.5))

    @Test func theRequestsAreThese() throws {
        let valhalla = try #require(RoutingServer(kind: .valhalla, address: "https://[::1]:9/a/b//"))
        let request = valhalla.request(Self.query)
        #expect(request.url == "https://[::1]:9/a/b/route" && valhalla.name == "valhalla at ::1 port 9")
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == "{\"locations\":[{\"lat\":0.0000000,\"lon\":180.0000000,\"type\":\"break\",\"heading\":0,"
                + "\"heading_tolerance\":60},{\"lat\":1.0000001,\"lon\":-2.0000000,\"type\":\"break\"},"
                + "{\"lat\":3.0000000,\"lon\":4.5000000,\"type\":\"break\"}],\"costing\":\"auto\",\"format\":\"osrm\","
                + "\"shape_format\":\"polyline6\",\"directions_options\":{\"units\":\"kilometers\"},"
                + "\"filters\":{\"action\":\"include\",\"attributes\":[\"shape_attributes.speed_limit\","
                + "\"shape_attributes.time\",\"shape_attributes.length\"]}}")
        let osrm = try #require(RoutingServer(kind: .osrm, address: "http://h"))
        let get = osrm.request(Self.query)
        #expect(
            get.url
                == "http://h:80/route/v1/driving/180.0000000,0.0000000;-2.0000000,1.0000001;4.5000000,3.0000000"
                + "?overview=full&geometries=polyline6&steps=true&annotations=duration,distance&bearings=0,60;;")
        #expect(get.body == nil)
        var standing = Self.query
        standing.directionRadians = nil
        #expect(osrm.request(standing).url.hasSuffix("&annotations=duration,distance"))
    }

    @Test func anAddressHasItsLimits() {
        func isTaken(_ address: String) -> Bool { RoutingServer(kind: .osrm, address: address) != nil }
        let host = String(repeating: "h", count: 253)
        #expect(isTaken("http://\(host)") && !isTaken("http://\(host)h"))
        let path = String(repeating: "p", count: 512 - "http://h/".utf8.count)
        #expect(isTaken("http://h/\(path)") && !isTaken("http://h/\(path)p"))
        #expect(
            isTaken("http://h:1") && isTaken("http://h:65535") && !isTaken("http://h:65536") && !isTaken("http://h:"))
        for refused in [
            "http://[::1", "http://[::1]x", "http://[]", "http://h#a", "http://h?a", "http://h/#a", "http://h/\u{7F}",
            "http://h/é",
        ] {
            #expect(!isTaken(refused), "\(refused)")
        }
    }

    @Test(arguments: [
        (199, "look at the server"), (300, "set routing.server to the address that it names"),
        (399, "set routing.server to the address that it names"),
        (400, "check that start and destination are on roads known to the server"), (401, "look at the server"),
        (404, "check routing.server and routing.kind"),
        (429, "it is asked too often: raise the limit of the server, or use one of your own"),
        (501, "look at the server"),
        (502, "it is overloaded or starting: ask again; a reroute is repeated automatically"),
        (504, "it is overloaded or starting: ask again; a reroute is repeated automatically"),
        (505, "look at the server"),
    ])
    func aRefusalHasItsRemedy(status: Int, remedy: String) {
        let problem = #expect(throws: RouteDataProblem.self) {
            try RoutingAnswer.route(status: status, body: Array("{\"status\":\"s\",\"error\":\"e\"}".utf8))
        }
        #expect(problem?.remedy == remedy)
        #expect(problem?.reason == "the routing server refused the request (\(status)): e")
    }

    @Test(arguments: [
        ("{\"message\":\"m\",\"error\":\"e\"}", "m"), ("{\"status_message\":\"m\",\"status\":\"s\"}", "m"),
        ("{\"error\":7,\"status\":\"s\"}", "s"), ("[]", "no reason given"), ("<html>", "no reason given"),
        ("{}", "no reason given"),
    ])
    func aRefusalHasTheServersWords(body: String, words: String) {
        let problem = #expect(throws: RouteDataProblem.self) {
            try RoutingAnswer.route(status: 400, body: Array(body.utf8))
        }
        #expect(problem?.reason.hasSuffix("(400): \(words)") == true)
        let long = "{\"message\":\"\(String(repeating: "x", count: 201))\"}"
        let cut = #expect(throws: RouteDataProblem.self) {
            try RoutingAnswer.route(status: 400, body: Array(long.utf8))
        }
        #expect(cut?.reason.hasSuffix(": " + String(repeating: "x", count: 200)) == true)
    }

    @Test(arguments: [(65_536, true), (65_537, false)]) func aRefusalIsReadUpTo64KiB(count: Int, isRead: Bool) {
        let words = Array(#"{"message":"m"}"#.utf8)
        let blanks = [UInt8](repeating: 0x20, count: count - words.count)
        #expect(Self.words(words + blanks) == (isRead ? "m" : "no reason given"))
    }

    @Test(arguments: [(15, 995, true), (16, 995, false), (15, 996, false)])
    func aRefusalHas16LevelsAnd1000Values(levels: Int, numbers: Int, isRead: Bool) {
        // GIVEN words of a server beside lists in each other, or a list of numbers: with the object, the two names, the
        // words and the list itself they are five more
        let list = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let deep = #"{"message":"m","x":\#(list)}"#
        let many = #"{"message":"m","x":[\#([String](repeating: "1", count: numbers).joined(separator: ","))]}"#
        // THEN they are told up to these limits
        let found = [deep, many].map { Self.words(Array($0.utf8)) }
        #expect(found.allSatisfy { $0 == "m" } == isRead, "\(found)")
    }

    /// The words that are told of a refusal with this body.
    private static func words(_ body: [UInt8]) -> String? {
        let problem = #expect(throws: RouteDataProblem.self) { try RoutingAnswer.route(status: 400, body: body) }
        return problem?.reason.replacing("the routing server refused the request (400): ", with: "")
    }

    @Test(arguments: [
        (0.0, 0), (.pi, 180), (-0.008, 0), (-0.009, 359), (2 * .pi, 0), (-4 * .pi, 0), (6.275, 0), (6.274, 359),
    ])
    func aDirectionIsAWholeDegree(radians: Double, degrees: Int) { #expect(Decimal.wholeDegrees(radians) == degrees) }

    @Test(arguments: [
        (999.4, "999 m"), (9_999.4, "9999 m"), (10_000, "10 km"), (10_499, "10 km"), (123_600, "124 km"),
    ])
    func aDistanceIsShownShort(meters: Double, text: String) { #expect(Coordinates.shown(meters) == text) }
}
