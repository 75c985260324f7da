import Configuration
import Fusion
import SensorInterface
import Testing

@testable import Doctor

/// The limits of the checks of IMU, clock and receiver, on both sides, and the words that tell the numbers.
@Suite struct LimitTests {
    /// The findings of one fault after a change of a machine in order.
    private func findings(_ fault: Fault, _ change: (inout DoctorFacts) -> Void) -> [Finding] {
        var facts = Machine.healthy
        change(&facts)
        return DoctorReport(judging: facts).findings.filter { $0.fault == fault }
    }

    private func isFound(_ fault: Fault, _ change: (inout DoctorFacts) -> Void) -> Bool {
        !findings(fault, change).isEmpty
    }

    /// Quantity of the device: 0 the accelerometer, 1 the gyro, in the order of the roles.
    private func place(_ role: IMURole) -> Int { IMURole.allCases.firstIndex(of: role) ?? 0 }

    @Test(
        arguments: [
            (.accelerometer, .vehicle, 0.99 * 2 * 9.80665, "19.4 m/s2"),
            (.accelerometer, .wearable, 0.99 * 4 * 9.80665, "38.8 m/s2"),
            (.gyro, .vehicle, 99 * 0.017453292519943295, "99 deg/s"),
            (.gyro, .wearable, 495 * 0.017453292519943295, "495 deg/s"),
        ] as [(IMURole, MotionProfile, Double, String)])
    func aRangeIsWideEnoughFromItsLimitOn(role: IMURole, profile: MotionProfile, least: Double, words: String) {
        // GIVEN 12 bits, of which 2048 counts are above zero, at a scale just below and just above the limit THEN only
        // the first is too small, and the numbers are told
        for (factor, isSmall) in [(0.9999, true), (1.0001, false)] {
            let found = findings(.rangeSmall) { facts in
                facts.settings.loaded?.settings.engine.fusion.profile = profile
                // Neither of the two is too small but for the scale of one.
                for other in IMURole.allCases { facts.devices?[0].quantities[place(other)].scale?.text = "1" }
                facts.devices?[0].quantities[place(role)].bits = 12
                facts.devices?[0].quantities[place(role)].scale?.text = "\(least / 2048 * factor)"
            }
            #expect(found.count == (isSmall ? 1 : 0), "\(factor)")
            for finding in found {
                #expect(
                    finding.text.hasSuffix(
                        "the \(role.rawValue) measures up to \(words), and this profile needs \(words)"))
            }
        }
    }

    @Test func aScaleThatIsNoneIsTold() {
        // GIVEN scales that are none or beyond reason, and one in the settings THEN only the former are told
        for (text, isUnknown) in [("0", true), ("", true), ("-0.01", false), ("1e9", true), ("9e8", false)] {
            #expect(isFound(.rangeScale) { $0.devices?[0].quantities[0].scale?.text = text } == isUnknown, "\(text)")
        }
        #expect(
            !isFound(.rangeScale) { facts in
                facts.devices?[0].quantities[place(.accelerometer)].scale = nil
                facts.settings.loaded?.settings.imu.accelerometer.scaleOverride = -0.01
            })
        #expect(
            isFound(.rangeScale) { facts in
                facts.devices?[0].quantities[place(.accelerometer)].scale = nil
                facts.settings.loaded?.settings.imu.gyro.scaleOverride = 0.01
            })
    }

    @Test(arguments: [(1, "x"), (2, "x (and 1 more)"), (3, "x (and 2 more)")])
    func theMistakesAfterTheFirstAreCounted(count: Int, text: String) {
        // GIVEN settings with so many mistakes THEN the first is told, with the number of the others
        let found = findings(.settingsInvalid) { facts in
            facts.settings.mistake = ("x", count)
            facts.settings.mistakenLines = [5]
            facts.settings.loaded = nil
        }
        #expect(found.map(\.text) == [text])
    }

    @Test func aRateIsHighEnoughFrom50HertzOn() {
        // GIVEN rates at 50 Hz and below, in the settings and of the device THEN only the lower ones are told, each
        // with its key
        for (hertz, isLow) in [(50.0, false), (49.9, true)] {
            let gyro = findings(.rateLow) { $0.settings.loaded?.settings.imu.gyro.rateHertz = hertz }
            #expect(gyro.map(\.text) == (isLow ? ["imu.gyro_rate_hz is 49.9: vibration needs 50 Hz"] : []))
            let other = findings(.rateLow) { $0.settings.loaded?.settings.imu.accelerometer.rateHertz = hertz }
            #expect(other.map(\.text) == (isLow ? ["imu.accelerometer_rate_hz is 49.9: vibration needs 50 Hz"] : []))
            #expect(isFound(.rateDevice) { $0.devices?[0].quantities[0].rates = [12.5, hertz] } == isLow)
        }
        // GIVEN a rate that cannot be read THEN the command sets the lowest that is enough, or 100
        for (rates, chosen) in [([400.0, 50, 200, 25], "50"), ([25], "100"), ([], "100")] {
            let found = findings(.rateUnreadable) { facts in
                facts.devices?[0].quantities[0].rate = ("/r", "x")
                facts.devices?[0].quantities[0].rates = rates
            }
            #expect(found.map(\.remedy) == [.run("echo \(chosen) | sudo tee /r")], "\(rates)")
        }
        for (text, isUnreadable) in [("0", true), ("1000000", true), ("999999", false), ("1", false), ("-1", true)] {
            #expect(
                isFound(.rateUnreadable) { $0.devices?[0].quantities[0].rate = ("/r", text) } == isUnreadable, "\(text)"
            )
        }
    }

    @Test func aFilterEndsAtHalfOfTheRate() {
        // GIVEN a filter at 50 and above 50 Hz where the device has 100 Hz for the 90 that are wanted THEN only the
        // second folds vibration; the widest filter up to 50 Hz is set, or 50
        func found(_ cutOff: String, _ choices: [String], rates: [Double] = [50, 100, 200]) -> [Remedy] {
            findings(.rateFilter) { facts in
                facts.settings.loaded?.settings.imu.accelerometer.rateHertz = 90
                facts.devices?[0].quantities[place(.accelerometer)].rates = rates
                facts.devices?[0].quantities[place(.accelerometer)].lowPass = ("/f", cutOff)
                facts.devices?[0].quantities[place(.accelerometer)].lowPasses = choices
            }.map(\.remedy)
        }
        #expect(found("50", []) == [] && found("0", []) == [] && found("x", []) == [])
        #expect(found("50.1", ["10", "50", "0", "50.1", "40"]) == [.run("echo 50 | sudo tee /f")])
        #expect(found("60", ["0", "51"]) == [.run("echo 50 | sudo tee /f")])
        // GIVEN a device whose rates are all lower THEN its highest counts
        #expect(found("41", ["39"], rates: [60, 80]) == [.run("echo 39 | sudo tee /f")])
        #expect(found("40", ["39"], rates: [60, 80]) == [])
    }

    @Test func aClockMayDifferByThreeSeconds() {
        // GIVEN the receiver's time before and after that of the system THEN three seconds are let pass, and the way is
        // told
        let utc = 1_800_000_000.0
        for (system, words) in [
            (utc + 3, nil), (utc - 3, nil), (utc + 3.01, "3 s ahead of"), (utc - 3.6, "4 s behind"),
        ] as [(Double, String?)] {
            let found = findings(.clockStep) { $0.gpsd?.reports.systemSeconds = system }
            #expect(found.map(\.text) == (words.map { ["the system clock is \($0) the receiver's time"] } ?? []))
        }
        // AND the time of a receiver without a fix, which its own clock gives, says nothing of the system's
        for (mode, isTold) in [(0, false), (1, false), (2, true)] {
            let isStep = isFound(.clockStep) { facts in
                facts.gpsd?.reports.systemSeconds = utc + 60
                facts.gpsd?.reports.mode = mode
            }
            #expect(isStep == isTold, "\(mode)")
        }
        for (seconds, isUnset) in [(1_790_812_800.0, false), (1_790_812_799, true)] {
            #expect(isFound(.clockUnset) { $0.clock.systemSeconds = seconds } == isUnset)
            #expect(isFound(.fixDate) { $0.gpsd?.reports.utcSeconds = seconds } == isUnset)
        }
        let years = [-1.0, 0, 31_556_951, 31_556_953, 1_000_000_000, 99_999_999_999, 1e11, .nan].map(Check.year)
        #expect(
            years == [
                "before 1970", "in the year 1970", "in the year 1970", "in the year 1971", "in the year 2001",
                "in the year 5138", "before 1970", "before 1970",
            ])
    }

    @Test func aFixHasTwoDimensionsAtLeast() {
        // GIVEN a receiver without a fix that sees so many satellites THEN from four on it only needs time
        for (visible, isIndoors) in [(nil, false), (3, true), (4, false)] as [(Int?, Bool)] {
            for fault in [Fault.fixIndoors, .fixNone] {
                let isTold = isFound(fault) { facts in
                    facts.gpsd?.reports.mode = 1
                    facts.gpsd?.reports.visible = visible
                }
                #expect(isTold == ((fault == .fixIndoors) == isIndoors))
            }
        }
        #expect(!isFound(.fixNone) { $0.gpsd?.reports.mode = 2 })
        // GIVEN a fix THEN it is told with its dimensions
        func told(_ mode: Int) -> String? {
            var facts = Machine.healthy
            facts.gpsd?.reports.mode = mode
            guard let entry = DoctorReport(judging: facts).entries.first(where: { $0.area == .fix }),
                case .passed(let text) = entry.verdict
            else { return nil }
            return text
        }
        #expect(told(2) == "/dev/ttyACM0 has a 2D fix, 9 satellites used")
        #expect(told(3) == "/dev/ttyACM0 has a 3D fix, 9 satellites used")
    }

    @Test func aReceiverMayBeOpenToItsGroupOrToAll() {
        // GIVEN a device that gpsd does not have open THEN its group, or everyone, must be able to read and write
        for (mode, isClosed) in [
            (0o600, true), (0o660, false), (0o606, false), (0o640, true), (0o604, true), (0o620, true), (0o602, true),
        ] as [(UInt32, Bool)] {
            #expect(
                isFound(.gpsdReceiverAccess) { facts in
                    facts.gpsd?.receivers?[0].isActive = false
                    facts.gpsd?.receivers?[0].file?.mode = mode
                } == isClosed, "\(mode)")
        }
        #expect(!isFound(.gpsdReceiverAccess) { $0.gpsd?.receivers?[0].file?.mode = 0o600 })
    }

    @Test func onlyPlainSignsNeedNoQuotes() {
        // GIVEN each sign that can be printed THEN these are plain, and all others are quoted
        let plain = (0x20...0x7E).compactMap { UnicodeScalar($0) }.map { String(Character($0)) }.filter {
            Shell.word($0) == $0
        }
        #expect(plain.joined() == "%+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
        #expect(Shell.word("") == "''" && Shell.word("it's") == "'it'\\''s'")
        #expect(Shell.write("a b", to: "/c") == "echo 'a b' | sudo tee /c")
    }
}
