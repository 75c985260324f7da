import Calibration
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// What the threads of the devices tell the board, and what the board has then.
@Suite struct IIOBoardTests {
    /// Collects measurements.
    private final class Sink: EventSink {
        let events = Mutex<[SensorEvent]>([])

        func send(_ event: SensorEvent) { events.withLock { $0.append(event) } }
        func send(_ report: SourceReport) {}
        var inertial: [InertialSample] {
            events.withLock { $0 }.compactMap { if case .inertial(let sample) = $0 { sample } else { nil } }
        }
    }

    private let board = SourceStatusBoard()
    private let sink = Sink()

    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func output(_ change: (inout IIOSettings) -> Void = { _ in }) -> IIOOutput {
        var settings = IIOSettings()
        change(&settings)
        return IIOOutput(settings: settings, sink: sink, board: board)
    }

    private func status(_ kind: SensorKind) throws -> SourceStatus {
        try #require(board.statuses.first { $0.description.kind == kind })
    }

    /// Counts of a thread with a different number for everything.
    private static func tally(_ base: UInt64, rate: Double, celsius: Double?, drift: Double?, at time: Int64)
        -> IIOTally
    {
        var tally = IIOTally()
        for slot in 0..<4 {
            for reason in 0..<8 { tally.sensors[slot].rejections[reason] = base + UInt64(10 * slot + reason) }
            tally.sensors[slot].accepted = base + UInt64(slot)
        }
        (tally.rateHertz, tally.celsius, tally.clockDrift) = (rate, celsius, drift)
        tally.lastDataTime = Self.time(time)
        return tally
    }

    @Test func theCountsOfTwoDevicesAreThoseOfTheIMU() throws {
        // GIVEN a gyro and an accelerometer on two devices that stream with counts of their own, twice
        let output = output()
        output.set([.gyro, .accelerometer], .streaming, "both")
        output.add(Self.tally(100, rate: 200, celsius: 31, drift: -3, at: 10), to: .gyro)
        output.add(Self.tally(1000, rate: 150, celsius: 45, drift: 8, at: 20), to: .accelerometer)
        output.add(Self.tally(100, rate: 199, celsius: nil, drift: -4, at: 15), to: .gyro)
        // THEN rejections are added, the larger number of samples, the lower rate and the newer time are there, and
        // temperature and drift are those of the gyro
        let imu = try status(.imu)
        #expect(imu.rejections.map(\.reason) == IIORejection.allCases.map(\.rawValue))
        let sums: [UInt64] = (0..<8).map { (reason: UInt64) in 1210 + 3 * reason }
        #expect(imu.rejections.map(\.count) == sums)
        #expect(imu.acceptedCount == 1001 && imu.rateHertz == 150 && imu.celsius == 31)
        #expect(imu.clockDriftPartsPerMillion == -4 && imu.lastDataTime == Self.time(20))
        // AND nothing is told of the others
        let others = [try status(.magnetometer), try status(.barometer)]
        #expect(others.allSatisfy { $0.acceptedCount == 0 && $0.rejections.isEmpty && $0.rateHertz == nil })
        // WHEN they no longer stream THEN there is no rate, but for stale ones
        output.set(.gyro, .stale, "gyro")
        #expect(try status(.imu).rateHertz == 150)
        output.set(.gyro, .waiting, "gyro")
        #expect(try status(.imu).rateHertz == 150)
        output.set(.accelerometer, .lost, "accelerometer")
        #expect(try status(.imu).rateHertz == nil)
    }

    @Test func theOtherSensorsHaveTheirOwnCounts() throws {
        let output = output()
        output.add(Self.tally(100, rate: 50, celsius: 20, drift: nil, at: 10), to: .magnetometer)
        output.add(Self.tally(200, rate: 25, celsius: 21, drift: nil, at: 11), to: .barometer)
        let (magnetometer, barometer) = (try status(.magnetometer), try status(.barometer))
        #expect(magnetometer.rejections.map(\.count) == Array(120...127) && magnetometer.acceptedCount == 102)
        #expect(barometer.rejections.map(\.count) == Array(230...237) && barometer.acceptedCount == 203)
        #expect(magnetometer.celsius == 20 && barometer.celsius == 21 && barometer.lastDataTime == Self.time(11))
    }

