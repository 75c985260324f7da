import Glibc
import RoadData
import RoadMaps
import Testing

@testable import Roads

/// Points of interest in each form: what of a record is read, and what is skipped.
@Suite struct PointFormTests {
    /// The points of a text.
    private func open(_ text: String, _ name: String = "points.txt") throws -> (
        map: PointMap, report: PointImportReport
    ) {
        try open(Array(text.utf8), name)
    }

    private func open(_ bytes: [UInt8], _ name: String) throws -> (map: PointMap, report: PointImportReport) {
        let folder = ImportFolder()
        let path = folder.write(bytes, to: name)
        let (map, report) = try withExtendedLifetime(folder) { try PointImport().open(path: path) }
        return (map, try #require(report))
    }

    private func details(_ map: PointMap) throws -> [PointDetailsCoder.Fields] {
        try (0..<map.count).map { map.details(try #require(map.point($0))) }.sorted { $0.id < $1.id }
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        #expect(throws: ImportProblem.self) { _ = try open(bytes, "x.txt") }?.reason
    }

    // MARK: - GeoJSON

    @Test(arguments: [
        ("[1.5, 42.5]", Int32.min), ("[1.5, 42.5, 1023]", 10_230), ("[1.5, 42.5, 1023, 7]", 10_230),
        ("[1.5, 42.5, null]", .min), ("[1.5, 42.5, -999.9]", -9999), ("[1.5, 42.5, -1000]", .min),
        ("[1.5, 42.5, 19999.9]", 199_999), ("[1.5, 42.5, 20000]", .min),
    ])
    func aPointHasTwoCoordinatesAndMayHaveAHeight(coordinates: String, decimeters: Int32) throws {
        let (map, report) = try open(
            #"{"type": "Feature", "geometry": {"type": "Point", "coordinates": \#(coordinates)}, "properties": {}}"#)
        let record = try #require(map.point(0))
        #expect(report.count == 1 && report.skipped == 0 && record.heightDecimeters == decimeters)
        #expect(abs(map.position(record).latitudeDegrees - 42.5) < 1e-7)
        #expect(try details(map).map(\.id) == ["#1"])
    }

    @Test func recordsThatAreNoPointsHaveTheirReasons() throws {
        let good = #"{"geometry": {"type": "Point", "coordinates": [1.5, 42.5]}, "properties": {}}"#
        let bad = [
            (#"{"geometry": null}"#, "it has no geometry"), ("7", "it has no geometry"),
            (#"{"geometry": {"type": "Point", "coordinates": [1.5]}}"#, "its coordinates are not two numbers"),
            (#"{"geometry": {"type": "Point", "coordinates": ["1", 2]}}"#, "its coordinates are not two numbers"),
            (#"{"geometry": {"type": "Point", "coordinates": 7}}"#, "its coordinates are not two numbers"),
            (#"{"geometry": {"type": "Polygon"}}"#, "its geometry is not a point"),
            (#"{"geometry": {"location": {"lng": 1}}}"#, "it has no latitude that is a number"),
            (#"{"geometry": {"location": {"lat": 1}}}"#, "it has no longitude that is a number"),
            (
                #"{"geometry": {"type": "Point", "coordinates": [2, 91]}}"#, "91.0, 2.0 is not a position on Earth"
            ),
        ]
        for (index, record) in bad.enumerated() {
            let list = Array(repeating: good, count: index) + [record.0, good]
            let (map, report) = try open(#"{"features": [\#(list.joined(separator: ", "))]}"#)
            #expect(map.count == index + 1 && report.skipped == 1)
            #expect(report.reasons == ["record \(index + 1): \(record.1)"])
            // The number of a generated id counts the skipped records too.
            #expect(try details(map).map(\.id).contains("#\(index + 2)"))
        }
    }

    @Test(arguments: [
        ("7", "7"), ("7.5", "7.5"), ("-3", "-3"), ("999999999999999", "999999999999999"), ("1e15", "1000000000000000"),
        ("9007199254740992", "9007199254740992"), ("1e17", "1e+17"), ("\"node/7\"", "node/7"), ("true", "#1"),
        ("null", "#1"), ("\"\"", "#1"),
    ])
    func anIdIsATextOrANumber(value: String, id: String) throws {
        let geometry = #""geometry": {"type": "Point", "coordinates": [1.5, 42.5]}"#
        for text in [
            #"{"type": "Feature", "id": \#(value), \#(geometry)}"#,
            #"{"type": "Feature", \#(geometry), "properties": {"id": \#(value)}}"#,
        ] { #expect(try details(open(text).map).map(\.id) == [id]) }
    }

    @Test func categoriesComeFromListsAndTexts() throws {
        let text = #"""
            {"results": [{"geometry": {"location": {"lat": 42.5, "lng": 1.5}}, "name": "A", "phones": ["1", "2"],
            "types": ["Bar", "caffe", "Bar"], "category": "zoo; ice  cream|BAR,"}]}
            """#
        let map = try open(text).map
        #expect(map.categories == ["bar", "cafe", "zoo", "ice_cream"])
        let fields = try #require(try details(map).first)
        #expect(fields.categories == [0, 1, 2, 3] && fields.title == "A" && fields.phone.isEmpty)
    }

    @Test(arguments: [
        ("Fast Food", 1), ("fast_food", 1), (" fast  food ", 1), ("Caffe", 1), ("cafe", 1), ("fastfood", 0), ("", 0),
    ])
    func aCategoryIsSelectedByItsNameInTheSource(name: String, count: Int) throws {
        // GIVEN points whose source names their categories in two words, and as `caffe`
        let map = try open("name,lat,lon,category\nA,42.5,1.5,Fast Food\nB,42.5,1.5,Caffe").map
        var query = PointQuery()
        query.categories = [name]
        // THEN they are found by that name, and by the one that is stored
        #expect(PointImportTests.hits(map, near: PointImportTests.here, query).total == count)
    }

    // MARK: - OpenStreetMap

    @Test func nodesWithANameAndACategoryArePoints() throws {
        var writer = MapWriter()
        let named = ("name", "A")
        let nodes: [[(String, String)]] = [
            [], [named], [("amenity", "cafe")], [named, ("amenity", "no")], [named, ("highway", "stop")],
            [named, ("amenity", "cafe;bar")], [named, ("shop", "yes")], [("tourism", "museum"), ("name", "B")],
            [named, ("historic", "castle"), ("leisure", "park"), ("natural", "peak")],
        ]
        for (index, tags) in nodes.enumerated() { writer.node(Int64(index) + 1, 42.5, 1.5, tags) }
        let (map, report) = try open(writer.bytes, "x.osm.pbf")
        #expect(report.count == 4 && report.skipped == 0 && report.categories == 7)
        let found = try details(map)
        #expect(found.map(\.id) == ["node/6", "node/7", "node/8", "node/9"])
        let categories = found.map { $0.categories.map { map.categories[Int($0)] } }
        #expect(categories == [["cafe", "bar"], ["shop"], ["museum"], ["castle", "park", "peak"]])
        #expect(found.map(\.title) == ["A", "A", "B", "A"])
    }

    @Test func everyKnownTagOfANodeIsRead() throws {
        var writer = MapWriter()
        writer.node(
            5, 42.5, 1.5,
            [
                ("amenity", "cafe"), ("name", "A"), ("ele", "1023.4"), ("description", "d"), ("phone", "1"),
                ("website", "w"), ("image", "i"), ("addr:street", "Road"), ("addr:housenumber", "7"), ("x", "y"),
            ])
        writer.node(
            6, 42.5, 1.5,
            [
                ("amenity", "cafe"), ("name", "B"), ("ele", "high"), ("contact:phone", "2"),
                ("contact:website", "v"), ("addr:housenumber", "8"),
            ])
        writer.node(7, 42.5, 1.5, [("amenity", "cafe"), ("name", "C"), ("url", "u"), ("addr:street", "Way")])
        let map = try open(writer.bytes, "x.osm.pbf").map
        let found = try details(map)
        #expect(found.map(\.text) == ["d", "", ""] && found.map(\.image) == ["i", "", ""])
        #expect(found.map(\.phone) == ["1", "2", ""] && found.map(\.website) == ["w", "v", "u"])
        #expect(found.map(\.address) == ["Road 7", "8", "Way"])
        let heights = (0..<3).compactMap { map.point($0)?.heightDecimeters }.sorted()
        #expect(heights == [.min, .min, 10_234])
    }

    // MARK: - XML

    @Test func nestedValuesOfAPropertyListAreSkipped() throws {
        let text = """
            <plist><array><dict><key>lat</key><real>42.5</real><key>tags</key><array><string>name</string><dict>
            <key>name</key><string>inner</string></dict></array><key>long</key><real>1.5</real>
            <key>name</key><string>A</string></dict>
            <dict><key>lat</key><real>42.6</real><key>long</key><real>1.6</real><key>name</key><string>B</string></dict>
            </array></plist>
            """
        let (map, report) = try open(text)
        #expect(report.count == 2 && report.skipped == 0)
        #expect(try details(map).map(\.title).sorted() == ["A", "B"])
    }

    @Test func aDictionaryThatIsNoPointHasItsNumber() throws {
        // GIVEN a property list of four dictionaries, of which the second and the last have no longitude WHEN it is
        // read THEN these are told by their numbers
        let good = "<dict><key>lat</key><real>42.5</real><key>long</key><real>1.5</real></dict>"
        let bad = "<dict><key>lat</key><real>42.5</real></dict>"
        let report = try open("<plist><array>\(good)\(bad)\(good)\(bad)</array></plist>").report
        let words = "it has no longitude that is a number"
        #expect(report.count == 2 && report.skipped == 2)
        #expect(report.reasons == ["dictionary 2: \(words)", "dictionary 4: \(words)"])
    }

    @Test func nestedValuesOfAWaypointAreSkipped() throws {
        let text = """
            <gpx><metadata><wpt lat="1" lon="2"><name>no</name></wpt></metadata>
            <wpt lat="42.5" lon="1.5" name="no"><extensions><x><name>inner</name></x></extensions><name>A</name>
            <link href="w"><text>t</text></link><box><desc>inner</desc></box></wpt>
            <rte><rtept lat="1" lon="2"/></rte><wpt lat="42.6" lon="1.6"><name>B</name></wpt></gpx>
            """
        let (map, report) = try open(text)
        #expect(report.count == 2 && report.skipped == 0)
        let found = try details(map)
        #expect(found.map(\.title).sorted() == ["A", "B"])
        let first = try #require(found.first { $0.title == "A" })
        #expect(first.website == "w" && first.text.isEmpty)
        // AND a waypoint that is none has its number
        let bad = try open("<gpx><wpt lat=\"1\" lon=\"2\"/><wpt lat=\"1\"/></gpx>").report
        #expect(bad.reasons == ["waypoint 2: it has no longitude that is a number"])
    }

    @Test func tagsAreNestedUpTo32Deep() throws {
        // GIVEN a waypoint whose extensions are nested WHEN it is read THEN 32 levels of tags are read, and 33 are not
        func text(levels: Int) -> String {
            let inner = String(repeating: "<x>", count: levels - 3) + String(repeating: "</x>", count: levels - 3)
            return "<gpx><wpt lat=\"42.5\" lon=\"1.5\"><name>A</name><extensions>\(inner)</extensions></wpt></gpx>"
        }
        #expect(try details(open(text(levels: 32)).map).map(\.title) == ["A"])
        #expect(reason(Array(text(levels: 33).utf8)) == "tags nested more than 32 deep")
    }

    // MARK: - Files

    @Test func aTextHasAtMost64MiB() throws {
        let folder = ImportFolder()
        let path = folder.write([], to: "x.csv")
        // GIVEN files of zeros, which need no room THEN up to 64 MiB their content is looked at
        for (size, words) in [
            (67_108_865, "has 67108865 bytes, more than the 67108864 allowed for a text file"),
            (67_108_864, "the file is binary"),
        ] {
            #expect(truncate(path, size) == 0)
            let found = #expect(throws: ImportProblem.self) { try PointImport().open(path: path) }
            #expect(found?.reason == words)
        }
    }

    @Test func aZeroInTheFirst512BytesIsBinary() throws {
        for (place, isBinary) in [(3, true), (511, true), (512, false)] {
            var bytes = Array("name,lat,lon\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 600)
            bytes[place] = 0
            bytes += Array(",42.5,1.5\n".utf8)
            if isBinary {
                #expect(reason(bytes) == "the file is binary")
            } else {
                #expect(try open(bytes, "x.csv").map.count == 1)
            }
        }
        for empty in ["", " ", "\n", "\r", "\t", "\u{FEFF}", "\u{FEFF} \n"] {
            #expect(reason(Array(empty.utf8)) == "the file is empty")
        }
    }

    @Test func onePointIsFoundWithinItsDistance() throws {
        // GIVEN a file of one point, which has no box around it THEN it is found up to its distance, with its category
        let map = try open("name,lat,lon,category\nA,42.5,1.5,cafe").map
        #expect(map.count == 1)
        let here = PointImportTests.here
        for (radius, categories, isFound) in [
            (1500.0, [], true), (1500, ["cafe"], true), (1500, ["bar"], false), (0, [], false), (0.01, [], true),
        ] as [(Double, Set<String>, Bool)] {
            var query = PointQuery()
            (query.radiusMeters, query.categories) = (radius, categories)
            let hits = PointImportTests.hits(map, near: here, query)
            #expect(hits.total == (isFound ? 1 : 0) && hits.nearest.map(\.number) == (isFound ? [0] : []))
            // Places are kept to 4 mm.
            #expect(hits.nearest.allSatisfy { $0.distanceMeters < 0.005 })
        }
        #expect(PointImportTests.hits(map, near: .init(latitudeDegrees: 42.6, longitudeDegrees: 1.5)).total == 0)
    }
}
