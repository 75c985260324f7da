import Frames

/// Gives every field of the tables a different value, so that a field connected to the wrong member is detected.
struct FieldFiller<Block>: FieldVisitor {
    /// The frame with the fields filled so far.
    private(set) var frame: Frame
    private var number = 1

    /// A frame in which every field of every part is known.
    static func filled() -> Frame {
        var frame = Frame()
        fill(PoseFields.self, &frame)
        fill(GuidanceFields.self, &frame)
        fill(SpeedFields.self, &frame)
        fill(SourcesFields.self, &frame)
        return frame
    }

    private static func fill<Fields: BlockFields>(_ fields: Fields.Type, _ frame: inout Frame)
    where Fields.Block: BitwiseCopyable {
        var filler = FieldFiller<Fields.Block>(frame: frame)
        Fields.visit(&filler)
        frame = filler.frame
    }

    private init(frame: Frame) { self.frame = frame }

    mutating func open(_ name: StaticString) {}
    mutating func close() {}

    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>
    ) {
        let all = Array(Code.allCases)
        frame.set(member, all[next() % all.count])
    }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) { frame.set(member, Value(clamping: next())) }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) { frame.set(member, Value(clamping: next())) }

    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) { frame.set(member, true) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) { frame.set(member, value(unit)) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { frame.set(member, value(unit)) }

    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        frame.set(latitude, value(.degrees))
        frame.set(longitude, value(.degrees))
    }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) { frame.set(member, Frame.Triple(value(.same), value(.same), value(.same))) }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) { frame.set(member, Frame.Triple(value(.same), value(.same), value(.same))) }

    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) { frame.set(member, Frame.Quadruple(value(.same), value(.same), value(.same), value(.same))) }

    private mutating func next() -> Int {
        number += 1
        return number
    }

    /// Integers in metres or degrees, which survive JSON with its decimals unchanged.
    private mutating func value(_ unit: FieldUnit) -> Double {
        unit == .same ? Double(next()) : Double(next() % 90) * .pi / 180
    }
}
