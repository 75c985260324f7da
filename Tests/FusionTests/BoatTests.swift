import DriveTrials
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A hull with ten degrees of crab in waves.
@Suite struct BoatTests {

    /// Voyages with each receiver three times.
    private static let seeds: ClosedRange<UInt64> = 1...12

    private func voyages(_ change: (inout BoatTrial.Setup) -> Void = { _ in }) -> [BoatTrial] {
        Self.seeds.map {
            var setup = BoatTrial.Setup(seed: $0)
            change(&setup)
            return BoatTrial(setup)
        }
    }

    /// The trials' errors together.
    private func together(_ trials: [BoatTrial], _ errors: (BoatTrial) -> TrialErrors) -> TrialErrors {
        trials.reduce(TrialErrors()) { $0 + errors($1) }
    }

    /// What every boat has: a heading that is right to 2 degrees after a manoeuvre of 0.5 m/s2, sigmas that hold, and a
    /// position no worse than the receiver's.
    private func expectGood(_ trials: [BoatTrial], sourceLocation: SourceLocation = #_sourceLocation) {
        let after = together(trials, \.headingAfter)
        #expect(
            after.root < 2 * Angle.radiansPerDegree, "\(after.root.radiansInDegrees)", sourceLocation: sourceLocation)
        // A normal error is within its sigma 68 % of the time; the errors of one voyage are nearly one error.
        #expect(after.shareWithin > 0.6, "\(after.shareWithin)", sourceLocation: sourceLocation)
        for trial in trials {
            #expect(trial.headingAfter.largestRatio < 3.5, "\(trial.line)", sourceLocation: sourceLocation)
            #expect(trial.shareAligned > 0.95, "\(trial.line)", sourceLocation: sourceLocation)
            // Of the correlated error of a receiver more may be held on one voyage than the receiver itself holds.
            #expect(
                trial.position.root < max(1.25 * trial.fixes.root, 0.5), "\(trial.line)", sourceLocation: sourceLocation
            )
            #expect(trial.resetCount == 0 && !trial.hasRested, "\(trial.line)", sourceLocation: sourceLocation)
        }
    }

    @Test func aManoeuvreShowsTheHeading() {
        // GIVEN hulls without a magnetometer WHEN they turn by 90 degrees at 0.5 m/s2
        let trials = voyages()
        // THEN the heading is right from then on
        expectGood(trials)
        // AND before, where waves alone show it, there is none, or its sigma tells how vague it is
        let before = together(trials, \.headingBefore)
        #expect(trials.allSatisfy { $0.secondsWithoutHeading > 10 })
        #expect(before.shareWithin > 0.5 && before.largestRatio < 5, "\(before.shareWithin) \(before.largestRatio)")
    }

    @Test func aMagnetometerHoldsTheHeading() {
        // GIVEN hulls with iron of 4 uT WHEN they have turned a whole circle
        let trials = voyages {
            $0.hasMagnetometer = true
            $0.firstTurnDegrees = 360
        }
        // THEN the heading is right
        expectGood(trials)
    }

    @Test func theSettingsTurnTheSensor() {
        // GIVEN a sensor that lies anyhow in the hull, and settings that state it
        let trials = voyages { $0.sensorToBody = Quaternion(rotationVector: Vector3(0.3, -0.4, 2)) }
        // THEN the heading is that of the hull
        expectGood(trials)
    }

    @Test func aReceiverWithoutHeightsHoldsTheBoatOnTheWater() {
        // GIVEN receivers that tell neither height nor climb THEN all is as with one that does, and nothing climbs
        // faster than the waves lift it
        let trials = voyages { $0.tellsHeight = false }
        expectGood(trials)
        #expect(trials.allSatisfy { $0.largestClimb < 2 }, "\(trials.map(\.largestClimb).max() ?? 0)")
    }

    @Test func theCourseIsNoHeading() {
        // GIVEN a boat without an IMU that goes east
        var settings = FusionSettings()
        settings.profile = .boat
        var estimator = PoseEstimator(settings: settings)
        for second in 1...20 {
            let time = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (0.9, 0.2 + 5.0 * Double(second) / 6_378_000)
            fix.horizontalSigmaMeters = 3
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 5 / 0.62, northMetersPerSecond: 0)
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN a position and a velocity are published, and no heading
        #expect(estimator.estimate.position != nil && estimator.estimate.velocityENUMetersPerSecond != nil)
        #expect(estimator.estimate.bodyToENU == nil && estimator.estimate.headingSigmaRadians == nil)
    }

    @Test func aToldMountIsAPartOfTheSigmas() {
        // GIVEN the same boat with a mount known to 5 degrees
        var setup = BoatTrial.Setup(seed: 2)
        setup.sensorToBody = .identity
        setup.sensorToBodySigmaRadians = 5 * Angle.radiansPerDegree
        let vague = BoatTrial(setup)
        // THEN every heading is within the sigma that states it, as the mount is right
        #expect(vague.headingAfter.shareWithin == 1 && vague.headingAfter.largestRatio < 0.5, "\(vague.line)")
    }

    @Test(arguments: [(nil, -1.0), (Quaternion(rotationVector: Vector3(0, 0, .pi)), 1)] as [(Quaternion?, Double)])
    func aToldAntennaSwingsWithTheHull(mount: Quaternion?, east: Double) throws {
        // GIVEN an antenna 2 m ahead of the sensor, which lies as the hull does or is turned by half a turn, and whose
        // gyro has a bias of 0.1 rad/s WHEN it shows a turn of 0.6 rad/s, and the hull points to the north of the level
        // frame
        var settings = FusionSettings()
        settings.profile = .boat
        (settings.antennaLeverArmBodyMeters, settings.sensorToBody) = (Vector3(2, 0, 0), mount)
        var estimator = PoseEstimator(settings: settings)
        estimator.attitude.gyroBias = Vector3(0, 0, 0.1)
        let time = MonotonicTime(nanoseconds: 1_000_000_000)
        let sample = DelayedMeasurementBuffer.Sample(
            time: time, angularRate: Vector3(0, 0, 0.6), specificForce: Vector3(0, 0, 9.8), meanAngularRate: .zero,
            isStill: false, noise: IMUNoiseEstimator.Density())
        estimator.noteAntennaSwing(sample, toLevel: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        // THEN the antenna goes at 1 m/s across it
        let swing = try #require(estimator.antennaSwings?.newest)
        #expect((swing.value - Vector3(east, 0, 0)).length < 1e-9 && swing.time == time, "\(swing)")
    }
}
