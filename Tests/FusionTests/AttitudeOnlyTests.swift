import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The pose without a receiver, and when one comes; the attitude of a vehicle before its mount is known.
@Suite struct AttitudeOnlyTests {
    /// A person who walks with IMU and magnetometer; the field's declination is 3 deg east.
    private func walk(seed: UInt64, seconds: Double, hasReceiver: Bool = false) -> SimulatedWalk {
        var suite = SensorSuite()
        if !hasReceiver { suite.satellite = nil }
        var magnetometer = SensorSuite.Magnetometer()
        magnetometer.hardIronTesla = .zero
        suite.magnetometer = magnetometer
        var plan = WalkPlan()
        (plan.seed, plan.durationSeconds) = (seed, seconds)
        return SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed)
    }

    private static var wearable: FusionSettings {
        var settings = FusionSettings()
        settings.profile = .wearable
        return settings
    }

    @Test func theStateAndTheSigmasSayThatThereIsNoPosition() throws {
        // GIVEN a walk with IMU and magnetometer, and no receiver
        var estimator = PoseEstimator(settings: Self.wearable)
        var states: [PoseState] = []
        for event in walk(seed: 3, seconds: 20) where estimator.ingest(event) {
            let found = estimator.estimate
            if states.last != found.state { states.append(found.state) }
            // THEN it is never more than the attitude, with the sigma of each angle
            #expect(found.position == nil && found.headingSigmaRadians == nil)
            guard found.state == .attitudeOnly else { continue }
            #expect(found.tiltSigmaRadians != nil && found.time.seconds > 5)
            #expect((found.headingMagneticRadians == nil) == (found.headingMagneticSigmaRadians == nil))
        }
        #expect(states == [.starting, .aligning, .attitudeOnly], "\(states)")
        #expect((estimator.estimate.headingMagneticSigmaRadians ?? 9) < 0.2)
        // WHEN the declination gets known THEN the heading is true, by that angle, and its sigma holds both
        let magnetic = try #require(estimator.estimate.headingMagneticRadians)
        let sigma = try #require(estimator.estimate.headingMagneticSigmaRadians)
        estimator.set(declination: Declination(radians: 0.3, sigmaRadians: 0.2))
        estimator.publish(at: estimator.estimate.time.advanced(bySeconds: 1e-6))
        let told = estimator.estimate
        let heading = EulerAngles(bodyToENU: try #require(told.bodyToENU)).headingTrueRadians
        // A microsecond later the body has turned by less than 1e-5.
        #expect(abs(Angle.wrappedToPi(heading - magnetic - 0.3)) < 1e-5)
        #expect(abs((told.headingSigmaRadians ?? 0) - (sigma * sigma + 0.04).squareRoot()) < 1e-6)
        #expect(told.state == .attitudeOnly)
        // AND WHEN it is not known any more THEN no true heading is stated
        estimator.set(declination: nil)
        estimator.publish(at: estimator.estimate.time.advanced(bySeconds: 1e-6))
        #expect(estimator.estimate.headingSigmaRadians == nil && estimator.estimate.headingMagneticRadians != nil)
    }

    @Test func theModelGoesBeforeTheReceiver() {
        // GIVEN a receiver that states a declination
        var estimator = PoseEstimator(settings: Self.wearable)
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 0), arrivalTime: MonotonicTime(nanoseconds: 0),
            mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.magneticVariationRadians) = (0.8, 0.2, 0.05)
        _ = estimator.ingest(.gnss(fix))
        #expect(estimator.estimate.magneticVariationRadians == 0.05)
        // WHEN the model gives another THEN that is used, and after a restart, too
        estimator.set(declination: Declination(radians: 0.08, sigmaRadians: 0.006))
        for second in 1...2 {
            fix.validityTime = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            fix.arrivalTime = fix.validityTime
            _ = estimator.ingest(.gnss(fix))
            #expect(estimator.estimate.magneticVariationRadians == 0.08)
            #expect(estimator.estimate.magneticVariationSigmaRadians == 0.006)
            estimator.restart(after: estimator.past)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aReceiverThatComesLaterIsTakenWithoutAJump(seed: UInt64) throws {
        // GIVEN a walk of two minutes whose receiver comes after half a minute; the declination is known
        var estimator = PoseEstimator(settings: Self.wearable)
        estimator.set(declination: Declination(radians: 3.0.degreesInRadians, sigmaRadians: 0.01))
        let walk = walk(seed: seed, seconds: 120, hasReceiver: true)
        var states: [PoseState] = []
        var before: (heading: Double, sigma: Double)?
        var (largestStep, count, within) = (0.0, 0, 0)
        for event in walk {
            if case .gnss = event, event.arrivalTime.seconds < 30 { continue }
            guard estimator.ingest(event) else { continue }
            let found = estimator.estimate
            if states.last != found.state { states.append(found.state) }
            guard let attitude = found.bodyToENU, let sigma = found.headingSigmaRadians else { continue }
            let heading = EulerAngles(bodyToENU: attitude).headingTrueRadians
            let truth = EulerAngles(bodyToENU: walk.truth(at: found.time).bodyToENU).headingTrueRadians
            if let before {
                // A sample turns by less than a degree.
                let step = max(abs(Angle.wrappedToPi(heading - before.heading)) - 0.02, 0)
                largestStep = max(largestStep, step / max(before.sigma, sigma))
            }
            before = (heading, sigma)
            count += 1
            if abs(Angle.wrappedToPi(heading - truth)) < 3 * sigma { within += 1 }
        }
        // THEN the states go forward, no jump is announced, and none is larger than the stated sigmas
        #expect(Array(states.prefix(4)) == [.starting, .aligning, .attitudeOnly, .coarse], "\(states)")
        #expect(!states.dropFirst(3).contains(.attitudeOnly) && estimator.estimate.resetCount == 0, "\(states)")
        #expect(largestStep < 3, "\(largestStep)")
        // and the heading is true all the time, to three sigmas
        #expect(Double(within) >= 0.97 * Double(count), "\(within) of \(count)")
    }

    @Test(arguments: [false, true]) func aToldMountOnAPersonIsAPartOfTheSigmas(hasReceiver: Bool) {
        // GIVEN a walk, and settings that tell a mount that is known to 5 degrees, or none
        var told = Self.wearable
        told.sensorToBody = .identity
        told.sensorToBodySigmaRadians = 5.0.degreesInRadians
        var (with, without) = (PoseEstimator(settings: told), PoseEstimator(settings: Self.wearable))
        let declination = Declination(radians: 3.0.degreesInRadians, sigmaRadians: 0.01)
        with.set(declination: declination)
        without.set(declination: declination)
        let mount = told.sensorToBodySigmaRadians * told.sensorToBodySigmaRadians
        func isMore(_ a: Double?, _ b: Double?, pitch: Double? = nil) -> Bool {
            guard let a, let b else { return true }
            guard let pitch else { return abs(a * a - b * b - mount) < 1e-9 }
            // The mount turns the heading about up and, on a sensor that points up or down, by its tilt. The place may
            // be published some milliseconds before the attitude.
            return abs((a * a - b * b) * cos(pitch) * cos(pitch) - mount) < 0.01 * mount
        }
        var (tilts, headings, magnetic) = (0, 0, 0)
        for event in walk(seed: 3, seconds: 40, hasReceiver: hasReceiver) {
            let isNew = with.ingest(event)
            guard without.ingest(event), isNew else { continue }
            let (a, b) = (with.estimate, without.estimate)
            // THEN the attitude is the same, and its sigmas have that of the mount in addition
            #expect(a.bodyToENU == b.bodyToENU)
            #expect(isMore(a.tiltSigmaRadians, b.tiltSigmaRadians))
            let pitch = a.bodyToENU.map { EulerAngles(bodyToENU: $0).pitchRadians } ?? 0
            #expect(isMore(a.headingSigmaRadians, b.headingSigmaRadians, pitch: pitch))
            #expect(isMore(a.headingMagneticSigmaRadians, b.headingMagneticSigmaRadians, pitch: pitch))
            tilts += a.tiltSigmaRadians == nil ? 0 : 1
            headings += a.headingSigmaRadians == nil ? 0 : 1
            magnetic += a.headingMagneticSigmaRadians == nil ? 0 : 1
        }
        #expect(tilts > 500 && headings > 500 && magnetic > 100, "\(tilts) \(headings) \(magnetic)")
    }

    @Test func aToldMountOfAVehicleIsAPartOfItsMagneticHeading() throws {
        // GIVEN a car with a magnetometer, without a receiver, and a told mount that is known to 5 degrees
        var suite = SensorSuite()
        suite.satellite = nil
        suite.magnetometer = SensorSuite.Magnetometer()
        var settings = FusionSettings()
        settings.sensorToBody = .identity
        settings.sensorToBodySigmaRadians = 5.0.degreesInRadians
        var estimator = PoseEstimator(settings: settings)
        estimator.set(declination: Declination(radians: 3.0.degreesInRadians, sigmaRadians: 0.01))
        for event in SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 4)), sensors: suite, seed: 5) {
            guard event.arrivalTime.seconds < 20 else { break }
            _ = estimator.ingest(event)
        }
        // THEN the sigma of its magnetic heading has that of the mount beside that of the sensor's, and that of the
        // true heading has both
        let (own, mount) = (estimator.attitude.findings.magneticHeadingSigma, settings.sensorToBodySigmaRadians)
        let sigma = try #require(estimator.estimate.headingMagneticSigmaRadians)
        #expect(abs(sigma - (own * own + mount * mount).squareRoot()) < 1e-9)
        let heading = try #require(estimator.estimate.headingSigmaRadians)
        #expect(abs(heading - (sigma * sigma + 1e-4).squareRoot()) < 1e-9)
    }

    /// A drive of a car whose IMU is turned at random in it, in the simulation's field, and what is published of it
    /// until its filter runs.
    private func start(seed: UInt64, hasMagnetometer: Bool) throws -> [PoseEstimate] {
        var random = RandomSource(seed: seed, use: 77)
        var suite = SensorSuite()
        suite.inertial?.sensorToBody = random.rotation()
        if hasMagnetometer { suite.magnetometer = SensorSuite.Magnetometer() }
        let drive = SimulatedDrive(drive: try Drive(.random(seed: seed, edges: 4)), sensors: suite, seed: seed)
        var estimator = PoseEstimator()
        estimator.set(declination: Declination(radians: 3.0.degreesInRadians, sigmaRadians: 0.01))
        var estimates: [PoseEstimate] = []
        for event in drive {
            guard event.arrivalTime.seconds < 60, !estimator.isNavigating else { break }
            if estimator.ingest(event) { estimates.append(estimator.estimate) }
        }
        return estimates
    }

    @Test(arguments: [UInt64(11), 12, 13, 14, 15, 16])
    func beforeTheMountIsKnownAVehicleIsUprightWithAMagnetometerAsWithout(seed: UInt64) throws {
        // GIVEN the same drive with and without a magnetometer, the IMU turned at random in the car
        let with = try start(seed: seed, hasMagnetometer: true)
        let without = try start(seed: seed, hasMagnetometer: false)
        #expect(with.count == without.count && with.count > 500)
        for (a, b) in zip(with, without) {
            // THEN the published attitude is the same to the bit, and so are its sigmas
            #expect(a.bodyToENU == b.bodyToENU && a.headingSigmaRadians == b.headingSigmaRadians)
            #expect(a.tiltSigmaRadians == b.tiltSigmaRadians && a.headingMagneticRadians == nil)
            // and the body is upright, to five sigmas of the tilt
            guard let attitude = a.bodyToENU, let sigma = a.tiltSigmaRadians else { continue }
            #expect(Quaternion(from: attitude.rotate(.unitZ), to: .unitZ).rotationVector.length < 5 * sigma)
        }
    }

    @Test func theLevelOfAVehicleIsAsUnsureAsItsMount() throws {
        // GIVEN a vehicle whose mount is not known, with samples of a motion
        var estimator = PoseEstimator()
        for k in 0...400 {
            let sample = InertialSample(
                time: RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k - 400)),
                angularRateRadiansPerSecond: .zero, specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            estimator.attitude.update(sample, still: false, meanAngularRate: .zero)
        }
        estimator.lastSample = RestingVehicle.sample()
        let own = estimator.attitude.findings.tiltSigma
        // THEN roll and pitch have 0.05 rad of the road and 0.06 rad of the mount beside the sensor's own, and the
        // former alone where a rest has shown how the vehicle stands
        // AND a rest of a sensor that leaned by 0.5 rad against now, and was turned since, shows nothing
        let turned = Vector3(0, sin(0.5), cos(0.5))
        for (up, variance) in [(nil, 0.006_1), (Vector3.unitZ, 0.002_5), (turned, 0.006_1)] as [(Vector3?, Double)] {
            estimator.restingUp = up
            var next = PoseEstimate(time: RestingVehicle.now)
            estimator.describeAttitude(&next)
            let sigma = try #require(next.tiltSigmaRadians)
            #expect(abs(sigma * sigma - own * own - variance) < 1e-12, "\(sigma)")
            // AND the vehicle stands upright
            let body = try #require(next.bodyToENU)
            #expect(body.rotate(.unitZ).z > 0.999_999, "\(body)")
        }
    }
}
