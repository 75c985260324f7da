import PoseMath

/// What may be set about the speed in curves.
public struct CurveSpeedSettings: Sendable, Equatable {
    /// Sideways acceleration that is comfortable, m/s2.
    public var lateralMetersPerSecondSquared = 2.2
    /// Braking that is comfortable, m/s2.
    public var brakingMetersPerSecondSquared = 1.2
    /// Over this much of the way the curvature is taken, metres: longer than what a line is drawn with, shorter than a
    /// bend.
    public var baseMeters = 15.0
    /// A curve that asks for no less than this is none, m/s: 130 km/h.
    public var fastestMetersPerSecond = 130 / 3.6

    /// The defaults.
    public init() {}
}

/// The speed that a curve ahead asks for, and how far it is.
public struct CurveAdvice: Sendable, Equatable {
    /// The comfortable speed in it, m/s.
    public var speedMetersPerSecond: Double
    /// Along the way to where it is that tight, metres.
    public var distanceMeters: Double
}

extension RoadHorizon {
    /// The curve ahead that governs the speed: of all places the one whose speed must be aimed at first when braking
    /// gently.
    ///
    /// The curvature is that of the circle through a place and the places half a base before and behind it; the speed
    /// is sqrt(a / curvature) with the comfortable sideways acceleration a. `nil` where no curve asks for less than the
    /// limit at its place, or the fastest speed.
    public func governingCurve(_ settings: CurveSpeedSettings = CurveSpeedSettings()) -> CurveAdvice? {
        guard points.count >= 3, lengthMeters > settings.baseMeters else { return nil }
        let half = settings.baseMeters / 2
        var best: (advice: CurveAdvice, allowedSquared: Double)?
        var (a, b, c) = (0, 0, 0)
        var along = half
        while along <= lengthMeters - half {
            let curvature = Self.curvature(
                place(at: along - half, from: &a), place(at: along, from: &b), place(at: along + half, from: &c))
            let cap = cappedSpeed(at: along, fastest: settings.fastestMetersPerSecond)
            let squared = settings.lateralMetersPerSecondSquared / max(curvature, 1e-9)
            if squared < cap * cap {
                let allowed = squared + 2 * settings.brakingMetersPerSecondSquared * along
                if best.map({ allowed < $0.allowedSquared }) ?? true {
                    best = (CurveAdvice(speedMetersPerSecond: squared.squareRoot(), distanceMeters: along), allowed)
                }
            }
            along += settings.baseMeters / 3
        }
        return best?.advice
    }

    private func cappedSpeed(at along: Double, fastest: Double) -> Double {
        guard let run = runs.last(where: { $0.startMeters <= along }), case .metersPerSecond(let limit) = run.limit
        else { return fastest }
        return min(limit, fastest)
    }

    /// The place at a length along; `hint` is a point at or before it, and is moved up to it.
    private func place(at along: Double, from hint: inout Int) -> Vector3 {
        while hint + 2 < points.count, points[hint + 1].alongMeters < along { hint += 1 }
        let (p, q) = (points[hint], points[hint + 1])
        let length = q.alongMeters - p.alongMeters
        return length > 0 ? p.place + (q.place - p.place) * ((along - p.alongMeters) / length) : p.place
    }

    /// 1 / radius of the circle through three points, 1/m (Menger): four times the triangle's area over the product of
    /// its sides.
    static func curvature(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Double {
        let (ab, bc, ca) = (b - a, c - b, a - c)
        let product = ab.length * bc.length * ca.length
        return product > 1e-9 ? 2 * ab.cross(bc).length / product : 0
    }
}
