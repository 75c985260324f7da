import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath

/// Commands for the engine.
public enum EngineCommand: Sendable {
    /// Turns all headings by an angle, clockwise positive, radians.
    case trimHeading(byRadians: Double)
    /// Sets the heading trim.
    case setHeadingTrim(radians: Double)
    /// Discards origin, trim and progress, and aligns again. `nil`: the engine's own past continues; a recording states
    /// it. Boxed, because every measurement would carry it otherwise: a kilobyte.
    case reset(past: Boxed<EnginePast>?)
    /// Follows another route, or none; the version is published with it. The sender keeps the route until a frame has a
    /// later version, so the engine thread does not free it.
    case setRoute(Route?, version: UInt32)
    /// Limits and curves ahead.
    case setSpeedHorizon(SpeedHorizon)
    /// The saved mount of an earlier drive, as a prior.
    case offerMount(MountEstimate)
    /// What an earlier drive has found of sensors and receiver. Boxed as well.
    case offerSensors(prior: Boxed<SensorPrior>)
    /// The pose of the last stop, for a start without satellites.
    case offerRest(RestingPose)
    /// The declination here; `nil` if it is unknown.
    case setDeclination(Declination?)

    /// A reset; `nil`: the engine's own past continues.
    public static func reset(after past: EnginePast? = nil) -> EngineCommand { .reset(past: past.map(Boxed.init)) }

    /// What an earlier drive has found of sensors and receiver.
    public static func offerSensors(_ prior: SensorPrior) -> EngineCommand { .offerSensors(prior: Boxed(prior)) }
}

/// Everything that changes the engine or makes a frame. The same inputs in the same order give the same frames.
public enum EngineInput: Sendable {
    /// A measurement.
    case event(SensorEvent)
    /// A change of a source's state.
    case report(SourceReport)
    /// A command.
    case command(EngineCommand)
    /// A frame for an instant without a measurement.
    case tick(MonotonicTime)
    /// The latest frame was published again at that time; the engine does not change.
    case repetition(MonotonicTime)
}

extension Engine {
    /// Performs a command.
    public mutating func perform(_ command: EngineCommand) {
        switch command {
        case .trimHeading(let angle): trimHeading(byRadians: angle)
        case .setHeadingTrim(let angle): setHeadingTrim(radians: angle)
        case .reset(let past): reset(after: past?.value ?? self.past)
        case .setSpeedHorizon(let speedHorizon): use(speedHorizon)
        case .offerMount(let mount): offer(mount: mount)
        case .offerSensors(let prior): offer(sensors: prior.value)
        case .offerRest(let pose): offer(resting: pose)
        case .setDeclination(let declination): set(declination: declination)
        case .setRoute(let route, let version): setRoute(route, version: version)
        }
    }

    /// Processes an input; returns whether it made a new ``frame``.
    public mutating func apply(_ input: EngineInput) -> Bool {
        switch input {
        case .event(let event): return ingest(event)
        case .report(let report): ingest(report)
        case .command(let command): perform(command)
        case .tick(let time): return tick(at: time)
        case .repetition: break
        }
        return false
    }
}
