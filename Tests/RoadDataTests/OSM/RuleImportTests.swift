import Guidance
import RoadData
import RoadMaps
import Testing

@testable import Roads

/// Limits for some vehicles and under conditions: from the extract to the road ahead.
@Suite struct RuleImportTests {
    /// Monday, 2026-07-06 at a local hour.
    static func context(hour: Int) -> LimitContext {
        var context = LimitContext()
        (context.utcSeconds, context.utcOffsetSeconds) = (1_783_296_000 + Int64(hour - 2) * 3600, 7200)
        (context.latitudeDegrees, context.longitudeDegrees) = (42.5, 1.5)
        return context
    }

    static let ways: [([Int64], [(String, String)])] = [
        (
            [1, 2],
            [
                ("highway", "primary"), ("maxspeed", "80"), ("ref", "N1"),
                ("maxspeed:conditional", "60 @ (22:00-06:00)"), ("maxspeed:hgv", "70"),
            ]
        ),
        (
            [3, 2],
            [
                ("highway", "primary"), ("maxspeed", "50"), ("ref", "N1"), ("oneway", "-1"),
                ("maxspeed:backward:conditional", "30 @ (Mo-Fr 07:00-17:00; PH off)"),
            ]
        ),
    ]
    static let nodes = [(0.0, 0.0), (400, 0), (900, 0)]

    /// GIVEN tags with conditions WHEN imported and driven at several hours THEN limit, next limit and reasons are
    /// those of the hour; a way against its points keeps its directions.
    @Test func fromTheExtractToTheRoadAhead() throws {
        let folder = ImportFolder()
        let (roads, report) = try folder.roads(RoadGuideTests.map(Self.nodes, Self.ways))
        #expect(report.ruledEdges == 2 && roads.hasRules && roads.ruledEdgeCount == 2)
        for (hour, limit, reason, next, nextReason) in [
            (3, 60.0, LimitReason.time, 50.0, LimitReason.none), (9, 80, .none, 30, .time), (19, 80, .none, 50, .none),
        ] {
            var guide = RoadGuide(map: roads)
            let ahead = guide.update(
                RoadGuideTests.input(0, east: 100, north: 0, direction: 90), progress: nil, Self.context(hour: hour))
            #expect(ahead.limit == RoadLimit.kilometersPerHour(limit).limit && ahead.limitReason == reason, "\(hour)")
            #expect(ahead.nextLimit == RoadLimit.kilometersPerHour(next).limit, "\(hour)")
            #expect(ahead.nextLimitReason == nextReason && ahead.utcOffsetSeconds == 7200 && !ahead.hasCondition)
        }
        var lorry = Self.context(hour: 19)
        lorry.vehicle.kind = .hgv
        var guide = RoadGuide(map: roads)
        let ahead = guide.update(RoadGuideTests.input(0, east: 100, north: 0, direction: 90), progress: nil, lorry)
        #expect(ahead.limit == RoadLimit.kilometersPerHour(70).limit && ahead.limitReason == .vehicle)
    }

    /// GIVEN no time WHEN driven THEN the general limit is told, and that it depends on something unknown.
    @Test func withoutTimeItIsSaid() throws {
        let folder = ImportFolder()
        var guide = RoadGuide(map: try folder.roads(RoadGuideTests.map(Self.nodes, Self.ways)).map)
        let ahead = guide.update(RoadGuideTests.input(0, east: 100, north: 0, direction: 90), progress: nil)
        #expect(ahead.limit == RoadLimit.kilometersPerHour(80).limit && ahead.hasCondition)
        #expect(ahead.limitReason == .none && ahead.utcOffsetSeconds == nil)
    }

    /// GIVEN a file of an earlier release, without rules WHEN it is opened THEN it is read, its conditional limits are
    /// unknown, and that is told.
    @Test func aFileOfAnEarlierRelease() throws {
        let folder = ImportFolder()
        _ = try folder.roads(RoadGuideTests.map(Self.nodes, Self.ways))
        var bytes = folder.read("roads.posed")
        // The entries of the sections 9 and 10 get kinds that nobody knows.
        for entry in 0..<Int(bytes[16]) {
            let place = DataFile.headerBytes + entry * DataFile.entryBytes
            if bytes[place] == 9 || bytes[place] == 10 { bytes[place] += 100 }
        }
        let map = try RoadMap(MemoryBytes(bytes))
        #expect(!map.hasRules && map.ruledEdgeCount == 0)
        var guide = RoadGuide(map: map)
        let ahead = guide.update(
            RoadGuideTests.input(0, east: 100, north: 0, direction: 90), progress: nil, Self.context(hour: 3))
        #expect(ahead.limit == RoadLimit.kilometersPerHour(80).limit && ahead.hasCondition)
    }

    /// GIVEN damaged rules WHEN they are read THEN there are no more rules than fit, and nothing traps.
    @Test(arguments: 0..<64)
    func damagedRules(offset: Int) throws {
        let folder = ImportFolder()
        _ = try folder.roads(RoadGuideTests.map(Self.nodes, Self.ways))
        let bytes = folder.read("roads.posed")
        for entry in 0..<Int(bytes[16]) {
            let place = DataFile.headerBytes + entry * DataFile.entryBytes
            guard bytes[place] == 9 || bytes[place] == 10 else { continue }
            let start = (0..<4).reduce(0) { $0 | Int(bytes[place + 8 + $1]) << (8 * $1) }
            var damaged = bytes
            if start + offset < damaged.count { damaged[start + offset] = 0xFF }
            let map = try RoadMap(MemoryBytes(damaged))
            for edge in 0..<UInt32(map.edgeCount) {
                #expect(map.rules(ofEdge: edge).count <= Int(LimitRule.mostOfEdge))
                _ = map.limit(edge, isForward: true, Self.context(hour: 3))
            }
        }
    }
}
