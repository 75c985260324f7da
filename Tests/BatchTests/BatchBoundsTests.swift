import BoundedJSON
import DriveRecording
import Foundation
import Testing

@testable import Batch

/// What a batch finds and keeps, at its limits, and what it reads of reports.
@Suite final class BatchBoundsTests {
    private let folder = NSTemporaryDirectory() + "posed-bounds-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }

    /// The recordings of an input, below the folder.
    private func found(_ input: String) throws -> [String] {
        try BatchInputs.recordings(of: [input]).map { $0.replacing("\(folder)/", with: "") }
    }

    private static let report = "{\"class\":\"TPV\"}\n"

    @Test func sixteenFoldersAreSearchedInEachOther() throws {
        // GIVEN a recording below 15 folders of the one that is named, and one below 16 THEN only the first is found
        let names = (1...16).map { "d\($0)" }
        let near = names.prefix(15).joined(separator: "/") + "/near.json"
        try write(Self.report, to: near)
        try write(Self.report, to: names.joined(separator: "/") + "/far.json")
        #expect(try found(folder) == [near])
    }

    /// Writes a part of a recording without measurements.
    private func write(part: Int, of session: String, to name: String) throws {
        var info = RecordingInfo(release: "1", session: session)
        info.part = part
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.finish()
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    @Test func onlyTheFirstPartOfARecordingIsFound() throws {
        // GIVEN parts of recordings, parts whose first one is elsewhere, and names that are not those of parts
        let parts = [
            ("a-000", 0), ("a-001", 1), ("a-002", 2), ("b-007", 7), ("c-999", 999), ("c-1000", 1000), ("c-1001", 1001),
            ("d-00", 0), ("d-01", 1), ("e-001", 1), ("f-x01", 1), ("g", 0),
        ]
        for (name, part) in parts { try write(part: part, of: String(name.prefix(1)), to: "\(name).mcap") }
        try write(Self.report, to: "alone.csv")
        // THEN a part whose predecessor lies beside it is left out, and so is a table outside of a folder
        #expect(
            try found(folder)
                == ["a-000", "b-007", "c-999", "d-00", "d-01", "e-001", "f-x01", "g"].map { "\($0).mcap" }
        )
        // AND also where it is named
        #expect(try found("\(folder)/a-001.mcap").isEmpty)
    }

    @Test func recordingsWithNumbersInTheirNamesAreFound() throws {
        // GIVEN files with the next numbers that are recordings of their own: converted ones, which are one part and
        // have the name of their format, those of other sessions, parts with others missing between, and no recordings
        let files = [
            ("trip-001", "CSV folder", 0), ("trip-002", "CSV folder", 0), ("s-000", "a", 0), ("s-001", "b", 1),
            ("t-000", "a", 0), ("t-001", "a", 2),
        ]
        for (name, session, part) in files { try write(part: part, of: session, to: "\(name).mcap") }
        for name in ["u-000", "u-001"] { try write(Self.report, to: "\(name).mcap") }
        // THEN each is found
        let names = ["s-000", "s-001", "t-000", "t-001", "trip-001", "trip-002", "u-000", "u-001"]
        #expect(try found(folder) == names.map { "\($0).mcap" })
    }

    @Test func aRecordingWithoutADashInItsPathIsFound() throws {
        // GIVEN a recording whose name and folders have no dash THEN it is no later part of another one
        let place = NSTemporaryDirectory() + "posed" + UUID().uuidString.filter { $0 != "-" }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try Self.report.write(toFile: "\(place)/drive.mcap", atomically: false, encoding: .utf8)
        #expect(try BatchInputs.recordings(of: [place]) == ["\(place)/drive.mcap"])
    }

    @Test func whatIsNamedIsTakenForARecording() throws {
        // GIVEN a file that is no recording THEN it is left out of a folder, but not where it is named: its process
        // says what is wrong with it
        try write("notes", to: "notes.txt")
        #expect(try found(folder) == [])
        #expect(try found("\(folder)/notes.txt") == ["notes.txt"])
        #expect(try found("\(folder)/missing") == ["missing"])
    }

    @Test func aLineOfAListIsAPath() throws {
        // GIVEN a list with comments, blanks and tabs, and a path that is absolute THEN others begin at its folder
        let lines = ["# all", "\t/abs/one \t# first", "", "two words ", " \t ", "#three", "four#five", "six/"]
        try write(lines.joined(separator: "\n"), to: "list")
        #expect(try found("@\(folder)/list") == ["/abs/one", "two words", "four", "six"])
    }

    @Test func aListThatIsTooLongIsRefusedAndNotCut() throws {
        // GIVEN a list of 16 MiB, a path and a comment THEN it is read; with a byte more nothing is left out silently
        let comment = "one\n#" + String(repeating: "x", count: (16 << 20) - 5)
        try write(comment, to: "list")
        #expect(try found("@\(folder)/list") == ["one"])
        try write(comment + "x", to: "list")
        let failure = #expect(throws: BatchInputs.Failure.self) { try found("@\(folder)/list") }
        #expect(failure?.description == "\(folder)/list: more than 16 MiB; divide the list")
    }

    @Test func aNameIsTakenOnce() {
        #expect(BatchRun.names(of: ["a/x", "x", "b/x.mcap", "/"]) == ["x", "x-2", "x-3", "recording"])
    }

    private func batch(_ command: BatchRun.Command) throws -> BatchRun {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/replaces-posectl"
        let link = "\(folder)/program"
        if !FileManager.default.fileExists(atPath: link) {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        }
        return BatchRun(command: command, options: [], program: link, folder: folder, jobs: 1)
    }

