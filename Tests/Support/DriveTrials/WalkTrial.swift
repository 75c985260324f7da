import Fusion
import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation

/// One random walk with a sensor that is held anyhow, and what the profile `wearable` makes of it. The receiver is
/// silent for 15 s three times.
package struct WalkTrial: Sendable {
    /// Of all that is random.
    package let seed: UInt64
    /// Whether it is joined on the way, with a gyro whose bias is unknown.
    package let movingStart: Bool
    /// From the first step, or the join, to the first heading, seconds; `nil` where there was none.
    package private(set) var secondsToHeading: Double?
    /// From half a minute after that on, radians.
    package private(set) var heading = TrialErrors()
    /// Each horizontal axis from 50 s on, outages apart, and of the fixes themselves, metres.
    package private(set) var position = TrialErrors()
    package private(set) var fixes = TrialErrors()
    /// Root mean square of the largest errors in the outages, over that of the place of the last fix.
    package private(set) var outageRatio = Double.infinity
    /// Times the filter jumped or began anew.
    package private(set) var resetCount: UInt32 = 0

    private static let outages: [ClosedRange<Double>] = [90...105, 140...155, 190...205]
    /// The receiver needs a moment after an outage.
    private static let recoverySeconds = 5.0
    private static let settlingSeconds = 30.0
    private static let judgedFrom = 50.0
    /// When a walk is joined on the way, seconds.
    private static let joinedAt = 30.0

    /// Runs it.
    ///
    /// - Parameters:
    ///   - seed: of the way, the hand and the sensors.
    ///   - movingStart: whether it is joined on the way, with a gyro that is biased by 1 to 5 deg/s, as one that
    ///     nothing has calibrated.
    ///   - installation: what arrives of the measurements, and when.
    package init(seed: UInt64, movingStart: Bool = false, installation: Installation = Installation()) {
        (self.seed, self.movingStart) = (seed, movingStart)
        var random = RandomSource(seed: seed, use: 61)
        var plan = WalkPlan()
        plan.seed = seed
        plan.durationSeconds = 240
        plan.speedMetersPerSecond = random.uniform(0.9, 1.7)
        plan.stepsPerSecond = 1.3 + 0.4 * plan.speedMetersPerSecond
        plan.winding = random.uniform(0.4, 1.4)
        plan.bobMeters = random.uniform(0.015, 0.03)
        plan.surgeMeters = random.uniform(0.005, 0.015)
        plan.deviceToBody = random.rotation()
        var suite = SensorSuite.random(seed: seed)
        suite.inertial?.sensorToBody = .identity
        suite.satellite?.outages = Self.outages
        suite.satellite?.positionLagSeconds = random.uniform(0, 0.05)
        suite.satellite?.velocitySmoothingSeconds = random.uniform(0, 0.3)
        if installation.isReceiverLate { suite.satellite?.becomeLate(&random) }
        if installation.isAntennaElsewhere {
            suite.satellite?.leverArmBodyMeters = Installation.antennaArm(seed: seed, reach: 1)
        }
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed)
        let events = installation.events(of: walk, seed: seed)
        let bias = random.rotation().rotate(.unitX) * random.uniform(1, 5).degreesInRadians
        run(walk, movingStart ? Self.joined(events, gyroBias: bias) : events)
    }

    /// What a sensor measures that is switched on on the way.
    ///
    /// - Parameter gyroBias: sensor axes, rad/s.
    private static func joined(_ events: [SensorEvent], gyroBias: Vector3) -> [SensorEvent] {
        events.compactMap { event in
            guard event.arrivalTime.seconds > joinedAt else { return nil }
            guard case .inertial(var sample) = event else { return event }
            sample.angularRateRadiansPerSecond += gyroBias
            return .inertial(sample)
        }
    }

    private mutating func run(_ walk: SimulatedWalk, _ events: [SensorEvent]) {
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        let standing = walk.walk.plan.standingSecondsBefore
        var worst = [(own: Double, held: Double)](repeating: (0, 0), count: Self.outages.count)
        var last: GnssFix?
        for event in events {
            if case .gnss(let fix) = event {
                last = fix
                judge(fix, walk.truth(at: fix.validityTime))
            }
            guard estimator.ingest(event) else { continue }
            let estimate = estimator.estimate
            let (seconds, truth) = (estimate.time.seconds, walk.truth(at: estimate.time))
            judgeHeading(estimate, truth, walked: seconds - (movingStart ? Self.joinedAt : standing))
            guard let place = estimate.position, let sigma = estimate.positionSigmaENUMeters else { continue }
            let offset = truth.position.surfaceOffsetMeters(to: place)
            if let k = Self.outages.firstIndex(where: { $0.contains(seconds) }) {
                let held = last?.error(from: truth) ?? (.infinity, .infinity)
                worst[k].own = max(worst[k].own, hypot(offset.east, offset.north))
                worst[k].held = max(worst[k].held, hypot(held.east, held.north))
            } else if Self.isJudged(seconds) {
                position.add(offset.east, sigma: sigma.x)
                position.add(offset.north, sigma: sigma.y)
            }
        }
        resetCount = estimator.estimate.resetCount
        func total(_ errors: [Double]) -> Double { errors.reduce(0) { $0 + $1 * $1 }.squareRoot() }
        outageRatio = total(worst.map(\.own)) / total(worst.map(\.held))
    }

    private mutating func judge(_ fix: GnssFix, _ truth: DriveTruth) {
        guard Self.isJudged(fix.validityTime.seconds) else { return }
        let error = fix.error(from: truth)
        fixes.add(error.east, sigma: .infinity)
        fixes.add(error.north, sigma: .infinity)
    }

    /// - Parameter walked: time since the first step, seconds.
    private mutating func judgeHeading(_ estimate: PoseEstimate, _ truth: DriveTruth, walked: Double) {
        guard let attitude = estimate.bodyToENU, let sigma = estimate.headingSigmaRadians else { return }
        let begin = secondsToHeading ?? walked
        secondsToHeading = begin
        guard walked > begin + Self.settlingSeconds else { return }
        heading.add((attitude * truth.bodyToENU.inverse).rotationVector.z, sigma: sigma)
    }

    private static func isJudged(_ seconds: Double) -> Bool {
        seconds > judgedFrom
            && !outages.contains { $0.lowerBound <= seconds && seconds < $0.upperBound + recoverySeconds }
    }
}

extension WalkTrial {
    /// Its figures in one line.
    package var line: String {
        func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        return "seed \(seed): heading \(text(heading.root.radiansInDegrees)) deg after "
            + "\(text(secondsToHeading ?? .infinity)) s, within \(text(100 * heading.shareWithin)) %; position "
            + "\(text(position.root))/\(text(fixes.root)) m, within \(text(100 * position.shareWithin)) %; outages "
            + "\(text(outageRatio)) of the held fix; resets \(resetCount)"
    }
}
