/// Everything about the process itself that a user may set.
public struct ProcessSettings: Sendable, Equatable {
    /// SCHED_FIFO priority of the engine thread; `nil`: the ordinary scheduler.
    public var realTimePriority: Int?
    /// Whether the pages in use are kept from being swapped out.
    public var lockMemory = false

    /// The defaults.
    public init() {}
}
