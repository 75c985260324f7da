import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The filter begins by itself: standing or moving, with the sensor mounted anyhow and biased by a degree a second.
@Suite struct StartTests {
    private struct Outcome {
        var secondsToAligned: Double?
        var headingErrorDegrees = 0.0
        var horizontalErrorMeters = 0.0
        /// Of the fixes themselves, over the same time.
        var receiverErrorMeters = 0.0
    }

    private func run(seed: UInt64, movingStart: Bool) throws -> Outcome {
        let drive = try Drive(.random(seed: seed, edges: 8))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        let start = movingStart ? drive.plan.standingSecondsBefore + 20 : 0
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed, from: start)
        var estimator = PoseEstimator()
        var outcome = Outcome()
        var (heading, horizontal, count) = (0.0, 0.0, 0.0)
        var (receiver, fixes) = (0.0, 0.0)
        for event in simulated {
            if case .gnss(let fix) = event, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians,
                let aligned = outcome.secondsToAligned, fix.validityTime.seconds - start > aligned + 30
            {
                let seen = GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
                let offset = simulated.truth(at: fix.validityTime).position.surfaceOffsetMeters(to: seen)
                receiver += offset.east * offset.east + offset.north * offset.north
                fixes += 1
            }
            guard estimator.ingest(event) else { continue }
            let estimate = estimator.estimate
            if outcome.secondsToAligned == nil, estimate.state == .aligned { outcome.secondsToAligned = estimate.time.seconds - start }
            guard let aligned = outcome.secondsToAligned, estimate.time.seconds - start > aligned + 30, let place = estimate.position,
                let attitude = estimate.bodyToENU
            else { continue }
            let truth = simulated.truth(at: estimate.time)
            let offset = truth.position.surfaceOffsetMeters(to: place)
            let difference = Angle.wrappedToPi(
                EulerAngles(bodyToENU: attitude).headingTrueRadians - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
            heading += difference * difference
            horizontal += offset.east * offset.east + offset.north * offset.north
            count += 1
        }
        outcome.headingErrorDegrees = (heading / max(count, 1)).squareRoot().radiansInDegrees
        outcome.horizontalErrorMeters = (horizontal / max(count, 1)).squareRoot()
        outcome.receiverErrorMeters = (receiver / max(fixes, 1)).squareRoot()
        return outcome
    }

    // Seeds 12, 15, 24, 36 once went wrong on moving starts; 45 has fixes valid exactly at a kept copy of the filter.
    @Test(arguments: [UInt64(12), 15, 24, 36, 45, 61]) func aMovingStartFindsHeadingAndMount(seed: UInt64) throws {
        // GIVEN a drive joined while it moves WHEN it goes on
        let outcome = try run(seed: seed, movingStart: true)
        // THEN the filter is aligned within a minute of driving (a stop may lie in between) and its heading is right
        #expect((outcome.secondsToAligned ?? .infinity) < 90)
        #expect(outcome.headingErrorDegrees < 1)
        // What of the receiver's error is common to many fixes cannot be removed, only passed on; on a single drive the first fixes' error may be
        // held longer than the receiver itself does. No better than half a metre is asked of a perfect one.
        #expect(outcome.horizontalErrorMeters < max(1.25 * outcome.receiverErrorMeters, 0.5))
    }

    @Test(arguments: [UInt64(2), 4, 7, 10, 13]) func aStandingStartFindsHeadingAndMount(seed: UInt64) throws {
        let outcome = try run(seed: seed, movingStart: false)
        #expect((outcome.secondsToAligned ?? .infinity) < 90)
        #expect(outcome.headingErrorDegrees < 1)
        #expect(outcome.horizontalErrorMeters < max(1.25 * outcome.receiverErrorMeters, 0.5))
    }

    @Test func aConfiguredMountIsUsed() throws {
        // GIVEN the true mount in the settings
        let drive = try Drive(.random(seed: 4, edges: 4))
        let suite = SensorSuite.random(seed: 4)
        var settings = FusionSettings()
        settings.sensorToBody = suite.inertial?.sensorToBody
        var estimator = PoseEstimator(settings: settings)
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: 4)
        for event in simulated { _ = estimator.ingest(event) }
        // THEN roll, pitch and heading end within half a degree of the truth
        let truth = EulerAngles(bodyToENU: simulated.truth(at: estimator.estimate.time).bodyToENU)
        let found = EulerAngles(bodyToENU: try #require(estimator.estimate.bodyToENU))
        #expect(abs(Angle.wrappedToPi(found.headingTrueRadians - truth.headingTrueRadians)) < 0.5.degreesInRadians)
        #expect(abs(found.rollRadians - truth.rollRadians) < 0.5.degreesInRadians)
        #expect(abs(found.pitchRadians - truth.pitchRadians) < 0.5.degreesInRadians)
    }
}
