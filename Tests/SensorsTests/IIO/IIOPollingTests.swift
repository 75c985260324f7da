import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// Single readings of a machine that gives texts and errors by a script.
@Suite struct IIOPollingTests {
    private let board = SourceStatusBoard()
    private static let title = "IIO device 'part' (iio:device0)"

    private static func axes(_ quantity: String, _ texts: [String], scale: String) -> [ScriptedIIOD.Channel] {
        ["x", "y", "z"].map {
            .init(id: "\(quantity)_\($0)", attributes: ["raw": texts, "scale": [scale], "offset": ["1"]])
        }
    }

    /// Polls a machine until it fails or is stopped. Returns how it ended.
    private func poll(
        _ machine: ScriptedIIOD, _ roles: IIORoles, _ settings: IIOSettings, _ sink: OrderedSink,
        because reason: String? = nil, signal: StopSignal = StopSignal()
    ) throws -> IIODeviceWorker.Outcome {
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let device = try #require(IIOLibrary.devices(context).first)
        let polling = try IIOPolling(
            context: context,
            assignment: .init(
                device: IIODevice(handle: device, withAttributes: false), roles: roles, isBuffered: false),
            settings: settings)
        polling.bufferProblem = reason
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        return polling.run(output, signal, Self.title)
    }

    /// A machine with every sensor, each with a text for three rounds.
    private static var machine: ScriptedIIOD {
        let air = ScriptedIIOD.Channel(id: "pressure", attributes: ["input": ["101.25", "101.5", "102"]])
        let temperature = ScriptedIIOD.Channel(
            id: "temp", attributes: ["raw": ["24"], "scale": ["500"], "offset": ["-3"]])
        return ScriptedIIOD([
            .init(
                channels: axes("anglvel", ["1", "2", "3"], scale: "0.25")
                    + axes("accel", ["4", "5", "6"], scale: "0.123")
                    + axes("magn", ["1.5", "2.5", "3.5"], scale: "0.5")
                    + [air, temperature])
        ])
    }

    private static func values(_ event: SensorEvent) -> [Vector3] {
        switch event {
        case .magnetic(let sample): [sample.fluxDensityTesla]
        case .pressure(let sample): [Vector3(sample.pressurePascal, 0, 0)]
        case .inertial(let sample): [sample.angularRateRadiansPerSecond, sample.specificForceMetersPerSecondSquared]
        default: []
        }
    }

