import Engine
import Explanation
import Frames
import Fusion
import Guidance
import Measurements
import PoseMath
import Replay
import Simulation

/// An engine that is asked for the facts at a moment, as the daemon's `status` tells them.
struct FaultRun {
    private var engine: Engine
    private var arrivals: [Double] = []
    private var samples = 0.0

    init(settings: EngineSettings) { engine = Engine(settings: settings) }

    /// Follows a route.
    mutating func follow(_ route: Route) { engine.setRoute(route, version: 1) }

    /// Processes events until a time; returns that of the last one, seconds.
    mutating func play(
        _ events: SimulatedDrive.Iterator, until end: Double, _ spoil: (SensorEvent) -> SensorEvent?
    ) -> Double {
        var (events, last) = (events, 0.0)
        var sources = ReplaySources(kinds: [])
        var seen: Set<SensorKind> = []
        while let event = events.next(), event.arrivalTime.seconds <= end {
            last = event.arrivalTime.seconds
            if seen.insert(event.kind).inserted {
                sources = ReplaySources(kinds: seen)
                sources.open(at: event.arrivalTime) { engine.ingest($0) }
            }
            guard let spoiled = spoil(event) else {
                // A receiver without a fix still reports.
                engine.ingest(SourceReport(time: event.arrivalTime, source: event.kind, state: .waiting))
                continue
            }
            sources.note(spoiled) { engine.ingest($0) }
            if case .gnss(let fix) = spoiled { arrivals.append(fix.arrivalTime.seconds) }
            if case .inertial = spoiled { samples += 1 }
            _ = engine.ingest(spoiled)
        }
        return last
    }

    /// What `status` and the latest frame tell.
    mutating func facts(at seconds: Double) -> ExplanationFacts {
        var trust = TrustReport()
        engine.describeTrust(&trust)
        var facts = ExplanationFacts()
        facts.frame = engine.frame
        if trust.isFilterRunning {
            facts.heading = Self.parts(trust.budget.heading, 1.0.radiansInDegrees)
            facts.position = Self.parts(trust.budget.position, 1)
            facts.speed = Self.parts(trust.budget.speed, 1)
            (facts.positionLagSeconds, facts.velocityLagSeconds) = (trust.positionLagSeconds, trust.velocityLagSeconds)
        }
        facts.verdict = "\(trust.receiver)"
        facts.sigmaFactor = trust.receiverSigmaFactor
        (facts.isVelocityStated, facts.isAccuracyStated) = (!trust.isVelocityUnstated, !trust.isAccuracyUnstated)
        facts.fixLatenessSeconds = trust.fixLatenessSeconds
        facts.gyroNoiseDensity = trust.gyroNoiseDensity.radiansInDegrees
        facts.imuFaults = trust.inertial.names
        facts.clippedShare = samples > 0 ? Double(trust.rejections.inertialClipped) / samples : 0
        facts.doesProfileFit = trust.doesProfileFit
        facts.areWheelsRefused = trust.wheels.map { !$0.isUsed } ?? false
        let position = trust[.gnssPosition]
        let all = Double(position.acceptedCount) + Double(position.rejectedCount)
        facts.rejectedShare = all > 0 ? Double(position.rejectedCount) / all : 0
        facts.hasRoads = false
        let recent = arrivals.suffix(20)
        if let first = recent.first, let last = recent.last, last > first {
            facts.fixRateHertz = Double(recent.count - 1) / (last - first)
        }
        describe(engine.calibration, &facts)
        return facts
    }

    private func describe(_ calibration: SensorCalibration, _ facts: inout ExplanationFacts) {
        facts.isMountRefused = calibration.isConfiguredMountRefused
        guard let mount = calibration.mount else { return }
        facts.mountHeadingSigmaDegrees = mount.sigmaBodyRadians.z.radiansInDegrees
        guard let antenna = mount.antenna, antenna.isValid else { return }
        let (x, y) = (antenna.meters.x, antenna.meters.y)
        facts.antennaMeters = (x * x + y * y).squareRoot()
        facts.antennaSigmaMeters = antenna.sigmaMeters.max()
    }

    private static func parts(_ parts: UncertaintyBudget.Parts, _ scale: Double) -> ExplanationFacts.Parts {
        ExplanationFacts.Parts(
            receiver: parts.receiver * scale, gyro: parts.gyro * scale, mount: parts.mount * scale,
            lag: parts.lag * scale, age: parts.age * scale)
    }
}
