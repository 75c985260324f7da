import StoredTexts
import Testing

@testable import DriveRecording

/// The schemas of all channels, as a program that reads a recording sees them: each number and each type is the one
/// that earlier releases wrote, and of Foxglove's messages the one of its `.proto` files.
@Suite struct SchemaTextTests {
    /// A descriptor in the form of a `.proto` file, one line per declaration.
    private enum Descriptor {
        /// The fields of a message by their number.
        static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: UInt32, value: ProtobufValue)] {
            var reader = ProtobufReader(bytes)
            var fields: [(number: UInt32, value: ProtobufValue)] = []
            while let field = try? reader.next() { fields.append((field.number, field.value)) }
            return fields
        }

        static func text(_ value: ProtobufValue?) -> String {
            switch value {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .varint(let number): "\(number)"
            default: "-"
            }
        }

        /// The files of a set, with their messages.
        static func lines(ofSet bytes: [UInt8]) -> [String] {
            fields(bytes[...]).flatMap { file -> [String] in
                guard case .bytes(let content) = file.value else { return ["damaged"] }
                return ["file \(file.number)"]
                    + fields(content).flatMap { part -> [String] in
                        guard part.number == 4, case .bytes(let message) = part.value else {
                            return ["\(part.number) \(text(part.value))"]
                        }
                        return self.message(message)
                    }
            }
        }

        private static func message(_ bytes: ArraySlice<UInt8>) -> [String] {
            fields(bytes).flatMap { part -> [String] in
                guard case .bytes(let inner) = part.value, part.number != 1 else {
                    return ["message \(text(part.value))"]
                }
                if part.number == 4 { return enumeration(inner) }
                let found = fields(inner)
                func value(_ number: UInt32) -> String { text(found.first { $0.number == number }?.value) }
                let type = value(6) == "-" ? value(5) : "\(value(5))\(value(6))"
                return ["  \(part.number) \(value(1)) = \(value(3)), label \(value(4)), type \(type)"]
            }
        }

        private static func enumeration(_ bytes: ArraySlice<UInt8>) -> [String] {
            let values = fields(bytes).map { part -> String in
                guard part.number == 2, case .bytes(let inner) = part.value else { return text(part.value) }
                let found = fields(inner)
                return "\(text(found.first { $0.number == 1 }?.value))=\(text(found.first { $0.number == 2 }?.value))"
            }
            return ["  enum " + values.joined(separator: " ")]
        }
    }

    private static func lines(_ topics: [Topic]) -> String {
        topics.flatMap { topic -> [String] in
            let schema = topic.schema
            let head = "\(topic.rawValue): \(schema.name), \(schema.encoding), \(topic.messageEncoding)"
            guard schema.encoding == "protobuf" else { return [head, String(decoding: schema.data, as: UTF8.self)] }
            return [head] + Descriptor.lines(ofSet: schema.data)
        }.joined(separator: "\n")
    }

    @Test func foxglovesSchemasAreThoseOfItsFiles() throws {
        #expect(
            try StoredText.differences(of: Self.lines([.locationFix, .pose, .transform, .log]), from: "foxglove") == [])
    }

    @Test func theMeasurementsHaveTheirSchemas() throws {
        let topics = [Topic.imu, .magnetometer, .barometer, .fix, .wheelSpeed, .source, .frame, .event]
        #expect(try StoredText.differences(of: Self.lines(topics), from: "measurements") == [])
    }

    @Test func commandsRoutesAndPublicationsHaveTheirSchemas() throws {
        let topics = [Topic.command, .route, .roadAhead, .tick, .published]
        #expect(try StoredText.differences(of: Self.lines(topics), from: "others") == [])
    }
}
