import PoseMath

/// How the baseline of the receiver's antennas is turned in the vehicle, and how good the receiver's heading is, as far
/// as comparisons with the course have shown.
struct HeadingBaseline: Sendable {
    /// Angle from the vehicle's forward axis to the baseline, clockwise, radians.
    var angle = 0.0
    /// Variance of it, rad2.
    var variance = Tuning.Heading.toldSigma * Tuning.Heading.toldSigma
    /// Mean normalised square of the comparisons: 1 where the stated sigmas are right.
    var meanSquare = 1.0
    /// Comparisons in a row that agreed.
    var agreed = 0
    /// The same in seconds.
    private var agreedSeconds = 0.0
    /// Comparisons that did not agree with the angle, and agree with each other.
    private var others = Run()
    /// How many angles have been tried since one agreed for long.
    private var angles = 1
    /// How many comparisons have refuted an angle since one was confirmed; one a second at most.
    private var refuted = 0.0
    /// When the heading was given up; `nil` while it is not.
    private(set) var givenUpAt: MonotonicTime?
    /// Time of the last comparison.
    private var lastTime: MonotonicTime?

    /// A run of comparisons that agree with each other.
    private struct Run {
        /// Its first angle, and the mean deviation from it, radians.
        var first = 0.0
        var mean = 0.0
        var count = 0
        /// How many comparisons it would be at one a second at most.
        var seconds = 0.0
    }

    /// Whether the angle is that of the settings, and no other one has been found.
    private(set) var isTold = false

    /// A baseline along an angle that nobody tells, clockwise from forward, radians.
    init(angle: Double) { self.angle = angle }

    /// The baseline of the settings; along the forward axis where they tell none. The course of a boat confirms no
    /// angle: a told one is used from the start.
    init(settings: FusionSettings) {
        guard let told = settings.headingBaselineRadians else { return }
        (angle, isTold) = (told, true)
        if !settings.profile.traits.rollsOnWheels { agreed = Tuning.Heading.comparisons }
    }

    /// Whether the course has confirmed the angle, or cannot, and the heading is not given up.
    var isUsable: Bool { agreed >= Tuning.Heading.comparisons && givenUpAt == nil }

    /// Variance of one heading that is new each time, from its stated 1-sigma, radians, inflated by what was observed.
    /// docs/math.md, eq. 5.26.
    func whiteVariance(statedSigma: Double?) -> Double {
        let sigma = max(statedSigma ?? Tuning.Heading.unstatedSigma, Tuning.Heading.leastSigma)
        return sigma * sigma * max(meanSquare, 1)
    }

    /// Variance of the part of the error that lasts, rad2.
    /// docs/math.md, eq. 5.26.
    var lastingVariance: Double { variance + Tuning.Heading.lastingSigma * Tuning.Heading.lastingSigma }

    /// Compares a heading with the filter's while the course shows that.
    /// docs/math.md, eq. 5.27.
    ///
    /// - Parameters:
    ///   - difference: stated minus predicted heading, with the present angle, radians, clockwise.
    ///   - known: variance of the filter's heading, rad2.
    ///   - white: variance of one heading, rad2.
    mutating func compare(_ difference: Double, known: Double, white: Double, at time: MonotonicTime) {
        if let givenUpAt {
            guard time.seconds(since: givenUpAt) > Tuning.Heading.givenUpSeconds else { return }
            self = HeadingBaseline(angle: angle)
        }
        let interval = lastTime.map { max(time.seconds(since: $0), 0) }
        lastTime = time
        // A wrong heading lasts: a receiver that is faster than one a second shows it no surer.
        let seconds = min(interval ?? 1, 1)
        variance += Tuning.Heading.walk * Tuning.Heading.walk * (interval ?? 0)
        let square = difference * difference / (variance + known + white)
        guard square < Tuning.Heading.gate * Tuning.Heading.gate else {
            (agreed, agreedSeconds) = (0, 0)
            return addOther(difference, known: known, white: white, seconds: seconds, at: time)
        }
        others.count = 0
        agreed = min(agreed + 1, Tuning.Heading.comparisons)
        agreedSeconds = min(agreedSeconds + seconds, Tuning.Heading.forgivingSeconds)
        if agreed == Tuning.Heading.comparisons { refuted = 0 }
        if agreedSeconds == Tuning.Heading.forgivingSeconds { angles = 1 }
        meanSquare +=
            (min(square * max(meanSquare, 1), Tuning.Heading.largestSquare) - meanSquare)
            / Tuning.Heading.scatterComparisons
        // The error of the filter's heading lasts: however often both are compared, its variance counts once.
        guard variance > known else { return }
        let once = max(white, variance * known / (variance - known))
        let gain = variance / (variance + once)
        angle = Angle.wrappedToPi(angle + gain * difference)
        variance *= 1 - gain
    }

    /// Collects comparisons that refute the angle; enough of them that agree with each other show another one. What has
    /// many angles, or none, is no heading of the vehicle.
    private mutating func addOther(
        _ difference: Double, known: Double, white: Double, seconds: Double, at time: MonotonicTime
    ) {
        refuted += seconds
        if refuted > Double(Tuning.Heading.mostRefuted) { givenUpAt = time }
        let seen = Angle.wrappedToPi(angle + difference)
        let deviation = Angle.wrappedToPi(seen - others.first - others.mean)
        let limit = Tuning.Heading.gate * (2 * (known + white)).squareRoot()
        guard others.count > 0, abs(deviation) < limit else {
            others = Run(first: seen, mean: 0, count: 1, seconds: seconds)
            return
        }
        others.count += 1
        others.seconds += seconds
        others.mean += deviation / Double(others.count)
        // Ten at one a second last nine seconds.
        guard others.count >= Tuning.Heading.comparisons, others.seconds > Double(Tuning.Heading.comparisons - 1)
        else { return }
        (angle, isTold) = (Angle.wrappedToPi(others.first + others.mean), false)
        variance = known + white / Double(others.count)
        (others.count, agreed) = (0, 0)
        angles += 1
        if angles > Tuning.Heading.mostAngles { givenUpAt = time }
    }
}
