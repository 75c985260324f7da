/// Numbers as text with a fixed number of digits.
package enum Decimal {
    private static let powers = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000]

    /// A number with 0 to 9 decimals; its magnitude is limited to 9e9: seconds since 1970 have ten digits.
    package static func text(_ value: Double, decimals: Int) -> String {
        let scale = powers[min(max(decimals, 0), 9)]
        let bounded = value.isFinite ? min(max(value, -9e9), 9e9) : 0
        let scaled = Int64((bounded * Double(scale)).rounded())
        let (whole, part) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        guard decimals > 0 else { return "\(scaled < 0 ? "-" : "")\(whole)" }
        return "\(scaled < 0 ? "-" : "")\(whole).\(text(Int(part), digits: min(max(decimals, 1), 9)))"
    }

    /// A number of 0 or more with leading zeros.
    static func text(_ value: Int, digits: Int) -> String {
        let word = String(value)
        return String(repeating: "0", count: max(0, digits - word.utf8.count)) + word
    }

    /// Nanoseconds in seconds with nine decimals.
    static func seconds(_ nanoseconds: Int64) -> String {
        let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        return "\(nanoseconds < 0 ? "-" : "")\(whole).\(text(Int(part), digits: 9))"
    }
}

/// Text in an XML element or attribute.
enum XMLText {
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML 1.0 has no other control characters.
            case _ where scalar.value < 32: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
