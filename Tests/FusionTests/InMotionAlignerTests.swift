import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The angle between level frame and true north and the lag of a receiver, from velocities alone.
@Suite struct InMotionAlignerTests {
    /// What the level frame is wrong by, and how old the receiver's velocity is.
    private struct World {
        /// The angle at the end, radians, and how fast the frame turns, rad/s.
        var angle = 1.2
        var rate = 0.0
        /// Force of a wrong level, level frame, m/s2.
        var force = Vector3.zero
        /// By how much that force changes, m/s3.
        var drift = Vector3.zero
        /// The inertial changes times this.
        var scale = 1.0
        /// Age of the receiver's velocity, seconds.
        var lag = 0.0
        /// Whether the IMU is carried by another body than the receiver.
        var isElsewhere = false
        /// Samples are missing from here on, for 1.5 s; seconds.
        var gap = Double.infinity
        /// Whether the fixes come late: after the end of that gap, and after one that follows the last fix.
        var isLate = false
    }

    /// Half a minute of braking and turning in steps of 20 ms: velocity over ground and inertial velocity.
    private struct Motion {
        static let stepSeconds = 0.02
        static let before = 3.0
        var seen: [Vector3] = []
        var inertial: [Vector3] = []

        init(_ world: World, seconds: Int, random: inout RandomSource) {
            var (velocity, felt) = (Vector3(10, 0, 0), Vector3.zero)
            var (acceleration, other) = (Vector3.zero, Vector3.zero)
            let steps = Int((Double(seconds) + Self.before) / Self.stepSeconds)
            for k in 0...steps {
                let time = Double(k) * Self.stepSeconds - Self.before
                if k % 50 == 0 {
                    acceleration = Vector3(random.uniform(-2, 2), random.uniform(-2, 2), 0)
                    other = Vector3(random.uniform(-2, 2), random.uniform(-2, 2), 0)
                }
                seen.append(velocity)
                inertial.append(felt)
                velocity += acceleration * Self.stepSeconds
                let angle = world.angle + world.rate * (time - Double(seconds))
                let force = Quaternion(rotationVector: Vector3(0, 0, -angle)).rotate(
                    world.isElsewhere ? other : acceleration)
                if time < world.gap || time > world.gap + 1.5 {
                    felt += (force * world.scale + world.force + world.drift * time) * Self.stepSeconds
                }
            }
        }

        static func index(_ seconds: Double) -> Int { max(Int(((seconds + before) / stepSeconds).rounded()), 0) }
    }

    /// Feeds the receiver's velocities, one in an interval.
    private func aligned(
        _ world: World, isLevelKnown: Bool, seed: UInt64 = 5, seconds: Int = 30, interval: Int = 1,
        levelTurn: (rate: Double, sigma: Double)? = nil
    ) -> InMotionAligner.Alignment? {
        var aligner = InMotionAligner(profile: .vehicle)
        var random = RandomSource(seed: seed, use: 51)
        let motion = Motion(world, seconds: seconds, random: &random)
        func noteGap(_ start: Double, seconds: Double) {
            let time = MonotonicTime(nanoseconds: Int64(start * 1e9))
            aligner.noteGap(from: time, until: time.advanced(bySeconds: seconds))
        }
        if world.isLate {
            noteGap(world.gap, seconds: 1.5)
            noteGap(Double(seconds) + 1, seconds: 0.3)
        }
        for k in stride(from: 0, through: seconds, by: interval) {
            if !world.isLate, Double(k) > world.gap + 1.5 { noteGap(world.gap, seconds: 1.5) }
            let noise = random.gaussianVector() * 0.05
            let velocity = motion.seen[Motion.index(Double(k) - world.lag)] + noise
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y),
                speedSigma: 0.05, isLevelKnown: isLevelKnown, levelTurn: levelTurn,
                at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            ) { time, _ in motion.inertial[Motion.index(time.seconds)] }
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

