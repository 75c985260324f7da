import PoseMath

/// Settings of the curve speed.
public struct CurveSpeedSettings: Sendable, Equatable {
    /// Comfortable lateral acceleration, m/s2.
    public var lateralMetersPerSecondSquared = 2.2
    /// Comfortable braking deceleration, m/s2.
    public var brakingMetersPerSecondSquared = 1.2
    /// Baseline of the curvature, metres: longer than the spacing of drawn points, shorter than a bend.
    public var baseMeters = 15.0
    /// A curve that allows this speed or more is ignored, m/s: 130 km/h.
    public var fastestMetersPerSecond = 130 / 3.6

    /// Creates the default settings.
    public init() {}
}

/// The comfortable speed of a curve ahead, and its distance.
public struct CurveAdvice: Sendable, Equatable {
    /// Comfortable speed in the curve, m/s.
    public var speedMetersPerSecond: Double
    /// Distance along the path to its tightest point, metres.
    public var distanceMeters: Double
}

extension RoadHorizon {
    /// The curve ahead for which braking must start first, at the comfortable deceleration.
    ///
    /// The curvature is that of the circle through three points, half a baseline apart. The speed is sqrt(a /
    /// curvature) with the comfortable lateral acceleration a. Returns `nil` if no curve requires less than the limit
    /// there or the maximum speed.
    public func governingCurve(_ settings: CurveSpeedSettings = CurveSpeedSettings()) -> CurveAdvice? {
        guard points.count >= 3, lengthMeters > settings.baseMeters else { return nil }
        let half = settings.baseMeters / 2
        var best: (advice: CurveAdvice, allowedSquared: Double)?
        var (a, b, c) = (0, 0, 0)
        var along = half
        while along <= lengthMeters - half {
            let curvature = Self.curvature(
                place(at: along - half, from: &a), place(at: along, from: &b), place(at: along + half, from: &c))
            let speedLimit = speedLimit(at: along, fastest: settings.fastestMetersPerSecond)
            let squared = settings.lateralMetersPerSecondSquared / max(curvature, 1e-9)
            if squared < speedLimit * speedLimit {
                let allowed = squared + 2 * settings.brakingMetersPerSecondSquared * along
                if best.map({ allowed < $0.allowedSquared }) ?? true {
                    best = (CurveAdvice(speedMetersPerSecond: squared.squareRoot(), distanceMeters: along), allowed)
                }
            }
            along += settings.baseMeters / 3
        }
        return best?.advice
    }

    private func speedLimit(at along: Double, fastest: Double) -> Double {
        guard let section = limitSections.last(where: { $0.startMeters <= along }),
            case .metersPerSecond(let limit) = section.limit
        else { return fastest }
        return min(limit, fastest)
    }

    /// The point at a distance along the path. `hint` is the index of a point at or before it, and is advanced to it.
    private func place(at along: Double, from hint: inout Int) -> Vector3 {
        while hint + 2 < points.count, points[hint + 1].alongMeters < along { hint += 1 }
        let (p, q) = (points[hint], points[hint + 1])
        let length = q.alongMeters - p.alongMeters
        return length > 0 ? p.place + (q.place - p.place) * ((along - p.alongMeters) / length) : p.place
    }

    /// Curvature (1 / radius) of the circle through three points, 1/m (Menger): four times the triangle's area divided
    /// by the product of its sides.
    static func curvature(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Double {
        let (ab, bc, ca) = (b - a, c - b, a - c)
        let product = ab.length * bc.length * ca.length
        return product > 1e-9 ? 2 * ab.cross(bc).length / product : 0
    }
}
