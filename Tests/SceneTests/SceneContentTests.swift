import Geodesy
import PoseMath
import Testing

@testable import Scene

/// What a content knows of the points that are shown of it.
@Suite struct SceneContentTests {
    private static let home = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)

    /// A place some metres north of home.
    private static func place(_ meters: Double) -> AnchoredPlace {
        AnchoredPlace(LocalFrame(origin: home).position(ofENUMeters: Vector3(0, meters, 0)))
    }

    private static func waypoint(_ number: UInt32, _ meters: Double) -> SceneWaypoint {
        SceneWaypoint(place: place(meters), number: number, alongMeters: meters, directionTrueRadians: 0)
    }

    @Test func everyPointThatIsShownHasItsPosition() {
        // GIVEN a content with two points of each kind that may have several, at 10 m, 11 m ... 18 m
        var parts = SceneContent.Parts()
        parts.markers = [Self.waypoint(5, 10), Self.waypoint(6, 11)]
        parts.arrows = [Self.waypoint(8, 12), Self.waypoint(9, 13)]
        (parts.turn, parts.destination) = (Self.waypoint(0, 14), Self.waypoint(0, 15))
        parts.targets = [Self.place(16)]
        parts.pointsOfInterest = [
            ScenePointOfInterest(place: Self.place(17), number: 70),
            ScenePointOfInterest(place: Self.place(18), number: 3),
        ]
        let content = SceneContent(parts, contentVersion: 1)
        var placer = ScenePlacer(settings: SceneSettings())
        let time = MonotonicTime(nanoseconds: 1)
        placer.place(content, from: ScenePose(time: time, position: Self.home, progressMeters: 0))
        // THEN each point that is shown is at its own of these places
        let points = placer.view.points
        let north = points.map { point in
            content.position(of: point).map { LocalFrame(origin: Self.home).enuMeters(of: $0).y.rounded() }
        }
        #expect(Set(north) == Set((10...18).map { Double($0) }) && points.count == 9)
        for (point, meters) in zip(points, north) {
            #expect(meters == point.offsetENUMeters.y.rounded(), "\(point.kind) \(point.number)")
        }
        // AND one that is not part of it has none
        for kind in [ScenePointKind.marker, .arrow, .pointOfInterest] {
            guard var other = points.first(where: { $0.kind == kind }) else { continue }
            other.number = 100
            #expect(content.position(of: other) == nil)
        }
    }
}
