import Geodesy
import PoseMath
import Testing

@testable import Scene

@Suite struct HeightTests {
    static let here = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)

    static func points(ground: Double?, eye: Double?) -> [ScenePointKind: VisiblePoint] {
        let there = LocalFrame(origin: here).position(ofENUMeters: Vector3(0, 30, 0))
        let waypoint = SceneWaypoint(
            place: AnchoredPlace(there, heightMeanSeaMeters: ground), number: 3, alongMeters: 30,
            directionTrueRadians: 0)
        var parts = SceneContent.Parts()
        parts.markers = [waypoint]
        parts.turn = waypoint
        parts.destination = waypoint
        var placer = ScenePlacer()
        placer.place(
            SceneContent(parts, contentVersion: 1),
            from: ScenePose(time: MonotonicTime(nanoseconds: 0), position: here, heightMeanSeaMeters: eye))
        return Dictionary(placer.view.points.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// GIVEN an unknown height of the ground or of the eye WHEN placed THEN markers are 1 m below the eye, the turn 1 m
    /// and the destination 2 m above.
    @Test(arguments: [(nil, 1000), (1000, nil), (nil, nil)] as [(Double?, Double?)])
    func withoutHeights(ground: Double?, eye: Double?) {
        let points = Self.points(ground: ground, eye: eye)
        #expect(points[.marker]?.offsetENUMeters.z == -1 && points[.marker]?.isHeightKnown == false)
        #expect(points[.turn]?.offsetENUMeters.z == 1 && points[.destination]?.offsetENUMeters.z == 2)
    }

    /// GIVEN the ground's height WHEN it is within 2 m of the eye's THEN markers are 1 m below the eye, else on the
    /// ground.
    @Test(arguments: [(998.1, -1.0), (1001.9, -1), (998, -2), (1002, 2), (960, -40), (1040, 40)])
    func markerBand(ground: Double, expected: Double) throws {
        let marker = try #require(Self.points(ground: ground, eye: 1000)[.marker])
        // At 30 m the surface is 7e-5 m below the tangent plane.
        #expect(abs(marker.offsetENUMeters.z - expected) < 1e-3)
    }

    /// GIVEN the ground's height WHEN placed THEN the destination is 8 m above it.
    @Test func destinationOverGround() throws {
        let destination = try #require(Self.points(ground: 990, eye: 1000)[.destination])
        #expect(abs(destination.offsetENUMeters.z + 2) < 1e-3 && destination.isHeightKnown)
    }
}
