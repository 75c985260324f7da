import Glibc
import PoseMath
import Testing

@testable import Fusion

/// What the first magnetic readings tell, how far they are followed, and which fields are the Earth's.
@Suite struct MagneticFieldTests {
    private static let strength = 48e-6
    private static let north = Vector3(0, strength, 0)

    /// Takes the readings of a step of a tenth of a second of a sensor that does not turn.
    private func add(_ reading: Vector3, to calibration: inout MagnetometerCalibration, still: Bool = false) {
        calibration.add(reading, axes: SensorAxes(.identity), rate: .zero)
        calibration.step(seconds: 0.1, yawVariance: 0, still: still)
    }

    /// A calibration after some readings.
    private func calibration(_ readings: [Vector3], isFastened: Bool = true) -> MagnetometerCalibration {
        var calibration = MagnetometerCalibration(isFastened: isFastened)
        for reading in readings { add(reading, to: &calibration) }
        return calibration
    }

    /// A field that points down by an angle, degrees.
    private func field(dip: Double, microtesla: Double = 48) -> Vector3 {
        Vector3(0, cos(dip.degreesInRadians), -sin(dip.degreesInRadians)) * (microtesla * 1e-6)
    }

    /// A calibration of a sensor that a minute has turned about all axes in a field, with the scale of its axes and its
    /// iron, tesla.
    private func turned(
        _ field: Vector3, seconds: Double = 60, scale: Vector3 = Vector3(repeating: 1), iron: Vector3 = .zero
    ) -> MagnetometerCalibration {
        var calibration = MagnetometerCalibration()
        for k in 0..<Int((10 * seconds).rounded()) {
            let t = Double(k) * 0.1
            let attitude =
                Quaternion(rotationVector: Vector3(0, 0, 1.3 * t))
                * Quaternion(rotationVector: Vector3(sin(0.9 * t), 0, 0))
                * Quaternion(rotationVector: Vector3(0, 1.2 * sin(0.53 * t), 0))
            calibration.add(attitude.inverse.rotate(field) * scale + iron, axes: SensorAxes(attitude), rate: .zero)
            calibration.step(seconds: 0.1, yawVariance: 0, still: false)
        }
        return calibration
    }

    @Test func theFirstReadingHasAnyIronInIt() {
        // GIVEN one reading of a level field THEN its direction is known but for 60 % of iron, 7 % that the field
        // differs from place to place, and a tenth of the square of the latter; about a person that differs less
        let (fastened, held) = (calibration([Self.north]), calibration([Self.north], isFastened: false))
        #expect(fastened.levelToMagneticRadians == 0)
        #expect(abs(fastened.headingSigma - 0.604_475) < 1e-5 && abs(held.headingSigma - 0.604_110) < 1e-5)
        #expect(fastened.statedHeadingSigma == fastened.headingSigma)
        #expect(fastened.status?.state == .collecting && held.status?.state == .collecting)
    }

    @Test(arguments: [(53.0, true), (54.5, false)])
    func aHeadingIsHeldBelowNineDegrees(dip: Double, isHeld: Bool) throws {
        // GIVEN a field that is so steep that its direction is known just better than 0.15 rad, or just worse, where a
        // calibration of the sensor holds
        let status = try #require(calibration([field(dip: dip)]).status)
        #expect(abs(status.dipRadians.radiansInDegrees - dip) < 1e-6)
        // WHEN the body rests and the field turns THEN the gyro holds the heading only where it is known
        var resting = calibration([field(dip: dip)])
        for _ in 0..<5 { add(field(dip: dip) + Vector3(2e-6, 0, 0), to: &resting, still: true) }
        #expect((resting.levelToMagneticRadians == 0) == isHeld)
    }

    @Test(arguments: [
        (19.9, MagnetometerStatus.State.implausible), (20.1, .calibrated), (73.9, .calibrated), (74.1, .implausible),
    ]) func aFieldThatIsNoneOfTheEarthsTellsNoHeading(microtesla: Double, state: MagnetometerStatus.State) throws {
        // GIVEN a sensor that has turned in a field just weaker or stronger than any at the surface THEN the heading
        // may be wrong by 20 degrees
        let status = try #require(turned(field(dip: 0, microtesla: microtesla)).status)
        #expect(status.state == state)
        #expect((status.headingSigmaRadians == 0.35) == (state == .implausible))
    }

