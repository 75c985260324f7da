import Glibc
import Measurements
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// Limits, names and faults of the vehicle bus.
@Suite struct CANLimitTests {
    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + Int64((milliseconds * 1e6).rounded()))
    }

    private func take(
        _ signals: inout VehicleSignals, _ id: UInt32, _ data: [UInt8], _ milliseconds: Double
    ) -> WheelSpeedSample? {
        data.withUnsafeBytes { signals.take(id: id, $0, time: at(milliseconds)) }
    }

    @Test func theSpeedIsAtMost150MetersPerSecond() throws {
        // GIVEN a signed speed without a unit THEN it is in m/s, and counted beyond 150 m/s in both directions
        var settings = CANSettings()
        settings.speed = try CANSignal("0x1A0 0|16@1- (0.01,0)")
        var signals = VehicleSignals(settings)
        for (raw, speed) in [(15_000, 150.0), (15_001, nil), (-15_000, -150), (-15_001, nil)] as [(Int16, Double?)] {
            let bits = UInt16(bitPattern: raw)
            let data = [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8), 0, 0, 0, 0, 0, 0]
            #expect(take(&signals, 0x1A0, data, 0)?.speedMetersPerSecond == speed)
        }
        #expect(signals.counts[.outOfRange] == 2)
        #expect(signals.take(speed: 150, time: at(0)) != nil && signals.take(speed: .nan, time: at(0)) == nil)
    }

    @Test func anyValueButZeroMeansBackwardsForThreeSeconds() throws {
        // GIVEN a switch for backwards, and a speed that has a sign of its own
        var settings = CANSettings()
        settings.speed = try CANSignal("0x1A0 0|8@1- \"m/s\"")
        settings.reverse = try CANSignal("0x1F5 0|8@1+")
        var signals = VehicleSignals(settings)
        _ = take(&signals, 0x1F5, [2], 0)
        #expect(take(&signals, 0x1A0, [5], 3000)?.speedMetersPerSecond == -5)
        #expect(take(&signals, 0x1A0, [0xFB], 3000)?.speedMetersPerSecond == -5)
        #expect(take(&signals, 0x1A0, [5], 3000.001)?.speedMetersPerSecond == 5)
        _ = take(&signals, 0x1F5, [0], 4000)
        #expect(take(&signals, 0x1A0, [5], 4001)?.speedMetersPerSecond == 5)
        // THEN both frames are asked for, each once
        #expect(signals.filters == [CANFilter(id: 0x1F5), CANFilter(id: 0x1A0)])
        #expect(signals.frameNames == ["0x1F5", "0x1A0"])
    }

    @Test(arguments: [(100.0, true), (100.001, false)])
    func fourWheelsAreWithinATenthOfASecond(milliseconds: Double, isTaken: Bool) throws {
        // GIVEN four wheels of 10, 20, 30 and 40 km/h in frames of their own, the first one early
        var settings = CANSettings()
        settings.wheels = .all
        func wheel(_ id: String) throws -> CANSignal { try CANSignal("\(id) 0|8@1+ \"km/h\"") }
        (settings.frontLeft, settings.frontRight) = (try wheel("0x1"), try wheel("0x2"))
        (settings.rearLeft, settings.rearRight) = (try wheel("0x3"), try wheel("0x4"))
        var signals = VehicleSignals(settings)
        #expect(take(&signals, 1, [10], 0) == nil && take(&signals, 2, [20], milliseconds) == nil)
        #expect(take(&signals, 3, [30], milliseconds) == nil)
        let sample = take(&signals, 4, [40], milliseconds)
        // THEN the mean of speed and time is taken if they are within 0.1 s
        #expect((sample != nil) == isTaken && signals.counts[.wheelsApart] == (isTaken ? 0 : 1))
        guard let sample else { return }
        #expect(abs(sample.speedMetersPerSecond - 25 / 3.6) < 1e-12 && sample.time == at(75))
    }

    @Test func turnSignalsAndSteeringAreShown() throws {
        var settings = CANSettings()
        settings.speed = try CANSignal("0x1 0|8@1+ \"m/s\"")
        settings.turnLeft = try CANSignal("0x2 0|1@1+")
        settings.turnRight = try CANSignal("0x2 1|1@1+")
        var signals = VehicleSignals(settings)
        #expect(signals.turnSignals == (nil, nil) && signals.steeringAngle == nil)
        _ = take(&signals, 2, [2], 0)
        #expect(signals.turnSignals == (false, true))
        _ = take(&signals, 2, [1], 0)
        #expect(signals.turnSignals == (true, false) && signals.frameNames == ["0x1", "0x2"])
        // With OBD-II, or a speed, the wheels are not read.
        settings.rearLeft = try CANSignal("0x9 0|8@1+ \"m/s\"")
        #expect(!VehicleSignals(settings).frameNames.contains("0x9"))
        (settings.speed, settings.diagnostics) = (nil, .extended)
        #expect(!VehicleSignals(settings).frameNames.contains("0x9"))
        settings.diagnostics = .off
        #expect(VehicleSignals(settings).frameNames == ["0x2", "0x9"])
    }

    @Test func everyReasonHasItsOwnCount() {
        var counts = CANCounts()
        for (number, reason) in CANRejection.allCases.enumerated() { counts.add(reason, UInt64(number) + 1) }
        for (number, refusal) in TimeStampRefusal.allCases.enumerated() { counts.add(refusal, UInt64(number) + 11) }
        counts.add(.malformed)
        #expect(
            counts.named.map(\.reason)
                == CANRejection.allCases.map(\.rawValue) + TimeStampRefusal.allCases.map(\.rawValue))
        #expect(counts.named.map(\.count) == [2, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13])
        #expect(CANRejection.allCases.map { counts[$0] } == [2, 2, 3, 4, 5, 6, 7, 8] && CANCounts().named.isEmpty)
    }

    @Test func filtersLetTheirFramesPass() throws {
        // GIVEN the filter of an identifier THEN neither its other form nor a request for data passes
        let one = CANFilter(id: 0x1A0)
        #expect([0x1A0, 0x1A1, 0x8000_01A0, 0x4000_01A0].map { one.passes($0) } == [true, false, false, false])
        // GIVEN the responses of OBD-II
        let standard = try #require(CANFilter.responses(.standard))
        #expect(
            [0x7E7, 0x7E8, 0x7EF, 0x7F0, 0x8000_07E8].map { standard.passes($0) } == [false, true, true, false, false])
        let extended = try #require(CANFilter.responses(.extended))
        #expect(
            [0x98DA_F0FF, 0x98DA_F100, 0x98DA_F1FF, 0x98DA_F200, 0x18DA_F100].map { extended.passes($0) }
                == [false, true, true, false, false])
        #expect(CANFilter.responses(.off) == nil)
    }

    @Test(
        arguments: [
            (0x2000_0040, [0, 0], .off), (0x2000_0140, [0, 0], .off), (0x2000_0100, [0, 0], .active),
            (0x2000_0004, [0, 0x10], .passive), (0x2000_0004, [0, 0x20], .passive), (0x2000_0004, [0, 0x0C], .active),
            (0x2000_0004, [0], nil), (0x2000_0008, [0, 0x30], nil),
        ] as [(UInt32, [UInt8], CANBusState?)])
    func anErrorFrameTellsTheStateOfTheBus(id: UInt32, data: [UInt8], state: CANBusState?) {
        #expect(data.withUnsafeBytes { CANBusState(error: id, data: $0) } == state)
    }

    @Test(
        arguments: [
            (0x2000_0004, [0, 0x01], true), (0x2000_0004, [0, 0x31], true), (0x2000_0004, [0, 0xFE], false),
            (0x2000_0004, [0], false), (0x2000_0040, [0, 0x01], false),
        ] as [(UInt32, [UInt8], Bool)])
    func anErrorFrameTellsThatTheControllerLostAFrame(id: UInt32, data: [UInt8], isLost: Bool) {
        #expect(data.withUnsafeBytes { CANBusState.isOverflow(error: id, data: $0) } == isLost)
    }

    @Test func faultsSayWhatToDo() {
        // The steps of `posed_can_open`.
        let (socket, interface, bind): (Int32, Int32, Int32) = (0, 1, 2)
        let noCAN =
            "this process may not use CAN: load the module can, and install the drop-in can.conf beside the unit "
            + "posed.service (docs/can.md)"
        let cases: [(CANFault, String, Bool)] = [
            (CANFault(opening: "c", failed: socket, code: EAFNOSUPPORT), noCAN, false),
            (CANFault(opening: "c", failed: socket, code: EPERM), noCAN, false),
            (
                CANFault(opening: "c", failed: socket, code: EPROTONOSUPPORT),
                "the kernel has no raw CAN sockets: load the module can_raw", false
            ),
            (
                CANFault(opening: "c", failed: interface, code: ENODEV),
                "there is no network interface c: plug it in, load its driver, or correct can.interface", false
            ),
            (
                CANFault(opening: "c", failed: bind, code: ENODEV), "c is no CAN interface: correct can.interface", true
            ),
            (
                CANFault(opening: "c", failed: bind, code: ENETDOWN),
                "c is down: ip link set c up type can bitrate 500000", true
            ),
            (CANFault(opening: "c", failed: bind, code: ENOMEM), "cannot open c: Cannot allocate memory", true),
            (CANFault(opening: "c", failed: socket, code: ENOMEM), "cannot open c: Cannot allocate memory", false),
            (CANFault(using: "c", code: ENETDOWN), "c is down: ip link set c up type can bitrate 500000", true),
            (CANFault(using: "c", code: ENODEV), "c was removed: plug it in again", false),
            (CANFault(using: "c", code: ENXIO), "c was removed: plug it in again", false),
            (CANFault(using: "c", code: EIO), "c can no longer be read: Input/output error", false),
        ]
        for (fault, explanation, isPresent) in cases {
            #expect(fault.explanation == explanation && fault.isPresent == isPresent)
        }
    }
}

