import PoseMath

/// Journal of the filter's steps for the backward pass.
struct SmoothingJournal: Sendable {
    /// One update of the filter, and the transition to it.
    struct Epoch: Sendable {
        /// Estimate before and after the update.
        var predicted: NavigationState
        var updated: NavigationState
        /// Their covariances.
        var predictedCovariance: Covariance
        var updatedCovariance: Covariance
        /// Transition matrix from the update before to this one.
        var transition: Covariance
        /// Whether the update was an announced jump, across which no error is propagated.
        var isJump = false
        /// What the filter forgot at the update: ``NavigationFilter/forgotten``.
        var forgotten = StateArray(repeating: 0)
    }

    /// Updates since the last backward pass, the first being where it began.
    var epochs: ContiguousArray<Epoch> = []
    /// Transition matrix since the last update: one element, on the heap, because the buffer that contains the journal
    /// would be 9 kB larger otherwise.
    private var transition: ContiguousArray<Covariance> = [.identity]
    private var jumps: UInt32 = 0

    /// Starts with a filter, and drops the entries of another one.
    mutating func begin(with filter: inout NavigationFilter) {
        epochs.removeAll(keepingCapacity: true)
        jumps = filter.reset.count
        transition[0] = .identity
        beginUpdate(&filter)
    }

    /// Accumulates the transition of a strapdown step.
    /// docs/math.md, eq. 10.1.
    mutating func carry(over step: Strapdown.Step) { transition[0].advance(over: step) }

    /// Accumulates the decay of the GNSS bias.
    mutating func decayGNSSBias(factor: Double) {
        for i in FilterState.gnssBias.elements {
            for j in 0..<FilterState.count { transition[0][i, j] *= factor }
        }
    }

    /// Stores the estimate before an update.
    mutating func beginUpdate(_ filter: inout NavigationFilter) {
        epochs.append(
            Epoch(
                predicted: filter.state, updated: filter.state, predictedCovariance: filter.covariance,
                updatedCovariance: filter.covariance,
                transition: transition[0]))
        transition[0] = .identity
        filter.forgotten = StateArray(repeating: 0)
    }

    /// Stores the estimate after it.
    mutating func endUpdate(_ filter: inout NavigationFilter) {
        let last = epochs.count - 1
        guard last >= 0 else { return }
        epochs[last].isJump = filter.reset.count != jumps
        jumps = filter.reset.count
        epochs[last].forgotten = filter.forgotten
        epochs[last].updated = filter.state
        epochs[last].updatedCovariance = filter.covariance
    }
}
