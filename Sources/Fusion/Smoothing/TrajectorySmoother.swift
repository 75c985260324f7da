import Measurements
import PoseMath

/// Smoothed trajectory of a recording: the filter forward, then a backward pass, block by block, so that a day needs no
/// more memory than ten minutes.
///
/// Pass a recording's events in any order that the daemon would receive them in; take the estimates, in order of time,
/// as they become ready. Before the filter has started, and where it was stopped, the estimates are the filter's own.
public struct TrajectorySmoother: Sendable {
    /// One estimate of the filter, waiting for the backward pass.
    private struct Passage: Sendable {
        var estimate: PoseEstimate
        var state: NavigationState
        /// What was known of the fixes, and which receiver they came from.
        var fixes: NavigationFilter.FixEvidence
        var receiver: UInt8
        /// The update before it.
        var epoch: Int
    }

    private var estimator: PoseEstimator
    private var writer: PoseEstimator
    private var waiting: [SensorEvent] = []
    private var passages: ContiguousArray<Passage> = []
    private var ready: [PoseEstimate] = []
    private var filtersGivenUp: UInt32 = 0

    /// A smoother without events.
    public init(settings: FusionSettings = FusionSettings()) {
        estimator = PoseEstimator(settings: settings)
        writer = estimator
        estimator.delayedMeasurements.journal = SmoothingJournal()
    }

    /// Processes the next event.
    public mutating func ingest(_ event: SensorEvent) {
        var i = waiting.count
        while i > 0, Self.comesBefore(event, waiting[i - 1]) { i -= 1 }
        waiting.insert(event, at: i)
        guard let newest = waiting.last else { return }
        release { newest.validityTime.seconds(since: $0.validityTime) > Tuning.Smoothing.reorderSeconds }
    }

    /// Ends the recording: no more events come.
    public mutating func finish() {
        release { _ in true }
        emit(all: true)
    }

    /// The estimates that are ready, each given out once.
    public mutating func takeEstimates() -> [PoseEstimate] {
        defer { ready.removeAll(keepingCapacity: true) }
        return ready
    }

    /// A fix belongs before the sample that ends after it was valid.
    private static func comesBefore(_ a: SensorEvent, _ b: SensorEvent) -> Bool {
        if a.validityTime != b.validityTime { return a.validityTime < b.validityTime }
        if case .inertial = b, case .inertial = a { return false }
        if case .inertial = b { return true }
        return false
    }

    private mutating func release(while isOld: (SensorEvent) -> Bool) {
        while let next = waiting.first, isOld(next) {
            run(waiting.remove(at: indexOfLateFix(validUntil: next.validityTime) ?? 0).arrivingWhenValid)
        }
    }

    /// Index of the first fix whose position is not later than an instant, where its receiver is known to be late: the
    /// samples since would have to be processed again, and the journal has them already.
    private mutating func indexOfLateFix(validUntil time: MonotonicTime) -> Int? {
        guard estimator.isNavigating else { return nil }
        for (index, event) in waiting.enumerated() {
            guard case .gnss(let fix) = event else { continue }
            let age = estimator.assumedAgeSeconds(of: fix)
            return age > 0 && fix.validityTime.seconds(since: time) <= age ? index : nil
        }
        return nil
    }

    private mutating func run(_ event: SensorEvent) {
        let isNew = estimator.ingest(event)
        // The filter was stopped: what follows belongs to another one.
        if estimator.pastResets.count != filtersGivenUp {
            emit(all: true)
            filtersGivenUp = estimator.pastResets.count
        }
        guard isNew else { return }
        guard estimator.isNavigating, let journal = estimator.delayedMeasurements.journal else {
            ready.append(estimator.estimate)
            return
        }
        // Inside a gap in the samples there is nothing to smooth.
        guard estimator.filter.state.time == estimator.estimate.time else { return }
        passages.append(
            Passage(
                estimate: estimator.estimate, state: estimator.filter.state, fixes: estimator.filter.fixEvidence,
                receiver: estimator.filter.receiver, epoch: journal.epochs.count - 1))
        if journal.epochs.count >= Tuning.Smoothing.blockUpdates + Tuning.Smoothing.laterUpdates { emit(all: false) }
    }

    /// Runs the backward pass, and corrects the filter's estimates.
    private mutating func emit(all: Bool) {
        guard let epochs = estimator.delayedMeasurements.journal?.epochs, !passages.isEmpty else { return }
        let moments = BackwardPass.smooth(epochs)
        let end = all ? epochs.count : Tuning.Smoothing.blockUpdates
        var count = 0
        for passage in passages {
            guard passage.epoch < end, passage.epoch < moments.count else { break }
            ready.append(smoothed(passage, epochs, moments))
            count += 1
        }
        passages.removeFirst(count)
        for i in passages.indices { passages[i].epoch -= end }
        let keep = all ? max(epochs.count - 1, 0) : end
        estimator.delayedMeasurements.journal?.epochs.removeFirst(min(keep, epochs.count))
        if all { passages.removeAll(keepingCapacity: true) }
    }

    /// The filter's estimate, corrected by the result of the backward pass at the updates around it.
    /// docs/math.md, eq. 10.6.
    private mutating func smoothed(
        _ passage: Passage, _ epochs: ContiguousArray<SmoothingJournal.Epoch>,
        _ moments: ContiguousArray<BackwardPass.Moment>
    ) -> PoseEstimate {
        let k = passage.epoch
        let begin = moments[k].state.error(from: epochs[k].updated)
        var error = begin
        // No error moves toward what an announced jump, or a state that begins anew, has after it.
        if k + 1 < epochs.count, !epochs[k + 1].isJump {
            let forgotten = epochs[k + 1].forgotten
            let end = moments[k + 1].state.error(from: epochs[k + 1].predicted)
            let span = epochs[k + 1].predicted.time.seconds(since: epochs[k].updated.time)
            let part = span > 0 ? min(max(passage.state.time.seconds(since: epochs[k].updated.time) / span, 0), 1) : 0
            for i in 0..<FilterState.count where forgotten[i] != .infinity {
                error[i] = begin[i] + (end[i] - begin[i]) * part
            }
        }
        var state = passage.state
        state.apply(error)
        writer.filter = estimator.filter
        writer.filter.state = state
        writer.filter.covariance = moments[k].covariance
        writer.filter.receiver = passage.receiver
        var estimate = passage.estimate
        // Not changed by the smoothing.
        let (poseState, age, isAltitudeKnown) = (estimate.state, estimate.fixAgeSeconds, estimate.isAltitudeKnown)
        writer.describeFilter(&estimate, after: passage.fixes)
        // A late fix is fused before the samples up to its time stamp.
        let since = age.map { max($0, 0) }
        (estimate.state, estimate.fixAgeSeconds, estimate.isAltitudeKnown) = (poseState, since, isAltitudeKnown)
        return estimate
    }
}

extension SensorEvent {
    /// The same event, known as soon as it was valid.
    fileprivate var arrivingWhenValid: SensorEvent {
        guard case .gnss(var fix) = self else { return self }
        fix.arrivalTime = fix.validityTime
        return .gnss(fix)
    }
}
