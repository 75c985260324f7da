/// A frame read where it lies, member by member.
///
/// A frame is a thousand bytes. Handed on as a value, or as one of its parts, it is copied, or loaded whole and spilled
/// to the stack before its first member is looked at, which takes longer than writing the whole message. The offset of
/// a key path that stands in the source is a constant in the program.
struct FrameMembers {
    private let base: UnsafeRawPointer

    /// The frame there; it must stay as long as this is used.
    @inline(__always)
    init(_ frame: UnsafePointer<Frame>) { base = UnsafeRawPointer(frame) }

    /// A stored member; every member of a frame is one.
    @inline(__always)
    subscript<Member>(_ member: KeyPath<Frame, Member>) -> Member {
        base.load(fromByteOffset: MemoryLayout<Frame>.offset(of: member) ?? 0, as: Member.self)
    }
}
