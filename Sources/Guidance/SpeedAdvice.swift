import PoseMath

/// Colour to show for the speed; the raw values are those of the wire.
public enum SpeedColour: UInt8, Sendable, CaseIterable {
    /// No speed or no limit is known.
    case unknown = 0
    /// Below the limit.
    case blue = 1
    /// From the limit on.
    case orange = 2
    /// More than the tolerance above it.
    case red = 3
}

/// From where on a limit is overstepped, for limits from one up: a country's rule is a few of these.
///
/// A bound is a share of the limit and a speed on top: 10 % and 2 km/h at a limit of 50 are 57 km/h.
public struct SpeedThresholds: Sendable, Equatable {
    /// They hold for this limit and higher ones, up to the next row's, m/s.
    public var fromLimitMetersPerSecond: Double
    /// Orange from this share of the limit.
    public var orangeRatio = 1.0
    /// And this much more, m/s.
    public var orangeAboveMetersPerSecond = 0.0
    /// Red above this share of the limit.
    public var redRatio = 1.1
    /// And this much more, m/s.
    public var redAboveMetersPerSecond = 0.0

    /// Thresholds; those left out are the usual ones.
    public init(
        fromLimitMetersPerSecond: Double, orangeRatio: Double = 1, orangeAboveMetersPerSecond: Double = 0,
        redRatio: Double = 1.1,
        redAboveMetersPerSecond: Double = 0
    ) {
        self.fromLimitMetersPerSecond = fromLimitMetersPerSecond
        self.orangeRatio = orangeRatio
        self.orangeAboveMetersPerSecond = orangeAboveMetersPerSecond
        self.redRatio = redRatio
        self.redAboveMetersPerSecond = redAboveMetersPerSecond
    }
}

/// What may be set about the speed's colour.
public struct SpeedAdviceSettings: Sendable, Equatable {
    /// Share of the limit from which the colour is orange.
    public var orangeRatio = 1.0
    /// Share of the limit above which the colour is red.
    public var redRatio = 1.1
    /// Other bounds for limits from some value up, in rising order of it; limits below the first row's have the two
    /// ratios above.
    public var table: [SpeedThresholds] = []
    /// What the vehicle's own speedometer shows of the true speed; the colour goes by what the driver sees.
    public var indicatedRatio = 1.0
    /// And how much more while it moves, m/s.
    public var indicatedOffsetMetersPerSecond = 0.0
    /// How often the colour is decided, seconds.
    public var periodSeconds = 1.0
    /// A lower colour comes at once when the speed is below its bound by this much, m/s: 2 km/h, twice the noise of a
    /// receiver's speed.
    public var hysteresisMetersPerSecond = 2 / 3.6
    /// Nearer to the bound than that, a lower colour comes after this long below it, seconds.
    public var holdSeconds = 5.0
    /// Below this speed a body counts as standing, m/s: where the limit is 0, standing is no offence.
    public var standingMetersPerSecond = 0.5
    /// The limit that stands in where none is known, m/s; `nil` for none. 50 km/h.
    public var fallbackLimitMetersPerSecond: Double? = 50 / 3.6

    /// The defaults.
    public init() {}
}

/// Speed, limit and colour at one instant.
public struct SpeedStatus: Sendable, Equatable {
    /// Speed over ground, m/s.
    public var speedMetersPerSecond: Double?
    /// What the vehicle's speedometer shows, as far as it was set, m/s.
    public var indicatedSpeedMetersPerSecond: Double?
    /// The limit, m/s; `nil` where none is known, or it is known that there is none.
    public var limitMetersPerSecond: Double?
    /// Indicated speed over limit; `nil` without either, and where the limit is 0.
    public var ratio: Double?
    /// Colour to show.
    public var colour: SpeedColour = .unknown
    /// Where the limit comes from; ``SpeedLimitSource/none`` where there is none to speak of. A limit known not to
    /// exist keeps its source.
    public var limitSource: SpeedLimitSource = .none

    /// Nothing known.
    public init() {}
}

/// Decides the colour of the speed: once each second, up at once, down only when it is sure, so that it does not
/// flicker.
public struct SpeedAdvice: Sendable {
    /// What was set.
    public let settings: SpeedAdviceSettings
    /// The latest answer.
    public private(set) var status = SpeedStatus()
    private var lastDecision: MonotonicTime?
    /// Since when every decision would have given a lower colour than the one shown.
    private var lowerSince: MonotonicTime?

