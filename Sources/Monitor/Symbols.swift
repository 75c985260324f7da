import Glibc

/// The symbols of the monitor: Unicode, or ASCII for a terminal without Unicode.
struct Symbols: Sendable {
    let isUnicode: Bool
    var degree: String { isUnicode ? "°" : " deg" }
    var plusMinus: String { isUnicode ? "±" : "+-" }
    var rule: Character { isUnicode ? "─" : "-" }
    var bar: Character { isUnicode ? "█" : "#" }
    var barRest: Character { isUnicode ? "░" : "." }
    var dot: String { isUnicode ? "●" : "*" }

    /// The arrow for a turn angle, clockwise positive, radians.
    func arrow(turnRadians turn: Double?) -> String {
        guard let turn else { return isUnicode ? "⚑" : "o" }
        let degrees = turn * 180 / .pi
        switch abs(degrees) {
        case ..<20: return isUnicode ? "↑" : "^"
        case ..<50: return degrees > 0 ? (isUnicode ? "↗" : "/>") : (isUnicode ? "↖" : "<\\")
        case ..<160: return degrees > 0 ? (isUnicode ? "→" : "->") : (isUnicode ? "←" : "<-")
        default: return isUnicode ? "↶" : "U"
        }
    }
}

/// Numbers formatted for display.
enum Reading {
    /// A number with that many decimals, or dashes if it is unknown.
    static func number(_ value: Double?, _ decimals: Int, width: Int = 0) -> String {
        let text = value.map { fixed($0, decimals) } ?? "--"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// An angle in degrees.
    static func degrees(_ radians: Double?, _ decimals: Int, width: Int = 0) -> String {
        number(radians.map { $0 * 180 / .pi }, decimals, width: width)
    }

    /// A direction clockwise from north in degrees, to a tenth: below 360 also as it is rounded.
    static func direction(_ radians: Double?, width: Int = 0) -> String {
        let tenths = radians.map { ($0 * 1_800 / .pi).rounded() }
        return number(tenths.map { ($0 == 3_600 ? 0 : $0) / 10 }, 1, width: width)
    }

    /// A distance in metres below one kilometre, otherwise in kilometres.
    static func distance(_ meters: Double?) -> String {
        guard let meters else { return "--" }
        return abs(meters) < 1_000 ? "\(fixed(meters, 0)) m" : "\(fixed(meters / 1_000, 2)) km"
    }

    /// A duration as hours, minutes and seconds; dashes if it is unknown, or has a million hours.
    static func span(_ seconds: Double?) -> String {
        guard let seconds, seconds >= 0, seconds < 3.6e9 else { return "--" }
        let whole = Int(seconds.rounded())
        return whole < 3_600
            ? "\(whole / 60):\(twoDigits(whole % 60))"
            : "\(whole / 3_600):\(twoDigits(whole / 60 % 60)):\(twoDigits(whole % 60))"
    }

    /// The time of day of a UTC time, or dashes if it is unknown.
    static func clock(utcNanoseconds: Int64?) -> String {
        guard let utc = utcNanoseconds, utc >= 0 else { return "--:--:--" }
        let second = Int(utc / 1_000_000_000) % 86_400
        return "\(twoDigits(second / 3_600)):\(twoDigits(second / 60 % 60)):\(twoDigits(second % 60))Z"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard abs(value) < 1e12 else { return "--" }
        let scale = pow(10.0, Double(decimals))
        let scaled = Int64((value * scale).rounded())
        let magnitude = scaled.magnitude
        var digits = String(magnitude)
        while digits.count <= decimals { digits = "0" + digits }
        let split = digits.index(digits.endIndex, offsetBy: -decimals)
        let text = decimals == 0 ? digits : "\(digits[..<split]).\(digits[split...])"
        return scaled < 0 ? "-" + text : text
    }
}
