import PoseMath

/// Means of wheel speeds that follow each other faster than the filter uses them.
///
/// Readings at 100 Hz and below pass unchanged and at once. Of faster ones, the mean of those within 9 ms is passed on,
/// valid at the mean of their times: a bus at 1 kHz costs the filter as much as one at 111 Hz, and the steps of
/// coarse readings are averaged. Nothing is lost: readings that follow faster than slip and tread change say the
/// same. Pure, no allocation.
public struct WheelSpeedMean: Sendable {
    /// Time from one value that is passed on to the next, seconds: 10 ms minus the jitter of a bus at 100 Hz.
    public static let spanSeconds = 0.009
    /// Longest time between the first and the last reading of a mean, seconds: after a silence, that of before it and
    /// now would be a speed that never was, at a time long past.
    private static let longestMeanSeconds = 2 * spanSeconds

    private var last: MonotonicTime?
    private var start = MonotonicTime(nanoseconds: 0)
    private var previous = MonotonicTime(nanoseconds: .min)
    private var count = 0.0
    private var secondsSum = 0.0
    private var speedSum = 0.0

    /// A mean without readings.
    public init() {}

    /// Adds the next reading. Returns the value to pass on; `nil` while readings are collected. A reading that is not
    /// later than the one before, or that comes after a silence, begins anew.
    public mutating func add(_ sample: WheelSpeedSample) -> WheelSpeedSample? {
        if sample.time <= previous {
            count = 0
            last = nil
        }
        previous = sample.time
        if sample.time.seconds(since: start) > Self.longestMeanSeconds { count = 0 }
        if count == 0 { (start, secondsSum, speedSum) = (sample.time, 0, 0) }
        count += 1
        secondsSum += sample.time.seconds(since: start)
        speedSum += sample.speedMetersPerSecond
        if let last, !(sample.time.seconds(since: last) >= Self.spanSeconds) { return nil }
        defer { count = 0 }
        last = sample.time
        return WheelSpeedSample(
            time: start.advanced(bySeconds: secondsSum / count), speedMetersPerSecond: speedSum / count)
    }
}
