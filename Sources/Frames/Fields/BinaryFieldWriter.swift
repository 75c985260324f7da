/// Writes the fields of a frame into the packet.
///
/// For values that are unknown, not finite or implausible the validity bit is cleared and the field is 0. Every field
/// of the table is written each time, so that no value of the previous frame remains.
struct BinaryFieldWriter<Block>: FieldVisitor {
    private let frame: FrameMembers
    private let block: UnsafeMutableRawPointer
    /// The validity bits of the fields written so far.
    private(set) var valid: UInt32 = 0

    /// Creates a writer from that frame into the block at that address.
    @inline(__always)
    init(_ frame: FrameMembers, at block: UnsafeMutableRawPointer) {
        self.frame = frame
        self.block = block
    }

    @inline(__always)
    func open(_ name: StaticString) {}

    @inline(__always)
    func close() {}

    @inline(__always)
    func code<Code: WireCode>(_ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>) {
        store(frame[member].rawValue, field)
    }

    @inline(__always)
    func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) { store(frame[member], field) }

    @inline(__always)
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) {
        let value = frame[member]
        if value != nil { valid |= bit }
        store(value ?? 0, field)
    }

    @inline(__always)
    func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) {
        let place = block + offset(of: field)
        let mask = Value(truncatingIfNeeded: mask)
        let others = place.load(as: Value.self) & ~mask
        place.storeBytes(of: frame[member] ? others | mask : others, as: Value.self)
    }

    @inline(__always)
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) {
        guard let value = Self.onWire(frame[member], unit) else { return store(0, field) }
        valid |= bit
        store(value, field)
    }

    @inline(__always)
    func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { store(Self.onWire(frame[member], unit) ?? 0, field) }

    @inline(__always)
    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        guard let first = frame[latitude], let second = frame[longitude], abs(first) < 10, abs(second) < 10 else {
            store(0, latitudeField)
            return store(0, longitudeField)
        }
        valid |= bit
        store(first * degreesPerRadian, latitudeField)
        store(second * degreesPerRadian, longitudeField)
    }

    @inline(__always)
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) {
        guard let value = frame[member], value.isWritable else { return store((0, 0, 0), field) }
        valid |= bit
        store((value.x, value.y, value.z), field)
    }

    @inline(__always)
    func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) {
        let value = frame[member]
        store(value.isWritable ? (value.x, value.y, value.z) : (0, 0, 0), field)
    }

    @inline(__always)
    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) {
        guard let value = frame[member], value.isWritable else { return store((0, 0, 0, 0), field) }
        valid |= bit
        store((value.w, value.x, value.y, value.z), field)
    }

    @inline(__always)
    private func store<Value: BitwiseCopyable>(_ value: Value, _ field: KeyPath<Block, Value>) {
        (block + offset(of: field)).storeBytes(of: value, as: Value.self)
    }

    /// `nil` for a value that is unknown, not finite or implausible.
    @inline(__always)
    private static func onWire(_ value: Double?, _ unit: FieldUnit) -> Double? {
        guard let value, isBelow(unit == .same ? 1e12 : 1e6, value) else { return nil }
        switch unit {
        case .same: return value
        case .degrees: return value * degreesPerRadian
        case .bearing: return bearingDegrees(value)
        }
    }

    /// Whether the magnitude of a number is below a bound; false for NaN and infinity. Magnitudes compare in the same
    /// order as their bit patterns.
    @inline(__always)
    private static func isBelow(_ bound: Double, _ value: Double) -> Bool {
        value.bitPattern &<< 1 < bound.bitPattern &<< 1
    }
}
