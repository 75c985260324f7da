import Testing

@testable import SensorInterface

/// The limits of identifiers, fields and texts of signals, on both sides.
@Suite struct CANSignalLimitTests {
    @Test(
        arguments: [
            (0, 0, "0x0"), (0x7FF, 0x7FF, "0x7FF"), (0x800, 0x8000_0800, "0x80000800"),
            (0x1FFF_FFFF, 0x9FFF_FFFF, "0x9FFFFFFF"), (0x8000_01A0, 0x8000_01A0, "0x800001A0"),
            (0x9FFF_FFFF, 0x9FFF_FFFF, "0x9FFFFFFF"), (0x2000_0000, nil, ""), (0xA000_0000, nil, ""),
        ] as [(UInt32, UInt32?, String)])
    func anIdentifierAboveElevenBitsIsExtended(number: UInt32, kernel: UInt32?, text: String) {
        // GIVEN a number of a DBC file THEN the kernel's form has bit 31 from 0x800 on, and 30 bits are refused
        let id = CANIdentifier(number)
        #expect(id?.kernelValue == kernel && id?.description ?? "" == text)
        #expect(id?.isExtended == kernel.map { $0 > 0x7FF })
        #expect(id.flatMap { CANIdentifier($0.kernelValue) } == id)
    }

    @Test(arguments: [
        (0, 64, false, true), (511, 1, false, true), (504, 8, false, true), (504, 9, false, false),
        (511, 8, true, true), (511, 9, true, false), (505, 2, true, true), (505, 3, true, false),
        (512, 1, false, false),
        (-1, 1, false, false), (0, 0, false, false), (0, 65, false, false),
    ])
    func aFieldEndsInTheLongestFrame(start: Int, count: Int, isMotorola: Bool, exists: Bool) {
        // GIVEN a start bit and a length THEN the field exists if its last bit is one of the 512 of CAN FD
        let field = CANBitField(start: start, count: count, isMotorola: isMotorola, isSigned: false)
        #expect((field != nil) == exists)
    }

    @Test(arguments: [
        (0, 8, false, 1), (0, 9, false, 2), (7, 1, false, 1), (7, 2, false, 2), (7, 8, true, 1), (7, 9, true, 2),
        (0, 1, true, 1), (0, 2, true, 2), (15, 16, true, 3), (56, 8, false, 8),
    ])
    func aFieldNeedsTheBytesThatItTouches(start: Int, count: Int, isMotorola: Bool, bytes: Int) throws {
        let field = try #require(CANBitField(start: start, count: count, isMotorola: isMotorola, isSigned: false))
        #expect(field.neededBytes == bytes)
        let data = [UInt8](repeating: 0xFF, count: bytes)
        // Of one type: an optional and a plain number are compared as AnyHashable.
        let ones: UInt64? = (1 << UInt64(count)) - 1
        #expect(data.withUnsafeBytes { field.bits(of: $0) } == ones)
        #expect(data.dropLast().withUnsafeBytes { field.bits(of: $0) } == nil)
    }

    @Test(
        arguments: [
            ("m/s", 1), ("km/h", 1 / 3.6), ("kph", 1 / 3.6), ("KMH", 1 / 3.6), ("km/hr", 1 / 3.6), ("mph", 0.44704),
            ("MI/H", 0.44704), ("cm/s", 0.01), ("kn", nil), ("rpm", nil), ("", nil),
        ] as [(String, Double?)])
    func theUnitsOfASpeed(unit: String, factor: Double?) throws {
        // GIVEN a unit as manufacturers write it THEN metres per second follow, or none for what is no speed
        let signal = try CANSignal("0x1 0|8@1+ \"\(unit)\"")
        #expect(signal.unit == unit && signal.metersPerSecondPerUnit == factor)
    }

    @Test(arguments: [
        "0x7FF#1 0|8@1+", "0x1#8 63|1@1+", "0x1#8 56|8@1+", "0x1#64 511|8@0+", "0x1 0|64@1+ na=0xFFFFFFFFFFFFFFFF",
        "0x1 0|8@1+ na=255", "0x1 0|8@1+ na=1,2,3,4", "0x1 0|8@1+ mux=8|2@1+:3", "0x1 0|8@1+ [5|5]",
        "0x1 0|8@1+ (1e30,-1e30)", "0X1A 0|8@1+", "\t0x1\t0|8@1+\t(1,0)\t\"km/h\"\tna=7",
    ])
    func whatIsJustAllowedIsTaken(text: String) throws { _ = try CANSignal(text) }

