import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// The thread of the vehicle bus, turn by turn, on a socket whose packets have the kernel's form of CAN frames.
@Suite struct CANWorkerTests {
    private final class Sink: EventSink {
        let speeds = Mutex<[WheelSpeedSample]>([])
        let states = Mutex<[SourceState]>([])

        func send(_ event: SensorEvent) {
            if case .wheelSpeed(let sample) = event { speeds.withLock { $0.append(sample) } }
        }

        func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
    }

    /// The other end of the socket: the bus.
    private final class Bus {
        let near: Int32
        let far: Int32

        init(_ kind: __socket_type = SOCK_DGRAM) throws {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        deinit { close(far) }

        /// Sends a frame in the form of struct can_frame, or of struct canfd_frame for more than 8 bytes.
        func send(_ id: UInt32, _ data: [UInt8], length: UInt8? = nil) {
            let size = data.count > 8 ? 64 : 8
            let head = (0..<4).map { UInt8(truncatingIfNeeded: id >> UInt32(8 * $0)) }
            let rest: [UInt8] = [length ?? UInt8(data.count), 0, 0, 0]
            let bytes = head + rest + data
            send(bytes + [UInt8](repeating: 0, count: 8 + size - bytes.count))
        }

        func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { Glibc.send(far, $0.baseAddress, $0.count, 0) } }

        /// The next frame that was sent to the bus: its identifier and its data.
        func receive() -> (UInt32, [UInt8])? {
            var bytes = [UInt8](repeating: 0, count: 80)
            let count = recv(far, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count == 16 else { return nil }
            var id: UInt32 = 0
            for k in 0..<4 { id |= UInt32(bytes[k]) << UInt32(8 * k) }
            return (id, Array(bytes[8..<16]))
        }
    }

    private let sink = Sink()
    private let board = SourceStatusBoard()
    private let stop = StopSignal()

