/// Limits the log lines per call site.
struct LogRateLimit {
    /// Lines that a call site may write in one period.
    static let burst = 5
    /// The length of a period, seconds.
    static let periodSeconds = 10
    /// Maximum number of call sites stored; the program has fewer.
    private static let siteLimit = 512

    private struct Count {
        var start: Int
        var written = 0
        var suppressed: UInt64 = 0
    }

    private var counts: [LogSite: Count] = [:]

    /// The number of suppressed lines of this call site since its last written line, or `nil` when this line must be
    /// suppressed too.
    mutating func admit(_ site: LogSite, nowSeconds: Int) -> UInt64? {
        if counts.count >= Self.siteLimit, counts[site] == nil { counts.removeAll() }
        var count = counts[site] ?? Count(start: nowSeconds)
        defer { counts[site] = count }
        if nowSeconds - count.start >= Self.periodSeconds {
            count.start = nowSeconds
            count.written = 0
        }
        guard count.written < Self.burst else {
            count.suppressed += 1
            return nil
        }
        count.written += 1
        defer { count.suppressed = 0 }
        return count.suppressed
    }
}
