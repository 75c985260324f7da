import PoseMath

/// A tree of bounding boxes that finds the segments near a position without visiting the others.
///
/// Consecutive segments are close to each other, so a complete binary tree over their order works well and needs no
/// sorting.
struct SegmentTree: Sendable {
    /// Segments in one leaf.
    static let leafSize = 8

    /// An axis-parallel box in Earth-centred coordinates, metres.
    struct Box: Sendable {
        var low = Vector3(.infinity, .infinity, .infinity)
        var high = Vector3(-.infinity, -.infinity, -.infinity)

        mutating func include(_ p: Vector3) {
            low = Vector3(min(low.x, p.x), min(low.y, p.y), min(low.z, p.z))
            high = Vector3(max(high.x, p.x), max(high.y, p.y), max(high.z, p.z))
        }

        /// Square of the distance to a point, m2; infinite for an empty box.
        @inline(__always) func distanceSquared(to p: Vector3) -> Double {
            let x = max(low.x - p.x, 0, p.x - high.x)
            let y = max(low.y - p.y, 0, p.y - high.y)
            let z = max(low.z - p.z, 0, p.z - high.z)
            return x * x + y * y + z * z
        }
    }

    /// Node 1 is the root, node n has children 2n and 2n + 1; leaves start at `leafBase`.
    private let boxes: [Box]
    private let leafBase: Int
    private let segmentCount: Int

    /// The tree over the segments of a line.
    init(vertices: [Vector3]) {
        segmentCount = max(0, vertices.count - 1)
        let leaves = (segmentCount + SegmentTree.leafSize - 1) / SegmentTree.leafSize
        var base = 1
        while base < leaves { base *= 2 }
        leafBase = base
        var boxes = [Box](repeating: Box(), count: 2 * base)
        for segment in 0..<segmentCount {
            let leaf = base + segment / SegmentTree.leafSize
            boxes[leaf].include(vertices[segment])
            boxes[leaf].include(vertices[segment + 1])
        }
        for node in stride(from: base - 1, through: 1, by: -1) {
            let (left, right) = (boxes[2 * node], boxes[2 * node + 1])
            if left.low.x.isFinite {
                boxes[node].include(left.low)
                boxes[node].include(left.high)
            }
            if right.low.x.isFinite {
                boxes[node].include(right.low)
                boxes[node].include(right.high)
            }
        }
        self.boxes = boxes
    }

    /// Visits the segments that may lie within a distance, nearest boxes first. The visitor evaluates one segment and
    /// returns the square of the new search distance, m2. Allocates nothing.
    @inline(__always) func visit(near point: Vector3, withinSquared limit: Double, _ visitor: (Int) -> Double) {
        var limit = limit
        descend(1, point, &limit, visitor)
    }

    private func descend(_ node: Int, _ point: Vector3, _ limit: inout Double, _ visitor: (Int) -> Double) {
        guard boxes[node].distanceSquared(to: point) <= limit else { return }
        guard node < leafBase else {
            let first = (node - leafBase) * SegmentTree.leafSize
            for segment in first..<min(first + SegmentTree.leafSize, segmentCount) {
                limit = min(limit, visitor(segment))
            }
            return
        }
        let leftFirst = boxes[2 * node].distanceSquared(to: point) <= boxes[2 * node + 1].distanceSquared(to: point)
        descend(leftFirst ? 2 * node : 2 * node + 1, point, &limit, visitor)
        descend(leftFirst ? 2 * node + 1 : 2 * node, point, &limit, visitor)
    }
}
