import Glibc
import Measurements
import PoseMath

/// Finds the gait of a walking or running person in the length of the specific force, which no turning of the sensor
/// changes.
///
/// The last seconds of it, freed of their mean, are compared with themselves some time before: steps repeat, and the
/// shift at which they are most alike is the time of a step. A gait begins when they are clearly alike; it goes on,
/// through curves and uneven steps, while there is as much swing.
struct GaitDetector: Sendable {
    /// Readings a second after averaging.
    private static let rateHertz = 25.0
    /// Readings that are kept: 2.56 s.
    private static let length = 64
    /// Shifts that are tried: 0.32 to 0.8 s.
    private static let shifts = 8...20
    /// Time constant of the mean that is taken away, seconds.
    private static let meanSeconds = 0.6
    /// Seconds between two comparisons.
    private static let compareSeconds = 0.4
    /// How alike a gait is to itself a step before, at its beginning.
    private static let likeness = 0.5
    /// Least swing of a gait (RMS), m/s2; and the share of its usual swing below which it has ended.
    private static let leastSwing = 0.2
    private static let endingShare = 0.35
    /// How long it must be alike to begin, seconds.
    private static let beginningSeconds = 1.0
    /// How long a gait may go on without being alike: a share of the time that it was, and at most so many seconds.
    private static let patienceShare = 1.5
    private static let patienceSeconds = 20.0

    private var history = InlineArray<64, Double>(repeating: 0)
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

    /// Pace, 1/s; zero while nobody walks.
    private(set) var stepsPerSecond = 0.0

    /// A detector that has seen nothing.
    init() {}

    /// Takes the next sample.
    mutating func update(_ sample: InertialSample) {
        let length = sample.specificForceMetersPerSecondSquared.length
        guard hasBegun else {
            (hasBegun, mean, lastTime) = (true, length, sample.time)
            return
        }
        let dt = min(max(sample.time.seconds(since: lastTime), 0), 0.1)
        lastTime = sample.time
        sum += length * dt
        sumSeconds += dt
        guard sumSeconds >= 1 / Self.rateHertz - 1e-4 else { return }
        let value = sum / sumSeconds
        mean += (value - mean) * min(sumSeconds / Self.meanSeconds, 1)
        history[count % Self.length] = value - mean
        count += 1
        sinceCompared += sumSeconds
        (sum, sumSeconds) = (0, 0)
        guard sinceCompared >= Self.compareSeconds, count >= Self.length else { return }
        compare(seconds: sinceCompared)
        sinceCompared = 0
    }

    // Mutating so that the history is read in place.
    private mutating func value(_ back: Int) -> Double { history[(count - 1 - back) & (Self.length - 1)] }

    private mutating func compare(seconds: Double) {
        let swing = recentSwing()
        let (shift, likeness) = bestShift()
        if likeness > Self.likeness, swing > Self.leastSwing {
            let now = Self.rateHertz / shift
            pace = alikeSeconds == 0 ? now : pace + (now - pace) * 0.2
            usualSwing = alikeSeconds == 0 ? swing : usualSwing + (swing - usualSwing) * 0.1
            alikeSeconds += seconds
            unlikeSeconds = 0
        } else {
            unlikeSeconds += seconds
            let patience = min(Self.patienceShare * alikeSeconds, Self.patienceSeconds)
            if swing < Self.endingShare * usualSwing || unlikeSeconds > patience { (alikeSeconds, usualSwing) = (0, 0) }
        }
        stepsPerSecond = alikeSeconds >= Self.beginningSeconds ? pace : 0
    }

    /// RMS of the last 0.8 s, m/s2.
    private mutating func recentSwing() -> Double {
        var power = 0.0
        for back in 0..<20 { power += value(back) * value(back) }
        return (power / 20).squareRoot()
    }

    /// The shift, in readings, at which the last seconds are most like themselves, and how much.
    /// docs/math.md, eq. 9.2.
    private mutating func bestShift() -> (shift: Double, likeness: Double) {
        var latestFirst = InlineArray<64, Double>(repeating: 0)
        for back in 0..<Self.length { latestFirst[back] = value(back) }
        var best = (shift: 0, likeness: 0.0)
        var around = (0.0, 0.0)
        var last = 0.0
        var isNextWanted = false
        for shift in Self.shifts {
            let c = Self.correlation(of: latestFirst, shift: shift)
            if isNextWanted { around.1 = c }
            isNextWanted = c > best.likeness
            if isNextWanted {
                best = (shift, c)
                around.0 = last
            }
            last = c
        }
        // The top of the parabola through the best and its neighbours.
        let curve = around.0 - 2 * best.likeness + around.1
        let offset = curve < 0 ? min(max(0.5 * (around.0 - around.1) / curve, -0.5), 0.5) : 0
        return (Double(best.shift) + offset, best.likeness)
    }

    /// docs/math.md, eq. 9.1.
    private static func correlation(of values: borrowing InlineArray<64, Double>, shift: Int) -> Double {
        var (product, now, before) = (0.0, 0.0, 0.0)
        for back in 0..<(length - shift) {
            let (a, b) = (values[back], values[back + shift])
            product += a * b
            now += a * a
            before += b * b
        }
        return product / max((now * before).squareRoot(), 1e-9)
    }
}
