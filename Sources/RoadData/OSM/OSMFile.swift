import CZlib

/// An OpenStreetMap PBF file, read block by block. A block is a length, a header with its type, and a compressed body.
///
/// One block is in memory at a time; the format limits it to 32 MiB.
final class OSMFile {
    /// Location of a data block, and the kinds of elements found in it.
    struct BlockPlace {
        var offset: Int
        var length: Int
        var hasNodes = true
        var hasWays = true
    }

    /// Contents of the header block.
    struct Header: Equatable {
        /// Whether nodes precede ways, both in the order of their ids.
        var isSorted = false
        /// Whether the ways have the positions of their points, so that the nodes may be left out.
        var hasLocationsOnWays = false
        /// Time of the data, seconds since 1970; 0: unknown.
        var dataSeconds: Int64 = 0
    }

    /// Path of the file.
    let path: String
    /// Data blocks in order.
    private(set) var blocks: [BlockPlace] = []
    /// Contents of the header block.
    private(set) var header = Header()
    private let file: SourceFile
    private var raw: [UInt8] = []
    private var body: [UInt8] = []

    private static let maximumHeaderBytes = 64 << 10
    private static let maximumBodyBytes = 32 << 20
    private static let knownFeatures: Set<String> = ["OsmSchema-V0.6", "DenseNodes"]

    /// Opens a file, reads its header and locates its blocks.
    init(path: String) throws(ImportProblem) {
        self.path = path
        file = try SourceFile(path)
        try findBlocks()
    }

    /// Stores which kinds of elements a block contains, so that a later pass can skip it.
    func note(block index: Int, hasNodes: Bool, hasWays: Bool) {
        blocks[index].hasNodes = hasNodes
        blocks[index].hasWays = hasWays
    }

    /// Calls `use` with the contents of a data block, valid during the call.
    func withBlock<R>(_ index: Int, _ use: (UnsafeRawBufferPointer) throws(ImportProblem) -> R) throws(ImportProblem)
        -> R
    {
        try inflate(blocks[index])
        let body = body
        return try body.span.withUnsafeBytes(use)
    }

    /// Creates a problem at an offset in the file.
    func problem(at offset: Int, _ reason: String, remedy: String = "download the extract again") -> ImportProblem {
        ImportProblem(place: "\(path), byte \(offset)", reason: reason, remedy: remedy)
    }

    private func findBlocks() throws(ImportProblem) {
        var offset = 0
        var hasHeader = false
        while offset < file.size {
            let size = try bytes(at: offset, 4).reduce(0) { $0 << 8 | Int($1) }
            guard size > 0, size <= Self.maximumHeaderBytes else {
                throw problem(
                    at: offset, offset == 0 ? "is not an OpenStreetMap PBF file" : "no block starts here",
                    remedy: offset == 0 ? "give an .osm.pbf file" : "download the extract again")
            }
            let (type, length) = try blockHeader(at: offset + 4, size)
            let start = offset + 4 + size
            guard length >= 0, length <= Self.maximumBodyBytes else {
                throw problem(at: offset, "a block of \(length) bytes: more than the format allows")
            }
            guard start + length <= file.size else {
                throw problem(
                    at: offset, "the file ends within a block: \(start + length - file.size) bytes are missing")
            }
            if type == "OSMHeader" {
                try readHeader(BlockPlace(offset: start, length: length))
                hasHeader = true
            } else if type == "OSMData" {
                blocks.append(BlockPlace(offset: start, length: length))
            }
            offset = start + length
        }
        guard hasHeader else { throw problem(at: 0, "has no header block", remedy: "give an .osm.pbf file") }
    }

    private func blockHeader(at offset: Int, _ size: Int) throws(ImportProblem) -> (type: String, length: Int) {
        let content = try bytes(at: offset, size)
        var type = ""
        var length = -1
        do throws(ProtobufFault) {
            try content.span.withUnsafeBytes { buffer throws(ProtobufFault) in
                var reader = ProtobufReader(buffer)
                while try reader.next() {
                    switch reader.field {
                    case 1: type = String(decoding: try reader.data(), as: UTF8.self)
                    case 3: length = Int(truncatingIfNeeded: try reader.number())
                    default: try reader.skip()
                    }
                }
            }
        } catch {
            throw problem(at: offset, "a block's header cannot be read")
        }
        return (type, length)
    }

