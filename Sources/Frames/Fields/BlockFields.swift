import CPosed

// The fields of a frame are declared once, in the tables of this folder. One entry gives the member of `Frame`, the
// field of `posed.h`, the JSON name, unit, validity bit, decimals and range. The binary writer and reader, the JSON
// writer, the Python client's classes, the schema and the tables of docs/protocol.md are made from these tables.

/// The fields of one block of a frame, in the order of the JSON line.
package protocol BlockFields {
    /// The struct of `posed.h`.
    associatedtype Block
    /// The block's id in `posed.h`.
    static var id: UInt32 { get }
    /// The block's topic.
    static var topic: Topics { get }
    /// The block's name: the member of the JSON line and the class of the Python client.
    static var name: StaticString { get }
    /// Passes every field to a visitor.
    static func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) where Visitor.Block == Block
}

/// An operation on every field: writing, reading or describing.
///
/// All key paths must be literals: their offsets are then compile-time constants, and a visitor is as fast as
/// assignments written by hand.
package protocol FieldVisitor {
    /// The struct of `posed.h` whose fields are visited.
    associatedtype Block

    /// Begins a nested JSON object.
    mutating func open(_ name: StaticString)
    /// Ends the nested JSON object.
    mutating func close()
    /// A state; unknown codes of later releases become ``WireCode/whenUnknown``.
    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>)
    /// An integer that is always known.
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange)
    /// An integer that is known if its bit is set.
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32)
    /// A Boolean: one bit of a field of flags.
    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32)
    /// A number that is known if its bit is set.
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange)
    /// A number that is always known; 0 if it cannot be written.
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange)
    /// Latitude and longitude with one shared bit; degrees with nine decimals.
    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32)
    /// A vector that is known if its bit is set.
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int)
    /// A vector that is always known; zeros if it cannot be written.
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int)
    /// A quaternion that is known if its bit is set.
    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int)
}

/// An unsigned integer type of the wire format.
package protocol WireCount: FixedWidthInteger, UnsignedInteger, BitwiseCopyable {}
extension UInt8: WireCount {}
extension UInt16: WireCount {}
extension UInt32: WireCount {}

/// A state of the wire format: a code in the binary form, a name in JSON.
package protocol WireCode: RawRepresentable<UInt8>, CaseIterable, BitwiseCopyable {
    /// The JSON name.
    var wireName: StaticString { get }
    /// The state that a reader uses for an unknown code: the least trusted one.
    static var whenUnknown: Self { get }
}

extension WireCode {
    /// The state with that code.
    @inline(__always)
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? Self.whenUnknown }
}

extension Frame.PoseState: WireCode {
    package static var whenUnknown: Self { .lost }
}

extension Frame.GuidanceState: WireCode {
    package static var whenUnknown: Self { .waiting }
}

extension Frame.SpeedColour: WireCode {
    package static var whenUnknown: Self { .unknown }
}

extension Frame.LimitSource: WireCode {
    package static var whenUnknown: Self { .none }
}

extension Frame.LimitReason: WireCode {
    package static var whenUnknown: Self { .none }
}

extension Frame.SourceState: WireCode {
    package static var whenUnknown: Self { .absent }
}

/// The conversion of an internal number to the wire format.
package enum FieldUnit: Sendable {
    /// Unchanged: SI units.
    case same
    /// Radians to degrees.
    case degrees
    /// Radians to degrees in [0, 360).
    case bearing
}

/// The range of a number in the wire format.
package struct FieldRange: Sendable, Equatable {
    /// The minimum.
    package var minimum: Double?
    /// The maximum.
    package var maximum: Double?
    /// The exclusive maximum.
    package var exclusiveMaximum: Double?

    /// Any number.
    package static let any = FieldRange()
    /// 0 or more.
    package static let notNegative = FieldRange(minimum: 0)
    /// [-90, 90].
    package static let quarterTurn = FieldRange(minimum: -90, maximum: 90)
    /// [-180, 180].
    package static let halfTurn = FieldRange(minimum: -180, maximum: 180)
    /// [0, 360).
    package static let bearing = FieldRange(minimum: 0, exclusiveMaximum: 360)
}
