import CZlib

/// Numbers of the MCAP format, version 0 (https://mcap.dev/spec).
enum MCAPFormat {
    /// The first and the last bytes of a file. The sixth is the version.
    static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    /// Bytes of a record before its content: opcode and length.
    static let headBytes = 9
    /// Maximum content of a record outside a chunk, and maximum uncompressed size of a chunk, bytes.
    static let longestRecord = 64 << 20
    /// Maximum bytes of all schemas and channels together: they are kept in memory.
    static let mostChannelBytes = 16 << 20

    /// Kinds of records.
    enum Opcode: UInt8 {
        case header = 0x01
        case footer = 0x02
        case schema = 0x03
        case channel = 0x04
        case message = 0x05
        case chunk = 0x06
        case messageIndex = 0x07
        case chunkIndex = 0x08
        case attachment = 0x09
        case attachmentIndex = 0x0A
        case statistics = 0x0B
        case metadata = 0x0C
        case metadataIndex = 0x0D
        case summaryOffset = 0x0E
        case dataEnd = 0x0F
    }

    /// The CRC-32 of bytes that follow others with the CRC-32 `before`.
    static func checksum(_ bytes: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else { return before }
        return UInt32(truncatingIfNeeded: crc32_z(UInt(before), base, bytes.count))
    }

    /// The CRC-32 of bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.span.withUnsafeBytes { checksum($0) } }
}
