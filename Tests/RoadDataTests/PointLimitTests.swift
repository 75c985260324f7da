import RoadData
import RoadMaps
import Testing

@testable import Roads

/// Points of interest at the limits of what is read and kept.
@Suite struct PointLimitTests {
    private func open(_ text: String) throws -> (map: PointMap, report: PointImportReport) {
        let folder = ImportFolder()
        let path = folder.write(Array(text.utf8), to: "points.txt")
        let (map, report) = try withExtendedLifetime(folder) { try PointImport().open(path: path) }
        return (map, try #require(report))
    }

    private func reason(_ text: String) -> String? {
        #expect(throws: ImportProblem.self) { _ = try open(text) }?.reason
    }

    @Test func theFirstTenReasonsAreKept() throws {
        // GIVEN twelve records that are no points WHEN they are read THEN all are counted, and ten are told
        let bad = String(repeating: "B,91,1\n", count: 12)
        let report = try open("name,lat,lon\nA,42.5,1.5\n" + bad).report
        #expect(report.count == 1 && report.skipped == 12 && report.reasons.count == 10)
        #expect(report.reasons.first == "line 3: 91.0, 1.0 is not a position on Earth")
        #expect(report.reasons.last == "line 12: 91.0, 1.0 is not a position on Earth")
    }

    @Test func aCategoryHasAtMost100Bytes() throws {
        // GIVEN categories of 100 and of 101 bytes THEN the longer one is none
        let (kept, dropped) = (String(repeating: "a", count: 100), String(repeating: "b", count: 101))
        let map = try open("name,lat,lon,category\nA,42.5,1.5,\(dropped);\(kept);c\n").map
        #expect(map.categories == [kept, "c"])
    }

    @Test func valuesAreNestedUpTo32Deep() throws {
        // GIVEN a property of a feature that is a list of lists, within the four levels of the file THEN 32 levels are
        // read, and 33 are not
        func text(levels: Int) -> String {
            let (open, close) = (String(repeating: "[", count: levels - 4), String(repeating: "]", count: levels - 4))
            return #"{"features": [{"geometry": {"type": "Point", "coordinates": [1.5, 42.5]}, "#
                + #""properties": {"name": "A", "x": \#(open)\#(close)}}]}"#
        }
        #expect(try open(text(levels: 32)).report.count == 1)
        #expect(reason(text(levels: 33))?.contains("nested more than 32 deep") == true)
    }

    @Test(arguments: [(2048, true), (2049, false)])
    func aDocumentTypeEndsWithinTheFirst2048Bytes(bytes: Int, isRead: Bool) throws {
        // GIVEN a property list whose document type ends with a byte of the text WHEN it is read THEN up to 2048 bytes
        // the document type is skipped, and a longer one is refused
        let name = "<!DOCTYPE plist"
        let text =
            name + String(repeating: " ", count: bytes - name.utf8.count - 1) + ">"
            + "<plist><array><dict><key>lat</key><real>42.5</real><key>long</key><real>1.5</real></dict></array>"
            + "</plist>"
        if isRead {
            #expect(try open(text).report.count == 1)
        } else {
            #expect(reason(text) == "document types and entities are not read")
        }
    }

    @Test func aFileOfManyPartsIsReadAndCheckedWhole() throws {
        // GIVEN points whose texts are more than the 256 KiB that are written and checked at a time
        let folder = ImportFolder()
        let texts = (100..<400).map { String(repeating: "\($0) ", count: 250) + "end" }
        let rows = texts.enumerated().map { "\($0.offset),42.5,1.5,\($0.element)" }
        let source = folder.write(Array((["id,lat,lon,description"] + rows).joined(separator: "\n").utf8), to: "p.csv")
        let path = "\(folder.path)/p.posed"
        #expect(try PointImport().run(from: source, to: path).bytes > 300_000)
        // WHEN the file is opened THEN each text is there
        let map = try PointImport().open(path: path).map
        #expect(map.count == 300)
        let found = try (0..<300).map { map.details(try #require(map.point($0))).text }
        #expect(found.sorted() == texts)
        // AND a changed byte of the last part is found
        var bytes = folder.read("p.posed")
        bytes[290_000] ^= 1
        folder.write(bytes, to: "p.posed")
        let problem = #expect(throws: ImportProblem.self) { try PointImport().open(path: path) }
        #expect(problem?.reason == "section 4 is damaged (its checksum is wrong)")
    }
}
