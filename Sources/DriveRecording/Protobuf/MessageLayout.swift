import PoseMath

/// A message type of posed: one table that encodes, decodes and describes it.
///
/// Compatibility: fields keep their number and meaning, new fields get new numbers, and readers skip unknown fields.
struct MessageLayout<Value>: Sendable {
    /// Name without the package.
    let name: String
    /// The fields.
    let fields: [MessageField<Value>]
    /// Layouts of the messages inside.
    let inner: [MessageDescription]

    init(_ name: String, _ fields: [MessageField<Value>], inner: [MessageDescription] = []) {
        self.name = name
        self.fields = fields
        self.inner = inner
    }

    /// The full name.
    var fullName: String { "posed.\(name)" }

    /// The layout for a schema.
    var description: MessageDescription { MessageDescription(name: name, fields: fields.map(\.description)) }

    /// The schema in a recording.
    var schema: [UInt8] {
        ProtobufFile(
            name: "posed/\(name).proto", package: "posed", isProto3: false, messages: [description] + inner
        ).descriptorSet
    }

    /// Appends a message.
    func encode(_ value: Value, to writer: inout ProtobufWriter) {
        for field in fields { field.write(value, &writer) }
    }

    /// Decodes a message into a value that contains the defaults. Throws if a field is missing or invalid.
    func decode(_ bytes: ArraySlice<UInt8>, into value: inout Value) throws(LayoutFault) {
        var reader = ProtobufReader(bytes)
        var found: UInt64 = 0
        while let (number, content) = try reader.next() {
            guard let index = fields.firstIndex(where: { $0.description.number == number }) else { continue }
            try fields[index].read(&value, content)
            found |= 1 << UInt64(index)
        }
        for (index, field) in fields.enumerated() where field.isRequired && found & 1 << UInt64(index) == 0 {
            throw LayoutFault(problem: "\(fullName) has no \(field.description.name)")
        }
    }
}

/// One field of a message: how it is described, written and read.
struct MessageField<Value>: Sendable {
    /// Description for the schema.
    var description: FieldDescription
    /// Whether a message without it is invalid.
    var isRequired: Bool
    /// Appends the field, unless its value is unknown.
    var write: @Sendable (Value, inout ProtobufWriter) -> Void
    /// Stores a decoded field.
    var read: @Sendable (inout Value, ProtobufValue) throws(LayoutFault) -> Void
}

/// The place of a field in a value.
typealias FieldPlace<Value, Content> = WritableKeyPath<Value, Content> & Sendable

extension MessageField {
    private static func make(
        _ number: UInt32, _ name: String, _ type: FieldType, isRequired: Bool = false, isRepeated: Bool = false,
        write: @escaping @Sendable (Value, inout ProtobufWriter) -> Void,
        read: @escaping @Sendable (inout Value, ProtobufValue) throws(LayoutFault) -> Void
    ) -> MessageField {
        MessageField(
            description: FieldDescription(number: number, name: name, type: type, isRepeated: isRepeated),
            isRequired: isRequired, write: write, read: read)
    }

    private static func wrong(_ name: String) -> LayoutFault { LayoutFault(problem: "\(name) is damaged") }

    /// A number.
    static func double(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, Double>) -> MessageField {
        make(
            number, name, .double, isRequired: true, write: { $1.field(number, double: $0[keyPath: place]) },
            read: { (value, content) throws(LayoutFault) in
                guard case .fixed64(let bits) = content else { throw wrong(name) }
                value[keyPath: place] = Double(bitPattern: bits)
            })
    }

    /// A number that may be unknown.
    static func double(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, Double?>) -> MessageField {
        make(
            number, name, .double,
            write: { if let double = $0[keyPath: place] { $1.field(number, double: double) } },
            read: { (value, content) throws(LayoutFault) in
                guard case .fixed64(let bits) = content else { throw wrong(name) }
                value[keyPath: place] = Double(bitPattern: bits)
            })
    }

    /// A time on the monotonic clock, nanoseconds. Times of more than 146 years are invalid, so that the difference of
    /// two of them always fits.
    static func time(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, MonotonicTime>) -> MessageField {
        make(
            number, name, .sfixed64, isRequired: true,
            write: { $1.field(number, fixed64: UInt64(bitPattern: $0[keyPath: place].nanoseconds)) },
            read: { (value, content) throws(LayoutFault) in
                guard case .fixed64(let bits) = content else { throw wrong(name) }
                let nanoseconds = Int64(bitPattern: bits)
                guard nanoseconds.magnitude < 1 << 62 else { throw LayoutFault(problem: "\(name) is out of range") }
                value[keyPath: place] = MonotonicTime(nanoseconds: nanoseconds)
            })
    }

    /// An integer of 64 bits that may be unknown.
    static func integer(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, Int64?>) -> MessageField {
        make(
            number, name, .sfixed64,
            write: { if let integer = $0[keyPath: place] { $1.field(number, fixed64: UInt64(bitPattern: integer)) } },
            read: { (value, content) throws(LayoutFault) in
                guard case .fixed64(let bits) = content else { throw wrong(name) }
                value[keyPath: place] = Int64(bitPattern: bits)
            })
    }

