import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import SeededNumbers
import StoredTexts
import Testing

@testable import Roads

/// A drive through a town that is stored: the road, the limits ahead and the curves are those of the last release.
@Suite struct StoredRoadTests {
    /// A main road with a bend, side streets of several classes, a one-way carriageway, a roundabout, a tunnel, a
    /// living street, and a road with a limit for trailers.
    private static func town() -> MapWriter {
        let ring = (0..<8).map { corner -> (Double, Double) in
            let angle = Double(corner) * .pi / 4
            return (620 + 18 * cos(angle), 100 + 18 * sin(angle))
        }
        let nodes: [(Double, Double)] =
            [
                (0, 0), (150, 0), (300, 4), (400, 30), (470, 80), (602, 100), (638, 100), (800, 110), (1100, 130),
                (150, 200), (150, -180), (300, -150), (470, 300), (800, -100), (800, 300), (1100, 400), (0, 14),
                (300, 18), (1400, 120), (1450, 40),
            ] + ring
        let main = [("highway", "primary"), ("ref", "N1")]
        let ways: [([Int64], [(String, String)])] = [
            ([1, 2, 3], main + [("maxspeed", "80")]), ([3, 4, 5], main + [("maxspeed", "60")]),
            ([5, 25], main + [("maxspeed", "50")]),
            (
                [21, 22, 23, 24, 25, 26, 27, 28, 21],
                [("highway", "primary"), ("junction", "roundabout"), ("maxspeed", "30")]
            ),
            ([21, 8, 9], main + [("maxspeed", "70"), ("tunnel", "yes")]),
            ([10, 2, 11], [("highway", "residential"), ("name", "A")]),
            ([12, 3], [("highway", "living_street"), ("maxspeed", "7")]),
            ([13, 5], [("highway", "tertiary"), ("maxspeed", "40"), ("oneway", "yes")]),
            ([14, 8, 15], [("highway", "secondary"), ("maxspeed", "30 mph"), ("name", "B")]),
            ([9, 16], [("highway", "primary_link"), ("maxspeed", "90")]),
            ([18, 17], [("highway", "primary"), ("ref", "N1"), ("oneway", "yes"), ("maxspeed", "100")]),
            ([9, 19, 20], main + [("maxspeed", "110"), ("maxspeed:conditional", "60 @ (wet)")]),
        ]
        return RoadGuideTests.map(nodes, ways)
    }

    /// The corners of the ways that are driven.
    private static let drives: [[(Double, Double)]] = [
        [
            (0, 0), (150, 0), (300, 4), (400, 30), (470, 80), (602, 100), (620, 118), (638, 100), (800, 110),
            (1100, 130), (1400, 120), (1450, 40),
        ],
        [(800, 300), (800, 110), (638, 100), (620, 118), (602, 100), (470, 80), (470, 300)],
        [(300, 18), (150, 14), (0, 14), (0, 0), (150, 0), (150, 200), (150, -180)],
        [(1100, 400), (1100, 130), (800, 110), (800, -100)],
    ]

    /// One line for each place of a drive, 35 m apart: the match, and what is told. With `isGuided` along a route.
    private static func lines(_ number: Int, isGuided: Bool, on map: RoadMap) throws -> [String] {
        let corners = drives[number]
        var random = SplitMix64(seed: UInt64(number + 1))
        var guide = RoadGuide(map: map)
        let points = corners.map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0.0, $0.1, 0)) }
        let route = isGuided ? try Route(RoutePlan(points: points)) : nil
        var (lines, driven, time): ([String], Double, Double) = ([], 0, 0)
        for (a, b) in zip(corners, corners.dropFirst()) {
            let (east, north) = (b.0 - a.0, b.1 - a.1)
            let length = (east * east + north * north).squareRoot()
            for step in 0..<max(Int(length / 35), 1) {
                let share = Double(step) * 35 / length
                let input = RoadGuideTests.input(
                    time, east: a.0 + east * share + random.uniform(-6, 6),
                    north: a.1 + north * share + random.uniform(-6, 6),
                    direction: atan2(east, north).radiansInDegrees + random.uniform(-8, 8), speed: 14,
                    sigma: random.uniform(2, 9))
                let progress = route.map { RouteProgress(route: $0, progressMeters: driven + length * share) }
                let told = guide.update(input, progress: progress)
                lines.append(line(told, guide))
                time += 2.5
            }
            driven += length
        }
        return lines
    }

    private static func line(_ told: SpeedHorizon, _ guide: RoadGuide) -> String {
        func number(_ value: Double?) -> String { value.map { "\(($0 * 10).rounded() / 10)" } ?? "-" }
        func limit(_ value: SpeedLimit) -> String {
            if case .metersPerSecond(let speed) = value { number(speed * 3.6) } else { "\(value)" }
        }
        let match = guide.match.map {
            "\($0.edge)\($0.isForward ? "+" : "-")\($0.segment) \(number($0.alongMeters)) \(number($0.distanceMeters))"
        }
        return [
            match ?? "-", limit(told.limit), "\(told.limitSource)", limit(told.nextLimit),
            number(told.distanceToNextLimitMeters), limit(told.afterNextLimit),
            number(told.distanceToAfterNextLimitMeters), number(told.curveSpeedMetersPerSecond),
            number(told.distanceToCurveMeters), number(guide.latestHorizon.lengthMeters), "\(told.path)",
        ].joined(separator: " ")
    }

    @Test(arguments: [0, 1, 2, 3])
    func aDriveIsMatchedAsBefore(number: Int) throws {
        // GIVEN a drive whose places and directions scatter, without a route and with one
        let folder = ImportFolder()
        let map = try folder.roads(Self.town()).map
        let lines =
            try Self.lines(number, isGuided: false, on: map) + ["route"]
            + (try Self.lines(number, isGuided: true, on: map))
        // THEN each line is the stored one: match (edge, direction, segment, along, distance), limit, source, next
        // limit with its distance, the one after it with its distance, curve with its distance, length of the road
        // ahead, path. The numbers have one decimal: the last digit of none is at a half.
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "town-\(number)") == [])
    }
}
