extension IMUNoiseEstimator.Density {
    /// Least noise on a person, gyro, rad/s/sqrt(Hz), and accelerometer, m/s2/sqrt(Hz): a gait shakes in step with the
    /// samples' errors of scale and alignment, which do not show from one sample to the next.
    private static let leastGyro = 0.1 * Double.pi / 180
    private static let leastAccelerometer = 0.03

    /// The noise on what a profile stands for.
    /// docs/math.md, eq. 4.11.
    func on(_ profile: MotionProfile) -> IMUNoiseEstimator.Density {
        guard profile == .wearable else { return self }
        var worn = self
        for axis in 0..<3 {
            worn.gyro.diagonal[axis] = max(gyro.diagonal[axis], Self.leastGyro * Self.leastGyro)
            worn.accelerometer.diagonal[axis] = max(
                accelerometer.diagonal[axis], Self.leastAccelerometer * Self.leastAccelerometer)
        }
        return worn
    }
}