    @Test(arguments: [nil, "its buffer cannot be used"]) func everySensorIsReadOnceInARound(reason: String?) throws {
        // GIVEN a device with every sensor, polled as fast as that is allowed WHEN two rounds have been read
        let machine = Self.machine
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.gyro.rateHertz, settings.accelerometer.rateHertz) = (8000, 1)
        let signal = StopSignal()
        let sink = OrderedSink { if $0 == 6 { signal.raise() } }
        let outcome = try poll(
            machine, [.inertial, .magnetometer, .barometer], settings, sink, because: reason, signal: signal)
        // THEN each has given two measurements, with the offset of the driver, but not where it converts itself
        #expect(outcome.explanation == "stopped" && outcome.hadData && !outcome.isSilentBuffer)
        let values = sink.events.map(Self.values)
        func same(_ value: Double) -> Vector3 { Vector3(value, value, value) }
        func round(_ field: Double, _ pressure: Double, _ rate: Double, _ force: Double) -> [[Vector3]] {
            [[same(field * (1e-4 * 0.5))], [Vector3(pressure, 0, 0)], [same(rate), same(force * 0.123)]]
        }
        #expect(values == round(2.5, 101_250, 0.5, 5) + round(3.5, 101_500, 0.75, 6), "\(values)")
        let times = sink.events.map(\.validityTime)
        try #require(times.count == 6)
        #expect(times[0] < times[1] && times[2] < times[0] && times[1] < times[5] && times[5] < times[3])
        // AND the status tells the counts, and why single readings are used
        for kind in [SensorKind.imu, .magnetometer, .barometer] {
            let status = try #require(board.statuses.first { $0.description.kind == kind })
            #expect(status.acceptedCount == 2 && status.state == .streaming && status.celsius == 10.5)
            let why = reason ?? "the device has no buffer"
            #expect(status.explanation == "\(Self.title); single readings, because \(why)")
            let remedy = "connect a trigger to the device, and restart posed"
            #expect(status.degradation == reason.map { "by single readings at 100 Hz, because \($0); \(remedy)" })
            #expect(status.lastDataTime.map { $0 > times[5] } == true && status.rejections.isEmpty)
        }
    }

    @Test(
        arguments: [
            (
                ["101", "!5", "!5", "!5", "!5", "102", "!5", "!5", "!5", "!5", "!11"], 2,
                "Resource temporarily unavailable"
            ),
            (["101", "!19"], 1, "No such device, ENODEV"), (["!5", "!19"], 0, "No such device, ENODEV"),
            (["101", "x", "1 2", "", "y", "z"], 1, "Invalid argument, EINVAL"),
        ] as [([String], Int, String)])
    func fiveFailuresInARowEndIt(texts: [String], count: Int, text: String) throws {
        // GIVEN a barometer whose readings fail at times WHEN they fail five times in a row, or it is gone THEN its
        // last error is told
        let machine = ScriptedIIOD([.init(channels: [.init(id: "pressure", attributes: ["input": texts])])])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.barometer.rateHertz = 100
        let sink = OrderedSink()
        let outcome = try poll(machine, .barometer, settings, sink)
        #expect(outcome.explanation == "\(Self.title) can no longer be read (\(text))" && !outcome.hadData)
        #expect(sink.events.count == count)
        let status = try #require(board.statuses.first { $0.description.kind == .barometer })
        #expect(status.state == (texts[0] == "101" ? .streaming : .waiting))
        #expect(status.acceptedCount == UInt64(count) && status.rateHertz == nil)
    }

    @Test func aReadingThatIsRefusedIsNoData() throws {
        // GIVEN a barometer of 500 kPa WHEN it is polled THEN nothing is sent, and it is not said to stream
        let machine = ScriptedIIOD([
            .init(channels: [.init(id: "pressure", attributes: ["input": ["500", "500", "!19"]])])
        ])
        defer { machine.end() }
        let sink = OrderedSink()
        let outcome = try poll(machine, .barometer, IIOSettings(), sink)
        #expect(!outcome.hadData && sink.events.isEmpty)
        let status = try #require(board.statuses.first { $0.description.kind == .barometer })
        #expect(status.state == .waiting && status.acceptedCount == 0 && status.lastDataTime == nil)
        #expect(status.rejections == [.init(reason: "out_of_range", count: 2)])
        #expect(
            status.explanation == "\(Self.title): the device has no buffer; single readings are used")
    }

    @Test(
        arguments: [
            (1.0, 0, 0, 1000), (1, 1000, 0, 2000), (1, 999, 0, 1000), (1, 3500, 2, 4000), (1, 3000, 2, 4000),
            (0.0001, 0, 0, 1_000_000), (0.001, 0, 0, 1_000_000), (5000, 0, 0, 1),
        ] as [(Double, Int64, UInt64, Int64)])
    func theNextTimeIsTheFirstOneAfterNow(rate: Double, now: Int64, missed: UInt64, next: Int64) {
        // GIVEN a grid from zero on, in milliseconds WHEN a reading ends THEN the next time is after it
        var deadlines = PollingDeadlines(rateHertz: rate, start: MonotonicTime(nanoseconds: 0))
        deadlines.advance(now: MonotonicTime(nanoseconds: now * 1_000_000))
        #expect(deadlines.next == MonotonicTime(nanoseconds: next * 1_000_000))
        #expect(deadlines.missed == (now >= 1000 ? missed + 1 : 0) || rate != 1)
    }

    // MARK: - One sensor of several

    /// A machine with an IMU and a magnetometer that give these texts for ever.
    private static func imu(accel: [String], magn: [String]) -> ScriptedIIOD {
        ScriptedIIOD([
            .init(
                channels: axes("anglvel", ["1"], scale: "0.25") + axes("accel", accel, scale: "0.123")
                    + axes("magn", magn, scale: "0.5"))
        ])
    }

    private func status(_ kind: SensorKind) throws -> SourceStatus {
        try #require(board.statuses.first { $0.description.kind == kind })
    }

    @Test func aMagnetometerThatFailsLeavesTheIMUAlone() throws {
        // GIVEN a device whose magnetometer cannot be read WHEN it is polled THEN its IMU delivers, and the status of
        // the magnetometer tells its error
        let machine = Self.imu(accel: ["4"], magn: ["!5"])
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.stuckSampleLimit, settings.staleAfterSeconds) = (0, 0.02)
        let signal = StopSignal()
        let sink = OrderedSink { if $0 == 20 { signal.raise() } }
        let outcome = try poll(machine, [.inertial, .magnetometer], settings, sink, signal: signal)
        #expect(outcome.explanation == "stopped")
        #expect(sink.events.count == 20 && sink.events.allSatisfy { if case .inertial = $0 { true } else { false } })
        #expect(try status(.imu).state == .streaming && status(.imu).acceptedCount == 20)
        let field = try status(.magnetometer)
        #expect(field.state == .stale && field.acceptedCount == 0 && field.lastDataTime == nil)
        let reason = "\(Self.title): its magnetometer cannot be read (Input/output error, EIO)"
        #expect(field.explanation == reason, "\(field.explanation)")
    }

    @Test(arguments: [(4, SourceState.waiting), (5, .stale)])
    func aSensorIsStaleAfterFiveRoundsWithoutAReading(rounds: Int, state: SourceState) throws {
        // GIVEN a device whose magnetometer cannot be read, at 100 Hz, so that both numbers of rounds take longer than
        // the time of the settings WHEN so many rounds were read THEN the fifth one makes it stale
        let machine = Self.imu(accel: ["4"], magn: ["!5"])
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.stuckSampleLimit, settings.staleAfterSeconds) = (0, 0.02)
        let signal = StopSignal()
        let sink = OrderedSink { if $0 == rounds { signal.raise() } }
        let outcome = try poll(machine, [.inertial, .magnetometer], settings, sink, signal: signal)
        #expect(outcome.explanation == "stopped" && sink.events.count == rounds)
        #expect(try status(.magnetometer).state == state)
    }

    @Test func aSensorWithoutReadingsHasNoRate() throws {
        // GIVEN a device at 100 Hz whose magnetometer cannot be read WHEN it has delivered for more than a second, and
        // then fails THEN the IMU had the rate of its samples, and the magnetometer none; and data came for long enough
        let machine = Self.imu(accel: (0..<130).map { "\($0)" } + ["!19"], magn: ["!5"])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.stuckSampleLimit = 0
        let rates = Mutex<[Double?]>([])
        let board = board
        let sink = OrderedSink { number in
            guard number == 130 else { return }
            let statuses = board.statuses
            let told = [SensorKind.imu, .magnetometer].map { kind in
                statuses.first { $0.description.kind == kind }?.rateHertz
            }
            rates.withLock { $0 = told }
        }
        let outcome = try poll(machine, [.inertial, .magnetometer], settings, sink)
        let found = rates.withLock { $0 }
        try #require(found.count == 2 && sink.events.count == 130)
        // A busy machine leaves readings out, or makes some of them up: a tenth is allowed.
        #expect(found[0].map { $0 > 0 && $0 < 110 } == true && found[1] == nil, "\(found)")
        #expect(outcome.hadData && outcome.explanation.hasSuffix("(No such device, ENODEV)"))
    }

    @Test func aRoundBeginsAtItsDeadline() throws {
        // GIVEN a device that is read a hundred times per second WHEN fifty rounds were read THEN the least time from
        // one to the next is about that of the rate, 10 ms; a busy machine may delay the others
        let machine = Self.imu(accel: ["4"], magn: ["1"])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.stuckSampleLimit = 0
        let signal = StopSignal()
        let sink = OrderedSink { if $0 == 50 { signal.raise() } }
        _ = try poll(machine, .inertial, settings, sink, signal: signal)
        let times = sink.events.map(\.validityTime.nanoseconds)
        let least = try #require(zip(times.dropFirst(), times).map { $0 - $1 }.min())
        #expect(times.count == 50 && least < 15_000_000, "\(least) ns")
    }

    @Test func anIMUWithoutItsAccelerometerIsOpenedAgain() throws {
        // GIVEN a device whose accelerometer fails after two rounds THEN the gyro alone is no data
        let machine = Self.imu(accel: ["4", "5", "!5"], magn: ["1"])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.stuckSampleLimit = 0
        let outcome = try poll(machine, [.inertial, .magnetometer], settings, OrderedSink())
        #expect(outcome.explanation == "\(Self.title) can no longer be read (Input/output error, EIO)")
        #expect(try status(.imu).acceptedCount >= 2 && status(.magnetometer).acceptedCount >= 7)
    }

    @Test func aDeviceThatRepeatsItsReadingsIsOpenedAgain() throws {
        // GIVEN an IMU whose readings stay the same WHEN they are refused from the twentieth on THEN it is stale, its
        // refusals are counted, and it is opened again
        let machine = Self.imu(accel: ["4"], magn: ["1"])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.stuckSampleLimit = 20
        (settings.staleAfterSeconds, settings.reopenAfterSeconds) = (0.02, 0.05)
        let sink = OrderedSink()
        let outcome = try poll(machine, .inertial, settings, sink)
        #expect(outcome.explanation == "\(Self.title) repeats the same gyro reading" && sink.events.count == 19)
        let imu = try status(.imu)
        #expect(imu.state == .stale && imu.explanation == outcome.explanation && imu.acceptedCount == 19)
        #expect(imu.rejections.map(\.reason) == ["stuck"] && imu.rejections.allSatisfy { $0.count >= 20 })
    }

    @Test func theRateOfTheChipIsSet() throws {
        // GIVEN a barometer that measures once per second WHEN it is to be read at 25 Hz THEN it measures at that rate
        let machine = ScriptedIIOD([
            .init(channels: [
                .init(id: "pressure", attributes: ["input": ["101", "!19"], "sampling_frequency": ["1"]])
            ])
        ])
        defer { machine.end() }
        _ = try poll(machine, .barometer, IIOSettings(), OrderedSink())
        #expect(machine.written.contains("iio:device0 INPUT pressure sampling_frequency = 25"), "\(machine.written)")
    }

    @Test(
        arguments: [(19, true, 9.5), (20, true, 10), (21, true, 21), (21, false, 10.5)] as [(Int64, Bool, Double)])
    func aReadThatWaitedHasTheTimeOfItsEnd(milliseconds: Int64, isLocal: Bool, expected: Double) {
        // GIVEN a read of that length, of this machine or of another one, which is slow by the network
        let start = MonotonicTime(nanoseconds: 7_000_000)
        let end = MonotonicTime(nanoseconds: 7_000_000 + milliseconds * 1_000_000)
        let time = IIOPolling.time(start: start, end: end, isLocal: isLocal)
        #expect(time.nanoseconds == 7_000_000 + Int64(expected * 1e6))
    }

    // MARK: - The thread of a device

    @Test func theThreadTellsItsAttemptAndItsTimeLimit() throws {
        // GIVEN a slow barometer of another machine whose readings fail WHEN the thread of its device runs, the second
        // time THEN it tells so, and a request may last four periods, or longer by
        // the settings; libiio tells the machine half of it
        for (rate, limit, timeout) in [(0.5, 1.0, 4000), (100, 3, 1500), (2, 2, 1000)] {
            let machine = ScriptedIIOD([
                .init(channels: [.init(id: "pressure", attributes: ["input": ["!19"]])])
            ])
            defer { machine.end() }
            var settings = IIOSettings()
            (settings.contextURI, settings.barometer.rateHertz) = (machine.uri, rate)
            settings.contextTimeoutSeconds = limit
            let (board, sink) = (SourceStatusBoard(), OrderedSink())
            let output = IIOOutput(settings: settings, sink: sink, board: board)
            let channel = IIOChannel(id: "pressure", kind: .barometer, axis: nil, isBuffered: false)
            let device = IIODevice(id: "iio:device0", name: "part", serial: "7", channels: [channel])
            let worker = IIODeviceWorker(
                assignment: .init(device: device, roles: .barometer, isBuffered: false), settings: settings,
                output: output, signal: StopSignal(), attempt: 2)
            worker.run()
            let reason = "\(Self.title.dropLast()), serial 7) can no longer be read (No such device, ENODEV)"
            #expect(worker.outcome?.explanation == reason && board.statuses[2].explanation == reason)
            #expect(board.statuses[2].device == "part 7" && board.statuses[2].state == .lost)
            #expect(machine.written.contains("timeout = \(timeout)"), "\(machine.written)")
        }
    }

    @Test func singleReadingsInPlaceOfABufferHaveTheTimeLimitToo() throws {
        // GIVEN a slow barometer of another machine whose buffer is refused, and whose single readings fail
        let air = ScriptedIIOD.Channel(
            id: "pressure", format: "le:u32/32>>0", attributes: ["raw": ["!19"], "scale": ["0.001"]])
        let machine = ScriptedIIOD([.init(channels: [air], openError: EINVAL)])
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.contextURI, settings.barometer.rateHertz, settings.matchesFilters) = (machine.uri, 0.5, false)
        let output = IIOOutput(settings: settings, sink: OrderedSink(), board: board)
        let channel = IIOChannel(id: "pressure", kind: .barometer, axis: nil, isBuffered: true)
        let worker = IIODeviceWorker(
            assignment: .init(
                device: IIODevice(id: "iio:device0", name: "part", channels: [channel]), roles: .barometer,
                isBuffered: true), settings: settings, output: output, signal: StopSignal(), attempt: 1)
        // WHEN the thread of its device runs THEN the readings are tried, with four periods for a request; libiio tells
        // the machine half of it
        worker.run()
        #expect(worker.outcome?.explanation == "\(Self.title) can no longer be read (No such device, ENODEV)")
        #expect(machine.written.last { $0.hasPrefix("timeout") } == "timeout = 4000", "\(machine.written)")
    }
}
