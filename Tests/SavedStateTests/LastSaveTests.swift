import Calibration
import Foundation
import Frames
import Fusion
import Geodesy
import KeptLog
import Logging
import PoseMath
import Testing

@testable import SavedState

/// What the daemon saves when it stops shortly after a save, and what the next drive is offered of a stop.
@Suite final class LastSaveTests {
    private let folder = NSTemporaryDirectory() + "posed-last-\(UUID().uuidString)"
    /// What the engine was offered, and what it has no room for.
    private var (offered, refused): ([String], String?) = ([], nil)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A store that has read the folder for the IMU.
    private func openStore(keepsStops: Bool = true) -> StateStore {
        let store = StateStore(
            folder: folder, keepsStops: keepsStops, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { [unowned self] kept in
            let name =
                switch kept {
                case .mount: "mount"
                case .sensors: "sensors"
                case .rest: "rest"
                }
            guard name != refused else { return false }
            offered.append(name)
            return true
        }
        store.patienceSeconds = 60
        store.update(observed(), frame: Frame(), now: at(1))
        // Waits for what is read.
        store.finish(observed(), frame: Frame(), now: at(2))
        return store
    }

    private func observed(mountSigma: Double? = nil, bias: Double? = nil) -> StateStore.Observed {
        var calibration = SensorCalibration()
        calibration.mount = mountSigma.map {
            MountEstimate(
                sensorToBody: Quaternion(rotationVector: Vector3(0, 0, 0.5)),
                sigmaBodyRadians: Vector3(repeating: $0), origin: .found)
        }
        calibration.sensors.gyroBias = bias.map {
            .init(radiansPerSecond: Vector3($0, 0, 0), sigmaRadiansPerSecond: Vector3(repeating: 0.0003))
        }
        return StateStore.Observed(imu: "imu 7", celsius: nil, corrections: nil, calibration: calibration)
    }

    /// A frame of a vehicle that stands with a known pose, or is aligned and on its way.
    private func frame(stands: Bool) -> Frame {
        var frame = Frame()
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.8, 0.2)
        (frame.pose.altitudeEllipsoidMeters, frame.pose.isStandingStill) = (400, stands)
        frame.pose.positionSigmaENUMeters = .init(1, 1.5, 3)
        (frame.pose.headingTrueRadians, frame.pose.headingSigmaRadians) = (1, 0.02)
        frame.pose.gravityDirectionBody = .init(0, 0, -1)
        return frame
    }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds) }

    private var stored: Stored { StateReader.read(folder: folder, imu: "imu 7") }

    @Test func aBetterMountIsWrittenAtTheEndWhateverTheTime() {
        // GIVEN a mount that was saved on the way WHEN the daemon stops a second later with a better one THEN that one
        // is in the file
        let store = openStore()
        store.update(observed(mountSigma: 0.005), frame: frame(stands: false), now: at(20))
        store.finish(observed(mountSigma: 0.001), frame: frame(stands: false), now: at(21))
        #expect(stored.mount?.mount.sigmaBodyRadians == Vector3(repeating: 0.001))
        #expect(store.notes == ["the mount is saved"])
    }

    @Test func anotherBiasIsWrittenAtTheEndWhateverTheTime() {
        let store = openStore()
        store.update(observed(bias: 0.001), frame: frame(stands: false), now: at(20))
        store.finish(observed(bias: 0.003), frame: frame(stands: false), now: at(21))
        #expect(stored.sensors?.gyroBias.latest == Vector3(0.003, 0, 0))
    }

    @Test func aStopIsWrittenAtTheEndWhateverItsTime() {
        // GIVEN a vehicle that has just stopped, and a mount WHEN the daemon ends THEN both are kept
        let store = openStore()
        store.finish(observed(mountSigma: 0.005), frame: frame(stands: true), now: at(20))
        #expect(stored.mount != nil && stored.rest?.headingTrueRadians == 1)
        // WHEN the next drive begins and the engine has no room for the mount THEN the stop waits for it, and both are
        // offered once, the mount first
        let next = openStore()
        #expect(next.notes == ["the saved mount was loaded", "the pose of the last stop was loaded"])
        refused = "mount"
        next.update(observed(), frame: Frame(), now: at(30))
        #expect(offered == [])
        refused = nil
        for second in [31.0, 32] { next.update(observed(), frame: Frame(), now: at(second)) }
        #expect(offered == ["mount", "rest"])
    }

    @Test func aStopOfWhatHasNoWheelsIsNotWritten() {
        // GIVEN a store of what is carried WHEN it stands for a minute, and the daemon ends THEN its place is nowhere
        let store = openStore(keepsStops: false)
        for second in 20...80 { store.update(observed(), frame: frame(stands: true), now: at(Double(second))) }
        store.finish(observed(mountSigma: 0.005), frame: frame(stands: true), now: at(81))
        #expect(stored.mount != nil && stored.rest == nil)
    }

    @Test func aProblemIsLoggedOnce() throws {
        // GIVEN a folder in whose place a file is WHEN the mount cannot be written twice THEN the log says so once,
        // beside the warning of the start and those of the two files that cannot be read
        let place = "\(folder)/state"
        try Data().write(to: URL(fileURLWithPath: place))
        let lines = LogLines()
        let store = StateStore(folder: place, log: Logger(label: "test") { _ in lines }) { _ in true }
        store.patienceSeconds = 60
        store.update(observed(), frame: Frame(), now: at(1))
        for second in [2.0, 3] {
            store.finish(observed(mountSigma: 0.005), frame: frame(stands: false), now: at(second))
        }
        let told = lines.lines.map(\.text)
        #expect(told.count == 4 && Set(told).count == 4, "\(told)")
        #expect(told.first?.hasPrefix("nothing can be saved for the next drive: \(place) is not a folder") == true)
        #expect(told.dropFirst().allSatisfy { $0.hasPrefix("\(place)/") })
        #expect(store.notes == [told.first, told.last])
        // WHEN there is a folder THEN the mount is written, and nothing is wrong any more
        try FileManager.default.removeItem(atPath: place)
        store.finish(observed(mountSigma: 0.005), frame: frame(stands: false), now: at(4))
        #expect(store.notes == ["the mount is saved"] && lines.lines.count == 4)
    }

    @Test func aStopThatIsLeftIsForgotten() {
        // GIVEN a stop that was saved WHEN the vehicle drives 31 m away THEN its file is gone; at 29 m it is not
        openStore().finish(observed(mountSigma: 0.005), frame: frame(stands: true), now: at(20))
        let store = openStore()
        for (meters, isKept) in [(29.0, true), (31, false)] {
            var moving = frame(stands: false)
            // 6,367 km is about the radius of the meridian at this latitude, to a tenth of a percent.
            moving.pose.latitudeRadians = 0.8 + meters / 6_367_000
            store.update(observed(), frame: moving, now: at(30 + meters))
            store.finish(observed(), frame: moving, now: at(31 + meters))
            #expect((stored.rest != nil) == isKept)
        }
    }

    @Test func atMost64CalibrationsAreRead() throws {
        // GIVEN calibrations of 65 devices, and other files THEN 64 are read
        var corrections = SensorCorrections()
        corrections.gyro = SensorCorrection(offset: Vector3(0.001, 0, 0))
        for number in 1...65 {
            let name = SavedCalibration.fileName(device: "\(number)")
            let saved = SavedCalibration(device: "\(number)", corrections: corrections)
            try Data(saved.bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            guard number >= 64 else { continue }
            let all = CalibrationFolder(path: folder).all { Issue.record("\($0)") }
            #expect(Set(all.map(\.device)).count == 64)
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/other-1.json"))
        #expect(CalibrationFolder(path: folder).all { Issue.record("\($0)") }.count == 64)
    }
}
