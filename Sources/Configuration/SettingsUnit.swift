/// A unit a setting is given in, as written in a settings file.
struct SettingsUnit: Sendable, Equatable {
    /// What kind of quantity it measures.
    enum Quantity: String, Sendable {
        /// How long in space.
        case length
        /// How long in time.
        case time
        /// How fast.
        case speed
        /// How often.
        case frequency
        /// How far turned.
        case angle
    }

    /// How it is written.
    var symbol: String
    /// What it measures.
    var quantity: Quantity
    /// How many of the quantity's base unit it holds: m, s, m/s, Hz, degrees.
    var factor: Double

    /// Every unit a user might write.
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

    /// The unit written so, capitals aside where that is the only difference.
    static func named(_ text: String) -> SettingsUnit? {
        all.first { $0.symbol == text } ?? all.first { $0.symbol.lowercased() == text.lowercased() }
    }
}

/// Numbers as people write them in a settings file.
enum SettingsNumber {
    /// The number of a text and the text behind it, or what is wrong with it.
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

    /// The shortest text that reads back as the same number, without a fraction where it has none.
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
            return "`\(text)` is a \(written.quantity.rawValue), and this is in \(unit)"
        }
        // Twelve digits keep a conversion such as km/h from showing the rounding of binary fractions.
        let converted = value * written.factor / wanted.factor
        let scale = 1e9
        let right = SettingsNumber.text((converted * scale).rounded() / scale)
        return "`\(text)` is in \(written.symbol), and this is in \(unit); write \(right)"
    }

    /// The longest beginning that is a decimal number: sign, digits, point, digits, exponent.
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
    /// The text without spaces and tabs at its ends.
    package var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
