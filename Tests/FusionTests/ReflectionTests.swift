import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A receiver that is led astray for seconds: the filter doubts it, and goes on.
@Suite struct ReflectionTests {
    @Test(arguments: [UInt64(1), 2, 3, 4]) func reflectionsThereAndBackGiveNothingUp(seed: UInt64) throws {
        // GIVEN a drive through streets that put the receiver 12 m off (1-sigma), three times a minute, for seconds at
        // a time
        let drive = try Drive(.random(seed: seed, edges: 20))
        var suite = SensorSuite()
        suite.satellite?.multipathEpisodesPerMinute = 3
        suite.satellite?.multipathMeters = 12
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        // WHEN it is driven
        var estimator = PoseEstimator()
        var (sum, count) = (0.0, 0.0)
        for event in simulated {
            guard estimator.ingest(event), estimator.estimate.state == .aligned,
                let attitude = estimator.estimate.bodyToENU
            else { continue }
            let truth = simulated.truth(at: estimator.estimate.time)
            let error = Angle.wrappedToPi(
                EulerAngles(bodyToENU: attitude).headingTrueRadians
                    - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
            (sum, count) = (sum + error * error, count + 1)
        }
        // THEN the heading is never given up, and stays as good as without reflections
        #expect(estimator.rejections.headingLost == 0 && estimator.rejections.filterRestarted == 0)
        #expect((sum / max(count, 1)).squareRoot().radiansInDegrees < 1)
    }

    @Test func oneImpossibleTurnLeavesNoTrace() throws {
        // GIVEN a drive, and the same with one sample of 69 rad/s in it; THEN the sample is refused and counted, and
        // the roll stays that of a road
        let drive = try Drive(.random(seed: 5, edges: 10))
        var estimator = PoseEstimator()
        var worst = 0.0
        var samples = 0
        for event in SimulatedDrive(drive: drive, sensors: SensorSuite(), seed: 5) {
            var event = event
            if case .inertial(var sample) = event {
                samples += 1
                if samples == 6000 { sample.angularRateRadiansPerSecond.x = 69 }
                event = .inertial(sample)
            }
            guard estimator.ingest(event), estimator.estimate.state == .aligned,
                let attitude = estimator.estimate.bodyToENU
            else { continue }
            worst = max(worst, abs(EulerAngles(bodyToENU: attitude).rollRadians))
        }
        #expect(samples > 6000 && estimator.rejections.inertialOutOfRange == 1)
        #expect(worst < 0.2)
    }
}
