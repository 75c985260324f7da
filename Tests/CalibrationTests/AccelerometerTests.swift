import Foundation
import Measurements
import PoseMath
import Testing

@testable import Calibration

@Suite struct AccelerometerTests {
    private static let gravity = 9.80665

    /// The reading that a correction turns into a force.
    static func reading(_ force: Vector3, _ truth: SensorCorrection) -> Vector3 {
        // Fixed-point iteration: the matrix is near the identity.
        var reading = force
        for _ in 0..<200 { reading += force - truth.apply(reading) }
        return reading
    }

    /// A box laid on faces, 4 s each, turned by hand for 1 s in between.
    private func collected(
        _ directions: [Vector3], _ truth: SensorCorrection, seed: UInt64, noise: Double = 0.02
    ) -> AccelerometerCollector {
        var sensors = SimulatedSensors(seed: seed)
        var collector = AccelerometerCollector()
        var time = 0.0
        for direction in directions {
            for step in 0..<500 {
                time += 0.01
                let isTurning = step < 100
                let force = isTurning ? sensors.direction() * 9 : direction * Self.gravity
                let rate = isTurning ? sensors.normal3(1) : Vector3(0.01, 0, 0)
                collector.add(
                    .imu(
                        time, rate: rate + sensors.normal3(0.001),
                        force: Self.reading(force, truth) + sensors.normal3(noise)))
            }
        }
        return collector
    }

    /// The six faces, each leaning by a few degrees.
    private func faces(_ sensors: inout SimulatedSensors) -> [Vector3] {
        Face.all.map { face in
            var up = Vector3.zero
            up[face.axis] = face.isNegative ? -1 : 1
            return (up + sensors.uniform3(-0.08, 0.08)).normalized ?? up
        }
    }

    @Test(arguments: UInt64(1)...10) func sixFacesGiveOffsetAndScale(seed: UInt64) throws {
        // GIVEN an accelerometer with offsets up to 0.5 m/s2 and scales up to 3 % wrong
        var sensors = SimulatedSensors(seed: seed &* 1001)
        let truth = SensorCorrection(
            offset: sensors.uniform3(-0.5, 0.5), diagonal: sensors.uniform3(0.97, 1.03))
        // WHEN it lies on six faces, which lean
        let collector = collected(faces(&sensors), truth, seed: seed)
        let report = collector.report()
        // THEN offset and scale are right: five sigma of 0.02 m/s2 over 300 samples on two poses
        let found = try #require(report.correction)
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect((found.offset - truth.offset).magnitude < 0.006)
        #expect((found.diagonal - truth.diagonal).magnitude < 0.0006)
        #expect(collector.progress.isComplete)
    }

    @Test(arguments: UInt64(1)...5) func morePosesGiveTheAngles(seed: UInt64) throws {
        // GIVEN axes that lean towards each other by up to a degree, and 18 poses
        var sensors = SimulatedSensors(seed: seed &* 31)
        let truth = SensorCorrection(
            offset: sensors.uniform3(-0.5, 0.5), diagonal: sensors.uniform3(0.97, 1.03),
            offDiagonal: sensors.uniform3(-0.015, 0.015))
        let tilted = [
            Vector3(1, 1, 0), Vector3(-1, 1, 0), Vector3(1, -1, 0), Vector3(-1, -1, 0), Vector3(0, 1, 1),
            Vector3(0, -1, 1), Vector3(0, 1, -1), Vector3(0, -1, -1), Vector3(1, 0, 1), Vector3(-1, 0, 1),
            Vector3(1, 0, -1), Vector3(-1, 0, -1),
        ].compactMap(\.normalized)
        let report = collected(faces(&sensors) + tilted, truth, seed: seed).report()
        // THEN the matrix is right within a milliradian, and the residual passes
        let found = try #require(report.correction)
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect((found.offDiagonal - truth.offDiagonal).magnitude < 0.001)
        #expect((found.offset - truth.offset).magnitude < 0.006)
    }

    @Test(arguments: UInt64(1)...5) func facesThatAreRepeatedShowNoAngles(seed: UInt64) throws {
        // GIVEN the six faces three times, flat: nothing shows the angles between the axes
        let flat = Face.all.map { face in
            var up = Vector3.zero
            up[face.axis] = face.isNegative ? -1 : 1
            return up
        }
        let report = collected(flat + flat + flat, SensorCorrection(offset: Vector3(0.1, 0, 0)), seed: seed).report()
        // THEN offset and scale are found as from six poses, and the note says what the angles need
        let found = try #require(report.correction)
        #expect(report.passes && found.offDiagonal == .zero && abs(found.offset.x - 0.1) < 0.006)
        #expect(report.notes.contains { $0.contains("the angles between the axes need") })
    }

    @Test func theMissingFaceIsNamed() {
        // GIVEN five faces WHEN the progress is asked THEN the sixth is named, and the report fails with it
        var sensors = SimulatedSensors(seed: 5)
        let five = Array(faces(&sensors).prefix(5))
        let collector = collected(five, SensorCorrection(), seed: 5)
        #expect(collector.progress.advice.contains("-z is missing"))
        #expect(collector.progress.coverage == "faces up: +x -x +y -y +z")
        let report = collector.report()
        #expect(!report.passes && report.checks.first?.remedy.contains("-z") == true)
    }

    @Test func aPoseThatContradictsTheOthersFails() {
        // GIVEN seven poses of which one is shaken to 3 % more force WHEN it is judged THEN the residual fails
        var sensors = SimulatedSensors(seed: 9)
        let six = faces(&sensors)
        let report = collected(six + [six[0] * 1.03, six[2], six[4]], SensorCorrection(), seed: 9).report()
        #expect(report.checks.first { $0.name == "residual" }?.passes == false)
    }

    @Test func aWrongScaleFails() {
        // GIVEN a sensor that states g where it measures m/s2 within a factor of 1.2
        var sensors = SimulatedSensors(seed: 3)
        let truth = SensorCorrection(diagonal: Vector3(repeating: 1 / 1.2))
        let report = collected(faces(&sensors), truth, seed: 3).report()
        // THEN the scale fails, with the setting to look at
        let check = report.checks.first { $0.name == "largest scale error" }
        #expect(check?.passes == false && check?.remedy.contains("imu.accelerometer_scale") == true)
    }

    @Test func theAnglesNeedTwelvePoses() throws {
        // GIVEN axes that lean, the six faces, and tilted poses
        var sensors = SimulatedSensors(seed: 7)
        let truth = SensorCorrection(offDiagonal: Vector3(0.01, -0.01, 0.005))
        let tilted = [
            Vector3(1, 1, 0), Vector3(-1, 1, 0), Vector3(0, 1, 1), Vector3(0, -1, 1), Vector3(1, 0, 1),
            Vector3(-1, 0, 1),
        ].map { $0 / 2.squareRoot() }
        let poses = faces(&sensors) + tilted
        // WHEN there are twelve poses THEN the angles are found, with eleven they are not
        let found = try #require(collected(poses, truth, seed: 7).report().correction)
        #expect((found.offDiagonal - truth.offDiagonal).magnitude < 0.002)
        let none = try #require(collected(Array(poses.dropLast()), truth, seed: 7).report().correction)
        #expect(none.offDiagonal == .zero)
    }
}
