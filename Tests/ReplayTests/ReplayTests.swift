import Foundation
import Testing

@testable import Replay

/// A recording for one test: a vehicle at standstill, an IMU at 50 Hz and one fix per second.
private final class ShortRecording {
    let path: String

    /// - Parameter gap: seconds without samples.
    init(imu: Bool = true, brokenLine: String? = nil, gap: Range<Double> = 0..<0) throws {
        path = NSTemporaryDirectory() + "posed-replay-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var samples = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"
        for step in 0...500 where !gap.contains(Double(step) / 50) {
            samples += "\(Double(step) / 50),0.001,0.0,0.0,0.0,\(step % 2 == 0 ? 0.01 : -0.01),9.81\n"
        }
        samples += brokenLine.map { $0 + "\n" } ?? ""
        var fixes =
            "t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,eph_m,epv_m,sacc_m_s,mode,rtk\n"
        for step in -2...10 { fixes += "\(step),\(Double(step) + 0.05),47.0,9.0,400,0,0,0,1,2,0.2,3,0\n" }
        if imu { try samples.write(toFile: path + "/imu.csv", atomically: false, encoding: .utf8) }
        try fixes.write(toFile: path + "/gnss.csv", atomically: false, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var output: String { path + "/frames.ndjson" }

    func lines() throws -> [[String: Any]] {
        try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}

@Suite struct ReplayTests {
    @Test func oneLineForEachIMUSample() throws {
        // GIVEN 501 samples, and fixes that begin two seconds before them
        let recording = try ShortRecording()
        let summary = try Replay(recording: recording.path).run(writingTo: recording.output)
        let lines = try recording.lines()
        // THEN there is a line with a time for each sample
        #expect(summary.lines == 501 && lines.count == 501)
        #expect(summary.events == 514)
        let times = lines.compactMap { $0["t_s"] as? Double }
        #expect(times.first == 0 && times.last == 10 && times.count == 501)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        // AND the names that readers of recordings rely on
        let last = try #require(lines.last)
        let pose = try #require(last["pose"] as? [String: Any])
        for name in ["lat_deg", "lon_deg", "alt_hae_m", "q_enu_body", "vel_enu_m_s", "state"] {
            #expect(pose[name] != nil, "\(name) is missing")
        }
        for (part, name) in [
            ("guidance", "state"), ("guidance", "distance_to_turn_m"), ("speed", "colour"), ("speed", "limit_m_s"),
        ] {
            #expect((last[part] as? [String: Any])?[name] != nil, "\(part).\(name) is missing")
        }
        // A vehicle at standstill is at its fixes, within their sigma of 1 m.
        #expect(abs((pose["lat_deg"] as? Double ?? 0) - 47) < 1e-5)
    }

    @Test func oneLineForEachFixWhereThereIsNoIMU() throws {
        let recording = try ShortRecording(imu: false)
        let summary = try Replay(recording: recording.path).run(writingTo: recording.output)
        #expect(summary.lines == 13)
        let pose = try #require(try recording.lines().last?["pose"] as? [String: Any])
        #expect(pose["lat_deg"] as? Double == 47)
    }

    @Test func theSameBytesEveryTime() throws {
        let recording = try ShortRecording()
        _ = try Replay(recording: recording.path).run(writingTo: recording.output)
        let first = try Data(contentsOf: URL(fileURLWithPath: recording.output))
        _ = try Replay(recording: recording.path).run(writingTo: recording.output)
        #expect(try Data(contentsOf: URL(fileURLWithPath: recording.output)) == first)
        #expect(first.count > 100_000)
    }

    @Test func aRateThinsTheLines() throws {
        let recording = try ShortRecording()
        var replay = Replay(recording: recording.path)
        replay.rateHertz = 5
        _ = try replay.run(writingTo: recording.output)
        let times = try recording.lines().compactMap { $0["t_s"] as? Double }.filter { $0 >= 0 }
        // The grid starts at the first frame, which is a fix. Neighbours are 0.2 s apart, within one sample.
        #expect(abs(times.count - 50) <= 2)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.2) < 0.0201 })
    }

    @Test(arguments: [true, false]) func aRateGivesFramesWhereNoSampleComes(imu: Bool) throws {
        // GIVEN a recording without samples from 4.5 to 7.5 s, or without any, and a fix a second WHEN it is replayed
        // with 10 frames per second
        let recording = try ShortRecording(imu: imu, gap: 4.5..<7.5)
        var replay = Replay(recording: recording.path)
        replay.rateHertz = 10
        _ = try replay.run(writingTo: recording.output)
        let times = try recording.lines().compactMap { $0["t_s"] as? Double }.filter { $0 > 2 && $0 < 9 }
        // THEN the frames go on as the daemon's do: none is later than 0.1 s after the last sample, a tick of 60 Hz,
        // and the period
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .infinity
        #expect(times.count > 60 && longest < 0.22, "\(times.count), \(longest)")
        // AND without a rate each sample has its line, and each of the predictions of 60 Hz from 0.1 s after the last;
        // without an IMU each fix has its line, and no other
        replay.rateHertz = nil
        let lines = try replay.run(writingTo: recording.output).lines
        #expect(imu ? abs(lines - (501 - 150) - 174) <= 2 : lines == 13, "\(lines)")
    }

    @Test func anEndlessPauseIsPassedOver() throws {
        // GIVEN a sample 30 years after the others WHEN the recording is replayed
        let recording = try ShortRecording(brokenLine: "1000000000,0.001,0.0,0.0,0.0,0.01,9.81")
        var replay = Replay(recording: recording.path)
        replay.rateHertz = 10
        let summary = try replay.run(writingTo: recording.output)
        // THEN it gets ten minutes of frames: one per second once nothing has come for five
        #expect(summary.lines > 600 && summary.lines < 1500, "\(summary.lines)")
    }

    @Test func aRouteIsFollowedAndABrokenOneNamed() throws {
        let recording = try ShortRecording()
        var replay = Replay(recording: recording.path)
        let route = recording.path + "/route.json"
        let line = #"{"type":"LineString","coordinates":[[9.0,46.999],[9.0,47.001]]}"#
        try line.write(toFile: route, atomically: false, encoding: .utf8)
        replay.routeFile = route
        _ = try replay.run(writingTo: recording.output)
        let guidance = try #require(try recording.lines().last?["guidance"] as? [String: Any])
        // Half of 0.002 degrees of latitude: 111.2 m of 222.4 m.
        #expect(abs((guidance["progress_m"] as? Double ?? 0) - 111.2) < 5)
        #expect(guidance["state"] as? String != "noRoute")
        try "{".write(toFile: route, atomically: false, encoding: .utf8)
        let failure = #expect(throws: Replay.Failure.self) { try replay.run(writingTo: recording.output) }
        #expect(failure?.description.hasPrefix("\(route):1:") == true)
    }

    @Test func messagesBetweenTheFramesAreWrittenOnRequest() throws {
        // GIVEN the sample drive on its route, replayed with and without the messages
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
            .standardizedFileURL.path
        let folder = try ShortRecording()
        var replay = Replay(recording: package + "/samples/drive")
        replay.routeFile = package + "/config/demo-route.json"
        _ = try replay.run(writingTo: folder.output)
        let plain = try Data(contentsOf: URL(fileURLWithPath: folder.output))
        (replay.eventsFile, replay.maneuversFile) = (folder.path + "/events", folder.path + "/maneuvers")
        replay.sceneFile = folder.path + "/scene"
        _ = try replay.run(writingTo: folder.output)
        func objects(_ name: String) throws -> [[String: Any]] {
            try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8).split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        }
        // THEN the frames are the same, and each change of the pose's state in them is an event at that time
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.output)) == plain)
        var states: [String] = []
        for line in try folder.lines() {
            guard let state = (line["pose"] as? [String: Any])?["state"] as? String, state != states.last else {
                continue
            }
            states.append(state)
        }
        let events = try objects("events").filter { $0["event"] as? String == "pose" }
        #expect(["starting"] + events.compactMap { $0["state"] as? String } == states && states.last == "aligned")
        let reached = try objects("events").filter { $0["event"] as? String == "maneuverReached" }
        #expect(reached.compactMap { $0["maneuver"] as? Int } == [1])
        // AND the maneuvers are those of the route in their order
        let maneuvers = try objects("maneuvers")
        #expect(maneuvers.compactMap { $0["index"] as? Int } == [1, 2])
        #expect(maneuvers.last?["text"] as? String == "Turn left into North Road")
        // AND there are ten scenes per second, which show the turns
        let scenes = try objects("scene")
        let times = scenes.compactMap { $0["t_s"] as? Double }
        #expect((590...600).contains(scenes.count) && zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.089 })
        let kinds = scenes.flatMap { ($0["points"] as? [[String: Any]] ?? []).compactMap { $0["kind"] as? String } }
        #expect(Set(kinds).isSuperset(of: ["marker", "turn", "destination"]), "\(Set(kinds))")
    }

    @Test func sourcesTellTheirState() throws {
        let recording = try ShortRecording()
        _ = try Replay(recording: recording.path).run(writingTo: recording.output)
        let last = try #require(try recording.lines().last?["sources"] as? [String: Any])
        let states = last.compactMapValues { $0 as? String }
        #expect(states["gps"] == "streaming" && states["imu"] == "streaming" && states["magnetometer"] == "absent")
        // Data of a source that streams are young, and a source without data has no age.
        #expect((last["imu_age_s"] as? Double).map { $0 >= 0 && $0 < 0.05 } == true)
        #expect(last["magnetometer_age_s"] is NSNull)
    }

    @Test func aBrokenRecordingLeavesTheOldFramesAlone() throws {
        // GIVEN frames of an earlier run, and a recording that breaks at its end
        let recording = try ShortRecording(brokenLine: "10.02,0,0,0,0,0,nan")
        try "old\n".write(toFile: recording.output, atomically: false, encoding: .utf8)
        // WHEN it is replayed
        let failure = #expect(throws: Replay.Failure.self) {
            try Replay(recording: recording.path).run(writingTo: recording.output)
        }
        // THEN the place is named, the old frames are there, and nothing else is
        #expect(failure?.description.contains("imu.csv:503:17: accel_z_m_s2 is not a finite number") == true)
        #expect(try String(contentsOfFile: recording.output, encoding: .utf8) == "old\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: recording.path).sorted() == [
                "frames.ndjson", "gnss.csv", "imu.csv",
            ])
    }

    @Test func outputThatCannotBeWrittenIsNamed() throws {
        let recording = try ShortRecording()
        for place in ["/nowhere/frames", "/dev/full"] {
            let failure = #expect(throws: Replay.Failure.self) {
                try Replay(recording: recording.path).run(writingTo: place)
            }
            #expect(failure?.description.hasPrefix("\(place): cannot be") == true)
        }
    }
}

@Suite struct FramePacerTests {
    private func picked(_ times: [Int64], rate: Double?) -> [Int64] {
        var pacer = FramePacer(rateHertz: rate)
        return times.filter { pacer.picks($0) }
    }

    @Test func keepsItsGridAndPassesOverGaps() {
        let milliseconds: [Int64] = [-5, 0, 5, 95, 100, 150, 195, 500, 580, 595].map { $0 * 1_000_000 }
        #expect(picked(milliseconds, rate: 10) == [-5, 95, 195, 500, 595].map { $0 * 1_000_000 })
        #expect(picked(milliseconds, rate: nil) == milliseconds)
    }

    @Test(arguments: [1e-10, 1e-300, .leastNonzeroMagnitude]) func aRateBelowAllOthersPicksTheFirstFrame(rate: Double) {
        // GIVEN a rate whose period is longer than any number of nanoseconds; THEN the first frame alone is picked
        #expect(picked([0, 1, 4_600_000_000_000_000_000 / 2], rate: rate) == [0])
    }
}
