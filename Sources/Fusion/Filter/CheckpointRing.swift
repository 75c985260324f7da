import PoseMath

/// Copies of the filter at regular intervals, the newest ones of them. Allocated once, when the first filter begins.
struct CheckpointRing: Sendable {
    private var filters: ContiguousArray<NavigationFilter> = []
    private var samples: ContiguousArray<Int>
    private var times: ContiguousArray<MonotonicTime>
    private var head = 0
    private var count = 0
    private let capacity: Int
    private let spacingSeconds: Double

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - capacity: number of copies.
    ///   - spacingSeconds: least time between two of them.
    init(capacity: Int, spacingSeconds: Double) {
        (self.capacity, self.spacingSeconds) = (capacity, spacingSeconds)
        samples = ContiguousArray(repeating: 0, count: capacity)
        times = ContiguousArray(repeating: MonotonicTime(nanoseconds: 0), count: capacity)
    }

    /// Forgets all copies; `filter` fills the places at the first call.
    mutating func begin(with filter: NavigationFilter) {
        if filters.isEmpty { filters = ContiguousArray(repeating: filter, count: capacity) }
        (head, count) = (0, 0)
    }

    /// Keeps a copy where enough time has passed since the one before. The filter is passed in place, because it would
    /// be copied for each sample otherwise.
    ///
    /// - Parameter sample: number of the sample that the filter has been run through.
    mutating func keep(_ filter: inout NavigationFilter, sample: Int) {
        guard count == 0 || filter.state.time.seconds(since: times[slot(0)]) >= spacingSeconds else { return }
        filters[head] = filter
        samples[head] = sample
        times[head] = filter.state.time
        head = (head + 1) % capacity
        count = min(count + 1, capacity)
    }

    /// Puts another filter in the place of the copy that had been run through the same sample, if there is one.
    mutating func replace(with filter: inout NavigationFilter, sample: Int) {
        for newer in 0..<count where samples[slot(newer)] == sample { filters[slot(newer)] = filter }
    }

    /// Discards the copies that had been run beyond a sample.
    mutating func discard(after sample: Int) {
        while count > 0, samples[slot(0)] > sample {
            head = slot(0)
            count -= 1
        }
    }

    /// The newest copy before an instant: its slot, its sample and its time.
    func last(before time: MonotonicTime) -> (slot: Int, sample: Int, time: MonotonicTime)? {
        for newer in 0..<count where times[slot(newer)] < time {
            return (slot(newer), samples[slot(newer)], times[slot(newer)])
        }
        return nil
    }

    /// The copy in a slot.
    subscript(slot: Int) -> NavigationFilter { filters[slot] }

    /// The slot of a copy by the number of newer ones.
    private func slot(_ newer: Int) -> Int { (head + capacity - 1 - newer) % capacity }
}
