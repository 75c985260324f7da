import Geodesy
import Measurements
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

    /// A filter at rest with an RTK receiver, after its first fix; it takes more fixes, some metres to the east.
    private func fuse(fixes: Int, metersEast: Double, into filter: inout NavigationFilter, at place: GeodeticPosition)
        -> Double
    {
        let velocityHistory = VectorHistory()
        var observed = NavigationState(
            time: filter.state.time, position: place, velocityENU: .zero, sensorToENU: .identity)
        observed.move(byENU: Vector3(metersEast, 0, 0))
        for _ in 0..<fixes {
            filter.state.time = filter.state.time.advanced(bySeconds: 0.5)
            var fix = GnssFix(
                validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (
                observed.position.latitudeRadians, observed.position.longitudeRadians
            )
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond, fix.quality) = (0.02, 0.1, .rtkFixed)
            filter.fuse(fix, velocityHistory: velocityHistory)
        }
        return place.surfaceOffsetMeters(to: filter.state.position).east
    }

    @Test func whoeverHasLeftTheCommonWayIsDoubted() {
        // GIVEN a filter that agrees with an RTK receiver
        let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 100)
        var agreeing = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        agreeing.covariance.restart(.position.horizontal, variance: 1e-4)
        agreeing.covariance.restart(.velocity.horizontal, variance: 1e-4)
        agreeing.covariance.restart(.gnssBias.horizontal, variance: 1e-4)
        _ = fuse(fixes: 3, metersEast: 0, into: &agreeing, at: place)
        // WHEN the receiver jumps by 3 m beside its own velocity THEN it is the receiver that has changed: the estimate
        // follows by less than half
        var reflected = agreeing
        #expect(abs(fuse(fixes: 6, metersEast: 3, into: &reflected, at: place)) < 1.5)
        // WHEN the filter strays by 3 m while the receiver stays on its way THEN it returns to the fixes
        var strayed = agreeing
        strayed.state.move(byENU: Vector3(3, 0, 0))
        #expect(abs(fuse(fixes: 6, metersEast: 0, into: &strayed, at: place)) < 0.3)
    }
}
