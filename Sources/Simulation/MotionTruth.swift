/// A motion with known truth at every instant, for simulated sensors.
public protocol MotionTruth: Sendable {
    /// Duration, seconds.
    var durationSeconds: Double { get }
    /// The truth at a time since the start, seconds.
    func truth(atSeconds seconds: Double) -> DriveTruth
    /// Converts a time since the first start to a time since the start of its lap; unchanged if nothing repeats.
    func lapSeconds(_ seconds: Double) -> Double
}

extension Drive: MotionTruth {}
