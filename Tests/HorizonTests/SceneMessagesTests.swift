import Frames
import Geodesy
import PoseMath
import Scene
import Testing

@testable import Horizon

/// The messages of the scene: what they tell without a heading, heights, and when they have changed.
@Suite struct SceneMessagesTests {
    private static let home = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)

    private static func frame(east: Double = 0, headingDegrees: Double?) -> Frame {
        let place = LocalFrame(origin: home).position(ofENUMeters: Vector3(east, 0, 0))
        var frame = Frame()
        frame.timeNanoseconds = 1_000_000_000
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        frame.pose.altitudeMeanSeaMeters = 400
        frame.pose.positionENUMeters = .init(east, 0, 0)
        // Without a heading the attitude's north is arbitrary: here the body looks east.
        let angles = EulerAngles(
            rollRadians: 0, pitchRadians: 0, headingTrueRadians: (headingDegrees ?? 90).degreesInRadians)
        let q = angles.bodyToENU
        frame.pose.bodyToENU = .init(q.w, q.x, q.y, q.z)
        frame.pose.headingTrueRadians = headingDegrees.map { $0.degreesInRadians }
        return frame
    }

    /// A turn 100 m north of home, on ground 410 m above the sea.
    private static var content: SceneContent {
        let place = LocalFrame(origin: home).position(ofENUMeters: Vector3(0, 100, 0))
        var parts = SceneContent.Parts()
        parts.turn = SceneWaypoint(
            place: AnchoredPlace(place, heightMeanSeaMeters: 410), number: 1, alongMeters: 100,
            directionTrueRadians: 0)
        return SceneContent(parts, contentVersion: 1)
    }

    private static func scene(_ messenger: inout SceneMessenger, _ frame: Frame) throws -> Message.Scene {
        let placed = messenger.place(content, frame: frame)
        let view = try #require(placed)
        return SceneMessenger.message(view, content: content, frame: frame)
    }

    private static func turn(_ messenger: inout SceneMessenger, _ frame: Frame) throws -> Message.Sight {
        let scene = try scene(&messenger, frame)
        return try #require(scene.points.first?.sight)
    }

    @Test func withoutAHeadingNoDirectionFromTheBodyIsTold() throws {
        // GIVEN a pose with attitude but without heading WHEN the scene is made
        var messenger = SceneMessenger(settings: SceneSettings())
        let unknown = try Self.turn(&messenger, Self.frame(headingDegrees: nil))
        // THEN distance and bearing are told, and nothing that depends on where the body looks
        #expect(unknown.bodyMeters == nil && unknown.screenRight == nil && unknown.edgeRadians == nil)
        #expect(unknown.relativeBearingRadians == nil && !unknown.isBehind && !unknown.isInView)
        #expect(abs((unknown.distanceMeters ?? 0) - 100) < 0.01 && unknown.bearingRadians != nil)
        // AND with a heading to the south the turn is behind
        let south = try Self.turn(&messenger, Self.frame(headingDegrees: 180))
        #expect((south.bodyMeters?.x ?? 0) < -99 && south.isBehind)
    }

    @Test func theHeightOfTheGroundIsNotThatOfTheDrawing() throws {
        var messenger = SceneMessenger(settings: SceneSettings())
        let settings = SceneSettings()
        let sight = try Self.turn(&messenger, Self.frame(headingDegrees: 0))
        // THEN the elevation is the terrain's, a turn is drawn above the eye, and the angle is to the drawing
        #expect(sight.elevationMeters == 410)
        #expect(abs((sight.drawnElevationMeters ?? 0) - 400 - settings.turnAboveEyeMeters) < 1e-9)
        let angle = (sight.elevationAngleRadians ?? .nan).radiansInDegrees
        #expect(abs(angle - (settings.turnAboveEyeMeters / 100).radiansInDegrees) < 0.01)
    }

    @Test func aSceneHasChangedWhenADisplayShowsItElsewhere() throws {
        // GIVEN a pose that trembles by millimetres and hundredths of a degree, and one that moves by a metre
        var messenger = SceneMessenger(settings: SceneSettings())
        func version(_ east: Double, _ heading: Double) throws -> UInt64 {
            messenger.version(of: try Self.scene(&messenger, Self.frame(east: east, headingDegrees: heading)))
        }
        #expect(try version(0, 10) == 1)
        #expect(try version(0.003, 10.02) == 1)
        #expect(try version(1, 10) == 2)
        #expect(try version(1, 11) == 3)
    }
}
