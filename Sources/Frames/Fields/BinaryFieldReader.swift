/// Reads the fields of a block into a frame. A cleared validity bit, a number that is not finite and an unknown code
/// all mean "unknown".
struct BinaryFieldReader<Block>: FieldVisitor {
    private let block: UnsafeRawPointer
    private let frame: UnsafeMutableRawPointer
    private let valid: UInt32

    /// Creates a reader from that block into that frame; `valid` are the block's validity bits.
    @inline(__always)
    init(_ block: UnsafePointer<Block>, valid: UInt32, into frame: UnsafeMutablePointer<Frame>) {
        self.block = UnsafeRawPointer(block)
        self.valid = valid
        self.frame = UnsafeMutableRawPointer(frame)
    }

    @inline(__always)
    func open(_ name: StaticString) {}

    @inline(__always)
    func close() {}

    @inline(__always)
    func code<Code: WireCode>(_ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>) {
        set(member, Code(code: UInt32(load(field))))
    }

    @inline(__always)
    func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) { set(member, load(field)) }

    @inline(__always)
    func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) { set(member, valid & bit != 0 ? load(field) : nil) }

    @inline(__always)
    func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) { set(member, load(field) & Value(truncatingIfNeeded: mask) != 0) }

    @inline(__always)
    func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) { set(member, valid & bit != 0 ? fromWire(field, unit) : nil) }

    @inline(__always)
    func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { set(member, fromWire(field, unit) ?? 0) }

    @inline(__always)
    func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        set(latitude, valid & bit != 0 ? fromWire(latitudeField, .degrees) : nil)
        set(longitude, valid & bit != 0 ? fromWire(longitudeField, .degrees) : nil)
    }

    @inline(__always)
    func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) {
        let triple = triple(field)
        set(member, valid & bit != 0 && triple.isWritable ? triple : nil)
    }

    @inline(__always)
    func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) {
        let triple = triple(field)
        set(member, triple.isWritable ? triple : Frame.Triple(0, 0, 0))
    }

    @inline(__always)
    func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) {
        let value = load(field)
        let quadruple = Frame.Quadruple(value.0, value.1, value.2, value.3)
        set(member, valid & bit != 0 && quadruple.isWritable ? quadruple : nil)
    }

    @inline(__always)
    private func load<Value: BitwiseCopyable>(_ field: KeyPath<Block, Value>) -> Value {
        block.load(fromByteOffset: offset(of: field), as: Value.self)
    }

    @inline(__always)
    private func set<Value>(_ member: KeyPath<Frame, Value>, _ value: Value) {
        (frame + offset(of: member)).assumingMemoryBound(to: Value.self).pointee = value
    }

    @inline(__always)
    private func fromWire(_ field: KeyPath<Block, Double>, _ unit: FieldUnit) -> Double? {
        let value = load(field)
        guard value.isFinite else { return nil }
        return unit == .same ? value : value * radiansPerDegree
    }

    @inline(__always)
    private func triple(_ field: KeyPath<Block, (Double, Double, Double)>) -> Frame.Triple {
        let value = load(field)
        return Frame.Triple(value.0, value.1, value.2)
    }
}
