import Frames
import Fusion
import PoseMath

/// What a reset keeps of an engine: numbers and times that continue. After a reset the frames depend on this and on the
/// inputs alone, so a replay gives the same frames from there on, whatever was before.
public struct EnginePast: Sendable {
    /// Number of frames that were published, repetitions included; the engine does not know it.
    package var published: UInt64 = 0
    /// Number of the latest frame.
    package var sequence: UInt64 = 0
    /// What the estimator keeps.
    package var estimator = EstimatorPast()
    /// Number of the origin of the local frame.
    package var originEpoch: UInt32 = 0
    /// Version of the route.
    package var routeVersion: UInt32 = 0
    /// Jumps of the progress along routes: how many, and the length of the last one, metres.
    package var progressJumpCount: UInt32 = 0
    package var progressJumpMeters = 0.0
    /// Time of validity of the latest measurement that made an estimate.
    package var lastMeasurement = MonotonicTime(nanoseconds: 0)
    /// Time of the last wheel speed; `nil` before the first.
    package var lastWheelSpeed: MonotonicTime?
    /// UTC.
    package var clock = UTCLabel()
    /// Mode and satellites of the last fix.
    package var fixMode: UInt8 = 0
    package var satellitesUsed: UInt16?
    /// States of the sources.
    package var sources = Frame.Sources()
    /// Heading trim that stays, radians: zero after a reset by command.
    package var headingTrimRadians = 0.0

    /// The past of an engine without inputs.
    package init() {}
}

extension EngineCommand {
    /// The command as the engine is to perform it and as it is recorded: a reset with the past of this engine.
    ///
    /// - Parameter published: number of frames that were published.
    package func completed(by engine: inout Engine, published: UInt64) -> EngineCommand {
        guard case .reset = self else { return self }
        var past = engine.past
        past.published = published
        return .reset(after: past)
    }
}
