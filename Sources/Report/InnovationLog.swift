import Engine
import Fusion
import Measurements
import PoseMath

/// The innovations of the aiding sources, read from the engine after the measurements that bring them.
struct InnovationLog {
    /// One innovation.
    struct Entry: Sendable {
        /// When it was read.
        var time: MonotonicTime
        /// Innovation over its 1-sigma.
        var normalised: Double
        /// Innovation over the gate; accepted below 1.
        var testRatio: Double
        /// Why it was rejected.
        var rejection: AidRejection
        /// Number of innovations that it stands for: itself, and smaller ones near it.
        var count = 1
        /// Number of the bad ones among them: rejected, or beyond three sigmas.
        var bad = 0
    }

    /// What is known of one source.
    struct Source: Sendable {
        /// The entries, thinned where they are many.
        var entries: [Entry] = []
        /// Number of observations since the start, and of those rejected, over all runs of the filter.
        var accepted: UInt64 = 0
        var rejected: UInt64 = 0
        /// Sum of the squares of the normalised innovations that were read and accepted, and their number.
        var squares = 0.0
        var read = 0
        /// Those beyond three sigmas.
        var beyondThree = 0
        /// Those in each of the ``bins``.
        var counts = [Int](repeating: 0, count: Source.bins.count)
        /// The bins of the normalised innovations: the begin of the first one, their width and number. The page draws
        /// them.
        static let bins = (low: -5.0, width: 0.25, count: 40)
        /// The counts that were read last.
        fileprivate var last = Counts()
        fileprivate var stride = 1
        fileprivate var pending: Entry?
        fileprivate var skipped = 0
    }

    /// Observations of a source since the filter began.
    struct Counts: Sendable {
        /// Those that were accepted, and those that were not.
        var accepted: UInt32 = 0
        var rejected: UInt32 = 0
    }

    /// The sources that had an observation.
    private(set) var sources: [AidSource: Source] = [:]
    /// The last report of the engine.
    private(set) var trust = TrustReport()
    private var wasRunning = false

    /// Reads the engine.
    mutating func read(_ engine: inout Engine, at time: MonotonicTime) {
        engine.describeTrust(&trust)
        guard trust.isFilterRunning else {
            wasRunning = false
            return
        }
        if !wasRunning { for source in sources.keys { sources[source]?.last = Counts() } }
        wasRunning = true
        for source in AidSource.allCases { note(trust[source], of: source, at: time) }
    }

    private mutating func note(_ status: AidSourceStatus, of source: AidSource, at time: MonotonicTime) {
        let last = sources[source]?.last ?? Counts()
        // A filter that began anew counts from zero.
        let isNew = status.acceptedCount < last.accepted || status.rejectedCount < last.rejected
        let accepted = isNew ? status.acceptedCount : status.acceptedCount - last.accepted
        let rejected = isNew ? status.rejectedCount : status.rejectedCount - last.rejected
        guard accepted > 0 || rejected > 0 else { return }
        var record = sources[source] ?? Source()
        record.last = Counts(accepted: status.acceptedCount, rejected: status.rejectedCount)
        record.accepted += UInt64(accepted)
        record.rejected += UInt64(rejected)
        if status.innovationVariance > 0 {
            let entry = Entry(
                time: time, normalised: status.innovation / status.innovationVariance.squareRoot(),
                testRatio: status.testRatio, rejection: status.rejection)
            record.add(entry)
        }
        sources[source] = record
    }
}

extension InnovationLog.Source {
    /// Keeps an entry, of several the largest, which stands for all of them.
    mutating func add(_ entry: InnovationLog.Entry) {
        guard entry.normalised.isFinite else { return }
        if entry.rejection == .none { noteAccepted(entry.normalised) }
        var own = entry
        (own.count, own.bad) = (1, entry.rejection != .none || abs(entry.normalised) > 3 ? 1 : 0)
        pending = pending?.joined(with: own) ?? own
        skipped += 1
        guard skipped >= stride, let chosen = pending else { return }
        (pending, skipped) = (nil, 0)
        entries.append(chosen)
        guard entries.count >= 6000 else { return }
        var kept: [InnovationLog.Entry] = []
        for index in Swift.stride(from: 0, to: entries.count - 1, by: 2) {
            kept.append(entries[index].joined(with: entries[index + 1]))
        }
        entries = kept
        stride *= 2
    }

    private mutating func noteAccepted(_ normalised: Double) {
        squares += normalised * normalised
        read += 1
        if abs(normalised) > 3 { beyondThree += 1 }
        let bin = ((normalised - Self.bins.low) / Self.bins.width).rounded(.down)
        if bin >= 0, bin < Double(Self.bins.count) { counts[Int(bin)] += 1 }
    }

    /// The entries, with the one to which others may be joined still: together they stand for all innovations.
    var allEntries: [InnovationLog.Entry] { entries + [pending].compactMap { $0 } }

    /// Root mean square of the accepted normalised innovations: 1 where the stated accuracies are right; `nil` without
    /// any.
    var rootMeanSquare: Double? { read > 0 ? (squares / Double(read)).squareRoot() : nil }
}

extension InnovationLog.Entry {
    /// The larger of two, the later of equal ones, which stands for what both stand for.
    fileprivate func joined(with later: InnovationLog.Entry) -> InnovationLog.Entry {
        var larger = abs(later.normalised) >= abs(normalised) ? later : self
        (larger.count, larger.bad) = (count + later.count, bad + later.bad)
        return larger
    }
}
