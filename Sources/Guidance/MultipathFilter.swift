import Glibc
import PoseMath

/// Separates position steps caused by multipath from the vehicle's motion.
///
/// A signal reflected from a wall moves the position sideways from one fix to the next, and back some seconds later. A
/// vehicle does not move like that. The part of a step that the motion does not explain is stored as the shift:
/// position minus shift continues the vehicle's track. The shift decays, because the step may also have been a return
/// to the true position. Two such steps in succession that do not cancel are a real motion, and the shift is reset.
struct MultipathFilter: Sendable {
    /// Estimated shift of the positions, metres.
    private(set) var shift = PlaneOffset.zero
    /// The smoothed track without the shift, Earth-centred, metres.
    private(set) var point: Vector3?
    /// The velocity, m/s; `nil` before the second position.
    private(set) var velocity: PlaneOffset?
    private var sigmaMeters = 0.0
    private var wasVelocityMeasured = false
    private var wasPreviousStepRejected = false

    /// Gate on the distance between predicted and measured position, without the sigma part, metres.
    private static let noiseMeters = 3.0
    /// The sigma part of the gate, in sigmas of the worse of the two positions: chance exceeds it once in 3,000.
    private static let noiseSigmas = 4.0
    /// Upper limit of the error change between two positions, 1-sigma, metres. It does not apply to a dead-reckoned
    /// position.
    private static let maximumSigmaMeters = 4.0
    /// The error change between two positions without a stated sigma, 1-sigma, metres. An error changes by less than
    /// its size.
    private static let defaultSigmaMeters = 2.5
    /// Acceleration allowed in the gate, m/s2: with a measured velocity at both ends; and without one, for hard
    /// braking.
    private static let knownAcceleration = 1.5
    private static let unknownAcceleration = 5.0
    /// Allowance for turning where the velocity is not measured: a share of the speed per second.
    private static let turningPerSecond = 0.5
    /// Decay time constant of the shift, seconds.
    private static let shiftTimeConstantSeconds = 20.0
    /// Time constant with which the track follows the positions, seconds.
    private static let positionTimeConstantSeconds = 1.0
    /// Time constant with which the derived velocity follows the track, seconds.
    private static let velocityTimeConstantSeconds = 1.5

    /// Motion of the vehicle between two positions, without multipath.
    struct Motion {
        /// Displacement since the previous position, metres.
        var displacement: PlaneOffset
        /// Shift of the position, metres.
        var shift: PlaneOffset
    }

    /// Processes a position, with the time since the previous one and the measured velocity if there is one.
    /// docs/math.md, eq. 11.8.
    mutating func update(
        _ input: GuidanceInput, plane: TangentPlane, elapsedSeconds: Double, velocity measured: PlaneOffset?
    ) -> Motion {
        let stated = input.horizontalSigmaMeters ?? MultipathFilter.defaultSigmaMeters
        let sigma = input.isDeadReckoning ? stated : min(stated, MultipathFilter.maximumSigmaMeters)
        defer { (sigmaMeters, wasVelocityMeasured) = (sigma, measured != nil) }
        guard let last = point else {
            point = plane.origin
            velocity = measured
            return Motion(displacement: .zero, shift: .zero)
        }
        let previous = plane.offset(of: last)
        shift = shift * exp(-elapsedSeconds / MultipathFilter.shiftTimeConstantSeconds)
        guard let expected = expected(measured, seconds: elapsedSeconds) else {
            return move(to: .zero - shift, from: previous, measured, seconds: elapsedSeconds)
        }
        let residual = .zero - shift - previous - expected
        let gate = gate(sigma: max(sigma, sigmaMeters), measured, seconds: elapsedSeconds)
        guard residual.length > gate else {
            wasPreviousStepRejected = false
            let share = 1 - exp(-elapsedSeconds / MultipathFilter.positionTimeConstantSeconds)
            let end = previous + expected + residual * share
            return move(to: end, from: previous, measured, seconds: elapsedSeconds)
        }
        let shifted = shift + residual
        if wasPreviousStepRejected, shifted.length > max(gate, 0.5 * shift.length) {
            // The second step in succession that does not cancel the first is a real motion: restart here.
            (shift, wasPreviousStepRejected) = (.zero, false)
            (point, velocity) = (plane.origin, measured)
            return Motion(displacement: expected, shift: .zero)
        }
        (shift, wasPreviousStepRejected) = (shifted, true)
        return move(to: previous + expected, from: previous, measured, seconds: elapsedSeconds)

        func move(to end: PlaneOffset, from start: PlaneOffset, _ measured: PlaneOffset?, seconds: Double) -> Motion {
            point = plane.point(at: end)
            updateVelocity(measured, displacement: end - start, seconds: seconds)
            return Motion(displacement: end - start, shift: shift)
        }
    }

    /// The gate: maximum distance between predicted and measured position, metres.
    private func gate(sigma: Double, _ measured: PlaneOffset?, seconds: Double) -> Double {
        let speed = velocity?.length ?? 0
        let acceleration =
            measured != nil && wasVelocityMeasured
            ? MultipathFilter.knownAcceleration
            : MultipathFilter.unknownAcceleration + MultipathFilter.turningPerSecond * speed
        return MultipathFilter.noiseMeters + MultipathFilter.noiseSigmas * sigma + acceleration * seconds * seconds / 2
    }

    /// The displacement predicted from the velocity, metres; `nil` if the velocity is unknown.
    private func expected(_ measured: PlaneOffset?, seconds: Double) -> PlaneOffset? {
        guard let previous = velocity else { return measured.map { $0 * seconds } }
        guard let measured else { return previous * seconds }
        return (previous + measured) * (seconds / 2)
    }

    private mutating func updateVelocity(_ measured: PlaneOffset?, displacement: PlaneOffset, seconds: Double) {
        if let measured {
            velocity = measured
        } else {
            let derivedVelocity = displacement * (1 / seconds)
            guard let previousVelocity = velocity else {
                velocity = derivedVelocity
                return
            }
            velocity =
                previousVelocity + (derivedVelocity - previousVelocity)
                * (1 - exp(-seconds / MultipathFilter.velocityTimeConstantSeconds))
        }
    }
}
