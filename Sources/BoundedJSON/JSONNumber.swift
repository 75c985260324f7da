/// Decimal numbers to binary ones.
enum JSONNumber {
    /// Powers of ten that a `Double` holds exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest `Double` of a number whose grammar was checked; infinite where it is too large.
    ///
    /// Up to 15 digits with a power of ten up to 22 are exact in one operation (Clinger 1990); the rest goes to the
    /// standard library.
    static func double(_ bytes: [UInt8], from start: Int, to end: Int) -> Double {
        var at = start
        let isNegative = bytes[at] == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var (mantissa, digits, exponent, isFraction) = (0 as UInt64, 0, 0, false)
        while at < end {
            let byte = bytes[at]
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                if mantissa > 0 || byte > UInt8(ascii: "0") { digits += 1 }
                guard digits <= 15 else { return slow(bytes[start..<end]) }
                mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
                if isFraction { exponent -= 1 }
            } else {
                return slow(bytes[start..<end])
            }
            at += 1
        }
        guard exponent >= -22 else { return slow(bytes[start..<end]) }
        let value = Double(mantissa) / exactPowers[-exponent]
        return isNegative ? -value : value
    }

    private static func slow(_ text: ArraySlice<UInt8>) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    }
}
