import Files

/// The bytes of a file or of memory, read forward in blocks.
struct ByteSource: ~Copyable {
    private let file: RegularFile?
    /// The block in memory: a part of the file, or all bytes.
    private var block: [UInt8]
    /// Offset of ``block`` in the file.
    private var blockStart = 0
    /// Bytes of the whole source when it was opened.
    let size: Int

    /// Bytes read from a file at once.
    private static let blockBytes = 1 << 18

    init(path: String) throws(FileFault) {
        let file = try RegularFile(path)
        size = file.size
        self.file = consume file
        block = []
    }

    init(bytes: [UInt8]) {
        size = bytes.count
        block = bytes
        file = nil
    }

    /// The bytes from an offset on; fewer than `count` only at the end of the file.
    mutating func bytes(at offset: Int, count: Int) throws(FileFault) -> ArraySlice<UInt8> {
        let count = min(count, max(size - offset, 0))
        if offset < blockStart || offset + count > blockStart + block.count, file != nil {
            let wanted = min(max(count, Self.blockBytes), max(size - offset, 0))
            block = try file?.bytes(at: offset, count: wanted) ?? []
            blockStart = offset
        }
        let start = offset - blockStart
        guard start >= 0, start <= block.count else { return [] }
        return block[start..<min(start + count, block.count)]
    }
}
