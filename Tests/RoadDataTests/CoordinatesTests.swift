import BoundedJSON
import Geodesy
import Guidance
import PoseMath
import Testing

@testable import RoadData

/// Distances between positions, and what the lengths of lines decide.
@Suite struct CoordinatesTests: RouteTexts {
    private static func place(_ latitude: Double, _ longitude: Double) -> GeodeticPosition {
        GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }

    @Test func aShortDistanceIsThatOfTheEllipsoid() {
        // GIVEN places 1000 m from another one to each side THEN that is the distance: those of a sphere differ by up
        // to 6 m
        for latitude in [0.0, 47, -70] {
            let frame = LocalFrame(origin: Self.place(latitude, 8))
            for (east, north) in [(1000.0, 0.0), (0, 1000), (-600, 800), (600, -800)] {
                let other = frame.position(ofENUMeters: Vector3(east, north, 0))
                // The frame's plane is 8 cm above the ground there, which makes the way longer by centimetres.
                let meters = Coordinates.distanceMeters(Self.place(latitude, 8), other)
                #expect(abs(meters - 1000) < 0.2, "\(latitude) \(meters)")
            }
        }
        #expect(Coordinates.distanceMeters(Self.place(47, 8), Self.place(47, 8)) == 0)
    }

    @Test(arguments: [
        // A quarter of the circle of latitude at 60 degrees: 41.41 degrees by the great circle.
        (60.0, 0.0, 60.0, 90.0, 4_604_500.0), (0, 179.5, 0, -179.5, 111_320), (0, 0, 0, 180, 20_015_000),
        // Across the pole: 0.01 degrees.
        (89.995, 0, 89.995, 180, 1114), (-89.99, 10, -89.99, -170, 2229),
    ])
    func aLongDistanceIsThatOfTheGreatCircle(
        latitude: Double, longitude: Double, toLatitude: Double, toLongitude: Double, meters: Double
    ) {
        let found = Coordinates.distanceMeters(
            Self.place(latitude, longitude), Self.place(toLatitude, toLongitude))
        #expect(abs(found / meters - 1) < 0.006, "\(found)")
    }

    @Test func anAmountIsSharedByLength() {
        // GIVEN parts of 100 m, 0 m and 300 m THEN they get a quarter, nothing and three quarters of it
        let frame = LocalFrame(origin: Self.place(47, 8))
        let points = [0.0, 100, 100, 400].map { frame.position(ofENUMeters: Vector3(0, $0, 0)) }
        let shares = Coordinates.shares(of: 40, between: points[...])
        #expect(shares.count == 3 && shares[1] == 0 && abs(shares[0] - 10) < 0.001 && abs(shares[2] - 30) < 0.001)
        // AND parts without a length get nothing
        #expect(Coordinates.shares(of: 40, between: points[1...2]) == [0])
        #expect(Coordinates.shares(of: 40, between: points[..<1]).isEmpty)
    }

    // MARK: - Lines of a router

    /// A response without steps or places, with a line along the equator of 0.03 degrees in units of 1e-5: 3340 m.
    private func response(distance: String, precision: Double = 1e5) -> String {
        var maker = ResponseMaker()
        maker.precision = precision
        let line = maker.geometry([(0.01, 0.01), (0.04, 0.01)])
        return #"{"code": "Ok", "routes": [{"geometry": \#(line), \#(distance) "legs": []}]}"#
    }

    @Test(arguments: [
        ("\"distance\": 3340,", 3340.0), ("\"distance\": 1200,", 3340), ("\"distance\": 1000,", 334),
        ("\"distance\": 334,", 334), ("\"distance\": 0,", 3340), ("", 3340),
    ])
    func theLengthTellsThePrecisionOfALine(distance: String, meters: Double) throws {
        // GIVEN a line that tells no place WHEN its stated length is less than a third of that with five decimals THEN
        // it has six
        let reading = try read(response(distance: distance))
        #expect(abs(reading.route.lengthMeters / meters - 1) < 0.002)
        let isUnknown = distance.isEmpty || distance.contains(" 0,")
        let note = "the precision of the encoded lines is unknown; assumed five decimals"
        #expect(reading.notes.contains(note) == isUnknown)
    }

    @Test(arguments: [(0.01, 0.04, 3340.0), (0.005, 0.035, 334)])
    func theStartTellsThePrecisionWhereItCan(from: Double, to: Double, meters: Double) throws {
        // GIVEN a line near the place of zero degrees, whose stated length speaks for six decimals, and its start WHEN
        // the start is far enough from that place to tell five from six decimals THEN it decides, and else the length
        let line = ResponseMaker().geometry([(from, from), (to, from)])
        let reading = try read(
            #"{"code": "Ok", "waypoints": [{"location": [\#(from), \#(from)]}], "#
                + #""routes": [{"geometry": \#(line), "distance": 1000, "legs": []}]}"#)
        #expect(abs(reading.route.lengthMeters / meters - 1) < 0.002)
    }

    @Test func aLineBeyondTheEarthHasSixDecimals() throws {
        // GIVEN a line that would be beyond 90 or 180 degrees with five decimals, without a length THEN it has six
        for start in [(7.42, 43.73), (20.0, 1.0), (-20, -1), (1, -43)] {
            var maker = ResponseMaker()
            maker.precision = 1e6
            let line = maker.geometry([start, (start.0 + 0.001, start.1)])
            let reading = try read(#"{"code": "Ok", "routes": [{"geometry": \#(line), "legs": []}]}"#)
            #expect(abs(reading.route.vertex(0).position.longitudeDegrees - start.0) < 1e-9)
            #expect(!reading.notes.contains { $0.contains("precision") })
        }
    }

    @Test(arguments: [(3.0e-7, 4), (4.0e-7, 4), (5.0e-7, 5), (9.0e-7, 5)])
    func aStepBeginsAtTheSamePointWithinFiveCentimeters(degrees: Double, vertices: Int) throws {
        // GIVEN a step that begins 3.3 cm, 4.4 cm, 5.6 cm or 10 cm to the north of the end of the step before THEN that
        // is the same point up to 5 cm, and one of its own beyond
        var maker = ResponseMaker()
        (maker.geoJSON, maker.annotation) = (true, "")
        maker.steps[1][0] = (7.422, 43.731 + degrees)
        let route = try read(maker.json).route
        #expect(route.vertexCount == vertices)
        #expect(route.maneuvers[1].alongMeters == route.vertex(vertices - 2).alongMeters)
    }
}
