import Foundation
import Measurements
import PoseMath
import SeededNumbers
import Testing

@testable import Recording

/// A folder is written and read back with the same values.
@Suite struct FolderWriterTests {
    private static func write(_ events: [SensorEvent], to path: String) throws -> FolderWriter {
        let writer = try FolderWriter(folder: path)
        for event in events { try writer.write(event) }
        try writer.finish()
        return writer
    }

    private static func fix(_ arrival: Int64) -> GnssFix {
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: arrival - 123_456_789),
            arrivalTime: MonotonicTime(nanoseconds: arrival),
            mode: .threeDimensional)
        fix.utcNanoseconds = 1_795_000_000_123_456_789
        fix.quality = .differential
        fix.latitudeRadians = 47.123456789.degreesInRadians
        fix.longitudeRadians = (-9.87654321).degreesInRadians
        fix.altitudeEllipsoidMeters = 456.78
        fix.altitudeMeanSeaMeters = 408.1
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 1.1, northMetersPerSecond: -2.7)
        fix.climbMetersPerSecond = 0
        fix.horizontalSigmaMeters = 2.5 / 2.447747
        fix.verticalSigmaMeters = 3.1
        fix.speedSigmaMetersPerSecond = 0.3
        fix.climbSigmaMetersPerSecond = 0.45
        fix.geoidSeparationMeters = 48.68
        fix.magneticVariationRadians = 3.4.degreesInRadians
        fix.headingTrueRadians = 271.25.degreesInRadians
        fix.headingSigmaRadians = 0.4.degreesInRadians
        fix.isInterfered = true
        fix.satellitesUsed = 11
        fix.satellitesVisible = 23
        (fix.receiver, fix.timeSigmaSeconds) = (8, 0.15)
        return fix
    }

    @Test func everyValueComesBackToTheLastDigit() throws {
        // GIVEN every kind of measurement with numbers as sensors give them
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 7)
        var events: [SensorEvent] = []
        for step in 0..<400 {
            let time = MonotonicTime(nanoseconds: Int64(step) * 10_000_001 - 1_000_000_000)
            func number(_ scale: Double) -> Double { Double.random(in: -scale...scale, using: &random) }
            events.append(
                .inertial(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: Vector3(number(2), number(2), -0.0),
                        specificForceMetersPerSecondSquared: Vector3(number(20), number(1e-7), 9.80665))))
            // Microtesla as a driver scales them: whole numbers times a step.
            let counts = Vector3(Double(step), -37, 211)
            events.append(.magnetic(MagneticSample(time: time, fluxDensityTesla: counts * 0.15 * 1e-6)))
            events.append(.pressure(PressureSample(time: time, pressurePascal: 101_325 + number(500))))
            events.append(.wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: number(50))))
            events.append(.gnss(Self.fix(time.nanoseconds)))
        }
        // WHEN they are written and read
        let writer = try Self.write(events, to: folder.path + "/drive/")
        // THEN nothing has changed
        #expect(writer.written == events.count && writer.skipped == 0)
        let read = try RecordingTests.events(in: folder.path + "/drive")
        #expect(read.count == events.count)
        for (a, b) in zip(read, events) where a != b {
            // A tesla value whose number of microtesla is not a Double may differ by its last bit.
            guard case .magnetic(let a) = a, case .magnetic(let b) = b else {
                Issue.record("\(a) instead of \(b)")
                return
            }
            #expect((a.fluxDensityTesla - b.fluxDensityTesla).length < 1e-18)
        }
    }

    @Test func whatAFileCannotHoldIsLeftOutAndCounted() throws {
        // GIVEN measurements out of range, not finite, late and with half a position
        let folder = try TemporaryFolder()
        func sample(_ seconds: Double, _ rate: Double) -> SensorEvent {
            .wheelSpeed(
                WheelSpeedSample(
                    time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), speedMetersPerSecond: rate))
        }
        var half = Self.fix(0)
        half.longitudeRadians = nil
        let events = [
            sample(1, 3), sample(2, .nan), sample(3, 1e6), sample(0.5, 3), sample(4, .infinity), .gnss(half),
            sample(5, 4),
        ]
        // WHEN they are written THEN the others can be read
        let writer = try Self.write(events, to: folder.path + "/drive")
        #expect(writer.written == 2 && writer.skipped == 5)
        #expect(try RecordingTests.events(in: folder.path + "/drive") == [events[0], events[6]])
    }

    @Test func aRecordingIsNeverMixedWithAnother() throws {
        // GIVEN a folder with a recording THEN nothing is written there
        let folder = try TemporaryFolder(["mag.csv": "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n"])
        let error = #expect(throws: RecordingError.self) { try FolderWriter(folder: folder.path) }
        #expect(
            error?.description == "\(folder.path): already holds a recording (mag.csv); name a new folder")
        // A place that does not exist is named.
        let other = #expect(throws: RecordingError.self) { try FolderWriter(folder: folder.path + "/a/b") }
        #expect(other?.problem.contains("No such file") == true)
    }

    @Test func nothingAppearsBeforeTheEnd() throws {
        // GIVEN a writer that is dropped before its end THEN there is no file
        let folder = try TemporaryFolder()
        do {
            let writer = try FolderWriter(folder: folder.path)
            try writer.write(.gnss(Self.fix(5)))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
