/// Whether the target is near: near from a distance on, far again only a margin farther, so that noise at the border
/// makes one event and not many.
public struct TargetTracker: Sendable {
    /// Far again this much farther than near, metres, at least.
    public static let leastMarginMeters = 10.0
    /// And this many sigmas of the position: with 4, chance alone does it in less than one of 10,000.
    public static let marginSigmas = 4.0

    /// Near from this distance on, metres.
    public let nearMeters: Double
    /// The latest answer; `nil` before the first distance.
    public private(set) var isNear: Bool?

    /// A tracker that has seen nothing.
    public init(nearMeters: Double) { self.nearMeters = nearMeters }

    /// The tracker with another distance, which has seen the same.
    public func near(fromMeters meters: Double) -> TargetTracker {
        var other = TargetTracker(nearMeters: meters)
        other.isNear = isNear
        return other
    }

    /// Takes a distance and the position's 1-sigma, metres; returns whether the answer is another one now. A distance
    /// that is not a number changes nothing.
    public mutating func update(distanceMeters: Double, sigmaMeters: Double) -> Bool {
        guard distanceMeters >= 0 else { return false }
        let before = isNear
        let margin = max(Self.leastMarginMeters, Self.marginSigmas * (sigmaMeters >= 0 ? min(sigmaMeters, 100) : 0))
        if distanceMeters <= nearMeters {
            isNear = true
        } else if before != true || distanceMeters >= nearMeters + margin {
            isNear = false
        }
        return isNear != before && !(before == nil && isNear == false)
    }
}
