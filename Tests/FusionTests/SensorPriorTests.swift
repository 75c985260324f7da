import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// What a drive keeps of sensors and receiver for the next one, and what the next one makes of it.
@Suite struct SensorPriorTests {
    /// A drive that is joined on the move, with what an earlier run has found or without.
    private struct Run {
        /// Root mean square of the attitude error over the first minute, radians; while there is no attitude, that of a
        /// heading of which nothing is known.
        var attitude = 0.0
        /// The same where an attitude without a stated heading counts as unknown.
        var stated = 0.0
        /// The same of roll and pitch, and of the place, metres.
        var (tilt, place) = (0.0, 0.0)
        /// Time until the pose was aligned, seconds.
        var alignedAfter = Double.infinity
        var calibration = SensorCalibration()
        var estimator = PoseEstimator()

        init(
            seed: UInt64, movingStart: Bool = true, wheels: Bool = false, prior: SensorCalibration? = nil,
            sensors: SensorPrior? = nil, isParked: Bool = false
        ) throws {
            let drive = try Drive(.random(seed: seed, edges: 6))
            var suite = SensorSuite.random(seed: seed)
            suite.satellite?.outages = []
            if wheels { suite.wheels = SensorSuite.Wheels() }
            if let mount = prior?.mount { estimator.offer(mount: mount.onTheNextDrive) }
            if isParked {
                let pose = Self.parked(drive.truth(atSeconds: 0), random: RandomSource(seed: seed))
                estimator.offer(resting: pose.onTheNextStart)
            }
            if let sensors { estimator.offer(sensors: sensors) }
            let start = movingStart ? drive.plan.standingSecondsBefore + 20 : 0
            let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed, from: start)
            var sums = Vector3.zero
            var count = 0.0
            var first: MonotonicTime?
            for event in simulated where estimator.ingest(event) {
                let estimate = estimator.estimate
                let begin = first ?? estimate.time
                first = begin
                let seconds = estimate.time.seconds(since: begin)
                if estimate.state == .aligned {
                    calibration = estimator.calibration
                    alignedAfter = min(alignedAfter, seconds)
                }
                guard seconds < 60 else { continue }
                let squares = Self.squares(estimate, simulated.truth(at: estimate.time))
                sums += squares
                stated += estimate.headingSigmaRadians == nil ? .pi * .pi / 3 : squares.x
                count += 1
            }
            stated = (stated / max(count, 1)).squareRoot()
            let means = (sums / max(count, 1)).squareRoot()
            (attitude, tilt, place) = (means.x, means.y, means.z)
        }

        /// What an earlier drive that stopped here would have saved, with the errors that it states.
        private static func parked(_ truth: DriveTruth, random: RandomSource) -> RestingPose {
            var random = random
            let (sigma, headingSigma) = (1.5, 0.01)
            let heading = EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians
            return RestingPose(
                position: truth.position.moved(
                    byENU: Vector3(random.uniform(-1, 1), random.uniform(-1, 1), 0) * (sigma * 3.0.squareRoot())),
                horizontalSigmaMeters: sigma, verticalSigmaMeters: 2 * sigma,
                headingTrueRadians: Angle.wrappedToTwoPi(
                    heading + random.uniform(-1, 1) * headingSigma * 3.0.squareRoot()),
                headingSigmaRadians: headingSigma, downBody: truth.bodyToENU.inverse.rotate(-.unitZ))
        }

