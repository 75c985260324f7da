import Testing

@testable import DriveRecording

/// The descriptors of messages in a recording.
@Suite struct DescriptorTests {
    /// Whether the descriptor of a list of a type asks for the packed form.
    private func isPacked(_ type: FieldType, isProto3: Bool) -> Bool {
        let message = MessageDescription(
            name: "Few", fields: [FieldDescription(number: 1, name: "list", type: type, isRepeated: true)])
        let file = ProtobufFile(name: "few.proto", package: "test", isProto3: isProto3, messages: [message])
        // Field 8 of the field's description, its options, with 1 in their field 2.
        let (bytes, options) = (file.descriptorSet, [0x42, 0x02, 0x10, 0x01] as [UInt8])
        return bytes.indices.contains { bytes[$0...].starts(with: options) }
    }

    @Test func onlyListsOfNumbersArePacked() {
        // GIVEN lists of all types WHEN they are described THEN those of numbers are packed on request, which proto3
        // does not need, and texts and messages are not, which no reader would accept
        for type in [
            FieldType.double, .sfixed64, .fixed32, .uint32, .uint64, .int32, .int64, .bool, .enumeration("test.Kind"),
        ] {
            #expect(isPacked(type, isProto3: false) && !isPacked(type, isProto3: true), "\(type)")
        }
        for type in [FieldType.text, .message("test.Other")] {
            #expect(!isPacked(type, isProto3: false) && !isPacked(type, isProto3: true), "\(type)")
        }
    }
}
