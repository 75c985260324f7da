import PoseMath

/// What the filter forgets at an update: of another receiver, of an error that has changed, after a fault.
///
/// None of that is a measurement. What a smoother learns of such a state afterwards does not hold for the time before.
extension NavigationFilter {
    /// Forgets everything known about a state, which begins anew: no correlation, a new variance.
    /// docs/math.md, eq. 10.7.
    mutating func restart(_ state: FilterState, variance: Double) {
        covariance.restart(state, variance: variance)
        for i in state.elements { forgotten[i] = .infinity }
    }

    /// Adds a variance to every element of a state, which may have changed by so much.
    /// docs/math.md, eq. 10.7.
    mutating func addVariance(_ variance: Double, to state: FilterState) {
        covariance.addVariance(variance, to: state)
        for i in state.elements { forgotten[i] += variance }
    }
}
