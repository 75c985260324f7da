import Measurements
import PoseMath

/// Means of barometer readings: their errors are correlated over more than one reading.
struct PressureMean: Sendable {
    private var sum = 0.0
    private var count = 0
    private var lastMean = MonotonicTime(nanoseconds: .min)
    private var last = MonotonicTime(nanoseconds: .min)

    /// Whether a reading is later than the one before.
    func isInOrder(_ sample: PressureSample) -> Bool { sample.time > last }

    /// Adds a reading in order; gives the mean of those since the last mean, a fifth of a second or more after it.
    mutating func add(_ sample: PressureSample) -> Double? {
        if sample.time.seconds(since: last) > Tuning.Barometer.longestGapSeconds { (sum, count) = (0, 0) }
        last = sample.time
        sum += sample.pressurePascal
        count += 1
        guard sample.time.seconds(since: lastMean) >= Tuning.Barometer.meanSeconds else { return nil }
        lastMean = sample.time
        defer { (sum, count) = (0, 0) }
        return sum / Double(count)
    }
}

extension PoseEstimator {
    /// Processes a reading of the barometer.
    mutating func ingest(_ sample: PressureSample) {
        guard sample.pressurePascal > Tuning.Barometer.leastPascal,
            sample.pressurePascal < Tuning.Barometer.largestPascal
        else {
            rejections.pressureOutOfRange += 1
            return
        }
        guard pressures.isInOrder(sample) else {
            rejections.pressureTimeBackwards += 1
            return
        }
        guard let pressure = pressures.add(sample) else { return }
        guard isNavigating else {
            rejections.pressureWithoutFilter += 1
            return
        }
        guard filter.canUseBarometer else {
            rejections.pressureWithoutHeight += 1
            return
        }
        // Readings come in time. One that is slightly older than the last IMU sample does not justify that the filter
        // runs again. What is later than the filter is always taken.
        let time = max(sample.time, MonotonicTime(nanoseconds: filter.state.time.nanoseconds &+ 1))
        let height = Barometer.standardHeightMeters(pressurePascal: pressure)
        _ = delayedMeasurements.insert(.barometricHeight(time, height), into: &filter)
    }
}
