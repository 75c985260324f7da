import Geodesy
import Guidance
import RoadData
import Testing

/// A response in the OSRM format, built from parts so that a test can change one of them.
struct ResponseMaker {
    var precision = 1e5
    var geoJSON = false
    /// Longitude and latitude of the points of each step; each step starts at the end of the previous one.
    var steps: [[(Double, Double)]] = [
        [(7.42, 43.73), (7.421, 43.731), (7.422, 43.731)], [(7.422, 43.731), (7.422, 43.735)],
        [(7.422, 43.735), (7.422, 43.735)],
    ]
    var types = ["depart", "turn", "arrive"]
    var annotation =
        #""maxspeed": [{"speed": 50, "unit": "km/h"}, {"none": true}, {"unknown": true}], "duration": [10, 20, 40]"#
    var distance = "680.0"
    var duration = "70"
    var locationOfTurn = "[7.422, 43.731]"
    /// The intersections of the first two steps, as JSON.
    var intersections: [String] = []

    private func number(_ value: Int) -> String {
        var rest = value < 0 ? ~(value << 1) : value << 1
        var text = ""
        while rest >= 0x20 {
            text.unicodeScalars.append(UnicodeScalar(UInt8((0x20 | (rest & 0x1F)) + 63)))
            rest >>= 5
        }
        text.unicodeScalars.append(UnicodeScalar(UInt8(rest + 63)))
        return text
    }

    func geometry(_ points: [(Double, Double)]) -> String {
        if geoJSON {
            return
                #"{"type": "LineString", "coordinates": [\#(points.map { "[\($0.0), \($0.1)]" }.joined(separator: ", "))]}"#
        }
        var last = (0, 0)
        var text = ""
        for point in points {
            let next = (Int((point.0 * precision).rounded()), Int((point.1 * precision).rounded()))
            text += number(next.1 - last.1) + number(next.0 - last.0)
            last = next
        }
        return "\"" + text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\") + "\""
    }

    var json: String {
        let steps = self.steps.indices.map { index in
            let first = self.steps[index][0]
            let location = index == 1 ? locationOfTurn : "[\(first.0), \(first.1)]"
            let crossings = index < intersections.count ? "\"intersections\": \(intersections[index])," : ""
            return """
                {\(crossings)"geometry": \(geometry(self.steps[index])), "name": "Road \(index)", "duration": \(index == 2 ? 0 : 35),
                 "maneuver": {"type": "\(types[index])", "modifier": "left", "location": \(location), "instruction": "Tourner à gauche \\"\(index)\\""}}
                """
        }
        return """
            {"code": "Ok", "routes": [{"distance": \(distance), "duration": \(duration), "legs": [{"annotation": {\(annotation)}, "steps": [
            \(steps.joined(separator: ",\n"))
            ]}]}]}
            """
    }
}

@Suite struct OSRMResponseTests: RouteTexts {
    @Test(arguments: [(1e5, false), (1e6, false), (0, true)])
    func aResponseIsReadInEveryEncoding(precision: Double, geoJSON: Bool) throws {
        // GIVEN a response with steps, annotations and texts
        var maker = ResponseMaker()
        maker.precision = precision
        maker.geoJSON = geoJSON
        let reading = try read(maker.json)
        let route = reading.route
        // THEN the line, the maneuvers, the limits and the times are read
        #expect(reading.format == .osrm)
        #expect(reading.notes == [])
        #expect(route.vertexCount == 4)
        #expect(abs(route.vertex(0).position.latitudeDegrees - 43.73) < 1e-9)
        #expect(abs(route.vertex(0).position.longitudeDegrees - 7.42) < 1e-9)
        #expect(abs(route.lengthMeters - 662) < 5)
        #expect(route.maneuvers.map { $0.kind } == [.depart, .turn, .arrive])
        #expect(route.maneuvers[1].modifier == .left)
        #expect(route.maneuvers[1].instruction == "Tourner à gauche \"1\"")
        #expect(route.maneuvers[1].roadName == "Road 1")
        #expect(abs(route.maneuvers[1].alongMeters - route.vertex(2).alongMeters) < 1e-9)
        #expect((route.maneuvers[1].turnAngleRadians ?? 0) < -1.5, "from east to north is a turn to the left")
        #expect(route.limit(alongMeters: 10).limit == .kilometersPerHour(50))
        #expect(route.limit(alongMeters: route.vertex(1).alongMeters + 1).limit == .unlimited)
        #expect(route.limit(alongMeters: route.lengthMeters - 1).limit == .unknown)
        #expect(abs((route.timeSeconds(alongMeters: route.vertex(2).alongMeters) ?? 0) - 30) < 1e-9)
        #expect(route.durationSeconds == 70)
    }

