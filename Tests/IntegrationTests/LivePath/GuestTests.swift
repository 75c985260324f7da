import Foundation
import Frames
import PosedClient
import Testing

/// The whole live path: a real gpsd on a terminal and IIO devices of a real kernel feed the real daemon, and a client
/// reads its frames.
@Suite(.serialized, .enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
struct GuestTests {
    /// Begins the session before the first test runs: the guest takes two minutes, and nothing else waits for it.
    struct BeginsWithTheRun: TestTrait {
        func prepare(for test: Test) async throws { _ = GuestTests.session }
    }

    /// The one session of the run; begins when it is first asked for.
    private static let session = Task.detached { try await onThreadOfItsOwn { try Session() } }

    /// Everything that runs during the test; ends with this value.
    final class LivePath {
        let guest: GuestMachine
        private let feed: ReceiverFeed
        private let gpsd: GpsdProcess
        private let folder: TemporaryFolder
        private let daemon: ChildProcess

        init() throws {
            guest = try GuestMachine()
            try guest.waitUntilReady()
            feed = try ReceiverFeed()
            gpsd = try GpsdProcess(devices: [feed.path])
            // A receiver reports a second shortly after its start.
            let begin = monotonicSeconds() + 1 - Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 1)
            feed.play { index in (begin + Double(index) + 0.08, StandingReceiver.epoch(at: Date())) }
            folder = try TemporaryFolder()
            try folder.write(
                """
                profile: wearable
                source: live
                gps:
                  port: \(gpsd.port)
                imu:
                  context: "\(guest.contextURI)"
                  gyro_rate_hz: 100
                  accelerometer_rate_hz: 100
                  buffer_samples: 4
                sockets:
                  folder: \(folder.path)
                """, to: "posed.yaml")
            daemon = try ExternalProgram.start(
                "posed", ["--config", "\(folder.path)/posed.yaml"], output: "\(folder.path)/output",
                errors: "\(folder.path)/errors")
        }

        /// The daemon's socket for binary frames.
        var framesPath: String { "\(folder.path)/frames" }
        /// The log of the daemon.
        var log: String { folder.text(of: "errors") }

        /// Ends the daemon. Returns its exit status.
        func stopDaemon() -> Int32 {
            daemon.terminate()
            daemon.waitUntilExit()
            return daemon.exitCode ?? 128 + (daemon.signal ?? 0)
        }

        deinit {
            _ = stopDaemon()
            gpsd.kill(SIGKILL)
            feed.stop()
        }
    }

    /// Frames per second of the subscription; the IMU gives 100.
    static let rateHertz = 20.0
    /// Frames to judge: 20 s of the motion, in which it turns back and forth four times.
    static let judgedFrames = 400
    /// Longest time for them, seconds. An idle machine needs 32: the rest, the first swing, and the frames.
    static let patienceSeconds = 600.0

    /// What a client of the live path has seen, and how the daemon ended.
    struct Session: Sendable {
        /// What the client has seen.
        let seen: SeenMotion
        /// Exit status of the daemon.
        let status: Int32
        /// Log of the daemon and console of the guest.
        let log: String

        init() throws {
            let path = try LivePath()
            seen = SeenMotion(framesPath: path.framesPath)
            status = path.stopDaemon()
            log = "\(path.log)\n\(path.guest.console)"
        }
    }

    /// What a client reads until there are enough frames to judge. A machine that is busy with other programs starves
    /// the emulated guest, so that its sensors pause; such a session only lasts longer.
    struct SeenMotion: Sendable {
        /// Monotonic time before the client connected, seconds.
        let connectedAt = monotonicSeconds()
        /// Time of the first frame with a streaming IMU, seconds.
        private(set) var begin: Double?
        /// The frames of the motion with data of both sources up to their time.
        private(set) var fed = FedFrames()
        /// The last frame.
        private(set) var last: Frame?
        /// Highest rate of IMU samples that the daemon stated, hertz.
        private(set) var imuRateHertz = 0.0
        /// Frames that the client lost.
        private(set) var lost: UInt64 = 0

        init(framesPath: String) {
            var client = FrameClient(
                path: framesPath,
                subscription: .init(
                    topics: [.pose, .sources, .status], rateMillihertz: UInt32(GuestTests.rateHertz * 1000)))
            while monotonicSeconds() < connectedAt + GuestTests.patienceSeconds,
                fed.frames.count < GuestTests.judgedFrames
            {
                guard case .message(let received) = client.next(timeoutSeconds: 0.2) else { continue }
                switch received.message {
                case .frame(let frame, _): take(frame)
                case .status(let status): imuRateHertz = max(imuRateHertz, status.imuRateHertz ?? 0)
                default: break
                }
            }
            lost = client.lost
        }

        private mutating func take(_ frame: Frame) {
            let seconds = Double(frame.timeNanoseconds) * 1e-9
            last = frame
            if begin == nil, frame.sources.imu == .streaming { begin = seconds }
            if let begin, seconds > begin + GuestMotion.restSeconds { fed.take(frame) }
        }
    }

    @Test(.timeLimit(.minutes(30)), BeginsWithTheRun())
    func theAttitudeOfAClientsFramesIsThatOfTheEmulatedMotion() async throws {
        // GIVEN gpsd with a standing receiver, the guest's IIO devices, the daemon, and a client; WHEN both sources
        // have streamed for 20 s of the motion
        let session = try await GuestTests.session.value
        let seen = session.seen
        let begin = try #require(seen.begin, "\(session.log)")
        // THEN there are as many frames with fresh data as that takes
        #expect(seen.fed.frames.count == Self.judgedFrames, "\(seen.fed.reasons): \(session.log)")
        // and they follow one another at the subscribed rate
        let rate = seen.fed.typicalRateHertz
        #expect(abs(rate - Self.rateHertz) <= Self.rateHertz / 10, "\(rate) Hz")
        // and the daemon has seen the rate of the sensors: no sample is lost on the way while the guest runs
        #expect(abs(seen.imuRateHertz - 100) <= 10, "\(seen.imuRateHertz) Hz")
        // and roll and pitch are those of the motion. Of the tolerance of one degree, the sensor's own offsets take
        // 0.2, ten milliseconds between the guest's clock and this one 0.2, and the estimator without knowledge of the
        // offsets 0.3; a wrong axis, sign or unit gives 10 degrees and more.
        let sightings = seen.fed.frames.compactMap(Self.sighting)
        #expect(sightings.count == seen.fed.frames.count)
        let match = MotionMatch(sightings, startWithin: seen.connectedAt - 5...begin + 1)
        #expect(match.rollRMSDegrees <= 1 && match.pitchRMSDegrees <= 1 && match.largestDegrees <= 3, "\(match)")
        // and the position is the receiver's
        let pose = try #require(seen.last?.pose)
        #expect(abs((pose.latitudeRadians ?? 9) * 180 / .pi - StandingReceiver.latitudeDegrees) < 1e-4)
        #expect(abs((pose.longitudeRadians ?? 9) * 180 / .pi - StandingReceiver.longitudeDegrees) < 1e-4)
        // and the client lost nothing, and the daemon stops without an error
        #expect(seen.lost == 0)
        #expect(session.status == 0, "\(session.log)")
    }

    @Test(.timeLimit(.minutes(30)))
    func theVehicleBusOfTheKernelWorks() async throws {
        // GIVEN the guest's virtual bus and its ISO-TP; WHEN `can_check` opens, sends, receives and is answered; THEN
        // every check of it passed.
        let session = try await GuestTests.session.value
        let lines = session.log.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("guest: can: ") }
        #expect(lines.last?.contains("done, 0 failed") == true, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 18 && !lines.contains { $0.contains("FAILED") })
    }

    private static func sighting(_ frame: Frame) -> MotionMatch.Sighting? {
        guard let roll = frame.pose.rollRadians, let pitch = frame.pose.pitchRadians else { return nil }
        return MotionMatch.Sighting(
            seconds: Double(frame.timeNanoseconds) * 1e-9,
            tilt: GuestMotion.Tilt(rollDegrees: roll * 180 / .pi, pitchDegrees: pitch * 180 / .pi))
    }
}
