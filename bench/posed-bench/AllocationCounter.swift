import CBench

/// The process's heap, counted.
enum AllocationCounter {
    /// Blocks asked for so far.
    static var count: UInt64 { bench_allocation_count() }

    /// Asks for one block, in a way that is not optimised away.
    @inline(never) @_optimize(none) static func allocateOne() -> UnsafeMutableRawPointer {
        .allocate(byteCount: 4096, alignment: 1)
    }
}
