import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// Which fields a message must have, and what each kind of field refuses.
@Suite struct RequiredFieldTests {
    /// A word of a field.
    enum Word: String, Sendable { case left, right }

    /// A value with a field of each kind.
    struct Every: Sendable, Equatable {
        var double = 0.0
        var maybeDouble: Double?
        var time = MonotonicTime(nanoseconds: 0)
        var integer: Int64?
        var count: UInt16 = 0
        var maybeCount: UInt8?
        var code = FixMode.twoDimensional
        var word: Word?
        var flag = false
        var text: String?
        var doubles: [Double] = []
        var counts: [UInt64] = []
    }

    private static let fields: [MessageField<Every>] = [
        .double(1, "double", \.double), .double(2, "maybe_double", \.maybeDouble), .time(3, "time", \.time),
        .integer(4, "integer", \.integer), .count(5, "count", \.count), .count(6, "maybe_count", \.maybeCount),
        .code(7, "code", \.code), .word(8, "word", \.word), .flag(9, "flag", \.flag), .text(10, "text", \.text),
        .doubles(11, "doubles", \.doubles), .counts(12, "counts", \.counts),
    ]

    /// A value of which no member is the default.
    private static var whole: Every {
        var value = Every()
        (value.double, value.maybeDouble, value.time) = (1.5, -2.5, MonotonicTime(nanoseconds: -3))
        (value.integer, value.count, value.maybeCount, value.code) = (-4, 65_535, 255, .threeDimensional)
        (value.word, value.flag, value.text) = (.right, true, "t")
        (value.doubles, value.counts) = ([7.5, -8.5], [0, .max])
        return value
    }

    /// The value of a message, or what is wrong with it: `fields` of the whole value, and what is written behind them.
    private func read(
        _ fields: [MessageField<Every>] = fields, _ more: (inout ProtobufWriter) -> Void = { _ in }
    ) -> Result<Every, LayoutFault> {
        var writer = ProtobufWriter()
        MessageLayout("Every", fields).encode(Self.whole, to: &writer)
        more(&writer)
        var value = Every()
        do throws(LayoutFault) {
            try MessageLayout("Every", Self.fields).decode(writer.bytes[...], into: &value)
            return .success(value)
        } catch { return .failure(error) }
    }

    private func problem(_ result: Result<Every, LayoutFault>) -> String {
        if case .failure(let fault) = result { fault.problem } else { "none" }
    }

    @Test func whatCannotBeUnknownMustBeThere() throws {
        #expect(try read().get() == Self.whole)
        // GIVEN a message without one of its fields THEN it is invalid, unless the value has a form for the unknown
        var missing: [String] = []
        for field in Self.fields {
            let result = read(Self.fields.filter { $0.description.number != field.description.number })
            guard case .failure(let fault) = result else { continue }
            missing.append(fault.problem)
        }
        #expect(missing == ["double", "time", "count", "code", "flag"].map { "posed.Every has no \($0)" })
        // AND a field of a later release is left out
        #expect(try read { $0.field(99, varint: 1) }.get() == Self.whole)
    }

    @Test func aFieldOfAnotherKindIsDamaged() {
        for field in Self.fields {
            let (number, name) = (field.description.number, field.description.name)
            let isFixed = ["double", "maybe_double", "time", "integer", "text", "word", "doubles", "counts"].contains(
                name)
            let found = problem(
                read { if isFixed { $0.field(number, varint: 1) } else { $0.field(number, double: 1) } })
            let unknown = "\(name) has an unknown value; a newer release may have written it"
            #expect(found == (["code", "word"].contains(name) ? unknown : "\(name) is damaged"))
        }
    }

    @Test func aNumberHasItsLimits() {
        // GIVEN the largest number of each field, and the one after it
        for (number, most, after) in [
            (UInt32(5), UInt64(65_535), "count is damaged"), (6, 255, "maybe_count is damaged"),
            (7, 3, "code has an unknown value; a newer release may have written it"),
        ] {
            #expect(problem(read { $0.field(number, varint: most) }) == "none")
            #expect(problem(read { $0.field(number, varint: most + 1) }) == after)
            #expect(problem(read { $0.field(number, varint: most + 256 * 256) }) == after)
        }
        for (time, expected) in [
            (Int64(1) << 62 - 1, "none"), (1 << 62, "time is out of range"), (-(1 << 62) + 1, "none"),
            (-(1 << 62), "time is out of range"), (.min, "time is out of range"),
        ] { #expect(problem(read { $0.field(3, fixed64: UInt64(bitPattern: time)) }) == expected) }
        for (word, isKnown) in [("left", true), ("Left", false), ("", false)] {
            #expect((problem(read { $0.field(8, text: word) }) == "none") == isKnown)
        }
        #expect(problem(read { $0.field(11, text: "1234567") }) == "doubles is damaged")
        #expect(problem(read { $0.field(11, text: "12345678") }) == "none")
        #expect((try? read { $0.field(9, varint: 2) }.get())?.flag == true)
    }
}
