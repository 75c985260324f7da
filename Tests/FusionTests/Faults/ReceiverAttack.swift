import Geodesy
import Measurements
import PoseMath
import Simulation

@testable import Fusion

/// A drive up to a moment at which the receiver begins to tell something else than the truth.
struct ReceiverAttack: Sendable {
    let simulated: SimulatedDrive
    /// The estimator at that moment, the filter running and the vehicle moving.
    let before: PoseEstimator
    /// When it begins, seconds.
    let begin: Double
    private let events: [SensorEvent]

    /// What came of it.
    struct Outcome {
        /// Largest horizontal error, metres, while it lasted, and at its end.
        var worstMeters = 0.0
        var endMeters = 0.0
        /// Largest distance from another run, and by how much more than the other it was wrong at most, metres.
        var largestDistanceMeters = 0.0
        var excursionMeters = 0.0
        /// Seconds and fixes from the beginning to the verdict; `nil` where there was none.
        var secondsToVerdict: Double?
        var fixesToVerdict: Int?
        /// Seconds after the return of the truth until the error stays below 15 m (three sigmas of the receiver on both
        /// axes).
        var recoverySeconds = 0.0
        /// Seconds until the first fix's position was taken.
        var secondsToTaken = Double.infinity
        /// Jumps announced meanwhile, and the last one's length, metres.
        var resets: UInt32 = 0
        var resetMeters = 0.0
    }

    /// Runs up to the beginning: the first moment after `earliest` at which the vehicle drives faster than 8 m/s.
    ///
    /// - Parameters:
    ///   - outageSeconds: without fixes before the beginning.
    init(seed: UInt64, suite: SensorSuite, edges: Int = 16, earliest: Double = 160, outageSeconds: Double = 0) throws {
        var plan = DrivePlan.random(seed: seed, edges: edges)
        plan.standingSecondsBefore = 5
        simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
        let all = Array(simulated)
        var estimator = PoseEstimator()
        var index = 0
        var started: Double?
        while index < all.count {
            let event = all[index]
            let seconds = event.arrivalTime.seconds
            let isDriving = simulated.truth(at: event.arrivalTime).velocityENUMetersPerSecond.length > 8
            if seconds > earliest + outageSeconds, isDriving, estimator.isNavigating {
                started = seconds
                break
            }
            index += 1
            if case .gnss = event, seconds > earliest { if outageSeconds > 0 { continue } }
            _ = estimator.ingest(event)
        }
        before = estimator
        begin = started ?? .infinity
        // No attack lasts longer than 130 s.
        events = Array(
            all[index...].prefix { $0.arrivalTime.seconds < (started ?? 0) + 130 })
    }

    /// What one begins with.
    private struct Key: Hashable, Sendable {
        var seed: UInt64
        var rateHertz: Double
        var wheels: Bool
        var edges: Int
        var outageSeconds: Double
    }

    private static let prepared = SharedValues<Key, ReceiverAttack>()

    /// A drive with the usual sensors, made once for all cases that begin with it.
    static func shared(
        seed: UInt64, rateHertz: Double = 1, wheels: Bool = false, edges: Int = 16, outageSeconds: Double = 0
    ) throws -> ReceiverAttack {
        let key = Key(seed: seed, rateHertz: rateHertz, wheels: wheels, edges: edges, outageSeconds: outageSeconds)
        return try prepared.value(key) {
            var suite = SensorSuite()
            if wheels { suite.wheels = .init() }
            suite.satellite?.rateHertz = rateHertz
            return try ReceiverAttack(seed: seed, suite: suite, edges: edges, outageSeconds: outageSeconds)
        }
    }

    /// Runs on with other fixes.
    ///
    /// - Parameters:
    ///   - seconds: for how long.
    ///   - truthAfter: when the truth returns, seconds after the beginning.
    ///   - twin: gives the fixes of another run to compare with; `nil`: none.
    ///   - change: the fix that takes the place of one, with its number and its age since the beginning; `nil`: none
    ///     comes.
    ///   - watch: sees the estimator after each event, with the seconds since the beginning.
    func run(
        seconds: Double, truthAfter: Double = .infinity, twin: ((GnssFix, Int) -> GnssFix?)? = nil,
        change: (GnssFix, Int, Double) -> GnssFix?, watch: (PoseEstimator, Double) -> Void = { _, _ in }
    ) -> Outcome {
        var outcome = Outcome()
        var (estimator, other) = (before, before)
        var count = 0
        for event in events {
            let age = event.arrivalTime.seconds - begin
            guard age < seconds else { break }
            var isNew = false
            if case .gnss(let fix) = event {
                count += 1
                let fixAge = fix.validityTime.seconds - begin
                if let changed = change(fix, count, fixAge) { isNew = estimator.ingest(.gnss(changed)) }
                if let twin, let changed = twin(fix, count) { _ = other.ingest(.gnss(changed)) }
            } else {
                isNew = estimator.ingest(event)
                if twin != nil { _ = other.ingest(event) }
            }
            watch(estimator, age)
            if outcome.fixesToVerdict == nil, estimator.isNavigating, estimator.filter.gnssIntegrity.verdict != .trusted
            {
                (outcome.fixesToVerdict, outcome.secondsToVerdict) = (count, age)
            }
            if outcome.secondsToTaken.isInfinite, (estimator.estimate.fixAgeSeconds ?? .infinity) < 2 {
                outcome.secondsToTaken = age
            }
            guard isNew,
                let error = estimator.estimate.distanceMeters(to: simulated.truth(at: estimator.estimate.time).position)
            else { continue }
            if age < truthAfter { outcome.worstMeters = max(outcome.worstMeters, error) }
            if age >= truthAfter, error > 15 { outcome.recoverySeconds = age - truthAfter }
            outcome.endMeters = error
            if twin != nil { compare(estimator.estimate, with: other.estimate, error: error, into: &outcome) }
        }
        outcome.resets = estimator.estimate.resetCount &- before.estimate.resetCount
        outcome.resetMeters = estimator.estimate.resetDeltaENUMeters.horizontalLength
        return outcome
    }

    /// Adds how far a run is from its twin, and how much larger its error is.
    private func compare(_ one: PoseEstimate, with twin: PoseEstimate, error: Double, into outcome: inout Outcome) {
        if let other = twin.distanceMeters(to: simulated.truth(at: twin.time).position) {
            outcome.excursionMeters = max(outcome.excursionMeters, error - other)
        }
        if let distance = one.distanceMeters(to: twin.position) {
            outcome.largestDistanceMeters = max(outcome.largestDistanceMeters, distance)
        }
    }
}

extension GnssFix {
    /// The fix somewhere else, metres, with another velocity, m/s.
    func moved(east: Double, north: Double, velocityEast: Double = 0, velocityNorth: Double = 0) -> GnssFix {
        var fix = self
        let here = GeodeticPosition(
            latitudeRadians: latitudeRadians ?? .nan, longitudeRadians: longitudeRadians ?? .nan,
            altitudeEllipsoidMeters: altitudeEllipsoidMeters ?? 0)
        let there = LocalFrame(origin: here).position(ofENUMeters: Vector3(east, north, 0))
        fix.latitudeRadians = there.latitudeRadians
        fix.longitudeRadians = there.longitudeRadians
        fix.horizontalVelocity?.eastMetersPerSecond += velocityEast
        fix.horizontalVelocity?.northMetersPerSecond += velocityNorth
        return fix
    }
}
