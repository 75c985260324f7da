/// One field as the documents and the other languages need it.
package struct FieldDescription: Sendable, Equatable {
    /// What kind of value it is.
    package enum Kind: Sendable, Equatable {
        /// A state: the Swift type, its names by code, and the name for an unknown code.
        case code(type: String, names: [String], whenUnknown: String)
        /// A whole number of that many bytes.
        case count(size: Int)
        /// A yes or no: that bit of a field of that many bytes.
        case flag(size: Int, mask: UInt32)
        /// That many numbers.
        case numbers(Int)
    }

    /// Names of the objects it is in, within the block's own, and its own name.
    package var path: [String]
    /// What kind it is.
    package var kind: Kind
    /// Where it lies in the struct of `posed.h`, bytes from its begin.
    package var offset: Int
    /// Its validity bit; 0: it is always known.
    package var bit: UInt32
    /// Which numbers can be there.
    package var range: FieldRange
    /// Where the member lies in ``Frame``, bytes.
    package var memberOffset: Int
}

/// Lists the fields of a block in the order of the JSON line.
struct FieldDescriber<Block>: FieldVisitor {
    private(set) var fields: [FieldDescription] = []
    private var path: [String] = []

    mutating func open(_ name: StaticString) { path.append(name.description) }

    mutating func close() { path.removeLast() }

    mutating func code<Code: WireCode>(
        _ name: StaticString, _ member: KeyPath<Frame, Code>, _ field: KeyPath<Block, UInt8>
    ) {
        let names = Code.allCases.sorted { $0.rawValue < $1.rawValue }.map { $0.wireName.description }
        add(
            name,
            .code(type: "\(Code.self)", names: names, whenUnknown: Code.whenUnknown.wireName.description), member,
            field)
    }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value>, _ field: KeyPath<Block, Value>, range: FieldRange
    ) { add(name, .count(size: MemoryLayout<Value>.size), member, field, range: range) }

    mutating func count<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Value?>, _ field: KeyPath<Block, Value>, bit: UInt32
    ) { add(name, .count(size: MemoryLayout<Value>.size), member, field, bit: bit, range: .notNegative) }

    mutating func flag<Value: WireCount>(
        _ name: StaticString, _ member: KeyPath<Frame, Bool>, _ field: KeyPath<Block, Value>, mask: UInt32
    ) { add(name, .flag(size: MemoryLayout<Value>.size, mask: mask), member, field) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double?>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        bit: UInt32, decimals: Int, range: FieldRange
    ) { add(name, .numbers(1), member, field, bit: bit, range: range) }

    mutating func number(
        _ name: StaticString, _ member: KeyPath<Frame, Double>, _ field: KeyPath<Block, Double>, _ unit: FieldUnit,
        decimals: Int, range: FieldRange
    ) { add(name, .numbers(1), member, field, range: range) }

    mutating func place(
        latitude: KeyPath<Frame, Double?>, _ latitudeField: KeyPath<Block, Double>,
        longitude: KeyPath<Frame, Double?>, _ longitudeField: KeyPath<Block, Double>, bit: UInt32
    ) {
        add("lat_deg", .numbers(1), latitude, latitudeField, bit: bit, range: .quarterTurn)
        add("lon_deg", .numbers(1), longitude, longitudeField, bit: bit, range: .halfTurn)
    }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple?>,
        _ field: KeyPath<Block, (Double, Double, Double)>,
        bit: UInt32, decimals: Int
    ) { add(name, .numbers(3), member, field, bit: bit) }

    mutating func triple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Triple>, _ field: KeyPath<Block, (Double, Double, Double)>,
        decimals: Int
    ) { add(name, .numbers(3), member, field) }

    mutating func quadruple(
        _ name: StaticString, _ member: KeyPath<Frame, Frame.Quadruple?>,
        _ field: KeyPath<Block, (Double, Double, Double, Double)>, bit: UInt32, decimals: Int
    ) { add(name, .numbers(4), member, field, bit: bit) }

    private mutating func add<Member, Field>(
        _ name: StaticString, _ kind: FieldDescription.Kind, _ member: KeyPath<Frame, Member>,
        _ field: KeyPath<Block, Field>, bit: UInt32 = 0, range: FieldRange = .any
    ) {
        fields.append(
            FieldDescription(
                path: path + [name.description], kind: kind, offset: offset(of: field), bit: bit, range: range,
                memberOffset: offset(of: member)))
    }
}

/// A block of a frame as the documents and the other languages need it.
package struct BlockDescription: Sendable {
    /// Its name: the member of the JSON line.
    package var name: String
    /// Its id in `posed.h`.
    package var id: UInt32
    /// Size of its struct, bytes.
    package var size: Int
    /// Its fields in the order of the JSON line.
    package var fields: [FieldDescription]

    /// The blocks of a frame, in the order of the message.
    package static var all: [BlockDescription] {
        [Self(PoseFields.self), Self(GuidanceFields.self), Self(SpeedFields.self), Self(SourcesFields.self)]
    }

    private init<Fields: BlockFields>(_ fields: Fields.Type) {
        var describer = FieldDescriber<Fields.Block>()
        Fields.visit(&describer)
        name = Fields.name.description
        id = Fields.id
        size = MemoryLayout<Fields.Block>.size
        self.fields = describer.fields
    }
}
