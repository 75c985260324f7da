import Guidance

/// Positions of the markers along a route, and the window of markers that is shown.
///
/// The distance between two points of the route is divided evenly: spacing at most 20 m for points up to 100 m apart,
/// 50 m up to 1 km, 100 m up to 5 km, 200 m above. Points less than 20 m apart get no marker between them. The points
/// themselves are markers.
public struct MarkerPlan: Sendable {
    /// Along-route distances of the markers, metres, strictly increasing.
    public let alongMeters: [Double]
    /// Indices of the markers shown.
    public private(set) var window: Range<Int> = 0..<0

    /// The next window starts when the first marker after the window is closer than this along the route, or passed,
    /// metres.
    static let nextWindowMeters = 25.0
    /// A window starts this far behind the vehicle, metres: markers just passed may still be visible.
    static let behindMeters = 50.0
    /// Maximum number of markers behind the vehicle: the points of a recorded track may be so dense that a window would
    /// end before it.
    static let mostBehind = SceneLimits.markers / 4
    /// Maximum number of markers; a route of 1,000 km has about 50,000.
    static let maximumCount = 1_000_000

    /// Computes the markers of a route.
    public init(route: Route) { self.init(pointsAlong: route.planPointsAlongMeters) }

    init(pointsAlong points: [Double]) {
        var markers: [Double] = []
        markers.reserveCapacity(points.count)
        for point in points where markers.count < Self.maximumCount {
            guard let last = markers.last else {
                markers.append(point)
                continue
            }
            let gap = point - last
            guard gap > 0 else { continue }
            let pieces = Self.pieces(ofMeters: gap)
            for piece in 1..<max(pieces, 1) { markers.append(last + gap * Double(piece) / Double(pieces)) }
            markers.append(point)
        }
        alongMeters = markers
    }

    /// Number of parts into which a gap between two points is divided.
    static func pieces(ofMeters gap: Double) -> Int {
        guard gap > 20 else { return 1 }
        let spacing = gap <= 100 ? 20.0 : gap <= 1000 ? 50 : gap <= 5000 ? 100 : 200
        // The tolerance ignores rounding errors just above a whole number.
        return Int((gap / spacing - 1e-9).rounded(.up))
    }

    /// Updates the window for the progress, metres along the route; returns whether another window is shown.
    public mutating func update(progressMeters: Double) -> Bool {
        let isFirst = window.isEmpty && !alongMeters.isEmpty
        let isDue =
            window.upperBound < alongMeters.count
            && alongMeters[window.upperBound] - progressMeters < Self.nextWindowMeters
        // A vehicle matched farther back needs the markers there.
        let isBehind = !window.isEmpty && window.lowerBound > 0 && progressMeters < alongMeters[window.lowerBound]
        guard isFirst || isDue || isBehind else { return false }
        let first = max(
            firstIndex(from: progressMeters - Self.behindMeters), firstIndex(from: progressMeters) - Self.mostBehind)
        let next = first..<min(first + SceneLimits.markers, alongMeters.count)
        guard next != window else { return false }
        window = next
        return true
    }

    /// Index of the first marker at or after an along-route distance.
    private func firstIndex(from along: Double) -> Int {
        var (low, high) = (0, alongMeters.count)
        while low < high {
            let middle = (low + high) / 2
            if alongMeters[middle] < along { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