    @Test func whatThePairingDropsIsCounted() throws {
        // GIVEN a gyro and an accelerometer on two devices
        let output = output()
        func sample(_ milliseconds: Int64) -> AxisSample {
            AxisSample(time: Self.time(milliseconds), vector: Vector3(0, 0, 9.8))
        }
        // WHEN both come THEN the later of the two completes a sample
        #expect(output.pair(accelerometer: sample(1000)) == 0 && output.pair(gyro: sample(1000)) == 1)
        #expect(output.pair(gyro: sample(1005)) == 0 && output.pair(accelerometer: sample(1010)) == 1)
        #expect(sink.inertial.map(\.time) == [Self.time(1000), Self.time(1005)])
        // WHEN one repeats its time, and the gyro goes on alone THEN that is counted by its name
        _ = output.pair(gyro: sample(1005))
        _ = output.pair(accelerometer: sample(1010))
        for step in 1...100 { _ = output.pair(gyro: sample(1010 + Int64(step) * 10)) }
        output.set(.inertial, .streaming, "")
        let counts = try status(.imu).rejections
        #expect(counts.map(\.reason) == ["time_not_increasing", "without_acceleration"])
        #expect(counts.first?.count == 2 && (counts.last?.count ?? 0) > 80)
        // AND nothing goes on after the end
        let before = sink.inertial.count
        output.close()
        output.send(.pressure(PressureSample(time: Self.time(9999), pressurePascal: 1)))
        #expect(sink.events.withLock { $0.count } == before)
    }

    @Test func theExplanationIsThatOfTheWorseDevice() throws {
        let output = output()
        output.set(.inertial, .opening, "opening both")
        #expect(try status(.imu).explanation == "opening both")
        output.set(.gyro, .streaming, "gyro", degradation: "slow")
        output.set(.accelerometer, .streaming, "accelerometer")
        #expect(try status(.imu).explanation == "gyro; accelerometer" && status(.imu).degradation == "slow")
        output.set(.accelerometer, .stale, "accelerometer is silent")
        #expect(try status(.imu).explanation == "accelerometer is silent" && status(.imu).degradation == nil)
        output.set(.accelerometer, .absent, "none")
        #expect(try status(.imu).state == .absent && status(.imu).explanation == "none")
    }

    @Test func theDeviceIsNamedWithItsTurn() throws {
        // GIVEN a gyro whose axes the settings turn, and corrections of the sensors
        let identity = "imu A1 turned by 0, -1, 0; 1, 0, 0; 0, 0, 1"
        var gyro = SensorCorrections()
        gyro.gyro = SensorCorrection(offset: Vector3(0.01, 0, 0))
        gyro.accelerometer = SensorCorrection(offset: Vector3(0.02, 0, 0))
        gyro.magnetometer = SensorCorrection(offset: Vector3(1e-6, 0, 0))
        let output = output {
            $0.gyro.mountMatrixOverride = "0, -1, 0; 1, 0, 0; 0, 0, 1"
            $0.corrections = [identity: gyro, "imu A1": gyro]
        }
        let device = IIODevice(id: "iio:device0", name: "imu", serial: "A1")
        output.set(device: device, for: .gyro)
        output.set(.inertial, .streaming, "")
        #expect(try status(.imu).device == nil)
        output.set(device: device, for: [.accelerometer, .magnetometer])
        output.set(.inertial, .streaming, "")
        output.set(.magnetometer, .streaming, "")
        // THEN both names are there while they differ, with the correction of each sensor
        #expect(try status(.imu).device == "\(identity) and imu A1" && status(.magnetometer).device == "imu A1")
        let (imu, field) = (try status(.imu).corrections, try status(.magnetometer).corrections)
        #expect(imu.gyro == gyro.gyro && imu.accelerometer == gyro.accelerometer && imu.magnetometer == nil)
        #expect(field.magnetometer == gyro.magnetometer && field.gyro == nil && field.accelerometer == nil)
    }

    @Test func oneDeviceIsNamedOnce() throws {
        let output = output()
        output.set(device: IIODevice(id: "iio:device0", name: "bmi160", label: "base"), for: .inertial)
        output.set(.inertial, .streaming, "")
        #expect(try status(.imu).device == "bmi160 base")
    }

    @Test func onlyWantedSourcesAreOnTheBoard() {
        // GIVEN settings that turn sensors off THEN the IMU is there if one of its two is
        _ = output { ($0.gyro.device, $0.magnetometer.device) = (.off, .off) }
        #expect(board.statuses.map(\.description.name) == ["imu", "barometer"])
        #expect(board.statuses.allSatisfy { $0.description.place == "IIO of this machine" })
        let other = SourceStatusBoard()
        var settings = IIOSettings()
        (settings.gyro.device, settings.accelerometer.device, settings.barometer.device) = (.off, .off, .off)
        settings.contextURI = "ip:board"
        let entries = IIOOutput.register(settings, on: other)
        #expect(entries == [.magnetometer: 0] && other.statuses.map(\.description.place) == ["IIO at ip:board"])
    }

