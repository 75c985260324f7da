/// The bits of a signal in a CAN frame, numbered as in a DBC file: bit 0 is the least significant bit of the first
/// byte, bit 8 that of the second one. Pure.
package struct CANBitField: Hashable, Sendable {
    /// Maximum length of a frame, bytes: CAN FD.
    package static let longestFrame = 64

    /// The start bit: the least significant one of an Intel signal, the most significant one of a Motorola signal.
    package let start: Int
    /// Number of bits, 1...64.
    package let count: Int
    /// Whether the byte order is Motorola: the significance falls with the number of the byte.
    package let isMotorola: Bool
    /// Whether it is a two's complement number.
    package let isSigned: Bool

    /// Creates a field; `nil` if it lies in no frame of 64 bytes.
    package init?(start: Int, count: Int, isMotorola: Bool, isSigned: Bool) {
        let bits = Self.longestFrame * 8
        guard (0..<bits).contains(start), (1...64).contains(count) else { return nil }
        (self.start, self.count, self.isMotorola, self.isSigned) = (start, count, isMotorola, isSigned)
        guard end <= bits else { return nil }
    }

    /// Position of the first bit read, counted from the most significant bit of the first byte for Motorola.
    private var first: Int { isMotorola ? start / 8 * 8 + 7 - start % 8 : start }
    /// Position after the last bit.
    private var end: Int { first + count }
    /// Number of bytes that a frame needs for this field.
    package var neededBytes: Int { (end + 7) / 8 }

    /// The bits as an unsigned number; `nil` if the frame is too short.
    package func bits(of data: UnsafeRawBufferPointer) -> UInt64? {
        guard data.count >= neededBytes else { return nil }
        return read(data)
    }

    /// The bits of a frame that is long enough.
    private func read(_ data: UnsafeRawBufferPointer) -> UInt64 {
        var value: UInt64 = 0
        if isMotorola {
            for position in first..<end {
                value = value << 1 | UInt64(data[position / 8] >> UInt8(7 - position % 8) & 1)
            }
        } else {
            for position in (first..<end).reversed() {
                value = value << 1 | UInt64(data[position / 8] >> UInt8(position % 8) & 1)
            }
        }
        return value
    }

    /// The number that the bits mean, rounded to 53 bits.
    package func number(_ bits: UInt64) -> Double {
        guard isSigned else { return Double(bits) }
        let unused = UInt64(64 - count)
        return Double(Int64(bitPattern: bits << unused) >> Int64(unused))
    }
}
