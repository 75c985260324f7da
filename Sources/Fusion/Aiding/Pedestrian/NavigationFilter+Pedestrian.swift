import PoseMath

/// Pedestrian dead reckoning: velocity from the gait during an outage of the receiver.
///
/// Starts on a person who walks while fixes come: the gait is learned. Used when fixes have failed for 1.5 s. Stops
/// when the steps end.
extension NavigationFilter {
    /// Learns the gait while fixes come, or fuses its velocity without them; each time the constraints are applied.
    ///
    /// - Parameters:
    ///   - stepsPerSecond: pace, zero while nobody walks.
    ///   - angularRate: mean rate of turn since the last time, bias removed, sensor axes, rad/s.
    ///   - seconds: since the last time.
    mutating func fuseSteps(_ stepsPerSecond: Double, angularRate: Vector3, seconds: Double) {
        let motion = pedestrian.motion(
            stepsPerSecond: stepsPerSecond, angularRate: angularRate, sensorToENU: state.sensorToENU,
            seconds: seconds)
        guard stepsPerSecond > 0, let last = lastFixTime else { return }
        let age = state.time.seconds(since: last)
        if age < Tuning.Pedestrian.recentFixSeconds {
            let variance = covariance[.velocity.x, .velocity.x] + covariance[.velocity.y, .velocity.y]
            guard variance < 2 * Tuning.Pedestrian.learningSigma * Tuning.Pedestrian.learningSigma else { return }
            pedestrian.learn(velocityENU: state.velocityENU, from: motion, seconds: seconds)
        } else if age > Tuning.Pedestrian.outageSeconds, pedestrian.isKnown {
            fuseGait(motion, seconds)
        }
    }

    private mutating func fuseGait(_ motion: PedestrianVelocity.Motion, _ seconds: Double) {
        let walked = pedestrian.velocityENU(motion)
        // White noise with the power at zero frequency of a correlated error.
        let spread = 2 * Tuning.Pedestrian.correlationSeconds / seconds
        fuse(
            .pedestrian, gaitComponent(0, walked: walked, spread: spread),
            gaitComponent(1, walked: walked, spread: spread),
            gate: Tuning.Pedestrian.gate)
        var climb = ObservationRow()
        climb.add(.velocity.z, 1)
        fuse(
            .pedestrian,
            Component(
                row: climb, innovation: -state.velocityENU.z,
                variance: Tuning.Pedestrian.climbSigma * Tuning.Pedestrian.climbSigma * spread),
            gate: Tuning.Pedestrian.gate)
    }

    /// Observation of one axis of the velocity predicted by the gait, m/s. Its variance is spread over the readings
    /// within one correlation time.
    /// docs/math.md, eq. 5.10.
    mutating func gaitComponent(_ axis: Int, walked: Vector3, spread: Double) -> Component {
        var row = ObservationRow()
        row.add(.velocity[axis], 1)
        // An error of the attitude turns the predicted velocity: d(Exp(a) u)/da = -[u]x.
        row.add(.attitude, walked.skew.row(axis))
        return Component(
            row: row, innovation: walked[axis] - state.velocityENU[axis], variance: pedestrian.variance * spread)
    }
}
