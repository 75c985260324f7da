/// Converts the content of a record.
enum RecordParser {
    static func header(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPRecord {
        var parser = ByteParser(content)
        return .header(profile: try parser.text(), library: try parser.text())
    }

    static func schema(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPSchema {
        var parser = ByteParser(content)
        let id = try parser.number(UInt16.self)
        guard id != 0 else {
            throw .refused(problem: "a schema has the number 0", remedy: "the file is damaged; use another copy")
        }
        let (name, encoding) = (try parser.text(), try parser.text())
        return MCAPSchema(id: id, name: name, encoding: encoding, data: Array(try parser.counted()))
    }

    static func channel(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPChannel {
        var parser = ByteParser(content)
        let (id, schema) = (try parser.number(UInt16.self), try parser.number(UInt16.self))
        let channel = MCAPChannel(id: id, schema: schema, topic: try parser.text(), encoding: try parser.text())
        _ = try parser.texts()
        return channel
    }

    static func message(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPMessage {
        var parser = ByteParser(content)
        let (channel, sequence) = (try parser.number(UInt16.self), try parser.number(UInt32.self))
        let (logTime, publishTime) = (try parser.number(UInt64.self), try parser.number(UInt64.self))
        return MCAPMessage(
            channel: channel, sequence: sequence, logTime: logTime, publishTime: publishTime,
            data: try parser.take(UInt64(parser.left)))
    }

    static func attachment(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPAttachment {
        var parser = ByteParser(content)
        let times = (try parser.number(UInt64.self), try parser.number(UInt64.self))
        var attachment = MCAPAttachment(name: try parser.text(), mediaType: try parser.text(), data: [])
        (attachment.logTime, attachment.createTime) = times
        attachment.data = Array(try parser.take(try parser.number(UInt64.self)))
        let covered = content[content.startIndex..<parser.place]
        try check(try parser.number(UInt32.self), of: covered, "an attachment")
        return attachment
    }

    static func metadata(_ content: ArraySlice<UInt8>) throws(RecordFault) -> MCAPMetadata {
        var parser = ByteParser(content)
        return MCAPMetadata(name: try parser.text(), values: try parser.texts())
    }

    /// The records of a chunk, decompressed and compared with their checksum.
    static func chunk(_ content: ArraySlice<UInt8>, with decompressor: ZstdDecompressor) throws(RecordFault)
        -> [UInt8]
    {
        var parser = ByteParser(content)
        _ = (try parser.number(UInt64.self), try parser.number(UInt64.self))
        let plainSize = try parser.number(UInt64.self)
        let checksum = try parser.number(UInt32.self)
        let compression = try parser.text()
        let records = try parser.take(try parser.number(UInt64.self))
        guard let size = Int(exactly: plainSize), size <= MCAPFormat.longestRecord else {
            throw .refused(
                problem: "a chunk of \(plainSize) bytes; at most \(MCAPFormat.longestRecord) are read",
                remedy: "the file is damaged, or of a program that writes larger chunks: rewrite it with smaller ones")
        }
        let plain = try decompressed(records, compression, size: size, with: decompressor)
        try check(checksum, of: plain[...], "a chunk")
        return plain
    }

    private static func decompressed(
        _ records: ArraySlice<UInt8>, _ compression: String, size: Int, with decompressor: ZstdDecompressor
    ) throws(RecordFault) -> [UInt8] {
        switch compression {
        case "":
            guard records.count == size else { throw .overrun }
            return Array(records)
        case "zstd":
            guard let plain = decompressor.decompress(records, size: size) else { throw .overrun }
            return plain
        default:
            throw .refused(
                problem: "a chunk is compressed with \(compression.prefix(16)), which posed does not read",
                remedy: "rewrite the file with zstd: mcap compress --compression zstd")
        }
    }

    /// Compares a checksum; 0 means that the writer gave none.
    private static func check(_ checksum: UInt32, of bytes: ArraySlice<UInt8>, _ name: String) throws(RecordFault) {
        guard checksum == 0 || bytes.withUnsafeBytes({ MCAPFormat.checksum($0) }) == checksum else {
            throw .refused(
                problem: "\(name) does not have its checksum",
                remedy: "the file is damaged from here on; use another copy")
        }
    }
}
