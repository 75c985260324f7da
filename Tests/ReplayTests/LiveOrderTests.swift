import Engine
import EngineRuntime
import Foundation
import Frames
import Horizon
import Logging
import Measurements
import Platform
import PoseMath
import Recording
import RoadMaps
import Synchronization
import Testing

@testable import Replay

/// Compares the engine and horizon threads of the daemon with a replay of the same measurements.
@Suite struct LiveOrderTests {
    /// Ten days after the start of the machine, seconds: later than any test. So the engine's own ticks, which use the
    /// clock, make no frames between the samples.
    private static let start = 1_000_000.0

    /// Forty seconds along a road with a limit of 80 km/h for 300 m and 50 km/h after that.
    private static func record(to folder: ImportFolder) throws {
        var samples = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"
        for step in 0...4000 {
            samples += "\(start + Double(step) / 100),0.001,0.0,0.0,0.0,\(step % 2 == 0 ? 0.01 : -0.01),9.81\n"
        }
        var fixes =
            "t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,eph_m,epv_m,sacc_m_s,mode,rtk\n"
        for step in 1...39 {
            let place = RoadMap.place(east: 20 + 15 * Double(step))
            fixes += "\(start + Double(step)),\(start + Double(step) + 0.052),\(place.latitude),\(place.longitude),"
            fixes += "400,0,15,0,2,4,0.3,3,0\n"
        }
        folder.write(Array(samples.utf8), to: "imu.csv")
        folder.write(Array(fixes.utf8), to: "gnss.csv")
        _ = try folder.roads(RoadMap.writer)
    }

    /// A road due east.
    private enum RoadMap {
        static let latitude = 42.5

        static func place(east: Double) -> (latitude: Double, longitude: Double) {
            (latitude, 1.5 + east / (111_319.49 * 0.737_277))
        }

        static var writer: MapWriter {
            var map = MapWriter()
            for (id, east) in [(1, 0.0), (2, 320.0), (3, 900.0)] {
                let place = place(east: east)
                map.node(Int64(id), place.latitude, place.longitude)
            }
            map.way(1, [1, 2], [("highway", "primary"), ("maxspeed", "80"), ("ref", "N1")])
            map.way(2, [2, 3], [("highway", "primary"), ("maxspeed", "50"), ("ref", "N1")])
            return map
        }
    }

    @Test func theSameMeasurementsGiveTheSameLimitsInTheSameFrames() throws {
        // GIVEN a recording, and a file of the roads
        let folder = ImportFolder()
        try Self.record(to: folder)
        var settings = HorizonSettings()
        settings.roadFile = folder.path + "/roads.posed"
        // WHEN it is replayed, and handed to the threads of the daemon sample by sample
        var replay = Replay(recording: folder.path)
        replay.horizon = settings
        _ = try replay.run(writingTo: folder.path + "/frames.ndjson")
        let replayed = folder.read("frames.ndjson")
        let live = try LiveRun(settings)
        try live.run(folder.path)
        // THEN the frames are the same to the byte, with the limits of the road, and no answer came late
        #expect(live.lines == replayed)
        #expect(live.lateCount == 0 && live.answerCount > 150)
        let text = String(decoding: replayed, as: UTF8.self)
        for limit in [80, 50] {
            let value = "\"limit_m_s\":\(Frame.rounded(Double(limit) / 3.6))"
            #expect(text.contains(value + ",") || text.contains(value), "\(limit) km/h")
        }
        #expect(text.contains("\"limit_source\":\"road\""))
    }
}

extension Frame {
    /// A speed of the lines without its last digits.
    fileprivate static func rounded(_ value: Double) -> String { String(String(value).prefix(5)) }
}

/// The engine loop and the horizon worker on their own threads, with one sample at a time.
private final class LiveRun {
    private let loop: EngineLoop
    private let sink: QueueSink
    private let horizon: HorizonWorker
    private let answers: Answers
    private let never = StopSignal()
    private var encoder = JSONFrameEncoder()
    private var asked = 0
    private(set) var lines: [UInt8] = []

    /// Counts answers and wakes the waiting thread.
    private final class Answers: Sendable {
        let count = Atomic<Int>(0)
        let event = EventFD()
    }

    /// A frame or an answer did not arrive within ten seconds.
    private struct Silence: Error {}

    init(_ settings: HorizonSettings) throws {
        // A frame is repeated with each tick. Once per second, so that repetitions never fill the queue of frames.
        var ticks = EngineLoopSettings()
        ticks.tickHertz = 1
        let (loop, answers) = (EngineLoop(engine: EngineSettings(), settings: ticks), Answers())
        self.loop = loop
        self.answers = answers
        sink = loop.makeSink(name: "recording")
        horizon = HorizonWorker(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wakeUp: loop.questionEvent,
            nextQuestion: { loop.questions.pop() }, route: { _ in nil },
            publishSpeedHorizon: { answer in
                _ = loop.submit(.setSpeedHorizon(answer))
                answers.count.add(1, ordering: .acquiringAndReleasing)
                answers.event.signal()
            })
        horizon.start(settings)
    }

    deinit {
        horizon.stop()
        loop.stop()
    }

    var lateCount: UInt64 { loop.counters.lateHorizonCount }
    var answerCount: Int { answers.count.load(ordering: .acquiring) }

    func run(_ recording: String) throws {
        var reader = try RecordingReader(folder: recording)
        var sources = ReplaySources(kinds: reader.kinds)
        var isFirst = true
        var period: Int64 = 0
        while let event = try reader.next() {
            // An answer may arrive at any time of its period. It must be there before a sample of the next period.
            let next = event.arrivalTime.nanoseconds / 200_000_000
            if next != period { try waitForAnswers() }
            period = next
            if isFirst { sources.open(at: event.arrivalTime) { sink.send($0) } }
            sources.note(event) { sink.send($0) }
            sink.send(event)
            // The engine begins with a sample: without one its first tick would make a frame and count it.
            if isFirst, !loop.start() { throw Silence() }
            isFirst = false
            if case .inertial(let sample) = event { try takeFrame(sample.time) }
        }
    }

    private func takeFrame(_ time: MonotonicTime) throws {
        while true {
            if let published = loop.frames.pop() {
                guard !published.isRepeat else { continue }
                #expect(published.frame.timeNanoseconds == time.nanoseconds)
                if published.asksForHorizon { asked += 1 }
                encoder.encode(published.frame) { lines += $0 }
                return
            }
            guard never.wait(for: loop.frameEvent.descriptor, seconds: 10) == .ready else { throw Silence() }
            loop.frameEvent.drain()
        }
    }

    private func waitForAnswers() throws {
        while answerCount < asked {
            guard never.wait(for: answers.event.descriptor, seconds: 10) == .ready else { throw Silence() }
            answers.event.drain()
        }
    }
}
