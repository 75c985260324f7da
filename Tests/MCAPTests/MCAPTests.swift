import SeededNumbers
import Testing

@testable import MCAP

/// A small file with every kind of record: two chunks, of which the second is not compressible.
enum SmallFile {
    static let messages = 12

    static func bytes(finished: Bool = true) -> [UInt8] {
        var limits = MCAPWriter.Limits()
        limits.chunkNanoseconds = 100
        var writer = MCAPWriter(profile: "posed", library: "posed test", limits: limits)
        writer.add(MCAPMetadata(name: "posed", values: ["release": "1", "session": "a"]))
        writer.add(MCAPAttachment(name: "posed.yaml", mediaType: "application/yaml", data: Array("gps:\n".utf8)))
        let schema = writer.addSchema(name: "posed.Imu", encoding: "protobuf", data: [1, 2, 3])
        let channel = writer.addChannel(topic: "/posed/imu", encoding: "protobuf", schema: schema)
        let plain = writer.addChannel(topic: "/posed/frame", encoding: "json", schema: 0)
        var random = SplitMix64(seed: 7)
        for number in 0..<messages {
            let isNoise = number >= messages / 2
            let data = (0..<20).map { _ in isNoise ? UInt8(truncatingIfNeeded: random.next()) : 7 }
            writer.add(
                MCAPMessage(
                    channel: number.isMultiple(of: 3) ? plain : channel, sequence: UInt32(number + 1),
                    logTime: UInt64(1000 + number * 18), publishTime: UInt64(900 + number), data: data[...]))
        }
        if finished { writer.finish() } else { writer.finishChunk() }
        return writer.takeBytes()
    }

    /// Everything that a reader gives, how the file ended, and the problem.
    static func read(_ bytes: [UInt8]) -> (records: [MCAPRecord], end: MCAPEnd?, problem: MCAPProblem?) {
        var records: [MCAPRecord] = []
        var reader = MCAPReader(bytes: bytes, path: "small.mcap")
        do throws(MCAPProblem) {
            while let record = try reader.next() { records.append(record) }
            return (records, reader.end, nil)
        } catch {
            return (records, reader.end, error)
        }
    }
}

@Suite struct MCAPRoundTripTests {
    @Test func whatWasWrittenIsRead() throws {
        // GIVEN a file with two chunks, metadata and an attachment
        let bytes = SmallFile.bytes()
        // WHEN it is read
        let (records, end, problem) = SmallFile.read(bytes)
        // THEN every record comes back in its order, and the file is complete
        #expect(problem == nil)
        #expect(end == .complete)
        let messages = records.compactMap { record in
            if case .message(let message) = record { message } else { nil }
        }
        #expect(messages.map(\.sequence) == (1...UInt32(SmallFile.messages)).map { $0 })
        #expect(messages[0].logTime == 1000 && messages[0].publishTime == 900)
        #expect(messages[1].data.elementsEqual([UInt8](repeating: 7, count: 20)))
        #expect(records.contains(.header(profile: "posed", library: "posed test")))
        #expect(records.contains(.metadata(MCAPMetadata(name: "posed", values: ["release": "1", "session": "a"]))))
        let attachment = MCAPAttachment(name: "posed.yaml", mediaType: "application/yaml", data: Array("gps:\n".utf8))
        #expect(records.contains(.attachment(attachment)))
    }

    @Test func aChunkIsCompressedOnlyWhereThatMakesItSmaller() {
        // GIVEN a file whose chunks are repetitive, and one whose chunks are noise
        func size(noise: Bool) -> Int {
            var random = SplitMix64(seed: 3)
            var writer = MCAPWriter(profile: "", library: "")
            let channel = writer.addChannel(topic: "a", encoding: "", schema: 0)
            let data = (0..<10_000).map { _ in noise ? UInt8(truncatingIfNeeded: random.next()) : 1 }
            writer.add(
                MCAPMessage(channel: channel, sequence: 1, logTime: 1, publishTime: 1, data: data[...]))
            writer.finishChunk()
            return writer.takeBytes().count
        }
        // THEN the first takes a few hundred bytes, and the second its own size
        #expect(size(noise: false) < 400)
        #expect((10_000..<10_400).contains(size(noise: true)))
    }

