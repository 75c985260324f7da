import Glibc

/// Dates as text.
public enum UTCDate {
    /// `2026-11-21`; `not said` for times outside years 1000 to 9999. The time is in seconds since 1970.
    public static func text(seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil, (-900...8099).contains(parts.tm_year) else { return "not said" }
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }
}
