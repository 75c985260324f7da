extension IMUNoiseEstimator.Density {
    /// Noise density for a profile.
    /// docs/math.md, eq. 4.11.
    func on(_ profile: MotionProfile) -> IMUNoiseEstimator.Density {
        guard !profile.traits.isFastened else { return self }
        var worn = self
        for axis in 0..<3 {
            worn.gyro.diagonal[axis] = max(
                gyro.diagonal[axis], Tuning.IMUNoise.leastGyroWearable * Tuning.IMUNoise.leastGyroWearable)
            worn.accelerometer.diagonal[axis] = max(
                accelerometer.diagonal[axis],
                Tuning.IMUNoise.leastAccelerometerWearable * Tuning.IMUNoise.leastAccelerometerWearable)
        }
        return worn
    }
}
