import BoundedJSON
import Geodesy
import Guidance
import RoadData
import Testing

/// A trip in Valhalla's own format, built from parts so that a test can change one of them.
struct TripMaker {
    var precision = 1e6
    var units = "kilometers"
    var length = 0.662
    var legs: [[(Double, Double)]] = [
        [(7.42, 43.73), (7.421, 43.731), (7.422, 43.731), (7.422, 43.735)], [(7.422, 43.735), (7.43, 43.735)],
    ]
    var extra = ""
    var second =
        #""type": 15, "begin_shape_index": 2, "end_shape_index": 3, "time": 40, "street_names": ["Rue", "D 6"]"#

    var json: String {
        let texts = legs.enumerated().map { index, points in
            var maker = ResponseMaker()
            maker.precision = precision
            let turn = index == 0 ? "{\(second), \"instruction\": \"À gauche\"}," : ""
            return """
                {"shape": \(maker.geometry(points)), "summary": {"length": 1, "time": 1}, \(index == 0 ? extra : "") "maneuvers": [
                {"type": 1, "begin_shape_index": 0, "end_shape_index": \(index == 0 ? 2 : 1), "time": 30, "instruction": "Go"}, \(turn)
                {"type": 5, "begin_shape_index": \(points.count - 1), "end_shape_index": \(points.count - 1), "time": 0, "instruction": "There"}]}
                """
        }
        return """
            {"trip": {"locations": [{"lat": 43.7301, "lon": 7.4201}], "units": "\(units)", "status": 0, "status_message": "Found route",
            "summary": {"length": \(length), "time": 100}, "legs": [
            \(texts.joined(separator: ",\n"))
            ]}}
            """
    }
}

@Suite struct ValhallaTripTests: RouteTexts {
    @Test func otherRoutesAreNotedWhereThereAreSome() throws {
        // GIVEN no list of other routes, an empty one, and one route in it THEN only the last is noted
        var maker = TripMaker()
        maker.length = 1.307
        let texts = ["", #""alternates": [], "#, #""alternates": [{}], "#]
        let notes = try texts.map { try read(maker.json.replacing("{\"trip\"", with: "{\($0)\"trip\"")).notes }
        let duplicate = "duplicate points dropped: 1"
        #expect(notes == [[duplicate], [duplicate], ["of 2 routes: used the first", duplicate]])
    }

    @Test(arguments: [1e5, 1e6])
    func tripIsReadInEitherPrecision(precision: Double) throws {
        // GIVEN a trip of two legs
        var maker = TripMaker()
        maker.precision = precision
        maker.length = 1.306
        let reading = try read(maker.json)
        let route = reading.route
        // THEN the line, the maneuvers with their texts, and the times are read
        #expect(reading.format == .valhalla)
        #expect(route.vertexCount == 5)
        #expect(abs(route.vertex(0).position.latitudeDegrees - 43.73) < 1e-9)
        #expect(route.maneuvers.map(\.kind) == [.depart, .turn, .arrive, .depart, .arrive])
        #expect(route.maneuvers[1].modifier == .left)
        #expect(route.maneuvers[1].instruction == "À gauche")
        #expect(route.maneuvers[1].roadName == "Rue/D 6")
        #expect(abs(route.maneuvers[1].alongMeters - route.vertex(2).alongMeters) < 1e-9)
        #expect(abs(route.maneuvers[2].alongMeters - route.vertex(3).alongMeters) < 1e-9)
        #expect(abs((route.timeSeconds(alongMeters: route.vertex(2).alongMeters) ?? 0) - 30) < 1e-9)
        #expect(abs((route.durationSeconds ?? 0) - 100) < 1e-9)
    }

    @Test func milesAndFeetAreConverted() throws {
        var maker = TripMaker()
        maker.units = "miles"
        maker.length = 1.306 / 1.609344
        maker.extra =
            #""elevation_interval": 100, "elevation": [1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000, 2100, 2200],"#
        let route = try read(maker.json).route
        // Every 100 ft along, 100 ft higher.
        #expect(abs((route.elevationMeters(alongMeters: 0) ?? 0) - 304.8) < 1e-6)
        let turn = route.vertex(2).alongMeters
        #expect(abs((route.elevationMeters(alongMeters: turn) ?? 0) - (304.8 + turn)) < 1)
        #expect(route.elevationMeters(alongMeters: route.lengthMeters) == nil, "the second leg has none")
    }

    @Test func lanesAreRead() throws {
        var maker = TripMaker()
        maker.length = 1.306
        maker.second +=
            #", "lanes": [{"directions": 8, "active": 8}, {"directions": 10, "valid": 8}, {"directions": 2}]"#
        let lanes = try read(maker.json).route.maneuvers[1].lanes
        #expect(
            lanes == [
                Lane(indications: [.left], isValid: true, isRecommended: true, validIndication: .left),
                Lane(indications: [.left, .straight], isValid: true, isRecommended: false, validIndication: .left),
                Lane(indications: [.straight], isValid: false),
            ])
    }

