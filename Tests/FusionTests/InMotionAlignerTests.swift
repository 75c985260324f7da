import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The angle between level frame and true north, from velocities alone.
@Suite struct InMotionAlignerTests {
    /// What the level frame is wrong by.
    private struct World {
        /// The angle at the end, radians, and how fast the frame turns, rad/s.
        var angle = 1.2
        var rate = 0.0
        /// Force of a wrong level, level frame, m/s2.
        var force = Vector3.zero
        /// The felt changes times this.
        var scale = 1.0
    }

    /// Feeds half a minute of braking and turning at 1 Hz; the felt velocity is the seen one turned back, and what the
    /// world adds.
    private func aligned(_ world: World, isLevelKnown: Bool, seed: UInt64 = 5, seconds: Int = 30) -> InMotionAligner
        .Alignment?
    {
        var aligner = InMotionAligner(profile: .vehicle)
        var random = RandomSource(seed: seed, use: 51)
        var (seen, felt) = (Vector3(10, 0, 0), Vector3.zero)
        for k in 0...seconds {
            if k > 0 {
                let change = Vector3(random.uniform(-2, 2), random.uniform(-2, 2), 0)
                seen += change
                let angle = world.angle + world.rate * (Double(k) - 0.5 - Double(seconds))
                felt += Quaternion(rotationVector: Vector3(0, 0, -angle)).rotate(change) * world.scale + world.force
            }
            let noise = random.gaussianVector() * 0.05
            let velocity = HorizontalVelocity(
                eastMetersPerSecond: seen.x + noise.x, northMetersPerSecond: seen.y + noise.y)
            aligner.add(
                inertialVelocity: felt, velocity: velocity, speedSigma: 0.05, isLevelKnown: isLevelKnown,
                at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            )
        }
        return aligner.found
    }

    private func error(_ found: InMotionAligner.Alignment, _ world: World) -> Double {
        abs(Angle.wrappedToPi(found.radians - world.angle))
    }

    @Test(arguments: [-3.0, -1.2, 0.0, 0.7, 2.9]) func anyAngleAtRestKnownLevel(angle: Double) throws {
        // GIVEN a level found at rest WHEN the body brakes and turns THEN the angle is right within three of its
        // sigmas, which are below 3 deg
        let world = World(angle: angle)
        let found = try #require(aligned(world, isLevelKnown: true))
        #expect(found.sigma < 0.05)
        #expect(error(found, world) < 3 * found.sigma)
    }

    @Test(arguments: [-0.07, -0.03, 0.02, 0.05]) func aFrameThatTurns(rate: Double) throws {
        // GIVEN a gyro with a bias of degrees a second, a level found on the move and 3 deg wrong
        let world = World(rate: rate, force: Vector3(0.5, -0.2, 0))
        // WHEN half a minute has gone THEN the angle is that of now, and the rate is the bias, to a step of what is
        // tried
        let found = try #require(aligned(world, isLevelKnown: false))
        #expect(found.sigma < 0.15)
        #expect(error(found, world) < 3 * found.sigma)
        #expect(abs(found.rate - rate) < 0.009)
    }

    @Test func aStraightRoadSaysNothing() {
        // GIVEN a constant speed WHEN only noise changes it THEN the angle stays unknown: beyond what begins a filter
        var aligner = InMotionAligner(profile: .vehicle)
        var random = RandomSource(seed: 3, use: 51)
        for k in 0..<60 {
            let noise = random.gaussianVector() * 0.05
            aligner.add(
                inertialVelocity: random.gaussianVector() * 0.02,
                velocity: HorizontalVelocity(eastMetersPerSecond: 10 + noise.x, northMetersPerSecond: noise.y),
                speedSigma: 0.05, isLevelKnown: false, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000))
        }
        #expect((aligner.found?.sigma ?? .infinity) > 0.3)
    }

    @Test(arguments: UInt64(1)...20) func changesOfAnotherSizeAreNoneOfIts(seed: UInt64) {
        // GIVEN felt changes of three times the size (a hand that waves in a car) WHEN they happen to have the
        // direction THEN the sigma says that the two do not fit
        let fits = aligned(World(), isLevelKnown: false, seed: seed)
        let waves = aligned(World(scale: 3), isLevelKnown: false, seed: seed)
        #expect((waves?.sigma ?? .infinity) > 2 * (fits?.sigma ?? 0))
    }
}
