import BoundedJSON
import Geodesy
import Guidance
import RoadData
import Testing

@Suite struct GPXRouteTests: RouteTexts {
    private func gpx(_ inner: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
        <metadata><name>File &amp; all</name></metadata>
        \(inner)
        </gpx>
        """
    }

    private let track = """
        <trk><name>A &lt; B</name><trkseg>
        <trkpt lat="48" lon="11"><ele>500</ele><time>2026-01-01T00:00:00Z</time></trkpt>
        <trkpt lat="48.01" lon="11"><ele>600.5</ele></trkpt>
        <trkpt lon='11.01' lat='48.01'/>
        </trkseg></trk>
        """

    @Test func trackGivesLineHeightsAndBends() throws {
        // GIVEN a track of three points, two of them with a height
        let reading = try read(gpx(track))
        let route = reading.route
        // THEN points, heights and bends are read
        #expect(reading.format == .gpx)
        #expect(reading.notes == [])
        #expect(route.name == "A < B")
        #expect(route.vertexCount == 3)
        #expect(abs(route.lengthMeters - 1112.0 - 745.9) < 1)
        #expect(route.maneuvers.map(\.kind) == [.bend, .arrive])
        #expect(route.elevationMeters(alongMeters: 0) == 500)
        #expect(abs((route.elevationMeters(alongMeters: 556) ?? 0) - 550.25) < 0.1)
        #expect(route.elevationMeters(alongMeters: 1500) == nil, "the last point does not tell")
    }

    @Test func recorderPausesAreBridgedAndOtherTracksSkipped() throws {
        let reading = try read(
            gpx(
                """
                <trk/><trk><trkseg><trkpt lat="48" lon="11"/><trkpt lat="48.001" lon="11"/></trkseg>
                <trkseg><trkpt lat="48.002" lon="11"/></trkseg><trkseg/></trk>\(track)
                """))
        #expect(reading.route.vertexCount == 3)
        #expect(reading.notes == ["used the first of 3 tracks"])
    }

    @Test(arguments: ["", "<name/>", "<name> </name>"]) func aLineWithoutANameHasThatOfTheFile(name: String) throws {
        // GIVEN a track and a route without a name
        let points = #"<trkpt lat="48" lon="11"/><trkpt lat="48.01" lon="11"/>"#
        let route = points.replacing("trkpt", with: "rtept")
        let track = "<trk>\(name)<trkseg>\(points)</trkseg></trk>"
        // THEN the name of a track is that of the route with it
        #expect(try read(gpx("\(track)<rte><name>Home</name>\(route)</rte>")).route.name == "Home")
        for line in [track, "<rte>\(name)\(route)</rte>"] {
            // AND otherwise that of the file, in GPX 1.1 and in GPX 1.0, and not that of the file's author
            #expect(try read(gpx(line)).route.name == "File & all")
            #expect(try read("<gpx><name>Old</name>\(line)</gpx>").route.name == "Old")
            let author = "<metadata><author><name>Me</name></author></metadata>"
            #expect(try read("<gpx>\(author)\(line)</gpx>").route.name == nil)
        }
    }

    @Test func ofTwoTracksOrRoutesTheFirstIsUsed() throws {
        // GIVEN a track twice, and a route twice WHEN they are read THEN it is told that the first one is used
        let route = #"<rte><rtept lat="48" lon="11"/><rtept lat="48.01" lon="11"/></rte>"#
        #expect(try read(gpx(track + track)).notes == ["used the first of 2 tracks"])
        #expect(try read(gpx(route + route)).notes.contains("used the first of 2 routes"))
        // AND of a single one nothing is told
        #expect(try !read(gpx(track)).notes.contains { $0.contains("first of") })
        #expect(try !read(gpx(route)).notes.contains { $0.contains("first of") })
    }

    @Test func routePointsBecomeManeuvers() throws {
        // GIVEN a route with turns in the common notations
        let reading = try read(
            gpx(
                """
                <rte><name>Home</name>
                <rtept lat="48" lon="11"><desc>Start</desc></rtept>
                <rtept lat="48.01" lon="11"><name>Main St</name><desc>Turn right &#8594; Main St</desc><extensions><osmand:turn>TR</osmand:turn></extensions></rtept>
                <rtept lat="48.01" lon="11.01"><cmt><![CDATA[2nd exit <here>]]></cmt><extensions><time>9</time><turn>RNDB2</turn></extensions></rtept>
                <rtept lat="48.01" lon="11.02"/>
                <rtept lat="48.02" lon="11.02"><desc>Arrive</desc></rtept>
                </rte>
                """))
        let maneuvers = reading.route.maneuvers
        // THEN they are maneuvers with unchanged texts
        #expect(reading.route.name == "Home")
        #expect(maneuvers.map(\.kind) == [.depart, .turn, .roundabout, .arrive])
        #expect(maneuvers[1].modifier == .right)
        #expect(maneuvers[1].instruction == "Turn right → Main St")
        #expect(maneuvers[1].roadName == "Main St")
        #expect(abs(maneuvers[1].alongMeters - 1112) < 1)
        #expect(maneuvers[2].exit == 2)
        #expect(maneuvers[2].instruction == "2nd exit <here>")
    }

    @Test func routePointsAreMatchedToTheTrack() throws {
        let turn =
            #"<rte><rtept lat="48.0101" lon="11.0002"><desc>Right</desc></rtept><rtept lat="48.01" lon="11.01"><desc>There</desc></rtept></rte>"#
        let route = try read(gpx(turn + track)).route
        #expect(route.maneuvers.map(\.instruction) == ["Right", "There"])
        #expect(abs(route.maneuvers[0].alongMeters - 1112) < 1)
        // A route far from the track is skipped with a note; one that leaves the track is refused at that point.
        #expect(try read(gpx(turn.replacing("lat=\"48.0", with: "lat=\"49.0") + track)).notes.count == 1)
        let off = problem(gpx(turn.replacing("lon=\"11.01\"", with: "lon=\"11.1\"") + track))
        #expect(off?.path == "gpx.rte[0].rtept[1]")
        #expect(off?.description.contains("more than 50 m from the track") == true)
    }

    @Test func shapePointsBelongToTheLineAndOthersAreWaypoints() throws {
        let reading = try read(
            gpx(
                """
                <rte><rtept lat="48" lon="11"><extensions><gpxx:RoutePointExtension>
                <gpxx:rpt lat="48.005" lon="11.001"/><gpxx:rpt lat="48.006" lon="11.001"></gpxx:rpt></gpxx:RoutePointExtension></extensions></rtept>
                <rtept lat="48.01" lon="11"><name>Via</name></rtept><rtept lat="48.02" lon="11"/></rte>
                """))
        #expect(reading.route.vertexCount == 5)
        #expect(reading.route.maneuvers.map(\.kind) == [.arrive, .arrive])
        #expect(reading.route.maneuvers[0].instruction == "Via")
    }

    /// The replaced text, its replacement, the expected location, and a part of the expected message.
    static let spoiled: [(String, String, String, String)] = [
        ("lat=\"48.01\" lon=\"11\"", "lat=\"111\" lon=\"48\"", "gpx.trk[0].trkseg[0].trkpt[1]", "look reversed"),
        ("lat=\"48.01\" lon=\"11\"", "lat=\"5334764\" lon=\"691608\"", "gpx.trk[0].trkseg[0].trkpt[1]", "not degrees"),
        ("lat=\"48.01\" lon=\"11\"", "lat=\"NaN\" lon=\"11\"", "gpx.trk[0].trkseg[0].trkpt[1].lat", "not a number"),
        ("lat=\"48.01\" lon=\"11\"", "lat=\"48,01\" lon=\"11\"", "gpx.trk[0].trkseg[0].trkpt[1].lat", "not a number"),
        ("lat=\"48.01\" lon=\"11\"", "lat=\"48.01\"", "gpx.trk[0].trkseg[0].trkpt[1]", "has no lon"),
        ("lat=\"48.01\" lon=\"11\"", "lat=48.01 lon=\"11\"", "", "quotes"),
        ("lat=\"48.01\" lon=\"11\"", "lat=\"48.01 lon=\"11\"", "", "quotes"),
        ("<ele>600.5</ele>", "<ele>high</ele>", "gpx.trk[0].trkseg[0].trkpt[1].ele", "not a number"),
        ("<ele>600.5</ele>", "<ele>600.5</elf>", "", "</elf> closes <ele>"),
        ("</trkseg></trk>", "</trk>", "", "</trk> closes <trkseg>"),
        ("<trk>", "<!DOCTYPE x [<!ENTITY a \"b\">]><trk>", "", "document types"),
        ("A &lt; B", "A &nbsp; B", "", "entity"), ("A &lt; B", "A & B", "", "entity"),
        ("A &lt; B", "A &#0; B", "", "entity"),
        ("encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\"", "", "iso-8859-1"), ("<gpx ", "<kml ", "", "KML"),
        ("</gpx>", "", "", "before </gpx>"), ("</gpx>", "</gpx><gpx/>", "", "second outermost"),
        ("</gpx>", "</gpx>x", "", "outside"),
        (
            "<trkpt lat=\"48.01\" lon=\"11\">", "</trkseg><trkseg><trkpt lat=\"48.01\" lon=\"11\">",
            "gpx.trk[0].trkseg[1].trkpt[0]", "starts 1112 m"
        ),
    ]

    @Test(arguments: GPXRouteTests.spoiled.indices)
    func problemsHaveALocation(index: Int) {
        let (good, bad, path, word) = GPXRouteTests.spoiled[index]
        var text = gpx(track)
        #expect(text.contains(good))
        text = text.replacing(good, with: bad, maxReplacements: 1)
        let found = problem(text)
        #expect(found?.path == path, "\(String(describing: found))")
        #expect(found?.description.contains(word) == true, "\(String(describing: found))")
        #expect((found?.line ?? 0) > 0 && found?.remedy.isEmpty == false)
    }

    @Test func truncatedFileIsRefused() {
        let whole = gpx(track)
        for length in 1..<(whole.utf8.count - 1) {
            #expect(problem(String(decoding: whole.utf8.prefix(length), as: UTF8.self)) != nil, "\(length) bytes")
        }
    }

    @Test func tooFewPointsAreRefused() {
        for inner in ["", "<wpt lat=\"1\" lon=\"1\"/>", "<trk><trkseg><trkpt lat=\"1\" lon=\"1\"/></trkseg></trk>"] {
            #expect(problem(gpx(inner))?.description.contains("at least two") == true)
        }
        let same = "<rte>" + String(repeating: "<rtept lat=\"1\" lon=\"1\"/>", count: 5) + "</rte>"
        #expect(problem(gpx(same))?.description.contains("1 distinct point") == true)
    }

    @Test func deepAndHugeTextsAreRefusedAtOnce() {
        #expect(problem(gpx(String(repeating: "<a>", count: 100_000)))?.reason.contains("more than 64 deep") == true)
        #expect(
            problem("<gpx " + (0..<100).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>")?.reason
                == "too many attributes")
        #expect(problem("<" + String(repeating: "g", count: 1_000_000) + "/>")?.reason.contains("name") == true)
        var limits = JSONLimits.routeFile
        limits.maximumEntries = 40
        let many = gpx("<rte>" + String(repeating: "<rtept lat=\"1\" lon=\"1\"/>", count: 50) + "</rte>")
        #expect(problem(many, limits: limits)?.reason == "more than 10 points")
    }

    @Test(arguments: [(10, nil), (11, "more than 10 points")] as [(Int, String?)])
    func aLineHasAQuarterOfTheTagsAsPoints(count: Int, reason: String?) {
        // GIVEN 40 tags at most, which allow ten points WHEN a route or a track has ten of them, or one more THEN only
        // the first is read
        var limits = JSONLimits.routeFile
        limits.maximumEntries = 40
        for (list, point) in [("rte", "rtept"), ("trkseg", "trkpt")] {
            let points = (10..<(10 + count)).map { "<\(point) lat=\"48.0\($0)\" lon=\"11\"/>" }.joined()
            let line = "<\(list)>\(points)</\(list)>"
            let text = "<gpx>" + (list == "rte" ? line : "<trk>\(line)</trk>") + "</gpx>"
            #expect(problem(text, limits: limits)?.reason == reason, "\(list)")
        }
    }

    @Test func noiseNeverTraps() {
        expectNoiseIsHarmless(
            gpx(track + "<rte><rtept lat=\"48\" lon=\"11\"><cmt><![CDATA[x]]></cmt></rtept></rte>"), seed: 5)
    }
}
