import PoseMath

extension RoadMap {
    /// Calls `body` once with each edge that has a segment near an Earth-centred point, metres. The distance is that of
    /// bounding boxes, so edges somewhat farther away are among them.
    public func forEachEdge(near point: Vector3, withinMeters reach: Double, _ body: (UInt32, EdgeRecord) -> Void) {
        var seen: Set<UInt32> = []
        forEachSegment(near: point, withinMeters: reach) { number, edge, _, _, _ in
            if seen.insert(number).inserted { body(number, edge) }
        }
    }

    /// The points of an edge in their order, Earth-centred, metres.
    public func points(of edge: EdgeRecord) -> [Vector3] { (0..<Int(edge.pointCount)).map { point(edge, $0) } }
}
