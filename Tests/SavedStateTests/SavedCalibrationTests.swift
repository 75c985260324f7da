import Calibration
import Foundation
import PoseMath
import Testing

@testable import SavedState

/// The calibrations of sensors by device, and the file before.
@Suite struct SavedCalibrationTests {
    private let folder = NSTemporaryDirectory() + "posed-calibration-\(UUID().uuidString)"

    private func calibration(_ bias: Double, device: String = "bmi160 0123") -> SavedCalibration {
        var corrections = SensorCorrections()
        corrections.gyro = SensorCorrection(offset: Vector3(bias, 0, -0.001))
        corrections.magnetometer = SensorCorrection(
            offset: Vector3(30e-6, -10e-6, 0), diagonal: Vector3(1.02, 0.99, 0.99),
            offDiagonal: Vector3(0.01, 0, -0.02))
        return SavedCalibration(device: device, corrections: corrections)
    }

    private func damage(_ path: String, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&data)
        try data.write(to: URL(fileURLWithPath: path))
    }

    @Test func aCalibrationIsReadAsItWasWritten() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = CalibrationFolder(path: folder)
        // GIVEN nothing THEN there is no calibration, and nothing to say
        #expect(store.calibration(of: "x") { Issue.record("\($0)") } == nil)
        #expect(store.all { Issue.record("\($0)") }.isEmpty)
        // WHEN two devices are saved THEN each has its own, to 1e-9 of its unit
        try store.save(calibration(0.01))
        try store.save(calibration(0.02, device: "other"))
        let read = try #require(store.calibration(of: "bmi160 0123") { Issue.record("\($0)") })
        let a = try #require(read.corrections.magnetometer)
        let b = try #require(calibration(0).corrections.magnetometer)
        #expect((a.offset - b.offset).length < 1e-14 && (a.diagonal - b.diagonal).length < 1e-8)
        #expect(read.corrections.gyro?.offset.x == 0.01 && read.corrections.accelerometer == nil)
        #expect(Set(store.all { Issue.record("\($0)") }.map(\.device)) == ["bmi160 0123", "other"])
    }

    @Test func aDamagedFileFallsBackToTheOneBeforeAndThenToNone() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = CalibrationFolder(path: folder)
        let file = store.file(of: "bmi160 0123")
        // GIVEN a calibration that replaced another one
        try store.save(calibration(0.01))
        try store.save(calibration(0.02))
        // WHEN any byte of it is changed, or it is cut off anywhere
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        for index in stride(from: 0, to: whole.count, by: 7) {
            for kind in 0..<2 {
                try whole.write(to: URL(fileURLWithPath: file))
                try damage(file) { if kind == 0 { $0[index] ^= 0x11 } else { $0 = $0.prefix(index) } }
                var notes: [String] = []
                // THEN the one before is used, with a message that names the file
                let found = store.calibration(of: "bmi160 0123") { notes.append($0) }
                #expect(found?.corrections.gyro?.offset.x == 0.01, "\(index) \(kind)")
                #expect(notes.count == 1 && notes[0].hasPrefix(file) && notes[0].contains("the previous file is used"))
                #expect(store.all { _ in }.count == 1)
            }
        }
        // AND WHEN that is damaged too THEN none is used, with a message
        try damage("\(file).previous") { $0 = $0.dropLast(9) }
        var notes: [String] = []
        #expect(store.calibration(of: "bmi160 0123") { notes.append($0) } == nil)
        #expect(notes.first?.contains("without calibration") == true)
        // AND a new one does not keep the damaged one
        try store.save(calibration(0.03))
        #expect(store.calibration(of: "bmi160 0123") { Issue.record("\($0)") }?.corrections.gyro?.offset.x == 0.03)
    }

    @Test func aFileOfAnotherDeviceOrReleaseIsNotUsed() throws {
        // GIVEN a file with the name of another device, another version, and numbers that are no correction
        let bytes = calibration(0.01).bytes
        #expect(throws: StateProblem.self) { try SavedCalibration(bytes: bytes, device: "other") }
        let later = String(decoding: bytes, as: UTF8.self).replacing("calibration\":1", with: "calibration\":2")
        #expect(throws: StateProblem.self) { try SavedCalibration(bytes: Array(later.utf8)) }
        var wrong = calibration(0.01)
        wrong.corrections.gyro?.diagonal.x = 3
        #expect(throws: StateProblem.self) { try SavedCalibration(bytes: wrong.bytes) }
    }
}