    /// A count.
    static func count<Number: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ number: UInt32, _ name: String, _ place: FieldPlace<Value, Number>
    ) -> MessageField {
        make(
            number, name, .uint64, isRequired: true,
            write: { $1.field(number, varint: UInt64($0[keyPath: place])) },
            read: { (value, content) throws(LayoutFault) in
                guard case .varint(let bits) = content, let count = Number(exactly: bits) else { throw wrong(name) }
                value[keyPath: place] = count
            })
    }

    /// A count that may be unknown.
    static func count<Number: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ number: UInt32, _ name: String, _ place: FieldPlace<Value, Number?>
    ) -> MessageField {
        make(
            number, name, .uint64,
            write: { if let count = $0[keyPath: place] { $1.field(number, varint: UInt64(count)) } },
            read: { (value, content) throws(LayoutFault) in
                guard case .varint(let bits) = content, let count = Number(exactly: bits) else { throw wrong(name) }
                value[keyPath: place] = count
            })
    }

    /// A case of an enumeration by its number. An unknown number is invalid.
    static func code<Code: RawRepresentable<UInt8> & Sendable>(
        _ number: UInt32, _ name: String, _ place: FieldPlace<Value, Code>
    ) -> MessageField {
        make(
            number, name, .uint32, isRequired: true,
            write: { $1.field(number, varint: UInt64($0[keyPath: place].rawValue)) },
            read: { (value, content) throws(LayoutFault) in
                guard case .varint(let bits) = content, let raw = UInt8(exactly: bits), let code = Code(rawValue: raw)
                else { throw LayoutFault(problem: "\(name) has an unknown value; a newer release may have written it") }
                value[keyPath: place] = code
            })
    }

    /// A case of an enumeration by its word. An unknown word is invalid; no word gives `nil`.
    static func word<Word: RawRepresentable<String> & Sendable>(
        _ number: UInt32, _ name: String, _ place: FieldPlace<Value, Word?>
    ) -> MessageField {
        make(
            number, name, .text,
            write: { if let word = $0[keyPath: place] { $1.field(number, text: word.rawValue) } },
            read: { (value, content) throws(LayoutFault) in
                guard case .bytes(let bytes) = content,
                    let word = Word(rawValue: String(decoding: bytes, as: UTF8.self))
                else { throw LayoutFault(problem: "\(name) has an unknown value; a newer release may have written it") }
                value[keyPath: place] = word
            })
    }

    /// Whether something is so.
    static func flag(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, Bool>) -> MessageField {
        make(
            number, name, .bool, isRequired: true, write: { $1.field(number, varint: $0[keyPath: place] ? 1 : 0) },
            read: { (value, content) throws(LayoutFault) in
                guard case .varint(let bits) = content else { throw wrong(name) }
                value[keyPath: place] = bits != 0
            })
    }

    /// A text that may be unknown.
    static func text(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, String?>) -> MessageField {
        make(
            number, name, .text, write: { if let text = $0[keyPath: place] { $1.field(number, text: text) } },
            read: { (value, content) throws(LayoutFault) in
                guard case .bytes(let bytes) = content else { throw wrong(name) }
                value[keyPath: place] = String(decoding: bytes, as: UTF8.self)
            })
    }

    /// A list of numbers; absent when empty.
    static func doubles(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, [Double]>) -> MessageField {
        make(
            number, name, .double, isRepeated: true,
            write: { value, writer in
                guard !value[keyPath: place].isEmpty else { return }
                writer.field(number) { for double in value[keyPath: place] { $0.fixed64(double.bitPattern) } }
            },
            read: { (value, content) throws(LayoutFault) in
                guard case .bytes(let bytes) = content, bytes.count.isMultiple(of: 8) else { throw wrong(name) }
                var reader = ProtobufReader(bytes)
                var list = value[keyPath: place]
                while !reader.isAtEnd { list.append(Double(bitPattern: try reader.fixed64())) }
                value[keyPath: place] = list
            })
    }

    /// A list of counts; absent when empty.
    static func counts(_ number: UInt32, _ name: String, _ place: FieldPlace<Value, [UInt64]>) -> MessageField {
        make(
            number, name, .uint64, isRepeated: true,
            write: { value, writer in
                guard !value[keyPath: place].isEmpty else { return }
                writer.field(number) { for count in value[keyPath: place] { $0.varint(count) } }
            },
            read: { (value, content) throws(LayoutFault) in
                guard case .bytes(let bytes) = content else { throw wrong(name) }
                var reader = ProtobufReader(bytes)
                var list = value[keyPath: place]
                while !reader.isAtEnd { list.append(try reader.varint()) }
                value[keyPath: place] = list
            })
    }

    /// A list of messages.
    static func messages<Inner: Sendable>(
        _ number: UInt32, _ name: String, _ place: FieldPlace<Value, [Inner]>, _ layout: MessageLayout<Inner>,
        _ start: Inner
    ) -> MessageField {
        make(
            number, name, .message(layout.fullName), isRepeated: true,
            write: { value, writer in
                for inner in value[keyPath: place] { writer.field(number) { layout.encode(inner, to: &$0) } }
            },
            read: { (value, content) throws(LayoutFault) in
                guard case .bytes(let bytes) = content else { throw wrong(name) }
                var inner = start
                try layout.decode(bytes, into: &inner)
                value[keyPath: place].append(inner)
            })
    }
}
