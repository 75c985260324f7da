import DriveRecording
import Engine
import Foundation
import Frames
import Measurements
import PoseMath
import Testing

@testable import Recorder

/// The parts of the recorder without its thread: what counts as an event, what a session and a context know, and which
/// files are removed.
@Suite struct RecorderPartsTests {
    @Test(
        arguments: [
            (.poseState(.lost), true), (.poseState(.deadReckoning), true), (.poseState(.aligned), false),
            (.poseState(.aligning), false), (.reset(count: 0), false), (.reset(count: 1), true),
            (.source(.gps, .lost), true), (.source(.imu, .stale), true), (.source(.imu, .streaming), false),
            (.source(.gps, .absent), false), (.guidanceState(.offRoute), true), (.guidanceState(.wrongWay), true),
            (.guidanceState(.onRoute), false), (.departed(routeVersion: 1), true), (.route(version: 1), false),
            (.origin(epoch: 1), false), (.target(number: 1, isNear: true), false),
            (.maneuverReached(index: 1, count: 2), false), (.waypointReached(number: 1, count: 2), false),
            (.rejoined(routeVersion: 1, isAhead: true), false), (.waypointSkipped(number: 1, count: 1), false),
            (.frameRate(isLow: true, millihertz: 1), false),
        ] as [(Message.Change, Bool)])
    func someChangesAreRecordedAsEvents(change: Message.Change, isEvent: Bool) {
        #expect(RecordingWindow.isEvent(.event(.init(timeNanoseconds: 1, change: change))) == isEvent)
    }

    @Test func aVehicleMovesFromTwoMetersPerSecondOn() {
        for (speed, isMoving) in [(nil, false), (0, false), (1.99, false), (2, true), (30, true)] as [(Double?, Bool)] {
            var frame = Frame()
            frame.speed.speedMetersPerSecond = speed
            #expect(RecordingWindow.isMoving(frame) == isMoving)
        }
        #expect(!RecordingWindow.isEvent(.maneuver(Message.Maneuver(routeVersion: 1))))
    }

    @Test func aWindowIsOpenForAMinute() {
        var window = RecordingWindow()
        #expect(!window.isOpen(at: at(0)))
        window.note(at: at(5))
        #expect(window.isOpen(at: at(5)) && window.isOpen(at: at(64.9)) && !window.isOpen(at: at(65)))
        window.note(at: at(10))
        #expect(window.isOpen(at: at(69.9)))
        window.close()
        #expect(!window.isOpen(at: at(11)))
    }

    // MARK: - Session

    @Test(arguments: [
        (0, "19700101T000000Z-"), (951_782_400, "20000229T000000Z-"), (1_798_761_599, "20261231T235959Z-"),
        (1_767_323_105, "20260102T030505Z-"),
    ])
    func aSessionHasTheDateInItsName(seconds: Int64, name: String) {
        let session = RecordingSession(
            release: "1.5", startsWithEngine: true, isPrivate: false, now: at(4), realtime: seconds * 1_000_000_000)
        #expect(session.info.session.hasPrefix(name), "\(session.info.session)")
        #expect(session.info.session.count == 21 && Int(session.info.session.suffix(4), radix: 16) != nil)
        #expect(session.info.release == "1.5" && session.info.startsWithEngine && session.info.hasPublications)
        #expect(session.info.clockOffsetNanoseconds == seconds * 1_000_000_000 - 5_000_000_000)
        #expect(session.privatePlace == nil && session.startedAt == at(4) && !session.info.isPrivate)
    }

    @Test func aPrivateSessionHasARandomPlace() throws {
        var (north, south) = (0, 0)
        for _ in 0..<200 {
            let session = RecordingSession(
                release: "1", startsWithEngine: false, isPrivate: true, now: at(0), realtime: 0)
            #expect(session.info.isPrivate && !session.info.startsWithEngine)
            let place = try #require(session.privatePlace)
            #expect((20...60).contains(abs(place.latitudeDegrees)) && abs(place.longitudeDegrees) <= 179)
            #expect((100...1000).contains(place.altitudeEllipsoidMeters))
            if place.latitudeDegrees > 0 { north += 1 } else { south += 1 }
        }
        // Each half has 100 of 200, with a sigma of 7.
        #expect(north > 40 && south > 40)
    }

    @Test func aStepOfTheClockIsToldFromASecondOn() {
        let second: Int64 = 1_000_000_000
        var session = RecordingSession(release: "", startsWithEngine: true, isPrivate: false, now: at(0), realtime: 0)
        /// The words for a clock that shows `seconds` more than the first one.
        func told(_ seconds: Int64, at time: Double) -> String? {
            session.clockStep(to: Int64(time * 1e9) + seconds, at: at(time))
        }
        #expect(told(0, at: 5) == nil && told(second - 1, at: 10) == nil)
        #expect(told(2 * second - 2, at: 11) == nil && told(2 * second, at: 12) == nil)
        let rest =
            " s, or the machine slept; the times in the recording do not follow it, they continue from its start"
        #expect(told(3 * second, at: 13) == "the system clock was set forward by 1\(rest)")
        #expect(told(2 * second, at: 14) == "the system clock was set back by 1\(rest)")
        #expect(told(102 * second + second / 2, at: 15) == "the system clock was set forward by 101\(rest)")
    }

    // MARK: - Context

