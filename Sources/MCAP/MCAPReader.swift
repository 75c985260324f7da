import Files

/// Reads the records of an MCAP file in their order, in bounded memory: one block of the file and one chunk.
///
/// A file that was cut off anywhere gives every complete record; ``end`` then tells where it was cut off. The indexes
/// and the summary at the end of a file are not used.
package struct MCAPReader: ~Copyable {
    /// Path of the file, for messages.
    package let path: String
    /// How the file ended; `nil` before its end.
    package private(set) var end: MCAPEnd?
    /// Bytes of the file.
    package var size: Int { source.size }
    /// Bytes that were read so far.
    package private(set) var offset = 0
    private var source: ByteSource
    /// Records of the chunk that is being read.
    private var chunk: ByteParser?
    /// Offset of that chunk in the file.
    private var chunkOffset = 0
    private var channels: Set<UInt16> = []
    private var schemas: Set<UInt16> = []
    private var channelBytes = 0
    private var hasHeader = false
    private let decompressor = ZstdDecompressor()

    /// Opens a file.
    package init(path: String) throws(MCAPProblem) {
        self.init(source: try Self.open(path), path: path)
    }

    /// Reads from memory; `path` is used in messages.
    package init(bytes: [UInt8], path: String) { self.init(source: ByteSource(bytes: bytes), path: path) }

    private init(source: consuming ByteSource, path: String) {
        self.source = source
        self.path = path
    }

    /// Whether a file starts as an MCAP file, of this or a newer version. A file that cannot be read does not.
    package static func isMCAP(path: String) -> Bool {
        guard var source = try? ByteSource(path: path), let head = try? source.bytes(at: 0, count: 5) else {
            return false
        }
        return head.elementsEqual(MCAPFormat.magic.prefix(5))
    }

    /// The next record; `nil` at the end of the data. After an error the reader gives no further record.
    package mutating func next() throws(MCAPProblem) -> MCAPRecord? {
        while end == nil {
            do throws(MCAPProblem) {
                if offset == 0 {
                    try readMagic()
                    continue
                }
                if let record = try nextInChunk() { return record }
                if let record = try nextInFile() { return record }
            } catch {
                end = .cutOff(offset: error.offset ?? offset)
                throw error
            }
        }
        return nil
    }

    // MARK: - File

    private static func open(_ path: String) throws(MCAPProblem) -> ByteSource {
        do throws(FileFault) { return try ByteSource(path: path) } catch { throw MCAPProblem(path: path, error) }
    }

    private mutating func readMagic() throws(MCAPProblem) {
        let magic = MCAPFormat.magic
        let found = try bytes(magic.count)
        guard found.prefix(5).elementsEqual(magic.prefix(min(5, found.count))) else {
            throw MCAPProblem(
                path: path, offset: nil, problem: "is not an MCAP file",
                remedy: "name a recording of posed (.mcap), or convert the file with posectl convert")
        }
        if found.count > 5, found[found.startIndex + 5] != magic[5] {
            let version = Character(UnicodeScalar(found[found.startIndex + 5]))
            throw MCAPProblem(
                path: path, offset: 5,
                problem: "is an MCAP file of version \(version.isASCII ? String(version) : "?"), not 0",
                remedy: "read it with a newer release")
        }
        guard found.elementsEqual(magic.prefix(found.count)) else {
            throw problem(at: 6, "the start of the file is damaged", "transfer the file again as binary data")
        }
        guard found.count == magic.count else {
            end = .cutOff(offset: 0)
            return
        }
        offset = magic.count
    }

    /// The next record outside a chunk; `nil` after a record without content for the caller.
    private mutating func nextInFile() throws(MCAPProblem) -> MCAPRecord? {
        let head = try bytes(MCAPFormat.headBytes)
        // A power failure can leave zeros where the last records should be.
        guard head.count == MCAPFormat.headBytes, let code = head.first, code != 0 else { return cutOff() }
        var parser = ByteParser(head.dropFirst())
        guard let length = try? parser.number(UInt64.self), let count = Int(exactly: length),
            count <= size - offset - MCAPFormat.headBytes
        else { return cutOff() }
        let start = offset
        guard let opcode = MCAPFormat.Opcode(rawValue: code), Self.isUsed(opcode) else {
            offset += MCAPFormat.headBytes + count
            return nil
        }
        if !hasHeader, opcode != .header {
            throw problem(at: start, "the file has no header", "the file is damaged; use another copy")
        }
        guard count <= MCAPFormat.longestRecord else {
            throw problem(
                at: start, "a record of \(count) bytes; at most \(MCAPFormat.longestRecord) are read",
                "the file is damaged, or of a program that writes larger chunks: rewrite it with smaller ones")
        }
        let content: ArraySlice<UInt8>
        do throws(FileFault) {
            content = try source.bytes(at: offset + MCAPFormat.headBytes, count: count)
        } catch {
            throw MCAPProblem(path: path, error)
        }
        // The file may have become shorter since it was opened.
        guard content.count == count else { return cutOff() }
        offset += MCAPFormat.headBytes + count
        return try reporting(at: start) { (reader) throws(RecordFault) in try reader.record(opcode, content, start) }
    }

    /// Whether records of this kind are read; others are skipped, as are unknown ones of later versions.
    private static func isUsed(_ opcode: MCAPFormat.Opcode) -> Bool {
        switch opcode {
        case .header, .footer, .schema, .channel, .message, .chunk, .attachment, .metadata, .dataEnd: true
        case .messageIndex, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset: false
        }
    }

    private mutating func cutOff() -> MCAPRecord? {
        end = .cutOff(offset: offset)
        return nil
    }

    private mutating func bytes(_ count: Int) throws(MCAPProblem) -> ArraySlice<UInt8> {
        do throws(FileFault) {
            return try source.bytes(at: offset, count: count)
        } catch {
            throw MCAPProblem(path: path, error)
        }
    }

    // MARK: - Chunk

    /// The next record of the open chunk; `nil` at its end.
    private mutating func nextInChunk() throws(MCAPProblem) -> MCAPRecord? {
        while let parser = chunk {
            guard parser.left > 0 else {
                chunk = nil
                return nil
            }
            let record = try reporting(at: chunkOffset) { (reader) throws(RecordFault) in
                try reader.recordOfChunk(parser)
            }
            if let record { return record }
        }
        return nil
    }

    private mutating func recordOfChunk(_ start: ByteParser) throws(RecordFault) -> MCAPRecord? {
        var parser = start
        let code = try parser.number(UInt8.self)
        let content = try parser.take(try parser.number(UInt64.self))
        chunk = parser
        switch MCAPFormat.Opcode(rawValue: code) {
        case .schema: return try record(.schema, content, chunkOffset)
        case .channel: return try record(.channel, content, chunkOffset)
        case .message: return try record(.message, content, chunkOffset)
        default: return nil
        }
    }

    // MARK: - Records

    /// The record for the caller; `nil` if it has no content for the caller.
    private mutating func record(_ opcode: MCAPFormat.Opcode, _ content: ArraySlice<UInt8>, _ start: Int)
        throws(RecordFault) -> MCAPRecord?
    {
        switch opcode {
        case .header:
            hasHeader = true
            return try RecordParser.header(content)
        case .schema: return .schema(try note(try RecordParser.schema(content), content.count))
        case .channel: return .channel(try note(try RecordParser.channel(content), content.count))
        case .message:
            let message = try RecordParser.message(content)
            guard channels.contains(message.channel) else {
                throw .refused(
                    problem: "a message of the unknown channel \(message.channel)",
                    remedy: "the file is damaged; use another copy")
            }
            return .message(message)
        case .chunk:
            chunk = ByteParser(try RecordParser.chunk(content, with: decompressor)[...])
            chunkOffset = start
            return nil
        case .attachment: return .attachment(try RecordParser.attachment(content))
        case .metadata: return .metadata(try RecordParser.metadata(content))
        case .dataEnd, .footer:
            end = .complete
            return nil
        case .messageIndex, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset: return nil
        }
    }

    private mutating func note(_ schema: MCAPSchema, _ bytes: Int) throws(RecordFault) -> MCAPSchema {
        if schemas.insert(schema.id).inserted { try count(bytes) }
        return schema
    }

    private mutating func note(_ channel: MCAPChannel, _ bytes: Int) throws(RecordFault) -> MCAPChannel {
        guard channel.schema == 0 || schemas.contains(channel.schema) else {
            throw .refused(
                problem: "the channel \(channel.topic.prefix(64)) has the unknown schema \(channel.schema)",
                remedy: "the file is damaged; use another copy")
        }
        if channels.insert(channel.id).inserted { try count(bytes) }
        return channel
    }

    /// Schemas and channels are kept in memory, so their size is limited.
    private mutating func count(_ bytes: Int) throws(RecordFault) {
        channelBytes += bytes
        guard channelBytes <= MCAPFormat.mostChannelBytes else {
            throw .refused(
                problem: "more than \(MCAPFormat.mostChannelBytes) bytes of schemas and channels",
                remedy: "the file is damaged; use another copy")
        }
    }

    // MARK: - Problems

    private func problem(at offset: Int, _ text: String, _ remedy: String) -> MCAPProblem {
        MCAPProblem(path: path, offset: offset, problem: text, remedy: remedy)
    }

    /// Performs `body`, and adds path and offset to what it throws.
    private mutating func reporting<Value>(
        at offset: Int, _ body: (inout MCAPReader) throws(RecordFault) -> Value
    ) throws(MCAPProblem) -> Value {
        do throws(RecordFault) {
            return try body(&self)
        } catch {
            switch error {
            case .overrun:
                throw problem(at: offset, "a record is damaged", "use another copy of the file")
            case .refused(let text, let remedy): throw problem(at: offset, text, remedy)
            }
        }
    }
}
