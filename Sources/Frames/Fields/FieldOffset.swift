/// Where a stored property lies in its struct. The offset of a key path that stands in the source as a literal is a
/// constant in the program; a test holds that every field of the tables has one.
@inline(__always)
func offset<Root, Value>(of path: KeyPath<Root, Value>) -> Int { MemoryLayout<Root>.offset(of: path) ?? 0 }

extension Frame {
    /// Sets a stored property by a key path of the tables.
    package mutating func set<Value>(_ member: KeyPath<Frame, Value>, _ value: Value) {
        withUnsafeMutablePointer(to: &self) { frame in
            (UnsafeMutableRawPointer(frame) + offset(of: member)).assumingMemoryBound(to: Value.self).pointee = value
        }
    }
}
