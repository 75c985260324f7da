import Glibc

/// Writes an OpenStreetMap extract (PBF with uncompressed blocks) of a given size: a grid of nodes, every third one
/// part of a road of twenty points.
struct SyntheticExtract {
    /// Approximate size, bytes.
    var megabytes: Int

    private static let nodesPerBlock = 8000
    private static let nodesPerWay = 20

    /// Writes the file.
    func write(to path: String) throws {
        guard let stream = fopen(path, "we") else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
        defer { fclose(stream) }
        let features =
            field(4, Array("OsmSchema-V0.6".utf8)) + field(4, Array("DenseNodes".utf8))
            + field(5, Array("Sort.Type_then_ID".utf8))
        put(block("OSMHeader", features), stream)
        // A node takes about 8 bytes, its share of a way 1 byte.
        let blocks = max(1, megabytes * 1_000_000 / (Self.nodesPerBlock * 9))
        var random = Scatter(seed: 5)
        for index in 0..<blocks { put(nodeBlock(index, &random), stream) }
        for index in 0..<blocks { put(wayBlock(index), stream) }
        guard ferror(stream) == 0 else { throw BenchError("\(path): cannot be written") }
    }

    /// A block of nodes fills a square of 0.1 degrees; roads run along it row by row.
    private func nodeBlock(_ index: Int, _ random: inout Scatter) -> [UInt8] {
        let south = Int64(-600_000_000 + (index / 3000) % 1200 * 1_000_000)
        let west = Int64(-1_700_000_000 + index % 3000 * 1_000_000)
        var (ids, norths, easts): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var (id, north, east) = (Int64(0), Int64(0), Int64(0))
        for number in 0..<Self.nodesPerBlock {
            let nextId = Int64(index * Self.nodesPerBlock + number + 1)
            let nextNorth = south + Int64(number / 90) * 11_000 + Int64(random.next() * 5000)
            let nextEast = west + Int64(number % 90) * 11_000 + Int64(random.next() * 5000)
            append(nextId - id, to: &ids)
            append(nextNorth - north, to: &norths)
            append(nextEast - east, to: &easts)
            (id, north, east) = (nextId, nextNorth, nextEast)
        }
        return block(
            "OSMData", field(1, field(1, [])) + field(2, field(2, field(1, ids) + field(8, norths) + field(9, easts))))
    }

    private func wayBlock(_ index: Int) -> [UInt8] {
        let strings = ["", "highway", "residential", "maxspeed", "50"].flatMap { field(1, Array($0.utf8)) }
        var group: [UInt8] = []
        for way in stride(from: 0, to: Self.nodesPerBlock - Self.nodesPerWay, by: 3 * Self.nodesPerWay) {
            var refs: [UInt8] = []
            append(Int64(index * Self.nodesPerBlock + way + 1), to: &refs)
            for _ in 1..<Self.nodesPerWay { append(1, to: &refs) }
            group += field(
                3,
                varint(8) + varint(UInt64(index * 1000 + way + 1)) + field(2, [1, 3]) + field(3, [2, 4])
                    + field(8, refs))
        }
        return block("OSMData", field(1, strings) + field(2, group))
    }

    private func block(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let blob = field(1, body)
        let header = field(1, Array(type.utf8)) + varint(24) + varint(UInt64(blob.count))
        let size = UInt32(header.count)
        return [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)] + header + blob
    }

    private func put(_ bytes: [UInt8], _ stream: UnsafeMutablePointer<FILE>) { fwrite(bytes, 1, bytes.count, stream) }

    private func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes): (UInt64, [UInt8]) = (value, [])
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
