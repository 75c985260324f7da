/// Assumptions about world and sensors that are not one state's own: those stand in the state table. 1-sigma, SI.
///
/// The noise of the samples themselves is measured while running: ``IMUNoiseEstimator``.
struct NoiseModel: Sendable, Equatable {
    /// Heading sigma below which the heading counts as settled, radians.
    var settledHeadingSigma = 0.02
    /// How far the lag of the receiver's position may be beyond its initial sigma once the heading is settled, seconds:
    /// it has to be found, but not in the first turns, whose unsettled attitude looks like one.
    var settledPositionLag = 0.03
    /// Largest 1-sigma of the initial gyro bias, rad/s, where it was not measured at rest.
    var initialGyroBias = 0.06
    /// 1-sigma of how late a receiver's velocity may be beyond what is assumed, seconds.
    static let velocityLagSigma: Double =
        if case .constant(let sigma, _) = StateTable.entry(.velocityTimeConstant)?.initialSigma { sigma } else { 0 }
    /// Correlation time of the GNSS bias of a receiver's position, seconds: between reflections on the move and what
    /// the sky does.
    static let gnssBiasSeconds: Double =
        if case .gaussMarkov(let seconds) = StateTable.entry(.gnssBias)?.noise { seconds } else { .infinity }
    /// Noise of the gyro at the beginning of a filter that began on the move, rad/s/sqrt(Hz), and how fast it goes,
    /// seconds.
    var linearizationNoiseDensity = 0.75 * 0.017_453_3
    var linearizationNoiseSeconds = 20.0
    /// How level a vehicle stands where its mount is taken from gravity, radians (a 3 % slope).
    var initialMountTilt = 0.03
}