    @Test func aChunkEndsAtItsLimits() {
        // GIVEN a limit of 1000 bytes and one of a second
        var limits = MCAPWriter.Limits()
        limits.chunkBytes = 1000
        var writer = MCAPWriter(profile: "", library: "", limits: limits)
        let channel = writer.addChannel(topic: "a", encoding: "", schema: 0)
        let start = writer.size
        func message(_ time: UInt64, bytes: Int) -> MCAPMessage {
            MCAPMessage(
                channel: channel, sequence: 1, logTime: time, publishTime: time,
                data: [UInt8](repeating: 0, count: bytes)[...])
        }
        // WHEN 900 bytes are written THEN the chunk is open; with 100 more it is finished
        writer.add(message(0, bytes: 900))
        #expect(writer.size == start)
        writer.add(message(1, bytes: 100))
        #expect(writer.size > start)
        // WHEN a message comes a second after the first of its chunk THEN the chunk before it is finished, also if the
        // times go back
        let second = writer.size
        writer.add(message(5_000_000_000, bytes: 1))
        #expect(writer.size == second)
        writer.add(message(4_000_000_000, bytes: 1))
        #expect(writer.size > second)
    }
}

/// A file that was cut off, by a crash or a full disk, gives everything before the cut.
@Suite struct CutOffFileTests {
    @Test func aFileCutAtAnyByteGivesAllCompleteRecords() {
        // GIVEN the records of the whole file
        let whole = SmallFile.bytes()
        let all = SmallFile.read(whole).records
        var last = 0
        var counts: Set<Int> = []
        for count in 0..<whole.count {
            // WHEN only the first bytes are left
            let (records, end, problem) = SmallFile.read(Array(whole[..<count]))
            // THEN what is read is the start of the whole, never less than with fewer bytes, and no problem
            #expect(problem == nil, "cut at \(count)")
            #expect(records[...] == all.prefix(records.count), "cut at \(count)")
            #expect(records.count >= last, "cut at \(count)")
            if records.count < all.count { #expect(end != .complete && end != nil, "cut at \(count)") }
            last = records.count
            counts.insert(records.count)
        }
        // THEN it grew in steps: header, metadata, attachment, first and second chunk
        #expect(counts.count == 6)
        #expect(last == all.count)
    }

    @Test func zerosAtTheEndAreACut() {
        // GIVEN a file without its end, followed by zeros as a power failure leaves them
        let bytes = SmallFile.bytes(finished: false)
        let all = SmallFile.read(bytes)
        #expect(all.end == .cutOff(offset: bytes.count))
        // WHEN it is read THEN it gives the same records
        let (records, end, problem) = SmallFile.read(bytes + [UInt8](repeating: 0, count: 5000))
        #expect(problem == nil)
        #expect(records == all.records)
        #expect(end == .cutOff(offset: bytes.count))
    }
}

/// A damaged, foreign or hostile file gives one message with the place and the remedy.
@Suite struct HostileFileTests {
    /// A file of a header and one more record.
    private func file(_ opcode: UInt8, length: UInt64? = nil, _ content: [UInt8]) -> [UInt8] {
        var bytes = MCAPFormat.magic
        bytes.append(record: .header) {
            $0.append(text: "")
            $0.append(text: "")
        }
        bytes.append(opcode)
        bytes.append(number: length ?? UInt64(content.count))
        return bytes + content
    }

    private func problem(_ bytes: [UInt8]) -> String { SmallFile.read(bytes).problem?.description ?? "none" }

    @Test func foreignAndNewerFilesAreNamed() {
        #expect(problem(Array("t_s,gyro\n".utf8)).contains("is not an MCAP file; name a recording of posed"))
        var newer = SmallFile.bytes()
        newer[5] = UInt8(ascii: "1")
        #expect(
            problem(newer) == "small.mcap: byte 5: is an MCAP file of version 1, not 0; read it with a newer release")
        var text = SmallFile.bytes()
        text[7] = 0x0D
        #expect(problem(text).contains("small.mcap: byte 6: the start of the file is damaged; transfer the file again"))
    }