    @Test(arguments: [3, 5, 10]) func aReceiverWithFewFixes(interval: Int) throws {
        // GIVEN a receiver that saves power: a fix in three, five or ten seconds WHEN the body brakes and turns for two
        // minutes THEN the angle is found as with one in a second
        let world = World(angle: -0.4, lag: 0.3)
        let found = try #require(aligned(world, isLevelKnown: true, seconds: 120, interval: interval))
        #expect(found.sigma < 0.05 && found.lagSigma < 0.2)
        #expect(error(found, world) < 3 * found.sigma)
    }

    @Test(arguments: [-0.07, -0.03, 0.02, 0.05]) func aFrameThatTurns(rate: Double) throws {
        // GIVEN a gyro with a bias of degrees a second, a level found in motion and 3 deg wrong
        let world = World(rate: rate, force: Vector3(0.5, -0.2, 0))
        // WHEN half a minute has gone THEN the angle is that of now, and the rate is the bias, to a step of what is
        // tried
        let found = try #require(aligned(world, isLevelKnown: false))
        #expect(found.sigma < 0.15)
        #expect(error(found, world) < 3 * found.sigma)
        #expect(abs(found.rate - rate) < 0.009)
    }

    @Test(arguments: [-0.12, -0.07, 0.05, 0.16]) func aTurnThatSomethingElseShows(rate: Double) throws {
        // GIVEN ten seconds in which the level frame turns WHEN that turn is told, to half a degree a second
        let world = World(rate: rate)
        let alone = try #require(aligned(world, isLevelKnown: false, seconds: 10))
        let told = try #require(aligned(world, isLevelKnown: false, seconds: 10, levelTurn: (rate, 0.01)))
        // THEN the rate is that, the angle better known than without, and right
        #expect(abs(told.rate - rate) < 0.006)
        #expect(told.sigma < alone.sigma)
        #expect(error(told, world) < 3 * told.sigma)
        // AND one that is told to less than the gyro's own prior, 0.06 rad/s, changes nothing
        let vague = try #require(aligned(world, isLevelKnown: false, seconds: 10, levelTurn: (rate, 0.06)))
        #expect(vague.rate == alone.rate && vague.sigma == alone.sigma)
        // AND beside a level found at rest none counts
        let known = try #require(aligned(world, isLevelKnown: true, seconds: 10))
        let both = try #require(aligned(world, isLevelKnown: true, seconds: 10, levelTurn: (rate, 0.01)))
        #expect(known.rate == both.rate)
    }

    @Test(arguments: [0.0, 0.13, 0.5, 1.07, 1.8, 2.3], [UInt64(5), 6, 7]) func theLagOfTheVelocityIsFound(
        lag: Double, seed: UInt64
    ) throws {
        // GIVEN a receiver whose velocity is old WHEN the body brakes and turns for half a minute THEN the lag is found
        // to three of its sigmas and a step of the bank (0.1 s), and the angle is right
        let world = World(lag: lag)
        let found = try #require(aligned(world, isLevelKnown: true, seed: seed))
        #expect(found.lagSigma < 0.1)
        #expect(abs(found.lagSeconds - lag) < 3 * found.lagSigma)
        #expect(error(found, world) < 3 * found.sigma)
    }

    @Test(arguments: [0.2, 0.6, 1.2], [UInt64(5), 6, 7]) func aLevelThatTiltsOnDoesNotShiftTheLag(
        lag: Double, seed: UInt64
    ) throws {
        // GIVEN a level found in motion that a gyro bias of a degree a second tilts on, by 0.17 m/s2 each second
        let world = World(force: Vector3(0.5, -0.2, 0), drift: Vector3(0.15, 0.08, 0), lag: lag)
        // WHEN half a minute has gone THEN lag and angle are right within three of their sigmas
        let found = try #require(aligned(world, isLevelKnown: false, seed: seed))
        #expect(found.lagSigma < 0.15)
        #expect(abs(found.lagSeconds - lag) < 3 * found.lagSigma)
        #expect(error(found, world) < 3 * found.sigma)
    }

