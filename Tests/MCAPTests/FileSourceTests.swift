import Foundation
import SeededNumbers
import Testing

@testable import MCAP

/// Files that are longer than what is read of them at once, and what is taken for an MCAP file.
@Suite struct FileSourceTests {
    private static func withFile<Value>(_ bytes: [UInt8], _ body: (String) throws -> Value) throws -> Value {
        let path = NSTemporaryDirectory() + "posed-mcap-\(UUID().uuidString).mcap"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    /// Bytes that do not become fewer by compression.
    private static func noise(_ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(count))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }

    @Test func aLongFileIsReadAsFromMemory() throws {
        // GIVEN a file of a mebibyte and a half with records around and beyond the 256 KiB that are read at once
        var limits = MCAPWriter.Limits()
        limits.chunkBytes = 1
        var writer = MCAPWriter(profile: "p", library: "l", limits: limits)
        let channel = writer.addChannel(topic: "/a", encoding: "e", schema: 0)
        let sizes = [10, (1 << 18) - 100, 1 << 18, (1 << 18) + 9, 3, 700_000, 1]
        for (number, size) in sizes.enumerated() {
            writer.add(
                MCAPMessage(
                    channel: channel, sequence: UInt32(number), logTime: UInt64(number), publishTime: 0,
                    data: Self.noise(size)[...]))
        }
        writer.finish()
        let bytes = writer.takeBytes()
        // WHEN it is read from the disk THEN it has the same records, and its places are those of the file
        try Self.withFile(bytes) { path in
            var reader = try MCAPReader(path: path)
            var (records, last): ([MCAPRecord], Int) = ([], 0)
            while let record = try reader.next() {
                records.append(record)
                #expect(reader.offset >= last && reader.offset <= reader.size)
                last = reader.offset
            }
            #expect(records == SmallFile.read(bytes).records && records.count == sizes.count + 2)
            #expect(reader.end == .complete && reader.size == bytes.count && reader.path == path)
        }
        // WHEN its end is missing THEN what is before it is read
        try Self.withFile(Array(bytes[..<1_000_000])) { path in
            var reader = try MCAPReader(path: path)
            var count = 0
            while try reader.next() != nil { count += 1 }
            let memory = SmallFile.read(Array(bytes[..<1_000_000]))
            #expect(count == memory.records.count && reader.end == memory.end && count >= 6)
        }
    }

    @Test func aFileStartsAsOneOfAnyVersion() throws {
        // GIVEN files that begin with the first five bytes of MCAP, or not THEN the former are taken for such a file
        let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
        for (bytes, isOne) in [
            (magic, true), (Array(magic.prefix(5)), true), (Array(magic.prefix(4)), false), ([], false),
            (Array(magic.prefix(5)) + [0x31], true), ([0x88] + magic.dropFirst(), false),
            (Array(magic.prefix(4)) + [0x51, 0x30], false),
        ] { #expect(try Self.withFile(bytes) { MCAPReader.isMCAP(path: $0) } == isOne, "\(bytes)") }
        #expect(!MCAPReader.isMCAP(path: "/nowhere/x.mcap"))
        let problem = #expect(throws: MCAPProblem.self) { _ = try MCAPReader(path: "/nowhere/x.mcap") }
        #expect(problem?.path == "/nowhere/x.mcap" && problem?.offset == nil)
        #expect(problem?.description.hasPrefix("/nowhere/x.mcap: ") == true)
    }

    @Test(arguments: 5...8) func aFileThatEndsInItsFirstBytesIsACut(count: Int) {
        let read = SmallFile.read(Array(SmallFile.bytes().prefix(count)))
        #expect(read.problem == nil && read.records.isEmpty)
        #expect(read.end == .cutOff(offset: count < 8 ? 0 : 8))
    }

    @Test func aRecordThatIsTooLongIsRefused() {
        // GIVEN a record of 64 MiB, and of a byte more, in a file that is that long THEN only the second is refused by
        // its size; a kind that is not read is passed over at any length
        func problem(_ opcode: MCAPFormat.Opcode, _ count: Int) -> String? {
            var bytes = MCAPFormat.magic
            bytes.append(record: .header) {
                $0.append(text: "")
                $0.append(text: "")
            }
            bytes.append(opcode.rawValue)
            bytes.append(number: UInt64(count))
            return SmallFile.read(bytes + [UInt8](repeating: 0, count: count)).problem?.problem
        }
        let most = 67_108_864
        #expect(problem(.metadata, most) == nil)
        #expect(problem(.metadata, most + 1) == "a record of 67108865 bytes; at most 67108864 are read")
        #expect(problem(.chunkIndex, most + 1) == nil)
    }
}
