import DriveTrials
import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A person who carries the antenna elsewhere than the IMU, and has told nobody.
@Suite struct CarriedAntennaTests {
    /// A walk of 1.3 m/s along a yaw that winds, in steps of 20 ms: what an aligner is fed with.
    private struct Walker {
        static let stepSeconds = 0.02
        static let before = 3.0
        private(set) var yaw: [Double] = []

        init(seconds: Double) {
            var angle = 0.0
            for k in 0...Int((seconds + Self.before) / Self.stepSeconds) {
                yaw.append(angle)
                angle += Self.stepSeconds * rate(Double(k) * Self.stepSeconds - Self.before)
            }
        }

        /// Turns of up to 80 deg/s, rad/s.
        func rate(_ seconds: Double) -> Double { 0.8 * sin(0.9 * seconds) + 0.6 * sin(0.37 * seconds + 1) }

        func direction(_ seconds: Double) -> Vector3 {
            let index = Int(((seconds + Self.before) / Self.stepSeconds).rounded())
            let angle = yaw[min(max(index, 0), yaw.count - 1)]
            return Vector3(cos(angle), sin(angle), 0)
        }

        /// Velocity of a place of the body, forward and left of the IMU, metres: m/s.
        func velocity(_ seconds: Double, of arm: SIMD2<Double> = .zero) -> Vector3 {
            let ahead = direction(seconds)
            let place = Vector3(ahead.x * arm.x - ahead.y * arm.y, ahead.y * arm.x + ahead.x * arm.y, 0)
            return ahead * 1.3 + Vector3(-place.y, place.x, 0) * rate(seconds)
        }
    }

    private static let angle = 1.2

