import BoundedJSON
import Foundation
import RoadData
import Testing

/// Hostile input, in every format that can express it.
@Suite struct HostileRouteTests: RouteTexts {
    private static func gpx(_ points: [(Double, Double)]) -> String {
        let inner = points.map { "<trkpt lat=\"\($0.1)\" lon=\"\($0.0)\"/>" }.joined()
        return "<gpx version=\"1.1\"><trk><trkseg>\(inner)</trkseg></trk></gpx>"
    }

    private static func geoJSON(_ points: [(Double, Double)]) -> String {
        #"{"type": "LineString", "coordinates": [\#(points.map { "[\($0.0), \($0.1)]" }.joined(separator: ", "))]}"#
    }

    private static func osrm(_ points: [(Double, Double)]) -> String {
        #"{"code": "Ok", "routes": [{"distance": 0, "duration": 10, "legs": [], "geometry": \#(geoJSON(points))}]}"#
    }

    private static func valhalla(_ points: [(Double, Double)]) -> String {
        var maker = ResponseMaker()
        maker.precision = 1e6
        return """
            {"trip": {"units": "kilometers", "status": 0, "summary": {"time": 10}, "legs": [{"shape": \(maker.geometry(points)), "maneuvers": [
            {"type": 4, "begin_shape_index": \(points.count - 1), "end_shape_index": \(points.count - 1), "time": 0}]}]}}
            """
    }

    static let forms: [(String, @Sendable ([(Double, Double)]) -> String)] = [
        ("gpx", { gpx($0) }), ("geojson", { geoJSON($0) }), ("osrm", { osrm($0) }), ("valhalla", { valhalla($0) }),
    ]

    /// GIVEN a text of as many bytes as are allowed, and of one more WHEN read THEN only the first is a route.
    @Test(arguments: HostileRouteTests.forms.indices)
    func aTextHasTheBytesThatAreAllowed(index: Int) {
        let text = HostileRouteTests.forms[index].1([(7.42, 43.73), (7.43, 43.73)])
        let bytes = text.utf8.count
        for (maximum, isRead) in [(bytes, true), (bytes - 1, false)] {
            let limits = JSONLimits(maximumBytes: maximum, maximumDepth: 32, maximumEntries: 1000)
            let found = problem(text, limits: limits)
            #expect((found == nil) == isRead)
            #expect(isRead || found?.reason.contains("\(bytes)") == true, "\(found?.reason ?? "")")
        }
    }

    /// GIVEN a line of one point, or of one point repeated WHEN read THEN it is refused, and the message gives the
    /// number of points.
    @Test(arguments: HostileRouteTests.forms.indices)
    func singlePointIsRefused(index: Int) {
        let (name, format) = HostileRouteTests.forms[index]
        for count in [1, 2, 1000] {
            let found = problem(format(Array(repeating: (7.42, 43.73), count: count)))
            #expect(found != nil, "\(name), \(count) points: \(String(describing: found))")
            #expect(found?.remedy.isEmpty == false)
            let says = found?.description ?? ""
            #expect(
                ["two", "distinct", "1 position", "1 point;"].contains { says.contains($0) },
                "\(name), \(count): \(says)")
        }
    }

    /// GIVEN every point three times, so steps of zero length WHEN read THEN the line has the distinct points.
    @Test(arguments: HostileRouteTests.forms.indices)
    func duplicatePointsAreMerged(index: Int) throws {
        let (name, format) = HostileRouteTests.forms[index]
        let points = [(7.42, 43.73), (7.421, 43.731), (7.422, 43.731)]
        let whole = try RouteReader.read(bytes: Array(format(points).utf8)).route
        let thrice = try RouteReader.read(bytes: Array(format(points.flatMap { [$0, $0, $0] }).utf8)).route
        #expect(thrice.vertexCount == 3 && whole.vertexCount == 3, "\(name)")
        // The same vertices: the same length except for the rounding of the sum.
        #expect(abs(thrice.lengthMeters - whole.lengthMeters) < 1e-6)
    }

    /// GIVEN exchanged coordinates WHEN the latitude is out of range THEN the message says so, with the location.
    @Test(arguments: HostileRouteTests.forms.indices)
    func reversedCoordinatesAreNamed(index: Int) {
        let (name, format) = HostileRouteTests.forms[index]
        let found = problem(format([(43.7, 107.42), (43.7, 107.43)]))
        #expect(found?.description.contains("reversed") == true, "\(name): \(String(describing: found))")
        #expect(found?.path.isEmpty == false)
    }

    /// GIVEN 100,000 nested brackets, objects or elements where each format reads WHEN read THEN the 65th level is
    /// refused.
    @Test(arguments: [
        #"{"type": "LineString", "coordinates": "#, #"{"code": "Ok", "routes": [{"legs": [{"steps": "#,
        #"{"trip": {"legs": [{"maneuvers": "#, "",
    ])
    func deepNestingIsRefused(head: String) {
        for bracket in ["[", "{\"a\":"] {
            let found = problem(head + String(repeating: bracket, count: 100_000))
            #expect(found?.description.contains("more than 64 deep") == true, "\(head): \(String(describing: found))")
            // The location is that of the 65th level, near the start: the rest was not read.
            #expect((found?.column ?? .max) < head.utf8.count + 65 * 8)
        }
    }

    /// GIVEN texts of 100 MB WHEN read THEN they are refused by their size without being parsed.
    @Test func hugeTextsAreRefusedByTheirSize() {
        for head in ["{\"type\": \"LineString\", \"coordinates\": [", "<gpx><trk>", "{\"routes\": [", "{\"trip\": {"] {
            var bytes = [UInt8](repeating: UInt8(ascii: " "), count: 100_000_000)
            bytes.replaceSubrange(0..<head.utf8.count, with: Array(head.utf8))
            do throws(RouteDataProblem) {
                _ = try RouteReader.read(bytes: bytes)
                Issue.record("\(head) was read")
            } catch {
                #expect(error.description.contains("64000000"), "\(error.description)")
            }
        }
    }

    /// GIVEN a text of the maximum size with as many values as fit WHEN read THEN it is refused when the limit of
    /// values is reached.
    @Test func manyValuesAreRefusedAtTheirBound() {
        var limits = JSONLimits.routeFile
        limits.maximumEntries = 1000
        let found = problem(
            #"{"type": "LineString", "coordinates": ["# + String(repeating: "0,", count: 100_000) + "0]}",
            limits: limits)
        #expect(found?.description.contains("1000") == true, "\(String(describing: found))")
        // Every value has two bytes here: reading stopped there.
        #expect((found?.column ?? .max) < 3000)
        // All tags count, including unknown ones.
        let tags = problem(
            "<gpx><trk><trkseg>" + String(repeating: "<a/>", count: 100_000) + "</trkseg></trk></gpx>", limits: limits)
        #expect(tags?.reason == "more than 1000 tags", "\(String(describing: tags))")
        #expect((tags?.column ?? .max) < 4100)
    }
}
