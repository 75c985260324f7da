/// The whole scene from the device at one instant. A value to be kept and filled anew: its array keeps its room.
public struct SceneView: Sendable, Equatable {
    /// The route that markers, arrows, turn and destination belong to; the number that the frames carry.
    public var routeVersion: UInt32 = 0
    /// Changes whenever the points are others, so that texts need to be sent only then.
    public var contentVersion: UInt32 = 0
    /// Markers and arrows along the route, then turn, destination and target, then points of interest, nearest first.
    public var points: [VisiblePoint] = []
    /// Points of interest within the radius, those that were cut off included.
    public var pointsOfInterestInAll: UInt32 = 0

    /// An empty scene with room for as many points as there can be.
    public init() { points.reserveCapacity(SceneLimits.points) }
}

/// How many points a scene can have.
public enum SceneLimits {
    /// Markers in one window.
    public static let markers = 200
    /// Arrows over the next stretch.
    public static let arrows = 64
    /// Points of interest.
    public static let pointsOfInterest = 100
    /// All together, with turn, destination and target.
    public static let points = markers + arrows + pointsOfInterest + 3
}
