import BoundedJSON
import RoadData
import Testing

/// How the form of a route is detected, and the words for what is none.
@Suite struct RouteFormTests: RouteTexts {
    private func reason(_ bytes: [UInt8]) -> String? {
        #expect(throws: RouteDataProblem.self) { try RouteReader.read(bytes: bytes) }?.reason
    }

    @Test func aZeroInTheFirst512BytesIsBinary() {
        // GIVEN a text with a zero byte at a place THEN it is binary within the first 512 bytes; after them the text is
        // wrong where it is
        for (place, isBinary) in [(0, true), (511, true), (512, false), (600, false)] {
            var bytes = Array("{\"type\": \"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 700)
            bytes[place] = 0
            let found = reason(bytes)
            #expect((found == "the file is binary, or in UTF-16") == isBinary, "\(place): \(found ?? "")")
        }
    }

    @Test func blanksAreSkippedBeforeTheFirstSign() throws {
        let line = #"{"type": "LineString", "coordinates": [[11, 48], [11, 48.01]]}"#
        let gpx =
            "<gpx><trk><trkseg><trkpt lat=\"48\" lon=\"11\"/><trkpt lat=\"48.01\" lon=\"11\"/></trkseg></trk></gpx>"
        for blank in [" ", "\n", "\r\n", "\t", " \t\r\n ", "\u{FEFF}", "\u{FEFF} \n"] {
            #expect(try read(blank + line).format == .geoJSON)
            #expect(try read(blank + gpx).format == .gpx)
            #expect(reason(Array((blank + "abc").utf8)) == "the file is neither JSON nor GPX")
        }
        for empty in ["", " ", "\n", "\r", "\t", " \t\r\n "] {
            #expect(reason(Array(empty.utf8)) == "the file is empty")
        }
        // AND a space that cannot be seen does not hide the form: the text is wrong as XML
        let hidden = problem("\u{200B}" + gpx)
        #expect(hidden != nil && hidden?.reason != problem("\u{200B}" + line)?.reason)
    }

    @Test func compressedFilesAreNamed() {
        for head in [[0x1F, 0x8B, 8], [0x50, 0x4B, 3, 4]] as [[UInt8]] {
            #expect(reason(head + Array("{[<".utf8)) == "the file is compressed")
        }
        #expect(reason([0x50, 0x4B, 3, 5] + Array("abc".utf8)) == "the file is neither JSON nor GPX")
    }

    @Test(arguments: [
        (#"{"error_code": 171, "error": "No edges"}"#, "the router answered 171: No edges"),
        (#"{"code": "NoRoute"}"#, "the router answered NoRoute"),
        (#"{"code": "NoRoute", "message": "Impossible"}"#, "the router answered NoRoute: Impossible"),
        (#"{"code": "Ok", "routes": []}"#, "is empty"),
        (#"{"trip": {"status": 442}}"#, "the router answered with status 442"),
        (#"{"trip": {"status": 442, "status_message": "No path"}}"#, "the router answered with status 442: No path"),
        (#"{"trip": {"legs": []}}"#, "is empty"),
        (#"{"type": "LineString", "coordinates": [[1, 2]]}"#, "has 1 position"),
        (#"{"type": "LineString", "coordinates": []}"#, "has 0 positions"),
        (#"{"type": "LineString", "coordinates": [[1, 2], [1, 2]]}"#, "has 1 distinct point"),
        ("<gpx/>", "has 0 points in its tracks and routes"),
        ("<gpx><rte><rtept lat=\"1\" lon=\"2\"/></rte></gpx>", "has 1 point in its tracks and routes"),
        (
            "<gpx><rte><rtept lat=\"1\" lon=\"2\"/><rtept lat=\"1\" lon=\"2\"/></rte></gpx>", "has 1 distinct point"
        ),
        (#"{"error": "x"}"#, "neither"), ("[]", "an object"),
    ])
    func whatIsNoRouteHasItsWords(text: String, words: String) {
        let found = problem(text)?.reason ?? ""
        #expect(["neither", "an object"].contains(words) ? found.contains(words) : found == words, "\(found)")
    }

    @Test func aTripWithoutUnitsIsInKilometers() throws {
        // GIVEN a trip of 1306 m in kilometres, which are not stated THEN its length is right, and there is no note
        var maker = TripMaker()
        (maker.length, maker.extra) = (1.306, #""elevation_interval": 100, "elevation": [400, 500, 600],"#)
        let text = maker.json.replacing(#""units": "kilometers", "#, with: "")
        #expect(!text.contains("units"))
        let reading = try read(text)
        #expect(reading.notes == ["duplicate points dropped: 1"])
        #expect(reading.route.elevationMeters(alongMeters: 0) == 400)
        // AND half of it is not
        maker.length = 0.653
        let other = maker.json.replacing(#""units": "kilometers", "#, with: "")
        #expect(problem(other)?.path == "trip.summary.length")
    }
}
