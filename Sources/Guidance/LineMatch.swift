import Geodesy
import Glibc
import PoseMath

/// A place on the route that may be the vehicle's.
struct LineMatch {
    /// Along the route, metres.
    var alongMeters: Double
    /// The segment it lies on.
    var segment: Int
    /// From the route to the vehicle, metres.
    var offset: PlaneOffset
    /// Direction of the segment, unit length.
    var direction: PlaneOffset
    /// What the position that was judged is shifted by, metres.
    var shift: PlaneOffset
    /// How little it fits: minus the logarithm of its likelihood, but for a constant. Not negative.
    var cost: Double

    /// From the route to the vehicle, metres, not negative.
    var distanceMeters: Double { offset.length }

    /// The distance of the position, which is shifted from the vehicle, with the sign of the side: left of the route is
    /// negative.
    func crossTrackMeters(shift: PlaneOffset) -> Double {
        let rightward = direction.north * (offset.east + shift.east) - direction.east * (offset.north + shift.north)
        // Beside the line's end the distance counts, not the part of it across.
        if shift.east == 0, shift.north == 0 { return rightward < 0 ? -distanceMeters : distanceMeters }
        return rightward
    }
}

/// What a place on the route is judged by.
struct MatchQuery {
    /// Around the position.
    var plane: TangentPlane
    /// What the position is shifted by from the vehicle, metres: the place is judged without it.
    var shift = PlaneOffset.zero
    /// Inverse of twice the variance of the distance from the line, 1/m2.
    var distanceWeight: Double
    /// Direction of travel, unit length; `nil` where unknown.
    var travel: PlaneOffset?
    /// Inverse of the variance of the direction of travel against the road's, 1/rad2.
    var directionWeight: Double
    /// Where on the route the vehicle should be by what went before, metres; `nil` when nothing did.
    var expectedAlongMeters: Double?
    /// Inverse of twice the variance of that, 1/m2.
    var alongWeight: Double

    /// A direction opposite to the road's costs at most this much: one fix with a wild course does not throw a good
    /// position away.
    static let maximumDirectionCost = 8.0
    /// An unexpected place costs at most this much.
    static let maximumAlongCost = 8.0

    /// The place of a segment that is nearest to the vehicle, judged.
    /// docs/math.md, eq. 11.3, eq. 11.4.
    @inline(__always) func judge(_ segment: Int, of line: RouteLine) -> LineMatch {
        let a = plane.offset(of: line.vertices[segment]) + shift
        let b = plane.offset(of: line.vertices[segment + 1]) + shift
        let along = b - a
        let lengthSquared = along.east * along.east + along.north * along.north
        // A segment that points straight down under the plane (the other side of the Earth) has no length here.
        let inverse = lengthSquared > 0 ? 1 / lengthSquared : 0
        let fraction = min(max(-(a.east * along.east + a.north * along.north) * inverse, 0), 1)
        let offset = PlaneOffset(east: -(a.east + fraction * along.east), north: -(a.north + fraction * along.north))
        let scale = inverse.squareRoot()
        let direction = PlaneOffset(east: along.east * scale, north: along.north * scale)
        let place = line.along[segment] + fraction * (line.along[segment + 1] - line.along[segment])
        var cost = (offset.east * offset.east + offset.north * offset.north) * distanceWeight
        if let travel {
            // 1 - cos is half the square of a small angle and stays bounded for large ones.
            let cosine = travel.east * direction.east + travel.north * direction.north
            cost += min((1 - min(cosine, 1)) * directionWeight, MatchQuery.maximumDirectionCost)
        }
        if let expectedAlongMeters {
            let difference = place - expectedAlongMeters
            cost += min(difference * difference * alongWeight, MatchQuery.maximumAlongCost)
        }
        return LineMatch(
            alongMeters: place, segment: segment, offset: offset, direction: direction, shift: shift, cost: cost)
    }
}

extension Route {
    /// The best place between two lengths along the route, and the way there from the nearest, metres. Looks at those
    /// segments only.
    func bestMatch(_ query: MatchQuery, fromAlong low: Double, toAlong high: Double) -> (
        match: LineMatch, nearest: PlaneOffset
    ) {
        var segment = line.segment(atAlong: low)
        var best = query.judge(segment, of: line)
        var nearest = best.offset
        segment += 1
        while segment < line.segmentCount, line.along[segment] <= high {
            let match = query.judge(segment, of: line)
            if match.cost < best.cost { best = match }
            if match.offset.dot(match.offset) < nearest.dot(nearest) { nearest = match.offset }
            segment += 1
        }
        return (best, nearest)
    }

    /// The best place on the whole route within a distance, or `nil` when there is none. Routes are made from where the
    /// vehicle is: with a `startCost` places farther along cost that much, half of it 35 m from the start, and each
    /// kilometre a little more, up to 2.
    func bestMatchAnywhere(_ query: MatchQuery, withinMeters distance: Double, startCost: Double = 0) -> LineMatch? {
        var best: LineMatch?
        let squared = distance * distance
        tree.visit(near: query.plane.origin, withinSquared: squared) { segment in
            var match = query.judge(segment, of: line)
            if startCost > 0 {
                match.cost += startCost * (1 - exp(-match.alongMeters / 50)) + min(match.alongMeters * 5e-5, 2)
            }
            let isNearer = match.cost < (best?.cost ?? .infinity)
            if isNearer, match.offset.east * match.offset.east + match.offset.north * match.offset.north <= squared {
                best = match
            }
            return min(squared, (best?.cost ?? .infinity) / query.distanceWeight)
        }
        return best
    }
}
