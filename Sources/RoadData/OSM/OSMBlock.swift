/// What one block of OpenStreetMap data holds.
struct OSMBlock {
    /// A point.
    struct Node {
        /// Its number.
        var id: Int64
        /// Latitude, 1e-7 deg.
        var latitudeE7: Int32
        /// Longitude, 1e-7 deg.
        var longitudeE7: Int32
        /// Its tags: places in ``tags``.
        var tags: Range<Int>
    }

    /// A line.
    struct Way {
        /// Its number.
        var id: Int64
        /// Its tags: places in ``tags``.
        var tags: Range<Int>
        /// Its points: places in ``refs``.
        var refs: Range<Int>
    }

    /// What is wanted of a block.
    struct Wish: OptionSet {
        let rawValue: Int
        static let nodes = Wish(rawValue: 1)
        static let ways = Wish(rawValue: 2)
    }

    /// The points.
    private(set) var nodes: [Node] = []
    /// The lines.
    private(set) var ways: [Way] = []
    /// Keys and values in turn, as places in ``strings``.
    private(set) var tags: [UInt32] = []
    /// Numbers of the points of lines.
    private(set) var refs: [Int64] = []
    /// The texts.
    private(set) var strings: [UnsafeRawBufferPointer] = []
    /// Whether there are points at all, wanted or not.
    private(set) var hasNodes = false
    /// Whether there are lines at all.
    private(set) var hasWays = false

    private var granularity: Int64 = 100
    private var latitudeOffset: Int64 = 0
    private var longitudeOffset: Int64 = 0

    /// Reads a block, which must stay where it is as long as the texts are used.
    init(_ bytes: UnsafeRawBufferPointer, wish: Wish) throws(ProtobufFault) {
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
        for group in groups { try readGroup(group, wish) }
    }

    /// A text.
    func text(_ index: UInt32) -> String {
        index < strings.count ? String(decoding: strings[Int(index)], as: UTF8.self) : ""
    }

    private mutating func readStrings(_ bytes: UnsafeRawBufferPointer) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            if reader.field == 1 { strings.append(try reader.data()) } else { try reader.skip() }
        }
    }

    private mutating func readGroup(_ bytes: UnsafeRawBufferPointer, _ wish: Wish) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        while try reader.next() {
            switch reader.field {
            case 1, 2:
                hasNodes = true
                guard wish.contains(.nodes) else {
                    try reader.skip()
                    continue
                }
                if reader.field == 1 { try readNode(reader.data()) } else { try readDense(reader.data()) }
            case 3:
                hasWays = true
                if wish.contains(.ways) { try readWay(reader.data()) } else { try reader.skip() }
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

    /// Adds a point; one outside the Earth's coordinates is left out.
    private mutating func add(_ id: Int64, _ latitude: Int64, _ longitude: Int64, _ tags: Range<Int>) {
        // The form counts in units of 1e-9 deg times the granularity.
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
