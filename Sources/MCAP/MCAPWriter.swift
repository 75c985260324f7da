/// Makes the bytes of an MCAP file. The caller appends what ``takeBytes()`` returns to the file; after a call of
/// ``finishChunk()`` everything written so far is contained in complete records.
///
/// Messages are collected into chunks, which are compressed with zstd and have a CRC-32. Schemas and channels are
/// written into the chunk that uses them first, so that a file that was cut off anywhere is readable up to its last
/// complete chunk.
package struct MCAPWriter {
    /// Limits of a chunk.
    package struct Limits: Sendable {
        /// A chunk that reaches this size is finished, bytes before compression.
        package var chunkBytes = 1 << 20
        /// A chunk is finished before it would span more than this time, nanoseconds.
        package var chunkNanoseconds: UInt64 = 1_000_000_000

        /// The defaults.
        package init() {}
    }

    private let limits: Limits
    private let compressor = ZstdCompressor()
    /// Finished records that were not taken yet.
    private var output: [UInt8] = []
    /// Bytes of the file before ``output``.
    private var taken = 0
    private var chunk: [UInt8] = []
    private var chunkTimes: ClosedRange<UInt64>?
    private var index: [UInt16: [UInt8]] = [:]
    private var schemas: [MCAPSchema] = []
    private var channels: [MCAPChannel] = []
    /// The indexes of the summary, as records.
    private var chunkIndexes: [UInt8] = []
    private var attachmentIndexes: [UInt8] = []
    private var metadataIndexes: [UInt8] = []
    private var messageCounts: [UInt16: UInt64] = [:]
    private var times: ClosedRange<UInt64>?
    private var counts = (chunks: UInt32(0), attachments: UInt32(0), metadata: UInt32(0))

    /// Starts a file.
    package init(profile: String, library: String, limits: Limits = Limits()) {
        self.limits = limits
        output = MCAPFormat.magic
        output.append(record: .header) {
            $0.append(text: profile)
            $0.append(text: library)
        }
    }

    /// Bytes of the file so far, without the open chunk.
    package var size: Int { taken + output.count }

    /// The bytes since the last call.
    package mutating func takeBytes() -> [UInt8] {
        defer { output.removeAll() }
        taken += output.count
        return output
    }

    /// Adds a schema; returns its identifier. A file has at most 65,535 schemas.
    package mutating func addSchema(name: String, encoding: String, data: [UInt8]) -> UInt16 {
        let id = UInt16(truncatingIfNeeded: schemas.count + 1)
        let schema = MCAPSchema(id: id, name: name, encoding: encoding, data: data)
        schemas.append(schema)
        chunk.append(schema)
        return id
    }

    /// Adds a channel; returns its identifier. A file has at most 65,535 channels.
    package mutating func addChannel(topic: String, encoding: String, schema: UInt16) -> UInt16 {
        let id = UInt16(truncatingIfNeeded: channels.count + 1)
        let channel = MCAPChannel(id: id, schema: schema, topic: topic, encoding: encoding)
        channels.append(channel)
        chunk.append(channel)
        return id
    }

    /// Adds a message. Finishes the chunk before or after it when a limit is reached.
    package mutating func add(_ message: MCAPMessage) {
        if let chunkTimes, spans(chunkTimes, message.logTime) { finishChunk() }
        let offset = UInt64(chunk.count)
        chunk.append(record: .message) {
            $0.append(number: message.channel)
            $0.append(number: message.sequence)
            $0.append(number: message.logTime)
            $0.append(number: message.publishTime)
            $0.append(contentsOf: message.data)
        }
        index[message.channel, default: []].append(number: message.logTime)
        index[message.channel, default: []].append(number: offset)
        messageCounts[message.channel, default: 0] += 1
        chunkTimes = chunkTimes.extended(to: message.logTime)
        times = times.extended(to: message.logTime)
        if chunk.count >= limits.chunkBytes { finishChunk() }
    }

    /// Finishes the open chunk, if it contains anything.
    package mutating func finishChunk() {
        guard !chunk.isEmpty else { return }
        let (start, end) = (chunkTimes?.lowerBound ?? 0, chunkTimes?.upperBound ?? 0)
        let offset = size
        let (compression, compressedSize) = appendChunk(start: start, end: end)
        let length = size - offset
        let offsets = appendMessageIndexes()
        let indexLength = size - offset - length
        let plainSize = chunk.count
        chunkIndexes.append(record: .chunkIndex) {
            for number in [start, end, UInt64(offset), UInt64(length)] { $0.append(number: number) }
            $0.append(number: UInt32(truncatingIfNeeded: offsets.count * 10))
            for (channel, offset) in offsets {
                $0.append(number: channel)
                $0.append(number: offset)
            }
            $0.append(number: UInt64(indexLength))
            $0.append(text: compression)
            $0.append(number: UInt64(compressedSize))
            $0.append(number: UInt64(plainSize))
        }
        counts.chunks += 1
        chunk.removeAll(keepingCapacity: true)
        chunkTimes = nil
    }

    /// Adds an attachment. It follows the messages added before it.
    package mutating func add(_ attachment: MCAPAttachment) {
        finishChunk()
        let offset = size
        output.append(record: .attachment) {
            let start = $0.count
            $0.append(number: attachment.logTime)
            $0.append(number: attachment.createTime)
            $0.append(text: attachment.name)
            $0.append(text: attachment.mediaType)
            $0.append(number: UInt64(attachment.data.count))
            $0.append(contentsOf: attachment.data)
            $0.append(number: MCAPFormat.checksum(Array($0[start...])))
        }
        let length = size - offset
        attachmentIndexes.append(record: .attachmentIndex) {
            for number in [UInt64(offset), UInt64(length), attachment.logTime, attachment.createTime] {
                $0.append(number: number)
            }
            $0.append(number: UInt64(attachment.data.count))
            $0.append(text: attachment.name)
            $0.append(text: attachment.mediaType)
        }
        counts.attachments += 1
    }

    /// Adds metadata. They follow the messages added before them.
    package mutating func add(_ metadata: MCAPMetadata) {
        finishChunk()
        let offset = size
        output.append(record: .metadata) {
            $0.append(text: metadata.name)
            $0.append(texts: metadata.values)
        }
        let length = size - offset
        metadataIndexes.append(record: .metadataIndex) {
            $0.append(number: UInt64(offset))
            $0.append(number: UInt64(length))
            $0.append(text: metadata.name)
        }
        counts.metadata += 1
    }

    /// Ends the file with its summary. Nothing may be added afterwards.
    package mutating func finish() {
        finishChunk()
        output.append(record: .dataEnd) { $0.append(number: UInt32(0)) }
        let summaryStart = size
        let groups = summaryGroups()
        var offsets: [UInt8] = []
        for (opcode, bytes) in groups where !bytes.isEmpty {
            let start = size
            output.append(contentsOf: bytes)
            offsets.append(record: .summaryOffset) {
                $0.append(opcode.rawValue)
                $0.append(number: UInt64(start))
                $0.append(number: UInt64(bytes.count))
            }
        }
        let offsetStart = size
        output.append(contentsOf: offsets)
        output.append(record: .footer) {
            $0.append(number: UInt64(summaryStart))
            $0.append(number: UInt64(offsetStart))
            $0.append(number: UInt32(0))
        }
        // The CRC covers the summary up to and without itself, with the length of the footer in place.
        let summary = Array(output[(summaryStart - taken)..<(output.count - 4)])
        output.replace(at: output.count - 4, with: MCAPFormat.checksum(summary))
        output.append(contentsOf: MCAPFormat.magic)
    }

    // MARK: - Parts

    private func spans(_ range: ClosedRange<UInt64>, _ time: UInt64) -> Bool {
        let all = min(range.lowerBound, time)...max(range.upperBound, time)
        return all.upperBound - all.lowerBound >= limits.chunkNanoseconds
    }

    private mutating func appendChunk(start: UInt64, end: UInt64) -> (compression: String, compressedSize: Int) {
        var compressed: [UInt8] = []
        let isSmaller = compressor.append(chunk, to: &compressed)
        let compression = isSmaller ? "zstd" : ""
        let records = isSmaller ? compressed : chunk
        output.append(record: .chunk) {
            $0.append(number: start)
            $0.append(number: end)
            $0.append(number: UInt64(chunk.count))
            $0.append(number: MCAPFormat.checksum(chunk))
            $0.append(text: compression)
            $0.append(number: UInt64(records.count))
            $0.append(contentsOf: records)
        }
        return (compression, records.count)
    }

    private mutating func appendMessageIndexes() -> [(channel: UInt16, offset: UInt64)] {
        var offsets: [(channel: UInt16, offset: UInt64)] = []
        for channel in channels.map(\.id) {
            guard let entries = index[channel], !entries.isEmpty else { continue }
            offsets.append((channel, UInt64(size)))
            output.append(record: .messageIndex) {
                $0.append(number: channel)
                $0.append(number: UInt32(truncatingIfNeeded: entries.count))
                $0.append(contentsOf: entries)
            }
            index[channel]?.removeAll(keepingCapacity: true)
        }
        return offsets
    }

    private func summaryGroups() -> [(MCAPFormat.Opcode, [UInt8])] {
        var (schemaBytes, channelBytes, statistics): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        for schema in schemas { schemaBytes.append(schema) }
        for channel in channels { channelBytes.append(channel) }
        statistics.append(record: .statistics) {
            $0.append(number: messageCounts.values.reduce(0, +))
            $0.append(number: UInt16(truncatingIfNeeded: schemas.count))
            $0.append(number: UInt32(truncatingIfNeeded: channels.count))
            for count in [counts.attachments, counts.metadata, counts.chunks] { $0.append(number: count) }
            $0.append(number: times?.lowerBound ?? 0)
            $0.append(number: times?.upperBound ?? 0)
            $0.append(number: UInt32(truncatingIfNeeded: messageCounts.count * 10))
            for (channel, count) in messageCounts.sorted(by: { $0.key < $1.key }) {
                $0.append(number: channel)
                $0.append(number: count)
            }
        }
        return [
            (.schema, schemaBytes), (.channel, channelBytes), (.statistics, statistics),
            (.chunkIndex, chunkIndexes), (.attachmentIndex, attachmentIndexes), (.metadataIndex, metadataIndexes),
        ]
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ schema: MCAPSchema) {
        append(record: .schema) {
            $0.append(number: schema.id)
            $0.append(text: schema.name)
            $0.append(text: schema.encoding)
            $0.append(number: UInt32(truncatingIfNeeded: schema.data.count))
            $0.append(contentsOf: schema.data)
        }
    }

    fileprivate mutating func append(_ channel: MCAPChannel) {
        append(record: .channel) {
            $0.append(number: channel.id)
            $0.append(number: channel.schema)
            $0.append(text: channel.topic)
            $0.append(text: channel.encoding)
            $0.append(texts: [:])
        }
    }
}

extension ClosedRange<UInt64>? {
    /// The range with another time.
    fileprivate func extended(to time: UInt64) -> ClosedRange<UInt64> {
        self.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
}
