/// Everything about the process itself that a user may set.
package struct ProcessSettings: Sendable, Equatable {
    /// SCHED_FIFO priority of the engine thread; `nil`: the ordinary scheduler.
    package var realTimePriority: Int?
    /// Whether the pages in use are kept from being swapped out.
    package var lockMemory = false

    /// The defaults.
    package init() {}
}
