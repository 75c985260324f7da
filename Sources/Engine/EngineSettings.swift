import Fusion

/// Everything about the engine that a user may set.
public struct EngineSettings: Sendable {
    /// The estimators.
    public var fusion = FusionSettings()
    /// Speed below which a course over ground means nothing, m/s.
    public var courseMinimumSpeedMetersPerSecond = 1.0

    /// The defaults.
    public init() {}
}
