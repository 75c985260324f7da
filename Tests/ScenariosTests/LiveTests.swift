import Frames
import Glibc
import Measurements
import Platform
import PoseMath
import Testing

@testable import Scenarios

/// A scenario in real time: what the receiver says, and the IMU over the protocol of iiod.
@Suite struct LiveTests {
    // MARK: - The receiver

    /// A fix whose values are all different.
    private static var fix: GnssFix {
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 5_000_000_000),
            arrivalTime: MonotonicTime(nanoseconds: 5_100_000_000), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (0.8, -0.25)
        (fix.altitudeEllipsoidMeters, fix.altitudeMeanSeaMeters) = (390, 344)
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (1.5, 2.5)
        fix.horizontalVelocity = .init(eastMetersPerSecond: 3, northMetersPerSecond: -4)
        (fix.climbMetersPerSecond, fix.satellitesUsed) = (0.75, 9)
        return fix
    }

    @Test func aFrameHasWhatTheFixHas() {
        // GIVEN a whole fix THEN the frame has each value, and the time since the begin
        let frame = LiveScenario.frame(Self.fix, 1_790_000_000_000_000_000)
        var expected = Frame()
        expected.utcNanoseconds = 1_790_000_005_000_000_000
        (expected.pose.state, expected.pose.fixMode, expected.pose.satellitesUsed) = (.aligned, 3, 9)
        (expected.pose.latitudeRadians, expected.pose.longitudeRadians) = (0.8, -0.25)
        (expected.pose.altitudeEllipsoidMeters, expected.pose.altitudeMeanSeaMeters) = (390, 344)
        expected.pose.positionSigmaENUMeters = .init(1.5, 1.5, 2.5)
        expected.pose.velocityENUMetersPerSecond = .init(3, -4, 0.75)
        // Without the age of a fix a position is that of the last stop.
        expected.pose.fixAgeSeconds = 0
        expected.speed.speedMetersPerSecond = 5
        expected.pose.courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(3, -4))
        #expect(frame == expected)
        // AND where a part is unknown, it follows from the others
        var part = Self.fix
        (part.altitudeMeanSeaMeters, part.verticalSigmaMeters, part.climbMetersPerSecond) = (nil, nil, nil)
        let other = LiveScenario.frame(part, 0)
        #expect(other.pose.altitudeMeanSeaMeters == 390 && other.pose.positionSigmaENUMeters == .init(1.5, 1.5, 3))
        #expect(other.pose.velocityENUMetersPerSecond == .init(3, -4, 0))
        (part.horizontalSigmaMeters, part.horizontalVelocity) = (nil, nil)
        let least = LiveScenario.frame(part, 0)
        #expect(least.pose.positionSigmaENUMeters == nil && least.pose.velocityENUMetersPerSecond == nil)
        #expect(LiveScenario.frame(part, .max).utcNanoseconds == nil)
    }

    @Test(arguments: [(0.3, false), (0.301, true)]) func aCourseNeedsASpeed(speed: Double, isKnown: Bool) {
        var fix = Self.fix
        fix.horizontalVelocity = .init(eastMetersPerSecond: speed, northMetersPerSecond: 0)
        let pose = LiveScenario.frame(fix, 0).pose
        #expect(pose.courseOverGroundRadians == (isKnown ? .pi / 2 : nil))
    }

    @Test(arguments: [(FixMode.threeDimensional, "3", "3F"), (.twoDimensional, "2", "3E")])
    func theSatellitesAreInView(mode: FixMode, digit: String, sum: String) {
        var fix = Self.fix
        fix.mode = mode
        #expect(
            String(decoding: LiveScenario.satellites(fix), as: UTF8.self)
                == [
                    "$GPGSA,A,\(digit),01,02,03,04,05,06,07,08,09,,,,1.6,0.9,1.3*\(sum)",
                    "$GPGSV,3,1,09,01,45,120,40,02,45,140,40,03,45,160,40*46",
                    "$GPGSV,3,2,09,04,45,180,40,05,45,200,40,06,45,220,40*48",
                    "$GPGSV,3,3,09,07,45,240,40,08,45,260,40,09,45,280,40*4B", "",
                ].joined(separator: "\r\n"))
    }

    @Test func aTerminalPassesBytesUnchanged() {
        // GIVEN a pseudo-terminal WHEN a receiver writes and gpsd sends probes THEN the bytes pass, without echo
        guard let terminal = PseudoTerminal() else {
            Issue.record("no pseudo-terminal")
            return
        }
        let other = open(terminal.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        defer { close(other) }
        let probe = Array("probe\r\n".utf8)
        #expect(write(other, probe, probe.count) == probe.count)
        for text in ["$A\r\n", "\n\u{3}\u{11}B\r"] {
            terminal.write(Array(text.utf8))
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(other, &bytes, bytes.count)
            #expect(bytes.prefix(max(count, 0)).elementsEqual(text.utf8), "\(text.debugDescription)")
        }
    }

    // MARK: - The IMU

    /// A client of iiod.
    private final class Client {
        private let descriptor: Int32

        init(_ port: UInt16) { descriptor = LiveConnectionTests.connection(port) }

        deinit { close(descriptor) }

        /// Sends text.
        func say(_ text: String) { LiveConnectionTests.say(text, to: descriptor) }

        /// So many bytes of the answer; fewer at the end.
        func bytes(_ count: Int) -> [UInt8] {
            var all: [UInt8] = []
            while all.count < count {
                var chunk = [UInt8](repeating: 0, count: count - all.count)
                let got = recv(descriptor, &chunk, chunk.count, 0)
                guard got > 0 else { break }
                all += chunk.prefix(got)
            }
            return all
        }

        /// Waits for the end of the connection; `false` where something else comes, or nothing.
        var isAtEnd: Bool {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, 0)
            return count == 0 || count < 0 && errno == ECONNRESET
        }

        /// The answer to a line, up to its end.
        func answer(_ line: String) -> String {
            say(line + "\r\n")
            return text()
        }

        /// A line of the answer.
        func text() -> String {
            var text: [UInt8] = []
            while let byte = bytes(1).first, byte != 0x0A { text.append(byte) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// A drive that stands for a while, and then goes.
    private static var scenario: Scenario {
        var scenario = Scenario(name: "x")
        scenario.way = .corners([[48, 11], [48.001, 11]])
        return scenario
    }

    @Test func everyQuestionOfLibiioIsAnswered() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        let client = Client(device.port)
        device.accept()
        // GIVEN what libiio asks THEN each is answered as iiod does, and what is unknown is an error
        for (line, answer) in [
            ("VERSION", "0.24.0000000"), ("TIMEOUT 5000", "0"), ("OPEN iio:device0 64 0000007f", "0"),
            ("CLOSE iio:device0", "0"), ("SET iio:device0 BUFFERS_COUNT 4", "0"), ("GETTRIG iio:device0", "-2"),
            ("READ iio:device0 nothing", "-2"), ("NONSENSE", "-22"), ("READBUF iio:device0 31", "-22"),
            ("READBUF iio:device0 1048577", "-22"), ("READBUF iio:device0", "-22"),
        ] { #expect(client.answer(line) == answer, "\(line)") }
        for (line, value) in [
            ("READ iio:device0 name", "posed-simulation"),
            ("READ iio:device0 current_timestamp_clock", "monotonic"),
            ("READ iio:device0 INPUT accel_x scale", "0.00001"),
            ("READ iio:device0 INPUT anglvel_z scale", "0.000001"),
        ] {
            #expect(client.answer(line) == "\(value.utf8.count + 1)", "\(line)")
            #expect(client.text() == "\(value)\0")
        }
        let size = Int(client.answer("PRINT")) ?? 0
        let text = String(decoding: client.bytes(size), as: UTF8.self)
        #expect(text.hasPrefix("<?xml") && text.hasSuffix("</context>") && client.text().isEmpty)
        #expect(text.contains(#"<scan-element index="6" format="le:S64/64&gt;&gt;0" />"#))
        // AND what is written is taken: as many bytes as are told, and the next line follows
        #expect(client.answer("WRITE iio:device0 x 4\r\nab\n1") == "4")
        client.say("\r\n")
        #expect(client.answer("VERSION") == "0.24.0000000")
        client.say("EXIT\r\n")
        #expect(client.isAtEnd)
    }

    @Test(arguments: [(1023, false), (1024, true)]) func aLineHasAKilobyteAtMost(size: Int, isEnd: Bool) throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        defer { device.end() }
        let client = Client(device.port)
        device.accept()
        client.say(String(repeating: "x", count: size))
        if isEnd {
            #expect(client.isAtEnd)
        } else {
            #expect(client.answer("") == "-22")
        }
    }

    @Test func theSamplesAreThoseOfTheScenario() throws {
        // GIVEN a drive that begins now WHEN 100 bytes are asked for twice THEN three samples come each time: six
        // whole numbers in units of 0.00001 m/s2 and 0.000001 rad/s, and the time on the monotonic clock
        let begin = SystemClock.monotonicNow
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: begin))
        defer { device.end() }
        let client = Client(device.port)
        device.accept()
        var times: [Int64] = []
        var samples: [[Double]] = []
        for _ in 0..<2 {
            #expect(client.answer("READBUF iio:device0 100") == "96")
            #expect(client.text() == "0000007f")
            let bytes = client.bytes(96)
            try #require(bytes.count == 96)
            bytes.withUnsafeBytes { raw in
                for start in stride(from: 0, to: 96, by: 32) {
                    samples.append(
                        (0..<6).map { Double(raw.loadUnaligned(fromByteOffset: start + 4 * $0, as: Int32.self)) })
                    times.append(raw.loadUnaligned(fromByteOffset: start + 24, as: Int64.self))
                }
            }
        }
        let recording = try ScenarioRecording(Self.scenario)
        var expected: [Int64: [Double]] = [:]
        while expected.count < 1000, let event = recording.next() {
            guard case .inertial(let sample) = event else { continue }
            let (force, rate) = (sample.specificForceMetersPerSecondSquared, sample.angularRateRadiansPerSecond)
            let due = begin.advanced(bySeconds: sample.time.seconds).nanoseconds
            expected[due] =
                [force.x, force.y, force.z].map { ($0 / 1e-5).rounded() }
                + [rate.x, rate.y, rate.z].map { ($0 / 1e-6).rounded() }
        }
        #expect(times.count == 6 && times == times.sorted() && Set(times).count == 6)
        for (time, sample) in zip(times, samples) { #expect(expected[time] == sample) }
    }

    @Test func aConnectionThatComesLateBeginsHalfASecondBefore() throws {
        // GIVEN a drive that began five seconds ago WHEN samples are asked for THEN they are not older than that
        let begin = SystemClock.monotonicNow.advanced(bySeconds: -5)
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: begin))
        defer { device.end() }
        let client = Client(device.port)
        device.accept()
        #expect(client.answer("READBUF iio:device0 32") == "32")
        #expect(client.text() == "0000007f")
        let time = client.bytes(32).withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: Int64.self) }
        #expect(time - begin.nanoseconds > 4_500_000_000)
    }

    // MARK: - The player

    /// What a player announces, and whether it plays anything when it is to end at once.
    private func places(_ change: (inout Scenario) -> Void) throws -> (terminal: String?, port: UInt16?) {
        var scenario = Self.scenario
        change(&scenario)
        var places = LiveScenario.Places()
        try LiveScenario(scenario).run(
            announce: { places = $0 }, shouldEnd: { true }, onProgress: { _ in Issue.record("played") })
        return (places.terminal, places.port)
    }

    @Test func onlyWhatIsFittedIsAnnounced() throws {
        let both = try places { _ in }
        #expect(both.terminal?.hasPrefix("/dev/pts/") == true && (both.port ?? 0) > 0)
        let receiver = try places { $0.hasIMU = false }
        #expect(receiver.terminal != nil && receiver.port == nil)
        let inertial = try places { $0.hasReceiver = false }
        #expect(inertial.terminal == nil && inertial.port != nil)
    }

    @Test func aPortInUseIsToldWithTheRemedy() throws {
        let device = try #require(EmulatedIIO(Self.scenario, port: 0, from: SystemClock.monotonicNow))
        let failure = #expect(throws: LiveScenario.Failure.self) {
            try LiveScenario(Self.scenario, port: device.port).run(
                announce: { _ in }, shouldEnd: { true }, onProgress: { _ in })
        }
        #expect(
            failure?.description
                == "port \(device.port) of 127.0.0.1 is in use; choose another one with --port")
    }
}
