/// A UTC time as date and time of day. Nanoseconds since 1970 do not count leap seconds, so none appear here.
package struct CivilTime {
    /// Year of the Gregorian calendar.
    package let year: Int
    /// Month, 1 to 12.
    package let month: Int
    /// Day of the month, from 1.
    package let day: Int
    /// Hour, 0 to 23.
    package let hour: Int
    /// Minute, 0 to 59.
    package let minute: Int
    /// Second, 0 to 59.
    package let second: Int
    /// Nanosecond of the second.
    package let nanosecond: Int

    /// Converts nanoseconds since 1970 (Howard Hinnant, "chrono-compatible low-level date algorithms",
    /// civil_from_days).
    package init(utcNanoseconds: Int64) {
        let perDay: Int64 = 86_400_000_000_000
        let (quotient, remainder) = utcNanoseconds.quotientAndRemainder(dividingBy: perDay)
        let days = Int(quotient) - (remainder < 0 ? 1 : 0)
        let rest = Int(remainder < 0 ? remainder + perDay : remainder)
        nanosecond = rest % 1_000_000_000
        let seconds = rest / 1_000_000_000
        (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        // Years that begin in March, in eras of 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
