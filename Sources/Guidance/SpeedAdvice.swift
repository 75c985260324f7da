import PoseMath

/// Colour to show for the speed; the raw values are those of the wire.
public enum SpeedColour: UInt8, Sendable, CaseIterable {
    /// No speed or no limit is known.
    case unknown = 0
    /// Below the limit.
    case blue = 1
    /// At or above the limit.
    case orange = 2
    /// Above the limit by more than the tolerance.
    case red = 3
}

/// Colour thresholds for limits from a given one up. Several rows describe a country's rules.
///
/// A threshold is a share of the limit plus a speed: 1.1 and 2 km/h at a limit of 50 km/h give 57 km/h.
public struct SpeedThresholds: Sendable, Equatable {
    /// The row applies to this limit and higher ones, up to the limit of the next row, m/s.
    public var fromLimitMetersPerSecond: Double
    /// Orange from this share of the limit.
    public var orangeRatio: Double
    /// Speed added to the orange threshold, m/s.
    public var orangeAboveMetersPerSecond: Double
    /// Red above this share of the limit.
    public var redRatio: Double
    /// Speed added to the red threshold, m/s.
    public var redAboveMetersPerSecond: Double

    /// Creates thresholds; values that are left out have the defaults.
    public init(
        fromLimitMetersPerSecond: Double, orangeRatio: Double = 1, orangeAboveMetersPerSecond: Double = 0,
        redRatio: Double = 1.1, redAboveMetersPerSecond: Double = 0
    ) {
        self.fromLimitMetersPerSecond = fromLimitMetersPerSecond
        self.orangeRatio = orangeRatio
        self.orangeAboveMetersPerSecond = orangeAboveMetersPerSecond
        self.redRatio = redRatio
        self.redAboveMetersPerSecond = redAboveMetersPerSecond
    }
}

/// Settings of the speed colour.
public struct SpeedAdviceSettings: Sendable, Equatable {
    /// Share of the limit from which the colour is orange.
    public var orangeRatio = 1.0
    /// Share of the limit above which the colour is red.
    public var redRatio = 1.1
    /// Thresholds for limits from some value up, in ascending order. Limits below the first row use the two ratios
    /// above.
    public var table: [SpeedThresholds] = []
    /// Ratio of the speedometer's reading to the true speed. The colour follows the reading that the driver sees.
    public var indicatedRatio = 1.0
    /// Speed added to the speedometer's reading while moving, m/s.
    public var indicatedOffsetMetersPerSecond = 0.0
    /// Interval between colour decisions, seconds.
    public var periodSeconds = 1.0
    /// A lower colour is shown at once if the speed is below its threshold by this much, m/s: 2 km/h, twice the noise
    /// of a receiver's speed.
    public var hysteresisMetersPerSecond = 2 / 3.6
    /// Closer to the threshold, a lower colour is shown after this time below it, seconds.
    public var holdSeconds = 5.0
    /// Below this speed the vehicle counts as standing, m/s. Where the limit is 0, standing is allowed.
    public var standingMetersPerSecond = 0.5
    /// Fallback limit where none is known, m/s; `nil` for none. 50 km/h.
    public var fallbackLimitMetersPerSecond: Double? = 50 / 3.6

    /// Creates the default settings.
    public init() {}
}

/// Speed, limit and colour at one instant.
public struct SpeedStatus: Sendable, Equatable {
    /// Speed over ground, m/s.
    public var speedMetersPerSecond: Double?
    /// Reading of the vehicle's speedometer according to the settings, m/s.
    public var indicatedSpeedMetersPerSecond: Double?
    /// The limit, m/s; `nil` if it is unknown or if the road has none.
    public var limitMetersPerSecond: Double?
    /// Indicated speed divided by the limit; `nil` if either is unknown and if the limit is 0.
    public var ratio: Double?
    /// Colour to show.
    public var colour: SpeedColour = .unknown
    /// Source of the limit; ``SpeedLimitSource/none`` if no limit is known. A road known to have no limit keeps its
    /// source.
    public var limitSource: SpeedLimitSource = .none

    /// Creates a status with everything unknown.
    public init() {}
}

/// Decides the colour of the speed once each second. A higher colour is shown at once, a lower one with hysteresis, so
/// that the colour does not flicker.
public struct SpeedAdvice: Sendable {
    /// Thresholds and times.
    public let settings: SpeedAdviceSettings
    /// The latest status.
    public private(set) var status = SpeedStatus()
    private var lastDecision: MonotonicTime?
    /// Time since which every decision would have given a lower colour than the one shown.
    private var lowerSince: MonotonicTime?

    /// Creates an advice in its initial state.
    public init(settings: SpeedAdviceSettings = SpeedAdviceSettings()) { self.settings = settings }

    /// Updates speed and limit at a time and returns the status. A speed (m/s) that is `nil`, negative or not finite is
    /// unknown.
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
        // A time that went back restarts the interval. The tolerance keeps a millisecond of jitter from costing a
        // second.
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
        // A higher colour, a change to or from unknown, and a new limit are shown at once.
        guard plain.rawValue < status.colour.rawValue, plain != .unknown, !isNewLimit else {
            status.colour = plain
            lowerSince = nil
            return
        }
        let since = lowerSince.map { min($0, time) } ?? time
        lowerSince = since
        // The colour is lower even with the hysteresis added to the speed, or it has been lower for long enough.
        let sure = colour(speed: speed.map { $0 + settings.hysteresisMetersPerSecond })
        if time.seconds(since: since) >= settings.holdSeconds {
            status.colour = plain
            lowerSince = nil
        } else if sure.rawValue < status.colour.rawValue {
            status.colour = sure
            lowerSince = plain.rawValue < sure.rawValue ? time : nil
        }
    }

    /// The colour of a speed without hysteresis. Thresholds have a relative tolerance of 1e-9, so that 90 km/h
    /// converted to m/s is 90 km/h.
    /// docs/math.md, eq. 11.7.
    private func colour(speed: Double?) -> SpeedColour {
        guard let speed else { return .unknown }
        guard let limit = status.limitMetersPerSecond else { return status.limitSource == .none ? .unknown : .blue }
        guard limit > 0 else { return speed < settings.standingMetersPerSecond ? .blue : .red }
        let bounds = bounds(of: limit)
        if speed > bounds.red * (1 + 1e-9) { return .red }
        return speed >= bounds.orange * (1 - 1e-9) ? .orange : .blue
    }

    /// The orange threshold (inclusive) and the red threshold (exclusive), m/s.
    private func bounds(of limit: Double) -> (orange: Double, red: Double) {
        // The tolerance makes 50 km/h converted to m/s equal 50 km/h, however it was rounded.
        guard let row = settings.table.last(where: { limit >= $0.fromLimitMetersPerSecond * (1 - 1e-9) }) else {
            return (limit * settings.orangeRatio, limit * settings.redRatio)
        }
        return (
            limit * row.orangeRatio + row.orangeAboveMetersPerSecond, limit * row.redRatio + row.redAboveMetersPerSecond
        )
    }

    /// The speedometer's reading, m/s; a standing vehicle's speed is not corrected.
    private func indicated(_ speed: Double) -> Double {
        guard speed >= settings.standingMetersPerSecond else { return speed }
        return max(0, speed * settings.indicatedRatio + settings.indicatedOffsetMetersPerSecond)
    }
}
