import Calibration
import Foundation
import Frames
import Fusion
import Geodesy
import PoseMath
import Testing

@testable import SavedState

/// When something is saved, at the limits of times and differences.
@Suite struct SavingLimitTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    private static func mount(_ sigma: Double, turn: Double = 0) -> MountEstimate {
        MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, turn)), sigmaBodyRadians: Vector3(repeating: sigma),
            origin: .found)
    }

    @Test(arguments: [(159.9, false), (160.0, true)])
    func aMountIsSavedAMinuteAfterTheLast(seconds: Double, isSaved: Bool) {
        var saving = MountSaving()
        let first = saving.shouldSave(Self.mount(0.01), state: true, at: Self.time(100))
        let second = saving.shouldSave(Self.mount(0.005), state: true, at: Self.time(seconds))
        let last = saving.shouldSave(Self.mount(0.005), state: true, at: Self.time(seconds), isLast: true)
        #expect(first && second == isSaved && last)
    }

    @Test(arguments: [
        // The saved sigma is 0.01 on each axis. A rotation of 0.25 degrees is another one, unless it is known less
        // well.
        (0.0069, 0.0, true), (0.0071, 0, false), (0.01, 0.004_5, true), (0.01, 0.004_3, false),
        (0.0101, 0.004_5, false),
        // Beyond three sigmas of both, 0.0739 rad, the saved one is wrong.
        (0.01, 0.0734, true), (0.0101, 0.0745, true), (0.0101, 0.0735, false),
    ])
    func onlyABetterOrAnotherMountReplacesIt(sigma: Double, turn: Double, isSaved: Bool) {
        var saving = MountSaving()
        saving.recordSaved(Self.mount(0.01))
        let wants = saving.shouldSave(Self.mount(sigma, turn: turn), state: true, at: Self.time(1))
        #expect(wants == isSaved)
        // At the end too.
        var ending = MountSaving()
        ending.recordSaved(Self.mount(0.01))
        #expect(
            ending.shouldSave(Self.mount(sigma, turn: turn), state: true, at: Self.time(1), isLast: true) == isSaved)
    }

    /// What a drive knows, with a change.
    private static func known(_ change: (inout SensorPrior) -> Void = { _ in }) -> SensorPrior {
        var known = SensorPrior()
        known.gyroBias = .init(
            radiansPerSecond: Vector3(0.001, 0, 0), sigmaRadiansPerSecond: Vector3(repeating: 0.0003))
        known.accelerometerBias = .init(
            metersPerSecondSquared: Vector3(0.1, 0, 0), sigmaMetersPerSecondSquared: Vector3(repeating: 0.02))
        known.lags = LagCalibration(
            positionSeconds: 0.02, positionSigmaSeconds: 0.01, velocitySeconds: 0.15, velocitySigmaSeconds: 0.02)
        known.wheels = .init(scale: 1.03, scaleSigma: 0.004, lagSeconds: 0.2, lagSigmaSeconds: 0.02)
        change(&known)
        return known
    }

    /// Whether a change of what is known is worth a save, an hour after the last.
    private static func isWorth(
        first: (inout SensorPrior) -> Void = { _ in }, _ change: (inout SensorPrior) -> Void
    ) -> Bool {
        var saving = SensorSaving(imu: "a", read: nil, corrections: SensorCorrections())
        saving.note(known(first), celsius: nil)
        _ = saving.shouldSave(at: time(0))
        saving.recordSaved(saving.current)
        saving.note(known(change), celsius: nil)
        return saving.shouldSave(at: time(3600))
    }

    @Test func aClearDifferenceIsWorthASave() {
        #expect(!Self.isWorth { _ in })
        // 0.02 deg/s of the gyro, 0.02 s of a lag, 0.003 of a scale; the table of biases averages over drives.
        #expect(
            Self.isWorth { $0.lags?.positionSeconds = 0.0401 } && !Self.isWorth { $0.lags?.positionSeconds = 0.0399 })
        #expect(Self.isWorth { $0.lags?.positionSeconds = -0.0001 })
        #expect(
            Self.isWorth { $0.lags?.velocitySeconds = 0.1701 } && !Self.isWorth { $0.lags?.velocitySeconds = 0.1699 })
        #expect(Self.isWorth { $0.wheels?.scale = 1.0331 } && !Self.isWorth { $0.wheels?.scale = 1.0329 })
        #expect(Self.isWorth { $0.wheels?.lagSeconds = 0.1799 } && !Self.isWorth { $0.wheels?.lagSeconds = 0.1801 })
        #expect(Self.isWorth { $0.gyroBias?.radiansPerSecond.y = 0.000_36 })
        #expect(!Self.isWorth { $0.gyroBias?.radiansPerSecond.y = 0.000_34 })
        // What is found for the first time is worth it; what is not found again is kept.
        #expect(Self.isWorth(first: { $0.wheels = nil }) { _ in } && Self.isWorth(first: { $0.lags = nil }) { _ in })
        #expect(Self.isWorth(first: { $0.accelerometerBias = nil }) { _ in })
        #expect(!Self.isWorth { ($0.wheels, $0.lags, $0.accelerometerBias, $0.gyroBias) = (nil, nil, nil, nil) })
        // 0.03 m/s2 of the accelerometer.
        #expect(Self.isWorth { $0.accelerometerBias?.metersPerSecondSquared.x = 0.1301 })
        #expect(!Self.isWorth { $0.accelerometerBias?.metersPerSecondSquared.x = 0.1299 })
        // What no sensor has is not learned.
        #expect(!Self.isWorth { $0.wheels?.scale = 9 } && !Self.isWorth { $0.lags?.velocitySeconds = 99 })
    }

    @Test(arguments: [(299.9, false), (300.0, true)])
    func sensorsAreSavedFiveMinutesAfterTheLast(seconds: Double, isSaved: Bool) {
        var saving = SensorSaving(imu: "a", read: nil, corrections: SensorCorrections())
        saving.note(Self.known(), celsius: nil)
        let first = saving.shouldSave(at: Self.time(0))
        let second = saving.shouldSave(at: Self.time(seconds))
        let last = saving.shouldSave(at: Self.time(seconds + 1), isLast: true)
        #expect(first && second == isSaved && last)
    }

    @Test func anAccelerometerAloneIsNotSaved() {
        // GIVEN drives that found one thing only THEN it is saved, but for the bias of the accelerometer
        let parts: [(Bool, (inout SensorPrior) -> Void)] = [
            (true, { ($0.accelerometerBias, $0.lags, $0.wheels) = (nil, nil, nil) }),
            (false, { ($0.gyroBias, $0.lags, $0.wheels) = (nil, nil, nil) }),
            (true, { ($0.gyroBias, $0.accelerometerBias, $0.wheels) = (nil, nil, nil) }),
            (true, { ($0.gyroBias, $0.accelerometerBias, $0.lags) = (nil, nil, nil) }),
        ]
        for (isSaved, change) in parts {
            var saving = SensorSaving(imu: "a", read: nil, corrections: SensorCorrections())
            saving.note(Self.known(change), celsius: nil)
            let wants = saving.shouldSave(at: Self.time(0))
            #expect(wants == isSaved)
        }
    }

    @Test func biasesStayWithACorrectionThatIsTheSame() {
        // GIVEN biases found with a correction THEN they hold for one that differs by rounding, and no longer
        var saved = SavedSensors(imu: "a")
        saved.gyroBias = GyroBiasTable(entries: [], latest: Vector3(0.001, 0, 0))
        saved.correction = SensorCorrection(offset: Vector3(0.004, 0, 0))
        for (offset, isKept) in [
            (0.004, true), (0.004 + 0.9e-7, true), (0.004 + 1.1e-7, false), (0.004 - 1.1e-7, false),
        ] {
            var now = SensorCorrections()
            now.gyro = SensorCorrection(offset: Vector3(offset, 0, 0))
            #expect((saved.with(corrections: now).gyroBias.latest != nil) == isKept)
        }
        let without = saved.with(corrections: SensorCorrections())
        #expect(without.gyroBias.latest == nil && without.correction == nil)
        saved.correction = nil
        var same = SensorCorrections()
        same.gyro = SensorCorrection()
        #expect(saved.with(corrections: same) == saved)
        // A difference of just 1e-7 is none.
        same.gyro?.offset.z = -1e-7
        #expect(saved.with(corrections: same) == saved)
    }

    @Test(arguments: [(0.2, true), (0.200_09, true), (0.200_11, false), (0.199_89, false)])
    func theBiasOfTheAccelerometerStaysWithItsCorrection(offset: Double, isKept: Bool) {
        // GIVEN a bias of the accelerometer found with an offset of 0.2 m/s2 THEN it holds within 1e-4 m/s2 of it
        var saved = SavedSensors(imu: "a")
        saved.accelerometerBias = Self.known().accelerometerBias
        saved.accelerometerCorrection = SensorCorrection(offset: Vector3(0, 0.2, 0))
        var now = SensorCorrections()
        now.accelerometer = SensorCorrection(offset: Vector3(0, offset, 0))
        let then = saved.with(corrections: now)
        #expect((then.accelerometerBias != nil) == isKept)
        #expect(then.accelerometerCorrection == (isKept ? saved.accelerometerCorrection : now.accelerometer))
    }

    /// A frame at rest or moving, some metres north of a place.
    private static func frame(
        north: Double = 0, heading: Double = 1, stands: Bool = true, _ change: (inout Frame.Pose) -> Void = { _ in }
    ) -> Frame {
        var frame = Frame()
        let origin = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let place = LocalFrame(origin: origin).position(ofENUMeters: Vector3(0, north, 0))
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (frame.pose.altitudeEllipsoidMeters, frame.pose.isStandingStill) = (400, stands)
        frame.pose.positionSigmaENUMeters = .init(1, 1.5, 3)
        (frame.pose.headingTrueRadians, frame.pose.headingSigmaRadians) = (heading, 0.02)
        frame.pose.gravityDirectionBody = .init(0, 0, -1)
        change(&frame.pose)
        return frame
    }

    @Test func aRestIsSavedAfterFiveSecondsAndAgainAfterThirty() {
        var saving = RestSaving()
        var times: [Double] = []
        for tenth in 0...900 {
            // GIVEN a vehicle that is 4 m farther at each moment, at rest THEN each is another rest
            let (seconds, frame) = (Double(tenth) / 10, Self.frame(north: Double(tenth) * 4))
            guard case .save(let pose) = saving.action(for: frame, at: Self.time(seconds)) else { continue }
            saving.recordSaved(pose)
            times.append(seconds)
        }
        #expect(times == [5, 35, 65])
        // A motion begins the five seconds anew.
        saving = RestSaving()
        let moves = [0.0, 4, 4.9, 5, 9.9].map { seconds in
            saving.action(for: Self.frame(stands: seconds != 4.9), at: Self.time(seconds)) != nil
        }
        #expect(moves == [false, false, false, false, false])
        #expect(saving.action(for: Self.frame(), at: Self.time(10)) != nil)
    }

    @Test(arguments: [
        (2.9, 1.0, false), (3.1, 1, true), (0, 1.029, false), (0, 1.031, true), (0, 0.969, true),
        (0, 1 + 2 * Double.pi, false),
    ])
    func anotherRestIsThreeMetersOrTwoDegreesAway(north: Double, heading: Double, isOther: Bool) {
        var saving = RestSaving()
        saving.recordSaved(RestingPose(atRest: Self.frame()))
        let frame = Self.frame(north: north, heading: heading)
        #expect((saving.action(for: frame, at: Self.time(0), isLast: true) != nil) == isOther)
    }

    @Test func aStopOfWhatHasNoWheelsIsNotSaved() {
        // GIVEN what is carried WHEN it stands, for a minute or at the end THEN its place is not saved
        var saving = RestSaving(keepsStops: false)
        for second in 0...60 { #expect(saving.action(for: Self.frame(), at: Self.time(Double(second))) == nil) }
        #expect(saving.action(for: Self.frame(), at: Self.time(61), isLast: true) == nil)
        // AND a stop that was saved before is removed when it is left
        saving.recordSaved(RestingPose(atRest: Self.frame()))
        #expect(saving.action(for: Self.frame(north: 40, stands: false), at: Self.time(62)) == .remove)
    }

    @Test(arguments: [(29.9, false), (30.1, true)])
    func aVehicleHasLeftAfterThirtyMeters(north: Double, hasLeft: Bool) {
        var saving = RestSaving()
        saving.recordSaved(RestingPose(atRest: Self.frame()))
        let moving = Self.frame(north: north, stands: false)
        #expect((saving.action(for: moving, at: Self.time(1)) == .remove) == hasLeft)
        guard hasLeft else { return }
        // While the file cannot be removed, that is tried again each 30 s; then nothing is to be done.
        #expect(saving.action(for: moving, at: Self.time(30.9)) == nil)
        #expect(saving.action(for: moving, at: Self.time(31)) == .remove)
        saving.recordSaved(nil)
        #expect(saving.action(for: moving, at: Self.time(90)) == nil)
        // A pose that is not aligned, or without a height, tells nothing.
        saving.recordSaved(RestingPose(atRest: Self.frame()))
        for change: (inout Frame.Pose) -> Void in [{ $0.state = .coarse }, { $0.altitudeEllipsoidMeters = nil }] {
            let frame = Self.frame(north: north, stands: false, change)
            #expect(saving.action(for: frame, at: Self.time(200)) == nil)
        }
    }

    @Test func aRestHasTheSigmasOfTheFrame() throws {
        // GIVEN a frame at rest THEN the larger horizontal sigma counts, and none is below a centimetre or 1e-4 rad
        let pose = try #require(RestingPose(atRest: Self.frame()))
        #expect(pose.horizontalSigmaMeters == 1.5 && pose.verticalSigmaMeters == 3 && pose.headingSigmaRadians == 0.02)
        #expect(pose.headingTrueRadians == 1 && pose.downBody == Vector3(0, 0, -1))
        let other = try #require(RestingPose(atRest: Self.frame { $0.positionSigmaENUMeters = .init(2.5, 1.5, 3) }))
        #expect(other.horizontalSigmaMeters == 2.5)
        let exact = try #require(
            RestingPose(
                atRest: Self.frame {
                    ($0.positionSigmaENUMeters, $0.headingSigmaRadians) = (.init(0.001, 0.002, 0.003), 1e-6)
                }))
        #expect(exact.horizontalSigmaMeters == 0.01 && exact.verticalSigmaMeters == 0.01)
        #expect(exact.headingSigmaRadians == 1e-4)
        // A pose whose numbers cannot be is none.
        #expect(RestingPose(atRest: Self.frame { $0.gravityDirectionBody = .init(0, 0, -2) }) == nil)
        for change: (inout Frame.Pose) -> Void in [
            { $0.gravityDirectionBody = nil }, { $0.positionSigmaENUMeters = nil }, { $0.headingSigmaRadians = nil },
            { $0.altitudeEllipsoidMeters = nil },
        ] { #expect(RestingPose(atRest: Self.frame(change)) == nil) }
    }
}

