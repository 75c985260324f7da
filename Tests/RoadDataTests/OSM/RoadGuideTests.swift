import Foundation
import Geodesy
import Guidance
import PoseMath
import RoadData
import RoadMaps
import Testing

@testable import Roads

@Suite struct RoadGuideTests {
    static let origin = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5))

    /// A map whose nodes are given in metres east and north of the origin.
    static func map(_ nodes: [(Double, Double)], _ ways: [([Int64], [(String, String)])]) -> MapWriter {
        var map = MapWriter()
        for (index, node) in nodes.enumerated() {
            let place = origin.position(ofENUMeters: Vector3(node.0, node.1, 0))
            map.node(Int64(index + 1), place.latitudeDegrees, place.longitudeDegrees)
        }
        for (index, way) in ways.enumerated() { map.way(Int64(index + 1), way.0, way.1) }
        return map
    }

    static func input(
        _ seconds: Double, east: Double, north: Double, direction: Double, speed: Double = 15, sigma: Double = 4
    ) -> RoadInput {
        RoadInput(
            time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)),
            position: origin.position(ofENUMeters: Vector3(east, north, 0)),
            sigmaMeters: sigma,
            directionRadians: direction.degreesInRadians, speedMetersPerSecond: speed)
    }

    /// GIVEN a road whose limit changes WHEN driven THEN limit, source, next limit and its distance match the map.
    @Test func limitsAhead() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (400, 0), (900, 0)],
            [
                ([1, 2], [("highway", "primary"), ("maxspeed", "80"), ("ref", "N1")]),
                ([2, 3], [("highway", "primary"), ("maxspeed", "50"), ("ref", "N1")]),
            ])
        var guide = RoadGuide(map: try folder.roads(map).map)
        for step in 0..<20 {
            let east = 20.0 + Double(step) * 15
            let speedHorizon = guide.update(
                Self.input(Double(step), east: east, north: 3, direction: 90), progress: nil)
            #expect(speedHorizon.path == .likelyRoad && speedHorizon.limitSource == .road)
            #expect(
                speedHorizon.limit == RoadLimit.kilometersPerHour(80).limit
                    && speedHorizon.nextLimit == RoadLimit.kilometersPerHour(50).limit)
            // Coordinates are rounded to 1e-7 deg (1 cm), positions to 4 mm.
            #expect(abs((speedHorizon.distanceToNextLimitMeters ?? 0) - (400 - east)) < 0.1)
            #expect(speedHorizon.curveSpeedMetersPerSecond == nil)
        }
        let back = guide.update(Self.input(40, east: 300, north: 0, direction: 270), progress: nil)
        #expect(back.nextLimit == .unknown && back.distanceToNextLimitMeters == nil)
    }

    /// GIVEN two carriageways 14 m apart WHEN the position is between them THEN the direction decides, and the match
    /// stays.
    @Test func carriageways() throws {
        let folder = ImportFolder()
        let motorway = [("highway", "motorway"), ("ref", "A1")]
        let map = Self.map(
            [(0, 7), (600, 7), (600, -7), (0, -7)],
            [([2, 1], motorway + [("maxspeed", "120")]), ([4, 3], motorway + [("maxspeed", "100")])])
        let roads = try folder.roads(map).map
        for (direction, limit) in [(90.0, 100.0), (270, 120)] {
            var guide = RoadGuide(map: roads)
            for step in 0..<12 {
                let east = direction == 90 ? 50 + Double(step) * 30 : 550 - Double(step) * 30
                let speedHorizon = guide.update(
                    Self.input(Double(step), east: east, north: step % 2 == 0 ? 5 : -5, direction: direction),
                    progress: nil)
                #expect(speedHorizon.limit == RoadLimit.kilometersPerHour(limit).limit)
            }
        }
    }

    /// GIVEN a street with a service road 12 m beside it WHEN positions are shifted towards it THEN the match stays on
    /// the street, because the roads are not connected there.
    @Test func connection() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (1000, 0), (300, 12), (900, 12)],
            [
                ([1, 2], [("highway", "secondary"), ("maxspeed", "70")]),
                ([3, 4], [("highway", "secondary"), ("maxspeed", "30")]),
            ])
        var guide = RoadGuide(map: try folder.roads(map).map)
        for step in 0..<60 {
            let speedHorizon = guide.update(
                Self.input(Double(step), east: 20 + Double(step) * 15, north: step > 25 ? 8 : 1, direction: 90),
                progress: nil)
            #expect(speedHorizon.limit == RoadLimit.kilometersPerHour(70).limit, "\(step)")
        }
    }

    /// GIVEN a street with another one 12 m beside it that begins at its end WHEN positions far from that end are
    /// shifted towards it THEN the match stays on the street: the other one cannot have been reached yet.
    @Test func connectionFarAhead() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (1000, 0), (1000, 12), (0, 12)],
            [
                ([1, 2], [("highway", "secondary"), ("maxspeed", "70")]),
                ([2, 3, 4], [("highway", "secondary"), ("maxspeed", "30")]),
            ])
        var guide = RoadGuide(map: try folder.roads(map).map)
        for step in 0..<40 {
            let speedHorizon = guide.update(
                Self.input(Double(step), east: 200 + Double(step) * 15, north: step > 10 ? 8 : 1, direction: 90),
                progress: nil)
            #expect(speedHorizon.limit == RoadLimit.kilometersPerHour(70).limit, "\(step)")
        }
    }

    /// GIVEN a crossing WHEN passed straight on THEN the crossing road is never matched.
    @Test func crossing() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (300, 0), (600, 0), (300, -300), (300, 300)],
            [
                ([1, 2, 3], [("highway", "tertiary"), ("maxspeed", "60")]),
                ([4, 2, 5], [("highway", "tertiary"), ("maxspeed", "20")]),
            ])
        var guide = RoadGuide(map: try folder.roads(map).map)
        for step in 0..<100 {
            let speedHorizon = guide.update(
                Self.input(Double(step) * 0.25, east: 50 + Double(step) * 5, north: 2, direction: 90, speed: 20),
                progress: nil)
            #expect(speedHorizon.limit == RoadLimit.kilometersPerHour(60).limit, "\(step)")
        }
    }

    /// GIVEN a T-junction of equal arms WHEN approached THEN the horizon ends at the junction.
    @Test func undecided() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (300, 0), (300, -300), (300, 300)],
            [
                ([1, 2], [("highway", "residential"), ("maxspeed", "50")]),
                ([3, 2, 4], [("highway", "residential"), ("maxspeed", "30")]),
            ])
        var guide = RoadGuide(map: try folder.roads(map).map)
        let speedHorizon = guide.update(Self.input(0, east: 100, north: 0, direction: 90), progress: nil)
        #expect(speedHorizon.limit == RoadLimit.kilometersPerHour(50).limit && speedHorizon.nextLimit == .unknown)
        #expect(abs(guide.latestHorizon.lengthMeters - 200) < 0.2)
    }

    /// GIVEN a bend ahead with a radius THEN the advice is the speed for 2.2 m/s2 lateral acceleration, at its start.
    @Test(arguments: [20.0, 40, 80, 150])
    func curve(radius: Double) throws {
        let folder = ImportFolder()
        var nodes = [(0.0, 0.0)]
        for step in 0...30 {
            let angle = Double(step) / 30 * .pi / 2
            nodes.append((300 + radius * sin(angle), -radius + radius * cos(angle)))
        }
        nodes.append((300 + radius, -radius - 300))
        let map = Self.map(nodes, [((1...Int64(nodes.count)).map { $0 }, [("highway", "primary")])])
        var guide = RoadGuide(map: try folder.roads(map).map)
        let speedHorizon = guide.update(Self.input(0, east: 50, north: 0, direction: 90), progress: nil)
        let speed = try #require(speedHorizon.curveSpeedMetersPerSecond)
        // The line is a polygon of 3-degree corners; over a baseline of 15 m its curvature is that of the circle within
        // a tenth.
        #expect(abs(speed / (2.2 * radius).squareRoot() - 1) < 0.1)
        let distance = try #require(speedHorizon.distanceToCurveMeters)
        #expect(distance > 235 && distance < 250 + radius * 1.6)
    }

    /// GIVEN a right angle 57.5 m ahead, one of the places, 5 m apart from 7.5 m on, at which curves are looked for
    /// WHEN the lookahead ends just there, or before it THEN only in the first case the curve is told.
    @Test(arguments: [(57.5, true), (57.4, false)])
    func aCurveIsToldUpToTheEndOfTheLookahead(reach: Double, isTold: Bool) throws {
        let map = Self.map([(0, 0), (57.5, 0), (57.5, 100)], [([1, 2, 3], [("highway", "primary")])])
        var settings = RoadGuideSettings()
        (settings.reachMeters, settings.reachSeconds) = (reach, 0)
        // Without regard to braking the tightest place governs.
        settings.curve.brakingMetersPerSecondSquared = 0
        var guide = RoadGuide(map: try ImportFolder().roads(map).map, settings: settings)
        let told = guide.update(Self.input(0, east: 0, north: 0, direction: 90), progress: nil)
        #expect(told.distanceToCurveMeters == (isTold ? 57.5 : nil))
        #expect((told.curveSpeedMetersPerSecond != nil) == isTold)
    }

    /// GIVEN a route with and without limits WHEN it is followed THEN its own limits are reported where it has them,
    /// else those of the matched road.
    @Test func alongRoute() throws {
        let folder = ImportFolder()
        let map = Self.map(
            [(0, 0), (400, 0), (400, 400)],
            [([1, 2], [("highway", "primary"), ("maxspeed", "80")]), ([2, 3], [("highway", "residential")])])
        let roads = try folder.roads(map).map
        let points = [(0.0, 0.0), (200, 0), (400, 0), (400, 400)].map {
            Self.origin.position(ofENUMeters: Vector3($0.0, $0.1, 0))
        }
        let route = try Route(RoutePlan(points: points, limits: [.kilometersPerHour(70), .unknown, .unknown]))
        var guide = RoadGuide(map: roads)
        var speedHorizon = guide.update(
            Self.input(0, east: 100, north: 0, direction: 90),
            progress: RouteProgress(route: route, progressMeters: 100))
        #expect(
            speedHorizon.path == .route && speedHorizon.limit == .kilometersPerHour(70)
                && speedHorizon.limitSource == .route)
        #expect(
            speedHorizon.nextLimit == RoadLimit.kilometersPerHour(80).limit && speedHorizon.nextLimitSource == .road)
        #expect(abs((speedHorizon.distanceToNextLimitMeters ?? 0) - 100) < 0.1)
        speedHorizon = guide.update(
            Self.input(10, east: 250, north: 0, direction: 90),
            progress: RouteProgress(route: route, progressMeters: 250))
        #expect(
            speedHorizon.limit == RoadLimit.kilometersPerHour(80).limit
                && speedHorizon.nextLimit == RoadLimit.kilometersPerHour(50).limit)
        #expect(speedHorizon.nextLimitSource == .roadClass)
        // The road's length is stored in decimetres.
        #expect(abs((speedHorizon.distanceToNextLimitMeters ?? 0) - 150) < 0.2)
        #expect(speedHorizon.curveSpeedMetersPerSecond.map { $0 < 8 } == true)
        var blind = RoadGuide(map: nil)
        speedHorizon = blind.update(
            Self.input(10, east: 250, north: 0, direction: 90),
            progress: RouteProgress(route: route, progressMeters: 250))
        #expect(
            speedHorizon.limit == .unknown && speedHorizon.limitSource == .none
                && speedHorizon.curveSpeedMetersPerSecond != nil)
    }

    /// GIVEN a route with limits on a part of it and no map, and a vehicle before, on and behind it WHEN asked THEN the
    /// sections of the next 500 m begin where those of the route do, seen from the vehicle.
    @Test(
        arguments: [
            (100.0, [0, 100, 300, 500]), (0, [0, 200, 400]), (-50, [0, 200, 400]), (450, [0, 150]),
            (900, [0]),
        ] as [(Double, [Double])])
    func aRouteWithoutAMapHasItsOwnLimits(progress: Double, starts: [Double]) throws {
        let points = (0...4).map { Self.origin.position(ofENUMeters: Vector3(Double($0) * 200, 0, 0)) }
        let limits: [SpeedLimit] = [.unknown, .kilometersPerHour(50), .unknown, .kilometersPerHour(30)]
        let route = try Route(RoutePlan(points: points, limits: limits))
        var guide = RoadGuide(map: nil)
        let told = guide.update(
            Self.input(0, east: progress, north: 0, direction: 90),
            progress: RouteProgress(route: route, progressMeters: progress))
        let sections = guide.latestHorizon.limitSections
        // A centimetre: the route's length is measured along the chords.
        for (section, start) in zip(sections, starts) { #expect(abs(section.startMeters - start) < 0.01) }
        let expected = starts.map { limits[min(Int((max(progress, 0) + $0 + 1) / 200), 3)] }
        #expect(sections.count == starts.count && sections.map(\.limit) == expected)
        let known = zip(expected, starts).dropFirst().filter { $0.0 != .unknown }
        let next = [told.distanceToNextLimitMeters, told.distanceToAfterNextLimitMeters].compactMap { $0 }
        #expect(next.count == known.count && zip(next, known).allSatisfy { abs($0 - $1.1) < 0.01 })
        #expect(told.limit == sections.first?.limit && told.progressMeters == progress)
    }

    /// GIVEN a real country WHEN positions on its roads are matched THEN the road is found, and the import keeps its
    /// time limits.
    @Test(.enabled(if: SharedFiles.andorra != nil, "the extract of Andorra is not here"))
    func realCountry() throws {
        let folder = ImportFolder()
        let report = try RoadImport(country: "AD").run(
            from: try #require(SharedFiles.andorra), to: folder.path + "/roads.posed")
        #expect(report.edges > 2000 && report.edgesWithLimit > 300)
        let map = try RoadMap(MappedFile(path: folder.path + "/roads.posed", content: .roads))
        var (asked, found) = (0, 0)
        for number in stride(from: UInt32(0), to: UInt32(map.edgeCount), by: 3) {
            guard let edge = map.edge(number), edge.lengthDecimeters > 300 else { continue }
            let middle = Int(edge.pointCount) / 2
            let (a, b) = (map.point(edge, middle - 1), map.point(edge, middle))
            guard (b - a).length > 5 else { continue }
            let frame = LocalFrame(origin: GeodeticPosition(ecefMeters: (a + b) * 0.5))
            let direction = frame.enuMeters(ofECEFMeters: b) - frame.enuMeters(ofECEFMeters: a)
            let aside = Vector3(direction.y, -direction.x, 0) * (4 / direction.horizontalLength)
            var tracker = RoadTracker()
            let place = tracker.update(
                RoadInput(
                    time: MonotonicTime(nanoseconds: 0), position: frame.position(ofENUMeters: aside), sigmaMeters: 4,
                    directionRadians: atan2(direction.x, direction.y), speedMetersPerSecond: 10), on: map)
            asked += 1
            if place?.edge == number, place?.isForward == true { found += 1 }
        }
        // 4 m beside a carriageway in a town may be closer to another one of the same direction: a few of hundreds.
        #expect(asked > 300 && Double(found) >= 0.97 * Double(asked), "\(found) of \(asked)")
    }
}

/// The shared files, where present.
enum SharedFiles {
    /// The extract of Andorra.
    static let andorra = path("osm/andorra.osm.pbf")

    static func path(_ name: String) -> String? {
        var candidate = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for _ in 0..<4 {
            candidate.deleteLastPathComponent()
            let file = candidate.appendingPathComponent("shared/data/\(name)").path
            if FileManager.default.fileExists(atPath: file) { return file }
        }
        return nil
    }
}