    /// What the search finds of such a walk after 40 s, with or without the swing.
    private func search(arm: SIMD2<Double>, withSwing: Bool) -> InMotionAligner.Alignment? {
        var aligner = InMotionAligner(profile: .wearable)
        let walker = Walker(seconds: 40)
        let turn = Quaternion(rotationVector: Vector3(0, 0, Self.angle))
        var random = RandomSource(seed: 3, use: 71)
        for k in 0...40 {
            let noise = random.gaussianVector() * 0.03
            let seen = turn.rotate(walker.velocity(Double(k) - Tuning.GNSS.assumedVelocityLag, of: arm)) + noise
            let swing: (MonotonicTime, Double) -> Vector3 = { time, _ in
                let ahead = walker.direction(time.seconds)
                return Vector3(-ahead.y, ahead.x, 0) * walker.rate(time.seconds)
            }
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.03,
                isLevelKnown: true, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000),
                inertialVelocity: { time, _ in walker.velocity(time.seconds) },
                swing: { time, seconds in withSwing ? swing(time, seconds) : .zero })
        }
        return aligner.found
    }

    @Test(arguments: [SIMD2(-0.6, 0.3), SIMD2(0.7, 0.1), SIMD2(0.0, 0.0)])
    func theSearchTakesTheSwingOffTheVelocities(arm: SIMD2<Double>) throws {
        // GIVEN a walk in bends, and the velocities of an antenna elsewhere WHEN the heading is searched
        let found = try #require(search(arm: arm, withSwing: true))
        // THEN it is found to 2 deg, and within three of its sigmas
        let error = abs(Angle.wrappedToPi(found.radians - Self.angle))
        #expect(error < 2.degreesInRadians && error < 3 * found.sigma, "\(error.radiansInDegrees) deg")
        // AND without the swing it would not be, where there is one
        if arm != .zero {
            let blind = search(arm: arm, withSwing: false)
            let wrong = blind.map { abs(Angle.wrappedToPi($0.radians - Self.angle)) } ?? .infinity
            #expect(wrong > 5.degreesInRadians, "\(wrong.radiansInDegrees) deg")
        }
    }

    /// Walks with an RTK receiver and an antenna elsewhere; the filter at the end, and the truth then.
    private func walk(seed: UInt64, arm: Vector3, device: Quaternion) -> (estimator: PoseEstimator, truth: DriveTruth) {
        var plan = PedestrianTests.plan(seed: seed)
        plan.deviceToBody = device
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 100
        suite.satellite = .rtk
        suite.satellite?.leverArmBodyMeters = arm
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        for event in walk { _ = estimator.ingest(event) }
        return (estimator, walk.truth(at: estimator.estimate.time))
    }

    @Test(
        arguments: [Vector3(-0.5, 0.2, 0.3), Vector3(0.3, -0.6, 0)],
        [Vector3.zero, Vector3(1.5, 0, 0), Vector3(0, -1.4, 0.7), Vector3(2.9, 0.5, 0)])
    func theArmIsFoundHoweverTheSensorIsHeld(arm: Vector3, held: Vector3) throws {
        // GIVEN a sensor that is held level, on its side, on its end or upside down WHEN a person has walked
        var (estimator, truth) = walk(seed: 2, arm: arm, device: Quaternion(rotationVector: held))
        // THEN the antenna is known where it is, to 0.15 m: a quarter of the arm
        let expected = truth.bodyToENU.rotate(arm)
        let found = estimator.filter.antennaENU
        #expect(hypot(found.x - expected.x, found.y - expected.y) < 0.15, "\(found) \(expected)")
        // AND the place is that of the IMU
        let place = try #require(estimator.estimate.position)
        let off = truth.position.surfaceOffsetMeters(to: place)
        #expect(hypot(off.east, off.north) < 0.2, "\(off)")
    }

    @Test(arguments: [UInt64(1), 9, 19, 23]) func thePoseIsThatOfTheIMU(seed: UInt64) {
        // GIVEN walks with RTK, whose antenna is 0.3 to 0.8 m away WHEN they are walked
        var installation = Installation()
        installation.isAntennaElsewhere = true
        let trial = WalkTrial(seed: seed, installation: installation)
        // THEN the heading is found to a degree, and the pose is four times nearer to the IMU than the fixes are
        #expect(trial.heading.root < 1.degreesInRadians)
        #expect(trial.position.root < 0.25 * trial.fixes.root && trial.resetCount == 0, "\(trial.line)")
    }

    @Test func anAntennaThatMovesAgainstTheSensorCountsByItsArm() {
        // GIVEN an arm of 0.6 m and none, both known well WHEN a fix and a velocity are compared in a turn of 1 rad/s
        func variances(arm: Double, on profile: MotionProfile) -> (place: Double, velocity: Double) {
            var settings = FusionSettings()
            settings.profile = profile
            var filter = NavigationFilter(idleWith: settings)
            filter.state.antennaArmMeters = SIMD2(arm, 0)
            filter.state.meanAngularRateSensor = Vector3(0, 0, 1)
            let still = LagMotion(seconds: 0, way: .zero, firstVelocity: .zero)
            return (
                filter.positionComponent(0, offset: .zero, since: still, sigma: 0).variance,
                filter.velocityComponent(0, observed: 0, seen: 0, slope: 0, sigma: 0).variance
            )
        }
        // THEN on a person half of the arm, on each axis, is noise, beside the smear of the swing that a car has
        let (person, car) = (variances(arm: 0.6, on: .wearable), variances(arm: 0.6, on: .vehicle))
        let loose = 0.5 * 0.6 * 0.6 / 2 * 0.5
        #expect(abs(person.place - car.place - loose) < 1e-9)
        #expect(abs(person.velocity - car.velocity - loose) < 1e-9)
        // AND without an arm nothing is
        #expect(variances(arm: 0, on: .wearable) == (0, 0))
    }

    @Test func whatIsAssumedOfItIsTheSizeOfWhoCarriesIt() {
        #expect(AntennaArm(untoldOn: .wearable).sigmaMeters == SIMD2(0.5, 0.5))
        #expect(AntennaArm(untoldOn: .vehicle) == AntennaArm())
        // GIVEN 0.5 m away, known to 0.1 m THEN it is as surely elsewhere as the sizes of both say
        let seen = AntennaArm(meters: SIMD2(0.3, 0), sigmaMeters: SIMD2(0.08, 0.08))
        #expect(seen.probabilityOfBeside(untoldSigma: 0.5) < seen.probabilityOfBeside)
    }

    @Test func theSlopeOfAHistoryIsItsMeanGrowth() {
        // GIVEN a parabola THEN the mean growth about an instant is its derivative there, whatever the interval
        var history = VectorHistory()
        for k in 0...100 {
            let seconds = Double(k) * 0.02
            history.append(
                time: MonotonicTime(nanoseconds: Int64(k) * 20_000_000), value: Vector3(seconds * seconds, 1, -seconds))
        }
        for interval in [0.1, 0.4, 1.0] {
            let slope = history.slope(around: MonotonicTime(nanoseconds: 1_000_000_000), seconds: interval)
            #expect((slope - Vector3(2, 0, -1)).length < 1e-9)
        }
    }
}
