/// A unit that is allowed in a settings file.
struct SettingsUnit: Sendable, Equatable {
    /// The quantity that it measures.
    enum Quantity: String, Sendable {
        /// A length.
        case length
        /// A duration.
        case time
        /// A speed.
        case speed
        /// A frequency.
        case frequency
        /// An angle.
        case angle

        /// The quantity with its article.
        var words: String { (self == .angle ? "an " : "a ") + rawValue }
    }

    /// Symbol of the unit.
    var symbol: String
    /// The quantity that it measures.
    var quantity: Quantity
    /// Factor to the base unit of the quantity: m, s, m/s, Hz, degrees.
    var factor: Double

    /// All known units.
    static let all: [SettingsUnit] = [
        SettingsUnit(symbol: "m", quantity: .length, factor: 1),
        SettingsUnit(symbol: "km", quantity: .length, factor: 1000),
        SettingsUnit(symbol: "cm", quantity: .length, factor: 0.01),
        SettingsUnit(symbol: "mm", quantity: .length, factor: 0.001),
        SettingsUnit(symbol: "ft", quantity: .length, factor: 0.3048),
        SettingsUnit(symbol: "mi", quantity: .length, factor: 1609.344),
        SettingsUnit(symbol: "s", quantity: .time, factor: 1),
        SettingsUnit(symbol: "ms", quantity: .time, factor: 0.001),
        SettingsUnit(symbol: "us", quantity: .time, factor: 1e-6),
        SettingsUnit(symbol: "min", quantity: .time, factor: 60),
        SettingsUnit(symbol: "h", quantity: .time, factor: 3600),
        SettingsUnit(symbol: "m/s", quantity: .speed, factor: 1),
        SettingsUnit(symbol: "km/h", quantity: .speed, factor: 1 / 3.6),
        SettingsUnit(symbol: "kmh", quantity: .speed, factor: 1 / 3.6),
        SettingsUnit(symbol: "kph", quantity: .speed, factor: 1 / 3.6),
        SettingsUnit(symbol: "mph", quantity: .speed, factor: 0.44704),
        SettingsUnit(symbol: "kn", quantity: .speed, factor: 1852.0 / 3600),
        SettingsUnit(symbol: "Hz", quantity: .frequency, factor: 1),
        SettingsUnit(symbol: "kHz", quantity: .frequency, factor: 1000),
        SettingsUnit(symbol: "deg", quantity: .angle, factor: 1),
        SettingsUnit(symbol: "°", quantity: .angle, factor: 1),
        SettingsUnit(symbol: "rad", quantity: .angle, factor: 180 / Double.pi),
    ]

    /// The unit with a symbol; upper and lower case are ignored where this is unambiguous.
    static func named(_ text: String) -> SettingsUnit? {
        all.first { $0.symbol == text } ?? all.first { $0.symbol.lowercased() == text.lowercased() }
    }
}

/// Reads and writes numbers of a settings file.
enum SettingsNumber {
    /// Reads a number with an optional unit; the failure contains the error text.
    static func read(_ text: String, unit: String?) -> Result<Double, SettingsComplaint> {
        let lower = text.lowercased()
        if ["nan", ".nan", "inf", ".inf", "+inf", "+.inf", "-inf", "-.inf", "infinity", "-infinity"].contains(lower) {
            return .failure("`\(text)` is not a finite number")
        }
        let digits = numberPrefix(text)
        let suffix = String(text.dropFirst(digits.count)).trimmingSpaces
        guard let value = Double(digits) else { return .failure("`\(text)` is not a number") }
        guard value.isFinite else { return .failure("`\(text)` is too large for a number") }
        if suffix.isEmpty || suffix == unit { return .success(value) }
        return .failure(complaint(text, value: value, suffix: suffix, unit: unit))
    }

    /// The shortest text that gives the same number; without a fraction for integers.
    static func text(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return value.description
    }

    private static func complaint(_ text: String, value: Double, suffix: String, unit: String?) -> SettingsComplaint {
        if suffix.first == ",", suffix.dropFirst().allSatisfy(\.isNumber) {
            return "`\(text)` is not a number; write the decimal point as `.`"
        }
        guard let written = SettingsUnit.named(suffix) else { return "`\(text)` is not a number" }
        guard let unit, let wanted = SettingsUnit.named(unit) else { return "`\(text)` has a unit, and this has none" }
        guard written.quantity == wanted.quantity else {
            return "`\(text)` is \(written.quantity.words), and this is in \(unit)"
        }
        // Twelve digits hide the binary rounding of a conversion such as km/h.
        let converted = value * written.factor / wanted.factor
        let scale = 1e9
        let right = SettingsNumber.text((converted * scale).rounded() / scale)
        return "`\(text)` is in \(written.symbol), and this is in \(unit); write \(right)"
    }

    /// The longest prefix that is a decimal number: sign, digits, point, digits, exponent.
    private static func numberPrefix(_ text: String) -> Substring {
        var rest = Substring(text)
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        let isDigit: (Character) -> Bool = { $0.isASCII && $0.isNumber }
        rest = rest.drop(while: isDigit)
        if rest.first == "." { rest = rest.dropFirst().drop(while: isDigit) }
        if rest.first == "e" || rest.first == "E" {
            var exponent = rest.dropFirst()
            if exponent.first == "+" || exponent.first == "-" { exponent.removeFirst() }
            if let first = exponent.first, isDigit(first) { rest = exponent.drop(while: isDigit) }
        }
        return text[..<rest.startIndex]
    }
}

extension String {
    /// The text without leading and trailing spaces and tabs.
    package var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
