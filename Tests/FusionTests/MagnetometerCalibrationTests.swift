import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Magnetic north, iron and delay, found on the way.
@Suite struct MagnetometerCalibrationTests {
    /// The Earth's field in a level frame that is turned by 0.4 rad against magnetic east-north-up, tesla.
    private static let field = Vector3(sin(0.4) * 20e-6, cos(0.4) * 20e-6, -44e-6)

    /// Readings of a sensor that is turned about all axes, through a calibration; the disturbance is added in the level
    /// frame.
    private func run(
        seconds: Double, iron: Vector3 = .zero, lag: Double = 0, seed: UInt64 = 4, turns: Double = 1,
        calibration start: MagnetometerCalibration? = nil, gyroBiasSigma: Double = 0,
        disturbance: (Double) -> Vector3 = { _ in .zero }
    ) -> MagnetometerCalibration {
        var random = RandomSource(seed: seed, use: 1)
        var calibration = start ?? MagnetometerCalibration()
        func attitude(_ t: Double) -> Quaternion {
            Quaternion(rotationVector: Vector3(0, 0, 1.3 * t * turns))
                * Quaternion(rotationVector: Vector3(sin(0.9 * t * turns), 0, 0))
                * Quaternion(rotationVector: Vector3(0, 1.2 * sin(0.53 * t * turns), 0))
        }
        for k in 0..<Int(seconds * 100) {
            let t = Double(k) * 0.01
            let now = attitude(t)
            let rate = (attitude(t - 0.001).inverse * attitude(t + 0.001)).rotationVector / 0.002
            let seen =
                attitude(t - lag).inverse.rotate(Self.field + disturbance(t)) + iron + random.gaussianVector() * 0.3e-6
            calibration.add(seen, axes: SensorAxes(now), rate: rate)
            if k % 10 == 9 {
                calibration.step(
                    seconds: 0.1, yawVariance: 1e-7, still: turns == 0, gyroBiasSigma: gyroBiasSigma)
            }
        }
        return calibration
    }

    private func headingError(_ calibration: MagnetometerCalibration) -> Double {
        abs(Angle.wrappedToPi((calibration.levelToMagneticRadians ?? .pi) - 0.4)).radiansInDegrees
    }

    @Test(arguments: [UInt64(4), 5, 6]) func ironAndDelayAreFound(seed: UInt64) {
        // GIVEN 25 uT of iron on the sensor's side, more than the horizontal field, and readings that are 15 ms late
        let iron = Vector3(18e-6, -12e-6, 12e-6)
        let found = run(seconds: 60, iron: iron, lag: 0.015, seed: seed, turns: 5)
        // THEN after a minute of quick turning (a delay shows only where the field turns quickly) north is right to 2
        // deg, the iron to 1 uT and the delay to 3 ms
        #expect(headingError(found) < 2)
        #expect((found.hardIron - iron).length < 1e-6)
        #expect(abs(found.lagSeconds - 0.015) < 0.003)
    }

    @Test func aPassingMagnetIsNotFollowed() {
        // GIVEN a field of 40 uT from the east for 6 s, after a calm minute
        let calm = run(seconds: 60)
        let found = run(seconds: 6, calibration: calm) { _ in Vector3(40e-6, 0, 10e-6) }
        // THEN it is told apart, and north stays within 3 deg
        #expect(found.isDisturbed)
        #expect(headingError(found) < 3)
    }

    @Test func aFieldThatStaysIsTakenInTheEnd() {
        // GIVEN a field that has changed for good (another building), by 30 deg in direction and a fifth in strength
        let calm = run(seconds: 60)
        let change = Vector3(12e-6, 2e-6, 9e-6)
        let expected = atan2(Self.field.x + change.x, Self.field.y + change.y)
        let found = run(seconds: 60, calibration: calm) { _ in change }
        // THEN it is taken after a bounded wait
        #expect(abs(Angle.wrappedToPi((found.levelToMagneticRadians ?? .pi) - expected)).radiansInDegrees < 3)
        #expect(!found.isDisturbed)
    }

    @Test func aBodyAtRestKeepsItsHeading() {
        // GIVEN a calibrated sensor at rest WHEN something magnetic is laid beside it, slowly enough to pass for the
        // Earth's field
        let calm = run(seconds: 60)
        let before = calm.levelToMagneticRadians
        let found = run(seconds: 120, turns: 0, calibration: calm) { t in Vector3(5e-6, 0, 0) * min(t / 60, 1) }
        // THEN the gyro alone holds the heading
        #expect(found.levelToMagneticRadians == before)
    }

    @Test func aTurnThatNoSampleShowedEndsAHeldHeading() {
        // GIVEN a calibrated sensor on a vehicle that rests
        let calm = run(seconds: 5, turns: 0, calibration: run(seconds: 60))
        // WHEN its level frame may have turned by a radian without a sample, and the field is seen half a radian aside
        let seen = Vector3(sin(0.9) * 20e-6, cos(0.9) * 20e-6, -44e-6)
        var unsure = calm
        unsure.add(seen, axes: SensorAxes(.identity), rate: .zero)
        unsure.step(seconds: 0.1, yawVariance: 1, still: true)
        let found = run(seconds: 5, turns: 0, calibration: unsure) { _ in seen - Self.field }
        // THEN the readings show the turn, also at rest
        let error = Angle.wrappedToPi((found.levelToMagneticRadians ?? .pi) - 0.9).radiansInDegrees
        #expect(abs(error) < 5, "\(error) deg")
        // AND without such a doubt the field has changed, and the heading is held
        #expect(headingError(run(seconds: 5, turns: 0, calibration: calm) { _ in seen - Self.field }) < 1)
    }

