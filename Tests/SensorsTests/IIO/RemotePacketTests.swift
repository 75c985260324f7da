import Calibration
import Glibc
import Measurements
import Platform
import PoseMath
import SeededNumbers
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// What the process that reads a remote context tells the daemon.
struct RemotePacketTests {
    private static let time = MonotonicTime(nanoseconds: 12_345_678_901)

    private static func read(_ words: RemotePacket.Words) -> RemotePacket? {
        withUnsafeBytes(of: words) { RemotePacket($0) }
    }

    @Test func measurementsAndStatesComeThroughToTheBit() throws {
        // GIVEN each kind of measurement WHEN it is packed and read THEN it is the same
        let events: [SensorEvent] = [
            .inertial(
                InertialSample(
                    time: Self.time, angularRateRadiansPerSecond: Vector3(0.1, -0.2, 1e-300),
                    specificForceMetersPerSecondSquared: Vector3(-0.0, 9.80665, .pi))),
            .magnetic(MagneticSample(time: Self.time, fluxDensityTesla: Vector3(2e-5, -3e-5, 4e-5))),
            .pressure(PressureSample(time: Self.time, pressurePascal: 101_325.25)),
        ]
        for event in events { #expect(Self.read(try #require(RemotePacket.words(event))) == .event(event)) }
        #expect(RemotePacket.words(.wheelSpeed(WheelSpeedSample(time: Self.time, speedMetersPerSecond: 1))) == nil)
        let report = SourceReport(time: Self.time, source: .magnetometer, state: .stale)
        #expect(Self.read(RemotePacket.words(report)) == .report(.magnetometer, .stale))
        #expect(Self.read(RemotePacket.words(ended: 267)) == .ended(267))
    }

    @Test func aStatusComesThroughWithAndWithoutItsTexts() {
        // GIVEN a status with everything, and one with nothing
        var full = SourceStatus(description: .init(name: "imu", kind: .imu, place: "IIO at ip:board"))
        (full.state, full.explanation, full.degradation) = (.streaming, "bmi160; 200 Hz, ä", "no trigger")
        (full.device, full.acceptedCount, full.rateHertz, full.celsius) = ("bmi160 A", 77, 199.5, 31.25)
        full.lastDataTime = Self.time
        full.clockDriftPartsPerMillion = -12.5
        full.rejections = [RejectionCount(reason: "stuck", count: 3), RejectionCount(reason: "queue_full", count: 9)]
        let bare = SourceStatus(description: .init(name: "barometer", kind: .barometer, place: ""))
        for status in [full, bare] {
            // WHEN it is packed and read THEN it is the same
            let wanted = RemoteStatus(status)
            let bytes = RemotePacket.bytes(wanted)
            #expect(bytes.withUnsafeBytes { RemotePacket($0) } == .status(wanted))
            // AND no shorter part of it is taken for one
            for count in bytes.indices {
                #expect(bytes.prefix(count).withUnsafeBytes { RemotePacket($0) } == nil, "\(count)")
            }
        }
        #expect(RemoteStatus(full).rejections[2] == 3)
    }

    @Test func damagedPacketsNeverTrap() {
        // GIVEN a status WHEN its bytes are changed at random THEN it is refused or read, within its size
        var random = SplitMix64(seed: 3)
        let whole = RemotePacket.bytes(
            RemoteStatus(SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))))
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...8, using: &random))
            if case .status(let status) = bytes.withUnsafeBytes({ RemotePacket($0) }) {
                #expect(status.explanation.utf8.count <= 3 * bytes.count)
            }
        }
    }

    @Test(arguments: [(3999, 3999), (4000, 4000), (4001, 4000)])
    func aTextOfAStatusHas4000BytesAtMost(count: Int, kept: Int) {
        // GIVEN a status with texts of the longest length, of one byte less, and of one more WHEN it is packed and read
        // THEN what is beyond that is left out
        let text = String(repeating: "x", count: count)
        var status = SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))
        (status.device, status.explanation, status.degradation) = (text, text, text)
        let packet = RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { RemotePacket($0) }
        guard case .status(let told)? = packet else {
            Issue.record("no status")
            return
        }
        let expected = String(repeating: "x", count: kept)
        #expect(told.device == expected && told.explanation == expected && told.degradation == expected)
    }

    @Test func aMeasurementThatCannotBeIsRefusedAgain() {
        // GIVEN samples with a wrong time or number THEN they are refused, and those at the limits are not
        let now = MonotonicTime(nanoseconds: 100_000_000_000)
        func refusal(_ age: Int64, _ pressure: Double = 1) -> IIORejection? {
            let time = MonotonicTime(nanoseconds: now.nanoseconds &- age)
            return RemoteReceiver.refusal(.pressure(PressureSample(time: time, pressurePascal: pressure)), now)
        }
        #expect(refusal(0) == nil && refusal(-5_000_000) == nil && refusal(30_000_000_000) == nil)
        #expect(refusal(-5_000_001) == .timeInFuture && refusal(30_000_000_001) == .timeInPast)
        #expect(refusal(.min) == .timeInFuture || refusal(.min) == .timeInPast)
        #expect(refusal(0, .nan) == .notFinite && refusal(0, .infinity) == .notFinite)
        #expect(RemoteReceiver.refusal(.gnss(GnssFix(validityTime: now, arrivalTime: now, mode: .none)), now) != nil)
    }

    @Test func everyNumberOfASampleIsChecked() {
        // GIVEN samples of which one number is not finite THEN each is refused for that
        let now = MonotonicTime(nanoseconds: 100_000_000_000)
        let bad = Vector3(0, .infinity, 0)
        for (rate, force, isTaken) in [(Vector3.zero, Vector3.zero, true), (bad, .zero, false), (.zero, bad, false)] {
            let sample = InertialSample(
                time: now, angularRateRadiansPerSecond: rate, specificForceMetersPerSecondSquared: force)
            #expect(RemoteReceiver.refusal(.inertial(sample), now) == (isTaken ? nil : .notFinite))
            let field = MagneticSample(time: now, fluxDensityTesla: rate)
            #expect(RemoteReceiver.refusal(.magnetic(field), now) == (rate == bad ? .notFinite : nil))
        }
    }

    @Test func whatTheDaemonRefusesIsCountedToo() throws {
        // GIVEN a reader that tells counts of its own, and a sample of the future, two of the past and one of now
        let (board, sink) = (SourceStatusBoard(), ReportSink())
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        let receiver = RemoteReceiver(settings: settings, sink: sink, board: board)
        let now = SystemClock.monotonicNow
        for seconds in [3600.0, -3600, -4000, -1] {
            let sample = PressureSample(time: now.advanced(bySeconds: seconds), pressurePascal: 99_000)
            let words = try #require(RemotePacket.words(.pressure(sample)))
            withUnsafeBytes(of: words) { receiver.receive($0) }
        }
        #expect(sink.eventCount == 1)
        // WHEN it tells its status, with data of the future THEN its counts and those of the daemon are added, and the
        // time is that of now at most
        var status = SourceStatus(description: .init(name: "barometer", kind: .barometer, place: ""))
        (status.state, status.explanation, status.degradation) = (.streaming, "flows", "slow")
        (status.acceptedCount, status.rateHertz, status.celsius) = (7, 25, 20)
        (status.device, status.clockDriftPartsPerMillion) = ("air", 4)
        status.lastDataTime = now.advanced(bySeconds: 3600)
        status.rejections = [RejectionCount(reason: "time_in_past", count: 5)]
        RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { receiver.receive($0) }
        var entry = board.statuses[2]
        let latest = try #require(entry.lastDataTime)
        #expect(latest >= now && latest <= SystemClock.monotonicNow)
        (entry.lastDataTime, status.lastDataTime) = (nil, nil)
        status.description = .init(name: "barometer", kind: .barometer, place: "IIO at ip:board")
        status.rejections = [.init(reason: "time_in_future", count: 1), .init(reason: "time_in_past", count: 7)]
        #expect(entry == status && board.statuses[0].state == .absent)
        // WHEN a later status has no time THEN the one before stays
        RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { receiver.receive($0) }
        #expect(board.statuses[2].lastDataTime == latest)
        // WHEN the reader cannot be started THEN all are lost, without a rate, and each is told once
        for _ in 0..<2 { withUnsafeBytes(of: RemotePacket.words(ended: -1)) { receiver.receive($0) } }
        #expect(board.statuses.allSatisfy { $0.state == .lost && $0.rateHertz == nil && $0.degradation == nil })
        #expect(board.statuses[2].explanation.hasPrefix("the process that reads ip:board could not be started, and is"))
        #expect(sink.states == [.streaming, .lost, .lost, .lost] && board.statuses[2].celsius == 20)
    }

    @Test(arguments: [(-1, "could not be started"), (0, "ended with 0"), (256, "ended with 256")])
    func anEndHasItsWords(code: Int, words: String) {
        #expect(RemoteReceiver.end(code) == words && RemoteReceiver.end(257) == "was ended by signal 1")
    }

    @Test func correctionsAreThoseOfTheDeviceOrOfOneOfTwo() {
        // GIVEN corrections of two devices together, and of one
        func correction(_ x: Double) -> SensorCorrection { SensorCorrection(offset: Vector3(x, 0, 0)) }
        var (pair, single) = (SensorCorrections(), SensorCorrections())
        (pair.gyro, pair.accelerometer, pair.magnetometer) = (correction(1), correction(2), correction(3))
        (single.gyro, single.accelerometer, single.magnetometer) = (correction(4), correction(5), correction(6))
        var settings = IIOSettings()
        settings.corrections = ["a and b": pair, "c": single]
        func numbers(_ kind: SensorKind, _ device: String?) -> [Double?] {
            let found = settings.corrections(of: kind, device: device)
            return [found.gyro, found.accelerometer, found.magnetometer].map { $0?.offset.x }
        }
        // THEN an IMU has those of its part of a pair, a magnetometer only its own, others none
        for device in ["a", "b", "a and b"] { #expect(numbers(.imu, device) == [1, 2, nil]) }
        #expect(numbers(.imu, "c") == [4, 5, nil] && numbers(.imu, nil) == [nil, nil, nil])
        #expect(numbers(.magnetometer, "c") == [nil, nil, 6] && numbers(.magnetometer, "a") == [nil, nil, nil])
        #expect(numbers(.magnetometer, "a and b") == [nil, nil, 3] && numbers(.barometer, "c") == [nil, nil, nil])
        for (role, device, x) in [
            (IIORoles.gyro, "c", 4.0), (.accelerometer, "c", 5), (.magnetometer, "c", 6), (.gyro, "b", 1),
            (.accelerometer, "a", 2), (.magnetometer, "b", nil), (.barometer, "c", nil), (.gyro, "d", nil),
        ] as [(IIORoles, String, Double?)] {
            #expect(settings.correction(role, deviceIdentity: device)?.offset.x == x, "\(device)")
        }
    }

    @Test func aSourceThatCannotStartSaysWhy() {
        // GIVEN no process, with settings that are right and with wrong ones WHEN it starts THEN each source says why
        for (rate, text) in [
            (200.0, "cannot create the process that reads it: the system is out of resources"),
            (-1, "gyro.rate: -1.0 Hz is not within 0 (excluded)...8000 Hz"),
        ] {
            let (board, sink) = (SourceStatusBoard(), ReportSink())
            var settings = IIOSettings()
            (settings.contextURI, settings.gyro.rateHertz) = ("ip:board", rate)
            let source = RemoteIIOSource(process: nil, settings: settings, sink: sink, board: board)
            source.start()
            source.stop()
            #expect(board.statuses.map(\.explanation) == [text, text, text] && sink.states.isEmpty)
        }
    }

    @Test func packetsAreReceivedUntilTheKeeperEnds() throws {
        // GIVEN a daemon that receives from a socket WHEN packets come one after the other THEN each is received, and
        // a pause between them is no end
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { for descriptor in ends where descriptor >= 0 { close(descriptor) } }
        let (board, told, stop) = (SourceStatusBoard(), EventFD(), StopSignal())
        let sink = ReportSink { told.signal() }
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        let (receiver, near) = (RemoteReceiver(settings: settings, sink: sink, board: board), ends[0])
        let work = try #require(DetachedWork.start(name: "test") { receiver.run(near, stop) })
        // It must not read from a closed socket, whose number another test may have.
        defer {
            stop.raise()
            _ = work.wait(seconds: 60)
        }
        for number in 1...100 {
            let sample = PressureSample(time: SystemClock.monotonicNow, pressurePascal: 99_000)
            let words = try #require(RemotePacket.words(.pressure(sample)))
            withUnsafeBytes(of: words) { _ = send(ends[1], $0.baseAddress, $0.count, 0) }
            try #require(StopSignal().wait(for: told.descriptor, seconds: 60) == .ready)
            told.drain()
            try #require(sink.eventCount == number && sink.states.isEmpty)
        }
        // WHEN the other end is closed THEN all sources are lost, with the remedy
        close(ends[1])
        ends[1] = -1
        #expect(work.wait(seconds: 60) && sink.states == [.lost, .lost, .lost])
        #expect(
            board.statuses.allSatisfy { $0.explanation == "the process that reads ip:board is gone: restart posed" })
    }

    @Test func aStatusTellsTheStateThatWasNotReported() {
        // GIVEN a source that was reported as stale, and whose next report found no room
        let (board, sink) = (SourceStatusBoard(), ReportSink())
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        let receiver = RemoteReceiver(settings: settings, sink: sink, board: board)
        let report = RemotePacket.words(SourceReport(time: Self.time, source: .imu, state: .stale))
        withUnsafeBytes(of: report) { receiver.receive($0) }
        // WHEN its status comes twice THEN the state is told once, and is that of the board
        var status = SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))
        for count in [1, 2] as [UInt64] {
            (status.state, status.acceptedCount) = (.streaming, count)
            RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { receiver.receive($0) }
        }
        #expect(sink.states == [.stale, .streaming] && board.statuses[0].state == .streaming)
    }

    @Test func whatFindsNoRoomIsCountedInTheStatus() throws {
        // GIVEN a daemon that does not read, and more measurements than its socket takes
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer {
            close(ends[0])
            close(ends[1])
        }
        var room: Int32 = 4096
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let sink = PacketSink(socket: ends[1])
        for _ in 0..<1000 { sink.send(.pressure(PressureSample(time: Self.time, pressurePascal: 99_000))) }
        // WHEN the statuses are made THEN each measurement was sent or is counted, in addition to what was lost before
        let statuses = [SensorKind.imu, .barometer].map { kind in
            var status = SourceStatus(description: .init(name: "", kind: kind, place: ""))
            status.rejections = [RejectionCount(reason: "queue_full", count: 4)]
            return RemoteStatus(status)
        }
        let counts = sink.withLosses(statuses).map { $0.rejections.last }
        var sent: UInt64 = 0
        var packet = [UInt8](repeating: 0, count: RemotePacket.plainBytes)
        while recv(ends[0], &packet, packet.count, Int32(MSG_DONTWAIT)) == packet.count { sent += 1 }
        #expect(sent > 0 && sent < 1000 && counts == [4, 4 + 1000 - sent])
    }

    @Test func countsGoOnWhereTheReaderIsStartedAgain() {
        // GIVEN a reader that has counted, and ended by signal 11
        let board = SourceStatusBoard()
        let sink = ReportSink()
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        let receiver = RemoteReceiver(settings: settings, sink: sink, board: board)
        func tell(_ count: UInt64) {
            var status = SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))
            (status.state, status.acceptedCount) = (.streaming, count)
            status.rejections = [RejectionCount(reason: "stuck", count: 2)]
            RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { receiver.receive($0) }
        }
        func send(_ words: RemotePacket.Words) { withUnsafeBytes(of: words) { receiver.receive($0) } }
        send(RemotePacket.words(SourceReport(time: Self.time, source: .imu, state: .streaming)))
        tell(10)
        send(RemotePacket.words(ended: 256 + 11))
        // THEN it is lost, with the reason
        #expect(board.statuses[0].state == .lost)
        #expect(board.statuses[0].explanation.contains("ip:board was ended by signal 11"))
        #expect(sink.states.contains(.streaming) && sink.states.contains(.lost))
        // WHEN the next one counts from zero THEN the counts go on
        tell(4)
        #expect(board.statuses[0].acceptedCount == 14 && board.statuses[0].state == .streaming)
        #expect(board.statuses[0].rejections == [RejectionCount(reason: "stuck", count: 4)])
    }
}

/// Collects changes of state.
private final class ReportSink: EventSink {
    private let reports = Mutex<[SourceState]>([])
    private let events = Mutex(0)
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void = {}) { self.onChange = onChange }

    func send(_ event: SensorEvent) {
        events.withLock { $0 += 1 }
        onChange()
    }

    var eventCount: Int { events.withLock { $0 } }

    func send(_ report: SourceReport) {
        reports.withLock { $0.append(report.state) }
        onChange()
    }

    var states: [SourceState] { reports.withLock { $0 } }
}
