import PoseMath

/// Decides which of several receivers is used: the best one, in their order, that delivers good fixes. Pure.
///
/// Every decision is made when a fix arrives. A receiver is overdue when it has had no good fix for two of its own
/// intervals and half a second: one lost fix, and the delays of a busy bus. Then the best of the others takes over. The
/// way back needs good fixes without a gap for some seconds; a receiver that fails again soon after it came back must
/// prove itself twice as long each time.
struct ReceiverPriority {
    /// Delay that is allowed in addition to two intervals, seconds.
    static let marginSeconds = 0.5
    /// How long a better receiver must deliver good fixes before it is used again, seconds, and the most that this
    /// grows to; at least three of its intervals.
    static let (provingSeconds, longestProvingSeconds) = (5.0, 80.0)
    /// A receiver that fails within this time after it has come back has failed soon, seconds.
    static let soonSeconds = 60.0

    /// A change of the receiver in use.
    struct Change: Equatable {
        /// The receivers before and after.
        var from: Int
        var to: Int
        /// Seconds without a good fix of the one before; `nil`: a better one has come back.
        var silentSeconds: Double?
    }

    private struct Record {
        var intervalSeconds = 1.0
        var lastGood: MonotonicTime?
        var goodSince: MonotonicTime?
        /// When it was used again after another one; `nil` where it was not.
        var returnedAt: MonotonicTime?
        var provingSeconds = ReceiverPriority.provingSeconds

        var limitSeconds: Double { 2 * intervalSeconds + ReceiverPriority.marginSeconds }
    }

    private var records: [Record]
    private let began: MonotonicTime
    /// The receiver in use, by its place in the order. Before the first fix that is the best one.
    private(set) var inUse = 0

    /// Receivers that have delivered nothing. The best one has the same time for its first fix as later for each.
    init(count: Int, at now: MonotonicTime) {
        records = Array(repeating: Record(), count: max(count, 1))
        began = now
    }

    /// Whether a receiver has delivered no good fix for too long.
    func isOverdue(_ receiver: Int, at now: MonotonicTime) -> Bool {
        !(silentSeconds(receiver, at: now) <= records[receiver].limitSeconds)
    }

    /// Time without a good fix after which another receiver takes over, seconds.
    func limitSeconds(_ receiver: Int) -> Double { records[receiver].limitSeconds }

    private func silentSeconds(_ receiver: Int, at now: MonotonicTime) -> Double {
        now.seconds(since: records[receiver].lastGood ?? began)
    }

    /// Processes a fix of a receiver; returns the change that it causes.
    ///
    /// - Parameters:
    ///   - isGood: whether the fix can be used: not jammed, not a repetition.
    ///   - intervalSeconds: the receiver's measured interval.
    mutating func note(_ receiver: Int, isGood: Bool, intervalSeconds: Double, at now: MonotonicTime) -> Change? {
        guard records.indices.contains(receiver), isGood else { return nil }
        let silentBefore = isOverdue(receiver, at: now) || records[receiver].lastGood == nil
        records[receiver].intervalSeconds = intervalSeconds
        records[receiver].lastGood = now
        if silentBefore { records[receiver].goodSince = now }
        guard receiver != inUse else { return nil }
        if isOverdue(inUse, at: now) {
            // A better one than this that delivers takes over with its own next fix.
            guard !(0..<receiver).contains(where: { !isOverdue($0, at: now) && records[$0].lastGood != nil }) else {
                return nil
            }
            noteFailure(of: inUse, at: now)
            return change(to: receiver, silentSeconds: silentSeconds(inUse, at: now), at: now)
        }
        guard receiver < inUse, let since = records[receiver].goodSince,
            now.seconds(since: since) >= max(records[receiver].provingSeconds, 3 * intervalSeconds)
        else { return nil }
        return change(to: receiver, silentSeconds: nil, at: now)
    }

    private mutating func noteFailure(of receiver: Int, at now: MonotonicTime) {
        let isSoon = records[receiver].returnedAt.map { now.seconds(since: $0) < Self.soonSeconds } ?? false
        records[receiver].provingSeconds =
            isSoon ? min(2 * records[receiver].provingSeconds, Self.longestProvingSeconds) : Self.provingSeconds
        records[receiver].returnedAt = nil
    }

    private mutating func change(to receiver: Int, silentSeconds: Double?, at now: MonotonicTime) -> Change {
        defer { inUse = receiver }
        records[receiver].returnedAt = silentSeconds == nil ? now : nil
        return Change(from: inUse, to: receiver, silentSeconds: silentSeconds)
    }
}
