import Geodesy
import Glibc
import PoseMath

/// A candidate match of the vehicle's position on the route.
struct LineMatch {
    /// Along-route distance, metres.
    var alongMeters: Double
    /// Index of the segment.
    var segment: Int
    /// Offset from the matched point to the vehicle, metres.
    var offset: PlaneOffset
    /// Direction of the segment, unit length.
    var direction: PlaneOffset
    /// Multipath shift that was subtracted from the position, metres.
    var shift: PlaneOffset
    /// Cost of the match: negative logarithm of its likelihood without the constant. Not negative.
    var cost: Double

    /// Distance from the matched point to the vehicle, metres, not negative.
    var distanceMeters: Double { offset.length }

    /// Cross-track distance of the measured (shifted) position, metres; left of the route is negative.
    func crossTrackMeters(shift: PlaneOffset) -> Double {
        let rightward = direction.north * (offset.east + shift.east) - direction.east * (offset.north + shift.north)
        // Beyond the line's end the full distance is used, not its component across the line.
        if shift.east == 0, shift.north == 0 { return rightward < 0 ? -distanceMeters : distanceMeters }
        return rightward
    }
}

/// A position with the weights that evaluate candidate matches.
struct MatchQuery {
    /// The tangent plane at the position.
    var plane: TangentPlane
    /// Multipath shift of the position, metres. It is subtracted before the evaluation.
    var shift = PlaneOffset.zero
    /// Inverse of twice the variance of the distance from the line, 1/m2.
    var distanceWeight: Double
    /// Direction of travel, unit length; `nil` where unknown.
    var travelDirection: PlaneOffset?
    /// Inverse of the variance of the angle between travel and road, 1/rad2.
    var directionWeight: Double
    /// Expected along-route distance from the previous match, metres; `nil` without one.
    var expectedAlongMeters: Double?
    /// Inverse of twice the variance of the expected along-route distance, 1/m2.
    var alongWeight: Double

    /// Upper limit of the direction cost: one fix with a wrong course does not reject a good position.
    static let maximumDirectionCost = 8.0
    /// Upper limit of the cost of an unexpected along-route distance.
    static let maximumAlongCost = 8.0

    /// Evaluates the point of a segment that is nearest to the vehicle.
    /// docs/math.md, eq. 11.3, eq. 11.4.
    @inline(__always) func evaluate(_ segment: Int, of line: RouteLine) -> LineMatch {
        let a = plane.offset(of: line.vertices[segment]) + shift
        let b = plane.offset(of: line.vertices[segment + 1]) + shift
        let along = b - a
        let lengthSquared = along.east * along.east + along.north * along.north
        // A segment perpendicular to the plane (a quarter of the way round the Earth) has no length in it.
        let inverse = lengthSquared > 0 ? 1 / lengthSquared : 0
        let fraction = min(max(-(a.east * along.east + a.north * along.north) * inverse, 0), 1)
        let offset = PlaneOffset(east: -(a.east + fraction * along.east), north: -(a.north + fraction * along.north))
        let scale = inverse.squareRoot()
        let direction = PlaneOffset(east: along.east * scale, north: along.north * scale)
        let alongMeters =
            line.vertexAlongMeters[segment] + fraction
            * (line.vertexAlongMeters[segment + 1] - line.vertexAlongMeters[segment])
        var cost = (offset.east * offset.east + offset.north * offset.north) * distanceWeight
        if let travelDirection {
            // 1 - cos equals half the square of a small angle and stays bounded for large angles.
            let cosine = travelDirection.east * direction.east + travelDirection.north * direction.north
            cost += min((1 - min(cosine, 1)) * directionWeight, MatchQuery.maximumDirectionCost)
        }
        if let expectedAlongMeters {
            let difference = alongMeters - expectedAlongMeters
            cost += min(difference * difference * alongWeight, MatchQuery.maximumAlongCost)
        }
        return LineMatch(
            alongMeters: alongMeters, segment: segment, offset: offset, direction: direction, shift: shift, cost: cost)
    }
}

/// The place on the route at which a vehicle is expected before its position is compared. A road that the route uses
/// twice has two matches that differ in nothing else.
struct PlacePrior {
    /// Along-route distance of the expected place, metres.
    var alongMeters: Double
    /// Cost of a match far from there: exceeded by that of a clearly better distance or direction.
    var farCost: Double
    /// Distance over which this cost is reached, metres; half of it at 0.7 of that.
    var scaleMeters: Double

    /// Cost per metre beyond ``farCost``: of two far places the nearer one is expected.
    private static let costPerMeter = 5e-5
    /// Upper limit of that part.
    private static let maximumDistanceCost = 2.0
    /// A place behind the expected one costs as much as one that is twice as far ahead: a vehicle off the route drives
    /// on to its destination.
    private static let behindFactor = 2.0

    /// Routes start at the vehicle: it is within a car park of the start.
    static let start = PlacePrior(alongMeters: 0, farCost: 3, scaleMeters: 50)

    /// A vehicle that left the route at an along-route distance, metres, comes back some blocks from there.
    static func left(atMeters meters: Double) -> PlacePrior {
        PlacePrior(alongMeters: meters, farCost: 2, scaleMeters: 500)
    }

    /// Cost of a match at an along-route distance, metres. Not negative.
    func cost(alongMeters meters: Double) -> Double {
        let ahead = meters - alongMeters
        let away = ahead >= 0 ? ahead : -PlacePrior.behindFactor * ahead
        return farCost * (1 - exp(-away / scaleMeters))
            + min(away * PlacePrior.costPerMeter, PlacePrior.maximumDistanceCost)
    }
}

extension Route {
    /// The best match between two along-route distances, and the offset from the nearest point to the vehicle, metres.
    /// Evaluates only the segments between.
    func bestMatch(_ query: MatchQuery, fromAlong low: Double, toAlong high: Double) -> (
        match: LineMatch, nearest: PlaneOffset
    ) {
        var segment = line.segment(atAlong: low)
        var best = query.evaluate(segment, of: line)
        var nearest = best.offset
        segment += 1
        while segment < line.segmentCount, line.vertexAlongMeters[segment] <= high {
            let match = query.evaluate(segment, of: line)
            if match.cost < best.cost { best = match }
            if match.offset.dot(match.offset) < nearest.dot(nearest) { nearest = match.offset }
            segment += 1
        }
        return (best, nearest)
    }

    /// The best match on the whole route within a distance, metres; `nil` if there is none. With a `prior` a match away
    /// from the expected place costs more.
    func bestMatchAnywhere(_ query: MatchQuery, withinMeters distance: Double, prior: PlacePrior? = nil) -> LineMatch? {
        var best: LineMatch?
        let squared = distance * distance
        tree.visit(near: query.plane.origin, withinSquared: squared) { segment in
            var match = query.evaluate(segment, of: line)
            if let prior { match.cost += prior.cost(alongMeters: match.alongMeters) }
            let isNearer = match.cost < (best?.cost ?? .infinity)
            if isNearer, match.offset.east * match.offset.east + match.offset.north * match.offset.north <= squared {
                best = match
            }
            return min(squared, (best?.cost ?? .infinity) / query.distanceWeight)
        }
        return best
    }
}
