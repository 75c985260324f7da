import Calibration
import Foundation
import Frames
import Fusion
import Logging
import PoseMath
import Testing

@testable import SavedState

/// The store of the daemon: what it writes at the end, and what the next drive is offered, in a folder of the test.
@Suite final class StateStoreTests {
    private let folder = NSTemporaryDirectory() + "posed-store-\(UUID().uuidString)"
    /// What the engine was offered, by name, and whether it has room for more.
    private var (offered, hasRoom): ([String], Bool) = ([], true)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func store(in folder: String?) -> StateStore {
        StateStore(folder: folder, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            [unowned self] kept in
            guard hasRoom else { return false }
            switch kept {
            case .mount(let mount): offered.append("mount \(mount.origin)")
            case .sensors(let prior): offered.append("sensors \(prior.gyroBias != nil)")
            case .rest: offered.append("rest")
            }
            return true
        }
    }

    private func observed(_ imu: String? = "imu 7", celsius: Double? = nil, hasMount: Bool = false)
        -> StateStore.Observed
    {
        var calibration = SensorCalibration()
        if hasMount {
            calibration.mount = MountEstimate(
                sensorToBody: Quaternion(rotationVector: Vector3(0, 0, 0.5)),
                sigmaBodyRadians: Vector3(repeating: 0.005), origin: .found)
        }
        return StateStore.Observed(imu: imu, celsius: celsius, gyroCorrection: nil, calibration: calibration)
    }

    private func frame(_ state: Frame.PoseState) -> Frame {
        var frame = Frame()
        frame.pose.state = state
        return frame
    }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds) }

    private var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// A drive from its first look into the folder to its end, which waits for what is read and written.
    private func drive(_ store: StateStore, _ observed: StateStore.Observed, _ state: Frame.PoseState) {
        store.update(observed, frame: frame(.starting), now: at(1))
        store.finish(observed, frame: frame(state), now: at(10))
    }

    @Test func theMountOfAnAlignedPoseIsWrittenAtTheEnd() throws {
        // GIVEN a well known mount WHEN the daemon stops without a pose that is aligned, without an IMU, or without a
        // folder THEN nothing is written
        drive(store(in: folder), observed(hasMount: true), .coarse)
        drive(store(in: folder), observed(nil, hasMount: true), .aligned)
        let homeless = store(in: nil)
        drive(homeless, observed(hasMount: true), .aligned)
        #expect(files == [])
        #expect(
            homeless.notes == [
                "the mount is not saved: state.folder is not set and the service manager provides no folder"
            ])
        // WHEN it stops with one THEN it is
        let last = store(in: folder)
        drive(last, observed(hasMount: true), .aligned)
        #expect(files.count == 1 && files.first?.hasPrefix("mount-") == true && last.notes == ["the mount is saved"])
        // AND the next drive is offered it once, as soon as there is room; an earlier mount of the same IMU is known
        let next = store(in: folder)
        hasRoom = false
        drive(next, observed(), .starting)
        #expect(next.notes == ["the saved mount was loaded"])
        next.update(observed(), frame: frame(.starting), now: at(11))
        #expect(offered == [])
        hasRoom = true
        for second in 12...14 { next.update(observed(), frame: frame(.starting), now: at(Double(second))) }
        #expect(offered == ["mount kept"])
        // AND another IMU has none
        drive(next, observed("imu 8"), .starting)
        #expect(next.notes == ["no saved mount"])
    }

    @Test func aFolderThatIsNoneIsTold() throws {
        // GIVEN a file in place of a folder THEN that comes first, and so is told what cannot be written
        try Data().write(to: URL(fileURLWithPath: folder + "/file"))
        let lost = store(in: folder + "/file/state")
        #expect(
            lost.notes.count == 1 && lost.notes.first?.hasPrefix("nothing can be saved for the next drive: ") == true)
        drive(lost, observed(hasMount: true), .aligned)
        #expect(lost.notes.first?.hasPrefix("nothing can be saved for the next drive: ") == true)
        #expect(lost.notes.last?.hasSuffix("; the mount will be estimated while driving") == true, "\(lost.notes)")
    }

    @Test func theSensorsWaitTwoSecondsForATemperature() throws {
        // GIVEN a saved gyro bias WHEN the temperature is unknown THEN it is offered two seconds after it was read, and
        // with a temperature at once
        var saved = SavedSensors(imu: "imu 7")
        saved.gyroBias = GyroBiasTable(
            entries: [.init(celsius: 20, bias: Vector3(0.001, 0.002, 0.003), drives: 3)],
            latest: Vector3(0.001, 0.002, 0.003))
        try StateReader.write(saved, folder: folder)
        for (celsius, expected) in [(nil, [0, 0, 1, 1]), (20, [1, 1, 1, 1])] as [(Double?, [Int])] {
            offered = []
            let next = store(in: folder)
            next.update(observed(), frame: frame(.starting), now: at(10))
            next.finish(observed(), frame: frame(.starting), now: at(10))
            let counts = [10.0, 11.999, 12, 13].map { seconds in
                next.update(observed(celsius: celsius), frame: frame(.starting), now: at(seconds))
                return offered.count
            }
            #expect(counts == expected && offered == ["sensors true"], "\(offered)")
        }
    }
}
