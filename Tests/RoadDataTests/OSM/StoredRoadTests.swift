import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import SeededNumbers
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
        // THEN each line is the stored one. The numbers have one decimal: the last digit of none is at a half.
        #expect(
            lines.joined(separator: "\n") == StoredDrives.all[number], "\(number):\n\(lines.joined(separator: "\n"))")
    }
}

/// The stored lines: match (edge, direction, segment, along, distance), limit, source, next limit with its distance,
/// the one after it with its distance, curve with its distance, length of the road ahead, path.
enum StoredDrives {
    static let all = [first, second, third, fourth]
    private static let first = #"""
        1+0 0.8 2.9 80.0 road 60.0 299.3 50.0 488.6 9.7 297.5 622.1 likelyRoad
        1+0 34.3 3.2 80.0 road 60.0 265.7 50.0 455.1 9.7 267.5 588.6 likelyRoad
        1+0 67.4 3.5 80.0 road 60.0 232.6 50.0 422.0 8.6 232.5 555.5 likelyRoad
        1+0 104.5 0.4 80.0 road 60.0 195.6 50.0 384.9 9.8 197.5 518.4 likelyRoad
        1+0 150.0 4.2 80.0 road 60.0 148.2 50.0 337.6 8.9 147.5 526.2 likelyRoad
        3+0 29.7 4.9 80.0 road 60.0 120.4 50.0 309.7 10.0 122.5 553.5 likelyRoad
        3+0 67.3 5.4 80.0 road 60.0 82.8 50.0 272.1 8.7 82.5 515.8 likelyRoad
        3+0 99.7 6.1 80.0 road 60.0 50.4 50.0 239.7 10.0 52.5 538.5 likelyRoad
        3+0 148.8 0.7 80.0 road 60.0 1.3 50.0 190.6 7.9 102.5 544.5 likelyRoad
        6+0 36.3 2.7 60.0 road 50.0 153.1 30.0 286.6 6.9 67.5 507.0 likelyRoad
        6+1 108.3 0.5 60.0 road 50.0 81.0 30.0 214.5 6.6 82.5 545.2 likelyRoad
        6+1 144.3 0.7 60.0 road 50.0 45.1 30.0 178.6 7.3 42.5 509.2 likelyRoad
        8+0 5.4 4.2 50.0 road 30.0 128.1 unknown - 3.7 127.5 513.8 likelyRoad
        8+0 33.7 5.5 50.0 road 30.0 99.8 unknown - 4.0 97.5 540.6 likelyRoad
        8+0 70.6 4.3 50.0 road 30.0 62.9 unknown - 3.7 62.5 503.7 likelyRoad
        8+0 133.0 5.2 50.0 road 30.0 0.5 unknown - 5.2 12.5 551.5 likelyRoad
        9-1 24.1 1.4 30.0 road 70.0 24.1 110.0 487.1 5.7 7.5 881.6 likelyRoad
        12+0 0.5 4.6 70.0 road 110.0 462.4 unknown - 12.9 462.5 856.9 likelyRoad
        12+0 40.8 1.9 70.0 road 110.0 422.2 unknown - 13.1 422.5 816.7 likelyRoad
        12+0 71.7 4.2 70.0 road 110.0 391.2 unknown - 14.1 392.5 785.7 likelyRoad
        12+0 106.6 3.5 70.0 road 110.0 356.4 unknown - 13.9 357.5 750.9 likelyRoad
        12+0 162.3 5.7 70.0 road 110.0 298.1 unknown - 13.4 297.5 692.6 likelyRoad
        14+0 31.3 3.1 70.0 road 110.0 269.3 unknown - 14.8 267.5 663.9 likelyRoad
        14+0 65.5 5.7 70.0 road 110.0 235.1 unknown - 15.5 237.5 629.6 likelyRoad
        14+0 109.5 3.8 70.0 road 110.0 191.1 unknown - 14.2 192.5 585.6 likelyRoad
        14+0 142.9 0.9 70.0 road 110.0 157.8 unknown - 13.1 157.5 552.3 likelyRoad
        14+0 174.9 5.9 70.0 road 110.0 125.7 unknown - 14.7 127.5 520.2 likelyRoad
        14+0 214.5 4.6 70.0 road 110.0 86.2 unknown - 14.2 87.5 480.7 likelyRoad
        14+0 246.7 1.1 70.0 road 110.0 54.0 unknown - 14.3 52.5 448.5 likelyRoad
        14+0 300.7 6.0 110.0 road unknown - unknown - 4.6 292.5 388.6 likelyRoad
        15+0 37.2 3.0 110.0 road unknown - unknown - 4.3 262.5 357.3 likelyRoad
        15+0 66.7 3.7 110.0 road unknown - unknown - 4.4 232.5 327.8 likelyRoad
        15+0 101.9 2.2 110.0 road unknown - unknown - 4.3 197.5 292.6 likelyRoad
        15+0 141.2 5.0 110.0 road unknown - unknown - 4.5 157.5 253.3 likelyRoad
        15+0 177.1 5.5 110.0 road unknown - unknown - 4.3 122.5 217.4 likelyRoad
        15+0 211.7 2.9 110.0 road unknown - unknown - 4.4 87.5 182.8 likelyRoad
        15+0 250.0 2.8 110.0 road unknown - unknown - 5.0 47.5 144.5 likelyRoad
        15+1 304.8 1.8 110.0 road unknown - unknown - - - 89.7 likelyRoad
        15+1 330.2 0.9 110.0 road unknown - unknown - - - 64.3 likelyRoad
        route
        1+0 0.8 2.9 80.0 road 60.0 300.1 50.0 489.4 10.5 297.5 500.0 route
        1+0 34.3 3.2 80.0 road 60.0 265.1 50.0 454.4 10.5 262.5 500.0 route
        1+0 67.4 3.5 80.0 road 60.0 230.1 50.0 419.4 10.5 227.5 500.0 route
        1+0 104.5 0.4 80.0 road 60.0 195.1 50.0 384.4 10.5 192.5 500.0 route
        1+0 150.0 4.2 80.0 road 60.0 150.1 50.0 339.4 10.5 147.5 500.0 route
        3+0 29.7 4.9 80.0 road 60.0 115.1 50.0 304.4 10.5 112.5 500.0 route
        3+0 67.3 5.4 80.0 road 60.0 80.1 50.0 269.4 10.5 77.5 500.0 route
        3+0 99.7 6.1 80.0 road 60.0 45.1 50.0 234.4 10.5 42.5 500.0 route
        3+0 148.8 0.7 60.0 road 50.0 189.3 30.0 322.2 7.1 102.5 500.0 route
        6+0 36.3 2.7 60.0 road 50.0 154.3 30.0 287.2 7.1 67.5 500.0 route
        6+1 108.3 0.5 60.0 road 50.0 86.0 30.0 218.9 6.6 87.5 500.0 route
        6+1 144.3 0.7 60.0 road 50.0 51.0 30.0 183.9 6.6 52.5 500.0 route
        8+0 5.4 4.2 50.0 road 30.0 132.9 70.0 185.4 5.5 132.5 500.0 route
        8+0 33.7 5.5 50.0 road 30.0 97.3 70.0 150.4 5.5 97.5 500.0 route
        8+0 70.6 4.3 50.0 road 30.0 62.7 70.0 115.4 5.5 62.5 500.0 route
        8+0 133.0 5.2 30.0 road 70.0 51.9 unknown - 3.9 22.5 500.0 route
        9-1 24.1 1.4 30.0 road 70.0 26.5 110.0 488.5 5.6 22.5 500.0 route
        12+0 0.5 4.6 70.0 road 110.0 463.0 unknown - 13.3 462.5 500.0 route
        12+0 40.8 1.9 70.0 road 110.0 428.0 unknown - 13.3 427.5 500.0 route
        12+0 71.7 4.2 70.0 road 110.0 393.0 unknown - 13.3 392.5 500.0 route
        12+0 106.6 3.5 70.0 road 110.0 358.0 unknown - 13.3 357.5 500.0 route
        12+0 162.3 5.7 70.0 road 110.0 300.7 unknown - 14.8 302.5 500.0 route
        14+0 31.3 3.1 70.0 road 110.0 265.7 unknown - 14.8 267.5 500.0 route
        14+0 65.5 5.7 70.0 road 110.0 230.7 unknown - 14.8 232.5 500.0 route
        14+0 109.5 3.8 70.0 road 110.0 195.7 unknown - 14.8 197.5 500.0 route
        14+0 142.9 0.9 70.0 road 110.0 160.7 unknown - 14.8 162.5 500.0 route
        14+0 174.9 5.9 70.0 road 110.0 125.7 unknown - 14.8 127.5 500.0 route
        14+0 214.5 4.6 70.0 road 110.0 90.7 unknown - 14.8 92.5 485.2 route
        14+0 246.7 1.1 70.0 road 110.0 55.7 unknown - 14.8 57.5 450.2 route
        14+0 300.7 6.0 110.0 road unknown - unknown - 5.0 297.5 394.5 route
        15+0 37.2 3.0 110.0 road unknown - unknown - 5.0 262.5 359.5 route
        15+0 66.7 3.7 110.0 road unknown - unknown - 5.0 227.5 324.5 route
        15+0 101.9 2.2 110.0 road unknown - unknown - 5.0 192.5 289.5 route
        15+0 141.2 5.0 110.0 road unknown - unknown - 5.0 157.5 254.5 route
        15+0 177.1 5.5 110.0 road unknown - unknown - 5.0 122.5 219.5 route
        15+0 211.7 2.9 110.0 road unknown - unknown - 5.0 87.5 184.5 route
        15+0 250.0 2.8 110.0 road unknown - unknown - 5.0 52.5 149.5 route
        15+1 304.8 1.8 110.0 road unknown - unknown - - - 94.3 route
        15+1 330.2 0.9 110.0 road unknown - unknown - - - 59.3 route
        """#
    private static let second = #"""
        11-0 190.0 3.2 48.3 road unknown - unknown - - - 400.0 likelyRoad
        11-0 153.2 2.3 48.3 road unknown - unknown - - - 363.2 likelyRoad
        11-0 122.7 3.0 48.3 road unknown - unknown - - - 332.7 likelyRoad
        11-0 83.5 0.7 48.3 road unknown - unknown - - - 293.5 likelyRoad
        11-0 48.4 3.6 48.3 road unknown - unknown - - - 258.4 likelyRoad
        12-0 156.9 0.7 70.0 road 30.0 156.9 unknown - 3.8 157.5 542.7 likelyRoad
        12-0 132.5 2.6 70.0 road 30.0 132.5 unknown - 3.8 132.5 518.2 likelyRoad
        12-0 86.3 2.0 70.0 road 30.0 86.3 unknown - 5.0 82.5 527.2 likelyRoad
        12-0 54.4 1.7 70.0 road 30.0 54.4 unknown - 4.1 52.5 550.4 likelyRoad
        9+0 0.0 6.4 30.0 road unknown - unknown - 5.0 12.5 551.1 likelyRoad
        9+2 27.5 5.3 30.0 road unknown - unknown - 5.0 12.5 523.5 likelyRoad
        8-0 133.5 4.1 50.0 road 60.0 133.5 80.0 322.8 6.4 132.5 622.9 likelyRoad
        8-0 94.7 1.2 50.0 road 60.0 94.7 80.0 284.1 7.0 92.5 584.1 likelyRoad
        8-0 61.5 1.5 50.0 road 60.0 61.5 80.0 250.9 6.4 62.5 550.9 likelyRoad
        6+1 189.3 2.1 50.0 road 30.0 132.6 unknown - 3.7 132.5 518.4 likelyRoad
        7-0 186.6 4.8 40.0 road unknown - unknown - - - 186.6 likelyRoad
        7-0 148.6 5.9 40.0 road unknown - unknown - - - 148.6 likelyRoad
        7-0 111.2 1.0 40.0 road unknown - unknown - - - 111.2 likelyRoad
        7-0 75.1 0.3 40.0 road unknown - unknown - - - 75.1 likelyRoad
        7-0 46.5 0.9 40.0 road unknown - unknown - - - 46.5 likelyRoad
        route
        11-0 190.0 3.2 48.3 road 70.0 190.0 30.0 351.5 3.8 187.5 500.0 route
        11-0 153.2 2.3 48.3 road 70.0 155.0 30.0 316.5 3.8 152.5 500.0 route
        11-0 122.7 3.0 48.3 road 70.0 120.0 30.0 281.5 3.8 117.5 500.0 route
        11-0 83.5 0.7 48.3 road 70.0 85.0 30.0 246.5 3.8 82.5 500.0 route
        11-0 48.4 3.6 48.3 road 70.0 50.0 30.0 211.5 3.8 47.5 500.0 route
        12-0 156.9 0.7 70.0 road 30.0 161.5 50.0 214.2 4.5 162.5 500.0 route
        12-0 132.5 2.6 70.0 road 30.0 127.1 50.0 179.2 4.5 127.5 500.0 route
        12-0 86.3 2.0 70.0 road 30.0 91.3 50.0 144.2 4.5 92.5 496.7 route
        12-0 54.4 1.7 70.0 road 30.0 56.8 50.0 109.2 4.5 57.5 461.7 route
        9+0 0.0 6.4 30.0 road 50.0 51.9 40.0 184.4 3.9 22.5 404.4 route
        9+2 27.5 5.3 30.0 road 50.0 26.5 40.0 159.0 6.5 22.5 379.0 route
        8-0 133.5 4.1 50.0 road 40.0 133.5 unknown - 3.3 132.5 353.5 route
        8-0 94.7 1.2 50.0 road 40.0 98.5 unknown - 3.3 97.5 318.5 route
        8-0 61.5 1.5 50.0 road 40.0 63.5 unknown - 3.3 62.5 283.5 route
        6+1 189.3 2.1 40.0 road unknown - unknown - - - 220.0 route
        7-0 186.6 4.8 40.0 road unknown - unknown - - - 185.0 route
        7-0 148.6 5.9 40.0 road unknown - unknown - - - 150.0 route
        7-0 111.2 1.0 40.0 road unknown - unknown - - - 115.0 route
        7-0 75.1 0.3 40.0 road unknown - unknown - - - 80.0 route
        7-0 46.5 0.9 40.0 road unknown - unknown - - - 45.0 route
        """#
    private static let third = #"""
        0+0 4.6 2.5 100.0 road unknown - unknown - - - 295.4 likelyRoad
        0+0 38.4 1.2 100.0 road unknown - unknown - - - 261.6 likelyRoad
        0+0 70.0 3.7 100.0 road unknown - unknown - - - 230.0 likelyRoad
        0+0 105.3 3.4 100.0 road unknown - unknown - - - 194.8 likelyRoad
        0+0 152.4 6.7 100.0 road unknown - unknown - - - 147.6 likelyRoad
        0+0 181.1 3.6 100.0 road unknown - unknown - - - 118.9 likelyRoad
        0+0 218.5 3.6 100.0 road unknown - unknown - - - 81.5 likelyRoad
        0+0 253.3 3.8 100.0 road unknown - unknown - - - 46.7 likelyRoad
        0+0 300.0 6.1 100.0 road unknown - unknown - - - 0.0 likelyRoad
        1+0 0.0 2.1 80.0 road 60.0 300.1 50.0 489.4 10.5 297.5 622.9 likelyRoad
        1+0 30.9 0.1 80.0 road 60.0 269.2 50.0 458.5 9.6 267.5 592.0 likelyRoad
        1+0 67.8 0.9 80.0 road 60.0 232.2 50.0 421.6 8.7 232.5 555.1 likelyRoad
        1+0 105.5 4.1 80.0 road 60.0 194.5 50.0 383.9 9.9 192.5 517.4 likelyRoad
        2-0 199.5 0.4 50.0 roadClass unknown - unknown - - - 199.5 likelyRoad
        2-0 163.0 4.2 50.0 roadClass unknown - unknown - - - 163.0 likelyRoad
        2-0 133.6 1.9 50.0 roadClass unknown - unknown - - - 133.6 likelyRoad
        2-0 96.5 0.1 50.0 roadClass unknown - unknown - - - 96.5 likelyRoad
        2-0 60.7 2.7 50.0 roadClass unknown - unknown - - - 60.7 likelyRoad
        2+0 0.5 0.7 50.0 roadClass unknown - unknown - - - 379.5 likelyRoad
        2+0 38.4 0.2 50.0 roadClass unknown - unknown - - - 341.6 likelyRoad
        2+0 72.1 3.6 50.0 roadClass unknown - unknown - - - 307.9 likelyRoad
        2+0 100.4 2.6 50.0 roadClass unknown - unknown - - - 279.6 likelyRoad
        2+0 143.7 1.2 50.0 roadClass unknown - unknown - - - 236.3 likelyRoad
        2+0 172.2 1.4 50.0 roadClass unknown - unknown - - - 207.8 likelyRoad
        5+0 11.4 4.4 50.0 roadClass unknown - unknown - - - 168.6 likelyRoad
        5+0 50.1 1.9 50.0 roadClass unknown - unknown - - - 129.9 likelyRoad
        5+0 85.1 1.0 50.0 roadClass unknown - unknown - - - 94.9 likelyRoad
        5+0 118.1 5.8 50.0 roadClass unknown - unknown - - - 61.9 likelyRoad
        route
        0+0 4.6 2.5 100.0 road 80.0 300.0 50.0 464.1 3.7 297.5 500.0 route
        0+0 38.4 1.2 100.0 road 80.0 265.0 50.0 429.1 3.7 262.5 500.0 route
        0+0 70.0 3.7 100.0 road 80.0 230.0 50.0 394.1 3.7 227.5 500.0 route
        0+0 105.3 3.4 100.0 road 80.0 195.0 50.0 359.1 3.7 192.5 500.0 route
        0+0 152.4 6.7 100.0 road 80.0 150.0 50.0 314.0 3.7 147.5 500.0 route
        0+0 181.1 3.6 100.0 road 80.0 115.0 50.0 279.0 3.7 112.5 500.0 route
        0+0 218.5 3.6 100.0 road 80.0 80.0 50.0 244.0 3.7 77.5 500.0 route
        0+0 253.3 3.8 100.0 road 80.0 45.0 50.0 209.0 3.7 42.5 500.0 route
        0+0 300.0 6.1 80.0 road 50.0 164.0 unknown - 3.5 12.5 500.0 route
        1+0 0.0 2.1 80.0 road 50.0 150.0 unknown - 3.7 147.5 500.0 route
        1+0 30.9 0.1 80.0 road 50.0 115.0 unknown - 3.7 112.5 500.0 route
        1+0 67.8 0.9 80.0 road 50.0 80.0 unknown - 3.7 77.5 500.0 route
        1+0 105.5 4.1 80.0 road 50.0 45.0 unknown - 3.7 42.5 500.0 route
        2-0 199.5 0.4 50.0 roadClass unknown - unknown - - - 500.0 route
        2-0 163.0 4.2 50.0 roadClass unknown - unknown - - - 500.0 route
        2-0 133.6 1.9 50.0 roadClass unknown - unknown - - - 500.0 route
        2-0 96.5 0.1 50.0 roadClass unknown - unknown - - - 475.0 route
        2-0 60.7 2.7 50.0 roadClass unknown - unknown - - - 440.0 route
        2+0 0.5 0.7 50.0 roadClass unknown - unknown - - - 380.0 route
        2+0 38.4 0.2 50.0 roadClass unknown - unknown - - - 345.0 route
        2+0 72.1 3.6 50.0 roadClass unknown - unknown - - - 310.0 route
        2+0 100.4 2.6 50.0 roadClass unknown - unknown - - - 275.0 route
        2+0 143.7 1.2 50.0 roadClass unknown - unknown - - - 240.0 route
        2+0 172.2 1.4 50.0 roadClass unknown - unknown - - - 205.0 route
        5+0 11.4 4.4 50.0 roadClass unknown - unknown - - - 170.0 route
        5+0 50.1 1.9 50.0 roadClass unknown - unknown - - - 135.0 route
        5+0 85.1 1.0 50.0 roadClass unknown - unknown - - - 100.0 route
        5+0 118.1 5.8 50.0 roadClass unknown - unknown - - - 65.0 route
        """#
    private static let fourth = #"""
        16-0 270.0 4.8 90.0 road unknown - unknown - - - 270.0 likelyRoad
        16-0 236.0 1.3 90.0 road unknown - unknown - - - 236.0 likelyRoad
        16-0 200.5 3.8 90.0 road unknown - unknown - - - 200.5 likelyRoad
        16-0 167.2 0.5 90.0 road unknown - unknown - - - 167.2 likelyRoad
        16-0 126.0 1.3 90.0 road unknown - unknown - - - 126.0 likelyRoad
        16-0 89.1 1.6 90.0 road unknown - unknown - - - 89.1 likelyRoad
        16-0 64.9 0.4 90.0 road unknown - unknown - - - 64.9 likelyRoad
        14-0 297.8 2.2 70.0 road 30.0 460.1 unknown - 4.3 457.5 515.2 likelyRoad
        14-0 263.4 3.7 70.0 road 30.0 425.7 unknown - 4.6 422.5 535.9 likelyRoad
        14-0 232.4 5.7 70.0 road 30.0 394.7 unknown - 4.2 392.5 504.9 likelyRoad
        14-0 199.0 5.5 70.0 road 30.0 361.3 unknown - 5.0 357.5 526.6 likelyRoad
        14-0 156.6 0.3 70.0 road 30.0 318.9 unknown - 4.0 317.5 539.4 likelyRoad
        14-0 130.6 1.9 70.0 road 30.0 292.9 unknown - 3.8 292.5 513.3 likelyRoad
        14-0 90.8 2.8 70.0 road 30.0 253.1 unknown - 3.8 252.5 528.6 likelyRoad
        14-0 60.5 1.8 70.0 road 30.0 222.8 unknown - 3.8 222.5 553.4 likelyRoad
        13-0 209.3 0.5 48.3 road unknown - unknown - - - 209.3 likelyRoad
        13-0 171.3 2.0 48.3 road unknown - unknown - - - 171.3 likelyRoad
        13-0 138.6 2.8 48.3 road unknown - unknown - - - 138.6 likelyRoad
        13-0 101.9 1.5 48.3 road unknown - unknown - - - 101.9 likelyRoad
        13-0 74.1 1.7 48.3 road unknown - unknown - - - 74.1 likelyRoad
        13-0 35.5 1.5 48.3 road unknown - unknown - - - 35.5 likelyRoad
        route
        16-0 270.0 4.8 90.0 road 70.0 270.0 unknown - 3.8 267.5 500.0 route
        16-0 236.0 1.3 90.0 road 70.0 235.0 unknown - 3.8 232.5 500.0 route
        16-0 200.5 3.8 90.0 road 70.0 200.0 48.3 500.0 3.8 197.5 500.0 route
        16-0 167.2 0.5 90.0 road 70.0 165.0 48.3 465.7 3.8 162.5 500.0 route
        16-0 126.0 1.3 90.0 road 70.0 130.0 48.3 430.7 3.8 127.5 500.0 route
        16-0 89.1 1.6 90.0 road 70.0 95.0 48.3 395.7 3.8 92.5 500.0 route
        16-0 64.9 0.4 90.0 road 70.0 60.0 48.3 360.7 3.8 57.5 500.0 route
        14-0 297.8 2.2 70.0 road 48.3 300.7 unknown - 4.1 297.5 500.0 route
        14-0 263.4 3.7 70.0 road 48.3 265.7 unknown - 4.1 262.5 475.7 route
        14-0 232.4 5.7 70.0 road 48.3 230.7 unknown - 4.1 227.5 440.7 route
        14-0 199.0 5.5 70.0 road 48.3 195.7 unknown - 4.1 192.5 405.7 route
        14-0 156.6 0.3 70.0 road 48.3 160.7 unknown - 4.1 157.5 370.7 route
        14-0 130.6 1.9 70.0 road 48.3 125.7 unknown - 4.1 122.5 335.7 route
        14-0 90.8 2.8 70.0 road 48.3 90.7 unknown - 4.1 87.5 300.7 route
        14-0 60.5 1.8 70.0 road 48.3 55.7 unknown - 4.1 52.5 265.7 route
        13-0 209.3 0.5 48.3 road unknown - unknown - - - 210.0 route
        13-0 171.3 2.0 48.3 road unknown - unknown - - - 175.0 route
        13-0 138.6 2.8 48.3 road unknown - unknown - - - 140.0 route
        13-0 101.9 1.5 48.3 road unknown - unknown - - - 105.0 route
        13-0 74.1 1.7 48.3 road unknown - unknown - - - 70.0 route
        13-0 35.5 1.5 48.3 road unknown - unknown - - - 35.0 route
        """#

}
