/// By how much velocity and position of a receiver are older than their time stamp.
struct ReceiverLags: Sendable {
    /// Lag of the velocity, seconds, and its 1-sigma.
    var velocity: Double
    var velocitySigma: Double
    /// Lag of the position, seconds, and its 1-sigma beyond that of the state table.
    var position = 0.0
    var positionSigma = 0.0
    /// Whether that of the position is surely one of the clocks.
    var isOfClocks = false
    /// Covariance of both, s2.
    var covariance = 0.0
    /// Lag of the velocity against the position, seconds.
    var difference: Double
    /// Change of the position's lag with that of the velocity, 1, where the motion of this search has shown the latter:
    /// a part of it may be an unknown arm of the antenna. `nil` where it was not.
    var slopeOfMotion: Double?
}
