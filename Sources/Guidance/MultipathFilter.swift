import Glibc
import PoseMath

/// Tells steps of the positions that no vehicle makes from its motion.
///
/// A signal that comes by way of a wall moves the position sideways from one fix to the next, and back some seconds
/// later. The vehicle's own motion does neither. So the part of a step that the motion does not explain is kept as the
/// track's shift: the position without its shift goes on as the vehicle does. The shift fades, since a step may as well
/// have led back to the truth. Two such steps on end that do not cancel are a motion that was not understood, and the
/// shift is forgotten.
struct MultipathFilter: Sendable {
    /// What the positions are shifted by, as far as is known, metres.
    private(set) var shift = PlaneOffset.zero
    /// The track without shift and smoothed, Earth-centred.
    private(set) var point: Vector3?
    /// The velocity, m/s; `nil` before there were two positions.
    private(set) var velocity: PlaneOffset?
    private var sigmaMeters = 0.0
    private var isGiven = false
    private var hasJumped = false

    /// A position this far from where the motion leads, apart from its sigma, needs an explanation, metres.
    private static let noiseMeters = 3.0
    /// The same in sigmas of the worse of both positions: chance alone does it in one of 3,000.
    private static let noiseSigmas = 4.0
    /// From one position to the next an error changes by no more than this, however large it is, 1-sigma, metres; but
    /// where the position was carried on without satellites.
    private static let maximumSigmaMeters = 4.0
    /// A position without a sigma has this from one to the next, metres: an error changes less than it is large.
    private static let unstatedSigmaMeters = 2.5
    /// What a vehicle can do that its velocity did not tell, m/s2, half of it times the time squared: where the
    /// velocity is known at both ends; where it is not, braking hard; and turning, as a share of the speed by the
    /// second.
    private static let knownAcceleration = 1.5
    private static let unknownAcceleration = 5.0
    private static let turningPerSecond = 0.5
    /// The shift loses 2/3 of itself in this time, seconds.
    private static let memorySeconds = 20.0
    /// The track follows the positions within this time, seconds.
    private static let trackSeconds = 1.0
    /// The own velocity follows the track within this time, seconds.
    private static let velocitySeconds = 1.5

    /// How far a position has moved and what it is, without its shift.
    struct Motion {
        /// From the position before, metres.
        var moved: PlaneOffset
        /// What the position is shifted by, metres.
        var shift: PlaneOffset
    }

    /// Takes a position some seconds after the last one, with the velocity where it is known.
    /// docs/math.md, eq. 11.8.
    mutating func update(
        _ input: GuidanceInput, plane: TangentPlane, elapsedSeconds: Double, velocity given: PlaneOffset?
    ) -> Motion {
        let stated = input.horizontalSigmaMeters ?? MultipathFilter.unstatedSigmaMeters
        let sigma = input.isDeadReckoning ? stated : min(stated, MultipathFilter.maximumSigmaMeters)
        defer {
            self.sigmaMeters = sigma
            isGiven = given != nil
        }
        guard let last = point else {
            point = plane.origin
            velocity = given
            return Motion(moved: .zero, shift: .zero)
        }
        let before = plane.offset(of: last)
        shift = shift * exp(-elapsedSeconds / MultipathFilter.memorySeconds)
        guard let expected = expected(given, seconds: elapsedSeconds) else {
            return move(to: .zero - shift, from: before, given, seconds: elapsedSeconds)
        }
        let residual = .zero - shift - before - expected
        let gate = gate(sigma: max(sigma, self.sigmaMeters), given, seconds: elapsedSeconds)
        guard residual.length > gate else {
            hasJumped = false
            let follow = 1 - exp(-elapsedSeconds / MultipathFilter.trackSeconds)
            return move(to: before + expected + residual * follow, from: before, given, seconds: elapsedSeconds)
        }
        let shifted = shift + residual
        if hasJumped, shifted.length > max(gate, 0.5 * shift.length) {
            // Not one step but a motion: begin anew here.
            (shift, hasJumped) = (.zero, false)
            (point, velocity) = (plane.origin, given)
            return Motion(moved: expected, shift: .zero)
        }
        (shift, hasJumped) = (shifted, true)
        return move(to: before + expected, from: before, given, seconds: elapsedSeconds)

        func move(to end: PlaneOffset, from start: PlaneOffset, _ given: PlaneOffset?, seconds: Double) -> Motion {
            point = plane.point(at: end)
            follow(given, moved: end - start, seconds: seconds)
            return Motion(moved: end - start, shift: shift)
        }
    }

    /// How far from its expected place a position may be, metres.
    private func gate(sigma: Double, _ given: PlaneOffset?, seconds: Double) -> Double {
        let speed = velocity?.length ?? 0
        let acceleration =
            given != nil && isGiven
            ? MultipathFilter.knownAcceleration
            : MultipathFilter.unknownAcceleration + MultipathFilter.turningPerSecond * speed
        return MultipathFilter.noiseMeters + MultipathFilter.noiseSigmas * sigma + acceleration * seconds * seconds / 2
    }

    /// The way that the velocity gives, metres; `nil` where it is unknown.
    private func expected(_ given: PlaneOffset?, seconds: Double) -> PlaneOffset? {
        guard let before = velocity else { return given.map { $0 * seconds } }
        guard let given else { return before * seconds }
        return (before + given) * (seconds / 2)
    }

    private mutating func follow(_ given: PlaneOffset?, moved: PlaneOffset, seconds: Double) {
        if let given {
            velocity = given
        } else {
            let own = moved * (1 / seconds)
            guard let old = velocity else {
                velocity = own
                return
            }
            velocity = old + (own - old) * (1 - exp(-seconds / MultipathFilter.velocitySeconds))
        }
    }
}
