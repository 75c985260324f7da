import Measurements
import PoseMath

/// Buffer for delayed measurements: the last samples and measurements, and copies of the filter (checkpoints).
///
/// Everything is allocated once. A late measurement is inserted at its time of validity, the filter returns to the last
/// checkpoint before it, and the samples since are processed again. The result is that of a measurement in time (Groves
/// 2013, section 3.3.4, by recomputation).
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
    }

    /// An aiding measurement.
    enum Aid: Sendable {
        /// A fix, and how much older than its time stamp its position is as far as known when it came, seconds.
        case fix(GnssFix, age: Double = 0)
        case wheelSpeed(WheelSpeedSample)
        /// Mean barometric height of the interval before, metres.
        case barometricHeight(MonotonicTime, Double)

        /// Time of validity.
        var time: MonotonicTime {
            switch self {
            case .fix(let fix, let age): fix.validityTime.advanced(bySeconds: -age)
            case .wheelSpeed(let sample): sample.time
            case .barometricHeight(let time, _): time
            }
        }
    }

    private var samples: ContiguousArray<Sample>
    private var sampleCount = 0
    private var aids: ContiguousArray<Aid> = []
    private var checkpoints: ContiguousArray<NavigationFilter> = []
    private var checkpointSamples: ContiguousArray<Int>
    private var checkpointTimes: ContiguousArray<MonotonicTime>
    private var checkpointHead = 0
    private var checkpointCount = 0
    private var track = VectorHistory()
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
        checkpointSamples = ContiguousArray(repeating: 0, count: Tuning.Delay.checkpointCapacity)
        checkpointTimes = ContiguousArray(repeating: nothing.time, count: Tuning.Delay.checkpointCapacity)
        aids.reserveCapacity(Tuning.Delay.aidCapacity)
    }

    /// Restarts with a filter whose state is that of the time of `sample`.
    mutating func begin(with filter: inout NavigationFilter, at sample: Sample) {
        sampleCount = 0
        aids.removeAll(keepingCapacity: true)
        if checkpoints.isEmpty {
            checkpoints = ContiguousArray(repeating: filter, count: Tuning.Delay.checkpointCapacity)
        }
        checkpointHead = 0
        checkpointCount = 0
        append(sample)
        track.count = 0
        openGap = nil
        forgottenUntil = MonotonicTime(nanoseconds: .min)
        track.append(time: filter.state.time, value: filter.inertialVelocity)
        filter.trackCount = track.count
        keep(filter, sample: sampleCount - 1)
        journal?.begin(with: &filter)
    }

    /// Runs the filter to a new sample, through the aids in between.
    mutating func advance(_ filter: inout NavigationFilter, to sample: Sample) {
        append(sample)
        run(&filter, throughSample: sampleCount - 1)
        closeGap(&filter, with: sample)
        forgetOldAids(before: filter.state.time)
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
        if let back = lastCheckpoint(before: gap.start.advanced(bySeconds: 1e-9)) { rerun(&filter, from: back) }
    }

    /// Predicts a filter from the last sample to a later instant, through the aids in between, with nothing recorded.
    func extrapolate(_ filter: inout NavigationFilter, to time: MonotonicTime) {
        guard sampleCount > 0, time > filter.state.time else { return }
        let bridge = GapBridge(from: filter, before: mean(before: sampleCount), after: nil, seconds: nil)
        var i = aids.count
        while i > 0, aids[i - 1].time > filter.state.time { i -= 1 }
        var none: SmoothingJournal?
        while i < aids.count, aids[i].time <= time {
            Self.predict(&filter, to: aids[i].time, across: bridge, &none)
            fuse(aids[i], into: &filter)
            i += 1
        }
        Self.predict(&filter, to: time, across: bridge, &none)
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

    /// Inserts an aid at its time of validity. Where the filter has passed that time, it returns to a checkpoint and
    /// processes the samples again.
    /// docs/math.md, eq. 6.4.
    ///
    /// - Returns: whether it was inserted; `false` where it is older than the buffer, or the buffer is full.
    mutating func insert(_ aid: Aid, into filter: inout NavigationFilter) -> Bool {
        guard aids.count < Tuning.Delay.aidCapacity else { return false }
        if aid.time > filter.state.time {
            place(aid)
            return true
        }
        guard let back = lastCheckpoint(before: aid.time) else { return false }
        place(aid)
        rerun(&filter, from: back)
        return true
    }

    /// Returns to a checkpoint, and processes the samples since again.
    private mutating func rerun(_ filter: inout NavigationFilter, from back: (slot: Int, newer: Int)) {
        let last = sampleCount - 1
        filter = checkpoints[back.slot]
        let restoredSamples = checkpointSamples[back.slot]
        checkpointCount -= back.newer
        checkpointHead = (back.slot + 1) % Tuning.Delay.checkpointCapacity
        track.count = filter.trackCount
        for k in (restoredSamples + 1)...max(last, restoredSamples + 1) where k <= last {
            run(&filter, throughSample: k)
        }
    }

    private mutating func append(_ sample: Sample) {
        samples[sampleCount % Tuning.Delay.sampleCapacity] = sample
        sampleCount += 1
    }

    private mutating func place(_ aid: Aid) {
        var i = aids.count
        while i > 0, aids[i - 1].time > aid.time { i -= 1 }
        aids.insert(aid, at: i)
    }

    /// Runs from the sample before to this one.
    private mutating func run(_ filter: inout NavigationFilter, throughSample k: Int) {
        let sample = samples[k % Tuning.Delay.sampleCapacity]
        let before = samples[(k - 1) % Tuning.Delay.sampleCapacity]
        let rate = (before.angularRate + sample.angularRate) * 0.5
        let force = (before.specificForce + sample.specificForce) * 0.5
        let start = filter.state.time
        let bridge = bridge(from: filter, before: before, sample: k)
        func predict(_ filter: inout NavigationFilter, to time: MonotonicTime, _ journal: inout SmoothingJournal?) {
            guard let bridge else {
                Self.predict(&filter, to: time, rate: rate, force: force, noise: sample.noise, &journal)
                return
            }
            Self.predict(&filter, to: time, across: bridge, &journal)
        }
        var i = aids.count
        while i > 0, aids[i - 1].time > start { i -= 1 }
        while i < aids.count, aids[i].time <= sample.time {
            predict(&filter, to: aids[i].time, &journal)
            journal?.beginUpdate(&filter)
            fuse(aids[i], into: &filter)
            journal?.endUpdate(&filter)
            i += 1
        }
        predict(&filter, to: sample.time, &journal)
        if bridge != nil { filter.imuFaults.restart(after: sample.time) }
        if let interval = filter.beginConstraints() {
            journal?.decayGNSSBias(factor: filter.gnssBiasDecay(seconds: interval.seconds))
            journal?.beginUpdate(&filter)
            filter.applyConstraints(
                interval, still: sample.isStill, spread: sample.spread, meanAngularRate: sample.meanAngularRate,
                stepsPerSecond: sample.stepsPerSecond
            )
            journal?.endUpdate(&filter)
        }
        track.append(time: filter.state.time, value: filter.inertialVelocity)
        filter.trackCount = track.count
        let newest = (checkpointHead + Tuning.Delay.checkpointCapacity - 1) % Tuning.Delay.checkpointCapacity
        if filter.state.time.seconds(since: checkpointTimes[newest]) >= Tuning.Delay.checkpointSeconds {
            keep(filter, sample: k)
        }
    }

    private func fuse(_ aid: Aid, into filter: inout NavigationFilter) {
        switch aid {
        case .fix(let fix, let age): filter.fuse(fix, age: age, track: track)
        case .wheelSpeed(let wheel): filter.fuse(wheelSpeed: wheel.speedMetersPerSecond, track: track)
        case .barometricHeight(_, let height): filter.fuse(barometricHeight: height)
        }
    }

    /// The bridge over a gap before a sample; `nil` where there is none.
    private func bridge(from filter: borrowing NavigationFilter, before: Sample, sample k: Int) -> GapBridge? {
        let sample = samples[k % Tuning.Delay.sampleCapacity]
        let seconds = sample.time.seconds(since: before.time)
        guard seconds > Tuning.Gap.bridgedSeconds else { return nil }
        return GapBridge(
            from: filter, before: mean(before: k), after: mean(from: k, by: 1, sample), seconds: seconds)
    }

    /// Predicts the filter across a gap to an instant, in short steps.
    private static func predict(
        _ filter: inout NavigationFilter, to time: MonotonicTime, across gap: GapBridge,
        _ journal: inout SmoothingJournal?
    ) {
        var seconds = time.seconds(since: filter.state.time)
        while seconds > 0 {
            let step = filter.predict(across: gap, seconds: min(seconds, Tuning.Gap.longestStepSeconds))
            journal?.carry(over: step)
            seconds -= Tuning.Gap.longestStepSeconds
        }
        filter.state.time = max(time, filter.state.time)
    }

    /// Predicts the filter to an instant. A short gap in the samples is crossed in steps, with a larger covariance.
    private static func predict(
        _ filter: inout NavigationFilter, to time: MonotonicTime, rate: Vector3, force: Vector3,
        noise: IMUNoiseEstimator.Density, _ journal: inout SmoothingJournal?
    ) {
        var seconds = time.seconds(since: filter.state.time)
        guard seconds > 0 else { return }
        if seconds > Tuning.Gap.gapSeconds { filter.addGapUncertainty(seconds: seconds) }
        let longest = Tuning.Gap.longestStepSeconds
        while seconds > longest {
            let step = filter.predict(angularRate: rate, specificForce: force, seconds: longest, noise: noise)
            journal?.carry(over: step)
            seconds -= longest
        }
        if seconds > 0 {
            let step = filter.predict(angularRate: rate, specificForce: force, seconds: seconds, noise: noise)
            journal?.carry(over: step)
        }
        filter.state.time = time
    }

    private mutating func keep(_ filter: NavigationFilter, sample: Int) {
        checkpointTimes[checkpointHead] = filter.state.time
        checkpoints[checkpointHead] = filter
        checkpointSamples[checkpointHead] = sample
        checkpointHead = (checkpointHead + 1) % Tuning.Delay.checkpointCapacity
        checkpointCount = min(checkpointCount + 1, Tuning.Delay.checkpointCapacity)
    }

    /// The newest checkpoint before an instant, and the number of newer ones.
    private func lastCheckpoint(before time: MonotonicTime) -> (slot: Int, newer: Int)? {
        for newer in 0..<checkpointCount {
            let slot = (checkpointHead + Tuning.Delay.checkpointCapacity - 1 - newer) % Tuning.Delay.checkpointCapacity
            if checkpointTimes[slot] < time {
                let usable =
                    sampleCount - checkpointSamples[slot] < Tuning.Delay.sampleCapacity
                    && checkpointTimes[slot] >= forgottenUntil
                return usable ? (slot, newer) : nil
            }
        }
        return nil
    }

    private mutating func forgetOldAids(before time: MonotonicTime) {
        while let first = aids.first, time.seconds(since: first.time) > 2 * Tuning.Delay.spanSeconds {
            // A gap that is crossed again needs its aids.
            if let openGap, first.time >= openGap.start { return }
            forgottenUntil = first.time
            aids.removeFirst()
        }
    }
}
