import Fusion
import Guidance

/// All settings of the engine.
public struct EngineSettings: Sendable {
    /// The estimators.
    public var fusion = FusionSettings()
    /// Route following.
    public var guidance = GuidanceSettings()
    /// Speed against the limit.
    public var speedAdvice = SpeedAdviceSettings()
    /// Time between two guidance steps, seconds; one metre at city speed.
    public var guidancePeriodSeconds = 0.05
    /// Minimum speed for a valid course over ground, m/s.
    public var courseMinimumSpeedMetersPerSecond = 1.0
    /// Distance from the local frame's origin at which a new origin is set, metres. Beyond it the vertical of the flat
    /// frame differs from the true vertical by more than 0.2 deg.
    public var originRadiusMeters = 20_000.0

    /// The defaults.
    public init() {}

    /// Route following of what carries the sensors: where it walks, walking is motion.
    var guidanceOfProfile: GuidanceSettings {
        var guidance = guidance
        if fusion.profile.traits.hasGait {
            guidance.movingMetersPerSecond = min(
                guidance.movingMetersPerSecond, GuidanceSettings.walkingMetersPerSecond)
        }
        return guidance
    }
}