    @Test(arguments: [
        ("0x1#8#8 0|8@1+", "no identifier"), ("0x1#0x0 0|8@1+", "1 to 64 bytes"), ("0x1#8 64|1@1+", "start bit 64"),
        ("0x1#8 57|8@1+", "8 bits from bit 57"), ("0x1#64 512|1@1+", "start bit 512"), ("0x1 0|8|1@1+", "START|LENGTH"),
        ("0x1 0|8@1+ (1.01e30,0)", "(factor,offset)"), ("0x1 0|8@1+ (1,2,3)", "(factor,offset)"),
        ("0x1 0|8@1+ [0|-2e30]", "[minimum|maximum]"), ("0x1 0|8@1+ mux=8|2@1+:3:4", "mux=START"),
        ("0x1 0|8@1+ na=", "no number of 8 bits"), ("0x1 0|8@1+ na=+1", "no number of 8 bits"),
        ("0x1 +0|8@1+", "START|LENGTH"), ("0x1 0|8@1+ mux=64|2@1+:1", "start bit 64"),
    ])
    func whatIsJustTooMuchIsRefused(text: String, words: String) {
        let problem = #expect(throws: CANSignalProblem.self) { try CANSignal(text) }
        #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
    }

    @Test func theTextHasALimit() throws {
        // GIVEN a signal with a long unit: 400 bytes in all are taken, and 401 are not
        let head = "0x1 0|8@1+ \""
        let unit = String(repeating: "u", count: 400 - head.utf8.count - 1)
        #expect(try CANSignal(head + unit + "\"").unit == unit)
        let problem = #expect(throws: CANSignalProblem.self) { try CANSignal(head + unit + "u\"") }
        #expect(problem?.description == "has 401 bytes; give at most 400")
    }

    @Test func aLongerFrameIsRecommendedWhereItMayBeMeant() {
        // GIVEN a start bit outside of a frame THEN the length of CAN FD is told for a frame of 8 bytes or less only
        func reason(_ text: String) -> String {
            #expect(throws: CANSignalProblem.self) { try CANSignal(text) }?.description ?? ""
        }
        let advice = "; the length of a longer frame follows the identifier: 0x1A0#12"
        #expect(reason("0x1#8 64|1@1+") == "has the start bit 64 outside of a frame of 8 bytes (bits 0 to 63)" + advice)
        #expect(reason("0x1#9 72|1@1+") == "has the start bit 72 outside of a frame of 9 bytes (bits 0 to 71)")
        #expect(reason("0x1 60|5@1+").contains("in Intel order, which end after the 8 bytes of the frame" + advice))
        #expect(reason("0x1 0|2@0+ mux=56|9@0+:1").contains("9 bits from bit 56 on in Motorola order"))
    }

    @Test func aLineOfADBCFileMayHaveReceiversAndAName() throws {
        // GIVEN lines with a name, a multiplexed name and receivers THEN what belongs to no part is left out there, and
        // a selector is asked for where the name has `m` and a number only
        #expect(try CANSignal("0x1 SG_ mass : 0|8@1+ (2,0) ECU,ESP").factor == 2)
        #expect(try CANSignal("0x1 SG_ V M : 0|8@1+ X Y").multiplexer == nil)
        #expect(try CANSignal("0x1 SG_ V m12 : 8|8@1+ mux=0|4@1+:12").multiplexer?.value == 12)
        for text in ["0x1 SG_ V m0 : 8|8@1+", "0x1 SG_ V m12M : 8|8@1+"] {
            #expect(throws: CANSignalProblem.self) { try CANSignal(text) }
        }
        #expect(throws: CANSignalProblem.self) { try CANSignal("0x1 0|8@1+ ECU") }
    }