    private func settings() throws -> CANSettings {
        var settings = CANSettings()
        settings.interface = "can7"
        settings.speed = try CANSignal(#"0x1A0 0|16@1+ (0.01,0) "m/s""#)
        return settings
    }

    private func worker(
        _ settings: CANSettings, _ open: @escaping ([CANFilter]) -> Result<CANSocket, CANFault>
    ) -> CANWorker {
        let entry = board.register(SourceDescription(name: "can", kind: .wheels, place: "CAN interface can7"))
        return CANWorker(settings: settings, sink: sink, board: board, entry: entry, open: open)
    }

    @Test func framesBecomeWheelSpeedsWithTheTimeOfTheKernel() throws {
        // GIVEN a bus; WHEN three frames of the speed, one of another signal, a request for data, an error of the bus,
        // a frame of a length that cannot be, and bytes that are none, come at once; THEN the speeds of the three reach
        // the engine, valid between sending and reading, and the malformed ones are counted.
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        let before = SystemClock.monotonicNow
        bus.send(0x1A0, [0xE8, 0x03])
        bus.send(0x1A1, [0xE8, 0x03])
        bus.send(0x4000_01A0, [0xE8, 0x03])
        bus.send(0x2000_0040, [0, 0, 0, 0, 0, 0, 0, 0])
        bus.send(0x1A0, [0xE8, 0x03], length: 9)
        bus.send([1, 2, 3])
        bus.send(0x1A0, [0xE8, 0x03] + [UInt8](repeating: 0, count: 62))
        worker.turn(stop)
        let after = SystemClock.monotonicNow
        let speeds = sink.speeds.withLock { $0 }
        // The two frames came within a microsecond: their mean waits for more.
        #expect(speeds.map(\.speedMetersPerSecond) == [10])
        // The kernel's times are of another clock, read a microsecond apart.
        let tolerance = 0.001
        #expect(speeds.allSatisfy { $0.time.seconds(since: before) > -tolerance })
        #expect(speeds.allSatisfy { after.seconds(since: $0.time) > -tolerance })
        #expect(sink.states.withLock { $0 } == [.waiting, .streaming])
        #expect(board.statuses.first?.state == .streaming)
        #expect(worker.counts[.malformed] == 2)
    }

    @Test func aBusThatIsMissingIsTriedAgain() throws {
        // GIVEN an interface that does not exist, then one that is down, then one that works; WHEN time passes; THEN
        // each fault is named with its remedy, and the last one streams.
        let bus = try Bus()
        let attempts = Attempts()
        var worker = worker(try settings()) { filters in
            attempts.filters = filters
            attempts.count += 1
            switch attempts.count {
            case 1: return .failure(CANFault(opening: "can7", failed: 1, code: ENODEV))
            case 2: return .failure(CANFault(using: "can7", code: ENETDOWN))
            default: return CANSocket.adopt(bus.near)
            }
        }
        var now = SystemClock.monotonicNow
        worker.openIfDue(now)
        #expect(board.statuses.first?.state == .absent)
        #expect(board.statuses.first?.explanation.contains("there is no network interface can7") == true)
        worker.openIfDue(now)
        #expect(attempts.count == 1)
        now = now.advanced(bySeconds: 1.01)
        worker.openIfDue(now)
        #expect(board.statuses.first?.state == .lost)
        #expect(board.statuses.first?.explanation.contains("ip link set can7 up") == true)
        worker.openIfDue(now.advanced(bySeconds: 1.01))
        bus.send(0x1A0, [0xE8, 0x03])
        worker.turn(stop)
        #expect(board.statuses.first?.state == .streaming && attempts.filters == [CANFilter(id: 0x1A0)])
    }

    private final class Attempts {
        var count = 0
        var filters: [CANFilter] = []
    }

    @Test func silenceNamesTheFrameOrTheErrorOfTheBus() throws {
        // GIVEN a bus without the frame; WHEN 2 s pass; THEN status names the frame. WHEN the controller goes bus-off;
        // THEN status says so, and when speeds have come and stop for a second, the source is stale.
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        let now = SystemClock.monotonicNow
        worker.openIfDue(now)
        worker.report(now.advanced(bySeconds: 2.1))
        #expect(board.statuses.first?.explanation.contains("no usable frame (0x1A0) on can7") == true)
        bus.send(0x2000_0040, [0, 0, 0, 0, 0, 0, 0, 0])
        worker.turn(stop)
        worker.report(now.advanced(bySeconds: 3.1))
        #expect(
            board.statuses.first?.explanation
                == "can7 is bus-off after too many errors: correct the bit rate or the wiring, then ip link set can7 "
                + "type can restart, or for the future ip link set can7 down; ip link set can7 up type can bitrate N "
                + "restart-ms 100")
        bus.send(0x1A0, [0xE8, 0x03])
        worker.turn(stop)
        #expect(board.statuses.first?.state == .streaming)
        worker.report(now.advanced(bySeconds: 4.2))
        #expect(board.statuses.first?.state == .stale && board.statuses.first?.acceptedCount == 1)
    }

    @Test func theRateOfFramesIsThatOfTheTimeBetweenReports() throws {
        // GIVEN a bus that is opened later than now, so that only the report below ends a span; WHEN eight frames come
        // and 4 s later the rates are reported; THEN there are two frames per second, whatever they tell.
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        let opened = SystemClock.monotonicNow.advanced(bySeconds: 1000)
        worker.openIfDue(opened)
        for k in 0..<8 { bus.send(k % 4 == 0 ? 0x1A0 : 0x1A1, [0xE8, 0x03]) }
        worker.turn(stop)
        worker.report(opened.advanced(bySeconds: 4))
        #expect(worker.frameHertz == 2)
    }

    @Test func ratesAreToldOnceASecond() throws {
        // GIVEN a bus that is opened later than now WHEN frames come THEN their rate is told a second later, not before
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        let opened = SystemClock.monotonicNow.advanced(bySeconds: 1000)
        worker.openIfDue(opened)
        for _ in 0..<8 { bus.send(0x1A1, [0xE8, 0x03]) }
        worker.turn(stop)
        for (seconds, hertz) in [(0.999, 0.0), (1, 8), (1.999, 8), (2, 0)] {
            worker.report(opened.advanced(bySeconds: seconds))
            #expect(worker.frameHertz == hertz, "\(seconds)")
        }
    }

