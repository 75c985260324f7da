/// Writes the fields of a block as members of its JSON object: name, value, comma. Unknown values are `null`.
struct JSONFieldWriter<Block>: FieldVisitor {
    private let frame: FrameMembers
    /// The position of the next byte.
    private(set) var cursor: JSONCursor

    /// Creates a writer for that frame that starts at that position.
    @inline(__always)
    init(_ frame: FrameMembers, at cursor: JSONCursor) {
        self.frame = frame
        self.cursor = cursor
    }

    @inline(__always)
    mutating func open(_ name: StaticString) {
        key(name)
        cursor.byte(0x7B)
    }

    @inline(__always)
    mutating func close() {
        cursor.closeObject()
        comma()
    }

    @inline(__always)
    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>
    ) {
        key(name)
        cursor.name(frame[member].wireName)
        comma()
    }

    @inline(__always)
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) {
        key(name)
        cursor.integer(UInt64(frame[member]))
        comma()
    }

    @inline(__always)
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) {
        key(name)
        if let value = frame[member] { cursor.integer(UInt64(value)) } else { cursor.null() }
        comma()
    }

    @inline(__always)
    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) {
        key(name)
        cursor.boolean(frame[member])
        comma()
    }

    @inline(__always)
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) { number(name, frame[member], unit, decimals: decimals) }

    @inline(__always)
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { number(name, frame[member], unit, decimals: decimals) }

    @inline(__always)
    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        number("lat_deg", frame[latitude], .degrees, decimals: 9)
        number("lon_deg", frame[longitude], .degrees, decimals: 9)
    }

    @inline(__always)
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) {
        key(name)
        cursor.triple(frame[member], decimals: decimals)
        comma()
    }

    @inline(__always)
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) {
        key(name)
        cursor.triple(frame[member], decimals: decimals)
        comma()
    }

    @inline(__always)
    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) {
        key(name)
        cursor.quadruple(frame[member], decimals: decimals)
        comma()
    }

    @inline(__always)
    private mutating func number(_ name: StaticString, _ value: Double?, _ unit: FieldUnit, decimals: Int) {
        key(name)
        switch unit {
        case .same: cursor.number(value, decimals: decimals)
        case .degrees: cursor.number(value.map { $0 * degreesPerRadian }, decimals: decimals)
        case .bearing: cursor.number(bearingDegrees(value, decimals: decimals), decimals: decimals)
        }
        comma()
    }

    @inline(__always)
    private mutating func key(_ name: StaticString) {
        cursor.byte(0x22)
        cursor.literal(name)
        cursor.literal("\":")
    }

    @inline(__always)
    private mutating func comma() { cursor.byte(0x2C) }
}
