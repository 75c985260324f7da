import PoseMath
import Testing

@testable import Fusion

/// What the model of a magnetometer says of a field without a direction, and what axes that are not square measure.
@Suite struct MagneticModelTests {
    /// A model after one reading of a level sensor, tesla, known to a microtesla.
    private func model(_ field: Vector3) -> MagneticModel {
        var reading = MagneticReading()
        reading.add(field, axes: SensorAxes(.identity), rate: .zero, hardIron: .zero)
        return MagneticModel(reading, prior: .init(field: 1e-6, hardIron: 0, lag: 0, soft: 0))
    }

    @Test func aVerticalFieldTellsNoHeading() {
        // GIVEN a field that points straight down THEN it has no direction: any heading is as good
        var vertical = model(Vector3(0, 0, -48e-6))
        let unknown = vertical.headingVariance()
        #expect(unknown == 10)
        // AND one of 20 uT that is known to 1 uT on each axis tells it to a twentieth of a radian
        var level = model(Vector3(12e-6, 16e-6, -44e-6))
        let known = level.headingVariance()
        #expect(abs(known - 0.0025) < 1e-12)
    }

    @Test func theAxesOfAGyroMeasureTurnsAboutTheOthers() {
        // GIVEN six cross terms THEN each axis takes its two shares of the turns about the other axes
        var cross = GyroCrossTerms()
        cross.add(Vector3(1, 2, 3), Vector3(4, 5, 6))
        #expect(cross.error(of: Vector3(1, 10, 100)) == Vector3(210, 403, 65))
        // AND a correction adds to them
        cross.add(Vector3(0, 0, 1), Vector3(1, 0, 0))
        #expect(cross.error(of: Vector3(1, 10, 100)) == Vector3(210, 504, 65))
    }

    @Test(arguments: [Vector3.zero, Vector3(0.4, -0.7, 1.1)])
    func theFirstReadingIsExpectedAgainWhateverItsIron(lean: Vector3) {
        // GIVEN a model after one reading of a sensor in any attitude, whose iron is known to 20 uT and its soft iron
        // to a tenth WHEN it reads the same THEN each of the three components is as unsure as the field from place to
        // place, 1 uT: the iron is a part of both readings
        let axes = SensorAxes(Quaternion(rotationVector: lean))
        var first = MagneticReading()
        first.add(Vector3(12e-6, 16e-6, -44e-6), axes: axes, rate: .zero, hardIron: .zero)
        for soft in [0, 0.1] {
            var model = MagneticModel(first, prior: .init(field: 1e-6, hardIron: 20e-6, lag: 0.02, soft: soft))
            let again = model.expectedPower(first)
            #expect(abs(again - 3e-12) < 1e-18, "\(again)")
        }
        // AND turned by half a turn about its own vertical, its level iron shows twice: 40 uT on both of its axes
        var turned = MagneticReading()
        let half = Quaternion(rotationVector: lean) * Quaternion(rotationVector: Vector3(0, 0, .pi))
        turned.add(Vector3(12e-6, 16e-6, -44e-6), axes: SensorAxes(half), rate: .zero, hardIron: .zero)
        var model = MagneticModel(first, prior: .init(field: 1e-6, hardIron: 20e-6, lag: 0.02, soft: 0))
        let other = model.expectedPower(turned)
        #expect(abs(other - 3.203e-9) < 1e-15, "\(other)")
    }
}
