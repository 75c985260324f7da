/// The contents of one block of OpenStreetMap data.
struct OSMBlock {
    /// A node (point).
    struct Node {
        /// OpenStreetMap id.
        var id: Int64
        /// Latitude, 1e-7 deg.
        var latitudeE7: Int32
        /// Longitude, 1e-7 deg.
        var longitudeE7: Int32
        /// Indices of its tags in ``tags``.
        var tags: Range<Int>
    }

    /// A way (line).
    struct Way {
        /// OpenStreetMap id.
        var id: Int64
        /// Indices of its tags in ``tags``.
        var tags: Range<Int>
        /// Indices of its points in ``refs``.
        var refs: Range<Int>
    }

    /// The parts of a block to be read.
    struct Selection: OptionSet {
        let rawValue: Int
        static let nodes = Selection(rawValue: 1)
        static let ways = Selection(rawValue: 2)
    }

    /// The nodes.
    private(set) var nodes: [Node] = []
    /// The ways.
    private(set) var ways: [Way] = []
    /// Alternating keys and values, as indices in ``strings``.
    private(set) var tags: [UInt32] = []
    /// Ids of the points of ways.
    private(set) var refs: [Int64] = []
    /// The strings.
    private(set) var strings: [UnsafeRawBufferPointer] = []
    /// Whether the block contains nodes, selected or not.
    private(set) var hasNodes = false
    /// Whether the block contains ways, selected or not.
    private(set) var hasWays = false

    private var granularity: Int64 = 100
    private var latitudeOffset: Int64 = 0
    private var longitudeOffset: Int64 = 0

    /// Reads a block; its bytes must stay valid as long as the strings are used.
    init(_ bytes: UnsafeRawBufferPointer, selection: Selection) throws(ProtobufFault) {
        var groups: [UnsafeRawBufferPointer] = []
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1: try readStrings(reader.data())
            case 2: groups.append(try reader.data())
            case 17: granularity = Int64(truncatingIfNeeded: try reader.number())
            case 19: latitudeOffset = Int64(bitPattern: try reader.number())
            case 20: longitudeOffset = Int64(bitPattern: try reader.number())
            default: try reader.skip()
            }
        }
        guard granularity > 0, granularity <= 1_000_000_000 else { throw .malformed }
        for group in groups { try readGroup(group, selection) }
    }

    /// The string of an index.
    func text(_ index: UInt32) -> String {
        index < strings.count ? String(decoding: strings[Int(index)], as: UTF8.self) : ""
    }

    private mutating func readStrings(_ bytes: UnsafeRawBufferPointer) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            if reader.field == 1 { strings.append(try reader.data()) } else { try reader.skip() }
        }
    }

    private mutating func readGroup(_ bytes: UnsafeRawBufferPointer, _ selection: Selection) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1, 2:
                hasNodes = true
                guard selection.contains(.nodes) else {
                    try reader.skip()
                    continue
                }
                if reader.field == 1 { try readNode(reader.data()) } else { try readDense(reader.data()) }
            case 3:
                hasWays = true
                if selection.contains(.ways) { try readWay(reader.data()) } else { try reader.skip() }
            default: try reader.skip()
            }
        }
    }

    private mutating func readNode(_ bytes: UnsafeRawBufferPointer) throws(ProtobufFault) {
        var (id, latitude, longitude) = (Int64(0), Int64(0), Int64(0))
        var keys = PackedNumbers(UnsafeRawBufferPointer(start: nil, count: 0))
        var values = keys
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1: id = Self.signed(try reader.number())
            case 2: keys = PackedNumbers(try reader.data())
            case 3: values = PackedNumbers(try reader.data())
            case 8: latitude = Self.signed(try reader.number())
            case 9: longitude = Self.signed(try reader.number())
            default: try reader.skip()
            }
        }
        let first = tags.count
        try readTags(&keys, &values)
        add(id, latitude, longitude, first..<tags.count)
    }

    private mutating func readDense(_ bytes: UnsafeRawBufferPointer) throws(ProtobufFault) {
        let nothing = PackedNumbers(UnsafeRawBufferPointer(start: nil, count: 0))
        var (ids, latitudes, longitudes, pairs) = (nothing, nothing, nothing, nothing)
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1: ids = PackedNumbers(try reader.data())
            case 8: latitudes = PackedNumbers(try reader.data())
            case 9: longitudes = PackedNumbers(try reader.data())
            case 10: pairs = PackedNumbers(try reader.data())
            default: try reader.skip()
            }
        }
        var (id, latitude, longitude) = (Int64(0), Int64(0), Int64(0))
        while let step = try ids.nextSigned() {
            guard let north = try latitudes.nextSigned(), let east = try longitudes.nextSigned() else {
                throw .truncated
            }
            id &+= step
            latitude &+= north
            longitude &+= east
            let first = tags.count
            while let key = try pairs.next(), key != 0 {
                guard let value = try pairs.next() else { throw .truncated }
                tags.append(UInt32(truncatingIfNeeded: key))
                tags.append(UInt32(truncatingIfNeeded: value))
            }
            add(id, latitude, longitude, first..<tags.count)
        }
    }

    private mutating func readWay(_ bytes: UnsafeRawBufferPointer) throws(ProtobufFault) {
        var keys = PackedNumbers(UnsafeRawBufferPointer(start: nil, count: 0))
        var values = keys
        var id: Int64 = 0
        let firstRef = refs.count
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1: id = Int64(bitPattern: try reader.number())
            case 2: keys = PackedNumbers(try reader.data())
            case 3: values = PackedNumbers(try reader.data())
            case 8:
                var steps = PackedNumbers(try reader.data())
                var ref: Int64 = 0
                while let step = try steps.nextSigned() {
                    ref &+= step
                    refs.append(ref)
                }
            default: try reader.skip()
            }
        }
        let firstTag = tags.count
        try readTags(&keys, &values)
        ways.append(Way(id: id, tags: firstTag..<tags.count, refs: firstRef..<refs.count))
    }

    private mutating func readTags(_ keys: inout PackedNumbers, _ values: inout PackedNumbers) throws(ProtobufFault) {
        while let key = try keys.next() {
            guard let value = try values.next() else { throw .truncated }
            tags.append(UInt32(truncatingIfNeeded: key))
            tags.append(UInt32(truncatingIfNeeded: value))
        }
    }

    /// Adds a node; a node with coordinates out of range is skipped.
    private mutating func add(_ id: Int64, _ latitude: Int64, _ longitude: Int64, _ tags: Range<Int>) {
        // Coordinates are in units of 1e-9 deg times the granularity.
        let (north, overflowNorth) = latitude.multipliedReportingOverflow(by: granularity)
        let (east, overflowEast) = longitude.multipliedReportingOverflow(by: granularity)
        let (latitudeNano, farNorth) = north.addingReportingOverflow(latitudeOffset)
        let (longitudeNano, farEast) = east.addingReportingOverflow(longitudeOffset)
        guard !overflowNorth, !overflowEast, !farNorth, !farEast, latitudeNano.magnitude <= 90_000_000_000,
            longitudeNano.magnitude <= 180_000_000_000
        else {
            return
        }
        nodes.append(
            Node(
                id: id, latitudeE7: Int32((Double(latitudeNano) / 100).rounded()),
                longitudeE7: Int32((Double(longitudeNano) / 100).rounded()),
                tags: tags))
    }

    private static func signed(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
