import PoseMath

/// The end of a sensor's range, and what lies beyond it.
///
/// The range is not known. It is recognised by readings that repeat the largest value; from then on every reading there
/// is one. Such a reading says only that the true value is at least as large. What it hides is estimated: a value that
/// rises with some slope, and is back after a time, was a parabola.
struct RangeEnd: Sendable {
    /// Readings below this size are not the end of a range.
    private let leastRange: Double
    private var largest = Vector3.zero
    /// Readings in a row at the largest size.
    private var repeated = Vector3.zero
    /// The recognised end of each axis' range; infinite before.
    private(set) var range = Vector3(repeating: .infinity)
    private var last: Vector3?
    /// Rise per second where the readings came to their present value, and to the one before.
    private var slope = Vector3.zero
    private var slopeBefore = Vector3.zero
    /// Time for which each axis has been at its end, seconds; zero for the others.
    private(set) var seconds = Vector3.zero
    /// Integral over time of what the readings have hidden on the axes that came back with the last one.
    private(set) var hidden = Vector3.zero

    /// An unknown range.
    init(leastRange: Double) { self.leastRange = leastRange }

    /// Whether any axis is at its end.
    var isReached: Bool { seconds.x > 0 || seconds.y > 0 || seconds.z > 0 }

    /// Updates with a reading.
    ///
    /// - Parameter interval: since the reading before, seconds.
    mutating func update(_ reading: Vector3, interval: Double) {
        hidden = .zero
        defer { last = reading }
        guard let last, interval > 0, interval <= Tuning.StuckClip.longestInterval else {
            seconds = .zero
            return
        }
        let rate = 1 / interval
        for axis in 0..<3 {
            let (size, before) = (abs(reading[axis]), abs(last[axis]))
            recognize(axis, size)
            let rise = (reading[axis] * last[axis] < 0 ? size + before : size - before) * rate
            if size >= range[axis] * Tuning.StuckClip.rangeShare {
                // The end may have cut the last step of the rise short.
                slope[axis] = max(slope[axis], slopeBefore[axis], rise)
                seconds[axis] += seconds[axis] > 0 ? interval : max(repeated[axis], 1) * interval
                continue
            }
            if seconds[axis] > 0 {
                hidden[axis] = last[axis] < 0 ? -hiddenIntegral(axis) : hiddenIntegral(axis)
                seconds[axis] = 0
            }
            if reading[axis] != last[axis] { (slopeBefore[axis], slope[axis]) = (slope[axis], max(rise, 0)) }
        }
    }

    private mutating func recognize(_ axis: Int, _ size: Double) {
        if size > largest[axis] {
            // A reading beyond the end shows that it was none.
            if size * Tuning.StuckClip.rangeShare > range[axis] { range[axis] = .infinity }
            (largest[axis], repeated[axis]) = (size, 1)
        } else if size == largest[axis], size > leastRange {
            repeated[axis] += 1
            if repeated[axis] >= Tuning.StuckClip.clippedReadings { range[axis] = size }
        } else {
            repeated[axis] = 0
        }
    }

    /// Integral of what an axis at its end has hidden so far, if it comes back now.
    /// docs/math.md, eq. 12.14.
    private func hiddenIntegral(_ axis: Int) -> Double {
        let time = seconds[axis]
        return min(slope[axis] * time * time / 6, range[axis] * time)
    }

    /// 1-sigma of the integral that the present readings hide, each axis.
    /// docs/math.md, eq. 12.14.
    var hiddenSigma: Vector3 {
        var sigma = Vector3.zero
        for axis in 0..<3 where seconds[axis] > 0 { sigma[axis] = Tuning.StuckClip.openShare * hiddenIntegral(axis) }
        return sigma
    }
}

/// What an IMU at the end of its ranges has hidden, sensor axes.
struct SaturatedMotion: Sendable {
    /// Turn of the axes that came back into range with this sample, radians.
    var turn = Vector3.zero
    /// 1-sigma of the turn of the axes that are still at the end, radians.
    var openTurnSigma = Vector3.zero
    /// Gain of velocity of the axes that came back into range with this sample, m/s.
    var velocity = Vector3.zero
}
