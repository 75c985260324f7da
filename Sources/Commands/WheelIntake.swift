import Measurements
import PoseMath
import SensorInterface

/// The wheel speeds of the command `wheel`: checks their times, counts what is refused, and passes them to the engine.
/// Only the socket thread uses it.
struct WheelIntake {
    /// Why a wheel speed is refused beside its time stamp (``TimeStampRefusal``); the raw values are the names in the
    /// reply and in `status`.
    enum Refusal: String, CaseIterable {
        /// The queue to the engine was full.
        case queueFull = "queue_full"
        /// More per second than a client may send.
        case flood = "flood"
    }

    /// The result for the wheel speeds of one command.
    struct Outcome: Equatable {
        /// Number taken.
        var taken = 0
        /// Number refused by reason.
        var refused = Counts()

        /// The refused ones by reason; reasons with count 0 are omitted.
        var refusals: [(name: String, count: UInt64)] { refused.named }
    }

    /// Counts by ``TimeStampRefusal`` and ``Refusal``.
    struct Counts: Equatable {
        private static let names = TimeStampRefusal.allCases.map(\.rawValue) + Refusal.allCases.map(\.rawValue)
        private var counts: [UInt64] = Array(repeating: 0, count: names.count)

        /// Adds to the count of a reason.
        mutating func add(_ refusal: Refusal, _ number: UInt64 = 1) {
            if let index = Self.names.firstIndex(of: refusal.rawValue) { counts[index] &+= number }
        }

        /// Adds to the count of a refused time stamp.
        mutating func add(_ refusal: TimeStampRefusal) { counts[refusal.index] &+= 1 }

        /// Adds other counts.
        mutating func add(_ other: Counts) {
            for index in counts.indices { counts[index] &+= other.counts[index] }
        }

        /// The reasons with a count above 0.
        var named: [(name: String, count: UInt64)] {
            zip(Self.names, counts).filter { $0.1 > 0 }.map { ($0.0, $0.1) }
        }
    }

    /// Maximum number of wheel speeds in one command.
    static let mostSamples = 64
    /// A time may be that much ahead of now, seconds: rounding.
    static let futureToleranceSeconds = 0.005
    /// Maximum age of a wheel speed, seconds: more than a bridge needs to collect a batch at 50 Hz. The filter goes
    /// back to the time of each.
    static let oldestSeconds = 2.0
    /// Time without a wheel speed after which the source is stale, seconds: more than a bridge may collect
    /// (``oldestSeconds``), so that it is not stale between two batches.
    private static let staleSeconds = 2.5

    private let offer: (WheelSpeedSample) -> Bool
    private let report: (SourceReport) -> Void
    private let board: SourceStatusBoard
    private var entry: Int?
    private var mean = WheelSpeedMean()
    private var lastSample = MonotonicTime(nanoseconds: .min)
    private var lastArrival: MonotonicTime?
    private var total = Counts()
    private var accepted: UInt64 = 0
    private var rate: (since: MonotonicTime, accepted: UInt64)?
    private var isStale = false

    /// Creates an intake. `offer` passes a wheel speed to the engine and returns whether there was room; `report`
    /// passes a change of state.
    init(
        board: SourceStatusBoard, offer: @escaping (WheelSpeedSample) -> Bool,
        report: @escaping (SourceReport) -> Void
    ) {
        self.board = board
        self.offer = offer
        self.report = report
    }

    /// Takes the wheel speeds of a command in their order.
    mutating func take(_ samples: [WheelSpeedSample], now: MonotonicTime) -> Outcome {
        var outcome = Outcome()
        for sample in samples {
            if let refusal = check(sample.time, now) {
                outcome.refused.add(refusal)
                continue
            }
            if entry == nil { begin(now) }
            lastSample = sample.time
            guard let value = mean.add(sample) else {
                outcome.taken += 1
                continue
            }
            if offer(value) { outcome.taken += 1 } else { outcome.refused.add(.queueFull) }
        }
        note(outcome, now)
        return outcome
    }

    /// Refuses the wheel speeds of a command because the client sends too many.
    mutating func refuseFlood(_ count: Int, now: MonotonicTime) {
        var outcome = Outcome()
        outcome.refused.add(.flood, UInt64(clamping: count))
        note(outcome, now)
    }

    /// Updates rate and state for `status`. Called about twice per second.
    mutating func sweep(_ now: MonotonicTime) {
        guard let entry, let lastArrival else { return }
        let silence = now.seconds(since: lastArrival)
        let wasStale = isStale
        isStale = silence >= Self.staleSeconds
        // The engine knows one state for all sources of wheel speeds, such as this one and a CAN bus.
        if isStale, !wasStale, !board.isAnotherStreaming(.wheels, than: entry) {
            report(SourceReport(time: now, source: .wheels, state: .stale))
        }
        // A batch may take longer than from one look to the next: the rate is that of the time until something came.
        guard let since = rate, isStale || accepted != since.accepted else { return }
        let seconds = now.seconds(since: since.since)
        guard seconds >= 0.4 else { return }
        let hertz = isStale ? nil : Double(accepted - since.accepted) / seconds
        rate = (now, accepted)
        let text = isStale ? "the last wheel speed came \(Int(min(silence, 1e9))) s ago: look at the bridge" : nil
        board.update(entry) { status in
            status.rateHertz = hertz
            status.state = text == nil ? .streaming : .stale
            status.explanation = text ?? Self.streamingText
        }
    }

    private static let streamingText = "wheel speeds of the command wheel"

    private func check(_ time: MonotonicTime, _ now: MonotonicTime) -> TimeStampRefusal? {
        guard time.seconds(since: now) <= Self.futureToleranceSeconds else { return .inFuture }
        guard now.seconds(since: time) <= Self.oldestSeconds else { return .inPast }
        return time > lastSample ? nil : .notIncreasing
    }

    private mutating func begin(_ now: MonotonicTime) {
        entry = board.register(SourceDescription(name: "wheels", kind: .wheels, place: "command wheel"))
        rate = (now, 0)
        report(SourceReport(time: now, source: .wheels, state: .streaming))
    }

    private mutating func note(_ outcome: Outcome, _ now: MonotonicTime) {
        accepted &+= UInt64(clamping: outcome.taken)
        total.add(outcome.refused)
        guard let entry else { return }
        if outcome.taken > 0 {
            if isStale { report(SourceReport(time: now, source: .wheels, state: .streaming)) }
            (lastArrival, isStale) = (now, false)
        }
        let (accepted, arrival, isStale) = (accepted, lastArrival, isStale)
        let rejections = total.named.map { RejectionCount(reason: $0.name, count: $0.count) }
        board.update(entry) { status in
            status.acceptedCount = accepted
            status.rejections = rejections
            status.lastDataTime = arrival
            guard !isStale else { return }
            status.state = .streaming
            status.explanation = Self.streamingText
        }
    }
}
