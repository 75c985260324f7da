import DecimalNumbers
import SeededNumbers
import Testing

@Suite struct DecimalNumberTests {
    private func parse(_ text: String) -> DecimalNumber.Outcome {
        Array(text.utf8).withUnsafeBufferPointer { DecimalNumber.parse($0) }
    }

    private func number(_ text: String) -> DecimalNumber? {
        if case .number(let number) = parse(text) { number } else { nil }
    }

    @Test(arguments: [
        "0", "-0.0", "1", "+7", ".5", "5.", "-105.147448300", "9.65955", "1e3", "-2.5E-7", "0.1", "179.9999999999",
        "123456789012345678901234567890",
        "9007199254740993", "1e-400", "4.9e-324", "1.7976931348623157e308",
        "0.000000000000000000000000001234567890123456789",
    ])
    func agreesWithTheStandardLibrary(_ text: String) throws {
        // THEN the value is bit-identical to the standard library's result
        let expected = try #require(Double(text))
        #expect(number(text)?.double.bitPattern == expected.bitPattern)
    }

    @Test func randomNumbersAreBitIdentical() {
        // GIVEN numbers of the magnitudes in recordings, written with all their digits
        var source = SplitMix64(seed: 20_260_101)
        for _ in 0..<20_000 {
            let value = Double(Int64(bitPattern: source.next()) >> 11) * 1e-12
            #expect(number("\(value)")?.double == value)
        }
    }

    @Test(arguments: ["", " ", "\t "]) func blankIsEmpty(_ text: String) {
        #expect(parse(text) == .empty)
    }

    @Test(arguments: ["nan", "NaN", "-nan", "inf", "-Infinity"]) func notFinite(_ text: String) {
        #expect(parse(text) == .notFinite)
    }

    @Test(arguments: ["x", "1x", "1.2.3", "--1", "-", ".", "1e", "1e+", "0x10", "1 2", "\"1\"", "1,0", "١"])
    func malformed(_ text: String) {
        #expect(parse(text) == .malformed)
    }

    @Test func tooLargeIsInfinite() {
        #expect(number("1e999")?.double == .infinity)
        #expect(number("-1e99999999")?.double == -.infinity)
    }

    @Test func timesKeepTheirNanoseconds() {
        #expect(number("1767225600.123456789")?.nanoseconds == 1_767_225_600_123_456_789)
        #expect(number("-3.2300")?.nanoseconds == -3_230_000_000)
        #expect(number("0.0000000005")?.nanoseconds == 1)
        #expect(number("0.00000000049")?.nanoseconds == 0)
        #expect(number("1e-3")?.nanoseconds == 1_000_000)
        #expect(number("1e30")?.nanoseconds == nil)
        #expect(number("9300000000")?.nanoseconds == nil)
    }
}