    /// An advice that has seen nothing.
    public init(settings: SpeedAdviceSettings = SpeedAdviceSettings()) { self.settings = settings }

    /// Takes the speed (m/s; negative, not finite and `nil` mean unknown) and the limit with its source at a time;
    /// returns the answer.
    @discardableResult
    public mutating func update(
        time: MonotonicTime, speedMetersPerSecond: Double?, limit: SpeedLimit, source: SpeedLimitSource
    ) -> SpeedStatus {
        var speed = speedMetersPerSecond
        if let value = speed, !(value >= 0 && value.isFinite) { speed = nil }
        let previousLimit = (status.limitMetersPerSecond, status.limitSource)
        setLimit(limit, source: source)
        status.speedMetersPerSecond = speed
        speed = speed.map { indicated($0) }
        status.indicatedSpeedMetersPerSecond = speed
        status.ratio = nil
        if let speed, let value = status.limitMetersPerSecond, value > 0 { status.ratio = speed / value }
        let isNewLimit = previousLimit != (status.limitMetersPerSecond, status.limitSource)
        let elapsed = lastDecision.map { time.seconds(since: $0) }
        // A clock that went back starts anew. A millisecond of jitter does not cost a second.
        let isDue = elapsed.map { $0 < 0 || $0 >= settings.periodSeconds - 0.001 } ?? true
        guard isDue || isNewLimit || (speed == nil) != (status.colour == .unknown) else { return status }
        lastDecision = time
        decide(speed: speed, time: time, isNewLimit: isNewLimit)
        return status
    }

    private mutating func setLimit(_ limit: SpeedLimit, source: SpeedLimitSource) {
        switch limit {
        case .metersPerSecond(let value) where value >= 0 && value.isFinite:
            status.limitMetersPerSecond = value
            status.limitSource = source
        case .unlimited:
            status.limitMetersPerSecond = nil
            status.limitSource = source
        default:
            status.limitMetersPerSecond = settings.fallbackLimitMetersPerSecond
            status.limitSource = settings.fallbackLimitMetersPerSecond == nil ? .none : .fallback
        }
    }

    private mutating func decide(speed: Double?, time: MonotonicTime, isNewLimit: Bool) {
        let plain = colour(speed: speed)
        // Up, to and from unknown, and under another limit: at once.
        guard plain.rawValue < status.colour.rawValue, plain != .unknown, !isNewLimit else {
            status.colour = plain
            lowerSince = nil
            return
        }
        let since = lowerSince.map { min($0, time) } ?? time
        lowerSince = since
        // With the margin added to the speed it is still lower, or it has been lower for long enough.
        let sure = colour(speed: speed.map { $0 + settings.hysteresisMetersPerSecond })
        if time.seconds(since: since) >= settings.holdSeconds {
            status.colour = plain
            lowerSince = nil
        } else if sure.rawValue < status.colour.rawValue {
            status.colour = sure
            lowerSince = plain.rawValue < sure.rawValue ? time : nil
        }
    }

    /// The colour of a speed without memory. A billionth on either side of a bound belongs to it, so that 90 km/h in
    /// m/s is 90 km/h.
    /// docs/math.md, eq. 11.7.
    private func colour(speed: Double?) -> SpeedColour {
        guard let speed else { return .unknown }
        guard let limit = status.limitMetersPerSecond else { return status.limitSource == .none ? .unknown : .blue }
        guard limit > 0 else { return speed < settings.standingMetersPerSecond ? .blue : .red }
        let bounds = bounds(of: limit)
        if speed > bounds.red * (1 + 1e-9) { return .red }
        return speed >= bounds.orange * (1 - 1e-9) ? .orange : .blue
    }

    /// Orange from the first on, red above the second, m/s.
    private func bounds(of limit: Double) -> (orange: Double, red: Double) {
        // 50 km/h in m/s, however it was rounded, is 50 km/h.
        guard let row = settings.table.last(where: { limit >= $0.fromLimitMetersPerSecond * (1 - 1e-9) }) else {
            return (limit * settings.orangeRatio, limit * settings.redRatio)
        }
        return (
            limit * row.orangeRatio + row.orangeAboveMetersPerSecond, limit * row.redRatio + row.redAboveMetersPerSecond
        )
    }

    /// What the speedometer shows: nothing while the vehicle stands.
    private func indicated(_ speed: Double) -> Double {
        guard speed >= settings.standingMetersPerSecond else { return speed }
        return max(0, speed * settings.indicatedRatio + settings.indicatedOffsetMetersPerSecond)
    }
}
