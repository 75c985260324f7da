import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// The odds that a vehicle has left a straight road, against the equations 11.12 to 11.14 written out.
@Suite struct SparseOddsTests {
    /// A position: metres beside the road and along it, what it states of its accuracy, and the seconds before it.
    private struct Place {
        var east: Double
        var north: Double
        var sigma: Double?
        var seconds = 10.0
    }

    /// The equations for a road to the north.
    private struct Equations {
        var odds = 0.0
        private var (count, squares) = (0.0, 0.0)
        private var last: Place
        private var along: Double

        init(_ first: Place) { (last, along) = (first, first.north) }

        private static func flowing(_ meters: Double, _ mean: Double) -> Double {
            meters > 0 ? 13.5 * meters * meters * exp(-3 * meters / mean) / (mean * mean * mean) : 0
        }

        private static func any(_ meters: Double, _ mean: Double) -> Double {
            0.75 * flowing(meters, mean) + (meters < mean ? 0.25 / mean : 0)
        }

        /// A Student density on the plane, at the square of a distance.
        private static func student(_ square: Double, _ scale: Double, _ freedom: Double) -> Double {
            pow(1 + square / (freedom * scale), -(freedom + 2) / 2) / (2 * .pi * scale)
        }

        mutating func add(_ place: Place, speed: Double) {
            let (t, moved) = (place.seconds, hypot(place.east - last.east, place.north - last.north))
            let mean = max(min(max(speed, 4), 30) * t, moved / 2)
            // 160 places, from 36 m and the mean behind the last match to three times the mean ahead.
            let spacing = (36 + 4 * mean) / 160
            let crossTrack = hypot(place.sigma ?? 8, 4)
            let scale = hypot(crossTrack * (place.sigma == nil ? 0.65 : 1.5), spacing / 2)
            let k = exp(-t / 25)
            let (freedom, change) = (2 + count, scale * scale * (1 - k * k))
            let kept = change * (2 + squares) / freedom
            let before = (last.east, last.north - along)
            let standing = 0.25 * k * Self.student(moved * moved, kept, freedom)
            var (onRoute, leaving, best, error) = (0.0, 0.0, -1.0, (0.0, 0.0))
            for index in 0..<160 {
                let x = spacing * Double(index) - 36 - mean
                let v = (place.east, place.north - along - x)
                let (d, kx, ky) = (hypot(v.0, v.1), v.0 - k * before.0, v.1 - k * before.1)
                let ahead =
                    x < 0 ? Self.any(0, mean) * exp(x / 12) / 2 + 0.1 * Self.any(-x, mean) : Self.any(x, mean)
                let density =
                    ahead
                    * (k * Self.student(kx * kx + ky * ky, kept, freedom)
                        + (1 - k) * Self.student(d * d, scale * scale, 2))
                onRoute += spacing * density
                if density > best { (best, error) = (density, (kx, ky)) }
                guard x >= 0 else { continue }
                let away = max(d, 12)
                leaving += spacing * Self.flowing(x + away, mean) / (x + away) / (2 * .pi * away)
            }
            let yard = 0.1 * exp(-moved * moved / (4 * t * t)) / (.pi * 4 * t * t)
            let gone = standing + 0.75 * Self.any(moved, mean) / (2 * .pi * max(moved, 12))
            odds = (odds * gone + mean / 2200 * 0.75 * leaving) / (standing + yard + 0.75 * onRoute)
            count = k * (count + 1)
            squares = k * (squares + min((error.0 * error.0 + error.1 * error.1) / change, 100) / 2)
            (last, along) = (place, max(along, place.north))
        }
    }

    /// The odds after each of some positions, and whether the vehicle has left, of the evidence and of the equations.
    private func odds(_ places: [Place], speed: Double?) throws -> [(odds: Double, expected: Double, hasLeft: Bool)] {
        let sheet = Sheet()
        let line = try RouteLine(points: [sheet.place(0, 0), sheet.place(0, 5000)])
        let first = Place(east: 2, north: 1500)
        var (evidence, equations, along) = (SparseEvidence(), Equations(first), first.north)
        evidence.note(TangentPlane(at: sheet.place(first.east, first.north)))
        return places.map { place in
            let step = CourseEstimator.Step(
                elapsedSeconds: place.seconds, displacementMeters: 0, shift: .zero, travelDirection: nil,
                travelDirectionSigmaRadians: 0.35)
            let observation = RouteFollower.Observation(
                query: MatchQuery(
                    plane: TangentPlane(at: sheet.place(place.east, place.north)), distanceWeight: 1,
                    directionWeight: 1, alongWeight: 0),
                sigmaMeters: place.sigma ?? 8, isSigmaStated: place.sigma != nil, step: step,
                bounds: .init(crossTrackSigmaMeters: hypot(place.sigma ?? 8, 4), settings: GuidanceSettings()))
            let hasLeft = evidence.update(
                distanceMeters: place.east.magnitude, observation: observation,
                stretch: .init(line: line, alongMeters: along, meanMetersPerSecond: speed))
            equations.add(place, speed: speed ?? 8)
            along = max(along, place.north)
            return (evidence.odds, equations.odds, hasLeft)
        }
    }

    private static let drives: [(speed: Double?, places: [Place])] = [
        // Along the road, then away from it.
        (
            10,
            [
                Place(east: 3, north: 1600), Place(east: -5, north: 1680), Place(east: 35, north: 1740),
                Place(east: 100, north: 1745), Place(east: 200, north: 1750),
            ]
        ),
        // Stated accuracies, other times, a stop, a way back.
        (
            12,
            [
                Place(east: 8, north: 1560, sigma: 4, seconds: 5), Place(east: 9, north: 1562, sigma: 12, seconds: 20),
                Place(east: -20, north: 1700, sigma: 6, seconds: 15), Place(east: -20, north: 1640, sigma: 6),
                Place(east: -24, north: 1650, sigma: 6, seconds: 8),
            ]
        ),
        // A jam, an unknown speed, and one beyond the limits.
        (1, [Place(east: 0, north: 1530), Place(east: 30, north: 1550), Place(east: 28, north: 1620)]),
        (nil, [Place(east: 0, north: 1590), Place(east: 60, north: 1620), Place(east: 64, north: 2100)]),
        (50, [Place(east: 5, north: 1700, seconds: 4), Place(east: 90, north: 1800, seconds: 4)]),
    ]

    @Test("the odds are those of the equations", arguments: Self.drives.indices)
    func theOddsAreThoseOfTheEquations(drive: Int) throws {
        let (speed, places) = Self.drives[drive]
        for (index, found) in try odds(places, speed: speed).enumerated() {
            // The curvature of the Earth on some hundred metres, a millimetre of 12 m.
            #expect(abs(found.odds / found.expected - 1) < 1e-3, "\(index): \(found)")
            #expect(found.hasLeft == (found.expected >= 1 && places[index].east.magnitude > 31.3), "\(index): \(found)")
        }
    }
}
