import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The mount: found by itself however the device sits, known from an earlier drive or from the settings, and dropped
/// where the drive contradicts it.
@Suite struct MountTests {
    /// A mount kept from an earlier drive, a good one, with the device turned since by an angle about one of the body's
    /// axes.
    private static func kept(_ axis: Vector3 = .unitZ, degrees: Double = 0) -> (Quaternion) -> MountEstimate {
        { truth in
            let moved = Quaternion(rotationVector: axis * degrees.degreesInRadians) * truth
            return MountEstimate(sensorToBody: moved, sigmaBodyRadians: Vector3(repeating: 0.005), origin: .found)
                .onTheNextDrive
        }
    }

    @Test func thereAre24Orientations() {
        #expect(MountTrial.axisOrientations.count == 24)
        // THEN no two are the same
        for (index, turn) in MountTrial.axisOrientations.enumerated() {
            for other in MountTrial.axisOrientations[..<index] {
                #expect((turn * other.inverse).rotationVector.length > 1)
            }
        }
    }

    @Test(arguments: 0..<24) func everyOrientationIsFoundWithinAMinute(orientation: Int) throws {
        // GIVEN a device along any of the 24 axis orientations and turned from there by tens of degrees about all axes,
        // on a drive of its own
        var random = RandomSource(seed: UInt64(orientation), use: 21)
        let askew = Quaternion(
            rotationVector: Vector3(random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7)))
        let trial = try MountTrial(
            seed: UInt64(100 + orientation), mount: askew * MountTrial.axisOrientations[orientation])
        // THEN a minute of driving finds it: to 1.5 degrees, of which half is roll and pitch against a road that is not
        // level, and says how well
        #expect((trial.drivingSecondsToAligned ?? .infinity) < 60)
        #expect(trial.mountErrorAfterAMinute < 1.5)
        #expect(trial.statedSigmaAfterAMinute < 1)
        #expect(trial.finalHeadingError < 1)
        // Two sigmas off: as the filter begins that may be, for a moment.
        #expect(trial.wronglySureSeconds < 0.5)
        #expect(trial.estimator.mount?.origin == .found)
    }

    @Test(arguments: [UInt64(2), 3, 5, 8], [false, true]) func aMountThatIsKeptAlignsSooner(
        seed: UInt64, movingStart: Bool
    ) throws {
        // GIVEN the same drive without and with the mount of the drive before
        let without = try MountTrial(seed: seed, movingStart: movingStart)
        let with = try MountTrial(seed: seed, movingStart: movingStart, prior: Self.kept())
        // THEN the second is aligned sooner: on the move, where the level cannot be found at rest, by seconds; and no
        // worse in the end
        let (slow, quick) = (try #require(without.drivingSecondsToAligned), try #require(with.drivingSecondsToAligned))
        #expect(quick < slow)
        if movingStart { #expect(quick < slow - 3) }
        #expect(with.estimator.mounts.contradictionCount == 0)
        #expect(with.finalMountError < 1)
        #expect(with.wronglySureSeconds == 0)
    }

    /// An axis of the body.
    enum Axis: CaseIterable {
        case forward, left, up

        var vector: Vector3 { self == .forward ? .unitX : self == .left ? .unitY : .unitZ }
    }

    @Test(
        arguments: [
            (Axis.forward, 15.0), (.left, -40), (.forward, 180), (.up, 90), (.up, 180), (.up, -60),
        ], [UInt64(2), 7]) func aDeviceThatWasMovedIsFoundAnew(move: (axis: Axis, degrees: Double), seed: UInt64) throws
    {
        // GIVEN a kept mount, and a device that was put in otherwise since
        let trial = try MountTrial(seed: seed, prior: Self.kept(move.axis.vector, degrees: move.degrees))
        // THEN gravity or the drive contradicts it, it is dropped, and the true one found as if there had been none
        #expect(trial.estimator.mounts.contradictionCount == 1)
        #expect(trial.estimator.mounts.prior == nil)
        #expect((trial.drivingSecondsToAligned ?? .infinity) < 60)
        #expect(trial.finalMountError < 1)
        #expect(trial.finalHeadingError < 1)
        #expect(trial.wronglySureSeconds == 0)
    }

    @Test(arguments: [5.0, 10, 15]) func aDeviceThatWasTurnedALittleIsCorrected(degrees: Double) throws {
        // GIVEN a device that was turned by less than any test can tell at once
        let trial = try MountTrial(seed: 9, prior: Self.kept(degrees: degrees))
        // THEN the filter itself turns the mount, and the heading is right in the end
        #expect(trial.finalMountError < 1)
        #expect(trial.finalHeadingError < 1)
        #expect(trial.wronglySureSeconds == 0)
    }

    @Test func aFalseMountInTheSettingsIsDropped() throws {
        // GIVEN settings that have the device upside down
        var settings = FusionSettings()
        settings.sensorToBody = SensorSuite.random(seed: 4).inertial.map {
            Quaternion(rotationVector: Vector3(.pi, 0, 0)) * $0.sensorToBody
        }
        let trial = try MountTrial(seed: 4, settings: settings)
        // THEN the drive is believed, not the settings, and that is known
        #expect(trial.estimator.mounts.isConfiguredRefused)
        #expect(trial.finalMountError < 1)
        #expect(trial.finalHeadingError < 1)
    }

    @Test func aKeptMountAgainstTheSettingsIsNotTaken() {
        // GIVEN a mount in the settings WHEN one that is another is offered THEN the settings hold; one that is the
        // same but surer is taken
        var settings = FusionSettings()
        settings.sensorToBody = .identity
        var estimator = PoseEstimator(settings: settings)
        let other = MountEstimate(
            sensorToBody: Quaternion(rotationVector: .unitZ), sigmaBodyRadians: Vector3(repeating: 0.01), origin: .kept)
        let takesOther = estimator.offer(mount: other)
        #expect(!takesOther)
        #expect(estimator.mount?.origin == .configured)
        let surer = MountEstimate(
            sensorToBody: Quaternion(rotationVector: .unitZ * 0.02), sigmaBodyRadians: Vector3(repeating: 0.01),
            origin: .kept)
        let takesSurer = estimator.offer(mount: surer)
        #expect(takesSurer)
        #expect(estimator.mount == surer)
    }

    @Test func whatIsNoMountIsNotTaken() {
        let sigma = Vector3(repeating: 0.01)
        let bad = [
            (Quaternion(w: .nan, x: 0, y: 0, z: 0), sigma), (Quaternion(w: 2, x: 0, y: 0, z: 0), sigma),
            (.identity, Vector3(0.01, .nan, 0.01)),
            (.identity, Vector3(0.01, 0.01, 0)), (.identity, Vector3(0.01, 0.01, .infinity)),
            (.identity, Vector3(0.01, -0.01, 0.01)),
        ]
        for (turn, sigma) in bad {
            var estimator = PoseEstimator()
            let isTaken = estimator.offer(
                mount: MountEstimate(sensorToBody: turn, sigmaBodyRadians: sigma, origin: .kept))
            #expect(!isTaken)
            #expect(estimator.mount == nil)
        }
    }

    @Test func aWearableHasNoMount() {
        // GIVEN a wearable, which has no vehicle's axes WHEN a mount is offered THEN it is not taken, and none is
        // published
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        let isTaken = estimator.offer(
            mount: MountEstimate(sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.01), origin: .kept))
        #expect(!isTaken)
        var suite = SensorSuite()
        suite.satellite = .rtk
        var plan = WalkPlan()
        plan.durationSeconds = 60
        for event in SimulatedWalk(walk: Walk(plan), sensors: suite, seed: 3) { _ = estimator.ingest(event) }
        #expect(estimator.estimate.position != nil)
        #expect(estimator.mount == nil)
    }

    @Test func aGapInTheSamplesKeepsTheMount() throws {
        // GIVEN a drive under way with its mount found WHEN the IMU is silent for 5 s
        let drive = try Drive(.random(seed: 3, edges: 6))
        let suite = SensorSuite.random(seed: 3)
        let mount = try #require(suite.inertial?.sensorToBody)
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: 3)
        let gap = drive.plan.standingSecondsBefore + 70
        var estimator = PoseEstimator()
        var alignedAfter: Double?
        for event in simulated {
            let seconds = event.arrivalTime.seconds
            if case .inertial = event, seconds > gap, seconds < gap + 5 { continue }
            _ = estimator.ingest(event)
            if seconds > gap + 5, alignedAfter == nil, estimator.estimate.state == .aligned {
                alignedAfter = seconds - gap - 5
            }
        }
        // THEN the next filter begins with it, within a few fixes, and it is right
        #expect((alignedAfter ?? .infinity) < 5)
        let found = try #require(estimator.mount)
        #expect((found.sensorToBody * mount.inverse).rotationVector.length.radiansInDegrees < 1)
    }
}
