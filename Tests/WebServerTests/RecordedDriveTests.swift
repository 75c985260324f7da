import BoundedJSON
import DriveRecording
import Engine
import Frames
import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import StoredTexts
import Testing

@testable import WebServer

@Suite struct RecordedDriveTests {
    private static let route = RoutePlan(
        points: [(42.5, 1.5), (42.51, 1.5), (42.51, 1.51)].map {
            GeodeticPosition(latitudeDegrees: $0.0, longitudeDegrees: $0.1)
        }, limits: [], durationsSeconds: [],
        maneuvers: [PlannedManeuver(point: 1, kind: .turn, instruction: "Turn right into \"A\"")])

    /// A recording of 20 s with 5 frames per second, a route from the start, and an event after 3 s.
    private func recording() throws -> [UInt8] {
        var info = RecordingInfo(release: "1", session: "s")
        info.clockOffsetNanoseconds = 1_790_000_000_000_000_000
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(.command(.setRoute(try Route(Self.route), version: 1)), number: 1)
        for number in 0..<100 {
            var frame = Frame()
            frame.timeNanoseconds = 1_000_000_000_000 + Int64(number) * 200_000_000
            frame.pose.state = number < 50 ? .aligned : .deadReckoning
            frame.pose.latitudeRadians = (42.5 + Double(number) * 1e-5) * .pi / 180
            frame.pose.longitudeRadians = 1.5 * .pi / 180
            frame.speed.speedMetersPerSecond = Double(number) * 0.1
            writer.write(frame, number: UInt64(number + 1))
            if number == 15 {
                let event = Message.Event(timeNanoseconds: frame.timeNanoseconds, change: .departed(routeVersion: 1))
                writer.write(.event(event), time: MonotonicTime(nanoseconds: frame.timeNanoseconds))
            }
        }
        writer.finish()
        return writer.takeBytes()
    }

    private func drive(_ bytes: [UInt8]) throws -> RecordedDrive {
        let folder = ImportFolder()
        let path = folder.write(bytes, to: "drive.mcap")
        return try RecordedDriveReader.read(path: path) { _ in }
    }

