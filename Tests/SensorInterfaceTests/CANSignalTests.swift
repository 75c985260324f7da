import Foundation
import SeededNumbers
import Testing

@testable import SensorInterface

/// Signals of CAN frames: their bits against two independent readers, and the messages about wrong ones.
@Suite struct CANSignalTests {
    /// The value of a signal by the definition of DBC files, on the text of the bits of a frame.
    private static func value(_ data: [UInt8], start: Int, count: Int, isMotorola: Bool, isSigned: Bool) -> String? {
        let bytes = data.map { byte in String(repeating: "0", count: byte.leadingZeroBitCount) + digits(byte) }
        // Motorola: the frame as one big number. Intel: the bytes from the last to the first as one big number.
        let text = Array((isMotorola ? bytes : bytes.reversed()).joined())
        let begin =
            isMotorola ? start / 8 * 8 + (7 - start % 8) : text.count - start - count
        guard begin >= 0, begin + count <= text.count else { return nil }
        return String(text[begin..<begin + count])
    }

    private static func digits(_ byte: UInt8) -> String { byte == 0 ? "" : String(byte, radix: 2) }

    @Test func theBitsAreThoseOfTheDefinition() throws {
        // GIVEN 3000 random fields in random frames of 1 to 64 bytes, from a kept seed; WHEN read; THEN bits, number
        // and refusal are those of a reader that works on the text of the bits.
        var random = SplitMix64(seed: 0xCA4)
        var (found, refused) = (0, 0)
        for _ in 0..<3000 {
            let data = (0..<Int(1 + random.next() % 64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let start = Int(random.next() % UInt64(data.count * 8 + 8))
            let count = Int(1 + random.next() % 64)
            let (isMotorola, isSigned) = (random.next() & 1 == 0, random.next() & 1 == 0)
            let field = CANBitField(start: start, count: count, isMotorola: isMotorola, isSigned: isSigned)
            let bits = data.withUnsafeBytes { field?.bits(of: $0) }
            let text = Self.value(data, start: start, count: count, isMotorola: isMotorola, isSigned: isSigned)
            guard let text else {
                #expect(bits == nil)
                refused += 1
                continue
            }
            found += 1
            let value = try #require(UInt64(text, radix: 2))
            #expect(bits == value)
            let isNegative = isSigned && text.first == "1"
            // Two's complement: minus the number of the inverted bits plus one.
            let inverted = UInt64(String(text.map { $0 == "0" ? "1" : "0" }), radix: 2) ?? 0
            #expect(field?.number(value) == (isNegative ? -Double(inverted + 1) : Double(value)))
        }
        #expect(found > 1000 && refused > 300)
    }

    @Test func theValuesAreThoseOfCantools() throws {
        // GIVEN 600 signals with the values that cantools reads (Resources/can_signals.py); WHEN read from their text
        // form; THEN raw number and value are the same.
        let path = #filePath.replacing("CANSignalTests.swift", with: "Resources/can_signals.txt")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 600)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let data = stride(from: 0, to: words[6].count, by: 2).compactMap { index in
                UInt8(words[6].dropFirst(index).prefix(2), radix: 16)
            }
            let text = "0x100#\(data.count) \(words[0])|\(words[1])@\(words[2])\(words[3]) (\(words[4]),\(words[5]))"
            let signal = try CANSignal(text)
            let bits = try #require(data.withUnsafeBytes { signal.field.bits(of: $0) })
            #expect(signal.field.number(bits) == Double(words[7]), "\(line)")
            let expected = try #require(Double(words[8]))
            guard case .value(let value) = data.withUnsafeBytes({ signal.read($0) }) else {
                Issue.record("no value: \(line)")
                continue
            }
            // cantools rounds the product of integers of more than 53 bits once less.
            #expect(abs(value - expected) <= 4 * expected.magnitude.ulp, "\(line)")
        }
    }

