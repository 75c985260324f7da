/// The visible points of the scene at one instant. The value is reused, so that its array keeps its capacity.
public struct SceneView: Sendable, Equatable {
    /// Version of the route that markers, arrows, turn and destination belong to, as in the frames.
    public var routeVersion: UInt32 = 0
    /// Changes whenever the set of points changes, so that texts are sent only then.
    public var contentVersion: UInt32 = 0
    /// Markers and arrows along the route, then turn, destination and target, then points of interest, nearest first.
    public var points: [VisiblePoint] = []
    /// Number of points of interest within the radius, including those beyond the limit.
    public var pointsOfInterestTotal: UInt32 = 0

    /// Creates an empty scene with capacity for the maximum number of points.
    public init() { points.reserveCapacity(SceneLimits.points) }
}

/// Maximum numbers of points in a scene.
public enum SceneLimits {
    /// Markers in one window.
    public static let markers = 200
    /// Arrows along the next part of the route.
    public static let arrows = 64
    /// Points of interest.
    public static let pointsOfInterest = 100
    /// All points, including turn, destination and target.
    public static let points = markers + arrows + pointsOfInterest + 3
}
