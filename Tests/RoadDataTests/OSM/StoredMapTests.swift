import Geodesy
import Glibc
import PoseMath
import RoadData
import RoadMaps
import StoredTexts
import Testing

@testable import Roads

/// Files of roads and points, byte for byte: programs of other releases read them.
@Suite struct StoredMapTests {
    /// The bytes of a file as lines of 32 in hexadecimal digits, equal lines once.
    private static func dump(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return stride(from: 0, to: bytes.count, by: 32).map { start in
            let line = bytes[start..<min(start + 32, bytes.count)]
            return "\(start): " + String(line.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        }.joined(separator: "\n")
    }

    /// Ways with every tag that the import reads, closed ways, long ones, and ways whose points are not there.
    private static func town() -> MapWriter {
        let nodes: [(Double, Double)] =
            (0..<24).map { (Double($0) * 25, Double($0 % 3) * 4) } + [(0, 100), (75, 300), (200, 100), (300, -200)]
        let primary = [("highway", "primary")]
        var ways: [([Int64], [(String, String)])] = [
            // More points than one piece has, and junctions with others.
            (Array(1...24), primary + [("ref", "N1"), ("name", "Ring"), ("maxspeed", "80"), ("bridge", "yes")]),
            (
                [25, 4, 26],
                [("highway", "residential"), ("name", "Ring"), ("maxspeed:forward", "30"), ("bridge", "no")]
            ),
            ([27, 9], [("highway", "motorway_link"), ("tunnel", "yes"), ("maxspeed:type", "DE:motorway")]),
            ([9, 28], [("highway", "motorway"), ("source:maxspeed", "AT:motorway"), ("maxspeed", "signals")]),
            (
                [25, 26],
                [("highway", "service"), ("oneway", "-1"), ("maxspeed:backward", "20"), ("maxspeed:hgv", "10")]
            ),
            (
                [26, 27],
                [("highway", "tertiary"), ("oneway", "reverse"), ("maxspeed:forward:conditional", "30 @ (wet)")]
            ),
            (
                [27, 28],
                [("highway", "track"), ("oneway", "reversible"), ("maxspeed", "fast"), ("maxspeed:wet", "60")]
            ),
            (
                [28, 25],
                [("highway", "road"), ("junction", "circular"), ("zone:traffic", "RO:urban"), ("tunnel", "no")]
            ),
            ([25, 27, 28, 25], [("highway", "secondary"), ("junction", "roundabout"), ("oneway", "no")]),
            ([26, 28], [("highway", "unclassified"), ("zone:maxspeed", "FR:30"), ("oneway", "1")]),
            ([1, 99, 2, 3], [("highway", "trunk"), ("maxspeed", "30 mph"), ("oneway", "true")]),
            ([10, 99], [("highway", "primary"), ("oneway", "alternating")]), ([11], primary),
            ([12, 12, 13], [("highway", "pedestrian"), ("area", "no"), ("junction", "yes")]),
            ([12, 14], [("highway", "pedestrian"), ("area", "yes")]), ([13, 14], [("highway", "footway")]),
        ]
        // More rules than a road may have.
        let vehicles = ["hgv", "bus", "coach", "goods", "motorcar", "trailer", "motorhome", "motorcycle", "psv"]
        let rules = vehicles.flatMap { [("maxspeed:\($0)", "60"), ("maxspeed:\($0):conditional", "50 @ (Mo)")] }
        ways.append(([15, 16], [("highway", "living_street")] + rules))
        return RoadGuideTests.map(nodes, ways)
    }

    @Test(arguments: [nil, "AD"]) func aMapHasTheStoredBytes(country: String?) throws {
        // GIVEN the ways WHEN imported THEN every number of the report and every byte of the file is the stored one
        let folder = ImportFolder()
        let report = try folder.roads(Self.town(), country: country).report
        let text = "\(report)".replacing(", ", with: "\n") + "\n" + Self.dump(folder.read("roads.posed"))
        #expect(try StoredText.differences(of: text, from: "map-\(country ?? "none")") == [])
    }

    @Test func pointsHaveTheStoredBytes() throws {
        // GIVEN points with every property, and some of every skipped kind WHEN imported THEN the report and every
        // byte of the file are the stored ones
        var rows = ["id;name;lat;lon;category;alt;phone;website;image;address;description"]
        rows.append("7;Café;42.5;1.5;caffe, Ice Cream ,caffe;1023.46;+376 1;https://a.example;a.png;Road 1;Good")
        for (index, height) in ["-1000", "-999.9", "19999.9", "20000", "x", ""].enumerated() {
            rows.append(";P\(index);42.\(50 + index);1.4\(index);kind\(index);\(height);;;;;")
        }
        for index in 0..<40 { rows.append("n\(index);;42.6\(index);1.6\(index);kind\(index % 70);;;;;;") }
        for index in 0..<12 { rows.append("bad\(index);;9\(index).5;1.5;;;;;;;") }
        let folder = ImportFolder()
        let path = folder.write(Array(rows.joined(separator: "\n").utf8), to: "points.csv")
        let report = try PointImport().run(from: path, to: "\(folder.path)/points.posed")
        let told = "\(report)".replacing(folder.path, with: "").replacing(", ", with: "\n")
        let text = told + "\n" + Self.dump(folder.read("points.posed"))
        #expect(try StoredText.differences(of: text, from: "points") == [])
    }
}
