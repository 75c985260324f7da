import Geodesy
import Guidance

/// A line in a plane, for finding true places along it by plain geometry.
package struct PlaneLine {
    private let frame: LocalFrame
    private let points: [(x: Double, y: Double)]
    private let along: [Double]

    package init(_ route: Route) {
        let frame = LocalFrame(origin: route.vertex(route.vertexCount / 2).position)
        self.frame = frame
        points = (0..<route.vertexCount).map {
            let p = frame.enuMeters(of: route.vertex($0).position)
            return (p.x, p.y)
        }
        along = (0..<route.vertexCount).map { route.vertex($0).alongMeters }
    }

    /// The nearest place of the line between two lengths along it: how far, and where along it.
    package func nearest(_ place: GeodeticPosition, from low: Double = -.infinity, to high: Double = .infinity) -> (
        meters: Double, along: Double
    ) {
        let p = frame.enuMeters(of: place)
        var best = (square: Double.infinity, along: 0.0)
        var index = first(endingAt: low)
        while index < points.count - 1, along[index] <= high {
            defer { index += 1 }
            let (a, b) = (points[index], points[index + 1])
            let (x, y) = (b.x - a.x, b.y - a.y)
            let t = min(max(((p.x - a.x) * x + (p.y - a.y) * y) / (x * x + y * y), 0), 1)
            let (dx, dy) = (p.x - a.x - t * x, p.y - a.y - t * y)
            let square = dx * dx + dy * dy
            if square < best.square { best = (square, along[index] + t * (along[index + 1] - along[index])) }
        }
        return (best.square.squareRoot(), best.along)
    }

    /// The first segment that ends at or behind a length along the line.
    private func first(endingAt meters: Double) -> Int {
        var (low, high) = (0, points.count - 2)
        while low < high {
            let middle = (low + high) / 2
            if along[middle + 1] >= meters { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
