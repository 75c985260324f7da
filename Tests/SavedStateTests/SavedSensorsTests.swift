import Calibration
import Foundation
import Frames
import Fusion
import PoseMath
import Testing

@testable import SavedState

/// Gyro bias, lags and wheels over restarts.
@Suite struct SavedSensorsTests {
    private static let lags = LagCalibration(
        positionSeconds: 0.02, positionSigmaSeconds: 0.01, velocitySeconds: 0.15, velocitySigmaSeconds: 0.02)
    private static let wheels = SensorPrior.Wheels(
        scale: 1.03, scaleSigma: 0.004, lagSeconds: 0.2, lagSigmaSeconds: 0.02)

    private static let force = SensorPrior.AccelerometerBias(
        metersPerSecondSquared: Vector3(0.1, -0.2, 0.05), sigmaMetersPerSecondSquared: Vector3(repeating: 0.02))

    private static func bias(_ x: Double) -> SensorPrior.GyroBias {
        .init(radiansPerSecond: Vector3(x, -0.002, 0), sigmaRadiansPerSecond: Vector3(repeating: 0.0003))
    }

    /// A drive that found everything, at some temperatures.
    private static func saved(_ celsius: [Double] = [20, 41]) -> SavedSensors {
        var saving = SensorSaving(imu: "imu 7", read: nil, corrections: SensorCorrections())
        var known = SensorPrior()
        (known.lags, known.wheels, known.accelerometerBias) = (lags, wheels, force)
        for celsius in celsius {
            known.gyroBias = bias(celsius * 0.000_1)
            saving.note(known, celsius: celsius)
        }
        return saving.current
    }

    @Test func whatWasSavedIsRead() throws {
        // GIVEN what a drive has found WHEN written and read THEN it is the same to 1e-6
        let read = try SavedSensors(bytes: Self.saved().bytes, imu: "imu 7")
        #expect(read.gyroBias.entries.map(\.celsius) == [20, 41] && read.gyroBias.entries.map(\.drives) == [1, 1])
        #expect(read.lags == Self.lags && read.wheels == Self.wheels && read.accelerometerBias == Self.force)
        #expect(abs((read.gyroBias.latest?.x ?? 0) - 0.0041) < 1e-9)
        // AND the start at 20 degrees begins with the bias of 20 degrees, to 0.1 deg/s
        let prior = read.prior(celsius: 20)
        let bias = try #require(prior.gyroBias)
        #expect(abs(bias.radiansPerSecond.x - 0.002) < 1e-9)
        #expect(bias.sigmaRadiansPerSecond.x > 0.001 && bias.sigmaRadiansPerSecond.x < 0.0025)
        // AND without a temperature with the last one, less sure
        let last = try #require(read.prior(celsius: nil).gyroBias)
        #expect(abs(last.radiansPerSecond.x - 0.0041) < 1e-9 && last.sigmaRadiansPerSecond.x > 0.005)
    }

    @Test func whatADriveHasNotFoundMayBeMissing() throws {
        // GIVEN drives without wheels, lags, biases, a correction or anything WHEN written and read THEN the rest is
        // there
        for change: (inout SavedSensors) -> Void in [
            { $0.wheels = nil }, { $0.lags = nil }, { $0.accelerometerBias = nil },
            { $0.correction = SensorCorrection(offset: Vector3(0.004, 0, 0)) }, { $0 = SavedSensors(imu: "imu 7") },
        ] {
            var saved = Self.saved()
            change(&saved)
            let read = try SavedSensors(bytes: saved.bytes, imu: "imu 7")
            #expect(read.lags == saved.lags && read.wheels == saved.wheels)
            #expect(read.accelerometerBias == saved.accelerometerBias && read.correction == saved.correction)
            #expect(read.gyroBias.entries.count == saved.gyroBias.entries.count)
        }
    }

    @Test func numbersThatNoSensorHasAreRejected() {
        // GIVEN whole files in which one part has numbers that are not possible THEN none of them is read
        for change: (inout SavedSensors) -> Void in [
            { $0.wheels?.scale = 100 }, { $0.wheels?.scaleSigma = 0 }, { $0.lags?.positionSeconds = 1000 },
            { $0.lags?.velocitySigmaSeconds = 0 }, { $0.accelerometerBias?.metersPerSecondSquared.y = 50 },
            { $0.correction = SensorCorrection(diagonal: Vector3(0.1, 1, 1)) },
        ] {
            var saved = Self.saved()
            change(&saved)
            #expect(throws: StateProblem.self) { try SavedSensors(bytes: saved.bytes, imu: "imu 7") }
        }
    }

    @Test func damagedFilesAreRejected() throws {
        // GIVEN a file that is cut off or changed anywhere THEN it is rejected
        let bytes = Self.saved().bytes
        for count in 0..<(bytes.count - 1) {
            #expect(throws: StateProblem.self) { try SavedSensors(bytes: Array(bytes[..<count]), imu: "imu 7") }
            var changed = bytes
            changed[count] ^= 0x11
            #expect(throws: StateProblem.self) { try SavedSensors(bytes: changed, imu: "imu 7") }
        }
        #expect(throws: StateProblem.self) { try SavedSensors(bytes: bytes, imu: "imu 8") }
    }

