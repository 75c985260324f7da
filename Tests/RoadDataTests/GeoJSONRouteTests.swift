import BoundedJSON
import Geodesy
import Guidance
import RoadData
import Testing

@Suite struct GeoJSONRouteTests: RouteTexts {
    private let line = #"{"type": "LineString", "coordinates": [[11, 48], [11, 48.01, 520], [11.01, 48.01]]}"#

    @Test func allLineTypesGiveTheSameRoute() throws {
        let forms = [
            line, #"{"type": "Feature", "geometry": \#(line), "properties": null}"#,
            #"{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": \#(line), "properties": {}}]}"#,
            #"{"type": "GeometryCollection", "geometries": [\#(line)]}"#,
            #"{"type": "MultiLineString", "coordinates": [[[11, 48], [11, 48.01]], [[11, 48.01], [11.01, 48.01]]]}"#,
            "\u{FEFF}" + line,
        ]
        for format in forms {
            let reading = try read(format)
            #expect(reading.format == .geoJSON)
            #expect(reading.route.vertexCount == 3)
            #expect(abs(reading.route.lengthMeters - 1112.0 - 745.9) < 1)
            // The corner is a bend to the right, the end the arrival.
            #expect(reading.route.maneuvers.map { $0.kind } == [.bend, .arrive])
            #expect(reading.route.maneuvers[0].modifier == .right)
        }
    }

    @Test func linesOfSeveralFeaturesAreJoinedAndNamed() throws {
        let reading = try read(
            """
            {"type": "FeatureCollection", "features": [
              {"type": "Feature", "properties": {"name": "A to B", "maxspeed": 30},
               "geometry": {"type": "LineString", "coordinates": [[11, 48], [11, 48.01]]}},
              {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [11, 48]}},
              {"type": "Feature", "properties": {"maxspeed": ["30 mph", "none"]},
               "geometry": {"type": "LineString", "coordinates": [[11, 48.01], [11, 48.02], [11, 48.03]]}},
              {"type": "Feature", "properties": {"limit_m_s": 12.5},
               "geometry": {"type": "LineString", "coordinates": [[11, 48.03], [11, 48.04]]}}]}
            """)
        let route = reading.route
        #expect(route.name == "A to B")
        #expect(route.limit(alongMeters: 100).limit == .kilometersPerHour(30))
        #expect(route.limit(alongMeters: 1500).limit == .metersPerSecond(30 * 0.44704))
        #expect(route.limit(alongMeters: 2600).limit == .unlimited)
        #expect(route.limit(alongMeters: 4000).limit == .metersPerSecond(12.5))
        #expect(
            reading.notes == [
                "geometries skipped because they are not lines: 1", "duplicate points dropped: 2",
            ])
    }

    @Test func nonNumericLimitsAreUnknown() throws {
        for value in ["\"walk\"", "\"RO:urban\"", "\"signals\"", "null", "\"50;30\""] {
            let reading = try read(#"{"type": "Feature", "properties": {"maxspeed": \#(value)}, "geometry": \#(line)}"#)
            #expect(reading.route.limit(alongMeters: 10).limit == .unknown)
        }
    }

    /// A text, the expected path, and a part of the expected message.
    static let bad: [(String, String, String)] = [
        (#"{"type": "LineString", "coordinates": [[11, 48]]}"#, "coordinates", "1 position;"),
        (#"{"type": "LineString", "coordinates": []}"#, "coordinates", "0 positions"),
        (#"{"type": "LineString", "coordinates": [[11, 48], [11, 48], [11, 48]]}"#, "", "1 distinct point"),
        (
            #"{"type": "LineString", "coordinates": [[11, 48], [48, 111]]}"#, "coordinates[1]",
            "latitude and longitude look reversed"
        ),
        (#"{"type": "LineString", "coordinates": [[11, 48], [691608.9, 5334764.1]]}"#, "coordinates[1]", "not degrees"),
        (#"{"type": "LineString", "coordinates": [[11, 48], [190, 48]]}"#, "coordinates[1]", "out of range"),
        (#"{"type": "LineString", "coordinates": [[11, 48], [11, null]]}"#, "coordinates[1][1]", "a number, not null"),
        (#"{"type": "LineString", "coordinates": [[11, 48], [11, NaN]]}"#, "", "NaN is not JSON"),
        (#"{"type": "LineString", "coordinates": [[11, 48], 7]}"#, "coordinates[1]", "not a position"),
        (#"{"type": "LineString", "coordinates": "abc"}"#, "coordinates", "an array"),
        (#"{"type": "LineString"}"#, "", "has no \"coordinates\""),
        (#"{"type": "Lines", "coordinates": []}"#, "", "not a GeoJSON type"),
        (#"{"type": 3}"#, "type", "a string"),
        (#"{"type": "Point", "coordinates": [11, 48]}"#, "", "has no line"),
        (#"{"type": "FeatureCollection", "features": []}"#, "", "has no line"),
        (
            #"{"type": "MultiLineString", "coordinates": [[[11, 48], [11, 48.01]], [[11, 48.02], [11, 48.03]]]}"#,
            "coordinates[1]",
            "starts 1112 m from the end"
        ),
        (
            #"{"type": "MultiLineString", "coordinates": [[[11, 48], [11, 48.01]], [[11, 48.02], [11, 48.01]]]}"#,
            "coordinates[1]", "it is reversed"
        ),
        (#"{"trip": {}}"#, "trip", "has no \"legs\""), (#"{"hello": 1}"#, "", "is not a route"),
        ("[1]", "", "an object"),
        ("", "", "the file is empty"),
        ("  \n", "", "the file is empty"), ("<?xml version=\"1.0\"?><kml/>", "", "KML"),
        ("PK\u{3}\u{4}", "", "compressed"), ("Turn left after 200 m", "", "neither JSON nor GPX"),
        ("{\"a\u{0}", "", "binary"),
        (String(repeating: "[", count: 100_000), "", "nested more than 64 deep"),
    ]

    @Test(arguments: GeoJSONRouteTests.bad.indices)
    func problemsHaveALocation(index: Int) {
        let (text, path, word) = GeoJSONRouteTests.bad[index]
        let found = problem(text)
        #expect(found?.path == path, "\(String(describing: found))")
        #expect(found?.description.contains(word) == true, "\(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func wrongNumbersOfLimitsAreNamed() {
        let text = #"{"type": "Feature", "properties": {"maxspeed": [30]}, "geometry": \#(line)}"#
        #expect(problem(text)?.path == "properties.maxspeed")
        #expect(
            problem(#"{"type": "Feature", "properties": {"maxspeed": -3}, "geometry": \#(line)}"#)?.path
                == "properties.maxspeed")
        #expect(
            problem(#"{"type": "Feature", "properties": {"limit_m_s": "5"}, "geometry": \#(line)}"#)?.path
                == "properties.limit_m_s")
    }

    @Test func noiseNeverTraps() {
        expectNoiseIsHarmless(
            #"{"type": "Feature", "properties": {"maxspeed": [30, "50 mph"], "name": "x"}, "geometry": \#(line)}"#,
            seed: 11)
    }
}
