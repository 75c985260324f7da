import CPosed

// The fields of a frame are declared once, in the tables of this folder. One entry names the member of `Frame`, the
// field of `posed.h`, its name in JSON, its unit, its validity bit, its decimals and its range. From the tables come
// the binary writer and reader, the JSON writer, the Python client's classes, the schema and the tables of
// docs/protocol.md.

/// The fields of one block of a frame, in the order of the JSON line.
package protocol BlockFields {
    /// The struct of `posed.h`.
    associatedtype Block
    /// The block's id in `posed.h`.
    static var id: UInt32 { get }
    /// Its topic.
    static var topic: Topics { get }
    /// Its name: the member of the JSON line, the class of the Python client.
    static var name: StaticString { get }
    /// Shows every field to a visitor.
    static func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) where Visitor.Block == Block
}

/// What is done with every field: writing, reading, describing.
///
/// All key paths must be literals: their offsets then are constants in the program, and a visitor is as fast as
/// assignments written by hand.
package protocol FieldVisitor {
    /// The struct of `posed.h` whose fields are visited.
    associatedtype Block

    /// Begins an object within the JSON object.
    mutating func open(_ name: StaticString)
    /// Ends it.
    mutating func close()
    /// A state; codes of later releases become ``WireCode/whenUnknown``.
    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>)
    /// A whole number that is always known.
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange)
    /// A whole number, known while its bit is set.
    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32)
    /// A yes or no: one bit of a field of flags.
    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32)
    /// A number, known while its bit is set.
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange)
    /// A number that is always known; 0 where it cannot be written.
    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange)
    /// Latitude and longitude, which share one bit; degrees with nine decimals.
    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32)
    /// A vector, known while its bit is set.
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int)
    /// A vector that is always known; zeros where it cannot be written.
    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int)
    /// A quaternion, known while its bit is set.
    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int)
}

/// A whole number of the wire.
package protocol WireCount: FixedWidthInteger, UnsignedInteger, BitwiseCopyable {}
extension UInt8: WireCount {}
extension UInt16: WireCount {}
extension UInt32: WireCount {}

/// A state of the wire: a code in the binary form, a name in JSON.
package protocol WireCode: RawRepresentable<UInt8>, CaseIterable, BitwiseCopyable {
    /// Its name in JSON.
    var wireName: StaticString { get }
    /// What a reader takes for a code that it does not know: the state that promises least.
    static var whenUnknown: Self { get }
}

extension WireCode {
    /// The state of that code.
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

extension Frame.SourceState: WireCode {
    package static var whenUnknown: Self { .absent }
}

/// How a number inside becomes the number on the wire.
package enum FieldUnit: Sendable {
    /// As it is: SI.
    case same
    /// Radians to degrees.
    case degrees
    /// Radians to degrees in [0, 360).
    case bearing
}

/// Which numbers can be there, on the wire.
package struct FieldRange: Sendable, Equatable {
    /// The least.
    package var least: Double?
    /// The greatest.
    package var greatest: Double?
    /// The least that is too great.
    package var end: Double?

    /// Any number.
    package static let any = FieldRange()
    /// 0 or more.
    package static let notNegative = FieldRange(least: 0)
    /// [-90, 90].
    package static let quarterTurn = FieldRange(least: -90, greatest: 90)
    /// [-180, 180].
    package static let halfTurn = FieldRange(least: -180, greatest: 180)
    /// [0, 360).
    package static let bearing = FieldRange(least: 0, end: 360)
}
