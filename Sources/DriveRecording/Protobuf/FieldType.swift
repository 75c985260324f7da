/// The type of a field, as schemas name it.
indirect enum FieldType: Sendable {
    case double
    case sfixed64
    case fixed32
    case uint32
    case uint64
    case int32
    case int64
    case bool
    case text
    /// A message or enumeration with its full name.
    case message(String)
    case enumeration(String)

    /// The number in a descriptor (google/protobuf/descriptor.proto).
    var code: UInt64 {
        switch self {
        case .double: 1
        case .int64: 3
        case .uint64: 4
        case .int32: 5
        case .fixed32: 7
        case .bool: 8
        case .text: 9
        case .message: 11
        case .uint32: 13
        case .enumeration: 14
        case .sfixed64: 16
        }
    }

    /// Name of the message or enumeration; `nil` for plain types.
    var typeName: String? {
        switch self {
        case .message(let name), .enumeration(let name): ".\(name)"
        default: nil
        }
    }
}

/// A field as a schema describes it.
struct FieldDescription: Sendable {
    /// Number in the message.
    var number: UInt32
    /// Name.
    var name: String
    /// Type.
    var type: FieldType
    /// Whether it occurs any number of times.
    var isRepeated = false
}

/// A message type as a schema describes it.
struct MessageDescription: Sendable {
    /// Name without the package.
    var name: String
    /// The fields.
    var fields: [FieldDescription]
    /// Enumerations inside the message: name and values in the order of their numbers from 0.
    var enumerations: [(name: String, values: [String])] = []
}

/// A file of message types, as a schema in a recording contains it.
struct ProtobufFile: Sendable {
    /// Name, such as `foxglove/Pose.proto`.
    var name: String
    /// Package, such as `foxglove`.
    var package: String
    /// Files whose types it uses.
    var uses: [ProtobufFile] = []
    /// Version of the language: proto2 states which fields are present.
    var isProto3: Bool
    /// The message types.
    var messages: [MessageDescription]

    /// The set of descriptors that a recording contains as the schema: the used files before the file itself.
    var descriptorSet: [UInt8] {
        var writer = ProtobufWriter()
        var seen: Set<String> = []
        append(to: &writer, &seen)
        return writer.bytes
    }

    private func append(to writer: inout ProtobufWriter, _ seen: inout Set<String>) {
        for file in uses { file.append(to: &writer, &seen) }
        guard seen.insert(name).inserted else { return }
        writer.field(1) { file in
            file.field(1, text: name)
            file.field(2, text: package)
            for used in uses { file.field(3, text: used.name) }
            for message in messages { file.field(4) { Self.describe(message, isProto3, &$0) } }
            if isProto3 { file.field(12, text: "proto3") }
        }
    }

    private static func describe(_ message: MessageDescription, _ isProto3: Bool, _ writer: inout ProtobufWriter) {
        writer.field(1, text: message.name)
        for field in message.fields {
            writer.field(2) {
                $0.field(1, text: field.name)
                $0.field(3, varint: UInt64(field.number))
                $0.field(4, varint: field.isRepeated ? 3 : 1)
                $0.field(5, varint: field.type.code)
                if let name = field.type.typeName { $0.field(6, text: name) }
                // Proto2 packs numbers only on request.
                if field.isRepeated, !isProto3, field.type.isNumber { $0.field(8) { $0.field(2, varint: 1) } }
            }
        }
        for enumeration in message.enumerations {
            writer.field(4) {
                $0.field(1, text: enumeration.name)
                for (number, value) in enumeration.values.enumerated() {
                    $0.field(2) {
                        $0.field(1, text: value)
                        $0.field(2, varint: UInt64(number))
                    }
                }
            }
        }
    }
}

extension FieldType {
    /// Whether lists of it are packed.
    fileprivate var isNumber: Bool {
        switch self {
        case .text, .message: false
        default: true
        }
    }
}
