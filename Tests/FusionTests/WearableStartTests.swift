import DriveTrials
import Geodesy
import Glibc
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A wearable that is switched on while its bearer moves, with a gyro that is biased by several degrees a second.
@Suite struct WearableStartTests {
    struct Outcome {
        var secondsToAligned: Double?
        /// Largest heading error while the estimate calls itself aligned, and the share of that time with an error
        /// beyond three stated sigmas.
        var largestHeadingDegrees = 0.0
        var beyondThreeSigma = 0.0
        var finalHeadingDegrees = 0.0
        var finalBiasDegrees = 0.0
        /// Seconds with an error above 10 degrees while a heading was stated with a sigma below 5.
        var wronglySureSeconds = 0.0
    }

    static func run(seed: UInt64, bias: Vector3, from start: Double, receiver: SatelliteReceiver) -> Outcome {
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 100
        suite.satellite = receiver
        var plan = PedestrianTests.plan(seed: seed)
        plan.seed = seed
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed, from: start)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        var outcome = Outcome()
        var (beyond, count) = (0.0, 0.0)
        for event in walk {
            var event = event
            if case .inertial(var sample) = event {
                sample.angularRateRadiansPerSecond += bias
                event = .inertial(sample)
            }
            guard estimator.ingest(event), case .inertial = event else { continue }
            let estimate = estimator.estimate
            guard let attitude = estimate.bodyToENU, let sigma = estimate.headingSigmaRadians else { continue }
            let truth = walk.truth(at: estimate.time).bodyToENU
            // The turn about the vertical between what is and what is stated: defined however the device is held.
            let e = (attitude * truth.inverse).normalized
            let wrong = abs(Angle.wrappedToPi(2 * atan2(e.z, e.w)))
            if sigma < 5.0.degreesInRadians, wrong > 10.0.degreesInRadians { outcome.wronglySureSeconds += 0.01 }
            if estimate.state == .aligned {
                if outcome.secondsToAligned == nil { outcome.secondsToAligned = estimate.time.seconds - start }
                outcome.largestHeadingDegrees = max(outcome.largestHeadingDegrees, wrong.radiansInDegrees)
                beyond += wrong > 3 * sigma ? 1 : 0
                count += 1
            }
            outcome.finalHeadingDegrees = wrong.radiansInDegrees
        }
        outcome.beyondThreeSigma = beyond / max(count, 1)
        outcome.finalBiasDegrees = (estimator.filter.state.gyroBias - bias).length.radiansInDegrees
        return outcome
    }

    @Test(arguments: [false, true]) func aMovingStartWithABiasedGyro(isConsumer: Bool) {
        // GIVEN walks joined on the way, the gyro biased by 1 to 5 deg/s about any axis
        var aligned = 0
        for seed in UInt64(1)...10 {
            var random = RandomSource(seed: seed, use: 51)
            let bias = random.rotation().rotate(.unitX) * random.uniform(1, 5).degreesInRadians
            let outcome = Self.run(seed: seed, bias: bias, from: 30, receiver: isConsumer ? SatelliteReceiver() : .rtk)
            // THEN a heading that is called aligned is right within what it states
            #expect(outcome.beyondThreeSigma < 0.01, "\(seed)")
            #expect(outcome.wronglySureSeconds < (isConsumer ? 30 : 1), "\(seed)")
            guard outcome.secondsToAligned != nil else { continue }
            aligned += 1
            #expect(outcome.finalBiasDegrees < 1.5, "\(seed)")
        }
        // AND it is found, in two and a half minutes of walking, where the walk shows it: gentle curves at 1 Hz and 0.1
        // m/s show it rarely, and may be the swing of an antenna
        #expect(aligned >= (isConsumer ? 2 : 7))
    }

    // Means of 2.5 s were given the vibration of an instant: none of these ever found its heading.
    @Test(arguments: [UInt64(16), 45, 47]) func placesOfRTKAloneShowTheHeading(seed: UInt64) {
        // GIVEN a calm walk with an RTK receiver that states no velocity
        var installation = Installation()
        installation.statesVelocity = false
        let outcome = WalkTrial(seed: seed, installation: installation)
        // THEN its first steps show the heading to a few degrees, and the place is no worse than the fixes
        #expect((outcome.secondsToHeading ?? .infinity) < 5)
        #expect(outcome.heading.root.radiansInDegrees < 4 && outcome.heading.largestRatio < 3)
        #expect(outcome.position.root < max(outcome.fixes.root, 0.05) && outcome.resetCount == 0)
    }
}
