/// The description of one field for the documents and the clients in other languages.
package struct FieldDescription: Sendable, Equatable {
    /// The kind of a field.
    package enum Kind: Sendable, Equatable {
        /// A state: the Swift type, its names by code, and the name for an unknown code.
        case code(type: String, names: [String], whenUnknown: String)
        /// An integer of `size` bytes.
        case count(size: Int)
        /// A Boolean: the bits of `mask` in a field of `size` bytes.
        case flag(size: Int, mask: UInt32)
        /// The given count of numbers.
        case numbers(Int)
    }

    /// The names of the objects around it within the block, and its own name.
    package var path: [String]
    /// The kind of the field.
    package var kind: Kind
    /// Offset in the struct of `posed.h`, bytes.
    package var offset: Int
    /// The validity bit; 0 if the field is always known.
    package var bit: UInt32
    /// The range of the numbers.
    package var range: FieldRange
    /// Offset of the member in ``Frame``, bytes.
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

/// The description of one block for the documents and the clients in other languages.
package struct BlockDescription: Sendable {
    /// The block's name: the member of the JSON line.
    package var name: String
    /// The block's id in `posed.h`.
    package var id: UInt32
    /// Size of the struct, bytes.
    package var size: Int
    /// The fields in the order of the JSON line.
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