    private func run(_ batch: BatchRun, _ recording: String) -> [BatchRun.Result] {
        batch.run(["\(folder)/\(recording)"], shouldEnd: { false }, onResult: { _, _ in })
    }

    @Test func the500FirstFilesOfARecordingAreWatched() throws {
        // GIVEN a recording of 501 files, whose result is there
        for number in 0...500 { try write("x", to: "drive/f\(1000 + number)") }
        let batch = try batch(.replay)
        #expect(run(batch, "drive").map(\.status) == [.done] && run(batch, "drive").map(\.status) == [.kept])
        // WHEN the last of them grows THEN the result is kept; WHEN the 500th does THEN it is made again
        try write("longer", to: "drive/f1500")
        #expect(run(batch, "drive").map(\.status) == [.kept])
        try write("longer", to: "drive/f1499")
        #expect(run(batch, "drive").map(\.status) == [.done])
    }

    @Test func furtherPartsOfARecordingAreWatched() throws {
        // GIVEN a recording of one part, whose result is there
        try write(part: 0, of: "s", to: "a-000.mcap")
        let batch = try batch(.replay)
        func status() -> [BatchRun.Result.Status] { run(batch, "a-000.mcap").map(\.status) }
        #expect(status() == [.done] && status() == [.kept])
        // WHEN the next part comes, or changes THEN the result is made again; a file of another recording is none
        try write(part: 1, of: "s", to: "a-001.mcap")
        #expect(status() == [.done] && status() == [.kept])
        try write(part: 2, of: "other", to: "a-002.mcap")
        #expect(status() == [.kept])
        try write(part: 2, of: "s", to: "a-002.mcap")
        #expect(status() == [.done] && status() == [.kept])
        unlink("\(folder)/a-002.mcap")
        #expect(status() == [.done])
    }

    @Test func theFiguresOfAReportAreRead() throws {
        // GIVEN a report whose figures are there WHEN it is made, and found again THEN the table has each of them
        let batch = try batch(.report)
        try write("x", to: "drive")
        let figures = """
            {"duration_s":10,"length_m":20,"pose":{"state_share":{"aligned":0.3},"sigma_m":{"median":0.4}},
            "error":{"horizontal_m":{"rms":0.5,"p95":0.6},"heading_deg":{"rms":0.7}},
            "findings":[{"severity":"problem"},{"severity":"hint"},{"severity":"note"},{"severity":"problem"},
            {"severity":"problem"},{}]}
            """
        try figures.write(toFile: batch.figures("drive"), atomically: false, encoding: .utf8)
        let expected: [(String, Double?)] = [
            ("duration_s", 10), ("length_m", 20), ("aligned_share", 0.3), ("sigma_median_m", 0.4),
            ("error_rms_m", 0.5), ("error_p95_m", 0.6), ("heading_rms_deg", 0.7), ("problems", 3),
        ]
        for status in [BatchRun.Result.Status.done, .kept] {
            let result = try #require(run(batch, "drive").first)
            #expect(result.status == status && result.output == "\(folder)/drive.html")
            #expect(result.figures.map(\.name) == expected.map(\.0))
            #expect(result.figures.map(\.value) == expected.map(\.1))
        }
        // WHEN they are cut THEN the report is made again, without them
        try "{".write(toFile: batch.figures("drive"), atomically: false, encoding: .utf8)
        let again = try #require(run(batch, "drive").first)
        #expect(again.status == .done && again.figures.isEmpty)
    }
}

/// The most important of many drives.
@Suite struct FleetOrderTests {
    @Test func tenProblemsAreToldTheMostFrequentFirst() throws {
        // GIVEN twelve problems of which one happened twice THEN that comes first, and nine others by their names
        var fleet = FleetTable()
        let names = (1...12).map { "p\($0 < 10 ? "0" : "")\($0)" } + ["p11"]
        let findings = names.map { "{\"severity\":\"problem\",\"text\":\"\($0)\"}" }.joined(separator: ",")
        fleet.add(try JSONDocument("{\"findings\":[\(findings)]}").root, vehicle: "bus")
        let told = fleet.report.split(separator: "\n").filter { $0.contains(" times: ") }
        #expect(told.first == "- 2 times: p11")
        #expect(told.dropFirst() == (1...9).map { "- 1 times: p0\($0)" }[...])
    }

    @Test func theWorstPlacesComeFirst() throws {
        // GIVEN places with more and more fixes, of which another share each is bad THEN they are sorted by the share
        var fleet = FleetTable()
        let cells = (0..<40).map { number -> (fixes: Int, bad: Int) in
            let fixes = 100 + 60 * number
            return (fixes, fixes * ((number * 17) % 40) / 40)
        }
        let text = cells.enumerated().map { "[\($0),0,\($1.fixes),\($1.bad)]" }.joined(separator: ",")
        fleet.add(try JSONDocument("{\"places\":{\"cells\":[\(text)]}}").root, vehicle: "bus")
        let features = try #require(try JSONDocument(fleet.geoJSON).root["features"]).elements.map { $0 }
        let expected = cells.sorted { $0.bad * $1.fixes > $1.bad * $0.fixes }
        #expect(features.map { $0["properties"]?["fixes"]?.int } == expected.map(\.fixes))
        #expect(features.map { $0["properties"]?["bad"]?.int } == expected.map(\.bad))
    }
}
