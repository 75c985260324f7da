/// The offset of a stored property in its struct. For a literal key path the offset is a compile-time constant; a test
/// checks that every field of the tables has an offset.
@inline(__always)
func offset<Root, Value>(of path: KeyPath<Root, Value>) -> Int { MemoryLayout<Root>.offset(of: path) ?? 0 }

extension Frame {
    /// Sets a stored property with a key path of the tables.
    package mutating func set<Value>(_ member: KeyPath<Frame, Value>, _ value: Value) {
        withUnsafeMutablePointer(to: &self) { frame in
            (UnsafeMutableRawPointer(frame) + offset(of: member)).assumingMemoryBound(to: Value.self).pointee = value
        }
    }
}
