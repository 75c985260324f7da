import PoseMath

/// Which clock a device stamps its samples with.
package enum StampClock: Equatable, Sendable {
    /// CLOCK_MONOTONIC of this machine: taken as it is.
    case monotonic
    /// CLOCK_REALTIME of this machine: converted with the difference of the two clocks, measured at each read.
    case realtime
    /// A clock of another machine: converted with the smallest difference seen between arrival and stamp.
    case foreign
    /// No stamps: the smoothed time of arrival serves.
    case arrival
}

/// What a read tells about time, taken once for all samples that it brought.
struct ReadTime: Sendable {
    /// CLOCK_MONOTONIC when the read returned, nanoseconds.
    var monotonic: Int64
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC at that moment, nanoseconds.
    var realtimeOffset: Int64
    /// How many samples the same read brought after this one.
    var samplesAfter = 0
}

/// Why a sample's time stamp was not taken.
enum StampFault: UInt8, Sendable, CaseIterable {
    /// Not later than the one before: a repeated or reordered sample.
    case notIncreasing
    /// Later than now: the clock is another one, or jumped.
    case inFuture
    /// Longer ago than any buffer reaches: the clock is another one, or jumped.
    case inPast
}

/// Turns the stamps of one device into instants on the clock used inside, and refuses those that cannot be.
///
/// Single bad stamps cost their sample, counted by name. A clock that stays wrong (``persistence`` samples in a row) is
/// left for the smoothed time of arrival until the device is opened again, which ``isRestamping`` tells. Pure: same
/// stamps and arrivals in, same times out.
struct SampleStamping: Sendable {
    /// How far ahead of now a stamp may be: interrupts are stamped before they are read, so only rounding and drift are
    /// allowed for.
    static let futureToleranceNanoseconds: Int64 = 5_000_000
    /// How old a stamp may be: longer than kernel buffers and a stopped process hold samples.
    static let oldestNanoseconds: Int64 = 30_000_000_000
    /// Bad stamps in a row after which the clock itself is given up.
    static let persistence = 50

    /// The clock given up or not.
    private(set) var isRestamping = false
    /// Stamps refused, by ``StampFault``.
    private(set) var faults = InlineArray<3, UInt64>(repeating: 0)
    /// Samples that got their time of arrival because the clock was given up.
    private(set) var restamped: UInt64 = 0
    /// Steps of the difference between the stamps' clock and ours, larger than 1 ms.
    private(set) var clockSteps: UInt64 = 0

    private let clock: StampClock
    private var last = Int64.min
    private var badInARow = 0
    private var foreign = ForeignClock()
    private var arrival: ArrivalClock
    private var realtimeOffset: Int64?

    /// Stamping for a device of that clock and nominal rate.
    init(clock: StampClock, rateHertz: Double) {
        self.clock = clock
        arrival = ArrivalClock(rateHertz: rateHertz)
    }

    /// The instant of one sample, or `nil` where its stamp was refused and counted. Results rise strictly.
    mutating func time(ofStamp stamp: Int64?, read: ReadTime) -> MonotonicTime? {
        guard clock != .arrival, !isRestamping, let stamp else {
            if isRestamping { restamped += 1 }
            last = arrival.time(read: read, after: last)
            return MonotonicTime(nanoseconds: last)
        }
        let time = translated(stamp, read)
        if let fault = fault(of: time, read) {
            faults[Int(fault.rawValue)] += 1
            badInARow += 1
            if badInARow >= Self.persistence {
                isRestamping = true
                // A stamp from the future that was let through must not hold back the times of arrival.
                last = min(last, read.monotonic - 1)
            }
            return nil
        }
        badInARow = 0
        last = time
        return MonotonicTime(nanoseconds: time)
    }

    private func fault(of time: Int64, _ read: ReadTime) -> StampFault? {
        if time > read.monotonic &+ Self.futureToleranceNanoseconds { return .inFuture }
        if time < read.monotonic &- Self.oldestNanoseconds { return .inPast }
        return time > last ? nil : .notIncreasing
    }

    private mutating func translated(_ stamp: Int64, _ read: ReadTime) -> Int64 {
        switch clock {
        case .monotonic, .arrival:
            return stamp
        case .foreign:
            let before = foreign.steps
            let time = foreign.time(stamp: stamp, read: read)
            clockSteps += foreign.steps - before
            return time
        case .realtime:
            return fromRealtime(stamp, read)
        }
    }

    /// When the system's time was set between the stamp and the read, the old difference is the right one for that
    /// sample.
    private mutating func fromRealtime(_ stamp: Int64, _ read: ReadTime) -> Int64 {
        let now = stamp &- read.realtimeOffset
        let before = realtimeOffset ?? read.realtimeOffset
        guard (read.realtimeOffset &- before).magnitude > 1_000_000 else {
            realtimeOffset = read.realtimeOffset
            return now
        }
        let old = stamp &- before
        // A stamp may be any number: what is too far away to count is as far as can be.
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

/// The difference to a clock of another machine, from arrivals alone.
///
/// A sample can arrive late but never early, so the smallest arrival minus stamp is nearest to the truth; it is let
/// rise by ``driftPerSecond`` so that a faster remote clock is followed. What stays unknown is the shortest way of a
/// sample through the network.
struct ForeignClock: Sendable {
    /// How fast two quartz clocks may part.
    static let driftPerSecond = 50e-6
    /// A difference that changes by more than this is a new clock (remote restart, or its time was set).
    static let stepNanoseconds: Int64 = 1_000_000_000

    /// How often the remote clock stepped.
    private(set) var steps: UInt64 = 0
    private var offset: Double?
    private var lastArrival: Int64 = 0

    /// The local instant of a remote stamp.
    mutating func time(stamp: Int64, read: ReadTime) -> Int64 {
        let difference = Double(read.monotonic &- stamp)
        var current = difference
        if let offset {
            let drifted = offset + Double(max(0, read.monotonic &- lastArrival)) * Self.driftPerSecond
            if abs(difference - drifted) > Double(Self.stepNanoseconds) {
                steps += 1
            } else {
                current = min(drifted, difference)
            }
        }
        offset = current
        lastArrival = read.monotonic
        return stamp &+ (Int64(exactly: current.rounded()) ?? 0)
    }
}

/// Times for samples that carry none: arrivals with their jitter taken out.
///
/// A phase-locked loop on the sample count. Arrivals are late by scheduling and never early, so an early one pulls at
/// once (gain 1/4) and a late one gently (1/50); the period follows with 1e-4, which damps the loop critically (beta =
/// alpha^2 / 4).
struct ArrivalClock: Sendable {
    private var period: Double
    private let nominal: Double
    private var last: Double?

    /// A loop that starts from the nominal rate.
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
            // Further off, there was a gap or the nominal rate is wrong: the bare arrival serves.
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
