import Foundation
import Measurements
import PoseMath
import Testing

@testable import Calibration

@Suite struct MagnetometerTests {
    private static let field = 48e-6

    /// Readings of directions with hard and soft iron, and noise of 0.5 % of the field.
    private func collected(
        _ directions: [Vector3], _ truth: SensorCorrection, seed: UInt64, noise: Double = 0.005
    ) -> MagnetometerCollector {
        var sensors = SimulatedSensors(seed: seed)
        var collector = MagnetometerCollector()
        for (index, direction) in directions.enumerated() {
            let reading = AccelerometerTests.reading(direction * Self.field, truth)
            collector.add(.field(Double(index) / 50, reading + sensors.normal3(noise * Self.field)))
        }
        return collector
    }

    /// Soft iron of mean 1: without a reference the strength of the field is not known.
    private func iron(_ sensors: inout SimulatedSensors) -> SensorCorrection {
        var diagonal = sensors.uniform3(0.88, 1.12)
        diagonal /= Vector3(repeating: (diagonal.x + diagonal.y + diagonal.z) / 3)
        return SensorCorrection(
            offset: sensors.uniform3(-80e-6, 80e-6), diagonal: diagonal, offDiagonal: sensors.uniform3(-0.06, 0.06))
    }

    @Test(arguments: UInt64(1)...20) func hardAndSoftIronAreFoundWithinOnePerCent(seed: UInt64) throws {
        // GIVEN hard iron up to 1.7 times the field on each axis and soft iron of 12 %, turned to all sides
        var sensors = SimulatedSensors(seed: seed &* 17)
        let truth = iron(&sensors)
        let directions = (0..<800).map { _ in sensors.direction() }
        // WHEN it is calibrated
        let collector = collected(directions, truth, seed: seed)
        let report = collector.report()
        // THEN everything is right within 1 % of the field
        let found = try #require(report.correction)
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect((found.offset - truth.offset).length < 0.01 * Self.field)
        #expect((found.diagonal - truth.diagonal).magnitude < 0.01)
        #expect((found.offDiagonal - truth.offDiagonal).magnitude < 0.01)
        let strength = try #require(report.values.first { $0.name == "field_ut" }?.numbers.first)
        #expect(abs(strength / 48 - 1) < 0.01)
        #expect(collector.progress.isComplete)
    }

    @Test(arguments: UInt64(1)...5) func aHandsTurnsAreEnough(seed: UInt64) throws {
        // GIVEN full turns about each axis of the box on three sides, as a hand makes them
        var sensors = SimulatedSensors(seed: seed &* 23)
        let truth = iron(&sensors)
        let north = Vector3(0, 0.5, -0.866)
        var directions: [Vector3] = []
        for axis in [Vector3.unitX, .unitY, .unitZ, Vector3(0.6, 0.6, 0.53), Vector3(-0.6, 0.6, 0.53)] {
            for step in 0..<200 {
                let angle = 2 * Double.pi * Double(step) / 200
                for start in [north, Vector3(north.z, north.x, north.y)] {
                    directions.append(Quaternion(rotationVector: axis * angle).rotate(start))
                }
            }
        }
        // WHEN it is calibrated THEN it passes, right within 1 %
        let report = collected(directions, truth, seed: seed).report()
        let found = try #require(report.correction)
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect((found.offset - truth.offset).length < 0.01 * Self.field)
        #expect((found.diagonal - truth.diagonal).magnitude < 0.01)
    }

    @Test func turnsAboutOneAxisFail() {
        // GIVEN a device that lies flat and is turned about the vertical
        let directions = (0..<400).map { step in
            let angle = 2 * Double.pi * Double(step) / 400
            return Vector3(0.4 * cos(angle), 0.4 * sin(angle), -0.917)
        }
        // WHEN it is judged THEN the directions fail, and the advice names a side
        let collector = collected(directions, SensorCorrection(), seed: 2)
        let report = collector.report()
        #expect(!report.passes && !collector.progress.isComplete)
        #expect(report.checks.first { !$0.passes }?.name == "directions")
        #expect(collector.progress.advice.contains("side points along the field"))
    }

    @Test func aDeviceAtRestHasSeenNothing() {
        // GIVEN noise of a device at rest THEN no direction counts
        let collector = collected(Array(repeating: Vector3.unitX, count: 1000), SensorCorrection(), seed: 4)
        #expect(collector.progress.share == 0 && !collector.report().passes)
    }

    @Test func aDisturbedPlaceFails() {
        // GIVEN a field that changes by 10 % from place to place
        var sensors = SimulatedSensors(seed: 6)
        let directions = (0..<800).map { _ in sensors.direction() * sensors.numbers.uniform(0.9, 1.1) }
        let report = collected(directions, SensorCorrection(), seed: 6).report()
        // THEN the residual fails
        #expect(report.checks.first { $0.name == "residual" }?.passes == false)
    }

    @Test func theFieldIsTheOneThatFitsTheReadingsBest() throws {
        // GIVEN a reading of 45 and one of 55 microtesla in each direction of the faces, edges and corners of a cube,
        // so that there is no iron, and nothing but the strength is to be found
        let steps = [-1.0, 0, 1]
        let directions = steps.flatMap { x in steps.flatMap { y in steps.compactMap { Vector3(x, y, $0).normalized } } }
        var collector = MagnetometerCollector()
        for (index, direction) in directions.enumerated() {
            for (place, field) in [45e-6, 55e-6].enumerated() {
                collector.add(.field(Double(2 * index + place), direction * field))
            }
        }
        // WHEN it is calibrated THEN the field is that of which the squares of the relative differences are least: the
        // mean of the squares over the mean, 2525 / 50; the steps of the fit end at 1e-10
        let report = collector.report()
        let found = try #require(report.correction)
        let strength = try #require(report.values.first { $0.name == "field_ut" }?.numbers.first)
        #expect(directions.count == 26 && abs(strength - 50.5) < 1e-6, "\(strength)")
        #expect(found.offset.length < 1e-12 && (found.diagonal - Vector3(repeating: 1)).magnitude < 1e-8)
        #expect(found.offDiagonal.magnitude < 1e-8)
    }

    @Test func memoryIsBounded() throws {
        // GIVEN an hour of turning at 50 Hz with hostile readings among it
        var sensors = SimulatedSensors(seed: 7)
        var collector = collected((0..<180_000).map { _ in sensors.direction() }, SensorCorrection(), seed: 7)
        collector.add(.field(4000, Vector3(repeating: .nan)))
        collector.add(.field(4000, Vector3(1e300, 0, 0)))
        // THEN at most 4096 readings are kept, and the result is still right
        let report = collector.report()
        let kept = try #require(report.values.first { $0.name == "readings" }?.numbers.first)
        #expect(report.passes && kept <= 4096)
    }

    @Test func hardIronDoesNotChangeWhatDirectionsWereSeen() {
        // GIVEN turns about one axis, on which no ellipsoid lies, with and without hard iron of six times the field
        func coverage(_ offset: Vector3) -> String {
            var collector = MagnetometerCollector()
            for step in 0..<400 {
                let angle = 2 * Double.pi * Double(step) / 400
                let reading = offset + Vector3(cos(angle), sin(angle), 0) * Self.field
                collector.add(.field(Double(step) / 50, reading))
            }
            return collector.progress.coverage
        }
        // THEN the same directions count: the circle passes through eight
        #expect(coverage(.zero) == "8 of 24 directions")
        #expect(coverage(Vector3(200e-6, -150e-6, 120e-6)) == coverage(.zero))
    }
}
