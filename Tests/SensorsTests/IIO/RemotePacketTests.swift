import Measurements
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

    func send(_ event: SensorEvent) {}

    func send(_ report: SourceReport) { reports.withLock { $0.append(report.state) } }

    var states: [SourceState] { reports.withLock { $0 } }
}
