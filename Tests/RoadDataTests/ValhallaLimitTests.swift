import Guidance
import RoadData
import Testing

/// The precision of a trip's lines, and the gaps between its legs, just allowed and just refused.
@Suite struct ValhallaLimitTests: RouteTexts {
    private static let locations = #""locations": [{"lat": 43.7301, "lon": 7.4201}], "#

    @Test(arguments: [1e5, 1e6])
    func aPlaceOfTheSummaryTellsThePrecision(precision: Double) throws {
        // GIVEN a trip that tells no locations THEN the lowest corner of its line tells its precision
        var maker = TripMaker()
        (maker.precision, maker.length) = (precision, 1.306)
        let bare = maker.json.replacing(Self.locations, with: "")
        let corner = bare.replacing(
            #""length": 1, "time": 1"#, with: #""length": 1, "time": 1, "min_lat": 43.73, "min_lon": 7.42"#)
        let place = try read(corner).route.vertex(0).position
        #expect(abs(place.latitudeDegrees - 43.73) < 1e-9 && abs(place.longitudeDegrees - 7.42) < 1e-9)
        // AND without it the line has six decimals
        let assumed = try read(bare).route.vertex(0).position
        #expect(abs(assumed.latitudeDegrees - 43.73 * precision / 1e6) < 1e-9)
    }

    @Test(arguments: [1e5, 1e6])
    func theLongitudeTellsThePrecisionNearTheEquator(precision: Double) throws {
        // GIVEN a trip at the equator, where latitudes are too small to tell it
        var maker = TripMaker()
        (maker.precision, maker.length) = (precision, 1.601)
        maker.legs = [
            [(7.42, 0.01), (7.421, 0.011), (7.422, 0.011), (7.422, 0.015)], [(7.422, 0.015), (7.43, 0.015)],
        ]
        let text = maker.json.replacing(Self.locations, with: #""locations": [{"lat": 0.01, "lon": 7.42}], "#)
        // THEN the line begins at the place of the trip
        let place = try read(text).route.vertex(0).position
        #expect(abs(place.latitudeDegrees - 0.01) < 1e-9 && abs(place.longitudeDegrees - 7.42) < 1e-9)
    }

    @Test(arguments: [(49.5, true), (50.5, false)])
    func aLegBeginsWithinFiftyMetersOfTheLastOne(meters: Double, isRead: Bool) {
        // A degree of latitude has 111,107 m there.
        var maker = TripMaker()
        maker.length = 1.306
        maker.legs[1] = [(7.422, 43.735 + meters / 111_107), (7.43, 43.735)]
        let found = problem(maker.json)
        #expect((found == nil) == isRead, "\(String(describing: found))")
        if !isRead { #expect(found?.path == "trip.legs[1].shape") }
    }

    @Test(arguments: [
        ("[500, 600]", "0.09", false), ("[500, 600]", "0.1", true), ("[500, 600]", "1000000", true),
        ("[500, 600]", "1000001", false), ("[100000]", "30", true), ("[-100001]", "30", false),
    ])
    func heightsHaveAnIntervalAndARange(heights: String, interval: String, isRead: Bool) {
        var maker = TripMaker()
        maker.length = 1.306
        maker.extra = #""elevation_interval": \#(interval), "elevation": \#(heights),"#
        #expect((problem(maker.json) == nil) == isRead)
    }

    @Test(arguments: [("-499", true), ("-500", false), ("9999", true), ("10000", false)])
    func aHeightThatIsNoneOfEarthIsUnknown(height: String, isKnown: Bool) throws {
        var maker = TripMaker()
        maker.length = 1.306
        maker.extra = #""elevation_interval": 30, "elevation": [\#(height), \#(height)],"#
        let route = try read(maker.json).route
        #expect(route.elevationMeters(alongMeters: 0) == (isKnown ? Double(height) : nil))
    }

    @Test(arguments: [(499.5, true), (500.5, false)])
    func theLengthOfAShortTripMayBeAny(meters: Double, isRead: Bool) {
        // GIVEN a trip to the north of just less or more than 500 m that states 10 km; a degree of latitude has
        // 111,107 m there
        var maker = TripMaker()
        maker.length = 10
        let latitudes = [0.0, 100, 200, 300, meters].map { 43.73 + $0 / 111_107 }
        maker.legs = [latitudes[...3].map { (7.42, $0) }, latitudes[3...].map { (7.42, $0) }]
        #expect(problem(maker.json)?.path == (isRead ? nil : "trip.summary.length"))
    }
}
