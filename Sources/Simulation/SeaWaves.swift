import Glibc
import PoseMath

/// How waves move a hull: heave and the circular motion of the water, roll, pitch and yaw, as sums of waves of random
/// phases whose spectrum is that of Pierson and Moskowitz (1964).
struct SeaWaves: Sendable {
    /// One wave.
    private struct Component: Sendable {
        /// Circular frequency, rad/s.
        var frequency: Double
        /// Amplitudes: of the water, metres, of roll, pitch and yaw, radians, and their phases.
        var water: Double
        var angles: Vector3
        var phase: Double
        var anglePhases: Vector3
    }

    private let components: [Component]
    /// Direction in which the waves run, east, north.
    private let direction: SIMD2<Double>
    /// Waves of the sum.
    private static let count = 16
    /// Longest and shortest period, seconds.
    private static let periods = (longest: 9.0, shortest: 2.5)

    /// Draws the phases.
    ///
    /// - Parameters:
    ///   - height: significant height, metres.
    ///   - peakSeconds: period of the highest waves.
    ///   - rollSeconds: period at which the hull rolls by itself.
    ///   - angles: 1-sigma of roll, pitch and yaw, radians.
    init(
        height: Double, peakSeconds: Double, rollSeconds: Double, angles: Vector3, courseRadians: Double, seed: UInt64
    ) {
        var random = RandomSource(seed: seed, use: 41)
        let (low, high) = (2 * Double.pi / Self.periods.longest, 2 * Double.pi / Self.periods.shortest)
        let step = (high - low) / Double(Self.count)
        let (peak, own) = (2 * Double.pi / peakSeconds, 2 * Double.pi / rollSeconds)
        var drawn: [Component] = []
        for k in 0..<Self.count {
            // Uneven frequencies, so that the sum does not repeat.
            let w = low + (Double(k) + random.uniform(0.1, 0.9)) * step
            let energy = exp(-1.25 * (peak / w) * (peak / w) * (peak / w) * (peak / w)) / (w * w * w * w * w)
            let ratio = w / own
            let rolls = 1 / ((1 - ratio * ratio) * (1 - ratio * ratio) + 0.09 * ratio * ratio).squareRoot()
            let a = energy.squareRoot()
            drawn.append(
                Component(
                    frequency: w, water: a, angles: Vector3(a * rolls, a * w * w, a * w), phase: random.uniform(0, 6.3),
                    anglePhases: Vector3(random.uniform(0, 6.3), random.uniform(0, 6.3), random.uniform(0, 6.3))))
        }
        let power = drawn.reduce(into: Vector3.zero) { $0 += $1.angles * $1.angles * 0.5 }
        let water = drawn.reduce(0) { $0 + 0.5 * $1.water * $1.water }
        // A significant height is four standard deviations.
        let scale = height / 4 / water.squareRoot()
        let turn = Vector3(
            angles.x / power.x.squareRoot(), angles.y / power.y.squareRoot(), angles.z / power.z.squareRoot())
        components = drawn.map {
            var component = $0
            component.water *= scale
            component.angles = component.angles * turn
            return component
        }
        direction = SIMD2(sin(courseRadians), cos(courseRadians))
    }

    /// Offset of the hull by the circular motion of the water, east, north, up, metres.
    func offset(_ seconds: Double) -> Vector3 {
        var (along, up) = (0.0, 0.0)
        for wave in components {
            let angle = wave.frequency * seconds + wave.phase
            along += wave.water * sin(angle)
            up += wave.water * cos(angle)
        }
        return Vector3(direction.x * along, direction.y * along, up)
    }

    /// Roll, pitch and yaw, radians.
    func angles(_ seconds: Double) -> Vector3 {
        var sum = Vector3.zero
        for wave in components {
            let angle = wave.frequency * seconds
            sum += Vector3(
                wave.angles.x * sin(angle + wave.anglePhases.x), wave.angles.y * sin(angle + wave.anglePhases.y),
                wave.angles.z * sin(angle + wave.anglePhases.z))
        }
        return sum
    }
}
