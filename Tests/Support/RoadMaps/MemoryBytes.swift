import Roads

/// The bytes of a file of roads in memory.
package final class MemoryBytes: ByteRegion {
    // The bytes do not change while the object lives.
    nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer

    /// A copy of some bytes.
    package init(_ content: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
        copy.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
