import BoundedJSON
import Guidance
import Testing

@testable import RoadData

/// Limits, lengths and times of a router, on both sides of what is read, noted and refused.
@Suite struct RouteUnitTests: RouteTexts {
    private static func kilometersPerHour(_ values: [Double]) -> String {
        "\"maxspeed\": [" + values.map { #"{"speed": \#($0), "unit": "km/h"}"# }.joined(separator: ", ") + "]"
    }

    @Test(arguments: [("60", "77", 60.0), ("76", "61", 50)])
    func aSegmentHasTheLimitAtItsMiddle(first: String, second: String, limit: Double) throws {
        // GIVEN a first segment of 137 m, and limits of a finer line, of which the first one ends before the middle of
        // the segment, at 69 m, or after it THEN the segment has the limit at its middle, and so have the others
        var maker = ResponseMaker()
        maker.annotation =
            Self.kilometersPerHour([50, 60, 70, 90]) + #", "distance": [\#(first), \#(second), 80, 445]"#
        let route = try read(maker.json).route
        #expect(route.limit(alongMeters: 10).limit == .kilometersPerHour(limit))
        #expect(route.limit(alongMeters: route.vertex(1).alongMeters + 1).limit == .kilometersPerHour(70))
        #expect(route.limit(alongMeters: route.lengthMeters - 1).limit == .kilometersPerHour(90))
    }

    @Test(
        arguments: [
            ("0.61", "kilometres"), ("0.72", "kilometres"), ("0.38", "miles"), ("0.45", "miles"), ("0.59", nil),
            ("0.75", nil), ("0.365", nil), ("0.47", nil),
        ] as [(String, String?)])
    func aLengthInAnotherUnitIsNamedWithinATenth(distance: String, unit: String?) throws {
        // GIVEN a line of 662 m with a stated length that would be right in kilometres or miles, up to a tenth or by
        // more WHEN it is read THEN the unit is told, or the length is only noted
        var maker = ResponseMaker()
        maker.distance = distance
        guard let unit else {
            let notes = try read(maker.json).notes
            #expect(notes.count == 1 && notes.first?.hasPrefix("routes[0].distance is") == true, "\(notes)")
            return
        }
        let found = problem(maker.json)
        #expect(found?.path == "routes[0].distance")
        #expect(found?.reason == "is \(distance), but the line is 662 m long: these are \(unit)")
    }

    @Test(arguments: [(149.9, true), (150.1, false), (0.0501, true), (0.0499, false)])
    func aTimeHasASpeedThatCanBe(speed: Double, isRead: Bool) throws {
        // GIVEN a line of 11.8 km with a time that means a speed just below and above 150 m/s, or 0.05 m/s THEN the
        // time is read or refused
        var maker = Self.long
        let length = try read(maker.json).route.lengthMeters
        maker.duration = "\(length / speed)"
        #expect(problem(maker.json)?.path == (isRead ? nil : "routes[0].duration"))
    }

    @Test func aTimeThatCannotBeIsToldWithItsSpeed() throws {
        var maker = Self.long
        let seconds = try read(maker.json).route.lengthMeters / 200
        maker.duration = "\(seconds)"
        #expect(problem(maker.json)?.reason == "is \(seconds), which means 12 km at 720.0 km/h")
    }

    /// A line of 11.8 km in 900 s.
    private static var long: ResponseMaker {
        var maker = ResponseMaker()
        maker.steps[1] = [(7.422, 43.731), (7.422, 43.835)]
        maker.steps[2] = [(7.422, 43.835)]
        (maker.geoJSON, maker.annotation, maker.distance, maker.duration) = (true, "", "11773", "900")
        return maker
    }

    @Test(arguments: [(999.5, true), (1000.5, false)])
    func theTimeOfLessThanAKilometerMayBeAny(meters: Double, isRead: Bool) {
        // GIVEN a line to the north whose time is a second; a degree of latitude has 111,107 m there
        let line = #"{"type": "LineString", "coordinates": [[7.42, 43.73], [7.42, \#(43.73 + meters / 111_107)]]}"#
        let text = #"{"code": "Ok", "routes": [{"geometry": \#(line), "duration": 1, "legs": []}]}"#
        #expect(problem(text)?.path == (isRead ? nil : "routes[0].duration"))
    }

    @Test func aRouteWithoutStepsHasTheLimitsOfItsOnlyLeg() throws {
        // GIVEN a route without steps, with a leg that has a limit for each segment, or with two of them THEN the
        // limits of one leg are those of the line; of two it is not known where they begin
        let line = ResponseMaker().geometry([(7.42, 43.73), (7.421, 43.731), (7.43, 43.74)])
        let leg = #"{"annotation": {\#(Self.kilometersPerHour([50, 70]))}}"#
        for (legs, limits) in [
            (leg, [SpeedLimit.kilometersPerHour(50), .kilometersPerHour(70)]),
            ("\(leg), \(leg)", [.unknown, .unknown]),
        ] {
            let text = #"{"code": "Ok", "routes": [{"geometry": \#(line), "duration": 100, "legs": [\#(legs)]}]}"#
            let route = try read(text).route
            #expect(route.limit(alongMeters: 10).limit == limits[0])
            #expect(route.limit(alongMeters: route.lengthMeters - 1).limit == limits[1])
        }
    }

    // MARK: - Encoded lines

    @Test func aCharacterOfALineIsFromQuestionMarkToTilde() throws {
        // GIVEN the first and the last character that belongs into an encoded line THEN they are numbers, and those
        // just beside them are none
        let zero = try Polyline.decode(Array("??".utf8))
        #expect(zero.count == 1 && zero.first?.latitude == 0 && zero.first?.longitude == 0)
        let last = try Polyline.decode(Array("~??".utf8))
        #expect(last.count == 1 && last.first?.latitude == -16 && last.first?.longitude == 0)
        #expect(throws: Polyline.Problem.character(offset: 0)) { try Polyline.decode([62, 63]) }
        #expect(throws: Polyline.Problem.character(offset: 1)) { try Polyline.decode([63, 127]) }
    }

    @Test(arguments: [(240, 179, true), (240, 181, false), (359, 100, true), (361, 100, false)])
    func aPointThatIsInRangeTheOtherWayRoundLooksReversed(latitude: Int, longitude: Int, isReversed: Bool) throws {
        // GIVEN a point in units of half a degree, whose latitude is none of Earth WHEN it is checked THEN it looks
        // reversed where the latitude would be a longitude, and the longitude a latitude
        let value = try JSONDocument("\"x\"").root
        let found = #expect(throws: JSONProblem.self) {
            try OSRMGeometry.places([(latitude: latitude, longitude: longitude)], unitDegrees: 0.5, of: value)
        }
        #expect(found?.reason.hasPrefix("point 0 of the encoded line is at latitude") == true)
        #expect(found?.reason.hasSuffix(": they look reversed") == isReversed)
    }
}
