extension NoiseModel {
    /// The figures for a profile: a body carries a sensor more gently than an engine shakes it.
    init(profile: MotionProfile) {
        self.init()
        guard profile == .wearable else { return }
        gyroDensity = 0.1 * 0.017_453_3
        accelerometerDensity = 0.03
    }
}
