/// Something that moves and whose truth is known at every instant: what simulated sensors are fitted to.
public protocol MotionTruth: Sendable {
    /// From the first to the last instant, seconds.
    var durationSeconds: Double { get }
    /// The truth at a time since the start.
    func truth(atSeconds seconds: Double) -> DriveTruth
    /// A time since the first start as a time since the start of its lap; the same where nothing repeats.
    func lapSeconds(_ seconds: Double) -> Double
}

extension Drive: MotionTruth {}
