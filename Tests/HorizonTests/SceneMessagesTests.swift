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

    @Test(arguments: [nil, 0.0])
    func withADisplayTheScreenNeedsAHeading(heading: Double?) throws {
        // GIVEN a display, and a turn, arrows and a point of interest WHEN the heading is unknown, or known
        var settings = SceneSettings()
        settings.display = DisplayProfile()
        var parts = SceneContent.Parts()
        let place = AnchoredPlace(LocalFrame(origin: Self.home).position(ofENUMeters: Vector3(5, 30, 0)))
        let point = SceneWaypoint(place: place, number: 1, alongMeters: 30, directionTrueRadians: 0)
        let behind = AnchoredPlace(LocalFrame(origin: Self.home).position(ofENUMeters: Vector3(5, -30, 0)))
        (parts.turn, parts.arrows, parts.markers) = (point, [point], [point])
        parts.destination = SceneWaypoint(place: behind, number: 2, alongMeters: 90, directionTrueRadians: nil)
        parts.pointsOfInterest = [ScenePointOfInterest(place: place, number: 4)]
        parts.targets = [place]
        var frame = Self.frame(headingDegrees: heading)
        frame.guidance.progressMeters = 10
        var placer = ScenePlacer(settings: settings)
        placer.place(SceneContent(parts, contentVersion: 1), from: try #require(ScenePose(frame)))
        let sights = placer.view.points.map {
            Message.Sight($0, positionENUMeters: .init(0, 0, 0), heightMeanSeaMeters: 400)
        }
        // THEN screen, hints at its edge, body coordinates and relative bearings are told only with a heading
        #expect(sights.count == 6 && placer.view.points.contains { $0.kind == .arrow })
        #expect(sights.allSatisfy { ($0.screenRight == nil) == (heading == nil) })
        #expect(sights.allSatisfy { ($0.screenDown == nil) == (heading == nil) })
        #expect(sights.allSatisfy { ($0.bodyMeters == nil) == (heading == nil) })
        #expect(sights.allSatisfy { ($0.relativeBearingRadians == nil) == (heading == nil) })
        #expect(sights.contains { $0.edgeRadians != nil } == (heading != nil))
        #expect(sights.contains { $0.isInView } == (heading != nil))
        #expect(sights.contains { $0.isBehind } == (heading != nil))
    }

    @Test(arguments: [
        (0.5, 0.0, 0.0), (1, 0, 45), (1, 0.5, 90), (1, 1, 135), (0.5, 1, 180), (0, 1, 225), (0, 0.5, 270), (0, 0, 315),
    ])
    func theHintAtTheEdgeTurnsClockwiseFromTheTop(_ x: Double, _ y: Double, _ degrees: Double) throws {
        // GIVEN a point whose hint is in the middle or at the end of a border of a screen
        var point = VisiblePoint(kind: .turn, number: 1, offsetENUMeters: Vector3(0, 9, 0), distanceMeters: 9)
        point.screen = ScreenPlace(x: x, y: y, isOnScreen: false, isInView: false, isBehind: false)
        // THEN its angle around the screen's centre is told, to the rounding of a double
        let sight = Message.Sight(point, positionENUMeters: nil, heightMeanSeaMeters: nil)
        let told = try #require(sight.edgeRadians)
        #expect(abs(Angle.wrappedToPi(told - degrees.degreesInRadians)) < 1e-9)
    }

    @Test(arguments: [nil, -50.0, 400, 2500])
    func theHeightOfAPointOfInterestDoesNotDependOnTheReceiver(receiver: Double?) throws {
        // GIVEN a point of interest whose record has a height of 431.5 m, and one without WHEN seen from any height
        let place = LocalFrame(origin: Self.home).position(ofENUMeters: Vector3(0, 100, 0))
        var parts = SceneContent.Parts()
        parts.pointsOfInterest = [
            ScenePointOfInterest(place: AnchoredPlace(place, heightMeanSeaMeters: 431.5), number: 0),
            ScenePointOfInterest(place: AnchoredPlace(place), number: 1),
        ]
        let shown = (0..<2).map { number in
            ShownPoint(
                number: number, position: place, heightMeanSeaMeters: number == 0 ? 431.5 : nil, fields: .init(),
                categories: [])
        }
        var frame = Self.frame(headingDegrees: 0)
        frame.pose.altitudeMeanSeaMeters = receiver
        var messenger = SceneMessenger(settings: SceneSettings())
        let placed = messenger.place(SceneContent(parts, contentVersion: 1), frame: frame)
        let message = SceneMessenger.message(
            try #require(placed), shown: shown, radiusMeters: 1500, setVersion: 1, frame: frame)
        // THEN its height is that of the record, or unknown
        #expect(message.points.map(\.sight.elevationMeters) == [431.5, nil])
        #expect((message.points[0].sight.drawnElevationMeters == nil) == (receiver == nil))
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
