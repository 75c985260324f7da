import Foundation
import Recording
import Testing

@testable import Demo

/// The sample drive in `samples/drive`, made by the simulation. `make generated` rewrites it.
@Suite struct SampleDriveTests {
    private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../samples"
    ).standardizedFileURL.path

    @Test func theKeptDriveIsTheSimulatedOne() throws {
        // GIVEN the simulated drive as a folder of files
        let folder = NSTemporaryDirectory() + "posed-sample-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let events = try SampleDrive.events()
        let writer = try FolderWriter(folder: folder)
        for event in events { try writer.write(event) }
        try writer.finish()
        #expect(writer.skipped == 0)
        // THEN the kept files are the same, and small
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let made = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            let kept = URL(fileURLWithPath: "\(Self.samples)/drive/\(name)")
            if ProcessInfo.processInfo.environment["POSED_WRITE_GENERATED"] != nil {
                try FileManager.default.createDirectory(
                    at: kept.deletingLastPathComponent(), withIntermediateDirectories: true)
                try made.write(to: kept)
            }
            #expect(try Data(contentsOf: kept) == made, "samples/drive/\(name) is not current: run `make generated`")
            #expect(made.count < 300_000)
        }
        #expect(events.count > 3000)
        // AND they are read back as they were
        var reader = try RecordingReader(folder: "\(Self.samples)/drive")
        for event in events { #expect(try reader.next() == event) }
    }
}