    private func bytes(at offset: Int, _ count: Int) throws(ImportProblem) -> [UInt8] {
        let content = try file.bytes(at: offset, count: count)
        guard content.count == count else { throw problem(at: offset, "the file ends here, in the middle of a block") }
        return content
    }

    /// Reads and decompresses a block into `body`.
    private func inflate(_ place: BlockPlace) throws(ImportProblem) {
        raw = try bytes(at: place.offset, place.length)
        var size = 0
        var packed: UnsafeRawBufferPointer?
        var plain: UnsafeRawBufferPointer?
        var hasOther = false
        let packing = "has a compression other than zlib"
        do throws(ProtobufFault) {
            try raw.span.withUnsafeBytes { buffer throws(ProtobufFault) in
                var reader = ProtobufReader(buffer)
                while try reader.next() {
                    switch reader.field {
                    case 1: plain = try reader.data()
                    case 2: size = Int(truncatingIfNeeded: try reader.number())
                    case 3: packed = try reader.data()
                    case 4...7:
                        hasOther = true
                        try reader.skip()
                    default: try reader.skip()
                    }
                }
                if let plain { body = Array(plain) }
            }
        } catch {
            throw problem(at: place.offset, "a block cannot be read")
        }
        if plain != nil { return }
        guard let packed else {
            throw problem(
                at: place.offset, hasOther ? packing : "a block is empty", remedy: "convert it with `osmium cat`")
        }
        guard size > 0, size <= Self.maximumBodyBytes else {
            throw problem(at: place.offset, "a block has an invalid size of \(size) bytes")
        }
        try unpack(packed.count, at: place, size: size)
    }

    /// Decompresses the zlib data of the block in `raw`. The data are located again, because a pointer into an array is
    /// valid only inside a call.
    private func unpack(_ count: Int, at place: BlockPlace, size: Int) throws(ImportProblem) {
        if body.count != size { body = [UInt8](repeating: 0, count: size) }
        var length = uLongf(size)
        let result = raw.withUnsafeBytes { buffer -> Int32 in
            var reader = ProtobufReader(buffer)
            var packed: UnsafeRawBufferPointer?
            while (try? reader.next()) == true {
                if reader.field == 3 { packed = try? reader.data() } else { try? reader.skip() }
            }
            guard let packed else { return Z_DATA_ERROR }
            return body.withUnsafeMutableBufferPointer { target in
                uncompress(
                    target.baseAddress, &length, packed.bindMemory(to: UInt8.self).baseAddress, uLong(packed.count))
            }
        }
        guard result == Z_OK, length == uLongf(size) else {
            throw problem(at: place.offset, "a block cannot be decompressed: it is damaged")
        }
    }

    private func readHeader(_ place: BlockPlace) throws(ImportProblem) {
        try inflate(place)
        var found = Header()
        var unknown: String?
        do throws(ProtobufFault) {
            try body.span.withUnsafeBytes { buffer throws(ProtobufFault) in
                var reader = ProtobufReader(buffer)
                while try reader.next() {
                    switch reader.field {
                    case 4:
                        let feature = String(decoding: try reader.data(), as: UTF8.self)
                        if !Self.knownFeatures.contains(feature) { unknown = feature }
                    case 5:
                        let feature = String(decoding: try reader.data(), as: UTF8.self)
                        if feature == "Sort.Type_then_ID" { found.isSorted = true }
                        if feature == "LocationsOnWays" { found.hasLocationsOnWays = true }
                    case 32: found.dataSeconds = Int64(bitPattern: try reader.number())
                    default: try reader.skip()
                    }
                }
            }
        } catch {
            throw problem(at: place.offset, "the header cannot be read")
        }
        if let unknown {
            throw problem(
                at: place.offset, "needs the feature \(unknown.prefix(64)), which is not supported",
                remedy: unknown == "HistoricalInformation"
                    ? "make an extract of one time with `osmium time-filter`" : "convert it with `osmium cat`")
        }
        header = found
    }
}
