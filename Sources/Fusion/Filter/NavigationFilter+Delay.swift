import PoseMath

/// The velocity as a late receiver measures it. The history holds the integral of the acceleration without the filter's
/// corrections: a correction of the velocity holds for the moments before as well.
extension NavigationFilter {
    /// The velocity at a delay in the past; for a negative delay the present one. East, north, up, m/s.
    /// docs/math.md, eq. 6.8.
    func velocity(delayedBySeconds delay: Double, track: VectorHistory) -> Vector3 {
        guard delay > 0, let newest = track.newest else { return state.velocityENU }
        let since = state.time.seconds(since: newest.time)
        guard delay < since else {
            return state.velocityENU
                - (inertialVelocity
                    - track.value(at: state.time.advanced(bySeconds: -delay), fallback: inertialVelocity))
        }
        return state.velocityENU - (inertialVelocity - newest.value) * (delay / since)
    }

    /// The velocity after a low-pass filter with a time constant, and its decrease for each second of that, m/s and
    /// m/s2, east, north, up. For time constants about zero and below, the slope is that of the last moments.
    /// docs/math.md, eq. 6.8.
    func velocity(smoothedOverSeconds seconds: Double, track: VectorHistory) -> (seen: Vector3, slope: Vector3) {
        let over = max(seconds, Tuning.Delay.leastSmoothingSeconds)
        let slope =
            (inertialVelocity - track.smoothed(at: state.time, newest: inertialVelocity, seconds: over)) / over
        return (state.velocityENU - slope * seconds, slope)
    }
}
