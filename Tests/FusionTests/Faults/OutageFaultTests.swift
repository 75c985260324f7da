import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A sensor that fails while no fixes come to show it: the sigma must know.
@Suite struct OutageFaultTests {
    /// What happens to the events from three seconds into the outage on.
    enum Fault: String, CaseIterable {
        /// The IMU repeats one sample for 20 s.
        case frozenIMU
        /// Samples are missing for 5 s.
        case missingSamples
        /// The wheels state zero, half of the speed, or repeat one reading.
        case wheelsAtZero, wheelsAtHalf, frozenWheels
    }

    /// Largest horizontal error over its 1-sigma in an outage of a minute, and whether the vehicle counted as standing
    /// while it drove.
    private struct Outcome {
        var ratio = 0.0
        var stands = false
    }

    private func run(_ fault: Fault?, seed: UInt64) throws -> Outcome {
        let drive = try Drive(.random(seed: seed, edges: 14))
        let begin = drive.durationSeconds * 0.55
        var suite = SensorSuite()
        if let errors = suite.inertial?.errors { suite.inertial?.errors = errors.withVibration }
        suite.satellite?.outages = [begin...(begin + 60)]
        if fault.map({ $0 != .frozenIMU && $0 != .missingSamples }) ?? false { suite.wheels = SensorSuite.Wheels() }
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        var (estimator, outcome) = (PoseEstimator(), Outcome())
        var frozen: (sample: InertialSample, speed: Double)?
        var lastSpeed = 0.0
        for var event in simulated {
            let since = event.validityTime.seconds - begin - 3
            switch event {
            case .inertial(var sample) where (0..<20).contains(since) && fault == .frozenIMU:
                let first = frozen?.sample ?? sample
                frozen = (first, lastSpeed)
                sample.angularRateRadiansPerSecond = first.angularRateRadiansPerSecond
                sample.specificForceMetersPerSecondSquared = first.specificForceMetersPerSecondSquared
                event = .inertial(sample)
            case .inertial where (0..<5).contains(since) && fault == .missingSamples: continue
            case .wheelSpeed(var sample) where since >= 0 && since < 57:
                if fault == .wheelsAtZero { sample.speedMetersPerSecond = 0 }
                if fault == .wheelsAtHalf { sample.speedMetersPerSecond *= 0.5 }
                if fault == .frozenWheels { sample.speedMetersPerSecond = lastSpeed }
                event = .wheelSpeed(sample)
            case .wheelSpeed(let sample): lastSpeed = sample.speedMetersPerSecond
            default: break
            }
            guard estimator.ingest(event), let place = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters, (0..<56).contains(since)
            else { continue }
            let truth = simulated.truth(at: estimator.estimate.time)
            let offset = truth.position.surfaceOffsetMeters(to: place)
            let ratio = Vector3(offset.east, offset.north, 0).length / Vector3(sigma.x, sigma.y, 0).length
            outcome.ratio = max(outcome.ratio, ratio)
            let isDriving = truth.velocityENUMetersPerSecond.horizontalLength > 3
            if isDriving, estimator.estimate.isStandingStill { outcome.stands = true }
        }
        return outcome
    }

    @Test(arguments: Fault.allCases, [UInt64(1), 3, 4]) func theSigmaKnowsOfTheFault(fault: Fault, seed: UInt64) throws
    {
        // GIVEN a drive without fixes for a minute WHEN a sensor fails three seconds later THEN the error stays within
        // four sigmas (sound sensors: within three; with a frozen IMU eight, because what it hides lasts), and nobody
        // takes a moving vehicle for one at rest
        let outcome = try run(fault, seed: seed)
        #expect(outcome.ratio < (fault == .frozenIMU ? 8 : 4), "\(outcome.ratio)")
        #expect(!outcome.stands)
    }
}
