import Glibc

/// Local time minus UTC.
package enum LocalTimeOffset {
    /// The offset in a text such as `+01:00` or `-03:30`, seconds; `nil` for another text or one of more than 14 h.
    package static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            bytes[3] == UInt8(ascii: ":")
        else { return nil }
        let digits = [1, 2, 4, 5].map { Int(bytes[$0]) - 0x30 }
        guard digits.allSatisfy({ $0 >= 0 && $0 <= 9 }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard minutes < 60, hours * 60 + minutes <= 14 * 60 else { return nil }
        return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// The offset of the system's time zone at an instant, UTC seconds since 1970. It depends on the instant and on the
    /// zone's rules, not on a clock. `nil` if the system cannot tell it.
    package static func ofSystem(atUTCSeconds seconds: Int64) -> Int? {
        // The zone may have been changed since the last call; localtime_r alone keeps the one that it found first.
        tzset()
        var (time, parts) = (time_t(seconds), tm())
        return localtime_r(&time, &parts) == nil ? nil : Int(parts.tm_gmtoff)
    }
}