    @Test func lengthsBeyondTheFileAreACut() {
        // GIVEN records whose length is beyond the end, up to the largest number
        for length in [100, UInt64(Int64.max) - 1, UInt64(Int64.max), .max] {
            let (_, end, problem) = SmallFile.read(file(0x06, length: length, [1, 2, 3]))
            // THEN the file ends before them
            #expect(problem == nil)
            #expect(end == .cutOff(offset: 25))
        }
    }

    @Test func fieldsBeyondTheirRecordAreDamage() {
        // GIVEN a schema whose name would be 4 GiB long, a chunk of 2^63 bytes, and a channel without a schema
        var schema: [UInt8] = [1, 0]
        schema.append(number: UInt32.max)
        #expect(problem(file(0x03, schema)).contains("byte 25: a record is damaged"))
        var chunk: [UInt8] = []
        for number: UInt64 in [0, 0, 1 << 63] { chunk.append(number: number) }
        chunk.append(number: UInt32(0))
        chunk.append(text: "zstd")
        chunk.append(number: UInt64(0))
        #expect(problem(file(0x06, chunk)).contains("byte 25: a chunk of 9223372036854775808 bytes; at most"))
        var channel: [UInt8] = [1, 0, 9, 0]
        channel.append(text: "/a")
        channel.append(text: "")
        channel.append(texts: [:])
        #expect(problem(file(0x04, channel)).contains("the channel /a has the unknown schema 9"))
        #expect(problem(file(0x05, [UInt8](repeating: 1, count: 22))).contains("a message of the unknown channel 257"))
    }

    @Test func aChunkThatExpandsBeyondItsStatedSizeIsRefused() {
        // GIVEN 1 MiB of zeros compressed to a few bytes, with a stated size of 100 bytes
        var compressed: [UInt8] = []
        #expect(ZstdCompressor().append([UInt8](repeating: 0, count: 1 << 20), to: &compressed))
        #expect(compressed.count < 1000)
        // WHEN it is decompressed THEN no more than the stated size is written, and the result is refused
        #expect(ZstdDecompressor().decompress(compressed[...], size: 100) == nil)
        #expect(ZstdDecompressor().decompress(compressed[...], size: 2 << 20) == nil)
        #expect(ZstdDecompressor().decompress(compressed[...], size: 1 << 20)?.count == 1 << 20)
    }

    @Test func otherCompressionsAreNamed() {
        var chunk: [UInt8] = []
        for number: UInt64 in [0, 0, 10] { chunk.append(number: number) }
        chunk.append(number: UInt32(0))
        chunk.append(text: "lz4")
        chunk.append(number: UInt64(0))
        #expect(problem(file(0x06, chunk)).contains("compressed with lz4, which posed does not read; rewrite the file"))
    }

    @Test func everyChangedByteIsFoundOrHarmless() {
        // GIVEN a file; WHEN each of its bytes is changed in turn
        let whole = SmallFile.bytes()
        let all = SmallFile.read(whole).records
        var unnoticed = 0
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x55
            let (records, _, problem) = SmallFile.read(bytes)
            // THEN messages are those of the file: a chunk with a changed message never passes its checksum
            for case .message(let message) in records { #expect(all.contains(.message(message)), "byte \(index)") }
            if problem == nil, records == all { unnoticed += 1 }
        }
        // The indexes, the summary and unused fields are more than half of this small file.
        #expect(unnoticed < whole.count * 3 / 4)
    }

    /// Seeds of failures found by this test stay in the list.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64]) func randomDamageNeverStopsTheProgram(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let whole = SmallFile.bytes()
        for _ in 0..<1500 {
            // GIVEN a file with up to eight changed, removed or repeated parts
            var bytes = whole
            for _ in 0...Int(random.next() % 8) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[place] = random.next().isMultiple(of: 2) ? 0xFF : 0
                case 2: bytes.removeSubrange(place..<min(place + Int(random.next() % 40), bytes.count))
                default: bytes.insert(contentsOf: bytes[place..<min(place + 30, bytes.count)], at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            // WHEN it is read THEN it ends with records, a cut or a problem that names the file
            let result = SmallFile.read(bytes)
            #expect(result.problem.map { $0.description.hasPrefix("small.mcap") } ?? (result.end != nil))
        }
    }
}
