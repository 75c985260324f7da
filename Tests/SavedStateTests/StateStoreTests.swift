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

/// The store of the daemon: what it writes at the end, and what the next drive is offered, in a folder of the test.
@Suite final class StateStoreTests {
    private let folder = NSTemporaryDirectory() + "posed-store-\(UUID().uuidString)"
    /// What the engine was offered, by name, and whether it has room for more.
    private var (offered, hasRoom): ([String], Bool) = ([], true)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func store(in folder: String?) -> StateStore {
        let store = StateStore(folder: folder, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            [unowned self] kept in
            guard hasRoom else { return false }
            switch kept {
            case .mount(let mount): offered.append("mount \(mount.origin)")
            case .sensors(let prior): offered.append("sensors \(prior.gyroBias != nil)")
            case .rest: offered.append("rest")
            }
            return true
        }
        store.patienceSeconds = 60
        return store
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
        return StateStore.Observed(imu: imu, celsius: celsius, corrections: nil, calibration: calibration)
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
        // AND the setting that nothing is kept is named
        let unwanted = StateStore(
            folder: folder, isWanted: false, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in true }
        drive(unwanted, observed(hasMount: true), .aligned)
        #expect(files == [] && unwanted.notes == ["the mount is not saved: state.keep_mount is false"])
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

    @Test func whatWasReadForAnotherIMUIsNotOffered() throws {
        // GIVEN the files of an IMU, which were read and not offered yet
        let mount = try #require(observed(hasMount: true).calibration.mount)
        try StateReader.write(SavedMount(imu: "imu 7", mount: mount), folder: folder)
        let pose = RestingPose(
            position: GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 400),
            horizontalSigmaMeters: 1, verticalSigmaMeters: 3, headingTrueRadians: 1, headingSigmaRadians: 0.02,
            downBody: Vector3(0, 0, -1))
        try StateReader.write(SavedRest(imu: "imu 7", pose: pose), folder: folder)
        let asked = store(in: folder)
        drive(asked, observed(), .starting)
        #expect(asked.notes == ["the saved mount was loaded", "the pose of the last stop was loaded"])
        // WHEN another IMU runs, of which nothing was saved THEN the engine is offered nothing
        drive(asked, observed("imu 8"), .starting)
        for second in 11...15 { asked.update(observed("imu 8"), frame: frame(.starting), now: at(Double(second))) }
        #expect(offered == [] && asked.notes == ["no saved mount"])
    }

    @Test func theMountOfAnotherIMUIsNotWrittenAtTheEnd() {
        // GIVEN a store that looked for the files of an IMU WHEN the daemon stops while another one runs THEN its mount
        // is not written as that of the first one
        let asked = store(in: folder)
        asked.update(observed(), frame: frame(.starting), now: at(1))
        asked.finish(observed("imu 8", hasMount: true), frame: frame(.aligned), now: at(2))
        #expect(files == [])
        // AND without an IMU, as its source has stopped by then, the mount is that of the one that was known
        asked.finish(observed(nil, hasMount: true), frame: frame(.aligned), now: at(3))
        #expect(files.count == 1)
    }

    @Test func theMountOfTheIMUBeforeIsNotThatOfTheNextOne() {
        // GIVEN an IMU with which the pose is aligned and the mount well known
        let asked = store(in: folder)
        func update(_ imu: String?, _ second: Double) {
            // The end waits for what is read and written, and writes nothing without an aligned pose.
            asked.update(observed(imu, hasMount: true), frame: frame(.aligned), now: at(second))
            asked.finish(observed(imu), frame: frame(.starting), now: at(second))
        }
        for second in 1...3 { update("imu 7", Double(second)) }
        #expect(files.count == 1)
        // WHEN it is unplugged, and another one is used THEN what is still known of the first is not saved for that
        update(nil, 4)
        for second in 5...8 { update("imu 8", Double(second)) }
        let reason = "nothing more is saved for the next drive: the IMU was changed for imu 8 on the way; restart posed"
        #expect(files.count == 1 && asked.notes == [reason, "no saved mount"])
        asked.finish(observed("imu 8", hasMount: true), frame: frame(.aligned), now: at(9))
        #expect(files.count == 1)
        // AND a change before the pose was aligned is none
        let early = store(in: folder)
        early.update(observed("imu 7"), frame: frame(.starting), now: at(1))
        early.finish(observed("imu 7"), frame: frame(.starting), now: at(1))
        early.update(observed("imu 8"), frame: frame(.starting), now: at(2))
        early.finish(observed("imu 8", hasMount: true), frame: frame(.aligned), now: at(3))
        #expect(files.count == 2 && early.notes == ["the mount is saved"])
    }

    @Test func aDiskThatDoesNotAnswerDoesNotHoldUpTheEnd() {
        // GIVEN a store that has read its files, whose thread then waits for the disk for ever
        let lines = LogLines()
        let store = StateStore(folder: folder, log: Logger(label: "test") { _ in lines }) { _ in true }
        // posed.service grants 5 s for the whole end.
        #expect(store.patienceSeconds == 2)
        store.patienceSeconds = 60
        drive(store, observed(), .starting)
        let disk = DispatchSemaphore(value: 0)
        store.start {
            disk.wait()
            return .failed("the disk has answered")
        }
        // WHEN the daemon stops THEN the end comes all the same: nothing more is written, which the log tells
        store.patienceSeconds = 0.01
        store.finish(observed(hasMount: true), frame: frame(.aligned), now: at(20))
        let text = "warning: the disk does not answer: what was not written yet is not saved for the next drive"
        #expect(files == [] && lines.labelled == [text])
    }

    @Test func anAntennaIsWrittenBesideAMountThatWasSavedWithoutOne() throws {
        // GIVEN a mount that an earlier drive has saved without an antenna
        var known = observed(hasMount: true)
        let mount = try #require(known.calibration.mount)
        try StateReader.write(SavedMount(imu: "imu 7", mount: mount), folder: folder)
        // WHEN a drive that knows the mount no better has found the antenna THEN the file has it at the end
        let antenna = AntennaArm(meters: SIMD2(1, -0.5), sigmaMeters: SIMD2(repeating: 0.1))
        known.calibration.mount?.antenna = antenna
        let next = store(in: folder)
        drive(next, known, .aligned)
        #expect(next.notes == ["the mount is saved"])
        #expect(StateReader.read(folder: folder, imu: "imu 7").mount?.mount.antenna == antenna)
    }

    @Test func aFailureIsNoLongerToldWhenWritingWorks() {
        // GIVEN a store that could not write
        let kept = store(in: folder)
        drive(kept, observed(), .starting)
        func perform(_ outcome: StateStore.Outcome) {
            kept.start { outcome }
            kept.finish(observed(), frame: frame(.starting), now: at(20))
        }
        // What was read is no failure: it stays when something is written.
        perform(.rested(nil))
        #expect(kept.notes == ["no saved mount"])
        for written in [StateStore.Outcome.rested(nil), .sensorsWritten(SavedSensors(imu: "imu 7"))] {
            perform(.failed("no room"))
            #expect(kept.notes == ["no room"])
            // WHEN it has written something else THEN the reason is gone
            perform(written)
            #expect(kept.notes == [])
        }
        // AND what is known of the mount stays
        perform(.written(SavedMount(imu: "imu 7", mount: Self.level)))
        perform(.rested(nil))
        #expect(kept.notes == ["the mount is saved"])
    }

    private static let level = MountEstimate(
        sensorToBody: Quaternion(rotationVector: .zero), sigmaBodyRadians: Vector3(repeating: 0.01), origin: .found)
}
