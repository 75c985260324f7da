import PoseMath

/// The clock of a device's time stamps.
package enum StampClock: Equatable, Sendable {
    /// CLOCK_MONOTONIC of this machine: used directly.
    case monotonic
    /// CLOCK_REALTIME of this machine: converted with the difference of the two clocks, measured at each read.
    case realtime
    /// A clock of another machine: converted with the smallest observed difference between arrival and time stamp.
    case foreign
    /// No time stamps: the smoothed arrival time is used.
    case arrival
}

/// The clock readings of one read, shared by all samples of that read.
struct ReadTime: Sendable {
    /// CLOCK_MONOTONIC when the read returned, nanoseconds.
    var monotonic: Int64
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC at that moment, nanoseconds.
    var realtimeOffset: Int64
    /// Number of samples of the same read after this one.
    var samplesAfter = 0
}

/// The reason why a sample's time stamp was rejected.
enum StampFault: UInt8, Sendable, CaseIterable {
    /// Not later than the previous one: a repeated or reordered sample.
    case notIncreasing
    /// Later than now: a different clock, or a clock that jumped.
    case inFuture
    /// Older than any buffer can hold: a different clock, or a clock that jumped.
    case inPast
}

/// Converts the time stamps of one device into monotonic time and rejects implausible ones.
///
/// A single bad time stamp costs its sample and is counted by name. After ``persistence`` consecutive bad time stamps
/// the clock is replaced by the smoothed arrival time until the device is opened again (``isRestamping``). Pure: same
/// time stamps and arrivals in, same times out.
struct SampleStamping: Sendable {
    /// Maximum time by which a time stamp may be ahead of now: interrupts are stamped before they are read, so only
    /// rounding and drift are allowed.
    static let futureToleranceNanoseconds: Int64 = 5_000_000
    /// Maximum age of a time stamp: longer than kernel buffers and a stopped process hold samples.
    static let oldestNanoseconds: Int64 = 30_000_000_000
    /// Number of consecutive bad time stamps after which the device's clock is no longer used.
    static let persistence = 50

    /// Whether arrival times replace the device's clock.
    private(set) var isRestamping = false
    /// Number of rejected time stamps, by ``StampFault``.
    private(set) var faults = InlineArray<3, UInt64>(repeating: 0)
    /// Number of samples with arrival time because the device's clock was unusable.
    private(set) var restamped: UInt64 = 0
    /// Number of changes of the offset between the device's clock and the local clock: steps, and slews of a clock on
    /// another machine.
    private(set) var clockSteps: UInt64 = 0

    /// The drift of a clock on another machine.
    private(set) var drift = ClockDrift()

    private let clock: StampClock
    private var last = Int64.min
    private var consecutiveBad = 0
    private var foreign = ForeignClock()
    private var arrival: ArrivalClock
    private var realtimeOffset: Int64?

    /// Creates the conversion for a device with that clock and nominal rate.
    init(clock: StampClock, rateHertz: Double) {
        self.clock = clock
        arrival = ArrivalClock(rateHertz: rateHertz)
    }

    /// The time of one sample, or `nil` if its time stamp was rejected and counted. Results increase strictly.
    mutating func time(ofStamp stamp: Int64?, read: ReadTime) -> MonotonicTime? {
        guard clock != .arrival, !isRestamping, let stamp else {
            if isRestamping { restamped += 1 }
            last = arrival.time(read: read, after: last)
            return MonotonicTime(nanoseconds: last)
        }
        let time = converted(stamp, read)
        if let fault = fault(of: time, read) {
            faults[Int(fault.rawValue)] += 1
            consecutiveBad += 1
            if consecutiveBad >= Self.persistence {
                isRestamping = true
                // A time stamp from the future that was accepted must not delay the arrival times.
                last = min(last, read.monotonic - 1)
            }
            return nil
        }
        consecutiveBad = 0
        last = time
        return MonotonicTime(nanoseconds: time)
    }

    private func fault(of time: Int64, _ read: ReadTime) -> StampFault? {
        if time > read.monotonic &+ Self.futureToleranceNanoseconds { return .inFuture }
        if time < read.monotonic &- Self.oldestNanoseconds { return .inPast }
        return time > last ? nil : .notIncreasing
    }

    private mutating func converted(_ stamp: Int64, _ read: ReadTime) -> Int64 {
        switch clock {
        case .monotonic, .arrival:
            return stamp
        case .foreign:
            let before = foreign.steps
            drift.add(stamp: stamp, arrival: read.monotonic)
            let time = foreign.time(stamp: stamp, read: read)
            if foreign.steps != before { drift = ClockDrift() }
            clockSteps += foreign.steps - before
            return time
        case .realtime:
            return fromRealtime(stamp, read)
        }
    }