    /// The replaced text, its replacement, the expected location, and a part of the expected message.
    static let spoiled: [(String, String, String, String)] = [
        (
            "\"begin_shape_index\": 2", "\"begin_shape_index\": 9", "trip.legs[0].maneuvers[1].begin_shape_index",
            "outside 0 to 3"
        ),
        (
            "\"begin_shape_index\": 2, \"end_shape_index\": 3", "\"begin_shape_index\": 3, \"end_shape_index\": 1",
            "trip.legs[0].maneuvers[1].end_shape_index", "outside"
        ),
        ("\"type\": 1, \"begin_shape_index\": 0", "\"type\": 1, \"begin_shape_index\": 2", "", ""),
        ("\"type\": 15", "\"type\": \"left\"", "trip.legs[0].maneuvers[1].type", "whole number"),
        ("\"units\": \"kilometers\"", "\"units\": \"leagues\"", "trip.units", "not a supported unit"),
        ("\"summary\": {\"length\": 1.306", "\"summary\": {\"length\": 1306", "trip.summary.length", "not kilometres"),
        (
            "\"summary\": {\"length\": 1.306", "\"summary\": {\"length\": 0.8115", "trip.summary.length",
            "not kilometres"
        ),
        ("\"status\": 0", "\"status\": 442", "trip.status", "status 442"),
        ("\"time\": 40", "\"time\": -40", "trip.legs[0].maneuvers[1].time", "outside"),
        ("\"legs\": [", "\"legs\": 3, \"x\": [", "trip.legs", "an array"),
        ("\"shape\": \"", "\"shape\": \" ", "trip.legs[0].shape", "does not belong"),
    ]

    @Test(arguments: ValhallaTripTests.spoiled.indices)
    func problemsHaveALocation(index: Int) {
        let (good, bad, path, word) = ValhallaTripTests.spoiled[index]
        var maker = TripMaker()
        maker.length = 1.306
        #expect(maker.json.contains(good))
        let found = problem(maker.json.replacing(good, with: bad, maxReplacements: 1))
        // A first maneuver that starts later is still in order.
        guard !word.isEmpty else { return #expect(found == nil, "\(String(describing: found))") }
        #expect(found?.path == path, "\(String(describing: found))")
        #expect(found?.description.contains(word) == true, "\(String(describing: found))")
    }

    @Test func disorderedManeuversAndGapsAreReported() {
        var maker = TripMaker()
        maker.length = 1.306
        maker.second =
            #""type": 15, "begin_shape_index": 3, "end_shape_index": 3}, {"type": 10, "begin_shape_index": 1, "end_shape_index": 3"#
        #expect(problem(maker.json)?.path == "trip.legs[0].maneuvers[2].begin_shape_index")
        maker = TripMaker()
        maker.legs[1][0] = (7.425, 43.735)
        #expect(problem(maker.json)?.description.contains("trip.legs[1].shape: starts 242 m from the end") == true)
    }

    @Test func serverErrorIsReported() {
        let found = problem(
            #"{"error_code": 171, "error": "No suitable edges near location", "status_code": 400, "status": "Bad Request"}"#
        )
        #expect(found?.description.contains("171: No suitable edges near location") == true)
    }
}