    @Test(arguments: [(true, 0.047_711_18, 0.098, 8.745_43e-6), (false, 0.003_322_865, 1.47, 6.102_10e-7)])
    func aReadingCountsByHowLongTheFieldDiffers(isFastened: Bool, share: Double, noise: Double, iron: Double) throws {
        // GIVEN a field that turns by a hundredth WHEN a tenth of a second of it comes THEN it counts as one that
        // differs for 2 s on the way, or for 30 s about a person, and a little of it is iron
        let change = 0.01 * Self.strength
        let found = calibration([Self.north, Self.north + Vector3(change, 0, 0)], isFastened: isFastened)
        #expect(abs(found.field.x / change - share) < 1e-5 * share, "\(found.field.x / change)")
        #expect(abs(found.hardIron.x / change - iron) < 1e-3 * iron, "\(found.hardIron.x / change)")
        // AND it shows the turn of the level frame, with that noise
        let turn = try #require(found.yawObservation)
        #expect(abs(turn.radians - 0.01) < 1e-9 && abs(turn.variance - noise) < 1e-9)
    }

    /// Passes some steps of a tenth of a second without a reading.
    private func wait(_ steps: Int, _ calibration: inout MagnetometerCalibration, still: Bool = false) {
        for _ in 0..<steps {
            calibration.step(seconds: 0.1, yawVariance: 0, still: still, gyroBiasSigma: 0.001)
        }
    }

    @Test(arguments: [(true, 9, 0.009_8), (true, 49, 0.004_9), (false, 9, 0.147), (false, 49, 0.073_5)])
    func aReadingStandsForTheTimeSinceTheOneBefore(isFastened: Bool, without: Int, noise: Double) throws {
        // GIVEN a field that turns by a hundredth WHEN the next reading comes a second later, or five THEN it counts
        // for that second, or for 2 s, of the 2 s for which the field differs on the way, or of the 30 s about a person
        var found = calibration([Self.north], isFastened: isFastened)
        wait(without, &found)
        add(Self.north + Vector3(0.01 * Self.strength, 0, 0), to: &found)
        let turn = try #require(found.yawObservation)
        #expect(abs(turn.radians - 0.01) < 1e-9 && abs(turn.variance - noise) < 1e-9, "\(turn)")
    }

    @Test func aSlowCompassHoldsItsHeadingForAsLong() {
        // GIVEN a sensor at rest that has a reading a second, and whose gyro is known to 0.001 rad/s WHEN the field
        // turns THEN the gyro holds the heading for 50 s, and its sigma contains what the gyro may have turned
        var found = calibration([Self.north])
        let sigma = found.headingSigma
        func rest(seconds: Int) {
            for _ in 0..<seconds {
                wait(9, &found, still: true)
                found.add(Self.north + Vector3(2e-6, 0, 0), axes: SensorAxes(.identity), rate: .zero)
                wait(1, &found, still: true)
            }
        }
        rest(seconds: 40)
        #expect(found.levelToMagneticRadians == 0)
        #expect(abs(found.headingSigma - hypot(sigma, 0.04)) < 1e-9, "\(found.headingSigma)")
        rest(seconds: 9)
        #expect(found.levelToMagneticRadians == 0)
        // AND then the readings show it
        rest(seconds: 3)
        #expect((found.levelToMagneticRadians ?? 0) > 0)
    }

    @Test(arguments: [(0.44, false), (0.447, true)]) func aFieldIsRefusedBeyondTenTimesWhatIsExpected(
        share: Double, isRefused: Bool
    ) {
        // GIVEN a field that changes by a share THEN it is refused where the square is ten times that of what the
        // field differs and what is known of it
        let found = calibration([Self.north, Self.north + Vector3(share * Self.strength, 0, 0)])
        #expect(found.isDisturbed == isRefused && (found.yawObservation == nil) == isRefused)
    }

    @Test func aRefusalIsForgottenHalfAsFast() {
        // GIVEN a tenth of a second of a refused field WHEN the field is back THEN it takes twice as long
        var found = calibration([Self.north, Self.north + Vector3(0.5 * Self.strength, 0, 0)])
        #expect(found.isDisturbed)
        add(Self.north, to: &found)
        #expect(found.isDisturbed)
        add(Self.north, to: &found)
        #expect(!found.isDisturbed)
    }