    /// When the system's time was set between the time stamp and the read, the old offset is the correct one for that
    /// sample.
    private mutating func fromRealtime(_ stamp: Int64, _ read: ReadTime) -> Int64 {
        let now = stamp &- read.realtimeOffset
        let before = realtimeOffset ?? read.realtimeOffset
        guard (read.realtimeOffset &- before).magnitude > 1_000_000 else {
            realtimeOffset = read.realtimeOffset
            return now
        }
        let old = stamp &- before
        // A time stamp may be any integer: a distance that overflows counts as the largest.
        let distance = { (time: Int64) -> UInt64 in
            let (age, overflow) = read.monotonic.subtractingReportingOverflow(time)
            let isInFuture = time > read.monotonic &+ Self.futureToleranceNanoseconds
            return isInFuture || overflow ? .max : age.magnitude
        }
        guard distance(old) >= distance(now) else { return old }
        realtimeOffset = read.realtimeOffset
        clockSteps += 1
        return now
    }
}

/// Estimates the offset of a clock on another machine from arrivals only.
///
/// A sample can arrive late but never early, so the smallest arrival minus time stamp is closest to the true offset.
/// The value may increase by ``driftPerSecond`` to follow a slower remote clock, and by a rise that lasts
/// (``LastingRise``), because a time service slews one of the two. The shortest network delay remains unknown.
struct ForeignClock: Sendable {
    /// Relative drift of two quartz clocks that is followed at once, seconds per second.
    static let driftPerSecond = 50e-6
    /// An offset change larger than this means a new clock (remote restart, or its time was set).
    static let stepNanoseconds: Int64 = 1_000_000_000

    /// Number of steps and lasting rises of the offset.
    private(set) var steps: UInt64 = 0
    private var offset: Double?
    private var rise = LastingRise()
    private var lastArrival: Int64 = 0

    /// The local time of a remote time stamp.
    mutating func time(stamp: Int64, read: ReadTime) -> Int64 {
        let difference = Double(read.monotonic &- stamp)
        var current = difference
        if let offset {
            let drifted = offset + Double(max(0, read.monotonic &- lastArrival)) * Self.driftPerSecond
            if abs(difference - drifted) > Double(Self.stepNanoseconds) {
                steps += 1
                rise = LastingRise()
            } else {
                current = followed(min(drifted, difference), difference, at: read.monotonic)
            }
        }
        offset = current
        lastArrival = read.monotonic
        return stamp &+ (Int64(exactly: current.rounded()) ?? 0)
    }

    /// The offset to use in place of the tracked one: the same one, or what it has risen to for good.
    private mutating func followed(_ tracked: Double, _ difference: Double, at arrival: Int64) -> Double {
        guard let present = Int64(exactly: difference.rounded()), let offset = Int64(exactly: tracked.rounded()),
            let risen = rise.add(present, tracked: offset, at: arrival)
        else { return tracked }
        steps += 1
        return min(Double(risen), difference)
    }
}

/// Computes times for samples without time stamps: arrival times with the jitter removed.
///
/// A phase-locked loop on the sample count. Scheduling makes arrivals late and never early. An early arrival therefore
/// corrects the phase strongly (gain 1/4) and a late one weakly (1/50). The period follows with 1e-4, which damps the
/// loop critically (beta = alpha^2 / 4).
struct ArrivalClock: Sendable {
    private var period: Double
    private let nominal: Double
    private var last: Double?

    /// Creates a loop that starts from the nominal rate.
    init(rateHertz: Double) {
        nominal = 1e9 / (rateHertz > 0 ? rateHertz : 100)
        period = nominal
    }

    /// The time of the next sample, later than `previous` and not after its read.
    mutating func time(read: ReadTime, after previous: Int64) -> Int64 {
        let arrival = Double(read.monotonic) - Double(read.samplesAfter) * period
        var time = arrival
        if let last {
            let predicted = last + period
            let error = arrival - predicted
            // A larger error means a gap or a wrong nominal rate: the arrival time is used directly.
            if abs(error) <= max(3 * period, 50e6) {
                time = predicted + (error < 0 ? 0.25 : 0.02) * error
                period = min(max(period + 1e-4 * error, 0.5 * nominal), 2 * nominal)
            }
        }
        time = min(time, Double(read.monotonic))
        last = time
        let rounded = Int64(time.rounded())
        return rounded > previous ? rounded : previous &+ 1
    }
}