    @Test func diagnosticsAskAndRead() throws {
        // GIVEN OBD-II; WHEN the request arrives and is answered; THEN it is service 01, PID 0D to all control units,
        // and the answer of 36 km/h is 10 m/s.
        let bus = try Bus()
        var settings = CANSettings()
        (settings.interface, settings.diagnostics) = ("can7", .standard)
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        bus.send(0x7E8, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
        worker.turn(stop)
        let request = try #require(bus.receive())
        #expect(request.0 == 0x7DF && request.1 == [2, 1, 0x0D, 0, 0, 0, 0, 0])
        #expect(sink.speeds.withLock { $0.map(\.speedMetersPerSecond) } == [10])
    }

    @Test func statusSaysWhatToLookAt() throws {
        // GIVEN a bus without a frame for just less than 2 s THEN it is waited for
        let bus = try Bus()
        var settings = try settings()
        settings.steeringAngle = try CANSignal("0x25 0|8@1+ (1.5,0) \"deg\"")
        (settings.turnLeft, settings.turnRight) = (try CANSignal("0x26 0|1@1+"), try CANSignal("0x26 1|1@1+"))
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        let opened = SystemClock.monotonicNow
        worker.openIfDue(opened)
        func text() -> String { board.statuses[0].explanation }
        worker.report(opened.advanced(bySeconds: 1.99))
        #expect(text() == "can7 is open, no frame with a speed yet")
        worker.report(opened.advanced(bySeconds: 2))
        #expect(
            text() == "no usable frame (0x1A0, 0x25, 0x26) on can7: switch the ignition on; candump can7 shows the "
                + "frames")
        // WHEN the controller has errors, and lost a frame THEN the wiring is named, and the frame counted
        bus.send(0x2000_0004, [0, 0x11, 0, 0, 0, 0, 0, 0])
        worker.turn(stop)
        worker.report(opened.advanced(bySeconds: 2.1))
        #expect(text() == "can7 has errors: correct the bit rate, the termination or the wiring")
        #expect(worker.counts[.queueFull] == 1)
        // WHEN the frames come THEN steering and turn signals are shown with the next report
        bus.send(0x25, [2])
        bus.send(0x26, [3])
        bus.send(0x1A0, [0xE8, 0x03])
        worker.turn(stop)
        #expect(board.statuses[0].state == .streaming)
        #expect(text() == "wheel speeds on can7, steering 3 deg, turn signal left, turn signal right")
        // WHEN none comes for a second THEN it is stale, with the number of whole seconds
        worker.report(SystemClock.monotonicNow.advanced(bySeconds: 3.5))
        #expect(board.statuses[0].state == .stale && board.statuses[0].rateHertz == nil)
        #expect(text().hasPrefix("no wheel speed for ") && text().hasSuffix(" shows the frames"))
    }