    @Test func aDamagedFileFallsBackToTheOneBefore() throws {
        // GIVEN two drives
        let folder = NSTemporaryDirectory() + "posed-sensors-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StateReader.write(Self.saved([20]), folder: folder)
        try StateReader.write(Self.saved([20, 41]), folder: folder)
        let path = "\(folder)/\(SavedSensors.fileName(imu: "imu 7"))"
        // WHEN the newer file is damaged THEN the older one is used, with a message
        try Data(Self.saved().bytes.dropLast(7)).write(to: URL(fileURLWithPath: path))
        let stored = StateReader.read(folder: folder, imu: "imu 7")
        #expect(stored.sensors?.gyroBias.entries.map(\.celsius) == [20])
        #expect(stored.problems.count == 1 && stored.problems[0].contains("the previous file is used"))
        // AND without it the defaults, with a message
        try FileManager.default.removeItem(atPath: "\(path).previous")
        let none = StateReader.read(folder: folder, imu: "imu 7")
        #expect(none.sensors == nil && none.problems.first?.contains("begins without the gyro bias") == true)
    }

    @Test func anotherCorrectionOfTheGyroDropsTheBiases() throws {
        // GIVEN biases that were found without a correction WHEN the gyro was calibrated since
        var corrections = SensorCorrections()
        corrections.gyro = SensorCorrection(offset: Vector3(0.004, 0, 0))
        let saving = SensorSaving(imu: "imu 7", read: Self.saved(), corrections: corrections)
        // THEN the bias is not used, but lags, wheels and the bias of the accelerometer are
        #expect(saving.prior(celsius: 20).gyroBias == nil && saving.prior(celsius: 20).lags != nil)
        #expect(saving.prior(celsius: 20).accelerometerBias != nil)
        // AND what is found with it is kept with it
        var after = saving
        var known = SensorPrior()
        known.gyroBias = Self.bias(0.001)
        after.note(known, celsius: 20)
        let read = try SavedSensors(bytes: after.current.bytes, imu: "imu 7")
        let next = SensorSaving(imu: "imu 7", read: read, corrections: corrections)
        #expect(next.prior(celsius: 20).gyroBias != nil)
    }

    @Test func anotherCorrectionOfTheAccelerometerDropsItsBias() throws {
        // GIVEN a bias of the accelerometer that was found without a correction WHEN it was calibrated since
        var corrections = SensorCorrections()
        corrections.accelerometer = SensorCorrection(offset: Vector3(0.1, -0.2, 0.05))
        var saving = SensorSaving(imu: "imu 7", read: Self.saved(), corrections: corrections)
        // THEN that bias is not used, but the gyro's, lags and wheels are
        let prior = saving.prior(celsius: 20)
        #expect(prior.accelerometerBias == nil && prior.gyroBias != nil && prior.lags != nil && prior.wheels != nil)
        // AND what is found with the correction is kept with it, and dropped without it
        var known = SensorPrior()
        (known.gyroBias, known.accelerometerBias) = (Self.bias(0.001), Self.force)
        saving.note(known, celsius: 20)
        let read = try SavedSensors(bytes: saving.current.bytes, imu: "imu 7")
        for (now, isKept) in [(corrections, true), (SensorCorrections(), false)] {
            let next = SensorSaving(imu: "imu 7", read: read, corrections: now)
            #expect((next.prior(celsius: 20).accelerometerBias != nil) == isKept)
        }
    }

    @Test func itIsSavedWhenSomethingIsNewAndNotTooOften() {
        // GIVEN a drive that has found nothing THEN nothing is saved
        var saving = SensorSaving(imu: "imu 7", read: nil, corrections: SensorCorrections())
        func isDue(_ seconds: Double, isLast: Bool = false) -> Bool {
            saving.shouldSave(at: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), isLast: isLast)
        }
        let atFirst = isDue(0, isLast: true)
        // WHEN a bias is found THEN it is saved once
        var known = SensorPrior()
        known.gyroBias = Self.bias(0.001)
        saving.note(known, celsius: 20)
        let withABias = isDue(10)
        saving.recordSaved(saving.current)
        let unchanged = isDue(1000)
        // WHEN it is another one THEN after five minutes, or at the end
        known.gyroBias = Self.bias(0.003)
        saving.note(known, celsius: 20)
        let another = isDue(1001)
        saving.note(known, celsius: 31)
        let (soon, atTheEnd) = (isDue(1100), isDue(1100, isLast: true))
        #expect([atFirst, withABias, unchanged, another, soon, atTheEnd] == [false, true, false, true, false, true])
        // AND a bias that is not known well is not learned
        var vague = SensorSaving(imu: "imu 7", read: nil, corrections: SensorCorrections())
        known.gyroBias?.sigmaRadiansPerSecond.y = 0.01
        vague.note(known, celsius: 20)
        let ofVague = vague.shouldSave(at: MonotonicTime(nanoseconds: 0), isLast: true)
        #expect(ofVague == false)
    }

    @Test func theLogTellsTheBiasInDegrees() {
        // GIVEN a bias with which the engine begins THEN the log has it to 0.001 deg/s, with the temperature if known
        let bias = Vector3(0.123_41, -2, 0) * (.pi / 180)
        let text = "began with the saved gyro bias 0.123, -2.0, 0.0 deg/s"
        #expect(StateStore.beginning(with: bias, celsius: 31.44) == text + " at 31.4 degrees Celsius")
        #expect(StateStore.beginning(with: bias, celsius: nil) == text)
    }
}