    @Test func aGyroThatMayHaveDriftedHoldsNoHeading() throws {
        // GIVEN a calibrated sensor at rest whose gyro is known to 0.001 rad/s, and drifts by half of that
        let calm = run(seconds: 60)
        func rest(_ seconds: Double) -> MagnetometerCalibration {
            run(seconds: seconds, turns: 0, calibration: calm, gyroBiasSigma: 0.001) { t in
                Quaternion(rotationVector: Vector3(0, 0, -0.0005 * t)).rotate(Self.field) - Self.field
            }
        }
        // THEN the gyro holds the heading for 50 s, and the sigmas contain what it may have turned
        let held = rest(40)
        #expect(held.levelToMagneticRadians == calm.levelToMagneticRadians)
        #expect(abs(held.headingSigma - hypot(calm.headingSigma, 0.04)) < 1e-6)
        #expect(abs(held.statedHeadingSigma - hypot(calm.statedHeadingSigma, 0.04)) < 1e-6)
        // AND from then on the field shows it: after 150 s it has turned by 0.075 rad
        let found = try #require(rest(150).levelToMagneticRadians)
        #expect(abs(Angle.wrappedToPi(found - 0.475)) < 0.025, "\(found)")
    }

    @Test(arguments: [true, false]) func theSigmaIsHonest(isFastened: Bool) {
        // GIVEN a sensor that has not turned yet, with 10 uT of iron that nobody knows of
        let start = MagnetometerCalibration(isFastened: isFastened)
        let found = run(seconds: 5, iron: Vector3(8e-6, -6e-6, 0), turns: 0, calibration: start)
        // THEN its heading is wrong by up to 25 deg, but not by more than two of its sigmas, and it is not calibrated
        #expect(headingError(found).degreesInRadians < 2 * found.statedHeadingSigma)
        #expect(found.status?.state == .collecting)
        // WHEN it has turned THEN the sigma is a few degrees: most of it what the field differs from place to place
        let turned = run(seconds: 60, calibration: start)
        #expect(turned.headingSigma < 6.0.degreesInRadians && turned.status?.state == .calibrated)
    }

    @Test func withoutADeclinationTheMagneticHeadingAloneIsKnown() throws {
        // GIVEN IMU and magnetometer, the field's declination 3 deg east
        var suite = SensorSuite()
        suite.satellite = nil
        suite.magnetometer = SensorSuite.Magnetometer()
        var plan = WalkPlan()
        plan.seed = 7
        plan.durationSeconds = 90
        var settings = FusionSettings()
        settings.profile = .wearable
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: 7)
        var estimator = PoseEstimator(settings: settings)
        for event in walk { _ = estimator.ingest(event) }
        let end = estimator.estimate
        let truth = EulerAngles(bodyToENU: walk.truth(at: end.time).bodyToENU).headingTrueRadians
        // THEN the magnetic heading is known and right, the true one is not stated
        #expect(end.headingSigmaRadians == nil)
        let magnetic = try #require(end.headingMagneticRadians)
        #expect(abs(Angle.wrappedToPi(magnetic - truth + 3.0.degreesInRadians)) < 3.0.degreesInRadians)
        // WHEN a fix tells the declination THEN the true heading follows
        var fix = GnssFix(validityTime: end.time, arrivalTime: end.time, mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.magneticVariationRadians) = (0.8, 0.2, 3.0.degreesInRadians)
        _ = estimator.ingest(.gnss(fix))
        let next = InertialSample(
            time: end.time.advanced(bySeconds: 0.01), angularRateRadiansPerSecond: .zero,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8))
        _ = estimator.ingest(.inertial(next))
        let told = estimator.estimate
        #expect((told.headingSigmaRadians ?? 1) < 0.15)
        let heading = EulerAngles(bodyToENU: try #require(told.bodyToENU)).headingTrueRadians
        #expect(abs(Angle.wrappedToPi(heading - truth)) < 3.0.degreesInRadians)
    }

    @Test func theReadingThatShowsAHiddenTurnCountsAsAnyOther() throws {
        // GIVEN a compass in a hand, in a level field WHEN a turn of a radian was hidden, and the next reading shows
        // half a radian THEN the heading is that of the reading
        var found = MagnetometerCalibration(isFastened: false)
        func read(_ heading: Double) {
            let field = Vector3(sin(heading), cos(heading), 0) * 48e-6
            found.add(field, axes: SensorAxes(.identity), rate: .zero)
            found.step(seconds: 0.1, yawVariance: 0, still: false)
        }
        read(0)
        #expect(!found.hasFoundHiddenTurn && !MagnetometerCalibration().hasFoundHiddenTurn)
        found.noteHiddenTurn(variance: 1)
        read(0.5)
        #expect(found.hasFoundHiddenTurn && abs((found.levelToMagneticRadians ?? .pi) - 0.5) < 1e-9)
        // AND what is left of it counts as a tenth of a second of a field that differs by 7 % for 30 s: 0.07^2 30 / 0.1
        let turn = try #require(found.yawObservation)
        #expect(abs(turn.radians) < 1e-9 && abs(turn.variance - 1.47) < 1e-9, "\(turn)")
    }
}