    @Test func aGapInTheSamplesDoesNotTurnTheHeading() throws {
        // GIVEN samples that are missing for 1.5 s WHEN pairs across the gap are dropped THEN angle and lag are right
        let world = World(lag: 0.6, gap: 20)
        let found = try #require(aligned(world, isLevelKnown: true))
        #expect(error(found, world) < 3 * found.sigma)
        #expect(abs(found.lagSeconds - 0.6) < 3 * found.lagSigma)
    }

    @Test func aGapSaysNothingAboutLateFixesFromBeforeIt() throws {
        // GIVEN samples that are missing for 1.5 s at 20 s, and for 0.3 s after the last fix WHEN all fixes come after
        // that THEN the pairs across the first gap alone are dropped: angle and lag are right
        let world = World(lag: 0.6, gap: 20, isLate: true)
        let found = try #require(aligned(world, isLevelKnown: true))
        #expect(error(found, world) < 3 * found.sigma)
        #expect(abs(found.lagSeconds - 0.6) < 3 * found.lagSigma)
    }

    @Test(arguments: [(3.0, true), (2.9, false)]) func aPairBetweenTwoGapsCounts(between: Double, isFound: Bool) {
        // GIVEN two gaps whose ends are the limits of the samples that a pair of half a second needs at any lag up to
        // 2.5 s, or that are closer WHEN two fixes come between them THEN the pair counts, or it does not
        var aligner = InMotionAligner(profile: .vehicle)
        for (start, end) in [(1.0, 2.0), (2 + between, 6.0)] {
            aligner.noteGap(
                from: MonotonicTime(nanoseconds: Int64((start * 1e9).rounded())),
                until: MonotonicTime(nanoseconds: Int64((end * 1e9).rounded())))
        }
        for (seconds, speed) in [(4.5, 10.0), (5.0, 12.0)] {
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0), speedSigma: 0.05,
                isLevelKnown: true, at: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
            ) { time, _ in Vector3(4 * time.seconds, 0, 0) }
        }
        #expect((aligner.found != nil) == isFound)
    }

    @Test func aStraightRoadSaysNothing() {
        // GIVEN a constant speed WHEN only noise changes it THEN the angle stays unknown: beyond what begins a filter
        var aligner = InMotionAligner(profile: .vehicle)
        var random = RandomSource(seed: 3, use: 51)
        for k in 0..<60 {
            let noise = random.gaussianVector() * 0.05
            let felt = random.gaussianVector() * 0.02
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: 10 + noise.x, northMetersPerSecond: noise.y),
                speedSigma: 0.05, isLevelKnown: false, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            ) { _, _ in felt }
        }
        #expect((aligner.found?.sigma ?? .infinity) > 0.3)
    }

    @Test func anotherBodysAccelerationsAreNoAlignment() {
        // GIVEN an IMU whose accelerations have nothing to do with those of the receiver WHEN a thousand lags and rates
        // are tried THEN none starts a filter, in forty worlds but for one or two: the significance counts the trials
        var starts = 0
        for seed in UInt64(1)...40 {
            guard let found = aligned(World(isElsewhere: true), isLevelKnown: false, seed: seed) else { continue }
            if found.sigma < Tuning.Start.headingSigma, found.lagSigma < Tuning.Start.largestLagSigma { starts += 1 }
        }
        #expect(starts <= 2)
    }

    @Test(arguments: UInt64(1)...20) func changesOfAnotherSizeAreNoneOfIts(seed: UInt64) {
        // GIVEN inertial changes of three times the size (a hand that waves in a car) WHEN they happen to have the
        // direction THEN the sigma says that the two do not fit
        let fits = aligned(World(), isLevelKnown: false, seed: seed)
        let waves = aligned(World(scale: 3), isLevelKnown: false, seed: seed)
        #expect((waves?.sigma ?? .infinity) > 2 * (fits?.sigma ?? 0))
    }
}
