/// The number of a message in a file, 32 bits.
enum Sequence {
    /// The lower 32 bits of a number, never 0 for a number other than 0: MCAP has 0 for none.
    static func of(_ number: UInt64) -> UInt32 {
        number == 0 ? 0 : UInt32(truncatingIfNeeded: (number &- 1) % UInt64(UInt32.max)) &+ 1
    }
}
