import PoseMath

/// What a receiver sees that is behind. The track holds what the IMU alone has gained, without the filter's
/// corrections: what is known of the velocity now holds for the moments before as well.
extension NavigationFilter {
    /// The velocity that a receiver saw which delays it by so much; one that is ahead of the IMU sees the present one.
    /// East, north, up, m/s.
    /// docs/math.md, eq. 6.8.
    func velocity(delayedBySeconds delay: Double, track: VectorHistory) -> Vector3 {
        guard delay > 0, let newest = track.newest else { return state.velocityENU }
        let since = state.time.seconds(since: newest.time)
        guard delay < since else {
            return state.velocityENU
                - (gainedSinceBeginning
                    - track.value(at: state.time.advanced(bySeconds: -delay), fallback: gainedSinceBeginning))
        }
        return state.velocityENU - (gainedSinceBeginning - newest.value) * (delay / since)
    }

    /// The velocity that a receiver shows which smooths it with a time constant, and by how much it falls for each
    /// second of that, m/s and m/s2, east, north, up. About a time constant of nothing, and below, the change is that
    /// of the last moments.
    /// docs/math.md, eq. 6.8.
    func velocity(smoothedOverSeconds seconds: Double, track: VectorHistory) -> (seen: Vector3, slope: Vector3) {
        let over = max(seconds, Tuning.Delay.leastSmoothingSeconds)
        let slope =
            (gainedSinceBeginning - track.smoothed(at: state.time, newest: gainedSinceBeginning, seconds: over)) / over
        return (state.velocityENU - slope * seconds, slope)
    }
}
