import Geodesy
import Glibc
import PoseMath
import RoadData
import RoadMaps
import SeededNumbers
import Testing

@testable import Roads

@Suite struct PointImportTests {
    static let here = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)

    static func hits(_ map: PointMap, near place: GeodeticPosition = here, _ query: PointQuery = PointQuery())
        -> PointHits
    {
        var hits = PointHits()
        hits.search(map, near: place, query)
        return hits
    }

    static func titles(_ map: PointMap, _ hits: PointHits) -> [String] {
        hits.nearest.map { map.point($0.number).map { map.details($0).title } ?? "?" }
    }

    static func open(_ text: String, _ name: String = "points.txt") throws -> (map: PointMap, report: PointImportReport)
    {
        let folder = ImportFolder()
        let path = folder.write(Array(text.utf8), to: name)
        let report = try PointImport().run(from: path, to: folder.path + "/points.posed")
        let (map, own) = try PointImport().open(path: path)
        // Importing to a file and to memory gives the same points.
        let mapped = try PointImport().open(path: folder.path + "/points.posed").map
        #expect(mapped.count == map.count && own?.count == report.count && own?.skipped == report.skipped)
        return (map, report)
    }

    /// GIVEN each format WHEN read THEN position, name, categories, height and details are read, and invalid records
    /// are skipped, counted and named.
    @Test(arguments: [
        """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1.5,42.501,1023]},"properties":{"name":"Café Sol","category":"caffe;Bar","phone":"+376 1"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[1.5,95]},"properties":{"name":"Nowhere"}},
        {"type":"Feature","geometry":{"type":"LineString","coordinates":[[1.5,42.5],[1.6,42.5]]},"properties":{"name":"A road"}},
        {"type":"Feature","geometry":null,"properties":{}}]}
        """,
        """
        <?xml version="1.0"?><gpx version="1.1"><wpt lat="42.501" lon="1.5"><ele>1023</ele><name>Café Sol</name><type>caffe;Bar</type><phone>+376 1</phone></wpt>
        <wpt lat="95" lon="1.5"><name>Nowhere</name></wpt><wpt lon="1.5"><name>A road</name></wpt><wpt lat="x" lon="1.5"/><trk><trkseg><trkpt lat="1" lon="1"/></trkseg></trk></gpx>
        """,
        "id;name;lat;lon;category;alt;phone\r\n7;\"Café Sol\";42.501;1.5;\"caffe,Bar\";1023;+376 "
            + "1\r\n8;Nowhere;95;1.5;;;\r\n9;A road;;1.5;;;\r\n\r\n10;x;y;z;;;\r\n",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><array><dict><key>name</key><string>Café Sol</string><key>lat</key><real>42.501</real><key>long</key><real>1.5</real>
        <key>alt</key><integer>1023</integer><key>category</key><string>caffe;Bar</string><key>phone</key><string>+376 1</string></dict>
        <dict><key>name</key><string>Nowhere</string><key>lat</key><real>95</real><key>long</key><real>1.5</real></dict>
        <dict><key>name</key><string>A road</string></dict><dict><key>lat</key><string>north</string><key>long</key><real>1</real></dict></array></plist>
        """,
    ])
    func forms(text: String) throws {
        let (map, report) = try Self.open(text)
        #expect(report.count == 1 && report.skipped == 3 && report.reasons.count == 3 && report.categories == 2)
        let record = try #require(map.point(0))
        let fields = map.details(record)
        #expect(
            fields.title == "Café Sol" && fields.phone == "+376 1" && !fields.id.isEmpty
                && record.heightDecimeters == 10_230)
        #expect(fields.categories.map { map.categories[Int($0)] } == ["cafe", "bar"])
        // Positions are stored with a resolution of 4 mm.
        #expect(
            abs(map.position(record).latitudeDegrees - 42.501) < 1e-7
                && abs(map.position(record).longitudeDegrees - 1.5) < 1e-7)
    }

    /// GIVEN a property list with the seven keys WHEN read THEN picture, text and web address are read.
    @Test func sevenKeys() throws {
        let text = """
            <plist version="1.0"><array><dict><key>name</key><string>Torre di Pisa</string><key>lat</key><real>43.72306</real><key>long</key><real>10.39639</real>
            <key>alt</key><integer>18</integer><key>image</key><string>leaningtower.png</string><key>description</key><string>La Torre &amp; più</string>
            <key>url</key><string>http://www.opapisa.it/</string></dict></array></plist>
            """
        let (map, _) = try Self.open(text)
        let fields = map.details(try #require(map.point(0)))
        #expect(
            fields.image == "leaningtower.png" && fields.text == "La Torre & più"
                && fields.website == "http://www.opapisa.it/")
    }

    /// GIVEN the response of a places service WHEN read THEN its results are points, also those without optional
    /// fields.
    @Test func placesAnswer() throws {
        let text = """
            {"results":[{"geometry":{"location":{"lat":-33.867217,"lng":151.195939}},"name":"A","types":["cafe","bar"],"vicinity":"5 Street"},
            {"geometry":{"location":{"lat":-33.8672,"lng":151.196}}},{"geometry":{"location":{}}}]}
            """
        let (map, report) = try Self.open(text)
        #expect(report.count == 2 && report.skipped == 1)
        let from = GeodeticPosition(latitudeDegrees: -33.8670522, longitudeDegrees: 151.1957362)
        let first = try #require(
            Self.hits(map, near: from).nearest.first { map.details(map.point($0.number) ?? .init()).title == "A" })
        // WGS 84: 26.1966 m.
        #expect(abs(first.distanceMeters - 26.1966) < 0.01)
    }

    /// GIVEN many points WHEN queried THEN the result equals a linear search: total, order, count, categories.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func queryMatchesLinearSearch(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var rows = ["id,lat,lon,category"]
        var all: [(id: String, place: GeodeticPosition, category: String)] = []
        let kinds = (0..<(seed % 2 == 0 ? 5 : 90)).map { "kind\($0)" }
        for index in 0..<4000 {
            // Half of them dense, half sparse; one latitude across the antimeridian.
            let spread = index % 2 == 0 ? 0.002 : 0.05
            let latitude = (42.5 + (random.uniform() - 0.5) * spread) * (seed == 3 ? 1.9 : 1)
            var longitude = (seed == 4 ? 180.0 : 1.5) + (random.uniform() - 0.5) * spread
            if longitude > 180 { longitude -= 360 }
            let kind = kinds[Int(random.uniform() * Double(kinds.count))]
            rows.append("p\(index),\(latitude),\(longitude),\(kind)")
            all.append(("p\(index)", GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude), kind))
        }
        let (map, _) = try Self.open(rows.joined(separator: "\n"))
        for _ in 0..<20 {
            let here = all[Int(random.uniform() * 4000)].place
            var query = PointQuery()
            query.radiusMeters = 50 + random.uniform() * 3000
            query.count = 1 + Int(random.uniform() * 100)
            query.categories = random.uniform() < 0.5 ? [] : [kinds[1], kinds[2], "none of these"]
            let origin = here.ecefMeters
            var expected: [(id: String, distance: Double)] = []
            for point in all where query.categories.isEmpty || query.categories.contains(point.category) {
                let distance = (QuantizedPoint(meters: point.place.ecefMeters).meters - origin).length
                if distance <= query.radiusMeters { expected.append((point.id, distance)) }
            }
            expected.sort { a, b in a.distance == b.distance ? a.id < b.id : a.distance < b.distance }
            let hits = Self.hits(map, near: here, query)
            #expect(hits.total == expected.count)
            let found = hits.nearest.map { map.details(map.point($0.number) ?? .init()).id }
            #expect(found == expected.prefix(query.count).map { $0.id })
        }
    }

    /// GIVEN points at one position WHEN queried THEN ties are in the order of their ids; of 101 points the nearest 100
    /// and the total are returned.
    @Test func tiesAndCount() throws {
        let rows = ["id,lat,lon"] + (0...100).map { "z\(200 - $0),42.5,1.5" }
        let (map, _) = try Self.open(rows.joined(separator: "\n"))
        let hits = Self.hits(map)
        #expect(hits.total == 101 && hits.nearest.count == 100)
        #expect(hits.nearest.map { map.details(map.point($0.number) ?? .init()).id } == (100...199).map { "z\($0)" })
    }

    /// GIVEN a radius WHEN a point is just inside or outside THEN it is found or not; an unknown category and an empty
    /// map give no result.
    @Test func edges() throws {
        let frame = LocalFrame(origin: Self.here)
        let inside = frame.position(ofENUMeters: Vector3(1499.9, 0, 0))
        let outside = frame.position(ofENUMeters: Vector3(0, 1500.2, 0))
        let text =
            "name,lat,lon,category\nin,\(inside.latitudeDegrees),\(inside.longitudeDegrees),cafe\nout,"
            + "\(outside.latitudeDegrees),\(outside.longitudeDegrees),cafe"
        let (map, _) = try Self.open(text)
        #expect(Self.titles(map, Self.hits(map)) == ["in"])
        var query = PointQuery()
        query.categories = ["zoo"]
        #expect(Self.hits(map, query).total == 0)
        query.categories = ["zoo", "cafe"]
        #expect(Self.hits(map, query).total == 1)
        // Upper and lower case do not matter, neither in the data nor in the query.
        query.categories = ["CaFe"]
        #expect(Self.hits(map, query).total == 1)
        let (mixed, _) = try Self.open(text.replacingOccurrences(of: ",cafe", with: ",Cafe"))
        for name in ["cafe", "CAFE", "Cafe"] {
            query.categories = [name]
            #expect(Self.hits(mixed, query).total == 1, "\(name)")
        }
        #expect(Self.hits(map, near: GeodeticPosition(latitudeDegrees: -42, longitudeDegrees: 0)).total == 0)
        #expect(Self.hits(map, near: GeodeticPosition(latitudeDegrees: .nan, longitudeDegrees: 0)).total == 0)
    }

    /// GIVEN texts without points WHEN read THEN there is one problem that names their content.
    @Test(arguments: [
        "", "   \n", "{\"type\":\"Feature", "{\"a\":1}", "<kml></kml>", "<plist><array></array></plist>",
        "name,place\na,b", "lat,lon\n",
        "{\"features\":7}",
    ])
    func noPoints(text: String) {
        let folder = ImportFolder()
        let path = folder.write(Array(text.utf8), to: "x.txt")
        #expect(throws: ImportProblem.self) { try PointImport().run(from: path, to: folder.path + "/y.posed") }
        #expect(folder.files == ["x.txt"])
    }

    /// GIVEN a point file with any byte changed WHEN opened THEN it is refused, and querying it anyway never traps.
    @Test func nonFileTargetIsKept() throws {
        // GIVEN a pipe as target WHEN points are imported THEN the import is refused with its name, and the pipe is
        // unchanged
        let folder = ImportFolder()
        let source = folder.write(Array("name;lat;lon\nhere;42.5;1.5\n".utf8), to: "points.csv")
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let problem = #expect(throws: ImportProblem.self) { try PointImport().run(from: source, to: pipe) }
        #expect(problem?.description.contains(pipe) == true)
        var status = stat()
        #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func damaged() throws {
        let folder = ImportFolder()
        let rows = ["id,lat,lon,category"] + (0..<300).map { "p\($0),\(42.5 + Double($0) * 1e-5),1.5,kind\($0 % 70)" }
        let path = folder.write(Array(rows.joined(separator: "\n").utf8), to: "p.csv")
        _ = try PointImport().run(from: path, to: folder.path + "/p.posed")
        let good = folder.read("p.posed")
        for offset in stride(from: 0, to: good.count, by: 11) {
            var changed = good
            changed[offset] ^= 0xFF
            if let map = try? PointMap(TestRegion(changed)) { _ = Self.hits(map) }
            // Only the padding between sections is not covered by a checksum.
            let opened = try? PointImport().open(path: folder.write(changed, to: "q.posed"))
            if opened != nil { #expect(good[offset] == 0) }
        }
    }

    /// GIVEN the extract of a country WHEN its points are imported THEN they have names and categories.
    @Test(.enabled(if: SharedFiles.andorra != nil, "the extract of Andorra is not here"))
    func fromExtract() throws {
        let folder = ImportFolder()
        let report = try PointImport().run(from: try #require(SharedFiles.andorra), to: folder.path + "/points.posed")
        let map = try PointImport().open(path: folder.path + "/points.posed").map
        #expect(report.count == map.count && map.count > 200 && map.categories.contains("restaurant"))
        let hits = Self.hits(map, near: GeodeticPosition(latitudeDegrees: 42.5075, longitudeDegrees: 1.5218))
        #expect(hits.total > 5 && !Self.titles(map, hits).contains(""), "\(hits.total)")
    }
}
