import StoredTexts
import Testing

@testable import MCAP

/// A whole file, byte for byte: its summary and its indexes are for other programs, which need them all.
@Suite struct StoredFileTests {
    /// The records of a file in lines: offset, opcode, and content in hexadecimal digits.
    private static func lines(_ bytes: [UInt8]) throws -> [String] {
        let digits = Array("0123456789abcdef")
        func text(_ bytes: ArraySlice<UInt8>) -> String {
            String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        }
        var lines = ["magic \(text(bytes.prefix(8)))"]
        var parser = ByteParser(bytes.dropFirst(8))
        while parser.left > 8 {
            let start = parser.place
            let opcode = try parser.number(UInt8.self)
            lines.append("\(start) \(opcode) \(text(try parser.take(try parser.number(UInt64.self))))")
        }
        return lines + ["magic \(text(bytes.suffix(parser.left)))"]
    }

    /// Bytes without repetitions, so that no chunk becomes smaller by compression.
    private static func noise(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 * 167 + number * 59) ^ ($0 * $0 * 13 >> 2)) }
    }

    @Test func everyRecordHasItsBytes() throws {
        // GIVEN two metadata, two attachments, two schemas, three channels and messages in three chunks, in parts as
        // they are taken
        var limits = MCAPWriter.Limits()
        (limits.chunkNanoseconds, limits.chunkBytes) = (100, 400)
        var writer = MCAPWriter(profile: "posed", library: "posed 1", limits: limits)
        writer.add(MCAPMetadata(name: "a", values: ["z": "1", "b": "", "c": "three"]))
        var bytes = writer.takeBytes()
        #expect(writer.takeBytes().isEmpty && writer.size == bytes.count)
        var attachment = MCAPAttachment(name: "x.yaml", mediaType: "text/plain", data: [1, 2, 3, 4, 5])
        (attachment.logTime, attachment.createTime) = (0x0102_0304_0506_0708, 9)
        writer.add(attachment)
        let schemas = [writer.addSchema(name: "A", encoding: "protobuf", data: [9, 8, 7])]
        let channels = [
            writer.addChannel(topic: "/a", encoding: "protobuf", schema: schemas[0]),
            writer.addChannel(topic: "/b", encoding: "json", schema: 0),
        ]
        #expect(schemas == [1] && channels == [1, 2])
        for (number, time) in [1000, 1050, 990, 1099, 1200, 1201, 1100].enumerated() {
            writer.add(
                MCAPMessage(
                    channel: channels[number % 2], sequence: UInt32(number + 1) << 8, logTime: UInt64(time),
                    publishTime: UInt64(time) << 32, data: Self.noise(number, count: 60)[...]))
            if number == 3 { bytes += writer.takeBytes() }
        }
        writer.add(MCAPAttachment(name: "", mediaType: "", data: []))
        #expect(writer.addSchema(name: "B", encoding: "", data: []) == 2)
        #expect(writer.addChannel(topic: "/c", encoding: "", schema: 2) == 3)
        writer.add(MCAPMessage(channel: 3, sequence: .max, logTime: .max, publishTime: 0, data: []))
        writer.add(MCAPMetadata(name: "end", values: [:]))
        // WHEN it ends THEN it has the stored records
        writer.finish()
        bytes += writer.takeBytes()
        #expect(writer.size == bytes.count)
        #expect(try StoredText.differences(of: Self.lines(bytes).joined(separator: "\n"), from: "file") == [])
        // AND it is read to its end, record by record
        var reader = MCAPReader(bytes: bytes, path: "x")
        var count = 0
        while try reader.next() != nil { count += 1 }
        // A header, two metadata, two attachments, two schemas, three channels and eight messages.
        #expect(count == 18 && reader.end == .complete && reader.size == bytes.count)
    }

    @Test func anEmptyFileHasItsBytes() throws {
        var writer = MCAPWriter(profile: "", library: "")
        writer.finishChunk()
        writer.finish()
        let lines = try Self.lines(writer.takeBytes())
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "empty") == [])
    }

    @Test(arguments: [0, 1, 99, 100, 101]) func aChunkSpansLessThanItsTime(later: UInt64) {
        // GIVEN a limit of 100 ns WHEN a second message comes THEN its chunk is finished before it from 100 ns on
        for isBackwards in [false, true] {
            var limits = MCAPWriter.Limits()
            limits.chunkNanoseconds = 100
            var writer = MCAPWriter(profile: "", library: "", limits: limits)
            let channel = writer.addChannel(topic: "a", encoding: "", schema: 0)
            let start = writer.size
            for time in isBackwards ? [1000 + later, 1000] : [1000, 1000 + later] {
                writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: time, publishTime: 0, data: []))
            }
            #expect((writer.size > start) == (later >= 100))
        }
        #expect(MCAPWriter.Limits().chunkNanoseconds == 1_000_000_000 && MCAPWriter.Limits().chunkBytes == 1_048_576)
    }

    // MARK: - Limits

    /// A file of a header and the records of `body`.
    private static func file(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = MCAPFormat.magic
        bytes.append(record: .header) {
            $0.append(text: "p")
            $0.append(text: "l")
        }
        body(&bytes)
        return bytes
    }

    /// A chunk that says its size, checksum and compression.
    private static func chunk(_ size: UInt64, _ checksum: UInt32, _ compression: String, _ records: [UInt8]) -> [UInt8]
    {
        file {
            $0.append(record: .chunk) {
                for number in [0, 0, size] { $0.append(number: number) }
                $0.append(number: checksum)
                $0.append(text: compression)
                $0.append(number: UInt64(records.count))
                $0.append(contentsOf: records)
            }
        }
    }

    private static func problem(_ bytes: [UInt8]) -> String { SmallFile.read(bytes).problem?.description ?? "none" }

    @Test func aChunkHasAtMostSixtyFourMebibytes() {
        let most: UInt64 = 67_108_864
        #expect(
            Self.problem(Self.chunk(most, 0, "", [1]))
                == "small.mcap: byte 27: a record is damaged; use another copy of the file")
        #expect(
            Self.problem(Self.chunk(most + 1, 0, "", [1]))
                == "small.mcap: byte 27: a chunk of 67108865 bytes; at most 67108864 are read; the file is damaged, or "
                + "of a program that writes larger chunks: rewrite it with smaller ones")
    }

    @Test func aChunkHasItsSizeAndItsChecksum() {
        // GIVEN a chunk with one channel THEN it is read if size and checksum are right, or no checksum is given
        var records: [UInt8] = []
        records.append(record: .channel) {
            $0.append(number: UInt16(7))
            $0.append(number: UInt16(0))
            $0.append(text: "/a")
            $0.append(text: "e")
            $0.append(texts: ["k": "v"])
        }
        let (size, sum) = (UInt64(records.count), MCAPFormat.checksum(records))
        let channel = MCAPRecord.channel(MCAPChannel(id: 7, schema: 0, topic: "/a", encoding: "e"))
        for checksum in [sum, 0] {
            let read = SmallFile.read(Self.chunk(size, checksum, "", records))
            #expect(read.problem == nil && read.records == [.header(profile: "p", library: "l"), channel])
        }
        #expect(
            Self.problem(Self.chunk(size, sum ^ 1, "", records))
                == "small.mcap: byte 27: a chunk does not have its checksum; the file is damaged from here on; use "
                + "another copy")
        for other in [size - 1, size + 1] {
            #expect(Self.problem(Self.chunk(other, 0, "", records)).contains("a record is damaged"))
        }
        #expect(Self.problem(Self.chunk(size, sum, "zstd", records)).contains("a record is damaged"))
        // AND a message of that channel is known afterwards, one of another channel is not
        func message(_ channel: UInt16) -> [UInt8] {
            var more = Self.chunk(size, sum, "", records)
            more.append(record: .message) {
                $0.append(number: channel)
                $0.append(number: UInt32(1))
                for number in [2, 3] as [UInt64] { $0.append(number: number) }
            }
            return more
        }
        let known = SmallFile.read(message(7))
        let expected = MCAPMessage(channel: 7, sequence: 1, logTime: 2, publishTime: 3, data: [])
        #expect(known.records.last == .message(expected) && known.problem == nil)
        #expect(Self.problem(message(8)).contains("a message of the unknown channel 8"))
    }

    @Test(arguments: [(0, true), (1, false)]) func schemasHaveAtMostSixteenMebibytes(more: Int, isRead: Bool) {
        // GIVEN two schemas and a channel, of which the first schema is also repeated, that just fit, and a byte more
        func schema(_ id: UInt16, _ count: Int, _ bytes: inout [UInt8]) {
            bytes.append(record: .schema) {
                $0.append(number: id)
                $0.append(text: "")
                $0.append(text: "")
                $0.append(number: UInt32(count))
                $0.append(contentsOf: [UInt8](repeating: 0, count: count))
            }
        }
        let half = 8 << 20
        let bytes = Self.file {
            // 14 bytes beside the data of a schema, 16 bytes of the channel.
            schema(1, half - 14, &$0)
            schema(1, half - 14, &$0)
            schema(2, half - 14 - 16 + more, &$0)
            $0.append(record: .channel) {
                $0.append(number: UInt16(1))
                $0.append(number: UInt16(2))
                $0.append(text: "")
                $0.append(text: "")
                $0.append(texts: [:])
            }
        }
        let problem = SmallFile.read(bytes).problem
        #expect((problem == nil) == isRead)
        if !isRead { #expect(problem?.problem == "more than 16777216 bytes of schemas and channels") }
    }

    @Test func aSchemaHasANumber() {
        let bytes = Self.file {
            $0.append(record: .schema) {
                $0.append(number: UInt16(0))
                for _ in 0..<3 { $0.append(text: "") }
            }
        }
        #expect(
            Self.problem(bytes)
                == "small.mcap: byte 27: a schema has the number 0; the file is damaged; use another copy")
        var headless = MCAPFormat.magic
        headless.append(record: .metadata) {
            $0.append(text: "")
            $0.append(texts: [:])
        }
        #expect(
            Self.problem(headless)
                == "small.mcap: byte 8: the file has no header; the file is damaged; use another copy")
    }

    @Test func anAttachmentHasItsChecksum() {
        // GIVEN an attachment whose last byte of data is changed THEN it is refused
        var writer = MCAPWriter(profile: "", library: "")
        var attachment = MCAPAttachment(name: "n", mediaType: "m", data: [1, 2, 3])
        (attachment.logTime, attachment.createTime) = (4, 5)
        writer.add(attachment)
        var bytes = writer.takeBytes()
        #expect(SmallFile.read(bytes).records.last == .attachment(attachment))
        bytes[bytes.count - 5] ^= 1
        #expect(Self.problem(bytes).contains("an attachment does not have its checksum"))
    }
}