    @Test func theLinesOfATimeAreThoseThatWereRecorded() throws {
        let drive = try drive(recording())
        #expect(drive.lines.count == 100 && abs(drive.seconds - 19.8) < 1e-9 && drive.notes.isEmpty)
        // WHEN a second is asked for THEN it has its five frames, in their order
        let lines = drive.lines.lines(from: 4, to: 5, most: 100).split(separator: 0x0A)
        let times = try lines.map { try JSONDocument(bytes: Array($0)).root["t_s"]?.double }
        #expect(times == [1004, 1004.2, 1004.4, 1004.6, 1004.8])
        // THEN limits hold, and nothing is before the start or after the end
        #expect(drive.lines.lines(from: 0, to: 100, most: 7).split(separator: 0x0A).count == 7)
        #expect(
            drive.lines.lines(from: -5, to: 0, most: 9).isEmpty && drive.lines.lines(from: 20, to: 9e9, most: 9).isEmpty
        )
    }

    @Test func theSummaryHasWayEventsAndRoutes() throws {
        let drive = try drive(recording())
        let root = try JSONDocument(bytes: Array(drive.summary)).root
        #expect(root["state"]?.string == "ready" && root["frames"]?.int == 100)
        // THEN the way has one place per second; its last part is marked as poor
        #expect(root["way"]?.count == 20)
        #expect(root["way"]?[0]?[5]?.int == 0 && root["way"]?[19]?[5]?.int == 1)
        #expect(root["way"]?[10]?[3]?.double == 5)
        // THEN the event has its time from the start, and the route its line with the turn and the destination
        #expect(root["events"]?[0]?[0]?.double == 3 && root["events"]?[0]?[1]?["event"]?.string == "departed")
        let route = root["routes"]?[0]?[1]
        #expect(route?["line"]?.count == 3 && route?["places"]?.count == 2)
        #expect(route?["places"]?[0]?["text"]?.string == "Turn right into \"A\"")
        #expect(route?["places"]?[1]?["kind"]?.string == "destination")
        let along = (0..<3).map { route?["line"]?[$0]?[2]?.double ?? -1 }
        #expect(along[0] == 0 && along[1] > 0 && along[2] > along[1], "\(along)")
        // 0.01 degrees of latitude are 1111 m
        #expect(abs((route?["places"]?[0]?["along_route_m"]?.double ?? 0) - 1111) < 2)
    }

    @Test func theFirstTenThousandEventsAreTaken() throws {
        // GIVEN a recording with a frame and 10,001 events WHEN read THEN it has ten thousand of them: what a page has
        // to load is bounded
        var writer = DriveRecordingWriter(
            info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
        var frame = Frame()
        frame.timeNanoseconds = 1_000_000_000
        writer.write(frame, number: 1)
        for number in 0...10_000 {
            let time = frame.timeNanoseconds + Int64(number)
            let event = Message.Event(timeNanoseconds: time, change: .departed(routeVersion: UInt32(number)))
            writer.write(.event(event), time: MonotonicTime(nanoseconds: time))
        }
        writer.finish()
        let summary = String(decoding: try drive(writer.takeBytes()).summary, as: UTF8.self)
        #expect(summary.matches(of: /"event":"departed"/).count == 10_000)
        #expect(summary.contains(/"route_version":9999[,}]/) && !summary.contains(/"route_version":10000[,}]/))
    }

    @Test func theSummaryIsWrittenWhole() throws {
        // GIVEN a recording with a way, a gap of the position, an event before the first frame, routes and their end
        // WHEN summed up THEN every member and digit is the stored one
        let home = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)
        let lines = try LineStore()
        for second in 0..<3 { lines.append(Array("{}".utf8), seconds: Double(second) * 1.2345) }
        var other = Self.route
        other.maneuvers = []
        let drive = RecordedDrive(
            path: "/r/a.mcap", lines: lines,
            way: [
                .init(
                    seconds: 0.0625, latitudeDegrees: home.latitudeDegrees + 1e-6, longitudeDegrees: -1.234_567_8,
                    speed: 12.3456, limit: 13.8889, isPoor: false),
                .init(
                    seconds: 1.256, latitudeDegrees: 42.6, longitudeDegrees: 1.5, speed: nil, limit: nil, isPoor: true),
            ], events: [(0.12345, Array(#"{"event":"departed"}"#.utf8)), (2, Array("{}".utf8))],
            routes: [
                .init(seconds: 0.12345, route: try Route(Self.route)), .init(seconds: 1, route: nil),
                .init(seconds: 2, route: try Route(other)),
            ], startUTC: 1_790_000_000.123_456, notes: ["one", "two"])
        let text = String(decoding: drive.summary, as: UTF8.self).replacing(",\"", with: ",\n\"").replacing(
            "],[", with: "],\n[")
        #expect(try StoredText.differences(of: text, from: "summary") == [])
    }

    @Test func theLastManeuverOfARouteIsItsDestination() throws {
        // GIVEN a route with a turn and a planned arrival at its last point WHEN summed up THEN only the latter is the
        // destination, at its place
        var plan = Self.route
        plan.maneuvers.append(PlannedManeuver(point: 2, kind: .arrive, instruction: "there"))
        let drive = RecordedDrive(
            path: "/r/a.mcap", lines: try LineStore(), way: [], events: [],
            routes: [.init(seconds: 0, route: try Route(plan))], startUTC: nil, notes: [])
        let places = try JSONDocument(bytes: Array(drive.summary)).root["routes"]?[0]?[1]?["places"]
        #expect(places?.count == 2 && places?[0]?["kind"]?.string == "turn")
        #expect(places?[1]?["kind"]?.string == "destination" && places?[1]?["text"]?.string == "there")
        #expect(places?[1]?["lat_deg"]?.double == 42.51 && places?[1]?["lon_deg"]?.double == 1.51)
    }

    @Test func theWayHasAPlacePerSecondAtMost() throws {
        // GIVEN frames of 10 Hz, of which some are not later than the one before, or have no place
        var writer = DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
        for (index, milliseconds) in [0, 500, 980, 1000, 900, 1980, 2000, 3000, 4000].enumerated() {
            var frame = Frame()
            frame.timeNanoseconds = 1_000_000_000_000 + Int64(milliseconds) * 1_000_000
            frame.utcNanoseconds = index == 0 ? nil : 1_790_000_000_000_000_000 + Int64(milliseconds) * 1_000_000
            frame.pose.state = index == 7 ? .lost : .aligned
            frame.pose.latitudeRadians = index == 8 ? nil : 0.75
            frame.pose.longitudeRadians = 0.25
            frame.speed.limitMetersPerSecond = 13.5
            writer.write(frame, number: UInt64(index + 1))
        }
        writer.finish()
        let drive = try drive(writer.takeBytes())
        // THEN every 0.99 s a place is kept, a line that goes back is left out, and the lost place is poor
        #expect(drive.way.map(\.seconds) == [0, 1, 2, 3] && drive.way.map(\.isPoor) == [false, false, false, true])
        #expect(drive.lines.count == 8 && drive.seconds == 4 && drive.way.allSatisfy { $0.limit == 13.5 })
        #expect(drive.startUTC == 1_790_000_000)
    }

    @Test func threeRecordingsStayOpen() async throws {
        // GIVEN four recordings WHEN each was read THEN the last three need not be read again, and the first has to be
        let folder = ImportFolder()
        let bytes = try recording()
        let names = ["a", "b", "c", "d"].map { "\($0).mcap" }
        for name in names { folder.write(bytes, to: name) }
        let library = RecordingLibrary(folder: folder.path)
        func isReady(_ name: String) async throws -> Bool {
            try await library.summary(of: name).starts(with: Array(#"{"state":"ready""#.utf8))
        }
        for name in names { while try await !isReady(name) { await Task.yield() } }
        for name in names.dropFirst() { #expect(try await isReady(name), "\(name)") }
        #expect(try await !isReady(names[0]))
    }

    /// A recording of so many frames, five per second.
    private static func recording(frames: Int) -> [UInt8] {
        var writer = DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
        for number in 0..<frames {
            var frame = Frame()
            frame.timeNanoseconds = 1_000_000_000_000 + Int64(number) * 200_000_000
            writer.write(frame, number: UInt64(number + 1))
        }
        writer.finish()
        return writer.takeBytes()
    }

    @Test func aRecordingWithoutFramesIsToldWithTheRemedy() throws {
        // GIVEN a recording with a route and no frame WHEN it is read THEN there is nothing to play, and how to get it
        var writer = DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
        writer.write(.command(.setRoute(try Route(Self.route), version: 1)), number: 1)
        writer.finish()
        let bytes = writer.takeBytes()
        #expect { try drive(bytes) } throws: {
            "\($0)".hasSuffix(
                "/drive.mcap: has no frames to play; record with recording.frame_rate_hz above 0, or use posectl "
                    + "replay")
        }
        // AND one frame is enough
        #expect(try drive(Self.recording(frames: 1)).lines.count == 1)
    }

    @Test func aRecordingOfAFolderThatWasLeftIsNotPlayed() async throws {
        // GIVEN two folders with a recording of one name, of which that of the first one is being read
        let (first, second) = (ImportFolder(), ImportFolder())
        first.write(Self.recording(frames: 3000), to: "a.mcap")
        second.write(Self.recording(frames: 500), to: "a.mcap")
        let library = RecordingLibrary(folder: first.path)
        _ = try await library.summary(of: "a.mcap")
        // WHEN the second folder is used THEN the recording that is ready is that of the second one
        library.use(folder: second.path)
        var frames: Int?
        while frames == nil {
            frames = try JSONDocument(bytes: Array(try await library.summary(of: "a.mcap"))).root["frames"]?.int
            await Task.yield()
        }
        #expect(frames == 500)
        withExtendedLifetime((first, second)) {}
    }

    @Test func aRecordingThatHasGrownIsReadAgain() async throws {
        // GIVEN a recording that was read
        let folder = ImportFolder()
        func write(frames: Int) { folder.write(Self.recording(frames: frames), to: "a.mcap") }
        write(frames: 10)
        let library = RecordingLibrary(folder: folder.path)
        /// The number of frames; `nil` while they are being read.
        func count() async throws -> Int? {
            try JSONDocument(bytes: Array(try await library.summary(of: "a.mcap"))).root["frames"]?.int
        }
        while try await count() == nil { await Task.yield() }
        #expect(try await count() == 10)
        // WHEN it has grown THEN it is read again, and meanwhile a page that plays it gets its frames
        write(frames: 20)
        #expect(try await count() == nil)
        let played = try await library.frames(of: "a.mcap", from: 0, to: 1.9)
        #expect(played.count { $0 == 0x0A } == 10)
        while try await count() == nil { await Task.yield() }
        #expect(try await count() == 20)
        // AND one that changes all the time is told each time that it was read
        var seconds = 1_790_000_000
        repeat {
            seconds += 1
            var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
            utimensat(AT_FDCWD, "\(folder.path)/a.mcap", &times, 0)
        } while try await count() == nil
    }

    @Test func aRecordingThatIsGoneIsPlayedToItsEnd() async throws {
        // GIVEN a recording that a page has opened
        let folder = ImportFolder()
        folder.write(try recording(), to: "a.mcap")
        let library = RecordingLibrary(folder: folder.path)
        while try await !library.summary(of: "a.mcap").starts(with: Array(#"{"state":"ready""#.utf8)) {
            await Task.yield()
        }
        // WHEN its file is removed THEN the page gets the frames, and one that opens it now is told that it is gone
        #expect(unlink("\(folder.path)/a.mcap") == 0)
        let frames = try await library.frames(of: "a.mcap", from: 0, to: 20)
        #expect(frames.count { $0 == 0x0A } == 100)
        await #expect(throws: WebProblem.self) { try await library.summary(of: "a.mcap") }
    }

    @Test func anAnswerHasAtMost3000Lines() async throws {
        // GIVEN a recording of a little more than a minute at 50 frames per second
        var writer = DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
        for number in 0..<3002 {
            var frame = Frame()
            frame.timeNanoseconds = 1_000_000_000_000 + Int64(number) * 20_000_000
            writer.write(frame, number: UInt64(number + 1))
        }
        writer.finish()
        let folder = ImportFolder()
        folder.write(writer.takeBytes(), to: "a.mcap")
        let library = RecordingLibrary(folder: folder.path)
        while try await !library.summary(of: "a.mcap").starts(with: Array(#"{"state":"ready""#.utf8)) {
            await Task.yield()
        }
        // WHEN all of it is asked for THEN the first minute comes, and the rest with the next request
        let first = try await library.frames(of: "a.mcap", from: 0, to: 100)
        let rest = try await library.frames(of: "a.mcap", from: 59.99, to: 100)
        #expect(first.count { $0 == 0x0A } == 3000 && rest.count { $0 == 0x0A } == 2)
    }

    @Test func aFileThatWasCutOffIsPlayedUpToThere() throws {
        let whole = try recording()
        // GIVEN the file cut off at some places THEN what is before is played and told, or one message says why not
        for part in stride(from: 0, to: whole.count, by: 1499) {
            do {
                let drive = try drive(Array(whole[..<part]))
                #expect(drive.lines.count > 0 && drive.lines.count <= 100)
                // Where only the index at its end is missing, nothing is.
                #expect(!drive.notes.isEmpty || drive.lines.count == 100)
            } catch let problem as WebProblem {
                #expect(problem.description.contains("drive.mcap: "), "\(part): \(problem)")
            }
        }
    }

    @Test(arguments: ["", "PK\u{3}\u{4} is something else", "{\"type\":\"frame\"}"])
    func aForeignFileIsRefusedWithTheRemedy(text: String) {
        #expect { try drive(Array(text.utf8)) } throws: { "\($0)".contains("drive.mcap: ") }
    }

    @Test func aNumberIsFoundInALine() {
        func number(_ line: String) -> Double? {
            RecordedDriveReader.number(after: Array(#""t_s":"#.utf8), in: Array(line.utf8)[...])
        }
        #expect(number(#"{"type":"frame","seq":1,"t_s":12.5,"x":1}"#) == 12.5)
        #expect(number(#"{"t_s":-3}"#) == -3)
        for line in ["", #"{"t_s":"#, #"{"t_s":null,"#, #"{"t_s":nan,"#, #"{"t_s":1e999,"#] {
            #expect(number(line) == nil)
        }
    }
}