    @Test func aLineOfADBCFileIsUnderstood() throws {
        // GIVEN a line as it is in a DBC file, and one with everything; WHEN read; THEN every part is there.
        let line = try CANSignal(#"416 SG_ WheelSpeed : 16|16@1+ (0.01,0) [0|655.35] "km/h"  ABS,ESP"#)
        #expect(line.id.kernelValue == 0x1A0 && !line.id.isExtended && line.frameBytes == 8)
        #expect(line.field == CANBitField(start: 16, count: 16, isMotorola: false, isSigned: false))
        #expect(line.factor == 0.01 && line.offset == 0 && line.range == 0...655.35 && line.unit == "km/h")
        let whole = try CANSignal(
            #"0x98FEF100#12 7|12@0- (-0.5,40) [0|0] "m/s" na=0xFFF,0xFFE mux=8|4@1+:3"#)
        #expect(whole.id.isExtended && whole.id.kernelValue == 0x98FE_F100 && whole.frameBytes == 12)
        #expect(whole.factor == -0.5 && whole.offset == 40 && whole.range == nil && whole.unit == "m/s")
        #expect(whole.unavailable == [0xFFF, 0xFFE] && whole.multiplexer?.value == 3)
        #expect(try CANSignal("0x18FEF100 0|8@1+").id.kernelValue == 0x98FE_F100)
        #expect(try CANSignal(whole.text) == whole)
    }

    @Test func whatIsNoSpeedIsToldApart() throws {
        // GIVEN a signal with a range, a value for "not available" and a selector; WHEN frames come; THEN each says
        // what it has.
        let signal = try CANSignal(#"0x1A0 8|8@1+ (1,0) [0|200] "km/h" na=255 mux=0|8@1+:3"#)
        func read(_ data: [UInt8]) -> CANSignal.Reading { data.withUnsafeBytes { signal.read($0) } }
        #expect(read([3, 100, 0, 0, 0, 0, 0, 0]) == .value(100))
        #expect(read([3, 255, 0, 0, 0, 0, 0, 0]) == .notAvailable)
        #expect(read([3, 201, 0, 0, 0, 0, 0, 0]) == .outOfRange)
        #expect(read([4, 100, 0, 0, 0, 0, 0, 0]) == .notInFrame)
        #expect(read([3]) == .shortFrame)
        #expect(read([]) == .shortFrame)
    }

    /// Wrong texts, each with words of its message.
    @Test(arguments: [
        ("", "ends too early"), ("0x1A0", "ends too early"), ("wheel 0|8@1+", "no identifier"),
        ("0x20000000 0|8@1+", "no identifier"), ("-1 0|8@1+", "no identifier"), ("0x1A0#0 0|8@1+", "1 to 64 bytes"),
        ("0x1A0# 0|8@1+", "1 to 64 bytes"),
        ("0x1A0#65 0|8@1+", "1 to 64 bytes"), ("0x1A0 0|8", "START|LENGTH@ORDER"), ("0x1A0 0|8@2+", "16|16@1+"),
        ("0x1A0 64|8@1+", "the start bit 64 outside of a frame of 8 bytes (bits 0 to 63)"),
        ("0x1A0 99999999999999999999|8@1+", "START|LENGTH@ORDER"), ("0x1A0 9999999999|8@1+", "outside of a frame"),
        ("0x1A0 0|0@1+", "1 to 64 bits"), ("0x1A0 0|65@1+", "1 to 64 bits"),
        ("0x1A0 60|8@1+", "8 bits from bit 60 on in Intel order"),
        ("0x1A0 56|9@0+", "9 bits from bit 56 on in Motorola order"), ("0x1A0#4 24|16@1+", "the 4 bytes"),
        ("0x1A0 0|8@1+ (0,1)", "factor 0"), ("0x1A0 0|8@1+ (nan,1)", "(factor,offset)"),
        ("0x1A0 0|8@1+ (1,inf)", "(factor,offset)"), ("0x1A0 0|8@1+ (1)", "(factor,offset)"),
        ("0x1A0 0|8@1+ (1,0", "no `)`"), ("0x1A0 0|8@1+ [5|1]", "minimum above its maximum"),
        ("0x1A0 0|8@1+ \"km/h", "second quote"), ("0x1A0 0|8@1+ na=256", "no number of 8 bits"),
        ("0x1A0 0|8@1+ na=1,2,3,4,5", "more than 4"), ("0x1A0 0|8@1+ mux=3", "mux=START"),
        ("0x1A0 0|8@1+ mux=0|2@1+:4", "does not fit into 2 bits"), ("0x1A0 0|8@1+ factor=2", "unknown part `factor=2`"),
        ("0x1A0 SG_ V m3 : 0|8@1+ (1,0) [0|0] \"km/h\" X", "add mux="), ("0x1A0 SG_ V 0|8@1+", "no `:`"),
    ])
    func aWrongSignalIsNamed(_ text: String, _ words: String) {
        do throws(CANSignalProblem) {
            _ = try CANSignal(text)
            Issue.record("`\(text)` was taken")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test func noiseIsRefusedAndNeverTraps() {
        // GIVEN a good text with bytes changed, cut and doubled, from a kept seed; WHEN read, and where it is taken a
        // frame is read; THEN nothing traps, and most are refused.
        var random = SplitMix64(seed: 0xCA5)
        let good = Array(#"0x1A0#12 SG_ V m3 : 16|16@0- (0.01,-5) [0|655.34] "km/h" na=0xFFFF mux=0|8@1+:3"#.utf8)
        let frame = [UInt8](repeating: 0xFF, count: 12)
        var refused = 0
        for _ in 0..<5000 {
            var text = good
            for _ in 0...(random.next() % 4) {
                let place = Int(random.next() % UInt64(text.count))
                switch random.next() % 3 {
                case 0: text[place] = UInt8(32 + random.next() % 95)
                case 1: text.remove(at: place)
                default: text.insert(text[place], at: place)
                }
            }
            guard let signal = try? CANSignal(String(decoding: text, as: UTF8.self)) else {
                refused += 1
                continue
            }
            _ = frame.withUnsafeBytes { signal.read($0) }
        }
        #expect(refused > 2000)
    }
}
