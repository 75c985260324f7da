/// A digest of numbers by their bits: another last bit of one of them gives another digest.
///
/// FNV's step on whole words, with a turn so that high bits reach the low ones.
struct Digest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Takes a number; `nil` differs from every number.
    mutating func add(_ value: Double?) { add(bits: value?.bitPattern ?? 0x7FF8_DEAD_0000_0001) }

    /// Takes a whole number or the raw value of a state.
    mutating func add(bits: UInt64) {
        state = (state ^ bits) &* 0x0000_0100_0000_01B3
        state ^= state >> 29
    }

    /// Takes bytes, eight at a time.
    mutating func add(bytes: UnsafeRawBufferPointer) {
        let words = bytes.count / 8
        for word in 0..<words { add(bits: bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)) }
        for byte in bytes[(8 * words)...] { add(bits: UInt64(byte)) }
    }

    /// Eight hexadecimal digits.
    var text: String {
        let folded = UInt32(truncatingIfNeeded: state ^ state >> 32)
        let digits = String(folded, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