    @Test func aWrongScaleOfTheAccelerometerIsTold() throws {
        // GIVEN an accelerometer at rest that measures half of gravity THEN its scale is said to be wrong, while it
        // streams
        let output = output()
        for number in 0..<6000 {
            output.send(
                .inertial(
                    InertialSample(
                        time: Self.time(Int64(number) * 10), angularRateRadiansPerSecond: .zero,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 4.9))))
        }
        output.set(.inertial, .streaming, "")
        #expect(
            try status(.imu).degradation
                == "the accelerometer measures 4.9 m/s2 at rest instead of 9.81: its scale is wrong; set "
                + "imu.accelerometer_scale")
        output.set(.inertial, .waiting, "")
        #expect(try status(.imu).degradation == nil && status(.magnetometer).degradation == nil)
    }
}

/// The counts of a context on another machine.
@Suite struct RemoteCountTests {
    private final class Sink: EventSink {
        let count = Mutex(0)

        func send(_ event: SensorEvent) { count.withLock { $0 += 1 } }
        func send(_ report: SourceReport) {}
    }

    @Test func whatTheDaemonRefusesIsAdded() throws {
        // GIVEN a reader whose samples are of the past, of the future, of no number, and good
        let (board, sink) = (SourceStatusBoard(), Sink())
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        let receiver = RemoteReceiver(settings: settings, sink: sink, board: board)
        let now = SystemClock.monotonicNow
        for (offset, pascal) in [(-40.0, 1.0), (60, 1), (60, 1), (0, .nan), (0, .nan), (0, .infinity), (0, 101_325)] {
            let sample = PressureSample(time: now.advanced(bySeconds: offset), pressurePascal: pascal)
            let words = try #require(RemotePacket.words(.pressure(sample)))
            withUnsafeBytes(of: words) { receiver.receive($0) }
        }
        #expect(sink.count.withLock { $0 } == 1)
        // WHEN the reader tells its own counts THEN those of the daemon are added, and a time of the future is now
        var status = SourceStatus(description: .init(name: "barometer", kind: .barometer, place: ""))
        (status.state, status.acceptedCount, status.rateHertz) = (.streaming, 9, 25)
        status.rejections = [RejectionCount(reason: "not_finite", count: 100)]
        status.lastDataTime = now.advanced(bySeconds: 1e6)
        RemotePacket.bytes(RemoteStatus(status)).withUnsafeBytes { receiver.receive($0) }
        let shown = try #require(board.statuses.first { $0.description.kind == .barometer })
        #expect(
            shown.rejections == [
                RejectionCount(reason: "not_finite", count: 103), RejectionCount(reason: "time_in_future", count: 2),
                RejectionCount(reason: "time_in_past", count: 1),
            ])
        #expect(shown.acceptedCount == 9 && shown.rateHertz == 25 && shown.state == .streaming)
        #expect(shown.lastDataTime.map { $0.seconds(since: now) < 60 } == true)
        // WHEN everything is lost THEN there is no rate, and all sources say why
        receiver.setAll(.lost, "gone")
        #expect(board.statuses.allSatisfy { $0.state == .lost && $0.explanation == "gone" && $0.rateHertz == nil })
    }

    @Test(arguments: [
        (0, "ended with 0"), (256, "ended with 256"), (257, "was ended by signal 1"), (-1, "could not be started"),
    ])
    func anEndIsNamed(code: Int, text: String) { #expect(RemoteReceiver.end(code) == text) }

    @Test func textsAreCutAt4000Bytes() {
        // GIVEN explanations of 4000 bytes and of one more THEN the last byte of the longer one is left out
        for count in [4000, 4001] {
            var status = SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))
            status.explanation = String(repeating: "x", count: count)
            let bytes = RemotePacket.bytes(RemoteStatus(status))
            guard case .status(let read) = bytes.withUnsafeBytes({ RemotePacket($0) }) else {
                Issue.record("no status")
                return
            }
            #expect(read.explanation.utf8.count == 4000)
        }
        #expect(RemotePacket.sources == [.imu, .magnetometer, .barometer])
    }

    @Test func aPacketOfAnotherLengthIsNone() throws {
        // GIVEN a measurement with a byte less or more, a state of a source that IIO has not, and an unknown kind
        let sample = PressureSample(time: MonotonicTime(nanoseconds: 1), pressurePascal: 1)
        let words = try #require(RemotePacket.words(.pressure(sample)))
        let whole = withUnsafeBytes(of: words) { Array($0) }
        for bytes in [Array(whole.dropLast()), whole + [0], []] {
            #expect(bytes.withUnsafeBytes { RemotePacket($0) } == nil)
        }
        let time = MonotonicTime(nanoseconds: 0)
        for source in [SensorKind.gps, .wheels] {
            let words = RemotePacket.words(SourceReport(time: time, source: source, state: .lost))
            #expect(withUnsafeBytes(of: words) { RemotePacket($0) } == nil)
        }
        for kind in [UInt64(0), 7, .max] {
            var other = words
            other[0] = kind
            #expect(withUnsafeBytes(of: other) { RemotePacket($0) } == nil)
        }
    }
}