        /// Squares of the errors of attitude, tilt and place.
        private static func squares(_ estimate: PoseEstimate, _ truth: DriveTruth) -> Vector3 {
            let unknown = Double.pi / 3.0.squareRoot()
            var squares = Vector3(unknown * unknown, 0, 0)
            // Where there is no attitude, roll and pitch are those of a level road, to three degrees.
            squares.y = 0.05 * 0.05
            if let attitude = estimate.bodyToENU {
                let turn = (attitude * truth.bodyToENU.inverse).rotationVector
                squares.x = turn.lengthSquared
                squares.y = turn.x * turn.x + turn.y * turn.y
            }
            if let place = estimate.position {
                let offset = truth.position.surfaceOffsetMeters(to: place)
                squares.z = offset.east * offset.east + offset.north * offset.north
            }
            return squares
        }
    }

    @Test func theSecondRunBeginsBetter() throws {
        // GIVEN drives that are joined on the move, and the same again with what they have found
        var (attitudes, places, seconds) = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        for seed in [UInt64(2), 3, 5, 8, 13, 21] {
            let first = try Run(seed: seed)
            #expect(first.calibration.sensors.gyroBias != nil && first.calibration.mount?.origin == .found)
            let second = try Run(
                seed: seed, prior: first.calibration, sensors: first.calibration.sensors.onTheNextDrive(kelvin: 0))
            for (index, run) in [first, second].enumerated() {
                print(
                    "prior \(seed) \(index): attitude \(run.attitude.radiansInDegrees) tilt "
                        + "\(run.tilt.radiansInDegrees) deg, place \(run.place) m, aligned \(run.alignedAfter) s")
                attitudes[index] += run.attitude
                places[index] += run.place
                seconds[index] += run.alignedAfter
            }
        }
        let (attitude, place) = (attitudes[1] / attitudes[0], places[1] / places[0])
        print("prior: attitude \(attitude), place \(place), aligned \(seconds[1] / seconds[0]) of the first run")
        // THEN the second run is aligned in a fifth of the time, and in the first minute its attitude is better by a
        // fifth, although it is stated from the first seconds on; the place, which the fixes give, is no worse
        #expect(seconds[1] <= 0.2 * seconds[0])
        #expect(attitude <= 0.8 && place <= 1)
    }

    @Test func theSecondDriveFromAStopHasHalfTheErrors() throws {
        // GIVEN drives that begin parked, and the same again with what they have found and where the vehicle was left
        var (attitudes, tilts, places) = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        for seed in [UInt64(2), 3, 5, 8, 13, 21] {
            let first = try Run(seed: seed, movingStart: false)
            let second = try Run(
                seed: seed, movingStart: false, prior: first.calibration,
                sensors: first.calibration.sensors.onTheNextDrive(kelvin: 0), isParked: true)
            for (index, run) in [first, second].enumerated() {
                print(
                    "parked \(seed) \(index): attitude \(run.stated.radiansInDegrees) tilt "
                        + "\(run.tilt.radiansInDegrees) deg, place \(run.place) m, aligned \(run.alignedAfter) s")
                attitudes[index] += run.stated
                tilts[index] += run.tilt
                places[index] += run.place
            }
        }
        let ratios = [attitudes, tilts, places].map { $0[1] / $0[0] }
        print("parked: attitude \(ratios[0]), tilt \(ratios[1]), place \(ratios[2]) of the first drive")
        // THEN in the first minute attitude and tilt have at most half of the error; the place is that of the fixes
        #expect(ratios[0] <= 0.5 && ratios[1] <= 0.5 && ratios[2] <= 1.05, "\(ratios)")
    }

    @Test func aKeptBiasBeginsTheAttitude() throws {
        // GIVEN a sensor with a bias of 2 deg/s that turns steadily, so that no rest shows it
        let bias = Vector3(0.02, -0.03, 0.01)
        func tilted(_ prior: SensorPrior?) -> Double {
            var estimator = PoseEstimator()
            if let prior { estimator.offer(sensors: prior) }
            for index in 0..<500 {
                let time = MonotonicTime(nanoseconds: Int64(index) * 10_000_000)
                _ = estimator.ingest(
                    .inertial(
                        InertialSample(
                            time: time, angularRateRadiansPerSecond: bias + Vector3(0, 0, 0.5),
                            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81))))
            }
            return (estimator.attitude.gyroBias - bias).length
        }
        var prior = SensorPrior()
        prior.gyroBias = .init(radiansPerSecond: bias, sigmaRadiansPerSecond: Vector3(repeating: 0.0005))
        // WHEN it begins with the kept bias THEN its error is a tenth of that without
        let (without, with) = (tilted(nil), tilted(prior.onTheNextDrive(kelvin: 0)))
        #expect(with < 0.1 * without, "\(with) \(without)")
    }

    @Test(arguments: [UInt64(2), 5]) func aWrongBiasIsOvercome(seed: UInt64) throws {
        // GIVEN a bias that is wrong by 0.5 deg/s, five times what the sigma states
        let first = try Run(seed: seed, movingStart: false)
        var wrong = first.calibration.sensors
        let truth = try #require(wrong.gyroBias?.radiansPerSecond)
        wrong.gyroBias?.radiansPerSecond += Vector3(0.005, -0.005, 0.005)
        // WHEN a drive begins with it THEN in the end its bias is right, to 0.1 deg/s
        let second = try Run(seed: seed, movingStart: false, sensors: wrong.onTheNextDrive(kelvin: 0))
        let found = try #require(second.calibration.sensors.gyroBias?.radiansPerSecond)
        #expect((found - truth).length < 0.001_7)
    }

    @Test func theWheelsAreCalibratedFromTheStart() throws {
        // GIVEN a drive with wheels, and what it has found of them
        let first = try Run(seed: 3, wheels: true)
        let wheels = try #require(first.calibration.sensors.wheels)
        // WHEN the next one begins with it THEN they are calibrated as soon as the filter runs, to the same scale
        var second = PoseEstimator()
        second.offer(sensors: first.calibration.sensors.onTheNextDrive())
        #expect(second.wheelPrior?.scale == wheels.scale)
        let run = try Run(seed: 3, wheels: true, sensors: first.calibration.sensors.onTheNextDrive())
        let again = try #require(run.calibration.sensors.wheels)
        #expect(abs(again.scale - wheels.scale) < 0.01)
    }

    @Test func sigmasGrowBetweenDrives() throws {
        // GIVEN what is known exactly WHEN the next drive begins THEN its sigmas are those of eq. 7.32
        var prior = SensorPrior()
        prior.gyroBias = .init(radiansPerSecond: .zero, sigmaRadiansPerSecond: Vector3(repeating: 1e-9))
        prior.lags = LagCalibration(
            positionSeconds: 0, positionSigmaSeconds: 1e-9, velocitySeconds: 0.1, velocitySigmaSeconds: 0.04)
        prior.wheels = .init(scale: 1, scaleSigma: 1e-9, lagSeconds: 0.1, lagSigmaSeconds: 0.04)
        prior.accelerometerBias = .init(
            metersPerSecondSquared: .zero, sigmaMetersPerSecondSquared: Vector3(repeating: 0.04))
        func sigma(_ kelvin: Double?) -> Double {
            prior.onTheNextDrive(kelvin: kelvin).gyroBias?.sigmaRadiansPerSecond.z ?? 0
        }
        let perDegree = Double.pi / 180
        #expect(abs(sigma(0) - 0.1 * perDegree) < 1e-4 && abs(sigma(nil) - 0.3 * perDegree) < 3e-4)
        #expect(abs(sigma(20) - 0.412 * perDegree) < 2e-4)
        let next = prior.onTheNextDrive()
        let sigmas = [
            next.lags?.positionSigmaSeconds, next.lags?.velocitySigmaSeconds, next.wheels?.scaleSigma,
            next.wheels?.lagSigmaSeconds, next.accelerometerBias?.sigmaMetersPerSecondSquared.y,
        ]
        for (sigma, expected) in zip(sigmas, [0.03, 0.05, 0.01, 0.05, 0.05]) {
            #expect(abs((sigma ?? 0) - expected) < 1e-9)
        }
    }

    @Test func whatIsNotValidIsDropped() {
        // GIVEN numbers that no sensor has THEN they are not used
        var wrong = SensorPrior()
        wrong.gyroBias = .init(radiansPerSecond: Vector3(1, 0, 0), sigmaRadiansPerSecond: Vector3(repeating: 0.001))
        wrong.lags = LagCalibration(
            positionSeconds: .nan, positionSigmaSeconds: 1, velocitySeconds: 0, velocitySigmaSeconds: 1)
        wrong.wheels = .init(scale: 1, scaleSigma: 0, lagSeconds: 0, lagSigmaSeconds: 1)
        #expect(wrong.valid.isEmpty)
        var estimator = PoseEstimator()
        let isUsed = [estimator.offer(sensors: wrong), estimator.offer(sensors: SensorPrior())]
        #expect(isUsed == [false, false])
    }

    /// The lags that an estimator takes over from an earlier drive: 0.7 s of the position and 0.9 s of the velocity.
    private func takenLags(
        told: Double = 0, profile: MotionProfile = .vehicle, own: ReceiverLags? = nil
    ) -> (lags: ReceiverLags?, isUsed: Bool) {
        var settings = FusionSettings()
        (settings.gnssPositionLagSeconds, settings.profile) = (told, profile)
        var estimator = PoseEstimator(settings: settings)
        estimator.carriedLags = own
        var prior = SensorPrior()
        prior.lags = LagCalibration(
            positionSeconds: 0.7, positionSigmaSeconds: 0.05, velocitySeconds: 0.9, velocitySigmaSeconds: 0.04)
        let isUsed = estimator.offer(sensors: prior)
        return (estimator.carriedLags, isUsed)
    }

    @Test(arguments: [UInt8(0), 1], [false, true]) func theLagsOfAnEarlierDriveAreThoseOfTheFirstReceiver(
        receiver: UInt8, comesFirst: Bool
    ) {
        // GIVEN lags of an earlier drive, told before or after the first fix, which comes from the first receiver or
        // another one THEN only the first one has them
        var (estimator, prior) = (PoseEstimator(), SensorPrior())
        prior.lags = LagCalibration(
            positionSeconds: 0.7, positionSigmaSeconds: 0.05, velocitySeconds: 0.9, velocitySigmaSeconds: 0.04)
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 0), arrivalTime: MonotonicTime(nanoseconds: 0),
            mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.receiver) = (0.8, 0.2, receiver)
        if comesFirst { _ = estimator.ingest(.gnss(fix)) }
        estimator.offer(sensors: prior)
        if !comesFirst { _ = estimator.ingest(.gnss(fix)) }
        #expect((estimator.carriedLags != nil) == (receiver == 0))
    }

    @Test func theLagsOfAnEarlierDriveAreThoseOfAVehicle() throws {
        // GIVEN lags of an earlier drive THEN a vehicle begins with them, the velocity's known to 0.1 s at best
        let (found, isUsed) = takenLags()
        let lags = try #require(found)
        #expect(isUsed && lags.position == 0.7 && lags.positionSigma == 0.05 && lags.velocity == 0.9)
        #expect(lags.velocitySigma == 0.1 && abs(lags.difference - 0.2) < 1e-12)
        // AND not where the settings tell the lag, nor in place of what this drive has found, nor on a person or a boat
        let told = takenLags(told: 0.3)
        #expect(told.isUsed && told.lags?.position == nil)
        let own = takenLags(
            own: ReceiverLags(
                velocity: 0.5, velocitySigma: 0.1, position: 0.4, positionSigma: 0.05, difference: 0.1))
        #expect(own.isUsed && own.lags?.position == 0.4)
        for profile in [MotionProfile.wearable, .boat] {
            let other = takenLags(profile: profile)
            #expect(!other.isUsed && other.lags?.position == nil)
        }
    }

    @Test(arguments: [MotionProfile.wearable, .boat]) func oneBiasIsUsedOnAPersonOrABoat(profile: MotionProfile) {
        // GIVEN one bias of an earlier drive, of the gyro or of the accelerometer THEN each of them is used
        var settings = FusionSettings()
        settings.profile = profile
        var (gyro, force) = (SensorPrior(), SensorPrior())
        gyro.gyroBias = .init(
            radiansPerSecond: Vector3(0.01, 0, 0), sigmaRadiansPerSecond: Vector3(repeating: 0.001))
        force.accelerometerBias = .init(
            metersPerSecondSquared: Vector3(0.1, 0, 0), sigmaMetersPerSecondSquared: Vector3(repeating: 0.05))
        for prior in [gyro, force] {
            var estimator = PoseEstimator(settings: settings)
            let isUsed = estimator.offer(sensors: prior)
            #expect(isUsed && estimator.accelerometerPrior == nil)
        }
        // AND wheels are not
        var (estimator, wheels) = (PoseEstimator(settings: settings), SensorPrior())
        wheels.wheels = .init(scale: 1.02, scaleSigma: 0.01, lagSeconds: 0.1, lagSigmaSeconds: 0.05)
        let isUsed = estimator.offer(sensors: wheels)
        #expect(!isUsed && estimator.wheelPrior == nil)
    }
}
