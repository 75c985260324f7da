import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What a hand turns while no sample comes, and what the attitude filter says of it.
@Suite struct HiddenTurnTests {
    /// A sensor in a hand that turns about all axes or rests, with a filter that follows it.
    private struct Hand {
        /// The Earth's field in magnetic east-north-up, and iron on the sensor's side, tesla.
        private static let field = Vector3(0, 20e-6, -44e-6)
        private static let iron = Vector3(1e-6, -1.5e-6, 0.5e-6)

        private(set) var filter = AttitudeFilter(profile: .wearable)
        private(set) var truth = Quaternion.identity
        private var seconds = 0.0
        var hasCompass = true

        /// Goes on at 100 Hz; `watch` sees the hand after each sample.
        mutating func goOn(for duration: Double, rests: Bool = false, watch: (Hand) -> Void = { _ in }) {
            for _ in 0..<Int(duration * 100) {
                seconds += 0.01
                let rate =
                    rests
                    ? .zero
                    : Vector3(1.5 * sin(0.7 * seconds), 1.2 * sin(0.43 * seconds), 1.4 * sin(0.57 * seconds + 2))
                // A hand shakes, about one place.
                let push =
                    rests ? .zero : Vector3(0.8 * sin(11.3 * seconds), 0.5 * sin(5.7 * seconds), cos(11.3 * seconds))
                truth = (truth * Quaternion(rotationVector: rate * 0.01)).normalized
                let sample = InertialSample(
                    time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds),
                    angularRateRadiansPerSecond: rate,
                    specificForceMetersPerSecondSquared: truth.inverse.rotate(Vector3(0, 0, 9.806_65) + push))
                filter.update(sample, still: rests, meanAngularRate: .zero)
                if hasCompass { filter.update(magneticField: truth.inverse.rotate(Self.field) + Self.iron) }
                watch(self)
            }
        }

        /// Turns without a sample, by a rotation vector, east, north, up.
        mutating func turnUnseen(_ turn: Vector3, seconds duration: Double) {
            seconds += duration
            truth = (Quaternion(rotationVector: turn) * truth).normalized
        }

