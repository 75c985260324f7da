import CSystem
import Glibc

/// Writes JSON text into memory that is known to be large enough. Nothing is checked, so that a member is a few store
/// instructions.
///
/// The creator of a cursor must provide space for all text to be written and for ``reach`` additional bytes.
/// ``JSONWriter`` does so for each piece, ``JSONFrameEncoder`` once for a whole line.
struct JSONCursor {
    /// The position of the next byte.
    private(set) var place: UnsafeMutableRawPointer

    /// Number of bytes behind the last written one that may be overwritten: digits are stored eight at a time.
    static let reach = 16
    /// Length of the longest number, bytes: a sign, 19 digits and a point.
    static let longestNumber = 21

    /// Creates a cursor at that position.
    @inline(__always)
    init(at place: UnsafeMutableRawPointer) { self.place = place }

    /// Writes text that is valid JSON already. If it is known at compile time, copying it is a few store instructions.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        memcpy(place, text.utf8Start, text.utf8CodeUnitCount)
        place += text.utf8CodeUnitCount
    }

    /// Writes a name from a fixed list, in quotes. It must not need escapes.
    @inline(__always)
    mutating func name(_ text: StaticString) {
        byte(0x22)
        literal(text)
        byte(0x22)
    }

    /// Writes one byte.
    @inline(__always)
    mutating func byte(_ value: UInt8) {
        place.storeBytes(of: value, as: UInt8.self)
        place += 1
    }

    /// Moves back by `count` bytes, which will be overwritten.
    @inline(__always)
    mutating func step(back count: Int) { place -= count }

    /// Writes `null`.
    @inline(__always)
    mutating func null() {
        place.storeBytes(of: Self.nullBytes.littleEndian, as: UInt32.self)
        place += 4
    }

    /// Writes `true` or `false`.
    @inline(__always)
    mutating func boolean(_ value: Bool) {
        if value { literal("true") } else { literal("false") }
    }

    /// Writes a number with that many decimals (0 to 9), rounded half away from zero; `null` if it is unknown, not
    /// finite or beyond 9e18 units of the last decimal. Zero has no sign.
    @inline(__always)
    mutating func number(_ value: Double?, decimals: Int) {
        guard let value else { return null() }
        let scaled = value * Double(Self.powerOfTen(decimals))
        // Decided at compile time: the decimals of a member are literals.
        switch decimals {
        case 1...7: place = Self.writeShort(scaled, decimals, at: place)
        case 9: place = Self.writeNine(scaled, at: place)
        default: place = Self.writeAny(scaled, decimals, at: place)
        }
    }

    /// Writes nanoseconds as seconds with nine decimals: exact.
    mutating func seconds(nanoseconds: Int64) {
        place = Self.writeNine(nanoseconds.magnitude, isNegative: nanoseconds < 0, at: place)
    }

    /// Writes an integer.
    mutating func integer(_ value: Int64) {
        if value < 0 { byte(0x2D) }
        integer(value.magnitude)
    }

    /// Writes a non-negative integer.
    @inline(__always)
    mutating func integer(_ value: UInt64) {
        if value < 10 {
            byte(0x30 &+ UInt8(truncatingIfNeeded: value))
        } else {
            place = Self.writeWhole(value, at: place)
        }
    }

    /// Writes three numbers, or `null` if any of them cannot be written: an incomplete vector is useless.
    @inline(__always)
    mutating func triple(_ triple: Frame.Triple?, decimals: Int) {
        guard let triple, triple.isWritable else { return null() }
        number(behind: 0x5B, triple.x, decimals: decimals)
        number(behind: 0x2C, triple.y, decimals: decimals)
        number(behind: 0x2C, triple.z, decimals: decimals)
        byte(0x5D)
    }

    /// Writes four numbers, or `null` if any of them cannot be written.
    @inline(__always)
    mutating func quadruple(_ quadruple: Frame.Quadruple?, decimals: Int) {
        guard let quadruple, quadruple.isWritable else { return null() }
        number(behind: 0x5B, quadruple.w, decimals: decimals)
        number(behind: 0x2C, quadruple.x, decimals: decimals)
        number(behind: 0x2C, quadruple.y, decimals: decimals)
        number(behind: 0x2C, quadruple.z, decimals: decimals)
        byte(0x5D)
    }

    @inline(__always)
    private mutating func number(behind mark: UInt8, _ value: Double, decimals: Int) {
        byte(mark)
        number(value, decimals: decimals)
    }

    /// The bytes of `null`, the first letter in the lowest byte.
    private static let nullBytes: UInt32 = 0x6C6C_756E
}

