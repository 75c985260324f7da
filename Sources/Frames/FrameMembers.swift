/// Reads single members of a frame in place.
///
/// A frame has about a thousand bytes. Passing it or one of its parts as a value copies it, or loads it whole and
/// spills it to the stack before its first member is read, which takes longer than writing the whole message. The
/// offset of a literal key path is a compile-time constant.
struct FrameMembers {
    private let base: UnsafeRawPointer

    /// Refers to the frame at that address, which must stay valid as long as this value is used.
    @inline(__always)
    init(_ frame: UnsafePointer<Frame>) { base = UnsafeRawPointer(frame) }

    /// A stored member; every member of a frame is stored.
    @inline(__always)
    subscript<Member>(_ member: KeyPath<Frame, Member>) -> Member {
        base.load(fromByteOffset: MemoryLayout<Frame>.offset(of: member) ?? 0, as: Member.self)
    }
}
