import CZlib

/// Writes small maps in the PBF format for tests, independent of the reader.
package struct MapWriter {
    package struct Node {
        package var id: Int64
        package var latitude: Double
        package var longitude: Double
        package var tags: [(String, String)] = []
    }

    package struct Way {
        package var id: Int64
        package var refs: [Int64]
        package var tags: [(String, String)]
    }

    package var nodes: [Node] = []
    package var ways: [Way] = []
    package var isSorted = true
    package var isPacked = true
    package var feature = "OsmSchema-V0.6"
    package var optionalFeatures: [String] = []
    package var nodesPerBlock = 1000
    /// Offset of all latitudes, 1e-9 deg.
    package var latitudeOffset: Int64 = 0
    /// Offset of all longitudes, 1e-9 deg.
    package var longitudeOffset: Int64 = 0

    package init() {}

    package mutating func node(_ id: Int64, _ latitude: Double, _ longitude: Double, _ tags: [(String, String)] = []) {
        nodes.append(Node(id: id, latitude: latitude, longitude: longitude, tags: tags))
    }

    package mutating func way(_ id: Int64, _ refs: [Int64], _ tags: [(String, String)] = [("highway", "residential")]) {
        ways.append(Way(id: id, refs: refs, tags: tags))
    }

    /// The whole file.
    package var bytes: [UInt8] {
        var header = field(4, text(feature))
        if isSorted { header += field(5, text("Sort.Type_then_ID")) }
        for feature in optionalFeatures { header += field(5, text(feature)) }
        header += number(32, 1_700_000_000)
        var file = block("OSMHeader", header)
        for start in stride(from: 0, to: nodes.count, by: nodesPerBlock) {
            file += block("OSMData", nodeBlock(Array(nodes[start..<min(start + nodesPerBlock, nodes.count)])))
        }
        if !ways.isEmpty { file += block("OSMData", wayBlock()) }
        return file
    }

    private func nodeBlock(_ nodes: [Node]) -> [UInt8] {
        var strings = Strings()
        var (id, latitude, longitude) = (Int64(0), Int64(0), Int64(0))
        var (ids, latitudes, longitudes, pairs): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        for node in nodes {
            let north = Int64((node.latitude * 1e7).rounded())
            let east = Int64((node.longitude * 1e7).rounded())
            ids += varint(zigzag(node.id - id))
            latitudes += varint(zigzag(north - latitude))
            longitudes += varint(zigzag(east - longitude))
            (id, latitude, longitude) = (node.id, north, east)
            for (key, value) in node.tags { pairs += varint(strings.index(key)) + varint(strings.index(value)) }
            pairs += [0]
        }
        let dense = field(1, ids) + field(8, latitudes) + field(9, longitudes) + field(10, pairs)
        let offsets =
            number(19, UInt64(bitPattern: latitudeOffset)) + number(20, UInt64(bitPattern: longitudeOffset))
        return field(1, strings.table) + field(2, field(2, dense)) + offsets
    }

    private func wayBlock() -> [UInt8] {
        var strings = Strings()
        var group: [UInt8] = []
        for way in ways {
            var (keys, values, refs): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
            for (key, value) in way.tags {
                keys += varint(strings.index(key))
                values += varint(strings.index(value))
            }
            var last: Int64 = 0
            for ref in way.refs {
                refs += varint(zigzag(ref - last))
                last = ref
            }
            group += field(3, number(1, UInt64(way.id)) + field(2, keys) + field(3, values) + field(8, refs))
        }
        return field(1, strings.table) + field(2, group)
    }

    private func block(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var blob: [UInt8]
        if isPacked {
            var length = compressBound(uLong(body.count))
            var packed = [UInt8](repeating: 0, count: Int(length))
            compress(&packed, &length, body, uLong(body.count))
            blob = number(2, UInt64(body.count)) + field(3, Array(packed.prefix(Int(length))))
        } else {
            blob = field(1, body)
        }
        let header = field(1, text(type)) + number(3, UInt64(blob.count))
        let size = UInt32(header.count)
        return [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)] + header + blob
    }

    private struct Strings {
        var all: [String] = [""]
        mutating func index(_ string: String) -> UInt64 {
            if let index = all.firstIndex(of: string), index > 0 { return UInt64(index) }
            all.append(string)
            return UInt64(all.count - 1)
        }
        var table: [UInt8] { all.flatMap { field(1, Array($0.utf8)) } }
    }
}

private func text(_ string: String) -> [UInt8] { Array(string.utf8) }
private func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
private func number(_ field: UInt64, _ value: UInt64) -> [UInt8] { varint(field << 3) + varint(value) }
private func field(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(field << 3 | 2) + varint(UInt64(bytes.count)) + bytes
}

private func varint(_ value: UInt64) -> [UInt8] {
    var (value, bytes): (UInt64, [UInt8]) = (value, [])
    while value >= 0x80 {
        bytes.append(UInt8(value & 0x7F) | 0x80)
        value >>= 7
    }
    return bytes + [UInt8(value)]
}
