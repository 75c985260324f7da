import Glibc
import Measurements
import PoseMath

/// Detects the gait of a walking or running person in the magnitude of the specific force, which does not depend on the
/// attitude.
///
/// The last seconds without their mean are correlated with a shifted copy: steps repeat, and the shift of the largest
/// correlation is the time of a step. A gait begins at a clear correlation. It continues at a weaker one, and for some
/// time without any, through curves and uneven steps, while the swing lasts.
struct GaitDetector: Sendable {
    /// Readings that are kept: 2.56 s.
    typealias Readings = InlineArray<64, Double>

    private var history = Readings(repeating: 0)
    private var count = 0
    private var sum = 0.0
    private var sumSeconds = 0.0
    private var mean = 0.0
    private var sinceCompared = 0.0
    private var pace = 0.0
    private var alikeSeconds = 0.0
    private var unlikeSeconds = 0.0
    private var usualSwing = 0.0
    private var hasBegun = false
    private var lastTime = MonotonicTime(nanoseconds: 0)

    /// Pace, 1/s; zero without a gait.
    private(set) var stepsPerSecond = 0.0

    /// A detector without samples.
    init() {}

    /// Updates with a sample.
    mutating func update(_ sample: InertialSample) {
        let length = sample.specificForceMetersPerSecondSquared.length
        guard hasBegun else {
            (hasBegun, mean, lastTime) = (true, length, sample.time)
            return
        }
        let dt = min(max(sample.time.seconds(since: lastTime), 0), Tuning.Gait.longestStepSeconds)
        lastTime = sample.time
        // A sample belongs to the mean before and to the one after, where the rate of the sensor is no multiple.
        let step = 1 / Tuning.Gait.rateHertz
        var rest = dt
        while sumSeconds + rest >= step - 1e-9 {
            let part = min(step - sumSeconds, rest)
            note((sum + length * part) / (sumSeconds + part), seconds: step)
            rest -= part
            (sum, sumSeconds) = (0, 0)
        }
        sum += length * rest
        sumSeconds += rest
    }

    /// Adds a mean reading, and compares the last ones when it is due.
    private mutating func note(_ value: Double, seconds: Double) {
        mean += (value - mean) * min(seconds / Tuning.Gait.meanSeconds, 1)
        history[count % Readings.count] = value - mean
        count += 1
        sinceCompared += seconds
        guard sinceCompared >= Tuning.Gait.compareSeconds - 1e-9, count >= Readings.count else { return }
        compare(seconds: sinceCompared)
        sinceCompared = 0
    }

    // Mutating so that the history is read in place.
    private mutating func value(_ back: Int) -> Double { history[(count - 1 - back) & (Readings.count - 1)] }

    private mutating func compare(seconds: Double) {
        let swing = recentSwing()
        let (shift, likeness) = bestShift()
        if likeness > Tuning.Gait.leastCorrelation, swing > Tuning.Gait.leastSwing {
            let now = Tuning.Gait.rateHertz / shift
            pace = alikeSeconds == 0 ? now : pace + (now - pace) * Tuning.Gait.paceGain
            usualSwing = alikeSeconds == 0 ? swing : usualSwing + (swing - usualSwing) * Tuning.Gait.swingGain
            alikeSeconds += seconds
            unlikeSeconds = 0
        } else if alikeSeconds > 0, likeness > Tuning.Gait.continuingCorrelation,
            swing > max(Tuning.Gait.leastSwing, Tuning.Gait.endingSwingShare * usualSwing)
        {
            // The gait goes on; the shift of uneven steps is not its pace.
            unlikeSeconds = 0
        } else {
            unlikeSeconds += seconds
            let patience = min(Tuning.Gait.patienceShare * alikeSeconds, Tuning.Gait.patienceSeconds)
            if swing < Tuning.Gait.endingSwingShare * usualSwing || unlikeSeconds > patience {
                (alikeSeconds, usualSwing) = (0, 0)
            }
        }
        stepsPerSecond = alikeSeconds >= Tuning.Gait.beginningSeconds ? pace : 0
    }

    /// RMS of the last 0.84 s, m/s2.
    private mutating func recentSwing() -> Double {
        var power = 0.0
        for back in 0..<Tuning.Gait.largestShift { power += value(back) * value(back) }
        return (power / Double(Tuning.Gait.largestShift)).squareRoot()
    }

    /// The shift of the first large maximum of the correlation, readings, and that correlation; zeros where there is
    /// none. Two steps are as alike as one, or more where the feet differ.
    /// docs/math.md, eq. 9.2.
    private mutating func bestShift() -> (shift: Double, likeness: Double) {
        var latestFirst = Readings(repeating: 0)
        for back in 0..<Readings.count { latestFirst[back] = value(back) }
        var first = (shift: 0.0, likeness: 0.0)
        var before = Self.correlation(of: latestFirst, shift: Tuning.Gait.leastShift - 1)
        var here = Self.correlation(of: latestFirst, shift: Tuning.Gait.leastShift)
        for shift in Tuning.Gait.leastShift...Tuning.Gait.largestShift {
            let after = Self.correlation(of: latestFirst, shift: shift + 1)
            // A slow sway has no maximum: it is the more alike, the shorter the shift.
            if here > before, here >= after {
                // Maximum of the parabola through the value and its neighbours.
                let offset = 0.5 * (before - after) / (before - 2 * here + after)
                let likeness = here - 0.25 * (before - after) * offset
                if Tuning.Gait.firstMaximumShare * likeness > first.likeness {
                    first = (Double(shift) + offset, likeness)
                }
            }
            (before, here) = (here, after)
        }
        return first
    }

    /// docs/math.md, eq. 9.1.
    private static func correlation(of values: borrowing Readings, shift: Int) -> Double {
        var (product, now, before) = (0.0, 0.0, 0.0)
        for back in 0..<(Readings.count - shift) {
            let (a, b) = (values[back], values[back + shift])
            product += a * b
            now += a * a
            before += b * b
        }
        return product / max((now * before).squareRoot(), 1e-9)
    }
}
