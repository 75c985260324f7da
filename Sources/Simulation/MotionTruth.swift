import Geodesy
import PoseMath

/// A motion with known truth at every instant, for simulated sensors.
public protocol MotionTruth: Sendable {
    /// Duration, seconds.
    var durationSeconds: Double { get }
    /// The truth at a time since the start, seconds.
    func truth(atSeconds seconds: Double) -> DriveTruth
    /// The velocity alone, east, north, up, m/s: the same number as in `truth`, and much less work where the motion is
    /// known in closed form.
    func velocityENUMetersPerSecond(atSeconds seconds: Double) -> Vector3
    /// The position of the reference point and the distance along the path, metres, alone: the same numbers as in
    /// `truth`.
    func place(atSeconds seconds: Double) -> (position: GeodeticPosition, distanceMeters: Double)
    /// Converts a time since the first start to a time since the start of its lap; unchanged if nothing repeats.
    func lapSeconds(_ seconds: Double) -> Double
}

extension Drive: MotionTruth {}

extension MotionTruth {
    /// From the whole truth, where nothing shorter is known.
    public func velocityENUMetersPerSecond(atSeconds seconds: Double) -> Vector3 {
        truth(atSeconds: seconds).velocityENUMetersPerSecond
    }

    /// From the whole truth, where nothing shorter is known.
    public func place(atSeconds seconds: Double) -> (position: GeodeticPosition, distanceMeters: Double) {
        let truth = truth(atSeconds: seconds)
        return (truth.position, truth.distanceMeters)
    }
}
