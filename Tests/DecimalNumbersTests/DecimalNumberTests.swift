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

    @Test(arguments: [
        (" 5", 5.0), ("5 ", 5), ("\t-5\t", -5), (" \t +.5e+1 \t", 5), ("5e-0", 5), ("1E2", 100),
        ("1e100001", .infinity),
        ("-1e-100001", 0), ("1e-100000", 0),
    ])
    func blanksAndSignsAroundANumberAreTaken(text: String, value: Double) {
        #expect(number(text)?.double == value)
    }

    @Test(arguments: [
        "9007199254740992", "9007199254740993", "9007199254740993e1", "9007199254740992e22", "9007199254740992e23",
        "1e22",
        "1e23", "1e-22", "1e-23", "123456789e22", "123456789e23", "-3e-22", "7e-23", "9007199254740991e-22",
        "1000000000000000000", "1000000000000000000.5", "9999999999999999999", "18446744073709551616",
    ])
    func theLastBitIsRightOnBothSidesOfWhatIsExact(text: String) throws {
        // GIVEN numbers around 2^53, around the 22nd power of ten, and around 19 digits THEN the value is bit-identical
        // to the standard library's result
        let expected = try #require(Double(text))
        #expect(number(text)?.double.bitPattern == expected.bitPattern)
    }

    @Test(
        arguments: [
            ("4.5", 5), ("4.4999", 4), ("-4.5", -5), ("-4.4999", -4), ("0.5", 1), ("0.49", 0), ("0.04", 0),
            ("1e3", 1000),
            ("1e-30", 0), ("0e99", 0), ("1e18", 1_000_000_000_000_000_000),
            ("9199999999999999999", 9_199_999_999_999_999_999),
            ("-9199999999999999999", -9_199_999_999_999_999_999), ("9200000000000000000", nil), ("-9.2e18", nil),
            ("1e19", nil), ("1e20", nil), ("99e18", nil), ("12345678901234567890", nil),
            ("1800000000123456789", 1_800_000_000_123_456_789),
        ] as [(String, Int64?)])
    func aWholeNumberIsTheNearest(text: String, value: Int64?) {
        #expect(number(text)?.integer == value)
    }

    @Test(
        arguments: [
            ("9199999999.999999999", 9_199_999_999_999_999_999), ("9200000000", nil), ("-9200000000", nil),
            ("1.0000000004", 1_000_000_000), ("1.0000000005", 1_000_000_001), ("1.9999999999", 2_000_000_000),
            ("0.00000000005", 0), ("0.0000000000005", 0), ("1.000000000000000000000000001", 1_000_000_000),
            ("5e8", 500_000_000_000_000_000), ("123456789012345678901e-11", 1_234_567_890_123_456_789),
        ] as [(String, Int64?)])
    func secondsAreTheNearestNanosecond(text: String, nanoseconds: Int64?) {
        #expect(number(text)?.nanoseconds == nanoseconds)
    }
}
