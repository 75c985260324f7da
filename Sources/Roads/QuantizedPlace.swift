import PoseMath

/// An Earth-centred point in units of 1/256 m. Comparisons need no trigonometry and no special cases at the
/// antimeridian or the poles.
public struct QuantizedPoint: BitwiseCopyable, Hashable, Sendable {
    /// Axis towards 0 N 0 E.
    public var x: Int32 = 0
    /// Axis towards 0 N 90 E.
    public var y: Int32 = 0
    /// Axis towards the north pole.
    public var z: Int32 = 0

    /// Units per metre.
    public static let unitsPerMeter = 256.0

    /// The centre of the Earth.
    public init() {}

    /// Quantizes an Earth-centred point, metres; coordinates are clamped to +-8,000 km.
    public init(meters p: Vector3) {
        x = Self.quantized(p.x)
        y = Self.quantized(p.y)
        z = Self.quantized(p.z)
    }

    /// The point, metres.
    @inline(__always) public var meters: Vector3 { Vector3(Double(x), Double(y), Double(z)) / Self.unitsPerMeter }

    @inline(__always) static func quantized(_ meters: Double) -> Int32 {
        guard meters.isFinite else { return 0 }
        return Int32((min(max(meters, -8e6), 8e6) * unitsPerMeter).rounded())
    }

    /// Z-order (Morton) code: the interleaved bits of the three coordinates in steps of 8 m. Points close in space have
    /// close codes.
    public var order: UInt64 { Self.spread(x) | Self.spread(y) << 1 | Self.spread(z) << 2 }

    private static func spread(_ value: Int32) -> UInt64 {
        // Keeps 21 bits: the sign is offset, the lowest 11 bits are dropped.
        var v = UInt64(UInt32(bitPattern: value) ^ 0x8000_0000) >> 11
        v = (v | v << 32) & 0x001F_0000_0000_FFFF
        v = (v | v << 16) & 0x001F_0000_FF00_00FF
        v = (v | v << 8) & 0x100F_00F0_0F00_F00F
        v = (v | v << 4) & 0x10C3_0C30_C30C_30C3
        return (v | v << 2) & 0x1249_2492_4924_9249
    }
}

/// An axis-parallel box in Earth-centred coordinates, in the units of ``QuantizedPoint``.
public struct QuantizedBox: BitwiseCopyable, Sendable, Equatable {
    var lowX = Int32.max
    var lowY = Int32.max
    var lowZ = Int32.max
    var highX = Int32.min
    var highY = Int32.min
    var highZ = Int32.min

    /// An empty box.
    public init() {}

    /// The box around a point, with a half width in metres.
    init(around p: Vector3, reachMeters reach: Double) {
        lowX = QuantizedPoint.quantized(p.x - reach)
        lowY = QuantizedPoint.quantized(p.y - reach)
        lowZ = QuantizedPoint.quantized(p.z - reach)
        highX = QuantizedPoint.quantized(p.x + reach)
        highY = QuantizedPoint.quantized(p.y + reach)
        highZ = QuantizedPoint.quantized(p.z + reach)
    }

    /// Extends the box to contain a point.
    public mutating func include(_ p: QuantizedPoint) {
        (lowX, lowY, lowZ) = (min(lowX, p.x), min(lowY, p.y), min(lowZ, p.z))
        (highX, highY, highZ) = (max(highX, p.x), max(highY, p.y), max(highZ, p.z))
    }

    /// Extends the box to contain another box.
    public mutating func include(_ b: QuantizedBox) {
        (lowX, lowY, lowZ) = (min(lowX, b.lowX), min(lowY, b.lowY), min(lowZ, b.lowZ))
        (highX, highY, highZ) = (max(highX, b.highX), max(highY, b.highY), max(highZ, b.highZ))
    }

    @inline(__always) func overlaps(_ b: QuantizedBox) -> Bool {
        lowX <= b.highX && b.lowX <= highX && lowY <= b.highY && b.lowY <= highY && lowZ <= b.highZ && b.lowZ <= highZ
    }
}

/// Number of boxes on each level of a tree over `leafCount` leaves, the lowest level first; each box has up to `fanOut`
/// children.
public func boxLevelCounts(leafCount: Int, fanOut: Int) -> [Int] {
    var counts: [Int] = []
    var count = leafCount
    while count > 1 {
        count = (count + fanOut - 1) / fanOut
        counts.append(count)
    }
    return counts
}

/// One level of boxes. The levels are stored one after the other, the lowest first.
struct BoxLevel: Sendable {
    /// Index of its first box.
    var first: Int
    /// Number of boxes.
    var count: Int
    /// Number of leaves below each box; the last box may have fewer.
    var leaves: Int
}

/// The levels of a tree over `leafCount` leaves, the lowest first; throws if the section has another number of boxes
/// than the tree requires.
func boxLevels(
    leafCount: Int, fanOut: Int, boxCount: Int, of section: some RawRepresentable<UInt32>
) throws(DataFile.Fault) -> [BoxLevel] {
    var (first, leaves) = (0, 1)
    var levels: [BoxLevel] = []
    for count in boxLevelCounts(leafCount: leafCount, fanOut: fanOut) {
        leaves *= fanOut
        levels.append(BoxLevel(first: first, count: count, leaves: leaves))
        first += count
    }
    guard first == boxCount else { throw .badSection(section.rawValue) }
    return levels
}

/// A tree of bounding boxes over ordered leaves, for finding those near a point.
struct BoxTree: Sendable {
    private let boxes: Records<QuantizedBox>
    private let levels: [BoxLevel]
    private let leafCount: Int
    private let fanOut: Int

    /// The tree of a road file's boxes; throws if their number does not match the leaves.
    init(_ boxes: Records<QuantizedBox>, leafCount: Int, fanOut: Int) throws(DataFile.Fault) {
        self.boxes = boxes
        self.leafCount = leafCount
        self.fanOut = fanOut
        levels = try boxLevels(leafCount: leafCount, fanOut: fanOut, boxCount: boxes.count, of: RoadSection.boxes)
    }

    /// Calls `body` with the number of each leaf whose parent boxes overlap the query. The caller checks the leaf's own
    /// box.
    @inline(__always) func visit(_ query: QuantizedBox, _ body: (Int) -> Void) {
        descend(levels.count - 1, 0, query, body)
    }

    private func descend(_ level: Int, _ index: Int, _ query: QuantizedBox, _ body: (Int) -> Void) {
        guard level >= 0 else {
            if index < leafCount { body(index) }
            return
        }
        guard let box = boxes[levels[level].first + index], box.overlaps(query) else { return }
        let below = level == 0 ? leafCount : levels[level - 1].count
        for child in (index * fanOut)..<min((index + 1) * fanOut, below) { descend(level - 1, child, query, body) }
    }
}
