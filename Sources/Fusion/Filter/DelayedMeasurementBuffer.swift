import Measurements
import PoseMath

/// Buffer for delayed measurements: the last samples and measurements, and copies of the filter (checkpoints).
///
/// Everything is allocated once. A late measurement is inserted at its time of validity, the filter returns to the last
/// checkpoint before it, and the samples since are processed again. The result is that of a measurement in time (Groves
/// 2013, section 3.3.4, by recomputation). Where that is too much work for one sample, a second filter catches up (see
/// `DelayedMeasurementBuffer+CatchUp.swift`).
struct DelayedMeasurementBuffer: Sendable {
    /// One IMU sample with the output of the detectors.
    struct Sample: Sendable {
        var time: MonotonicTime
        var angularRate: Vector3
        var specificForce: Vector3
        var meanAngularRate: Vector3
        var isStill: Bool
        /// Spread of the specific force, m/s2.
        var spread = 0.0
        var noise: IMUNoiseEstimator.Density
        var stepsPerSecond = 0.0
        /// Attitude of the sensor in the level frame of the attitude filter; `nil` before that has one.
        var sensorToLevel: Quaternion?
    }

    /// An aiding measurement.
    enum Aid: Sendable {
        /// A fix, and how much older than its time stamp it was known to be when it came, seconds: the smaller one of
        /// both lags.
        case fix(GnssFix, age: Double = 0)
        case wheelSpeed(WheelSpeedSample)
        /// Mean barometric height of the interval before, metres.
        case barometricHeight(MonotonicTime, Double)
        case magneticHeading(MagneticHeading)

        /// Time of validity.
        var time: MonotonicTime {
            switch self {
            case .fix(let fix, let age): fix.validityTime.advanced(bySeconds: -age)
            case .wheelSpeed(let sample): sample.time
            case .barometricHeight(let time, _): time
            case .magneticHeading(let heading): heading.time
            }
        }

        /// A fix whose position is from before an instant, and its stamp from after it: the same one just after that
        /// instant. The observation has the rest of its age. A magnetic heading is that of the last sample, and comes
        /// just after it, too.
        fileprivate func after(_ instant: MonotonicTime) -> Aid {
            guard time <= instant else { return self }
            let next = MonotonicTime(nanoseconds: instant.nanoseconds &+ 1)
            switch self {
            case .fix(let fix, _):
                return fix.validityTime > instant ? .fix(fix, age: fix.validityTime.seconds(since: next)) : self
            case .magneticHeading(var heading):
                heading.time = next
                return .magneticHeading(heading)
            case .wheelSpeed, .barometricHeight: return self
            }
        }
    }

    /// An aiding measurement with its time of validity: a search by time does not copy the measurements.
    private struct TimedAid: Sendable {
        var time: MonotonicTime
        var aid: Aid
    }

    private var samples: ContiguousArray<Sample>
    private(set) var sampleCount = 0
    /// Number of the first sample whose level frame is the present one.
    private var firstLevelSample = 0
    /// Samples processed so far, those that were processed again included.
    private(set) var processedSamples = 0
    private var aids: ContiguousArray<TimedAid> = []
    /// Copies of the filter, dense over the last second, and sparse over the time before.
    var recent = CheckpointRing(
        capacity: Tuning.Delay.recentCheckpoints, spacingSeconds: Tuning.Delay.recentCheckpointSeconds)
    var older = CheckpointRing(
        capacity: Tuning.Delay.olderCheckpoints, spacingSeconds: Tuning.Delay.olderCheckpointSeconds)
    /// ``NavigationFilter/forceIntegral`` of the last seconds.
    var forceHistory = VectorHistory()
    /// The filter that catches up with the running one; `nil` without one.
    var catchUp: CatchUp?
    /// Its state while it waits for the next sample: one element, after the first filter has begun.
    var catchUpFilter: ContiguousArray<NavigationFilter> = []
    var catchUpForceHistory = VectorHistory()
    /// Time of the earliest measurement that waits for the filter that catches up.
    var waitingSince: MonotonicTime?
    /// Time of the last aid that was forgotten: nothing returns to before it.
    private var forgottenUntil = MonotonicTime(nanoseconds: .min)
    /// Last gap whose end was crossed with the first sample after it alone: the sample before it, and when enough of
    /// them have come to cross it again.
    private var openGap: (start: MonotonicTime, due: MonotonicTime)?
    /// Journal for a smoother; `nil` without one.
    var journal: SmoothingJournal?

