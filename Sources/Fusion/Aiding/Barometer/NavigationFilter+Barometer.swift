import PoseMath

/// Barometric height: stabilises the height against the noise and the outages of the receiver. Its offset is estimated.
///
/// Starts when the height is known to 20 m. Restarts when its readings have been rejected for 5 s. Stops when the
/// position is restarted.
extension NavigationFilter {
    /// Whether the offset is being estimated.
    var isBarometerUsed: Bool {
        mutating get { covariance[.barometerOffset, .barometerOffset] > 0 }
    }

    /// Whether the offset is being estimated, or the height is known well enough for its start.
    var canUseBarometer: Bool {
        mutating get {
            isBarometerUsed
                || covariance[.position.z, .position.z] < Tuning.Barometer.startSigma * Tuning.Barometer.startSigma
        }
    }

    /// Fuses a height of the barometer, valid now.
    mutating func fuseBarometricHeight(_ height: Double) {
        let seconds =
            barometer.lastTime.map { min(state.time.seconds(since: $0), Tuning.Barometer.longestIntervalSeconds) } ?? 0
        barometer.lastTime = state.time
        guard canUseBarometer else { return }
        guard isBarometerUsed else { return startBarometer(height: height) }
        let climbed = barometer.climbedMeters(at: state.position.altitudeEllipsoidMeters)
        addVariance(
            Barometer.driftVariance(seconds: seconds, climb: state.velocityENU.z, climbed: climbed),
            to: .barometerOffset)
        guard fuse(.barometer, barometerComponent(height: height), gate: Tuning.Barometer.gate) else {
            barometer.refusedSeconds += seconds
            if !(barometer.refusedSeconds < Tuning.Barometer.rejectedSeconds) { startBarometer(height: height) }
            return
        }
        barometer.refusedSeconds = 0
    }

    /// Observation of the barometric height, metres: the height above the ellipsoid plus the offset.
    /// docs/math.md, eq. 5.12.
    mutating func barometerComponent(height: Double) -> Component {
        var row = ObservationRow()
        row.add(.position.z, 1)
        row.add(.barometerOffset, 1)
        let innovation = height - state.position.altitudeEllipsoidMeters - state[.barometerOffset]
        return Component(
            row: row, innovation: innovation, variance: Tuning.Barometer.sigmaMeters * Tuning.Barometer.sigmaMeters,
            observation: height)
    }

    /// Initialises the offset from the filter's height: its error is that of the height with the opposite sign.
    /// docs/math.md, eq. 5.13.
    private mutating func startBarometer(height: Double) {
        state[.barometerOffset] = height - state.position.altitudeEllipsoidMeters
        restart(.barometerOffset, variance: 0)
        let (up, offset) = (FilterState.position.z.index, FilterState.barometerOffset.index)
        for i in 0..<offset {
            covariance[i, offset] = -covariance[i, up]
            covariance[offset, i] = -covariance[i, up]
        }
        covariance[offset, offset] = covariance[up, up] + Tuning.Barometer.sigmaMeters * Tuning.Barometer.sigmaMeters
        barometer.refusedSeconds = 0
        barometer.restartClimb(at: state.position.altitudeEllipsoidMeters)
    }

    /// Stops the use of the barometer; the next reading starts it again.
    mutating func stopBarometer() {
        barometer = Barometer()
        state[.barometerOffset] = 0
        restart(.barometerOffset, variance: 0)
    }
}
