import Fusion
import Guidance

/// Everything about the engine that a user may set.
public struct EngineSettings: Sendable {
    /// The estimators.
    public var fusion = FusionSettings()
    /// Route following.
    public var guidance = GuidanceSettings()
    /// Speed against the limit.
    public var speedAdvice = SpeedAdviceSettings()
    /// Time between two steps of the guidance, seconds; a metre at city speed.
    public var guidancePeriodSeconds = 0.05
    /// Speed below which a course over ground means nothing, m/s.
    public var courseMinimumSpeedMetersPerSecond = 1.0
    /// Distance from the local frame's origin at which it is anchored anew, metres: beyond it the flat frame's up
    /// differs from the true one by 0.2 deg.
    public var originRadiusMeters = 20_000.0

    /// The defaults.
    public init() {}
}
