import DriveTrials
import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A person whose receiver is late, or carried apart from the IMU: with fixes arriving, the pose is no worse than they
/// are.
@Suite struct WearableLagTests {
    /// Root mean squares while fixes arrive.
    private struct Errors {
        /// Distance from the truth, metres.
        var pose = TrialErrors()
        /// That of the last fix, moved on by its velocity, metres.
        var receiver = TrialErrors()
        /// The heading from a minute on, radians; infinite where there is none.
        var heading = TrialErrors()

        mutating func addHeading(_ estimate: PoseEstimate, _ truth: DriveTruth) {
            guard let attitude = estimate.bodyToENU, estimate.headingSigmaRadians != nil else {
                return heading.add(.infinity, sigma: .infinity)
            }
            heading.add((attitude * truth.bodyToENU.inverse).rotationVector.z, sigma: .infinity)
        }
    }

    private func walk(seed: UInt64, _ change: (inout SatelliteReceiver) -> Void) -> Errors {
        var plan = PedestrianTests.plan(seed: seed)
        plan.deviceToBody = .identity
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 100
        var receiver = SatelliteReceiver.rtk
        receiver.rateHertz = 1
        change(&receiver)
        suite.satellite = receiver
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        var last: GnssFix?
        var errors = Errors()
        for event in walk {
            if case .gnss(let fix) = event { last = fix }
            guard estimator.ingest(event), case .inertial(let sample) = event, sample.time.seconds > 20,
                let position = estimator.estimate.position, let last, let latitude = last.latitudeRadians,
                let longitude = last.longitudeRadians
            else { continue }
            let truth = walk.truth(at: sample.time)
            if sample.time.seconds > 60 { errors.addHeading(estimator.estimate, truth) }
            let offset = truth.position.surfaceOffsetMeters(to: position)
            let age = sample.time.seconds(since: last.validityTime)
            let fixed = truth.position.surfaceOffsetMeters(
                to: GeodeticPosition(
                    latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0))
            let (east, north) = (
                fixed.east + (last.horizontalVelocity?.eastMetersPerSecond ?? 0) * age,
                fixed.north + (last.horizontalVelocity?.northMetersPerSecond ?? 0) * age
            )
            errors.pose.add(hypot(offset.east, offset.north), sigma: .infinity)
            errors.receiver.add(hypot(east, north), sigma: .infinity)
        }
        return errors
    }

    @Test(arguments: [(0.3, 0.65), (0.6, 1.3), (1.0, 1.4)], [UInt64(1), 2, 3, 4]) func aLateReceiverIsNoWorseThanItself(
        lags: (position: Double, velocity: Double), seed: UInt64
    ) {
        // GIVEN a receiver with RTK whose fixes are old, which a gait does not show WHEN a person walks with it
        let errors = walk(seed: seed) { ($0.positionLagSeconds, $0.velocityLagSeconds) = lags }
        // THEN the pose is not further from the truth than the fixes; a fifth for the seconds in which it is found
        // wrong
        #expect(errors.pose.root < 1.2 * errors.receiver.root, "\(errors)")
    }

    @Test(arguments: [(0.5, 0.8), (0.8, 0.9), (1.0, 1.2), (1.2, 1.8), (1.9, 2.0)], [UInt64(1), 2, 3, 4])
    func aReceiverThatFiltersTheGaitAwayShowsItsLag(lags: (position: Double, velocity: Double), seed: UInt64) {
        // GIVEN a receiver whose fixes are a second old, as those of telephones are WHEN a person walks with it
        let errors = walk(seed: seed) { ($0.positionLagSeconds, $0.velocityLagSeconds) = lags }
        // THEN the pose is where the person is, and not where the fixes are, with a heading: a third of the way of
        // their age and 3 deg are left
        #expect(errors.pose.root < 0.32 * errors.receiver.root && errors.heading.root < 3.degreesInRadians, "\(errors)")
    }

    @Test(arguments: [Vector3(0.3, -0.4, 1.4), Vector3(-1.3, -0.4, 0.8)], [UInt64(1), 2, 3, 4])
    func anAntennaElsewhereDoesNoHarm(arm: Vector3, seed: UInt64) {
        // GIVEN a receiver with RTK whose antenna is carried elsewhere, a metre away WHEN a person walks with it
        let errors = walk(seed: seed) { $0.leverArmBodyMeters = arm }
        // THEN the pose is not further from the truth than the fixes are
        #expect(errors.pose.root < 1.2 * errors.receiver.root, "\(errors)")
    }
}
