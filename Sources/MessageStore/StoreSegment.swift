import CZlib

/// The messages of one file: their records, one after the other.
///
/// A record is the checksum of what follows (CRC-32), the length of the payload, the channel, the flags, and the
/// payload; numbers are little-endian. A closed file is ``magic``, the size of the records, their number, and the
/// records compressed by zlib.
struct StoreSegment: Sendable {
    /// Size of the records with which a file is closed, bytes.
    static let closingSize = 262_144
    /// Maximum size of the records of a file, bytes: those before the last one are fewer than ``closingSize``.
    static let sizeLimit = closingSize + headSize + StoredMessage.payloadLimit
    /// Bytes before the payload of a record.
    static let headSize = 12
    /// The first bytes of a closed file.
    static let magic: [UInt8] = Array("POSEDMQ1".utf8)

    /// The records.
    private(set) var bytes: [UInt8] = []
    /// Where each record starts.
    private var starts: [Int] = []

    /// Creates a segment without messages.
    init() {}

    /// Number of messages.
    var count: Int { starts.count }

    /// Reads the records that are whole, up to the first one that is not. A program that was killed may have left a
    /// part of a record at the end.
    init(records: [UInt8]) {
        var at = 0
        while let end = Self.end(of: at, in: records) {
            starts.append(at)
            at = end
        }
        bytes = at == records.count ? records : Array(records[..<at])
    }

    /// Bytes of a closed file before the compressed records.
    static let fileHeadSize = 16

    /// The number of messages that the first bytes of a closed file state; 0 if it is damaged.
    static func count(head: [UInt8]) -> Int {
        head.starts(with: magic) && head.count >= fileHeadSize ? Int(number(head, at: 12)) : 0
    }

    /// Reads a closed file; `nil` if it is damaged.
    init?(closed file: [UInt8]) {
        guard file.starts(with: Self.magic), file.count >= Self.fileHeadSize else { return nil }
        let size = Int(Self.number(file, at: 8))
        let count = Int(Self.number(file, at: 12))
        guard size <= Self.sizeLimit else { return nil }
        var length = uLongf(size)
        let records = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            let result = file[16...].withUnsafeBufferPointer {
                uncompress(buffer.baseAddress, &length, $0.baseAddress, uLong($0.count))
            }
            initialized = result == Z_OK ? min(Int(length), size) : 0
        }
        self.init(records: records)
        guard records.count == size, self.count == count, bytes.count == size else { return nil }
    }

    /// The content of the closed file; `nil` if there is no memory for it.
    var closed: [UInt8]? {
        var length = compressBound(uLong(bytes.count))
        var isWhole = false
        let packed = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, initialized in
            let result = bytes.withUnsafeBufferPointer {
                compress2(buffer.baseAddress, &length, $0.baseAddress, uLong($0.count), 6)
            }
            isWhole = result == Z_OK
            initialized = isWhole ? Int(length) : 0
        }
        guard isWhole else { return nil }
        return Self.magic + Self.little(UInt32(bytes.count)) + Self.little(UInt32(count)) + packed
    }

    /// Appends a message whose payload is within its limit; returns the bytes of its record.
    @discardableResult mutating func append(_ message: StoredMessage) -> ArraySlice<UInt8> {
        let start = bytes.count
        starts.append(start)
        bytes += [0, 0, 0, 0]
        bytes += Self.little(UInt32(message.payload.count))
        bytes += [message.channel, message.isThinnable ? 1 : 0, 0, 0]
        bytes += message.payload
        bytes.replaceSubrange(start..<(start + 4), with: Self.little(Self.checksum(bytes[(start + 4)...])))
        return bytes[start...]
    }

    /// The message with that number.
    func message(_ index: Int) -> StoredMessage? {
        guard starts.indices.contains(index) else { return nil }
        let start = starts[index]
        let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
        return StoredMessage(
            channel: bytes[start + 8], isThinnable: bytes[start + 9] & 1 != 0,
            payload: Array(bytes[(start + Self.headSize)..<end]))
    }

    /// The same without every second message that may be left out.
    var thinned: StoreSegment {
        var rest = StoreSegment()
        var isKept = false
        for index in starts.indices {
            guard let message = message(index) else { continue }
            if message.isThinnable {
                isKept.toggle()
                guard isKept else { continue }
            }
            rest.append(message)
        }
        return rest
    }

    /// Appends all messages of another segment.
    mutating func append(_ other: StoreSegment) {
        starts += other.starts.map { $0 + bytes.count }
        bytes += other.bytes
    }

    /// Removes all messages and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Where the whole record at an offset ends; `nil` if none is there.
    private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
        guard start <= bytes.count - headSize else { return nil }
        let length = Int(number(bytes, at: start + 4))
        guard length <= StoredMessage.payloadLimit, length <= bytes.count - headSize - start else { return nil }
        let end = start + headSize + length
        return checksum(bytes[(start + 4)..<end]) == number(bytes, at: start) ? end : nil
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32(truncatingIfNeeded: $0.count)))
        }
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }

    private static func number(_ bytes: [UInt8], at start: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    }
}
