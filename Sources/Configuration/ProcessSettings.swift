/// Settings of the process.
package struct ProcessSettings: Sendable, Equatable {
    /// SCHED_FIFO priority of the engine thread; `nil`: the normal scheduler.
    package var realTimePriority: Int?
    /// Whether the pages in use are locked in memory.
    package var lockMemory = false

    /// The defaults.
    package init() {}
}
