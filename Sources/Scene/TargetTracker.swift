/// Detects arrival near the target, with hysteresis, so that noise at the threshold makes a single event.
public struct TargetTracker: Sendable {
    /// Minimum hysteresis, metres.
    public static let minimumMarginMeters = 10.0
    /// Hysteresis in sigmas of the position: with 4, chance alone exceeds it less than once in 10,000.
    public static let marginSigmas = 4.0

    /// Threshold distance, metres.
    public let nearMeters: Double
    /// Whether the target is near; `nil` before the first distance.
    public private(set) var isNear: Bool?

    /// Creates a tracker with a threshold, metres.
    public init(nearMeters: Double) { self.nearMeters = nearMeters }

    /// A copy with another threshold, metres, and the same state.
    public func with(nearMeters meters: Double) -> TargetTracker {
        var other = TargetTracker(nearMeters: meters)
        other.isNear = isNear
        return other
    }

    /// Updates the tracker with a distance and the position's 1-sigma, metres; returns whether ``isNear`` changed. A
    /// distance that is not a number is ignored.
    public mutating func update(distanceMeters: Double, sigmaMeters: Double) -> Bool {
        guard distanceMeters >= 0 else { return false }
        let previous = isNear
        let margin = max(Self.minimumMarginMeters, Self.marginSigmas * (sigmaMeters >= 0 ? min(sigmaMeters, 100) : 0))
        if distanceMeters <= nearMeters {
            isNear = true
        } else if previous != true || distanceMeters >= nearMeters + margin {
            isNear = false
        }
        return isNear != previous && !(previous == nil && isNear == false)
    }
}
