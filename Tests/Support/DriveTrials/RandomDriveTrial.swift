import Fusion
import Geodesy
import Measurements
import PoseMath
import Simulation

/// One random drive with random sensors from its start, or joined while it moves: how soon the filter aligns, and how
/// right it is from then on.
package struct RandomDriveTrial: Sendable {
    /// Of all that is random.
    package let seed: UInt64
    /// Whether the filter begins 20 s after the vehicle did.
    package let movingStart: Bool
    /// From the start to the alignment, seconds; `nil` where there was none.
    package private(set) var secondsToAligned: Double?
    /// The part of it in which the vehicle moved, seconds.
    package private(set) var drivingSecondsToAligned: Double?
    /// Root mean square from half a minute after the alignment on.
    package private(set) var headingErrorDegrees = Double.infinity
    /// The sigma that was stated for it, in the same way.
    package private(set) var headingSigmaDegrees = Double.infinity
    /// The same, east and north together.
    package private(set) var horizontalErrorMeters = Double.infinity
    /// Of the fixes themselves, over the same time.
    package private(set) var receiverErrorMeters = 0.0
    /// Errors of the same time beside their sigmas: of the heading, of both horizontal axes of the position and of the
    /// velocity, and of both of the tilt.
    package private(set) var consistency = PublishedConsistency()
    /// Times the filter jumped or began anew.
    package private(set) var resetCount: UInt32 = 0

    /// After the alignment nothing is judged for so long, seconds: the mount and the biases settle.
    private static let settlingSeconds = 30.0
    /// Speed from which a vehicle drives, m/s.
    private static let drivingSpeed = 1.0

    /// What of the receiver's error is common to many fixes cannot be removed, only passed on; on a single drive the
    /// first fixes' error may be held longer than the receiver itself does. No better than half a metre is asked of a
    /// perfect one.
    package var largestHorizontalErrorMeters: Double { max(1.25 * receiverErrorMeters, 0.5) }

    /// Runs it.
    ///
    /// - Parameters:
    ///   - lags: whether the receiver's position and velocity are late, too, by what the seed says.
    ///   - installation: what arrives of the measurements, and when. With fixes that all come late the pose is
    ///     dead-reckoned, and counts as aligned once the filter runs.
    package init(
        seed: UInt64, movingStart: Bool, lags: Bool = false, installation: Installation = Installation()
    ) throws {
        self.seed = seed
        self.movingStart = movingStart
        let drive = try Drive(.random(seed: seed, edges: 8))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        if installation.isAntennaElsewhere {
            suite.satellite?.leverArmBodyMeters = Installation.antennaArm(seed: seed, reach: 2)
        }
        if installation.isHolderTurning { suite.inertial?.holderTurn = .random(seed: seed) }
        if lags {
            var random = RandomSource(seed: seed, use: 13)
            // As found in receivers: a velocity is the mean of an interval, or filtered, a position nearly prompt.
            let late = random.uniform(0, 0.3)
            suite.satellite?.positionLagSeconds = random.uniform(0, 0.05)
            if random.chance(0.5) {
                suite.satellite?.velocityLagSeconds = late
            } else {
                suite.satellite?.velocitySmoothingSeconds = late
                suite.satellite?.climbSmoothingSeconds = 2 * late
            }
            if installation.isReceiverLate { suite.satellite?.becomeLate(&random) }
        }
        let start = movingStart ? drive.plan.standingSecondsBefore + 20 : 0
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed, from: start)
        run(simulated, events: installation.events(of: simulated, seed: seed), start: start)
    }

    private mutating func run(_ simulated: SimulatedDrive, events: [SensorEvent], start: Double) {
        var estimator = PoseEstimator()
        var (heading, headingSigma) = (MeanSquare(), MeanSquare())
        var (horizontal, receiver) = (MeanSquare(), MeanSquare())
        var driving = 0.0
        var last: Double?
        for event in events {
            if case .gnss(let fix) = event, isJudged(fix.validityTime.seconds - start) {
                let error = fix.error(from: simulated.truth(at: fix.validityTime))
                receiver.add((error.east * error.east + error.north * error.north).squareRoot())
            }
            guard estimator.ingest(event) else { continue }
            let estimate = estimator.estimate
            let seconds = estimate.time.seconds - start
            if secondsToAligned == nil {
                let truth = simulated.truth(at: estimate.time)
                if truth.velocityENUMetersPerSecond.length > Self.drivingSpeed {
                    driving += seconds - (last ?? seconds)
                }
                last = seconds
                if Self.isAligned(estimate) { (secondsToAligned, drivingSecondsToAligned) = (seconds, driving) }
            }
            guard isJudged(seconds), let place = estimate.position, let attitude = estimate.bodyToENU else { continue }
            let truth = simulated.truth(at: estimate.time)
            let offset = truth.position.surfaceOffsetMeters(to: place)
            heading.add(
                Angle.wrappedToPi(
                    EulerAngles(bodyToENU: attitude).headingTrueRadians
                        - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians))
            headingSigma.add(estimate.headingSigmaRadians ?? .infinity)
            consistency.add(estimate, truth)
            horizontal.add((offset.east * offset.east + offset.north * offset.north).squareRoot())
        }
        resetCount = estimator.estimate.resetCount
        receiverErrorMeters = receiver.root ?? 0
        headingErrorDegrees = heading.root?.radiansInDegrees ?? .infinity
        headingSigmaDegrees = headingSigma.root?.radiansInDegrees ?? .infinity
        horizontalErrorMeters = horizontal.root ?? .infinity
    }

    /// Whether the pose is aligned, or, with fixes that all come late, dead-reckoned from such a one.
    private static func isAligned(_ estimate: PoseEstimate) -> Bool {
        estimate.state == .aligned
            || estimate.state == .deadReckoning && (estimate.headingSigmaRadians ?? .infinity) < 3.degreesInRadians
    }

    private func isJudged(_ seconds: Double) -> Bool {
        secondsToAligned.map { seconds > $0 + Self.settlingSeconds } ?? false
    }

    private struct MeanSquare {
        var sum = 0.0
        var count = 0.0

        mutating func add(_ value: Double) {
            sum += value * value
            count += 1
        }

        /// `nil` where nothing was added.
        var root: Double? { count > 0 ? (sum / count).squareRoot() : nil }
    }
}

extension RandomDriveTrial {
    /// Its figures in one line.
    package var line: String {
        func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        func share(_ errors: TrialErrors) -> String {
            "\(Int((100 * errors.shareWithin).rounded())) % (\(text(errors.ratio)))"
        }
        return "seed \(seed): heading \(text(headingErrorDegrees)) deg, sigma \(text(headingSigmaDegrees)); position "
            + "\(text(horizontalErrorMeters))/\(text(receiverErrorMeters)) m; aligned after "
            + "\(text(drivingSecondsToAligned ?? .infinity)) s of driving; resets \(resetCount); within 1-sigma (error "
            + "over sigma): position \(share(consistency.position)), velocity \(share(consistency.velocity)), heading "
            + "\(share(consistency.heading)), tilt \(share(consistency.tilt))"
    }
}
