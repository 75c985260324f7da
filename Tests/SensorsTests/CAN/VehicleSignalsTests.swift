import Measurements
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// Wheel speeds of the signals in frames, and the speed by OBD-II.
@Suite struct VehicleSignalsTests {
    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + Int64(milliseconds * 1e6))
    }

    private func take(
        _ signals: inout VehicleSignals, _ id: UInt32, _ data: [UInt8], _ milliseconds: Double
    ) -> WheelSpeedSample? {
        data.withUnsafeBytes { signals.take(id: id, $0, time: at(milliseconds)) }
    }

    @Test func oneSpeedIsInMetersPerSecond() throws {
        // GIVEN a speed in 0.01 km/h; WHEN its frame and another one come; THEN the speed is that in m/s at the frame's
        // time, and the other frame and a value that is none give nothing.
        var settings = CANSettings()
        settings.speed = try CANSignal(#"0x1A0 16|16@1+ (0.01,0) [0|300] "km/h" na=0xFFFF"#)
        var signals = VehicleSignals(settings)
        #expect(signals.filters == [CANFilter(id: 0x1A0)])
        // 5000 = 0x1388: 50 km/h.
        let sample = try #require(take(&signals, 0x1A0, [0, 0, 0x88, 0x13, 0, 0, 0, 0], 1))
        #expect(abs(sample.speedMetersPerSecond - 50 / 3.6) < 1e-12 && sample.time == at(1))
        #expect(take(&signals, 0x1A1, [0, 0, 0x88, 0x13, 0, 0, 0, 0], 2) == nil)
        #expect(take(&signals, 0x8000_01A0, [0, 0, 0x88, 0x13, 0, 0, 0, 0], 2) == nil)
        #expect(take(&signals, 0x1A0, [0, 0, 0xFF, 0xFF, 0, 0, 0, 0], 3) == nil)
        #expect(take(&signals, 0x1A0, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0], 3) == nil)
        #expect(take(&signals, 0x1A0, [0, 0, 0xFE], 3) == nil)
        #expect(signals.counts[.notAvailable] == 1 && signals.counts[.outOfRange] == 1)
        #expect(signals.counts[.shortFrame] == 1)
    }

    @Test func theMeanOfTheWheelsNeedsEachOfThem() throws {
        // GIVEN the rear wheels in two frames; WHEN they come 10 ms apart, one alone, and 0.2 s apart; THEN only the
        // first give a speed: their mean at the mean of their times.
        var settings = CANSettings()
        settings.rearLeft = try CANSignal(#"0x200 0|16@1+ (0.01,0) "m/s""#)
        settings.rearRight = try CANSignal(#"0x201 0|16@1+ (0.01,0) "m/s""#)
        var signals = VehicleSignals(settings)
        #expect(take(&signals, 0x200, [0xE8, 0x03], 0) == nil)
        let sample = try #require(take(&signals, 0x201, [0x4C, 0x04], 10))
        #expect(abs(sample.speedMetersPerSecond - 10.5) < 1e-12 && sample.time == at(5))
        #expect(take(&signals, 0x200, [0xE8, 0x03], 20) == nil)
        #expect(take(&signals, 0x200, [0xE8, 0x03], 40) == nil)
        #expect(take(&signals, 0x201, [0x4C, 0x04], 240) == nil)
        #expect(signals.counts[.wheelsApart] == 2)
        // WHEN both are in one frame; THEN each frame gives a speed.
        settings.rearRight = try CANSignal(#"0x200 16|16@1+ (0.01,0) "m/s""#)
        signals = VehicleSignals(settings)
        for k in 0..<3 {
            #expect(take(&signals, 0x200, [0xE8, 0x03, 0x4C, 0x04], Double(k))?.speedMetersPerSecond == 10.5)
        }
    }

    @Test func reverseGivesTheSpeedItsSign() throws {
        // GIVEN a gear whose value 13 means backwards; WHEN it is 13, then 1, then unknown for more than 3 s; THEN only
        // the speed at 13 is negative.
        var settings = CANSettings()
        settings.speed = try CANSignal(#"0x1A0 0|8@1+ "m/s""#)
        settings.reverse = try CANSignal("0x1F5 24|4@1+")
        settings.reverseValue = 13
        var signals = VehicleSignals(settings)
        #expect(take(&signals, 0x1A0, [5], 0)?.speedMetersPerSecond == 5)
        #expect(take(&signals, 0x1F5, [0, 0, 0, 13], 1) == nil)
        #expect(take(&signals, 0x1A0, [5], 2)?.speedMetersPerSecond == -5)
        #expect(take(&signals, 0x1A0, [5], 3500)?.speedMetersPerSecond == 5)
        _ = take(&signals, 0x1F5, [0, 0, 0, 13], 3600)
        _ = take(&signals, 0x1F5, [0, 0, 0, 1], 3700)
        #expect(take(&signals, 0x1A0, [5], 3701)?.speedMetersPerSecond == 5)
    }

    @Test func otherSignalsAreShown() throws {
        var settings = CANSettings()
        settings.speed = try CANSignal(#"0x1A0 0|8@1+ "m/s""#)
        settings.steeringAngle = try CANSignal(#"0x25 7|12@0- (1.5,0) "deg""#)
        settings.turnLeft = try CANSignal("0x614 29|1@1+")
        var signals = VehicleSignals(settings)
        _ = take(&signals, 0x25, [0xFF, 0xF0, 0, 0, 0, 0, 0, 0], 0)
        _ = take(&signals, 0x614, [0, 0, 0, 0x20, 0, 0, 0, 0], 0)
        #expect(signals.steeringAngle == -1.5 && signals.turnSignals == (true, nil))
    }

    @Test func theSpeedByDiagnosticsIsAskedForAndRead() throws {
        // GIVEN OBD-II at 10 Hz; WHEN asked each 10 ms and answered after 30 ms; THEN ten requests a second are sent,
        // and 0x32 is 50 km/h.
        var speed = try #require(DiagnosticSpeed(.standard, rateHertz: 10))
        var sent = 0
        for k in 0..<100 {
            let now = at(Double(k) * 10)
            if speed.isDue(now).send { sent += 1 }
            guard k % 10 == 3 else { continue }
            let answer = [UInt8](arrayLiteral: 0x03, 0x41, 0x0D, 0x32, 0, 0, 0, 0).withUnsafeBytes {
                speed.read(id: 0x7E8, $0, time: now)
            }
            #expect(answer == .speed(50 / 3.6))
        }
        #expect(sent == 10 && speed.requestID == 0x7DF)
        #expect((0..<8).map { DiagnosticSpeed.request[$0] } == [2, 1, 0x0D, 0, 0, 0, 0, 0])
        #expect(DiagnosticSpeed(.extended, rateHertz: 10)?.requestID == 0x98DB_33F1)
        #expect(DiagnosticSpeed(.off, rateHertz: 10) == nil)
    }

    @Test func answersThatAreNoneAreToldApart() throws {
        // GIVEN requests; WHEN no answer comes; THEN the next one waits for 0.25 s and the silence is counted. Other
        // services, other identifiers, longer messages and a second control unit are not taken.
        var speed = try #require(DiagnosticSpeed(.standard, rateHertz: 50))
        #expect(speed.isDue(at(0)) == (true, false))
        #expect(speed.isDue(at(200)) == (false, false))
        #expect(speed.isDue(at(250)) == (true, true) && speed.unanswered == 1)
        func read(_ id: UInt32, _ data: [UInt8], _ time: Double) -> DiagnosticSpeed.Answer {
            data.withUnsafeBytes { speed.read(id: id, $0, time: at(time)) }
        }
        #expect(read(0x7E8, [0x03, 0x41, 0x0C, 0x32], 260) == .other)
        #expect(read(0x7E8, [0x10, 0x41, 0x0D, 0x32], 260) == .other)
        #expect(read(0x7E8, [0x03, 0x41, 0x0D], 260) == .other)
        #expect(read(0x7F0, [0x03, 0x41, 0x0D, 0x32], 260) == .other)
        #expect(read(0x8000_07E8, [0x03, 0x41, 0x0D, 0x32], 260) == .other)
        #expect(read(0x7E8, [0x03, 0x7F, 0x01, 0x12], 260) == .refused)
        #expect(read(0x7E9, [0x03, 0x41, 0x0D, 0x00], 270) == .speed(0))
        #expect(read(0x7E8, [0x03, 0x41, 0x0D, 0x32], 271) == .other)
        #expect(read(0x7E8, [0x03, 0x41, 0x0D, 0x32], 3000) == .speed(50 / 3.6))
    }
}
