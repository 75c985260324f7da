import BoundedJSON
import Frames

/// Reads the fields of a block of a frame from its JSON object. A member that is missing, `null` or of another type is
/// unknown; an unknown state of a later release becomes the least trusted state.
struct JSONFieldReader<Block>: FieldVisitor {
    /// The frame with the fields read so far.
    private(set) var frame: Frame
    private var objects: [JSONValue?]

    /// Creates a reader from that object into the frame.
    init(_ object: JSONValue, into frame: Frame) {
        self.frame = frame
        objects = [object]
    }

    mutating func open(_ name: StaticString) { objects.append(self[name]) }

    mutating func close() { objects.removeLast() }

    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>
    ) {
        let text = self[name]?.string
        frame.set(member, Code.allCases.first { $0.wireName.description == text } ?? Code.whenUnknown)
    }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) { frame.set(member, Value(clamping: self[name]?.int ?? 0)) }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) { frame.set(member, self[name]?.int.map { Value(clamping: $0) }) }

    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) { frame.set(member, self[name]?.bool ?? false) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) { frame.set(member, number(name, unit)) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { frame.set(member, number(name, unit) ?? 0) }

    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        frame.set(latitude, number("lat_deg", .degrees))
        frame.set(longitude, number("lon_deg", .degrees))
    }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) { frame.set(member, triple(name)) }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) { frame.set(member, triple(name) ?? Frame.Triple(0, 0, 0)) }

    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) {
        guard let json = self[name], let w = json[0]?.double, let x = json[1]?.double, let y = json[2]?.double,
            let z = json[3]?.double
        else { return frame.set(member, nil) }
        frame.set(member, Frame.Quadruple(w, x, y, z))
    }

    private subscript(name: StaticString) -> JSONValue? { objects.last?.flatMap { $0[name.description] } }

    private func number(_ name: StaticString, _ unit: FieldUnit) -> Double? {
        guard let value = self[name]?.double else { return nil }
        return unit == .same ? value : value * .pi / 180
    }

    private func triple(_ name: StaticString) -> Frame.Triple? {
        guard let json = self[name], let x = json[0]?.double, let y = json[1]?.double, let z = json[2]?.double else {
            return nil
        }
        return Frame.Triple(x, y, z)
    }
}