        /// Turns about up beyond the gyro's range, radians; what that has hidden is taken for another turn.
        mutating func turnBeyondTheRange(by turn: Double, assumed: Double) {
            seconds += 0.01
            var saturated = SaturatedMotion()
            saturated.turn = truth.inverse.rotate(Vector3(0, 0, assumed))
            truth = (Quaternion(rotationVector: Vector3(0, 0, turn)) * truth).normalized
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: truth.inverse.rotate(Vector3(0, 0, 9.806_65)))
            filter.update(sample, still: false, meanAngularRate: .zero, saturated: saturated)
        }

        /// Error of the magnetic heading, radians; `nil` where none is known.
        var headingError: Double? {
            filter.sensorToMagneticENU.map { abs(($0 * truth.inverse).rotationVector.z) }
        }

        /// Error of the level, radians.
        var tiltError: Double {
            acos(min(max(filter.attitude.inverse.rotate(.unitZ).dot(truth.inverse.rotate(.unitZ)), -1), 1))
        }
    }

    @Test(arguments: [(0.8, 30.0, true), (5, 90, true), (5, 90, false), (60, 170, true), (60, 170, false)])
    func aReadingShowsTheHeadingAfterAGap(gap: Double, degrees: Double, rests: Bool) {
        // GIVEN a hand with a compass that knows its iron, and rests for a second WHEN it turns about up while no
        // sample comes
        var hand = Hand()
        hand.goOn(for: 2, rests: true)
        hand.goOn(for: 120)
        hand.goOn(for: 1, rests: true)
        let sigma = hand.filter.findings.magneticHeadingSigma
        #expect(sigma < 3.0.degreesInRadians, "\(sigma)")
        hand.turnUnseen(Vector3(0, 0, degrees.degreesInRadians), seconds: gap)
        var (count, known, beyond, worst) = (0, 0, 0, 0.0)
        hand.goOn(for: 20, rests: rests) { hand in
            count += 1
            guard let error = hand.headingError else { return }
            known += 1
            if count > 20, error > 3 * hand.filter.findings.magneticHeadingSigma { beyond += 1 }
            if count > (rests ? 200 : 500) { worst = max(worst, error.radiansInDegrees) }
        }
        // THEN the heading is never wronger than it says, and right with the first readings, which come when the level
        // is known: after a moment of rest or three seconds of motion
        #expect(beyond == 0 && known > (rests ? 1900 : 1600), "\(beyond) of \(known)")
        #expect(worst < 5, "\(worst) deg")
    }

    @Test(arguments: [-15.0, 15]) func aTiltInAGapIsNoTurn(degrees: Double) {
        // GIVEN a hand in motion whose compass knows its iron WHEN it leans while no sample comes, and does not turn
        var hand = Hand()
        hand.goOn(for: 2, rests: true)
        hand.goOn(for: 120)
        hand.turnUnseen(Vector3(degrees.degreesInRadians, 0, 0), seconds: 0.8)
        var (count, beyond, worst) = (0, 0, 0.0)
        hand.goOn(for: 30) { hand in
            count += 1
            guard let error = hand.headingError else { return }
            if count > 20, error > 3 * hand.filter.findings.magneticHeadingSigma { beyond += 1 }
            if count > 2000 { worst = max(worst, error.radiansInDegrees) }
        }
        // THEN the heading is never wronger than it says, and right when the level is
        #expect(beyond == 0, "\(beyond) of \(count)")
        #expect(worst < 5, "\(worst) deg")
    }

    @Test func untilAReadingComesTheHiddenTurnIsInTheSigma() {
        // GIVEN a hand whose compass knows its iron WHEN no sample comes for 0.8 s, and no reading for 2 s more
        var hand = Hand()
        hand.goOn(for: 2, rests: true)
        hand.goOn(for: 60)
        hand.goOn(for: 1, rests: true)
        hand.turnUnseen(.zero, seconds: 0.8)
        hand.hasCompass = false
        hand.goOn(for: 2, rests: true)
        // THEN the heading may have turned by 0.3 rad/s, all the time
        let waiting = hand.filter.findings.magneticHeadingSigma
        #expect(waiting > 0.24 && waiting < 0.27, "\(waiting)")
        hand.hasCompass = true
        hand.goOn(for: 0.3, rests: true)
        #expect(hand.filter.findings.magneticHeadingSigma < 0.1)
    }

    @Test func untilAReadingComesTheTurnBeyondTheRangeIsInTheSigma() {
        // GIVEN a hand whose compass knows its iron WHEN it turns beyond the range of its gyro, by 0.25 rad that are
        // taken for 0.4 rad, and no reading comes for 2 s
        var hand = Hand()
        hand.goOn(for: 2, rests: true)
        hand.goOn(for: 60)
        hand.goOn(for: 1, rests: true)
        hand.hasCompass = false
        hand.turnBeyondTheRange(by: 0.25, assumed: 0.4)
        hand.goOn(for: 2, rests: true)
        // THEN 0.6 of what was assumed are in the sigma, all the time (eq. 12.14, eq. 8.23)
        let waiting = hand.filter.findings.magneticHeadingSigma
        #expect(waiting > 0.24 && waiting < 0.26, "\(waiting)")
        #expect((hand.headingError ?? 9) < waiting)
        // AND the first readings show the turn
        hand.hasCompass = true
        hand.goOn(for: 0.3, rests: true)
        let shown = hand.filter.findings.magneticHeadingSigma
        #expect(shown < 0.1 && (hand.headingError ?? 9) < 0.1, "\(shown)")
    }

    @Test func theReadingsShowAShortGapInTheLongRun() {
        // GIVEN a hand whose compass knows its iron WHEN it turns by 7 deg while no sample comes for 0.4 s
        var hand = Hand()
        hand.goOn(for: 2, rests: true)
        hand.goOn(for: 60)
        hand.goOn(for: 1, rests: true)
        hand.turnUnseen(Vector3(0, 0, 7.0.degreesInRadians), seconds: 0.4)
        hand.goOn(for: 1, rests: true)
        // THEN that is within the sigma of the heading, which has what 0.3 rad/s make of the gap
        let first = hand.filter.findings.magneticHeadingSigma
        #expect(first > 0.11 && first < 0.14, "\(first)")
        #expect((hand.headingError ?? 9) < 3 * first)
        // AND two minutes of motion make it smaller
        hand.goOn(for: 120)
        let later = hand.filter.findings.magneticHeadingSigma
        #expect(later < 0.09 && (hand.headingError ?? 9) < 3 * later, "\(later)")
    }

    @Test(arguments: [(1.5, 25.0), (2, 30), (5, 60), (60, 90)])
    func theLevelIsSearchedAnewAfterASecond(gap: Double, degrees: Double) {
        // GIVEN a hand in motion WHEN its level changes while no sample comes
        var hand = Hand()
        hand.hasCompass = false
        hand.goOn(for: 60)
        let known = hand.filter.gyroBiasSigma
        hand.turnUnseen(Vector3(degrees.degreesInRadians, 0, 0), seconds: gap)
        var (count, beyond) = (0, 0)
        hand.goOn(for: 20) { hand in
            count += 1
            guard count > 50 else { return }
            if hand.tiltError > 3 * hand.filter.findings.tiltSigma * 2.0.squareRoot() { beyond += 1 }
        }
        // THEN it is never wronger than three sigmas of both axes
        #expect(hand.filter.restartCount == 1 && beyond == 0, "\(beyond) of \(count)")
        // AND what was known of the gyro stays known
        #expect(hand.filter.gyroBiasSigma < 1.1 * known, "\(hand.filter.gyroBiasSigma) \(known)")
    }

    @Test func aVehicleKeepsItsLevelOverAGap() {
        // GIVEN a vehicle at rest WHEN no sample comes for five seconds THEN nothing is searched anew
        var filter = AttitudeFilter(profile: .vehicle)
        for k in 0..<200 {
            let seconds = 0.01 * Double(k) + (k < 100 ? 0 : 5)
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            filter.update(sample, still: true, meanAngularRate: .zero)
        }
        #expect(filter.restartCount == 0)
    }

    /// The compass of a person at one place, whose sensor is level, in a horizontal field.
    private struct HeldCompass {
        private(set) var filter = AttitudeFilter(profile: .wearable)

        /// Three readings from north, after which the bias about up is known to a 1-sigma, rad/s.
        init(biasSigma: Double) {
            for _ in 0..<3 { step(reading: 0) }
            filter.covariance[8, 8] = biasSigma * biasSigma
        }

        /// A tenth of a second, with a reading of a field so far to the right of north, radians, or without one.
        mutating func step(reading: Double?) {
            if let reading {
                let field = Quaternion(rotationVector: Vector3(0, 0, -reading)).rotate(Vector3(0, 48e-6, 0))
                filter.magnetometer.add(field, axes: SensorAxes(.identity), rate: .zero)
            }
            filter.interval.add(
                axes: SensorAxes(.identity), force: Vector3(0, 0, 9.806_65), rate: .zero, seconds: 0.1)
            filter.step(still: false, meanAngularRate: .zero, restNoise: .zero)
        }

        /// Variance of the magnetic heading, rad2.
        var variance: Double { filter.magnetometer.statedHeadingSigma * filter.magnetometer.statedHeadingSigma }
    }

    @Test func withoutReadingsTheHeadingIsAsUnsureAsTheGyro() {
        // GIVEN a gyro whose bias is known to 0.01 rad/s WHEN the readings end for ten seconds
        var compass = HeldCompass(biasSigma: 0.01)
        let before = compass.variance
        for _ in 0..<100 { compass.step(reading: nil) }
        // THEN the heading may have turned by 0.1 rad (eq. 8.23), beside a hundredth of a radian by noise and field
        let silent = compass.variance
        #expect(abs(silent - before - 0.01) < 5e-4, "\(silent - before)")
        // AND readings that come back begin anew, with what has been hidden until they show it
        for _ in 0..<20 { compass.step(reading: 0) }
        let read = compass.variance
        #expect(read < silent && read > before, "\(before) \(silent) \(read)")
    }

    @Test func theFirstReadingAfterASilenceShowsWhatTheGyroHasDrifted() throws {
        // GIVEN a gyro whose bias is known to 0.05 rad/s WHEN the readings end for ten seconds, in which it may drift
        // by half a radian, and the next one shows 0.4 rad
        var compass = HeldCompass(biasSigma: 0.05)
        for _ in 0..<100 { compass.step(reading: nil) }
        compass.step(reading: 0.4)
        // THEN the heading is that of the reading: it is no disturbed field, and no iron
        let heading = try #require(compass.filter.magnetometer.levelToMagneticRadians)
        #expect(abs(heading - 0.4) < 0.01, "\(heading)")
        #expect(!compass.filter.magnetometer.isDisturbed)
    }

    @Test func aSilenceOfLessThanTwoSecondsHidesNoTurn() throws {
        // GIVEN the same WHEN a reading comes after 1.7 s, half a radian aside THEN it is refused as before: the
        // readings of a slow sensor are no silence
        var compass = HeldCompass(biasSigma: 0.05)
        for _ in 0..<17 { compass.step(reading: nil) }
        compass.step(reading: 0.5)
        let heading = try #require(compass.filter.magnetometer.levelToMagneticRadians)
        #expect(abs(heading) < 0.1 && compass.filter.magnetometer.isDisturbed, "\(heading)")
    }

    @Test(arguments: [(0.0, 0.0), (1, 0.414_00)]) func aVehicleThatMayHaveTurnedUnseenFollowsItsFieldAtRest(
        hidden: Double, turned: Double
    ) throws {
        // GIVEN a vehicle at rest in a level field, which holds its heading WHEN a gap may have hidden a turn of a
        // radian and the field is half a radian aside THEN across the field 1.005 of 1.103 are followed, and along it
        // 0.005 of 0.103; without the gap that is a disturbance
        var filter = AttitudeFilter(profile: .vehicle)
        for (angle, variance) in [(0.0, 0.0), (0, 0), (-0.5, hidden)] {
            filter.unseen.turnVariance = variance
            let field = Quaternion(rotationVector: Vector3(0, 0, angle)).rotate(Vector3(0, 48e-6, 0))
            filter.magnetometer.add(field, axes: SensorAxes(.identity), rate: .zero)
            filter.interval.add(
                axes: SensorAxes(.identity), force: Vector3(0, 0, 9.806_65), rate: .zero, seconds: 0.1)
            filter.step(still: true, meanAngularRate: .zero, restNoise: .zero)
        }
        let heading = try #require(filter.magnetometer.levelToMagneticRadians)
        #expect(abs(heading - turned) < 1e-4, "\(heading)")
        // AND its sigma is that of any iron, which no turn of the sensor has shown
        #expect(hidden == 0 || abs(filter.magnetometer.headingSigma - 0.608_13) < 1e-4)
    }

    @Test func aHiddenTurnBeginsTheTurnOfTheLevelAnew() {
        // GIVEN a hand whose level frame may have turned since its first magnetic reading
        var filter = AttitudeFilter(profile: .wearable)
        func step(_ field: Vector3?) {
            if let field { filter.magnetometer.add(field, axes: SensorAxes(.identity), rate: .zero) }
            filter.interval.add(
                axes: SensorAxes(.identity), force: Vector3(0, 0, 9.806_65), rate: .zero, seconds: 0.1)
            filter.step(still: false, meanAngularRate: .zero, restNoise: .zero)
        }
        let north = Vector3(0, 48e-6, 0)
        for field in [north, nil] { step(field) }
        let turned = filter.covariance[2, 2]
        #expect(turned > 0)
        // WHEN a gap hides a turn of a radian, and a reading shows it THEN the turn is that since this reading
        filter.magnetometer.noteHiddenTurn(variance: 1)
        step(Quaternion(rotationVector: Vector3(0, 0, -0.5)).rotate(north))
        let begun = filter.covariance[2, 2]
        #expect(begun == 0)
    }
}
