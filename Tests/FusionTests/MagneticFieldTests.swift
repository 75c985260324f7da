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

    /// A calibration of a sensor that a minute has turned about all axes in a field.
    private func turned(_ field: Vector3) -> MagnetometerCalibration {
        var calibration = MagnetometerCalibration()
        for k in 0..<600 {
            let t = Double(k) * 0.1
            let attitude =
                Quaternion(rotationVector: Vector3(0, 0, 1.3 * t))
                * Quaternion(rotationVector: Vector3(sin(0.9 * t), 0, 0))
                * Quaternion(rotationVector: Vector3(0, 1.2 * sin(0.53 * t), 0))
            calibration.add(attitude.inverse.rotate(field), axes: SensorAxes(attitude), rate: .zero)
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
}
