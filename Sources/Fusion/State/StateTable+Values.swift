/// Numbers of the state table that other parts of the estimator use.
extension FilterState {
    /// Initial 1-sigma of the time constant of the receiver's velocity, seconds.
    static let velocityLagSigma: Double =
        if case .constant(let sigma, _) = StateTable.entry(.velocityLag)?.initialSigma { sigma } else { 0 }

    /// Correlation time of the GNSS bias, seconds.
    static let gnssBiasSeconds: Double =
        if case .gaussMarkov(let seconds) = StateTable.entry(.gnssBias)?.noise { seconds } else { .infinity }
}
