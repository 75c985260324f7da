/// A decimal number as written, before it becomes an instant; and the nearest `Double`.
///
/// Kept as digits and an exponent, so that an instant keeps its nanoseconds even with ten digits before the point,
/// where a `Double` of seconds would not.
public struct DecimalNumber: Hashable, Sendable {
    /// The nearest `Double`; infinite where the number is too large for one.
    public private(set) var double = 0.0
    /// The value is below zero.
    private var isNegative = false
    /// The first 19 significant digits.
    private var digits: UInt64 = 0
    /// The power of ten that `digits` is to be multiplied by.
    private var exponent = 0
    /// More than 19 digits were written, and one of the rest is not 0.
    private var isShortened = false

    /// What a field holds.
    public enum Outcome: Hashable, Sendable {
        /// Nothing: unknown.
        case empty
        /// A number.
        case number(DecimalNumber)
        /// A way to write "not a number" or "infinite".
        case notFinite
        /// Something else.
        case malformed
    }

    private init() {}

    /// Reads one field; blanks around it do not matter.
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
        guard number.takeDigits(text, &at) else { return isNotFinite(text, from: at) ? .notFinite : .malformed }
        guard number.takeExponent(text, &at), at == text.count else { return .malformed }
        number.setDouble(text)
        return .number(number)
    }

    /// Digits with at most one point; false where there is not a single digit.
    private mutating func takeDigits(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
        var count = 0
        var pointSeen = false
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: "."), !pointSeen {
                pointSeen = true
            } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                count += 1
                take(digit: UInt64(byte - UInt8(ascii: "0")), afterPoint: pointSeen)
            } else {
                break
            }
            at += 1
        }
        return count > 0
    }

    private mutating func take(digit: UInt64, afterPoint: Bool) {
        if digits < 1_000_000_000_000_000_000 {
            digits = digits * 10 + digit
            if afterPoint { exponent -= 1 }
        } else {
            isShortened = isShortened || digit != 0
            if !afterPoint { exponent += 1 }
        }
    }

    /// `e` with a signed whole number, or nothing; false where the `e` stands alone or the exponent is beyond reason.
    private mutating func takeExponent(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
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

    /// Digits and a power of ten that are both exact make the nearest `Double` in one operation (Clinger 1990); the
    /// rest goes to the standard library.
    private mutating func setDouble(_ text: UnsafeBufferPointer<UInt8>) {
        guard !isShortened, digits <= 1 << 53, abs(exponent) <= 22 else {
            double = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
            return
        }
        let magnitude =
            exponent < 0 ? Double(digits) / Self.powersOfTen[-exponent] : Double(digits) * Self.powersOfTen[exponent]
        double = isNegative ? -magnitude : magnitude
    }

    /// Seconds as nanoseconds, rounded to the nearest; `nil` beyond 290 years.
    public var nanoseconds: Int64? {
        let shift = exponent + 9
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
