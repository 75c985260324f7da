import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Orientation without satellites.
@Suite struct AttitudeFilterTests {
    @Test func levelAndMagneticHeadingAreFoundWithoutSatellites() throws {
        // GIVEN a drive with IMU and magnetometer (declination of the simulated field: 3 deg east) and no receiver
        var suite = SensorSuite()
        suite.satellite = nil
        var magnetometer = SensorSuite.Magnetometer()
        magnetometer.hardIronTesla = Vector3(0, 0, 0)
        suite.magnetometer = magnetometer
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 4)), sensors: suite, seed: 5)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        var (tilt, heading, count) = (0.0, 0.0, 0.0)
        for event in simulated {
            guard estimator.ingest(event), estimator.estimate.time.seconds > 10,
                let attitude = estimator.estimate.bodyToENU
            else { continue }
            let truth = EulerAngles(bodyToENU: simulated.truth(at: estimator.estimate.time).bodyToENU)
            let found = EulerAngles(bodyToENU: attitude)
            let magnetic = Angle.wrappedToPi(found.headingTrueRadians - truth.headingTrueRadians + 3.0.degreesInRadians)
            tilt += (found.rollRadians - truth.rollRadians) * (found.rollRadians - truth.rollRadians)
            heading += magnetic * magnetic
            count += 1
        }
        // THEN the accelerations of the car, which tilt a plumb line by up to 20 deg for seconds on end, come through
        // to less than a quarter: 5 deg of roll; the magnetic heading (no declination is known) suffers with it, at a
        // dip of 65 deg about twice as much
        #expect((tilt / count).squareRoot().radiansInDegrees < 5)
        #expect((heading / count).squareRoot().radiansInDegrees < 10)
        #expect(estimator.estimate.state == .attitudeOnly)
        #expect(estimator.estimate.position == nil)
    }

    /// A sensor in a hand that turns it about all axes for a minute; the gyro measures `error` of the true rate more.
    private static func turned(
        _ error: (Vector3) -> Vector3, field: (Double) -> Vector3?
    ) -> (AttitudeFilter, tilt: Double) {
        var (filter, truth) = (AttitudeFilter(), Quaternion.identity)
        for k in 0..<7000 {
            let t = Double(k) * 0.01
            let rate =
                t < 10 ? .zero : Vector3(1.5 * sin(0.7 * t), 1.2 * sin(0.43 * t + 1), 1.4 * sin(0.57 * t + 2))
            truth = (truth * Quaternion(rotationVector: rate * 0.01)).normalized
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                angularRateRadiansPerSecond: rate + error(rate),
                specificForceMetersPerSecondSquared: truth.inverse.rotate(Vector3(0, 0, 9.80665)))
            filter.update(sample, still: t > 1 && t < 10, meanAngularRate: .zero)
            if let field = field(t) { filter.update(magneticField: truth.inverse.rotate(field)) }
        }
        let up = (filter.attitude * truth.inverse).rotate(.unitZ)
        return (filter, acos(min(up.z, 1)))
    }

    @Test func scaleAndCrossTermsOfTheGyroAreFoundByTurns() {
        // GIVEN a gyro whose axis x is 1 % too long and whose axes are not square by 0.6 %, a field as in Europe
        let (filter, tilt) = Self.turned(
            { Vector3(0.01 * $0.x + 0.006 * $0.y, -0.006 * $0.z, 0.006 * $0.x) },
            field: { _ in Vector3(0, 20e-6, -43e-6) })
        // WHEN it has turned about all axes for a minute
        // THEN each term is known to half of the sigma that remains (0.2 and 0.4 %), and the level holds
        #expect(abs(filter.gyroScale.x - 0.01) < 0.0012, "\(filter.gyroScale)")
        let (first, second) = (filter.gyroCross.first, filter.gyroCross.second)
        #expect(abs(first.x - 0.006) < 0.002, "\(first)")
        #expect(abs(second.x + 0.006) < 0.002, "\(second)")
        #expect(abs(second.y - 0.006) < 0.002, "\(second)")
        #expect(tilt < 0.01)
    }

    @Test func aTurningFieldChangesNeitherTheLevelNorTheBias() {
        // GIVEN a gyro without errors, and a field that turns aside by 40 deg within ten seconds, or none
        let (disturbed, tilt) = Self.turned({ _ in .zero }) { seconds in
            let turn = 0.07 * min(max(seconds - 30, 0), 10)
            return Vector3(20e-6 * sin(turn), 20e-6 * cos(turn), -43e-6)
        }
        let (alone, _) = Self.turned({ _ in .zero }, field: { _ in nil })
        // THEN level and bias are those without a magnetometer
        #expect(disturbed.gyroScale != alone.gyroScale)
        #expect(tilt < 0.002)
        #expect((disturbed.gyroBias - alone.gyroBias).length < 1e-5)
    }

    @Test func gyroBiasIsLearnedAtRest() {
        // GIVEN a sensor at rest, tilted, with a bias of 3 deg/s about one axis
        let bias = Vector3(0.052, -0.01, 0.02)
        var random = RandomSource(seed: 21, use: 1)
        var stillness = StillnessDetector()
        var filter = AttitudeFilter()
        for k in 0..<2000 {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                angularRateRadiansPerSecond: bias + random.gaussianVector() * 0.002,
                specificForceMetersPerSecondSquared: Vector3(1, 2, 9.5) + random.gaussianVector() * 0.03)
            stillness.update(sample)
            filter.update(sample, still: stillness.isStill, meanAngularRate: stillness.meanAngularRate)
        }
        // THEN the bias is known to a twentieth of a degree a second after 20 s
        #expect(stillness.isStill)
        #expect((filter.gyroBias - bias).length < 0.001)
    }

    /// Error and 1-sigma of the gyro bias about y, rad/s, after 12 s of rest beside an engine that shakes the sensor
    /// about that axis by 2 deg/s, 23 times a second.
    private func restingBias(seed: UInt64, lost: Double, isNoiseTold: Bool = true) -> (error: Double, sigma: Double) {
        var random = RandomSource(seed: seed, use: 22)
        var (stillness, noise, filter) = (StillnessDetector(), IMUNoiseEstimator(), AttitudeFilter(profile: .vehicle))
        for k in 0..<1200 {
            let shake = 0.05 * sin(2 * .pi * 23.3 * 0.01 * Double(k))
            let white = random.gaussianVector() * 0.001
            if random.uniform(0, 1) < lost { continue }
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                angularRateRadiansPerSecond: Vector3(0, shake, 0) + white,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8))
            stillness.update(sample)
            _ = noise.update(sample)
            filter.update(
                sample, still: stillness.isStill, meanAngularRate: stillness.meanAngularRate,
                restNoise: isNoiseTold ? noise.unresolvedGyro : .zero)
        }
        return (filter.gyroBias.y, filter.findings.gyroBiasSigmas.y)
    }

    @Test func lostSamplesMakeTheMeanOfAVibrationUnsure() {
        // GIVEN an engine that idles WHEN a fifth of the samples is lost
        func square(isNoiseTold: Bool) -> Double {
            let all = (1...20).map { restingBias(seed: UInt64($0), lost: 0.2, isNoiseTold: isNoiseTold) }
            return all.map { $0.error * $0.error / ($0.sigma * $0.sigma) }.reduce(0, +) / 20
        }
        let (told, untold) = (square(isNoiseTold: true), square(isNoiseTold: false))
        // THEN the bias that is found at rest is as wrong as it states, to a factor of two, and one that does not know
        // of the vibration states less
        #expect(told > 0.3 && told < 4, "\(told)")
        #expect(told < 0.8 * untold, "\(told), \(untold)")
        // AND where none is lost, the vibration averages out, and the sigma is smaller: it goes with the fourth root of
        // a noise against the walk of the bias
        let (whole, lossy) = (restingBias(seed: 1, lost: 0), restingBias(seed: 1, lost: 0.2))
        #expect(abs(whole.error) < 3 * whole.sigma && lossy.sigma > 1.15 * whole.sigma, "\(whole), \(lossy)")
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func biasesAreLearnedOnTheMove(seed: UInt64) {
        // GIVEN a sensor in a swinging hand that is switched on in the middle of a walk, biased by 4 deg/s, and never
        // at rest
        var random = RandomSource(seed: seed, use: 61)
        let bias = random.rotation().rotate(.unitX) * 4.0.degreesInRadians
        var plan = WalkPlan()
        plan.seed = seed
        plan.armSwingRadians = 0.6
        plan.deviceToBody = random.rotation()
        var suite = SensorSuite()
        suite.satellite = nil
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed, from: 20)
        var filter = AttitudeFilter(profile: .wearable)
        var (tilt, count) = (0.0, 0.0)
        for event in walk {
            guard case .inertial(var sample) = event else { continue }
            sample.angularRateRadiansPerSecond += bias
            filter.update(sample, still: false, meanAngularRate: .zero)
            guard sample.time.seconds > 60, let level = filter.sensorToLevel else { continue }
            let up = level.rotate(walk.truth(at: sample.time).bodyToENU.inverse.rotate(.unitZ))
            let wrong = acos(min(up.z, 1))
            (tilt, count) = (tilt + wrong * wrong, count + 1)
        }
        // THEN after 40 s the tilt is right to 2.5 deg (the accelerometer's own bias of up to 0.3 m/s2 is 1.7 of them)
        #expect((tilt / count).squareRoot().radiansInDegrees < 2.5)
    }

    @Test func aSmoothRideIsNotTakenForRest() {
        // GIVEN ten seconds at rest, then 3 m/s2 for five seconds and a smooth ride at 15 m/s, without any shaking
        var stillness = StillnessDetector()
        var filter = AttitudeFilter(profile: .wearable)
        var largest = 0.0
        for k in 0..<6000 {
            let t = Double(k) * 0.01
            let forward = t > 10 && t < 15 ? 3.0 : 0
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(forward, 0, 9.81))
            stillness.update(sample)
            filter.update(sample, still: stillness.isStill, meanAngularRate: stillness.meanAngularRate)
            guard let level = filter.sensorToLevel else { continue }
            largest = max(largest, acos(min(level.rotate(.unitZ).z, 1)).radiansInDegrees)
        }
        // THEN the level tilts by less than half of the 17 deg that a plumb line would
        #expect(largest < 8.5)
    }

    @Test func biasesOfAnEarlierDriveAreThoseOfTheirAxes() {
        // GIVEN a filter a second after its start in motion WHEN it gets well-known biases
        var filter = AttitudeFilter()
        for k in 0..<400 {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665))
            filter.update(sample, still: false, meanAngularRate: .zero)
        }
        var prior = SensorPrior()
        let (gyro, force) = (Vector3(0.01, -0.02, 0.015), Vector3(0.03, -0.02, 0.04))
        prior.gyroBias = .init(radiansPerSecond: gyro, sigmaRadiansPerSecond: Vector3(repeating: 1e-4))
        prior.accelerometerBias = .init(
            metersPerSecondSquared: force, sigmaMetersPerSecondSquared: Vector3(repeating: 1e-3))
        let isRunning = filter.isRunning
        #expect(isRunning)
        filter.offer(prior)
        // THEN it has them: they are a hundred times better than what it knew
        #expect((filter.gyroBias - gyro).length < 2e-4, "\(filter.gyroBias)")
        #expect((filter.accelerometerBias - force).length < 2e-3, "\(filter.accelerometerBias)")
        // WHEN biases are beyond five sigmas of those THEN they are not used
        prior.gyroBias = .init(
            radiansPerSecond: gyro + Vector3(0, 0.001, 0), sigmaRadiansPerSecond: Vector3(repeating: 1e-5))
        filter.offer(prior)
        #expect((filter.gyroBias - gyro).length < 2e-4, "\(filter.gyroBias)")
    }

    @Test func aKeptAccelerometerBiasIsTakenAfterARest() {
        // GIVEN a level sensor at rest whose accelerometer has a bias of 0.4 m/s2: it seems to lean by 2 degrees
        func rested(_ bias: Vector3) -> AttitudeFilter {
            var filter = AttitudeFilter(profile: .vehicle)
            for k in 0..<200 {
                let sample = InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665) + bias)
                filter.update(sample, still: true, meanAngularRate: .zero)
            }
            return filter
        }
        func lean(_ filter: AttitudeFilter) -> Double { acos(min(filter.attitude.rotate(.unitZ).z, 1)) }
        let bias = Vector3(0.4, 0, 0)
        var filter = rested(bias)
        #expect(lean(filter) > 0.03)
        // WHEN what an earlier drive has found is told after two seconds THEN it is taken, and the sensor is level
        var prior = SensorPrior()
        prior.accelerometerBias = .init(
            metersPerSecondSquared: bias, sigmaMetersPerSecondSquared: Vector3(repeating: 0.042))
        filter.offer(prior)
        #expect((filter.accelerometerBias - bias).length < 0.02, "\(filter.accelerometerBias)")
        #expect(lean(filter) < 0.003, "\(lean(filter))")
        #expect(filter.findings.tiltSigma > 0.004 && filter.findings.tiltSigma < 0.01, "\(filter.findings.tiltSigma)")
        // WHEN one along gravity is told that the rest contradicts THEN it changes nothing
        var other = rested(.zero)
        let before = (bias: other.accelerometerBias, sigma: other.findings.tiltSigma)
        prior.accelerometerBias?.metersPerSecondSquared = Vector3(0, 0, 1.5)
        other.offer(prior)
        #expect(other.accelerometerBias == before.bias && other.findings.tiltSigma == before.sigma)
    }

    @Test(arguments: [(0.8, 0.32), (1, 0.4), (1.5, 0.4), (30, 0.4)]) func aRateIsTakenForASecondAtMost(
        gap: Double, turn: Double
    ) {
        // GIVEN a body that has been level and at rest for a second WHEN no sample comes for a while, and the next one
        // shows a turn of 0.4 rad/s
        var filter = AttitudeFilter()
        func add(_ seconds: Double, rate: Double) {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds),
                angularRateRadiansPerSecond: Vector3(0, 0, rate),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665))
            filter.update(sample, still: false, meanAngularRate: .zero)
        }
        for k in 0...100 { add(0.01 * Double(k), rate: 0) }
        let before = filter.attitude
        add(1 + gap, rate: 0.4)
        // THEN the rate counts for that time, and no longer than for a second: what came before is unknown
        let turned = (filter.attitude * before.inverse).rotationVector
        #expect(abs(turned.z - turn) < 1e-6, "\(turned)")
    }

    @Test func aFieldBeforeTheLevelOrWithoutANumberTellsNothing() {
        // GIVEN a body at rest, whose level is known after 0.3 s WHEN magnetic readings come before that, or hold no
        // number THEN none of them begins a magnetic heading
        var filter = AttitudeFilter()
        func run(_ samples: Range<Int64>, field: Vector3) {
            for k in samples {
                let sample = InertialSample(
                    time: MonotonicTime(nanoseconds: k * 10_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
                filter.update(sample, still: true, meanAngularRate: .zero)
                filter.update(magneticField: field)
            }
        }
        run(0..<30, field: Vector3(0, 20e-6, -43e-6))
        run(30..<60, field: Vector3(0, .nan, -43e-6))
        let isRunning = filter.isRunning
        #expect(isRunning && !filter.magnetometer.hasBegun && filter.sensorToMagneticENU == nil)
        // AND one that comes then does
        run(60..<80, field: Vector3(0, 20e-6, -43e-6))
        #expect(filter.magnetometer.hasBegun && filter.sensorToMagneticENU != nil)
    }
}
