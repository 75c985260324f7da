import Measurements
import PoseMath

/// Readings of the barometer, averaged before they are used: their errors last longer than they are apart.
struct PressureMean: Sendable {
    private var sum = 0.0
    private var count = 0
    private var lastMean = MonotonicTime(nanoseconds: .min)
    private var last = MonotonicTime(nanoseconds: .min)

    /// Adds a reading; gives the mean of those since the last mean, a fifth of a second or more after it.
    mutating func add(_ sample: PressureSample) -> Double? {
        guard sample.time > last else { return nil }
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
    /// Takes a reading of the barometer.
    mutating func ingest(_ sample: PressureSample) {
        guard sample.pressurePascal > Tuning.Barometer.leastPascal,
            sample.pressurePascal < Tuning.Barometer.largestPascal
        else {
            rejections.pressureOutOfRange += 1
            return
        }
        guard let pressure = pressures.add(sample), isNavigating else { return }
        // Readings come as they are made: one that is a little older than the last IMU sample is not worth running the
        // filter again for.
        let time = max(sample.time, MonotonicTime(nanoseconds: filter.state.time.nanoseconds &+ 1))
        _ = history.insert(
            .barometricHeight(time, Barometer.standardHeightMeters(pressurePascal: pressure)), into: &filter)
    }
}
