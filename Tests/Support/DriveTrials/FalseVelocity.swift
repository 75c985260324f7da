import Glibc
import Measurements
import PoseMath
import Simulation

/// The velocity of a receiver that does not state the true one: zero, a course from magnetic north, or a speed whose
/// unit was mistaken.
package struct FalseVelocity: Sendable {
    /// Stated speed over the true one.
    package let factor: Double
    /// Stated course minus the true one, radians.
    package let turn: Double

    /// A factor and a turn, radians.
    package init(factor: Double = 1, turn: Double = 0) { (self.factor, self.turn) = (factor, turn) }

    /// One of four kinds: zero, a declination of 8 to 25 degrees, and knots taken for km/h or the other way round.
    package init(seed: UInt64) {
        var random = RandomSource(seed: seed, use: 65)
        let declination = random.uniform(8, 25).degreesInRadians * (random.chance(0.5) ? 1 : -1)
        switch seed % 4 {
        case 0: self.init(factor: 0)
        case 1: self.init(turn: declination)
        case 2: self.init(factor: 1.852)
        default: self.init(factor: 1 / 1.852)
        }
    }

    /// What it makes of a velocity.
    package func changed(_ velocity: HorizontalVelocity) -> HorizontalVelocity {
        let (east, north) = (velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
        return HorizontalVelocity(
            eastMetersPerSecond: factor * (east * cos(turn) + north * sin(turn)),
            northMetersPerSecond: factor * (north * cos(turn) - east * sin(turn)))
    }
}