/// Times and answers of OBD-II at their limits.
@Suite struct DiagnosticLimitTests {
    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + Int64((milliseconds * 1e6).rounded()))
    }

    private func read(
        _ speed: inout DiagnosticSpeed, _ id: UInt32, _ data: [UInt8], _ milliseconds: Double
    ) -> DiagnosticSpeed.Answer {
        data.withUnsafeBytes { speed.read(id: id, $0, time: at(milliseconds)) }
    }

    @Test func aRequestWaitsForItsAnswerAndItsTime() throws {
        // GIVEN 5 Hz WHEN the request is answered after 30 ms THEN the next is due after 200 ms
        var speed = try #require(DiagnosticSpeed(.standard, rateHertz: 5))
        #expect(speed.secondsToNext(at(0)) == 0)
        #expect(speed.isDue(at(0)) == (true, false))
        #expect(abs(speed.secondsToNext(at(10)) - 0.24) < 1e-9)
        #expect(read(&speed, 0x7E8, [3, 0x41, 0x0D, 36], 30) == .speed(10))
        #expect(abs(speed.secondsToNext(at(30)) - 0.17) < 1e-9)
        #expect(speed.isDue(at(199.9)) == (false, false) && speed.isDue(at(200)) == (true, false))
        // WHEN no answer comes THEN it counts as missing after 250 ms, and the next one is sent then
        #expect(speed.isDue(at(449.9)) == (false, false) && speed.unanswered == 0)
        #expect(abs(speed.secondsToNext(at(440)) - 0.01) < 1e-9)
        #expect(speed.isDue(at(450)) == (true, true) && speed.unanswered == 1)
        // WHEN the control unit refuses THEN nothing is waited for, and it is not taken for an answer
        #expect(read(&speed, 0x7E8, [3, 0x7F, 1, 0x12], 460) == .refused && speed.unanswered == 1)
        #expect(abs(speed.secondsToNext(at(460)) - 0.19) < 1e-9)
        #expect(speed.isDue(at(650)) == (true, false))
        #expect(read(&speed, 0x7E8, [7, 0x41, 0x0D, 0, 0, 0, 0, 0], 660) == .speed(0) && speed.unanswered == 0)
    }

    @Test(arguments: [(0.01, 10_000.0), (0.1, 10_000), (100, 10), (1000, 10)])
    func theRateIsWithinATenthAndAHundredPerSecond(hertz: Double, milliseconds: Double) throws {
        var speed = try #require(DiagnosticSpeed(.extended, rateHertz: hertz))
        _ = speed.isDue(at(0))
        _ = read(&speed, 0x98DA_F110, [3, 0x41, 0x0D, 0], 1)
        #expect(abs(speed.secondsToNext(at(0)) - milliseconds / 1000) < 1e-9)
    }

    @Test(
        arguments: [
            ([0x02, 0x41, 0x0D, 36], false), ([0x03, 0x41, 0x0D, 36], true), ([0x07, 0x41, 0x0D, 36], true),
            ([0x08, 0x41, 0x0D, 36], false), ([0x03, 0x41, 0x0D], false), ([0x03, 0x40, 0x0D, 36], false),
            ([0x03, 0x41, 0x0E, 36], false), ([0x03, 0x7F, 0x02, 0x12], false),
        ] as [([UInt8], Bool)])
    func onlyTheAnswerOfTheServiceIsTaken(data: [UInt8], isTaken: Bool) throws {
        var speed = try #require(DiagnosticSpeed(.standard, rateHertz: 10))
        #expect(read(&speed, 0x7E8, data, 0) == (isTaken ? .speed(10) : .other))
    }

    @Test func anotherControlUnitIsTakenAfterTwoSeconds() throws {
        var speed = try #require(DiagnosticSpeed(.standard, rateHertz: 10))
        let answer: [UInt8] = [3, 0x41, 0x0D, 36]
        #expect(read(&speed, 0x7E8, answer, 0) == .speed(10) && read(&speed, 0x7E9, answer, 1999.9) == .other)
        #expect(read(&speed, 0x7E9, answer, 2000) == .speed(10) && read(&speed, 0x7E8, answer, 2001) == .other)
    }
}
