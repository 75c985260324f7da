import Glibc

/// Writes JSON text by hand into a buffer it keeps: no allocation once the buffer has grown to the longest text.
///
/// Numbers have a fixed count of decimals, independent of any locale. What is not finite, or too large to be meant, becomes `null`.
/// The writer does not check that brackets and commas are in place; whoever calls it does that by its shape.
public struct JSONWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// Bytes written since the last ``clear()``.
    public private(set) var count = 0

    /// A writer with room for that many bytes before it grows.
    public init(capacity: Int = 4096) {
        self.capacity = max(64, capacity)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// Forgets what was written and keeps the room.
    public mutating func clear() { count = 0 }

    /// Forgets what was written beyond that many bytes.
    public mutating func truncate(to length: Int) { count = min(count, max(0, length)) }

    /// Bytes that are JSON already.
    public mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard let start = bytes.baseAddress else { return }
        makeRoom(bytes.count)
        memcpy(base + count, start, bytes.count)
        count += bytes.count
    }

    /// Lends the bytes written so far; they are valid during the call only.
    public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// What was written, as a string.
    public var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

    /// Text that is JSON already. Inlined: where the text is known at compile time, copying it is a few stores.
    @inline(__always)
    public mutating func literal(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        makeRoom(length)
        memcpy(base + count, text.utf8Start, length)
        count += length
    }

    /// A name from a fixed list, in quotes. It must need no escape.
    @inline(__always)
    public mutating func name(_ text: StaticString) {
        byte(0x22)
        literal(text)
        byte(0x22)
    }

    /// `null`.
    @inline(__always)
    mutating func null() {
        makeRoom(4)
        UnsafeMutableRawPointer(base + count).storeBytes(of: Self.nullBytes.littleEndian, as: UInt32.self)
        count += 4
    }

    /// The letters of null, the first in the lowest byte.
    private static let nullBytes: UInt32 = 0x6C6C_756E

    /// Any text, in quotes and escaped; control characters as `\u00XX`.
    public mutating func string(_ text: String) {
        byte(0x22)
        for character in text.utf8 {
            switch character {
            case 0x22, 0x5C:
                byte(0x5C)
                byte(character)
            case 0x0A: literal("\\n")
            case 0x09: literal("\\t")
            case 0x0D: literal("\\r")
            case 0..<0x20, 0x7F:
                literal("\\u00")
                byte(Self.hexadecimal(character >> 4))
                byte(Self.hexadecimal(character & 15))
            default: byte(character)
            }
        }
        byte(0x22)
    }

    /// `true` or `false`.
    public mutating func boolean(_ value: Bool) {
        if value { literal("true") } else { literal("false") }
    }

    /// A whole number.
    public mutating func integer(_ value: Int64) {
        fixed(value, decimals: 0)
    }

    /// A whole number that is not negative.
    public mutating func integer(_ value: UInt64) {
        makeRoom(40)
        digits(value)
    }

    /// A number with that many decimals (0 to 9), rounded half away from zero; `null` when unknown, not finite or beyond 9e18 units of the last decimal.
    /// Zero has no sign.
    @inline(__always)
    public mutating func number(_ value: Double?, decimals: Int) {
        guard let value else { return null() }
        let scaled = value * Double(Self.powerOfTen(decimals))
        guard abs(scaled) < 9.0e18 else { return null() }
        // Conversion cuts off, so half a unit outward first: as rounding half away from zero, without a call.
        fixed(Int64(scaled + (scaled < 0 ? -0.5 : 0.5)), decimals: decimals)
    }

    /// Nanoseconds as seconds with nine decimals: exact.
    public mutating func seconds(nanoseconds: Int64) {
        fixed(nanoseconds, decimals: 9)
    }

    @inline(__always)
    private mutating func fixed(_ value: Int64, decimals: Int) {
        makeRoom(40)
        base[count] = 0x2D
        count += value < 0 ? 1 : 0
        let magnitude = value.magnitude
        if decimals > 0 && decimals < 8 && magnitude < 100_000_000 {
            short(magnitude, decimals: decimals)
        } else {
            long(magnitude, decimals: decimals)
        }
    }

    /// A number of at most eight digits in all: one word holds them, and is stored twice, before and behind the point.
    @inline(__always)
    private mutating func short(_ magnitude: UInt64, decimals: Int) {
        let digits = Self.eightDigits(magnitude)
        let behind = 8 &- decimals
        // At least one digit stands before the point.
        let leading = min(behind &- 1, digits.trailingZeroBitCount &>> 3)
        let text = digits | Self.zeros
        store(text &>> UInt64(leading &* 8))
        count &+= behind &- leading
        base[count] = 0x2E
        count &+= 1
        store(text &>> UInt64(behind &* 8))
        count &+= decimals
    }

    private mutating func long(_ magnitude: UInt64, decimals: Int) {
        let unit = Self.powerOfTen(decimals)
        let whole = magnitude / unit
        digits(whole)
        guard decimals > 0 else { return }
        base[count] = 0x2E
        count += 1
        var rest = magnitude &- whole &* unit
        var left = decimals
        if left == 9 {
            let first = rest / 100_000_000
            base[count] = 0x30 &+ UInt8(truncatingIfNeeded: first)
            count += 1
            rest &-= first &* 100_000_000
            left = 8
        }
        // The digits stand at the front of eight; what is behind them is written over by what follows.
        store(Self.eightDigits(rest &* Self.powerOfTen(8 &- left)) | Self.zeros)
        count += left
    }

    /// Decimal digits without leading zeros. Callers have made room for 28.
    private mutating func digits(_ value: UInt64) {
        guard value < 100_000_000 else {
            let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
            digits(high)
            store(Self.eightDigits(low) | Self.zeros)
            count += 8
            return
        }
        let digits = Self.eightDigits(value)
        let leading = min(7, digits.trailingZeroBitCount / 8)
        store((digits | Self.zeros) >> UInt64(leading * 8))
        count += 8 - leading
    }

    @inline(__always)
    private func store(_ eight: UInt64) {
        UnsafeMutableRawPointer(base + count).storeBytes(of: eight.littleEndian, as: UInt64.self)
    }

    private static let zeros: UInt64 = 0x3030_3030_3030_3030

    /// The eight decimal digits of a number below 1e8, one a byte, the first in the lowest: halves, quarters and single digits side by side in one word.
    @inline(__always)
    private static func eightDigits(_ value: UInt64) -> UInt64 {
        let high = value / 10_000
        let fours = high | (value &- high &* 10_000) << 32
        // Division by 100 of both halves at once: 10486 / 2^20, exact below 10000.
        let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        // Division by 10 of all four: 103 / 2^10, exact below 100.
        let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    @inline(__always)
    private mutating func byte(_ value: UInt8) {
        makeRoom(1)
        base[count] = value
        count += 1
    }

    @inline(__always)
    private mutating func makeRoom(_ length: Int) {
        if capacity - count < length { grow(length) }
    }

    private mutating func grow(_ length: Int) {
        let larger = max(capacity * 2, count + length)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    @inline(__always)
    private static func powerOfTen(_ exponent: Int) -> UInt64 {
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