    @Test(
        arguments: [
            ("[0|0]", nil), ("[0|1]", 0...1), ("[-1|0]", -1...0), ("[0.0|0.00]", nil), ("[3|3]", 3...3),
        ] as [(String, ClosedRange<Double>?)])
    func aRangeOfZerosIsNone(text: String, range: ClosedRange<Double>?) throws {
        #expect(try CANSignal("0x1 0|8@1+ \(text)").range == range)
    }

    @Test func theLargestNumberHasAValueAndASelectorItsFrame() throws {
        // GIVEN the largest number and factor THEN their product is a value
        let wide = try CANSignal("0x1#64 0|64@1+ (1e30,1e30)")
        let frame = [UInt8](repeating: 0xFF, count: 64)
        #expect(frame.withUnsafeBytes { wide.read($0) } == .value(Double(UInt64.max) * 1e30 + 1e30))
        // A selector of the same frame must be there as well.
        let selected = try CANSignal("0x1#2 0|8@1+ mux=8|8@1+:1")
        #expect([UInt8(5)].withUnsafeBytes { selected.read($0) } == .shortFrame)
        #expect([UInt8(5), 1].withUnsafeBytes { selected.read($0) } == .value(5))
        #expect([UInt8(5), 2].withUnsafeBytes { selected.read($0) } == .notInFrame)
    }

    @Test func theValueIsTheFactorTimesTheNumberPlusTheOffset() throws {
        // GIVEN a signed signal with factor, offset and range; the ends of the range are valid, the next count is not
        let signal = try CANSignal("0x1 0|8@1- (0.5,10) [-2|20] na=0x80")
        func read(_ raw: UInt8) -> CANSignal.Reading {
            [raw, 0, 0, 0, 0, 0, 0, 0].withUnsafeBytes { signal.read($0) }
        }
        #expect(read(0) == .value(10) && read(3) == .value(11.5) && read(20) == .value(20) && read(0xE8) == .value(-2))
        #expect(read(21) == .outOfRange && read(0xE7) == .outOfRange && read(0x80) == .notAvailable)
    }
}

/// Which settings of the vehicle bus fit together.
@Suite struct CANSettingsTests {
    private static func settings(_ change: (inout CANSettings) throws -> Void) rethrows -> CANSettings {
        var settings = CANSettings()
        settings.interface = "can0"
        try change(&settings)
        return settings
    }

    @Test func oneOriginOfTheSpeedIsNeeded() throws {
        // GIVEN each combination of the three origins THEN exactly one is without a problem
        let signal = try CANSignal("0x1 0|8@1+ \"m/s\"")
        for mask in 0..<8 {
            let settings = Self.settings {
                if mask & 1 != 0 { $0.speed = signal }
                if mask & 2 != 0 { ($0.rearLeft, $0.rearRight) = (signal, signal) }
                if mask & 4 != 0 { $0.diagnostics = .standard }
            }
            let problem = settings.problem ?? ""
            switch mask.nonzeroBitCount {
            case 0: #expect(problem.hasPrefix("is set without a speed; set can.speed, can.speed_rear_left"))
            case 1: #expect(problem.isEmpty, "\(problem)")
            default: #expect(problem.hasPrefix("has more than one speed; keep one of can.speed"))
            }
        }
        #expect(CANSettings().problem == nil)
    }

    @Test func everyWheelOfTheMeanIsNeeded() throws {
        // GIVEN some wheels THEN those that the mean lacks are named with their keys
        let signal = try CANSignal("0x1 0|8@1+ \"m/s\"")
        let rear = Self.settings { $0.rearRight = signal }
        #expect(rear.problem == "lacks can.speed_rear_left; set it, or choose can.wheels")
        var all = Self.settings { ($0.wheels, $0.frontLeft) = (.all, signal) }
        #expect(
            all.problem == "lacks can.speed_front_right, can.speed_rear_left, can.speed_rear_right; set it, or choose "
                + "can.wheels")
        (all.frontRight, all.rearLeft, all.rearRight) = (signal, signal, signal)
        #expect(all.problem == nil)
        #expect(
            all.usedWheels.map(\.name) == [
                "speed_front_left", "speed_front_right", "speed_rear_left", "speed_rear_right",
            ])
        all.wheels = .rear
        #expect(all.problem == nil && all.usedWheels.map(\.name) == ["speed_rear_left", "speed_rear_right"])
    }
}
