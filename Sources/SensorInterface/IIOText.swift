import Glibc

/// Reads and writes the short texts of sysfs attributes, without Foundation.
package enum IIOText {
    /// The text without white space and NULs at both ends.
    package static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// A decimal number at full precision, or `nil` when the text is not exactly one number. NaN and infinities are
    /// accepted: the caller decides about them.
    package static func number(_ text: some StringProtocol) -> Double? { Double(trimmed(text)) }

    /// A number with at most four significant digits, for messages.
    package static func short(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return "\(value)" }
        let magnitude = pow(10, 3 - floor(log10(abs(value))))
        guard magnitude.isFinite else { return "\(value)" }
        let rounded = (value * magnitude).rounded() / magnitude
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
    }

    /// The number of significant digits of a decimal number as written: 3 for `0.00106`, 2 for `1.7e-08`.
    package static func significantDigits(_ text: String) -> Int {
        var digits = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") { break }
            guard (0x30...0x39).contains(byte) else { continue }
            if digits > 0 || byte != 0x30 { digits += 1 }
        }
        return digits
    }
}
