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
        private let daemon: Process

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
            if daemon.isRunning { daemon.terminate() }
            daemon.waitUntilExit()
            return daemon.terminationReason == .exit ? daemon.terminationStatus : 128 + daemon.terminationStatus
        }

        deinit {
            _ = stopDaemon()
            gpsd.kill(SIGKILL)
            feed.stop()
        }
    }

    /// Frames per second of the subscription; the IMU gives 100.
    static let rateHertz = 20.0

    /// What a client of the live path has seen, and how the daemon ended.
    struct Session: Sendable {
        /// Monotonic time before the client connected, seconds.
        let connectedAt: Double
        /// Time of the first frame with both sources streaming, seconds.
        private(set) var begin: Double?
        /// Frames from then on, until the motion has run for 20 s.
        private(set) var frames: [Frame] = []
        /// Frames that the client lost.
        private(set) var lost: UInt64 = 0
        /// Exit status of the daemon.
        let status: Int32
        /// Log of the daemon and console of the guest.
        let log: String

        init() throws {
            let path = try LivePath()
            connectedAt = monotonicSeconds()
            var client = FrameClient(
                path: path.framesPath,
                subscription: .init(topics: [.pose, .sources], rateMillihertz: UInt32(GuestTests.rateHertz * 1000)))
            if let first = GuestTests.firstFrame(&client, within: 60, where: { $0.sources.imu == .streaming }) {
                let begin = Double(first.timeNanoseconds) * 1e-9
                frames = GuestTests.frames(&client, until: begin + GuestMotion.fullSwingSeconds + 20)
                self.begin = begin
            }
            lost = client.lost
            status = path.stopDaemon()
            log = "\(path.log)\n\(path.guest.console)"
        }
    }

    @Test(.timeLimit(.minutes(15)), BeginsWithTheRun())
    func theAttitudeOfAClientsFramesIsThatOfTheEmulatedMotion() async throws {
        // GIVEN gpsd with a standing receiver, the guest's IIO devices, the daemon, and a client; WHEN both sources
        // stream, and the motion has run for 20 s
        let session = try await GuestTests.session.value
        let begin = try #require(session.begin, "\(session.log)")
        let swinging = session.frames.filter { Double($0.timeNanoseconds) * 1e-9 > begin + GuestMotion.restSeconds }
        // THEN the frames have both sources streaming, with a tolerance of 10 % for a guest starved by other programs
        let silent = swinging.count { $0.sources.imu != .streaming || $0.sources.gps != .streaming }
        #expect(silent <= swinging.count / 10, "\(silent) of \(swinging.count): \(session.log)")
        // and arrive at the subscribed rate, with the same tolerance
        let span = Double((swinging.last?.timeNanoseconds ?? 0) - (swinging.first?.timeNanoseconds ?? 0)) * 1e-9
        let rate = Double(swinging.count - 1) / span
        #expect(abs(rate - Self.rateHertz) <= Self.rateHertz / 10, "\(rate) Hz over \(span) s")
        // and roll and pitch are those of the motion. Of the tolerance of one degree, the sensor's own offsets take
        // 0.2, ten milliseconds between the guest's clock and this one 0.2, and the estimator without knowledge of the
        // offsets 0.3; a wrong axis, sign or unit gives 10 degrees and more.
        let sightings = swinging.compactMap(Self.sighting)
        #expect(sightings.count == swinging.count)
        let match = MotionMatch(sightings, startWithin: session.connectedAt - 5...begin + 1)
        #expect(match.rollRMSDegrees <= 1 && match.pitchRMSDegrees <= 1 && match.largestDegrees <= 3, "\(match)")
        // and the position is the receiver's
        let pose = try #require(session.frames.last?.pose)
        #expect(abs((pose.latitudeRadians ?? 9) * 180 / .pi - StandingReceiver.latitudeDegrees) < 1e-4)
        #expect(abs((pose.longitudeRadians ?? 9) * 180 / .pi - StandingReceiver.longitudeDegrees) < 1e-4)
        // and the client lost nothing, and the daemon stops without an error
        #expect(session.lost == 0)
        #expect(session.status == 0, "\(session.log)")
    }

    @Test(.timeLimit(.minutes(15)))
    func theVehicleBusOfTheKernelWorks() async throws {
        // GIVEN the guest's virtual bus and its ISO-TP; WHEN `can_check` opens, sends, receives and is answered; THEN
        // every check of it passed.
        let session = try await GuestTests.session.value
        let lines = session.log.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("guest: can: ") }
        #expect(lines.last?.contains("done, 0 failed") == true, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 17 && !lines.contains { $0.contains("FAILED") })
    }

    private static func firstFrame(_ client: inout FrameClient, within seconds: Double, where isWanted: (Frame) -> Bool)
        -> Frame?
    {
        let end = monotonicSeconds() + seconds
        while monotonicSeconds() < end {
            if let frame = nextFrame(&client), isWanted(frame) { return frame }
        }
        return nil
    }

    /// All frames up to a time, or until none has arrived for five seconds.
    private static func frames(_ client: inout FrameClient, until end: Double) -> [Frame] {
        var frames: [Frame] = []
        var silentSince = monotonicSeconds()
        while monotonicSeconds() - silentSince < 5 {
            guard let frame = nextFrame(&client) else { continue }
            silentSince = monotonicSeconds()
            frames.append(frame)
            if Double(frame.timeNanoseconds) * 1e-9 >= end { break }
        }
        return frames
    }

    private static func nextFrame(_ client: inout FrameClient) -> Frame? {
        guard case .message(let received) = client.next(timeoutSeconds: 0.2),
            case .frame(let frame, _) = received.message
        else { return nil }
        return frame
    }

    private static func sighting(_ frame: Frame) -> MotionMatch.Sighting? {
        guard let roll = frame.pose.rollRadians, let pitch = frame.pose.pitchRadians else { return nil }
        return MotionMatch.Sighting(
            seconds: Double(frame.timeNanoseconds) * 1e-9,
            tilt: GuestMotion.Tilt(rollDegrees: roll * 180 / .pi, pitchDegrees: pitch * 180 / .pi))
    }
}