/// What a replayed drive leaves in its folder, and what is said of the folder.
@Suite struct DriveFolderTests {
    private let folder = NSTemporaryDirectory() + "posed-folder-\(UUID().uuidString)"

    @Test func aDriveSavesWhatItFoundOnce() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN a drive that found the mount and the sensors, and ended on the way
        var found = SensorCalibration()
        found.mount = MountEstimate(
            sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.002), origin: .found)
        found.sensors.wheels = .init(scale: 1.03, scaleSigma: 0.004, lagSeconds: 0.2, lagSigmaSeconds: 0.02)
        var first = DriveState(folder: folder, imu: "imu") { Issue.record("\($0)") }
        #expect(try first.finish(found, last: Frame()) == ["saved mount", "saved gyro bias, lags and wheels"])
        // WHEN the next one finds the same THEN nothing is written, and it began with both
        var second = DriveState(folder: folder, imu: "imu") { Issue.record("\($0)") }
        #expect(try second.finish(found, last: Frame()).isEmpty)
        guard second.prior.count == 2, case .mount = second.prior[0], case .sensors(let prior) = second.prior[1] else {
            Issue.record("\(second.prior)")
            return
        }
        #expect(prior.wheels?.scale == 1.03)
        // AND a damaged file is told
        let path = "\(folder)/\(SavedMount.fileName(imu: "imu"))"
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        var notes: [String] = []
        let third = DriveState(folder: folder, imu: "imu") { notes.append($0) }
        #expect(third.prior.count == 1 && notes.count == 1 && notes.first?.hasPrefix(path) == true)
        #expect(notes.first?.hasSuffix("; the mount will be estimated while driving") == true)
    }

    @Test func filesThatAreEqualAreNotKeptTwice() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/file"
        func replace(_ text: String) throws {
            try StateFile.replace(path, with: Array(text.utf8), folder: folder) { $0 != Array("bad".utf8) }
        }
        func previous() -> String? { try? String(contentsOfFile: "\(path).previous", encoding: .utf8) }
        // GIVEN contents that are replaced THEN the one before is kept if it is another one and valid
        try replace("one")
        #expect(previous() == nil)
        try replace("one")
        #expect(previous() == nil)
        try replace("bad")
        #expect(previous() == "one")
        try replace("two")
        #expect(previous() == "one")
        try replace("three")
        #expect(try StateFile.read(path, atMost: 5) == Array("three".utf8) && previous() == "two")
        // A longer file is read with one byte more than asked for; one that is missing is none.
        #expect(try StateFile.read(path, atMost: 3) == Array("thre".utf8))
        #expect(try StateFile.read("\(folder)/none", atMost: 3) == nil)
        #expect(throws: StateProblem.self) { try StateFile.read(folder, atMost: 3) }
        // The umask, which tests of sockets change for a moment, takes the group's away at most.
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions.map { $0 | 0o040 } == 0o640)
    }

    @Test func aFolderThatCannotBeIsNamed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(StateFile.problem(ofFolder: folder) == nil && FileManager.default.fileExists(atPath: folder))
        let file = "\(folder)/file"
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(
            StateFile.problem(ofFolder: file) == "\(file) is not a folder; remove it, or set another state.folder")
        #expect(
            StateFile.problem(ofFolder: "\(file)/below")
                == "\(file)/below cannot be created: Not a directory; create it, or set another state.folder")
        let problem = #expect(throws: StateProblem.self) {
            try StateFile.replace("\(file)/below/x", with: [], folder: "\(file)/below")
        }
        #expect(problem?.description == "\(file)/below cannot be created: Not a directory")
        #expect(throws: StateProblem.self) { try StateFile.remove(folder, folder: folder) }
        try StateFile.remove("\(folder)/none", folder: folder)
        try StateFile.remove(file, folder: folder)
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
