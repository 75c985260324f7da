import Geodesy
import Guidance
import PoseMath
import RoadMaps
import Roads
import StoredTexts
import Testing

@testable import RoadData

/// Whole documents with every part that a reader takes, and what is read of them, to the last digit.
@Suite struct StoredRouteTests: RouteTexts {
    /// Everything that is read of a text, one part per line; or the message.
    private func told(_ text: String) -> String {
        do throws(RouteDataProblem) {
            let reading = try read(text)
            let plan = "\(reading.route.plan)".replacing(", ", with: "\n  ")
            return (["\(reading.format)", plan] + reading.notes).joined(separator: "\n")
        } catch { return error.description }
    }

    /// The texts of a list, each under its number.
    private func told(_ texts: [String]) -> String {
        texts.enumerated().map { "--- \($0.offset)\n\(told($0.element))" }.joined(separator: "\n")
    }

    private static let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11))

    /// Latitude and longitude of a place, metres east and north.
    private static func degrees(_ east: Double, _ north: Double) -> (latitude: Double, longitude: Double) {
        let place = frame.position(ofENUMeters: Vector3(east, north, 0))
        return (place.latitudeDegrees, place.longitudeDegrees)
    }

    /// A GPX point.
    private static func point(_ tag: String, _ east: Double, _ north: Double, _ inner: String = "") -> String {
        let place = degrees(east, north)
        return "<\(tag) lat=\"\(place.latitude)\" lon=\"\(place.longitude)\">\(inner)</\(tag)>"
    }

    // MARK: - GPX

    @Test func gpxIsReadInAllItsParts() throws {
        let turns = [
            "C", "TL", "tsll", "TSHL", "TR", "TSLR", "TSHR", "KL", "KR", "TU", "TLU", "TRU", "EL", "ER", "RNDB1",
            "RNLB100", "RNDB101", "RNDB0", "RNDBx", "OFFR", "",
        ]
        let route = turns.enumerated().map { index, turn in
            let extra = "<name>R\(index)</name><extensions><x><turn>\(turn)</turn></x></extensions>"
            return Self.point("rtept", Double(index) * 100, 0, extra)
        }
        let heights = ["-1000", "-1000.5", "10000", "10000.5", "", "1e2", "+5.5"]
        let track = heights.enumerated().map {
            Self.point("trkpt", Double($0.offset) * 60, 0, "<ele>\($0.element)</ele>")
        }
        let described = [
            Self.point("rtept", 10, 20, "<cmt>a comment</cmt>"),
            Self.point("rtept", 100, 30, "<cmt>first</cmt><desc>second</desc><x><name>inner</name></x>"),
            Self.point("rtept", 180, 5, "<desc>third</desc><cmt>fourth</cmt><name> N </name>"),
            Self.point("rtept", 250, 0),
            Self.point("rtept", 360, 0, "<turn>TL</turn>"),
        ]
        let shape = Self.point("rpt", 50, 10) + Self.point("rpt", 80, 0, "<rpt lat=\"48\" lon=\"11.0012\"/>")
        let texts = [
            "<gpx><rte><name>A route</name>\(route.joined())</rte></gpx>",
            "<gpx><name>File</name><trk><trkseg>\(track.joined())</trkseg></trk></gpx>",
            "<gpx><metadata><name>Meta</name></metadata><trk><name>T</name><trkseg>\(track.joined())</trkseg></trk>"
                + "<rte><name>R</name>\(described.joined())</rte></gpx>",
            "<gpx><rte>\(Self.point("rtept", 0, 0, shape))\(Self.point("rtept", 150, 0, "<name>Via</name>"))"
                + "\(Self.point("rtept", 300, 0))</rte></gpx>",
            "<gpx><name> </name><rte/><rte>\(route[0])\(route[1])</rte><rte>\(route[2])\(route[3])</rte></gpx>",
            "<gpx><rte>\(route[0])\(Self.point("rtept", 2001, 0))</rte></gpx>",
            "<gpx><rte>\(route[0])\(Self.point("rtept", 1999, 0))</rte></gpx>",
            "<gpx><rte>\(route[0])</rte></gpx>", "<gpx/>", "<x/>", "<kml/>",
        ]
        #expect(try StoredText.differences(of: told(texts), from: "gpx") == [])
    }

    @Test func aSegmentContinuesWithinTwoHundredMeters() {
        for (gap, isRead) in [(199.5, true), (200.5, false)] {
            let first = Self.point("trkpt", 0, 0) + Self.point("trkpt", 100, 0)
            let second = Self.point("trkpt", 100 + gap, 0) + Self.point("trkpt", 900, 0)
            let text = "<gpx><trk><trkseg>\(first)</trkseg><trkseg>\(second)</trkseg></trk></gpx>"
            #expect((problem(text) == nil) == isRead)
            // Within a segment and in a route there may be any gap.
            #expect(problem("<gpx><trk><trkseg>\(first)\(second)</trkseg></trk></gpx>") == nil)
        }
    }

    @Test func aRoutePointIsWithinFiftyMetersOfTheTrack() throws {
        let track =
            "<trk><trkseg>" + (0..<5).map { Self.point("trkpt", Double($0) * 200, 0) }.joined() + "</trkseg></trk>"
        for (away, isRead) in [(49.5, true), (50.5, false)] {
            let route = "<rte>\(Self.point("rtept", 200, away, "<desc>x</desc>"))</rte>"
            let reading = try read("<gpx>\(track)\(route)</gpx>")
            #expect(reading.route.maneuvers.map(\.instruction).contains("x") == isRead)
            #expect(reading.notes.isEmpty == isRead)
        }
    }

    // MARK: - GeoJSON

    private static func line(_ places: [(Double, Double)]) -> String {
        let list = places.map { place -> String in
            let found = degrees(place.0, place.1)
            return "[\(found.longitude), \(found.latitude), 500]"
        }
        return "[\(list.joined(separator: ", "))]"
    }

    private static func feature(_ places: [(Double, Double)], _ properties: String) -> String {
        #"{"type": "Feature", "properties": \#(properties), "geometry": {"type": "LineString", "coordinates": "#
            + "\(line(places))}}"
    }

    @Test func geoJSONIsReadInAllItsParts() throws {
        let (a, b, c) = ([(0.0, 0.0), (100, 0), (200, 0)], [(200.0, 4.0), (300, 0)], [(300.0, 0.0), (300, 100)])
        func collection(_ features: [String]) -> String {
            #"{"type": "FeatureCollection", "features": [\#(features.joined(separator: ", "))]}"#
        }
        let values = [
            #"[50, "30 mph"]"#, #"["none", "walk"]"#, #"["10 knots", "5 m/s"]"#, #"[500, 0]"#, #"[null, "50 km/h"]"#,
            #""70 kph""#, "500.1", "-1", #"[50]"#, #""50 furlongs""#, #"["50 km/h x", "x"]"#, "true", #"[1, {}]"#,
        ]
        let limits = values.map { Self.feature(a, #"{"maxspeed": \#($0)}"#) }
        let metric = ["[10, null]", "138.8", "139", "0", "-0.1", #""10""#].map {
            Self.feature(a, #"{"limit_m_s": \#($0), "maxspeed": 50}"#)
        }
        let texts =
            [
                collection([Self.feature(a, #"{"name": "A", "maxspeed": 50}"#), Self.feature(b, "null")]),
                collection([
                    Self.feature(a, "{}"), Self.feature(b, #"{"name": "B", "maxspeed": [30]}"#), Self.feature(c, "{}"),
                ]),
                #"{"type": "MultiLineString", "coordinates": [\#(Self.line(a)), \#(Self.line(b))]}"#,
                #"{"type": "GeometryCollection", "geometries": [{"type": "Point"}, {"type": "Polygon"}, "#
                    + #"{"type": "LineString", "coordinates": \#(Self.line(c))}, {"type": "MultiPoint"}]}"#,
                collection([Self.feature(a, "{}"), Self.feature([(300, 0), (204.9, 0)], "{}")]),
                collection([Self.feature(a, "{}"), Self.feature([(300, 0), (205.1, 0)], "{}")]),
                collection([Self.feature(a, "{}"), Self.feature([(204.9, 0), (300, 0)], "{}")]),
                collection([Self.feature(a, "{}"), Self.feature([(205.1, 0), (300, 0)], "{}")]),
                collection([]), #"{"type": "Point", "coordinates": [1, 2]}"#, #"{"type": "Line"}"#,
                #"{"type": "LineString", "coordinates": [[1, 2]]}"#, #"{"type": "LineString", "coordinates": []}"#,
                #"{"type": "LineString", "coordinates": [[1], [2]]}"#,
                #"{"type": "LineString", "coordinates": [[1, 2], 3]}"#,
            ] + limits + metric
        #expect(try StoredText.differences(of: told(texts), from: "geojson") == [])
    }

    @Test(
        arguments: [
            (180.0, 90.0, nil), (-180, -90, nil), (180.5, 90, "out of range"), (90, 90.5, "reversed"),
            (90, 180, "reversed"),
            (90.5, 90.5, "out of range"), (0, 180.5, "out of range"), (360, 360, "out of range"),
            (360.5, 0, "not degrees"),
            (0, -360.5, "not degrees"), (-90, -180, "reversed"), (.nan, 0, "not degrees"),
        ] as [(Double, Double, String?)])
    func coordinatesHaveTheirRange(longitude: Double, latitude: Double, problem: String?) {
        let fault = Coordinates.fault(longitudeDegrees: longitude, latitudeDegrees: latitude)
        #expect((fault == nil) == (problem == nil))
        if let problem { #expect(fault?.reason.contains(problem) == true, "\(fault?.reason ?? "")") }
    }

    @Test func aDistanceHasItsText() {
        let texts = [0.4, 0.5, 9999.4, 9999.9, 10_000, 10_499, 10_500].map { Coordinates.shown($0) }
        #expect(texts == ["0 m", "1 m", "9999 m", "10000 m", "10 km", "10 km", "11 km"])
    }

    // MARK: - Valhalla and OSRM

    @Test func everyKindOfManeuverHasItsMeaning() throws {
        let lines = (-1...50).map { "\($0) \(ValhallaManeuver.meaning(of: $0))" }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "valhalla-kinds") == [])
    }

    @Test func aTripIsReadInAllItsParts() throws {
        // GIVEN trips with times, heights, lanes, names and stated lengths around what is noted and refused
        var texts: [String] = []
        for length in [1.306, 1.24, 1.25, 1.37, 1.38, 1.86, 1.88, 0.93, 0.94] {
            var maker = TripMaker()
            maker.length = length
            texts.append(maker.json)
        }
        for heights in ["[-499, 9999, 5]", "[-500, 10, 10000]", "[]", "[7]", "[100001]", "[1, null]"] {
            var maker = TripMaker()
            maker.length = 1.306
            maker.extra = #""elevation_interval": 50.5, "elevation": \#(heights),"#
            texts.append(maker.json)
        }
        for second in [
            #""type": 26, "begin_shape_index": 2, "roundabout_exit_count": 100"#,
            #""type": 26, "begin_shape_index": 2, "roundabout_exit_count": 101"#,
            #""type": 8, "begin_shape_index": 2, "end_shape_index": 2, "time": 7, "street_names": []"#,
            #""type": 10, "begin_shape_index": 0, "end_shape_index": 3, "time": 1e8, "lanes": [{"directions": 511}]"#,
        ] {
            var maker = TripMaker()
            (maker.length, maker.second) = (1.306, second)
            texts.append(maker.json)
        }
        var feet = TripMaker()
        (feet.units, feet.length) = ("mi", 1.306 / 1.609344)
        feet.extra = #""elevation_interval": 200, "elevation": [100, 200, 400],"#
        texts.append(feet.json)
        texts.append(feet.json.replacing("{\"trip\"", with: #"{"alternates": [{}, {}], "trip""#))
        texts.append(feet.json.replacing("\"status\": 0, \"status_message\": \"Found route\"", with: #""status": 5"#))
        #expect(try StoredText.differences(of: told(texts), from: "valhalla") == [])
    }

    @Test func aResponseIsReadInAllItsParts() throws {
        // GIVEN responses with limits, times, tunnels and lanes, whole and in part, and with stated lengths and places
        // of maneuvers around what is noted and refused
        var texts: [String] = []
        func add(_ change: (inout ResponseMaker) -> Void) {
            var maker = ResponseMaker()
            change(&maker)
            texts.append(maker.json)
        }
        for distance in ["680", "662", "630", "695", "450", "480", "930", "960", "0"] { add { $0.distance = distance } }
        for limits in [
            #"[{"speed": 50}, {"speed": 30, "unit": "mph"}, {"speed": 1, "unit": "m/s"}]"#, #"[{"speed": 50}]"#,
            #"[{"speed": 50}, {"speed": 60}, {"speed": 70}, {"speed": 80}]"#, #"[{"speed": 501}, null, null]"#,
            #"[{"speed": 500}, null, {"none": false, "speed": 7, "unit": "knots"}]"#, #"[{"speed": 1, "unit": "x"}]"#,
        ] { add { $0.annotation = #""maxspeed": \#(limits)"# } }
        add {
            $0.annotation =
                #""maxspeed": [{"speed": 50}, {"speed": 60}], "distance": [300, 362], "duration": [1, 2]"#
        }
        add { $0.annotation = #""duration": [10, null, 40]"# }
        for location in ["[7.4221, 43.731]", "[7.4224, 43.731]", "[43.731, 7.422]", "[7.423, 43.731]"] {
            add { $0.locationOfTurn = location }
        }
        for type in ["turn", "merge", "fork", "rotary", "roundabout", "on ramp", "off ramp", "end of road", "continue"]
        {
            add { $0.types[1] = type }
        }
        add {
            $0.intersections = [
                #"[{"location": [7.42, 43.73]}, {"location": [7.421, 43.731], "classes": ["tunnel"]}]"#,
                #"[{"location": [7.422, 43.731], "classes": [], "lanes": [{"valid": true, "indications": ["slight left"]}]}]"#,
            ]
        }
        #expect(try StoredText.differences(of: told(texts), from: "osrm") == [])
    }

    // MARK: - Points

    @Test func pointsAreReadInAllTheirNames() throws {
        // GIVEN the names of columns, properties and tags that are known, in one file each
        let sets = [
            "LAT;LONG;ELE;@id;Title;desc;vicinity;contact:phone;web;picture;types",
            "latitude;lng;elevation;reference;name;text;addr;telephone;contact:website;image;type",
            "lat_deg;longitude;altitude;osm_id;name;cmt;address;phone;link;image;sym",
            "y;x;alt_m;id;name;note;a;b;url;c;kind",
            "lat;lon_deg;ele_m;id;name;description;a;b;website;c;categories",
        ]
        let row = "42.5 ; 1 .5;100.06;i;t;d;a;p;w;m;A|b B, c;A"
        var lines: [String] = []
        let folder = ImportFolder()
        for (index, names) in sets.enumerated() {
            let short = row.split(separator: ";").dropLast().joined(separator: ";")
            let text = "\(names)\n\(short)\n\n1;2;x\n\(row)\n91;2\n2;181\n"
            let path = folder.write(Array(text.utf8), to: "\(index).csv")
            let (map, report) = try PointImport().open(path: path)
            for number in 0..<map.count {
                let record = try #require(map.point(number))
                lines.append(
                    "\(index) \(number): \(map.details(record)) \(record.heightDecimeters) \(record.categories)")
            }
            lines.append("\(map.categories) \(report.map { "\($0)" } ?? "-")")
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "point-names") == [])
    }

    @Test(
        arguments: [
            ("a,b;c\n1,2\n", [["a", "b;c"], ["1", "2"]]), ("a;b,c;d\n", [["a", "b,c", "d"]]),
            ("a\tb\n 1\t\r\n", [["a", "b"], ["1", ""]]),
            ("\u{FEFF}a,\"b\"\"c\nd\", e \n\n\"x", [["a", "b\"c\nd", "e"], [""], ["x"]]), ("", []), ("a", [["a"]]),
            ("a,\"\"\n", [["a", ""]]), ("\"a\"b,c\"\n\"", [["ab", "c\n"]]),
        ] as [(String, [[String]])])
    func aTableHasItsRows(text: String, expected: [[String]]) {
        var rows = CSVRows(Array(text.utf8))
        var (found, lines): ([[String]], [Int]) = ([], [])
        while let row = rows.next() {
            found.append(row.fields)
            lines.append(row.line)
        }
        #expect(found == expected)
        if expected.count == 3 { #expect(lines == [1, 3, 4]) }
    }
}