    @Test func aDisturbedFieldIsRefusedForTenSeconds() {
        // GIVEN a field that swings to both sides with each step, so that no iron explains it THEN after ten seconds
        // it is taken as it is
        var found = calibration([Self.north])
        let refused = (1...105).map { k in
            add(Self.north + Vector3(k % 2 == 0 ? 0.6 : -0.6, 0, 0) * Self.strength, to: &found)
            return found.isDisturbed
        }
        #expect(refused[..<99].allSatisfy { $0 } && !(refused[99] && refused[100] && refused[101]))
    }

    /// A place where the dipole's field is level, and one where it is vertical, radians.
    private static let equator = (0.0, 17.3 * Double.pi / 180)
    private static let pole = (80.85 * Double.pi / 180, -72.7 * Double.pi / 180)

    @Test func theDipoleIsTwiceAsStrongAtItsPole() {
        // GIVEN the dipole of 2025, whose pole lies at 80.85 N 72.7 W
        let level = EarthField.dipole(latitudeRadians: Self.equator.0, longitudeRadians: Self.equator.1)
        #expect(abs(level.tesla - 29.7e-6) < 1e-10 && abs(level.dipRadians) < 1e-6)
        let steep = EarthField.dipole(latitudeRadians: Self.pole.0, longitudeRadians: Self.pole.1)
        #expect(abs(steep.tesla - 59.4e-6) < 1e-10 && abs(steep.dipRadians - .pi / 2) < 1e-6)
        let south = EarthField.dipole(latitudeRadians: -Self.pole.0, longitudeRadians: Self.pole.1 + .pi)
        #expect(abs(south.tesla - 59.4e-6) < 1e-10 && abs(south.dipRadians + .pi / 2) < 1e-6)
    }

    @Test func aFieldMayDifferFromTheDipoleByHalf() {
        // GIVEN fields of a strength, microtesla, and a dip, radians, where that of the dipole is level and has 29.7,
        // or vertical and has 59.4 THEN they are the Earth's up to half more or less, and 0.6 rad beside
        let cases: [((Double, Double), Double, Double, Bool)] = [
            (Self.equator, 44.4, 0, true), (Self.equator, 44.7, 0, false), (Self.equator, 29.7, 0.59, true),
            (Self.equator, 29.7, 0.61, false), (Self.equator, 29.7, -0.59, true), (Self.equator, 29.7, -0.61, false),
            (Self.pole, 29.9, 1.57, true), (Self.pole, 29.5, 1.57, false), (Self.pole, 59.4, 0.98, true),
            (Self.pole, 59.4, 0.96, false),
        ]
        for (place, microtesla, dip, isPlausible) in cases {
            let field = field(dip: dip.radiansInDegrees, microtesla: microtesla)
            #expect(EarthField.isPlausible(field, at: place) == isPlausible, "\(microtesla) \(dip)")
        }
    }

    @Test(arguments: [(0.015, false), (0.02, true)]) func softIronThatHardlyShowsIsNotTaken(
        size: Double, isTaken: Bool
    ) throws {
        // GIVEN a sensor with an axis that is too long, and one that is too short as much WHEN it turns about all axes
        // for two minutes THEN that leaves 1.3 % or 1.7 % of the field, and soft iron is taken beyond 1.5 %
        let scale = Vector3(1 + size, 1 - size, 1)
        let status = try #require(turned(field(dip: 65), seconds: 120, scale: scale).status)
        #expect((status.softIron != (.zero, .zero, .zero)) == isTaken)
    }

    @Test(arguments: [(4.5e-6, 0.45, 0.55), (6e-6, 0, 0.1)]) func whatTurnsWithTheSensorIsIronFromThreeTenthsOn(
        beside: Double, least: Double, largest: Double
    ) {
        // GIVEN a sensor that turns about the vertical by 1 rad/s for 40 s WHEN its own iron changes by 10 uT, and the
        // field about it by 4.5 uT or 6 uT THEN 41 % or 28 % of the squared innovations turn with the sensor at most,
        // and after 6 s a half of the iron is found in the former, and in the latter next to nothing (eq. 8.13)
        var calibration = MagnetometerCalibration()
        for k in 0..<460 {
            let attitude = Quaternion(rotationVector: Vector3(0, 0, 0.1 * Double(k)))
            let (level, iron) = k < 400 ? (0.0, 0.0) : (beside, 1e-5)
            let seen = attitude.inverse.rotate(Self.north + Vector3(level, 0, 0)) + Vector3(iron, 0, 0)
            calibration.add(seen, axes: SensorAxes(attitude), rate: .unitZ)
            calibration.step(seconds: 0.1, yawVariance: 0, still: false)
        }
        let share = calibration.hardIron.x / 1e-5
        #expect(share > least && share < largest, "\(share)")
    }