    @Test func aContextKeepsWhatIsInForce() {
        var context = RecordingContext()
        #expect(context.inputs.isEmpty)
        let reports = [SensorKind.gps, .imu, .gps].enumerated().map { index, kind in
            SourceReport(time: at(Double(index)), source: kind, state: index == 2 ? .stale : .streaming)
        }
        for report in reports { context.note(.report(report)) }
        context.note(.command(.setRoute(nil, version: 3)))
        context.note(.command(.setRoute(nil, version: 4)))
        context.note(.command(.setDeclination(nil)))
        context.note(.command(.setHeadingTrim(radians: 0.25)))
        context.note(.command(.trimHeading(byRadians: 0.5)))
        context.note(.tick(at(9)))
        context.note(.command(.setSpeedHorizon(.init(time: at(9)))))
        func texts() -> [String] { context.inputs.map { "\($0)" } }
        func text(_ input: EngineInput) -> String { "\(input)" }
        let kinds = SensorKind.allCases.compactMap { kind in reports.last { $0.source == kind } }
        let usual =
            kinds.map { text(.report($0)) } + [
                text(.command(.setRoute(nil, version: 4))), text(.command(.setDeclination(nil))),
            ]
        #expect(texts() == usual + [text(.command(.setHeadingTrim(radians: 0.75)))])
        // WHEN posed is reset THEN the trim is that of its past, or none
        var past = EnginePast()
        past.headingTrimRadians = -0.5
        context.note(.command(.reset(after: past)))
        #expect(texts() == usual + [text(.command(.setHeadingTrim(radians: -0.5)))])
        context.note(.command(.reset()))
        #expect(texts() == usual)
    }

    // MARK: - Settings and files

    @Test func settingsHaveTheirDefaultsAndLimits() {
        var settings = RecorderSettings()
        #expect(settings.mode == .off && settings.folder == nil && !settings.isPrivate && settings.frameRateHertz == 5)
        #expect(settings.fileMebibytes == 256 && settings.historyMebibytes == 256 && settings.totalMebibytes == 4096)
        #expect(settings.keepDays == 30 && settings.reserveMebibytes == 512 && settings.historyLimitMebibytes == 256)
        (settings.historyMebibytes, settings.totalMebibytes) = (100, 180)
        #expect(settings.historyLimitMebibytes == 90)
        // A file has at most a quarter of what all have.
        #expect(settings.fileLimitBytes == 45 << 20)
        settings.fileMebibytes = 44
        #expect(settings.fileLimitBytes == 44 << 20)
        for (rate, mode, nanoseconds) in [
            (5, .always, 200_000_000), (0.5, .always, 2_000_000_000), (0, .always, nil),
            (0.0001, .always, 1_000_000_000_000), (5, .moving, 200_000_000), (0.5, .moving, 1_000_000_000),
            (0, .moving, 1_000_000_000),
        ] as [(Double, RecordingMode, Int64?)] {
            (settings.frameRateHertz, settings.mode) = (rate, mode)
            #expect(settings.frameIntervalNanoseconds == nanoseconds)
        }
        #expect(
            settings.folder(environment: [:]) == nil && settings.folder(environment: ["STATE_DIRECTORY": "x"]) == nil)
        #expect(settings.folder(environment: ["STATE_DIRECTORY": "/a:/b"]) == "/a/recordings")
        settings.folder = "own"
        #expect(settings.folder(environment: ["STATE_DIRECTORY": "/a"]) == "own")
    }

    @Test(arguments: [(0, "000"), (7, "007"), (999, "999"), (1000, "1000"), (12_345, "12345")])
    func aPartHasItsName(part: Int, digits: String) {
        let folder = RecordingFolder(path: "/x", settings: RecorderSettings())
        #expect(folder.path(session: "s", part: part) == "/x/posed-s-\(digits).mcap")
    }

    /// A folder with files of so many bytes, each a minute older than the next one.
    private static func folder(_ files: [(name: String, bytes: Int)]) throws -> String {
        let folder = NSTemporaryDirectory() + "posed-parts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (index, file) in files.enumerated() {
            let path = "\(folder)/\(file.name)"
            try Data(count: file.bytes).write(to: URL(fileURLWithPath: path))
            let date = Date() - Double(files.count - index) * 60
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        return folder
    }

    @Test(arguments: [(0, 4), (1, 3), (1 << 20, 3), ((1 << 20) + 1, 2)])
    func theOldestFilesAreRemovedUntilTheOthersFit(more: Int, left: Int) throws {
        // GIVEN four recordings of 1 MiB, the one that is written among them, and files of other names
        let size = 1 << 20
        let names = ["posed-d.mcap", "posed-c.mcap", "posed-b.mcap", "posed-a.mcap"]
        let others = [("other.mcap", size), ("posed-x.txt", size)]
        let folder = try Self.folder(others.map { (name: $0.0, bytes: $0.1) } + names.map { (name: $0, bytes: size) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = RecorderSettings()
        (settings.totalMebibytes, settings.reserveMebibytes) = (5, 0)
        // WHEN there must be room for 1 MiB, and some more THEN the oldest are removed that do not fit, but never the
        // one that is written, and no other file
        let place = RecordingFolder(path: folder, settings: settings)
        #expect(place.makeRoom(for: size + more, except: "\(folder)/posed-d.mcap"))
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let kept = left == 4 ? names : ["posed-d.mcap"] + names.suffix(left - 1)
        #expect(found == (kept + others.map(\.0)).sorted())
    }

    @Test func aReserveThatCannotBeKeptIsNoRoom() throws {
        let folder = try Self.folder([("posed-a.mcap", 1)])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = RecorderSettings()
        settings.reserveMebibytes = 1 << 40
        let place = RecordingFolder(path: folder, settings: settings)
        #expect(!place.makeRoom(for: 1, except: nil) && !place.hasRoom(for: 0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        settings.reserveMebibytes = 0
        #expect(RecordingFolder(path: folder, settings: settings).hasRoom(for: 1))
        #expect(!RecordingFolder(path: folder, settings: settings).hasRoom(for: 1 << 60))
        #expect(RecordingFolder(path: folder + "/none", settings: settings).hasRoom(for: 1 << 60))
    }
}
