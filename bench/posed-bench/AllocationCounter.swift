import CBench

/// Counts the heap allocations of the process.
enum AllocationCounter {
    /// Number of allocations so far.
    static var count: UInt64 { bench_allocation_count() }

    /// Makes one allocation that the compiler does not optimise away.
    @inline(never) @_optimize(none) static func allocateOne() -> UnsafeMutableRawPointer {
        .allocate(byteCount: 4096, alignment: 1)
    }
}
