/// Keeps one call site from filling the log.
struct LogRateLimit {
    /// Lines a site may write in a period.
    static let burst = 5
    /// The period, seconds.
    static let periodSeconds = 10
    /// Sites remembered at most; there are fewer in the program.
    private static let siteLimit = 512

    private struct Count {
        var start: Int
        var written = 0
        var leftOut: UInt64 = 0
    }

    private var counts: [LogSite: Count] = [:]

    /// How many lines of this site were left out since its last one, or `nil` when this one is to be left out too.
    mutating func admit(_ site: LogSite, nowSeconds: Int) -> UInt64? {
        if counts.count >= Self.siteLimit, counts[site] == nil { counts.removeAll() }
        var count = counts[site] ?? Count(start: nowSeconds)
        defer { counts[site] = count }
        if nowSeconds - count.start >= Self.periodSeconds {
            count.start = nowSeconds
            count.written = 0
        }
        guard count.written < Self.burst else {
            count.leftOut += 1
            return nil
        }
        count.written += 1
        defer { count.leftOut = 0 }
        return count.leftOut
    }
}
