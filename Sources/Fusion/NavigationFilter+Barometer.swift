import PoseMath

/// Barometric height: holds the height through outages of the receiver and against its noise; its drift is estimated.
extension NavigationFilter {
    /// Height sigma up to which the offset can be taken from the filter's height, metres.
    private static let beginningSigma = 20.0
    /// Gate in sigmas.
    private static let barometerGate = 4.0
    /// Refused for so long, the air itself has changed (a door, a ventilator, a tunnel's wind): the offset is found
    /// anew, seconds.
    private static let refusedSeconds = 5.0

    /// Takes a height of the barometer, valid now.
    mutating func take(barometricHeight height: Double) {
        let seconds = barometer.lastTime.map { min(state.time.seconds(since: $0), 10) } ?? 0
        barometer.lastTime = state.time
        let offset = height - state.position.altitudeEllipsoidMeters
        let up = ErrorIndex.position + 2
        guard barometer.hasBegun else {
            guard covariance[up, up] < Self.beginningSigma * Self.beginningSigma else { return }
            return barometer.begin(offsetMeters: offset, covariance: &covariance)
        }
        barometer.drift(seconds: seconds, climb: state.velocityENU.z)
        let innovation = offset - barometer.offsetMeters
        let variance = barometer.expectedVariance(&covariance) + Barometer.sigmaMeters * Barometer.sigmaMeters
        let index = Int(AidSource.barometer.rawValue)
        aids[index].innovation = innovation
        aids[index].innovationVariance = variance
        aids[index].testRatio = abs(innovation) / (Self.barometerGate * variance.squareRoot())
        guard aids[index].testRatio < 1 else {
            aids[index].rejection = innovation.isFinite ? .innovation : .invalid
            aids[index].rejectedCount += 1
            barometer.refusedSeconds += seconds
            if !(barometer.refusedSeconds < Self.refusedSeconds) {
                barometer.begin(offsetMeters: offset, covariance: &covariance)
            }
            return
        }
        aids[index].rejection = .none
        aids[index].acceptedCount += 1
        barometer.refusedSeconds = 0
        var error = ErrorVector()
        barometer.observe(innovation: innovation, covariance: &covariance, error: &error)
        state.apply(error)
    }
}