    /// An empty buffer.
    init() {
        let nothing = Sample(
            time: MonotonicTime(nanoseconds: 0), angularRate: .zero, specificForce: .zero, meanAngularRate: .zero,
            isStill: false,
            noise: IMUNoiseEstimator.Density())
        samples = ContiguousArray(repeating: nothing, count: Tuning.Delay.sampleCapacity)
        aids.reserveCapacity(Tuning.Delay.aidCapacity)
    }

    /// Keeps a sample while no filter runs.
    mutating func note(_ sample: Sample) { append(sample) }

    /// The level frame changes with the next sample: a filter that begins cannot begin before it.
    mutating func forgetLevel() { firstLevelSample = sampleCount }

    /// Number of the sample at which a filter begins from a fix: the last one before its time of validity, or else the
    /// first one whose level frame is the present one; `nil` where there is none.
    func beginning(before time: MonotonicTime) -> Int? {
        let first = max(firstLevelSample, sampleCount - Tuning.Delay.sampleCapacity)
        guard first < sampleCount else { return nil }
        var (low, high) = (first, sampleCount)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].time > time { high = middle } else { low = middle + 1 }
        }
        return max(low - 1, first)
    }

    /// A kept sample by its number.
    subscript(number: Int) -> Sample { samples[number % Tuning.Delay.sampleCapacity] }

    /// Restarts with a filter whose state is that of the time of a sample, and runs it through the samples since.
    ///
    /// - Parameters:
    ///   - number: of the sample.
    ///   - appendPast: appends what the integral of the specific force was before, zero at that time, east, north, up,
    ///     m/s.
    mutating func begin(
        with filter: inout NavigationFilter, at number: Int,
        appendPast: (inout VectorHistory) -> Void = { _ in }
    ) {
        aids.removeAll(keepingCapacity: true)
        recent.begin(with: filter)
        older.begin(with: filter)
        if catchUpFilter.isEmpty { catchUpFilter.append(filter) }
        (catchUp, waitingSince) = (nil, nil)
        forceHistory.count = 0
        openGap = nil
        forgottenUntil = MonotonicTime(nanoseconds: .min)
        appendPast(&forceHistory)
        forceHistory.append(time: filter.state.time, value: filter.forceIntegral)
        filter.forceHistoryCount = forceHistory.count
        keep(&filter, sample: number)
        journal?.begin(with: &filter)
        run(&filter, after: number)
    }

    /// Runs the filter to a new sample, through the aids in between.
    ///
    /// - Returns: whether the one that caught up has taken its place.
    @discardableResult
    mutating func advance(_ filter: inout NavigationFilter, to sample: Sample) -> Bool {
        append(sample)
        run(&filter, throughSample: sampleCount - 1)
        keep(&filter, sample: sampleCount - 1)
        let isReplaced = advanceCatchUp(&filter)
        closeGap(&filter, with: sample)
        forgetOldAids(before: filter.state.time)
        return isReplaced
    }

    /// Crosses a gap again when the mean of the samples after it is known.
    private mutating func closeGap(_ filter: inout NavigationFilter, with sample: Sample) {
        let before = samples[max(sampleCount - 2, 0) % Tuning.Delay.sampleCapacity].time
        if sampleCount > 1, sample.time.seconds(since: before) > Tuning.Gap.bridgedSeconds {
            openGap = (before, sample.time.advanced(bySeconds: Tuning.Gap.meanSeconds))
        }
        // A smoother processes each sample once.
        guard let gap = openGap, sample.time >= gap.due, journal == nil else { return }
        openGap = nil
        _ = processAgain(&filter, since: gap.start.advanced(bySeconds: 1e-9))
    }

    /// Predicts a filter from the last sample to a later instant, through the aids in between, with nothing recorded.
    func extrapolate(_ filter: inout NavigationFilter, to time: MonotonicTime) {
        guard sampleCount > 0, time > filter.state.time else { return }
        let motion = Motion.unmeasured(
            GapBridge(from: filter, before: mean(before: sampleCount), after: nil, seconds: nil))
        var i = firstAid(after: filter.state.time)
        var none: SmoothingJournal?
        while i < aids.count, aids[i].time <= time {
            Self.predict(&filter, to: aids[i].time, by: motion, &none)
            fuse(aids[i].aid, into: &filter)
            i += 1
        }
        Self.predict(&filter, to: time, by: motion, &none)
    }

    /// Mean of the last samples before a gap; `nil` where they are at rest.
    private func mean(before end: Int) -> GapBridge.Mean? {
        let last = samples[(end - 1) % Tuning.Delay.sampleCapacity]
        if last.isStill { return nil }
        return mean(from: end - 1, by: -1, last)
    }

    /// Mean of the samples on one side of a gap.
    private func mean(from first: Int, by step: Int, _ nearest: Sample) -> GapBridge.Mean {
        var mean = GapBridge.Mean()
        var (k, count, span) = (first, 0, 0.0)
        while k >= max(0, sampleCount - Tuning.Delay.sampleCapacity), k < sampleCount {
            let sample = samples[k % Tuning.Delay.sampleCapacity]
            let age = abs(sample.time.seconds(since: nearest.time))
            // Another gap ends the mean.
            guard age <= Tuning.Gap.meanSeconds, age - span <= Tuning.Gap.gapSeconds else { break }
            mean.angularRate += sample.angularRate
            mean.specificForce += sample.specificForce
            (k, count, span) = (k + step, count + 1, age)
        }
        mean.angularRate = mean.angularRate / Double(max(count, 1))
        mean.specificForce = mean.specificForce / Double(max(count, 1))
        mean.seconds = count > 1 ? span * Double(count) / Double(count - 1) : Tuning.Gap.singleSampleSeconds
        mean.noise = nearest.noise
        return mean
    }

    /// Inserts an aid at its time of validity. Where the filter has passed that time, the samples since are processed
    /// again: at once, or by a filter that catches up.
    /// docs/math.md, eq. 6.4.
    ///
    /// - Returns: whether it was inserted; `false` where it is older than the buffer.
    mutating func insert(_ aid: Aid, into filter: inout NavigationFilter) -> Bool {
        // A smoother processes each sample once, also where a lag has just been found, or a sample has a heading.
        let aid = journal == nil ? aid : aid.after(filter.state.time)
        if aids.count >= Tuning.Delay.aidCapacity { forgetAids(Tuning.Delay.forgottenAtOnce) }
        if aid.time > filter.state.time {
            place(aid)
            return true
        }
        guard lastCheckpoint(before: aid.time) != nil else { return false }
        place(aid)
        return processAgain(&filter, since: aid.time)
    }

    /// Returns to a checkpoint, and processes the samples since again.
    mutating func rerun(_ filter: inout NavigationFilter, from back: Checkpoint) {
        let (reset, place) = (filter.reset, filter.state)
        filter = self[back]
        let restored = back.sample
        recent.discard(after: restored)
        older.discard(after: restored)
        forceHistory.count = filter.forceHistoryCount
        run(&filter, after: restored)
        filter.announceTakingOver(from: reset, at: place, ifBeyond: .infinity)
    }

    /// Runs the filter that ``forceHistory`` belongs to through all samples after one, and keeps copies of it.
    private mutating func run(_ filter: inout NavigationFilter, after number: Int) {
        for later in (number + 1)..<max(sampleCount, number + 1) {
            run(&filter, throughSample: later)
            keep(&filter, sample: later)
        }
    }

    /// Keeps a sample in place of the oldest one.
    private mutating func append(_ sample: Sample) {
        samples[sampleCount % Tuning.Delay.sampleCapacity] = sample
        sampleCount += 1
    }

    /// Time between the last two samples, seconds.
    var lastIntervalSeconds: Double {
        guard sampleCount > 1 else { return 0 }
        let (last, before) = (sampleCount - 1, sampleCount - 2)
        return samples[last % Tuning.Delay.sampleCapacity].time.seconds(
            since: samples[before % Tuning.Delay.sampleCapacity].time)
    }

    /// Keeps an aid behind those of the same time or before.
    private mutating func place(_ aid: Aid) {
        let time = aid.time
        aids.insert(TimedAid(time: time, aid: aid), at: firstAid(after: time))
    }

    /// Index of the first aid that is later than an instant; their number where none is.
    private func firstAid(after time: MonotonicTime) -> Int {
        var (low, high) = (0, aids.count)
        while low < high {
            let middle = (low + high) / 2
            if aids[middle].time > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Runs the filter that ``forceHistory`` belongs to from the sample before to this one.
    mutating func run(_ filter: inout NavigationFilter, throughSample k: Int) {
        processedSamples += 1
        let sample = samples[k % Tuning.Delay.sampleCapacity]
        let before = samples[(k - 1) % Tuning.Delay.sampleCapacity]
        let start = filter.state.time
        let bridge = bridge(from: &filter, before: before, sample: k)
        let motion =
            bridge.map { Motion.unmeasured($0) }
            ?? .measured(
                rate: (before.angularRate + sample.angularRate) * 0.5,
                force: (before.specificForce + sample.specificForce) * 0.5, noise: sample.noise)
        var i = firstAid(after: start)
        while i < aids.count, aids[i].time <= sample.time {
            predict(&filter, to: aids[i].time, by: motion)
            journal?.beginUpdate(&filter)
            fuse(aids[i].aid, into: &filter)
            journal?.endUpdate(&filter)
            i += 1
        }
        predict(&filter, to: sample.time, by: motion)
        if bridge != nil { filter.imuFaults.restart(after: sample.time) }
        if let interval = filter.beginConstraints() {
            journal?.decayGNSSBias(factor: filter.gnssBiasDecay(seconds: interval.seconds))
            // What was assumed over a gap is no mean of samples.
            if bridge == nil { constrain(&filter, interval, by: sample) }
        }
        if bridge == nil { noteForce(of: &filter) }
    }

    /// Predicts the filter that ``forceHistory`` belongs to to an instant. A late fix also sees what is assumed in a
    /// gap.
    private mutating func predict(_ filter: inout NavigationFilter, to time: MonotonicTime, by motion: Motion) {
        guard case .unmeasured = motion else {
            Self.predict(&filter, to: time, by: motion, &journal)
            return
        }
        while filter.state.time < time {
            let next = min(filter.state.time.advanced(bySeconds: Tuning.Gap.longestStepSeconds), time)
            Self.predict(&filter, to: next, by: motion, &journal)
            noteForce(of: &filter)
        }
    }

    private mutating func noteForce(of filter: inout NavigationFilter) {
        forceHistory.append(time: filter.state.time, value: filter.forceIntegral)
        filter.forceHistoryCount = forceHistory.count
    }

    /// Applies the constraints of the motion at a sample.
    private mutating func constrain(
        _ filter: inout NavigationFilter, _ interval: NavigationFilter.ConstraintInterval, by sample: Sample
    ) {
        journal?.beginUpdate(&filter)
        filter.applyConstraints(
            interval, still: sample.isStill, spread: sample.spread, meanAngularRate: sample.meanAngularRate,
            stepsPerSecond: sample.stepsPerSecond)
        journal?.endUpdate(&filter)
    }

    /// Fuses an aid into a filter that has been run to its time.
    private func fuse(_ aid: Aid, into filter: inout NavigationFilter) {
        switch aid {
        case .fix(let fix, let age): filter.fuse(fix, age: age, forceHistory: forceHistory)
        case .wheelSpeed(let wheel):
            filter.fuseWheelSpeed(wheel.speedMetersPerSecond, forceHistory: forceHistory)
        case .barometricHeight(_, let height): filter.fuseBarometricHeight(height)
        case .magneticHeading(let heading): filter.fuseMagneticHeading(heading)
        }
    }

    /// The bridge over a gap before a sample; `nil` where there is none.
    private func bridge(from filter: inout NavigationFilter, before: Sample, sample k: Int) -> GapBridge? {
        let sample = samples[k % Tuning.Delay.sampleCapacity]
        let seconds = sample.time.seconds(since: before.time)
        guard seconds > Tuning.Gap.bridgedSeconds else { return nil }
        return GapBridge(
            from: filter, before: mean(before: k), after: mean(from: k, by: 1, sample), seconds: seconds)
    }

    /// What the filter is predicted with.
    private enum Motion {
        /// The mean of two successive samples.
        case measured(rate: Vector3, force: Vector3, noise: IMUNoiseEstimator.Density)
        /// What is assumed while samples are missing.
        case unmeasured(GapBridge)
    }

    /// Predicts the filter to an instant, in short steps. A short gap in the samples widens the covariance.
    private static func predict(
        _ filter: inout NavigationFilter, to time: MonotonicTime, by motion: Motion, _ journal: inout SmoothingJournal?
    ) {
        var seconds = time.seconds(since: filter.state.time)
        guard seconds > 0 else { return }
        if case .measured = motion, seconds > Tuning.Gap.gapSeconds { filter.addGapUncertainty(seconds: seconds) }
        while seconds > 0 {
            let part = min(seconds, Tuning.Gap.longestStepSeconds)
            let step =
                switch motion {
                case .measured(let rate, let force, let noise):
                    filter.predict(angularRate: rate, specificForce: force, seconds: part, noise: noise)
                case .unmeasured(let gap): filter.predict(across: gap, seconds: part)
                }
            journal?.carry(over: step)
            seconds -= Tuning.Gap.longestStepSeconds
        }
        filter.state.time = time
    }

    /// Keeps a copy of the filter where one is due.
    private mutating func keep(_ filter: inout NavigationFilter, sample: Int) {
        recent.keep(&filter, sample: sample)
        older.keep(&filter, sample: sample)
    }

    /// Where a copy of the filter is kept.
    struct Checkpoint {
        var isRecent: Bool
        var slot: Int
        /// The sample that the copy had been run through.
        var sample: Int
    }

    /// The copy of the filter at a checkpoint.
    subscript(checkpoint: Checkpoint) -> NavigationFilter {
        checkpoint.isRecent ? recent[checkpoint.slot] : older[checkpoint.slot]
    }

    /// The newest checkpoint before an instant, from which the samples and aids since are still kept.
    func lastCheckpoint(before time: MonotonicTime) -> Checkpoint? {
        let oldest = sampleCount - Tuning.Delay.sampleCapacity
        if let found = recent.last(before: time) {
            guard found.sample > oldest, found.time >= forgottenUntil else { return nil }
            return Checkpoint(isRecent: true, slot: found.slot, sample: found.sample)
        }
        guard let found = older.last(before: time), found.sample > oldest, found.time >= forgottenUntil else {
            return nil
        }
        return Checkpoint(isRecent: false, slot: found.slot, sample: found.sample)
    }

    /// Forgets aids that no late measurement returns to.
    private mutating func forgetOldAids(before time: MonotonicTime) {
        let newest = Tuning.Delay.forgottenAtOnce - 1
        guard aids.count > newest, time.seconds(since: aids[newest].time) > Tuning.Delay.keptSeconds else { return }
        forgetAids(Tuning.Delay.forgottenAtOnce)
    }

    /// Forgets the oldest aids, several at once, because the others move up.
    private mutating func forgetAids(_ count: Int) {
        guard aids.count >= count else { return }
        forgottenUntil = aids[count - 1].time
        aids.removeFirst(count)
    }
}
