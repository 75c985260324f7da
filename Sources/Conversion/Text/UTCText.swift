import Frames

/// Times as text: year, month, day, hour, minute, second with a fraction.
enum UTCText {
    /// `2026-01-31T12:34:56.789Z`.
    static func text(_ nanoseconds: Int64) -> String {
        let time = CivilTime(utcNanoseconds: nanoseconds)
        let date = [(time.year, 4), (time.month, 2), (time.day, 2)].map { Decimal.text($0.0, digits: $0.1) }
        let clock = [time.hour, time.minute, time.second].map { Decimal.text($0, digits: 2) }
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "."
            + Decimal.text(time.nanosecond / 1_000_000, digits: 3) + "Z"
    }

    /// The nanoseconds since 1970 of `YYYY-MM-DDThh:mm:ss.fffZ`, also with a blank instead of the T and without the Z;
    /// `nil` for anything else, and outside the years 1970 to 2100.
    static func nanoseconds(_ text: ArraySlice<UInt8>) -> Int64? {
        var text = text
        if text.last == UInt8(ascii: "Z") { text.removeLast() }
        let bytes = Array(text)
        guard bytes.count >= 19, bytes.count <= 40, bytes[4] == dash, bytes[7] == dash,
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "), bytes[13] == colon, bytes[16] == colon,
            let year = number(bytes[0..<4]), (1970..<2100).contains(year), let month = number(bytes[5..<7]),
            (1...12).contains(month), let day = number(bytes[8..<10]), (1...31).contains(day),
            let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60,
            let second = number(bytes[17..<19]), second <= 60, let fraction = fraction(bytes[19...])
        else { return nil }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
        return Int64(seconds) * 1_000_000_000 + fraction
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 48)
        }
        return value
    }

    /// Nanoseconds of `.fff`; digits beyond the ninth are dropped.
    private static func fraction(_ text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty else { return 0 }
        let digits = text.dropFirst().prefix(9)
        guard text.first == UInt8(ascii: "."), text.count > 1, let value = number(digits),
            text.allSatisfy({ (46...57).contains($0) })
        else { return nil }
        return (digits.count..<9).reduce(Int64(value)) { value, _ in value * 10 }
    }

    /// Days since 1970 (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil), for years from
    /// 1970 on.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