    @Test func aFieldThatSeemsToTurnRightShowsALevelThatTurnsLeft() throws {
        // GIVEN a level field between north and east WHEN it seems to turn to the right by a hundredth of a radian THEN
        // the level frame has turned to the left by that (its sine)
        let field = Vector3(0.6, 0.8, 0) * Self.strength
        let seen = Quaternion(rotationVector: Vector3(0, 0, -0.01)).rotate(field)
        let turn = try #require(calibration([field, seen]).yawObservation)
        #expect(abs(turn.radians - 0.009_999_833) < 1e-9, "\(turn)")
        #expect(abs(turn.variance - 0.098) < 1e-9, "\(turn)")
    }

    @Test(arguments: [(6.3, 10, 0.928_567), (6.3, 50, 0.386_201), (252, 10, 0.712_471)])
    func whatTurnsShowIsStated(rate: Double, steps: Int, shown: Double) {
        // GIVEN a sensor that turns about up in a field that does not differ from place to place WHEN a tenth of a
        // second passes THEN the mean over 3 s of the squared innovations falls to 29/30, and what is stated goes
        // towards it by the turn over 12.6 rad: by a twentieth at 6.3 rad/s, and all the way with more than two turns
        var found = MagnetometerCalibration()
        for k in 0...steps {
            let turn = Quaternion(rotationVector: Vector3(0, 0, 0.1 * rate * Double(k)))
            found.add(turn.inverse.rotate(Self.north), axes: SensorAxes(turn), rate: Vector3(0, 0, rate))
            found.step(seconds: 0.1, yawVariance: 0, still: false)
        }
        // A hundredth of the field is seen by no innovation, and stays.
        let (own, stated) = (found.headingSigma, found.statedHeadingSigma)
        #expect(abs((stated * stated - 1e-4) / (own * own) - shown) < 1e-5, "\(stated) of \(own)")
    }

    @Test(arguments: [(30, 0.010_198), (50, 0.099_279), (60, 0.175_858)])
    func ironThatIsPutOnATurningSensorIsLearned(steps: Int, share: Double) {
        // GIVEN a sensor that turns by a quarter with each tenth of a second WHEN iron of three tenths of the field is
        // put on its axis y after two seconds THEN a second later a hundredth is found; then what turns with the sensor
        // is three tenths of all, and each 3 s add three tenths of its square to the variance of the iron (eq. 8.13)
        var found = MagnetometerCalibration()
        for k in 0...steps {
            let turn = Quaternion(rotationVector: Vector3(0, 0, .pi / 2 * Double(k)))
            let iron = k > 20 ? Vector3(0, 0.3 * Self.strength, 0) : .zero
            found.add(turn.inverse.rotate(Self.north) + iron, axes: SensorAxes(turn), rate: .zero)
            found.step(seconds: 0.1, yawVariance: 0, still: false)
        }
        #expect(abs(found.hardIron.y / Self.strength - share) < 1e-4, "\(found.hardIron / Self.strength)")
    }

    @Test(arguments: [(0.8, 0.010_66), (0.9, 0.216_08)]) func muchIronIsFoundByTheModelThatExpectsIt(
        seconds: Double, share: Double
    ) {
        // GIVEN a sensor that turns about all axes, with ten readings a second and iron of a quarter of the field on
        // its axis x THEN the mean over 8 s of the squared innovations of the model that expects little of it is 0.43
        // of the square of what the field differs by after eight readings, and 0.60 after nine; beyond 0.5 it gives
        // place to the model that expects much (eq. 8.14)
        let found = turned(Self.north, seconds: seconds, iron: Vector3(0.25 * Self.strength, 0, 0))
        let iron = found.hardIron.x / Self.strength
        #expect(abs(iron - share) < 1e-4, "\(iron)")
    }
}
