import Foundation
import Testing

/// The stored inputs of the fuzzer, read by the same functions. One that traps ends the test runner; its name is on the
/// line before.
@Suite(.serialized) struct ReplayTests {
    /// The folder of the stored inputs.
    static let corpora = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("corpora")

    /// The stored inputs of a reader.
    static func inputs(_ target: FuzzTarget) throws -> [URL] {
        let folder = corpora.appendingPathComponent(target.rawValue)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    @Test(arguments: FuzzTarget.allCases) func storedInputsAreReadInTime(target: FuzzTarget) throws {
        // GIVEN the inputs that the fuzzer found for a reader WHEN read
        let inputs = try Self.inputs(target)
        #expect(inputs.count >= 3, "\(target.rawValue) has no stored inputs: run make fuzz")
        for input in inputs {
            let bytes = Array(try Data(contentsOf: input))
            // THEN each is read; time of this thread, because other tests run beside it
            let begin = Self.threadSeconds
            target.read(bytes)
            let seconds = Self.threadSeconds - begin
            #expect(seconds < 5, "\(input.lastPathComponent) took \(seconds) s")
        }
    }

    @Test func everyFolderHasAReader() throws {
        // GIVEN the folders of stored inputs THEN each is that of a reader, and none is missing
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }

    /// Processor time of this thread, seconds.
    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
