import PoseMath

/// Points of a line at equal distances along it, as offsets in a tangent plane. Beyond an end of the line the points
/// stay there.
struct LineSamples {
    private let line: RouteLine
    private let plane: TangentPlane
    private let spacingMeters: Double
    private var segment: Int
    private var (start, end): (PlaneOffset, PlaneOffset)
    /// Along-route distance of the next point, metres.
    private(set) var alongMeters: Double

    /// The points from an along-route distance on, metres.
    init(_ line: RouteLine, from alongMeters: Double, spacingMeters: Double, plane: TangentPlane) {
        self.line = line
        self.plane = plane
        self.spacingMeters = spacingMeters
        self.alongMeters = alongMeters
        segment = line.segment(atAlong: alongMeters)
        start = plane.offset(of: line.vertices[segment])
        end = plane.offset(of: line.vertices[segment + 1])
    }

    /// The next point.
    mutating func next() -> PlaneOffset {
        while alongMeters > line.vertexAlongMeters[segment + 1], segment + 1 < line.segmentCount {
            segment += 1
            start = end
            end = plane.offset(of: line.vertices[segment + 1])
        }
        let begin = line.vertexAlongMeters[segment]
        let fraction = (alongMeters - begin) / (line.vertexAlongMeters[segment + 1] - begin)
        alongMeters += spacingMeters
        return start + (end - start) * min(max(fraction, 0), 1)
    }
}