    @Test func tunnelsAndLanesAreRead() throws {
        // GIVEN a tunnel over the second segment of the first step and one over the whole second step, and lanes at the
        // turn
        var maker = ResponseMaker()
        maker.intersections = [
            #"[{"location": [7.42, 43.73]}, {"location": [7.421, 43.731], "classes": ["toll", "tunnel"]}]"#,
            """
            [{"location": [7.422, 43.731], "classes": ["tunnel"], "lanes": [
              {"valid": true, "active": true, "indications": ["left", "straight"], "valid_indication": "left"},
              {"valid": true, "active": false, "indications": ["left"]}, {"valid": false, "indications": ["none"]}]}]
            """,
        ]
        let route = try read(maker.json).route
        // THEN they are one tunnel, because they touch
        #expect(route.tunnel(alongMeters: 10) == nil)
        let tunnel = try #require(route.tunnel(alongMeters: route.vertex(1).alongMeters + 1))
        #expect(tunnel == (route.vertex(1).alongMeters, route.lengthMeters))
        #expect(route.tunnel(alongMeters: 10, withinMeters: 1000)?.startMeters == tunnel.startMeters)
        #expect(
            route.maneuvers[1].lanes == [
                Lane(indications: [.left, .straight], isValid: true, isRecommended: true, validIndication: .left),
                Lane(indications: [.left], isValid: true, isRecommended: false), Lane(indications: [], isValid: false),
            ])
        // AND an intersection away from the line is reported.
        maker.intersections[0] = #"[{"location": [7.5, 43.73], "classes": ["tunnel"]}]"#
        do throws(RouteDataProblem) {
            _ = try read(maker.json)
            Issue.record("it was read")
        } catch {
            #expect(error.path == "routes[0].legs[0].steps[0].intersections[0].location")
        }
    }

    @Test func aStepMayStartFiftyMetersFromTheEndOfThePreviousOne() throws {
        // GIVEN a step that starts 5 m, or 40 m, after the end of the previous one, on the same road THEN its first
        // point is one of the line, the maneuver is there, and the time of the step before is up to there
        var maker = ResponseMaker()
        maker.annotation = ""
        for latitude in [43.73105, 43.73136] {
            maker.steps[1][0] = (7.422, latitude)
            let route = try read(maker.json).route
            #expect(route.vertexCount == 5 && route.maneuvers.map(\.kind) == [.depart, .turn, .arrive])
            #expect(route.maneuvers[1].alongMeters == route.vertex(3).alongMeters)
            #expect(abs((route.timeSeconds(alongMeters: route.vertex(3).alongMeters) ?? 0) - 35) < 1e-9)
        }
        // AND 66 m are a gap.
        maker.steps[1][0] = (7.422, 43.7316)
        let found = problem(maker.json)
        #expect(found?.path == "routes[0].legs[0].steps[1].geometry")
        #expect(found?.reason == "starts 67 m from the end of the previous step")
    }

    @Test func aStepMayBeginWithASegmentTooShortForTheDigits() throws {
        // GIVEN a step whose first two points have the same digits, and annotations that count the segment between them
        var maker = ResponseMaker()
        maker.steps[1].insert((7.422, 43.731), at: 1)
        maker.annotation = """
            "maxspeed": [{"speed": 50, "unit": "km/h"}, {"none": true}, {"speed": 30, "unit": "km/h"},
            {"speed": 70, "unit": "km/h"}], "duration": [10, 20, 0, 40]
            """
        let route = try read(maker.json).route
        // THEN each limit and time is that of its segment
        #expect(route.vertexCount == 4 && route.maneuvers.map(\.kind) == [.depart, .turn, .arrive])
        #expect(route.maneuvers[1].alongMeters == route.vertex(2).alongMeters)
        #expect(route.limit(alongMeters: route.vertex(2).alongMeters - 1).limit == .unlimited)
        #expect(route.limit(alongMeters: route.vertex(2).alongMeters + 1).limit == .kilometersPerHour(70))
        #expect(abs((route.timeSeconds(alongMeters: route.vertex(2).alongMeters) ?? 0) - 30) < 1e-9)
        #expect(route.durationSeconds == 70)
    }

    @Test func stepDurationsReplaceMissingAnnotations() throws {
        var maker = ResponseMaker()
        maker.annotation = ""
        let route = try read(maker.json).route
        #expect(route.limit(alongMeters: 10).limit == .unknown)
        #expect(abs((route.timeSeconds(alongMeters: route.vertex(2).alongMeters) ?? 0) - 35) < 1e-9)
    }

    @Test func unitsOfLimits() throws {
        var maker = ResponseMaker()
        maker.annotation = #""maxspeed": [{"speed": 30, "unit": "mph"}, {"speed": 10, "unit": "knots"}, null]"#
        let route = try read(maker.json).route
        #expect(route.limit(alongMeters: 10).limit == .metersPerSecond(30 * 0.44704))
        #expect(route.limit(alongMeters: route.vertex(1).alongMeters + 1).limit == .metersPerSecond(10 * 1852 / 3600))
        #expect(route.limit(alongMeters: route.lengthMeters).limit == .unknown)
    }

    @Test func annotationsOfOtherResolutionAreAligned() throws {
        var maker = ResponseMaker()
        maker.annotation = """
            "maxspeed": [{"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}, {"speed": 70, "unit": "km/h"}, {"speed": 90, "unit": "km/h"}],
            "distance": [70, 67, 80, 445]
            """
        let route = try read(maker.json).route
        #expect(route.limit(alongMeters: 10).limit == .kilometersPerHour(50))
        #expect(route.limit(alongMeters: route.vertex(1).alongMeters + 1).limit == .kilometersPerHour(70))
        #expect(route.limit(alongMeters: route.lengthMeters).limit == .kilometersPerHour(90))
    }

    @Test func routeWithoutStepsHasOnlyTheArrival() throws {
        let maker = ResponseMaker()
        let line = maker.geometry([(7.42, 43.73), (7.421, 43.731), (7.43, 43.74)])
        let reading = try read(
            #"{"code": "Ok", "routes": [{"geometry": \#(line), "distance": 1360, "duration": 100, "legs": [{"steps": []}]}]}"#
        )
        #expect(reading.route.maneuvers.map { $0.kind } == [.arrive])
        #expect(reading.route.durationSeconds == 100)
        #expect(reading.notes.count == 1)
    }

    /// One changed part, the expected location, and a part of the expected message.
    static let spoiled: [(String, String, String, String)] = [
        (#""type": "turn""#, #""type": 5"#, "routes[0].legs[0].steps[1].maneuver.type", "a string"),
        (
            #""location": [7.422, 43.731]"#, #""location": [7.422, 43.74]"#,
            "routes[0].legs[0].steps[1].maneuver.location", "from the start of the step's line"
        ),
        (
            #""location": [7.422, 43.731]"#, #""location": [43.731, 7.422]"#,
            "routes[0].legs[0].steps[1].maneuver.location", "reversed"
        ),
        (
            #""location": [7.422, 43.731]"#, #""location": [7.422]"#, "routes[0].legs[0].steps[1].maneuver.location",
            "not a position"
        ),
        (
            #""location": [7.422, 43.731]"#, #""location": [7.422, "43"]"#,
            "routes[0].legs[0].steps[1].maneuver.location[1]", "a number"
        ),
        (
            #""location": [7.422, 43.731]"#, #""location": [742200, 4373100]"#,
            "routes[0].legs[0].steps[1].maneuver.location", "not degrees"
        ),
        (
            #""location": [7.422, 43.731]"#, #""location": [7.422, 1e999]"#,
            "routes[0].legs[0].steps[1].maneuver.location[1]", "too large"
        ),
        (#""speed": 50"#, #""speed": -5"#, "routes[0].legs[0].annotation.maxspeed[0].speed", "outside"),
        (#""speed": 50"#, #""speed": 900"#, "routes[0].legs[0].annotation.maxspeed[0]", "limits are from 0 to 500"),
        (#""km/h""#, #""furlongs""#, "routes[0].legs[0].annotation.maxspeed[0].unit", "not a supported unit of speed"),
        (#", {"unknown": true}"#, "", "routes[0].legs[0].annotation.maxspeed", "2 entries for 3 segments"),
        (#""distance": 680.0"#, #""distance": 0.663"#, "routes[0].distance", "kilometres"),
        (#""distance": 680.0"#, #""distance": 0.4115"#, "routes[0].distance", "miles"),
        (#""distance": 680.0"#, #""distance": "far""#, "routes[0].distance", "a number"),
        (#""maneuver""#, #""manoeuvre""#, "routes[0].legs[0].steps[0]", "has no \"maneuver\""),
        (#""geometry""#, #""geometri""#, "routes[0].legs[0].steps[0]", "has no \"geometry\""),
        (#""routes": [{"#, #""routes": [], "r": [{"#, "routes", "is empty"),
        (#""routes": ["#, #""routes": [7, "#, "routes[0]", "an object"),
        (#""code": "Ok""#, #""code": "NoRoute", "message": "Impossible""#, "code", "Impossible"),
        (#""steps": ["#, #""steps": [[], "#, "routes[0].legs[0].steps[0]", "an object"),
    ]

    @Test(arguments: OSRMResponseTests.spoiled.indices)
    func problemsHaveALocation(index: Int) throws {
        let (good, bad, path, word) = OSRMResponseTests.spoiled[index]
        var maker = ResponseMaker()
        maker.geoJSON = true
        // GIVEN a valid response with one changed part
        let text = maker.json
        let range = try #require(text.firstRange(of: good))
        let found = problem(text.replacingCharacters(in: range, with: bad))
        // THEN the message has path, location, problem and remedy
        #expect(found?.path == path, "\(String(describing: found))")
        #expect(found?.description.contains(word) == true, "\(String(describing: found))")
        #expect(found?.line != nil && found?.column != nil)
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func damagedPolylineIsReported() throws {
        let maker = ResponseMaker()
        let good = maker.geometry(maker.steps[0])
        for (bad, word) in [
            ("\"\"", "is empty"), ("\"_p~iF\"", "cut off"), ("\"a b\"", "does not belong"),
            ("\"~~~~~~~~~~~~\"", "too long"),
        ] {
            let text = maker.json.replacing(good, with: bad)
            #expect(problem(text)?.description.contains(word) == true, "\(String(describing: problem(text)))")
            #expect(problem(text)?.path == "routes[0].legs[0].steps[0].geometry")
        }
    }

    @Test(arguments: [
        ("\" a\"", "character 1 does not belong in an encoded polyline"),
        ("\"a b\"", "character 2 does not belong in an encoded polyline"),
        ("\"~~~~~~~~\"", "the number at character 8 is too long for an encoded polyline"),
    ])
    func theWrongCharacterOfAPolylineIsCountedFromOne(bad: String, reason: String) {
        // GIVEN a line with a character that does not belong there WHEN it is read THEN its place is told
        let maker = ResponseMaker()
        let text = maker.json.replacing(maker.geometry(maker.steps[0]), with: bad)
        #expect(problem(text)?.reason == reason)
    }

    @Test func gapBetweenStepsIsReported() {
        var maker = ResponseMaker()
        maker.steps[2] = [(7.422, 43.745), (7.422, 43.745)]
        #expect(problem(maker.json)?.path == "routes[0].legs[0].steps[2].geometry")
    }

    @Test func wrongDurationUnitsAreDetected() {
        var maker = ResponseMaker()
        maker.steps[1] = [(7.422, 43.731), (7.422, 43.835)]
        maker.steps[2] = [(7.422, 43.835)]
        maker.geoJSON = true
        maker.annotation = ""
        maker.distance = "11800"
        // The line is 11.8 km long.
        for (duration, isGood) in [("900", true), ("15", false), ("900000", false)] {
            maker.duration = duration
            #expect(
                problem(maker.json)?.path == (isGood ? nil : "routes[0].duration"),
                "\(String(describing: problem(maker.json)))")
        }
    }

    @Test func truncatedTextIsRefused() {
        let bytes = Array(ResponseMaker().json.utf8)
        for length in stride(from: 0, to: bytes.count - 1, by: 7) {
            #expect(throws: RouteDataProblem.self) { try RouteReader.read(bytes: Array(bytes[..<length])) }
        }
    }

    @Test func aLegMayStartFiveMetersFromTheEndOfThePreviousOne() throws {
        // GIVEN three legs of 20 s at 50, 60 and 70 km/h, of which the second starts 5 m after the end of the first
        func step(_ type: String, _ latitudes: [Double], _ seconds: Int) -> String {
            let points = latitudes.map { "[7.42, \($0)]" }.joined(separator: ", ")
            return #"{"geometry": {"type": "LineString", "coordinates": [\#(points)]}, "duration": \#(seconds), "#
                + #""maneuver": {"type": "\#(type)"}}"#
        }
        func leg(_ from: Double, _ to: Double, _ limit: Int) -> String {
            #"{"duration": 20, "annotation": {"maxspeed": [{"speed": \#(limit), "unit": "km/h"}]}, "#
                + #""steps": [\#(step("depart", [from, to], 20)), \#(step("arrive", [to, to], 0))]}"#
        }
        let legs = [leg(43.73, 43.731, 50), leg(43.73105, 43.732, 60), leg(43.732, 43.733, 70)].joined(separator: ", ")
        // WHEN it is read THEN the way between the legs is one of the line, takes no time and has no limit
        let route = try read(#"{"code": "Ok", "routes": [{"legs": [\#(legs)]}]}"#).route
        #expect(route.vertexCount == 5 && route.durationSeconds == 60)
        #expect(abs((route.timeSeconds(alongMeters: route.vertex(2).alongMeters) ?? 0) - 20) < 1e-9)
        let limits = (0..<4).map { route.limit(alongMeters: route.vertex($0).alongMeters + 1).limit }
        #expect(
            limits == [.kilometersPerHour(50), .unknown, .kilometersPerHour(60), .kilometersPerHour(70)], "\(limits)")
    }

    @Test func aLegWithoutATimeTakesNone() throws {
        // GIVEN a leg without a time before, and after, one of 20 s WHEN read THEN the way takes 20 s, all of them on
        // the leg that states them
        func leg(_ from: Double, _ to: Double, _ time: String) -> String {
            #"{\#(time)"steps": [{"geometry": {"type": "LineString", "coordinates": [[7.42, \#(from)], "#
                + #"[7.42, \#(to)]]}, "maneuver": {"type": "depart"}}]}"#
        }
        let time = #""duration": 20, "#
        for (first, second, middle) in [("", time, 0.0), (time, "", 20)] {
            let legs = [leg(43.73, 43.731, first), leg(43.731, 43.732, second)].joined(separator: ", ")
            let route = try read(#"{"routes": [{"legs": [\#(legs)]}]}"#).route
            #expect(route.vertexCount == 3 && route.durationSeconds == 20)
            let seconds = try #require(route.timeSeconds(alongMeters: route.vertex(1).alongMeters))
            #expect(abs(seconds - middle) < 1e-9)
        }
    }

    @Test func theAnnotationOfALegWithoutStepsIsNotUsed() throws {
        // GIVEN a leg without steps, but with limits and times, before, between and after ordinary ones WHEN read THEN
        // the route has the line, the limits and the times of the others
        let empty = #"{"steps": [], "annotation": {"maxspeed": [null], "distance": [1], "duration": [7]}}"#
        func leg(_ from: Double, _ to: Double) -> String {
            #"{"duration": 20, "annotation": {"maxspeed": [{"speed": 50, "unit": "km/h"}]}, "steps": [{"geometry": "#
                + #"{"type": "LineString", "coordinates": [[7.42, \#(from)], [7.42, \#(to)]]}, "#
                + #""maneuver": {"type": "depart"}}]}"#
        }
        let (south, north) = (leg(43.73, 43.731), leg(43.731, 43.732))
        for legs in [
            [empty, south, north], [south, empty, north], [south, north, empty], [empty, empty, south, north],
        ] {
            let route = try read(#"{"routes": [{"legs": [\#(legs.joined(separator: ", "))]}]}"#).route
            #expect(route.vertexCount == 3 && route.durationSeconds == 40)
            let limits = (0..<2).map { route.limit(alongMeters: route.vertex($0).alongMeters + 1).limit }
            #expect(limits == [.kilometersPerHour(50), .kilometersPerHour(50)])
        }
        // AND where no leg has a line, the response is refused
        #expect(problem(#"{"routes": [{"legs": [\#(empty), {"steps": [0]}]}]}"#)?.path == "routes[0].legs[1].steps[0]")
    }
}