    @Test func theSpeedByDiagnosticsIsNamed() throws {
        // GIVEN OBD-II with 29 bits WHEN one control unit refuses, and then answers THEN that is the source
        let bus = try Bus()
        var settings = CANSettings()
        (settings.interface, settings.diagnostics) = ("can7", .extended)
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        bus.send(0x98DA_F110, [0x03, 0x7F, 0x01, 0x12, 0, 0, 0, 0])
        bus.send(0x98DA_F110, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
        worker.turn(stop)
        #expect(try #require(bus.receive()).0 == 0x98DB_33F1)
        worker.report(SystemClock.monotonicNow)
        #expect(board.statuses[0].explanation == "speed by OBD-II on can7" && worker.counts[.diagnosticsRefused] == 1)
    }

    @Test func theBusIsTriedOnceASecond() throws {
        // GIVEN an interface that does not exist WHEN time passes THEN there is an attempt each second
        let attempts = Attempts()
        var worker = worker(try settings()) { _ in
            attempts.count += 1
            return .failure(CANFault(opening: "can7", failed: 1, code: ENODEV))
        }
        let now = SystemClock.monotonicNow
        for (seconds, count) in [(0.0, 1), (0.999, 1), (1, 2), (1.999, 2), (2, 3)] {
            worker.openIfDue(now.advanced(bySeconds: seconds))
            #expect(attempts.count == count, "\(seconds)")
        }
    }

    @Test func aRequestThatCannotBeSentClosesTheBus() throws {
        // GIVEN OBD-II on a bus that takes nothing WHEN a request is sent THEN the bus is lost with the error, and the
        // next attempt is a second later
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        close(ends[1])
        var settings = CANSettings()
        (settings.interface, settings.diagnostics) = ("can7", .standard)
        let (attempts, near) = (Attempts(), ends[0])
        var worker = worker(settings) { _ in
            attempts.count += 1
            guard attempts.count == 1 else { return .failure(CANFault(opening: "can7", failed: 1, code: ENODEV)) }
            return CANSocket.adopt(near)
        }
        worker.turn(stop)
        let closed = SystemClock.monotonicNow
        #expect(board.statuses[0].state == .lost)
        #expect(board.statuses[0].explanation == "can7 can no longer be read: Connection refused")
        worker.openIfDue(closed)
        #expect(attempts.count == 1)
        worker.openIfDue(closed.advanced(bySeconds: 1))
        #expect(attempts.count == 2 && board.statuses[0].state == .absent)
    }

    @Test func anAnswerIsReadWhileNoRequestIsDue() throws {
        // GIVEN OBD-II with a request in ten seconds WHEN a second answer comes without one THEN it is read too
        let bus = try Bus()
        var settings = CANSettings()
        (settings.interface, settings.diagnostics, settings.diagnosticsRateHertz) = ("can7", .standard, 0.1)
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        for _ in 0..<2 {
            bus.send(0x7E8, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
            worker.turn(stop)
        }
        #expect(bus.receive() != nil && bus.receive() == nil)
        worker.report(SystemClock.monotonicNow.advanced(bySeconds: 100))
        #expect(board.statuses[0].acceptedCount == 2)
    }

    @Test func aRefusalIsNoMissingAnswer() throws {
        // GIVEN a control unit that refuses the request WHEN no speed came for long THEN it is not said that none
        // answers
        let bus = try Bus()
        var settings = CANSettings()
        (settings.interface, settings.diagnostics) = ("can7", .standard)
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        let opened = SystemClock.monotonicNow
        worker.openIfDue(opened)
        bus.send(0x7E8, [0x03, 0x7F, 0x01, 0x12, 0, 0, 0, 0])
        worker.turn(stop)
        worker.report(opened.advanced(bySeconds: 100))
        #expect(worker.counts[.diagnosticsRefused] == 1 && board.statuses[0].state == .waiting)
        #expect(board.statuses[0].rejections == [RejectionCount(reason: "obd_refused", count: 1)])
        #expect(board.statuses[0].explanation == "no speed by OBD-II on can7 for a while: switch the ignition on")
    }

    @Test func aSlowSourceStreamsBetweenItsAnswers() throws {
        // GIVEN OBD-II with a request in five seconds WHEN an answer comes THEN the source streams until half a time
        // after the second answer that is missing
        let bus = try Bus()
        var settings = CANSettings()
        (settings.interface, settings.diagnostics, settings.diagnosticsRateHertz) = ("can7", .standard, 0.2)
        var worker = worker(settings) { _ in CANSocket.adopt(bus.near) }
        worker.openIfDue(SystemClock.monotonicNow.advanced(bySeconds: -1000))
        bus.send(0x7E8, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
        worker.turn(stop)
        let last = try #require(board.statuses[0].lastDataTime)
        for (seconds, state, text) in [
            (5, SourceState.streaming, "speed by OBD-II on can7"), (12.49, .streaming, "speed by OBD-II on can7"),
            (12.5, .stale, "no wheel speed for 12 s; no speed by OBD-II on can7 for a while: switch the ignition on"),
        ] {
            worker.report(last.advanced(bySeconds: seconds))
            #expect(board.statuses[0].state == state && board.statuses[0].explanation == text, "\(seconds)")
        }
        #expect(sink.states.withLock { $0 } == [.waiting, .streaming, .stale])
    }

    @Test func theTimeIsThatOfTheFrameAndNotOfItsReading() throws {
        // GIVEN a bus that is open WHEN a frame comes, and is read later THEN its time is before that of its reading
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        worker.openIfDue(SystemClock.monotonicNow)
        bus.send(0x1A0, [0xE8, 0x03])
        let later = SystemClock.monotonicNow
        worker.turn(stop)
        let time = try #require(sink.speeds.withLock { $0 }.first).time
        #expect(time < later)
    }

    @Test func oneTurnTakesFourReadsOfTheBus() throws {
        // GIVEN a bus that is opened later than now, so that only the reports below end a span, with 150 frames at once
        // WHEN there are two turns THEN the first takes four reads of 32 frames, and the second one the rest
        let bus = try Bus(SOCK_SEQPACKET)
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        let opened = SystemClock.monotonicNow.advanced(bySeconds: 1000)
        worker.openIfDue(opened)
        for _ in 0..<150 { bus.send(0x1A1, [1, 2]) }
        worker.turn(stop)
        worker.report(opened.advanced(bySeconds: 4))
        #expect(worker.frameHertz == 32)
        worker.turn(stop)
        worker.report(opened.advanced(bySeconds: 8))
        #expect(worker.frameHertz == 5.5)
    }

    @Test func countsAndRateAreToldWhileTheSpeedIsNew() throws {
        // GIVEN a bus that was opened long ago WHEN two speeds come THEN their number and rate are told
        let bus = try Bus()
        var worker = worker(try settings()) { _ in CANSocket.adopt(bus.near) }
        worker.openIfDue(SystemClock.monotonicNow.advanced(bySeconds: -1000))
        for _ in 0..<2 { bus.send(0x1A0, [0xE8, 0x03]) }
        worker.turn(stop)
        #expect(board.statuses[0].acceptedCount == 2 && board.statuses[0].state == .streaming)
        // Two in a thousand seconds; a busy machine needs less than ten more.
        #expect(abs(try #require(board.statuses[0].rateHertz) - 0.002) < 2e-5)
        // WHEN no other comes THEN it is stale from a second on, with the number of whole seconds
        let last = try #require(board.statuses[0].lastDataTime)
        for (seconds, state, text) in [
            (0.999, SourceState.streaming, "wheel speeds on can7"), (1, .stale, "no wheel speed for 1 s; no usable"),
            (3.99, .stale, "no wheel speed for 3 s; no usable"), (4, .stale, "no wheel speed for 4 s; no usable"),
        ] {
            worker.report(last.advanced(bySeconds: seconds))
            #expect(board.statuses[0].state == state && board.statuses[0].explanation.hasPrefix(text), "\(seconds)")
            #expect((board.statuses[0].rateHertz == nil) == (state == .stale))
        }
        #expect(board.statuses[0].acceptedCount == 2)
        bus.send(0x1A0, [0xE8, 0x03])
        worker.turn(stop)
        #expect(sink.states.withLock { $0 } == [.waiting, .streaming, .stale, .streaming])
    }

    @Test func aBusThatIsOpenedAgainShowsNothingOfBefore() throws {
        // GIVEN OBD-II and a steering angle without a unit on a bus that is then lost
        var first: Bus? = try Bus()
        let (second, near, attempts) = (try Bus(), try #require(first).near, Attempts())
        var settings = CANSettings()
        (settings.interface, settings.diagnostics, settings.diagnosticsRateHertz) = ("can7", .standard, 100)
        settings.steeringAngle = try CANSignal("0x25 0|8@1+ (1.5,0) \"\"")
        var worker = worker(settings) { _ in
            attempts.count += 1
            return CANSocket.adopt(attempts.count == 1 ? near : second.near)
        }
        first?.send(0x25, [2])
        first?.send(0x7E8, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
        worker.turn(stop)
        #expect(board.statuses[0].explanation == "speed by OBD-II on can7, steering 3")
        first = nil
        for _ in 0..<100 where board.statuses[0].state != .lost { worker.turn(stop) }
        // WHEN it is opened again and a speed comes THEN the old angle is not shown with it
        worker.openIfDue(SystemClock.monotonicNow.advanced(bySeconds: 2))
        second.send(0x7E8, [0x03, 0x41, 0x0D, 36, 0, 0, 0, 0])
        worker.turn(stop)
        #expect(attempts.count == 2 && board.statuses[0].explanation == "speed by OBD-II on can7")
    }

    @Test func aWorkerThatIsStoppedIsAbsent() throws {
        // GIVEN a stop that was requested THEN nothing is opened, and the source is said to be stopped
        var worker = worker(try settings()) { _ in
            Issue.record("it must not open")
            return .failure(CANFault(opening: "can7", failed: 1, code: ENODEV))
        }
        stop.raise()
        worker.run(until: stop)
        #expect(board.statuses[0].state == .absent && board.statuses[0].explanation == "stopped")
        #expect(sink.states.withLock { $0 } == [.absent])
    }

    @Test func aSourceIsNamedByItsInterfaceOrItsSocket() throws {
        let source = CANSource(settings: try settings(), sink: sink, board: board)
        let other = CANSource(settings: CANSettings(), descriptor: 99, sink: sink, board: board)
        #expect(board.statuses.map(\.description.place) == ["CAN interface can7", "descriptor 99"])
        #expect(board.statuses.allSatisfy { $0.description.name == "can" && $0.description.kind == .wheels })
        source.stop()
        other.stop()
    }
}
