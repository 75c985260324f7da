import PoseMath

/// What the filter did, step by step, as far as a backward pass has to know.
struct SmoothingJournal: Sendable {
    /// One update of the filter, and the way to it.
    struct Epoch: Sendable {
        /// Estimate before and after the update.
        var predicted: NavigationState
        var updated: NavigationState
        /// Their covariances.
        var predictedCovariance: Covariance
        var updatedCovariance: Covariance
        /// How an error after the update before has moved on to this one.
        var transition: Covariance
        /// Whether the update was a jump on purpose, across which nothing is known.
        var isJump = false
    }

    /// Updates since the last backward pass, the first being where it began.
    var epochs: ContiguousArray<Epoch> = []
    private var transition = Covariance.identity
    private var jumps: UInt32 = 0

    /// Begins with a filter; what was there belongs to another.
    mutating func begin(with filter: inout NavigationFilter) {
        epochs.removeAll(keepingCapacity: true)
        jumps = filter.reset.count
        transition = .identity
        beginUpdate(&filter)
    }

    /// Follows the errors over a strapdown step.
    /// docs/math.md, eq. 10.1.
    mutating func carry(over step: Strapdown.Step) { transition.advance(over: step) }

    /// Follows the decay of the GNSS bias.
    mutating func decayGNSSBias(factor: Double) {
        for i in FilterState.gnssBias.elements {
            for j in 0..<FilterState.count { transition[i, j] *= factor }
        }
    }

    /// Keeps the estimate before an update.
    mutating func beginUpdate(_ filter: inout NavigationFilter) {
        epochs.append(
            Epoch(
                predicted: filter.state, updated: filter.state, predictedCovariance: filter.covariance,
                updatedCovariance: filter.covariance,
                transition: transition))
        transition = .identity
    }

    /// Keeps the estimate after it.
    mutating func endUpdate(_ filter: inout NavigationFilter) {
        let last = epochs.count - 1
        guard last >= 0 else { return }
        epochs[last].isJump = filter.reset.count != jumps
        jumps = filter.reset.count
        epochs[last].updated = filter.state
        epochs[last].updatedCovariance = filter.covariance
    }
}
