import RoadMaps
import Testing

@testable import Roads

/// The legal default that the tags of a road name.
@Suite struct ImpliedLimitTests {
    @Test(
        arguments: [
            ([("highway", "living_street"), ("zone:traffic", "DE:urban")], "7 km/h", false),
            ([("highway", "living_street"), ("zone:traffic", "RO:urban")], "20 km/h", false),
            ([("highway", "living_street"), ("maxspeed:type", "DE:20")], "20 km/h", true),
            ([("highway", "pedestrian"), ("zone:traffic", "DE:urban")], "0 km/h", false),
            ([("highway", "motorway"), ("zone:traffic", "DE:rural")], "none", false),
            ([("highway", "motorway_link"), ("zone:traffic", "DE:urban")], "50 km/h", true),
            ([("highway", "residential"), ("zone:traffic", "DE:urban")], "50 km/h", true),
            ([("highway", "residential"), ("zone:traffic", "DE:urban"), ("zone:maxspeed", "DE:30")], "30 km/h", true),
            ([("highway", "residential"), ("zone:maxspeed", "DE:30"), ("zone:traffic", "DE:urban")], "30 km/h", true),
            (
                [("highway", "primary"), ("zone:traffic", "DE:urban"), ("source:maxspeed", "DE:rural")], "100 km/h",
                true
            ),
            (
                [("highway", "primary"), ("source:maxspeed", "DE:rural"), ("maxspeed:type", "DE:urban")], "50 km/h",
                true
            ),
            ([("highway", "primary"), ("maxspeed:type", "sign"), ("zone:traffic", "DE:urban")], "50 km/h", true),
        ] as [([(String, String)], String, Bool)])
    func theLimitIsThatOfTheKeyWhateverTheOrder(tags: [(String, String)], expected: String, isTagged: Bool) throws {
        // GIVEN a road without a number WHEN its tags name zones and types THEN the zone of its limit counts before the
        // type and the source, and the traffic zone last and only for a class without a law of its own
        let folder = ImportFolder()
        let (map, _) = try folder.roads(RoadGuideTests.map([(0, 0), (400, 0)], [([1, 2], tags)]))
        let edge = try #require(map.edge(0))
        let found = map.limit(edge, isForward: true)
        #expect(found.limit.text == expected && found.isTagged == isTagged)
        #expect(map.limit(edge, isForward: false).limit == found.limit)
    }
}
