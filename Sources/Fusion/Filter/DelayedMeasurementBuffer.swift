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
        track.append(time: filter.state.time, value: filter.inertialVelocity)
        filter.trackCount = track.count
        keep(filter, sample: sampleCount - 1)
        journal?.begin(with: &filter)
    }

    /// Runs the filter to a new sample, through the aids in between.
    mutating func advance(_ filter: inout NavigationFilter, to sample: Sample) {
        append(sample)
        run(&filter, throughSample: sampleCount - 1)
        forgetOldAids(before: filter.state.time)
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
        let last = sampleCount - 1
        filter = checkpoints[back.slot]
        let restoredSamples = checkpointSamples[back.slot]
        checkpointCount -= back.newer
        checkpointHead = (back.slot + 1) % Tuning.Delay.checkpointCapacity
        track.count = filter.trackCount
        for k in (restoredSamples + 1)...max(last, restoredSamples + 1) where k <= last {
            run(&filter, throughSample: k)
        }
        return true
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
        var i = aids.count
        while i > 0, aids[i - 1].time > start { i -= 1 }
        while i < aids.count, aids[i].time <= sample.time {
            predict(&filter, to: aids[i].time, rate: rate, force: force, noise: sample.noise)
            journal?.beginUpdate(&filter)
            switch aids[i] {
            case .fix(let fix, let age): filter.fuse(fix, age: age, track: track)
            case .wheelSpeed(let wheel): filter.fuse(wheelSpeed: wheel.speedMetersPerSecond)
            case .barometricHeight(_, let height): filter.fuse(barometricHeight: height)
            }
            journal?.endUpdate(&filter)
            i += 1
        }
        predict(&filter, to: sample.time, rate: rate, force: force, noise: sample.noise)
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

    /// Predicts the filter to an instant. A gap in the samples is crossed in short steps, with a larger covariance.
    private mutating func predict(
        _ filter: inout NavigationFilter, to time: MonotonicTime, rate: Vector3, force: Vector3,
        noise: IMUNoiseEstimator.Density
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
                let usable = sampleCount - checkpointSamples[slot] < Tuning.Delay.sampleCapacity
                return usable ? (slot, newer) : nil
            }
        }
        return nil
    }

    private mutating func forgetOldAids(before time: MonotonicTime) {
        while let first = aids.first, time.seconds(since: first.time) > 2 * Tuning.Delay.spanSeconds {
            aids.removeFirst()
        }
    }
}
