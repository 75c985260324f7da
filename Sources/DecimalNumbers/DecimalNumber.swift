/// A decimal number in its written digits, and the nearest `Double`.
///
/// It is stored as digits and an exponent, so that a time keeps its nanoseconds even with ten digits before the point,
/// where a `Double` of seconds would lose them.
public struct DecimalNumber: Hashable, Sendable {
    /// The nearest `Double`; infinite if the number is too large.
    public private(set) var double = 0.0
    /// Whether the number is negative.
    private var isNegative = false
    /// The first 19 significant digits.
    private var digits: UInt64 = 0
    /// Power of ten to multiply `digits` by.
    private var exponent = 0
    /// Whether more than 19 digits were written and one of the rest is not 0.
    private var isTruncated = false

    /// Result of parsing a field.
    public enum Outcome: Hashable, Sendable {
        /// Empty: unknown.
        case empty
        /// A number.
        case number(DecimalNumber)
        /// A notation for "not a number" or "infinite".
        case notFinite
        /// Something else.
        case malformed
    }

    private init() {}

    /// Parses one field; surrounding blanks are ignored.
    public static func parse(_ field: UnsafeBufferPointer<UInt8>) -> Outcome {
        var first = 0
        var last = field.count
        while first < last, field[first] == UInt8(ascii: " ") || field[first] == UInt8(ascii: "\t") { first += 1 }
        while last > first, field[last - 1] == UInt8(ascii: " ") || field[last - 1] == UInt8(ascii: "\t") { last -= 1 }
        guard first < last else { return .empty }
        let text = UnsafeBufferPointer(rebasing: field[first..<last])
        var number = DecimalNumber()
        var at = 0
        if text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") {
            number.isNegative = text[0] == UInt8(ascii: "-")
            at = 1
        }
        guard number.readDigits(text, &at) else { return isNotFinite(text, from: at) ? .notFinite : .malformed }
        guard number.readExponent(text, &at), at == text.count else { return .malformed }
        number.setDouble(text)
        return .number(number)
    }

    /// Reads digits with at most one point; returns `false` if there is no digit.
    private mutating func readDigits(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
        var count = 0
        var hasPoint = false
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                count += 1
                append(digit: UInt64(byte - UInt8(ascii: "0")), afterPoint: hasPoint)
            } else {
                break
            }
            at += 1
        }
        return count > 0
    }

    private mutating func append(digit: UInt64, afterPoint: Bool) {
        if digits < 1_000_000_000_000_000_000 {
            digits = digits * 10 + digit
            if afterPoint { exponent -= 1 }
        } else {
            isTruncated = isTruncated || digit != 0
            if !afterPoint { exponent += 1 }
        }
    }

    /// Reads an optional exponent: `e` and a signed integer. Returns `false` if the integer is missing or too large.
    private mutating func readExponent(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
        guard at < text.count, text[at] | 0x20 == UInt8(ascii: "e") else { return true }
        at += 1
        var sign = 1
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            sign = text[at] == UInt8(ascii: "-") ? -1 : 1
            at += 1
        }
        let start = at
        var value = 0
        while at < text.count, text[at] >= UInt8(ascii: "0"), text[at] <= UInt8(ascii: "9") {
            value = min(value * 10 + Int(text[at] - UInt8(ascii: "0")), 100_000)
            at += 1
        }
        exponent += sign * value
        return at > start
    }

    private static func isNotFinite(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        let word = String(decoding: text[start...].map { $0 | 0x20 }, as: UTF8.self)
        return ["nan", "inf", "infinity"].contains(word)
    }

    /// If digits and power of ten are both exact, one operation gives the nearest `Double` (Clinger 1990). All other
    /// numbers are converted by the standard library.
    private mutating func setDouble(_ text: UnsafeBufferPointer<UInt8>) {
        guard !isTruncated, digits <= 1 << 53, abs(exponent) <= 22 else {
            double = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
            return
        }
        let magnitude =
            exponent < 0 ? Double(digits) / Self.powersOfTen[-exponent] : Double(digits) * Self.powersOfTen[exponent]
        double = isNegative ? -magnitude : magnitude
    }

    /// The number of seconds as nanoseconds, rounded to the nearest; `nil` beyond 290 years.
    public var nanoseconds: Int64? { integer(timesTenToThe: 9) }

    /// The number rounded to the nearest integer; `nil` if its magnitude is 9.2e18 or more.
    public var integer: Int64? { integer(timesTenToThe: 0) }

    private func integer(timesTenToThe power: Int) -> Int64? {
        let shift = exponent + power
        var magnitude = digits
        if shift >= 0 {
            for _ in 0..<min(shift, 20) {
                let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                magnitude = product
            }
        } else {
            for _ in 0..<min(-shift - 1, 20) { magnitude /= 10 }
            magnitude = (magnitude + 5) / 10
        }
        guard magnitude < 9_200_000_000_000_000_000 else { return nil }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