// Numbers are handled in units of their last decimal. These functions take the position in a register and return the
// position behind the number. They are not inlined: inlined at every member they would fill the instruction cache.
extension JSONCursor {
    /// One to seven decimals. The fast path needs at most eight digits in total.
    @inline(never)
    private static func writeShort(_ scaled: Double, _ decimals: Int, at place: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer
    {
        guard isBelow(99_999_999, scaled) else { return writeAny(scaled, decimals, at: place) }
        let magnitude = roundedMagnitude(scaled)
        let begin = writeSign(scaled.bitPattern &>> 63, magnitude, at: place)
        // One word holds all digits. It is stored twice, before and behind the decimal point; at least one digit is
        // before it.
        let digits = eightDigits(magnitude)
        let leading = min(7 &- decimals, digits.trailingZeroBitCount &>> 3)
        let text = digits | zeros
        store(text &>> UInt64(truncatingIfNeeded: leading &* 8), at: begin)
        let point = begin + (8 &- decimals &- leading)
        point.storeBytes(of: 0x2E, as: UInt8.self)
        store(text &>> UInt64(truncatingIfNeeded: 64 &- decimals &* 8), at: point + 1)
        return point + (1 &+ decimals)
    }

    /// Nine decimals: angles with a resolution of a tenth of a millimetre on the ground, and quaternions.
    @inline(never)
    private static func writeNine(_ scaled: Double, at place: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        guard isBelow(9e18, scaled) else { return writeAny(scaled, 9, at: place) }
        return writeNine(roundedMagnitude(scaled), isNegative: scaled < 0, at: place)
    }

    @inline(__always)
    private static func writeNine(_ magnitude: UInt64, isNegative: Bool, at place: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer
    {
        let begin = writeSign(isNegative ? 1 : 0, magnitude, at: place)
        let whole = magnitude / 1_000_000_000
        let rest = magnitude &- whole &* 1_000_000_000
        var point = begin + 1
        if whole < 10 {
            begin.storeBytes(of: 0x30 &+ UInt8(truncatingIfNeeded: whole), as: UInt8.self)
        } else {
            point = writeWhole(whole, at: begin)
        }
        // Division by 1e8: 1441151881 / 2^57, exact below 5.9e9.
        let first = (rest &* 1_441_151_881) &>> 57
        point.storeBytes(of: (0x302E &+ (UInt16(truncatingIfNeeded: first) &<< 8)).littleEndian, as: UInt16.self)
        store(eightDigits(rest &- first &* 100_000_000) | zeros, at: point + 2)
        return point + 10
    }

    /// Any number of decimals and any magnitude; `null` for NaN and infinity.
    @inline(never)
    private static func writeAny(_ scaled: Double, _ decimals: Int, at place: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer
    {
        guard isBelow(9e18, scaled) else {
            place.storeBytes(of: nullBytes.littleEndian, as: UInt32.self)
            return place + 4
        }
        let magnitude = roundedMagnitude(scaled)
        let begin = writeSign(scaled.bitPattern &>> 63, magnitude, at: place)
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: powerOfTen(decimals))
        let point = writeWhole(whole, at: begin)
        guard decimals > 0 else { return point }
        point.storeBytes(of: 0x2E, as: UInt8.self)
        // The digits are the first of eight bytes; the bytes behind them are overwritten by the following text.
        store(eightDigits(rest &* powerOfTen(8 &- decimals)) | zeros, at: point + 1)
        return point + (1 &+ decimals)
    }

    /// Writes decimal digits without leading zeros.
    @inline(never)
    private static func writeWhole(_ value: UInt64, at place: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        guard value < 100_000_000 else {
            let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
            let next = writeWhole(high, at: place)
            store(eightDigits(low) | zeros, at: next)
            return next + 8
        }
        let digits = eightDigits(value)
        let leading = min(7, digits.trailingZeroBitCount &>> 3)
        store((digits | zeros) &>> UInt64(truncatingIfNeeded: leading &* 8), at: place)
        return place + (8 &- leading)
    }

    /// Whether the magnitude of a number is below a bound; false for NaN and infinity. Magnitudes compare in the same
    /// order as their bit patterns.
    @inline(__always)
    private static func isBelow(_ bound: Double, _ value: Double) -> Bool {
        value.bitPattern &<< 1 < bound.bitPattern &<< 1
    }

    /// Rounds half away from zero and drops the sign. The conversion truncates, so half a unit is added first.
    @inline(__always)
    private static func roundedMagnitude(_ scaled: Double) -> UInt64 {
        UInt64(bitPattern: posed_truncated(abs(scaled) + 0.5))
    }

    /// Writes a minus sign if the bit is set and the number is not 0. Returns the position behind it.
    @inline(__always)
    private static func writeSign(_ bit: UInt64, _ magnitude: UInt64, at place: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer
    {
        place.storeBytes(of: 0x2D, as: UInt8.self)
        return place + (magnitude == 0 ? 0 : Int(truncatingIfNeeded: bit))
    }

    @inline(__always)
    private static func store(_ eight: UInt64, at place: UnsafeMutableRawPointer) {
        place.storeBytes(of: eight.littleEndian, as: UInt64.self)
    }

    private static let zeros: UInt64 = 0x3030_3030_3030_3030

    /// The eight decimal digits of a number below 1e8, one per byte, the first in the lowest byte. Halves, quarters and
    /// single digits are computed in parallel in one word.
    @inline(__always)
    private static func eightDigits(_ value: UInt64) -> UInt64 {
        // Division by 10000: 109951163 / 2^40, exact below 4.9e8.
        let high = (value &* 109_951_163) &>> 40
        let fours = high | (value &- high &* 10_000) << 32
        // Division by 100 of both halves at once: 10486 / 2^20, exact below 10000.
        let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        // Division by 10 of all four quarters: 103 / 2^10, exact below 100.
        let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    /// Ten to the power of 0 to 9.
    @inline(__always)
    static func powerOfTen(_ exponent: Int) -> UInt64 {
        switch exponent {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1_000
        case 4: 10_000
        case 5: 100_000
        case 6: 1_000_000
        case 7: 10_000_000
        case 8: 100_000_000
        default: 1_000_000_000
        }
    }
}
