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

    /// A scene with one point whose sight is whole.
    private static var drawn: Message.Scene {
        var point = Message.ScenePoint(number: 4, kind: .turn)
        point.sight.enuMeters = .init(10, 20, 3)
        point.sight.bodyMeters = .init(20, -10, 3)
        (point.sight.distanceMeters, point.sight.elevationMeters) = (22, 400)
        (point.sight.drawnElevationMeters, point.sight.isInView) = (403, true)
        var scene = Message.Scene()
        (scene.routeVersion, scene.window, scene.originEpoch, scene.points) = (1, 2, 3, [point])
        return scene
    }

    @Test func everyPartOfASceneMakesAnotherOne() {
        // GIVEN a scene WHEN it comes again THEN it is the same; WHEN one part of it is another, or differs by more
        // than 5 cm THEN it is a new one
        let changes: [(isNew: Bool, (inout Message.Scene) -> Void)] = [
            (false, { $0.timeNanoseconds = 9 }), (true, { $0.routeVersion = 9 }), (true, { $0.window = 9 }),
            (true, { $0.originEpoch = 9 }), (true, { $0.points.append($0.points[0]) }), (true, { $0.points = [] }),
            (true, { $0.points[0].number = 9 }), (true, { $0.points[0].kind = .arrow }),
            (true, { $0.points[0].sight.isInView = false }), (true, { $0.points[0].sight.isBehind = true }),
            (true, { $0.points[0].sight.distanceMeters = nil }),
            (false, { $0.points[0].sight.distanceMeters = 22.049 }),
            (true, { $0.points[0].sight.distanceMeters = 22.051 }),
            (false, { $0.points[0].sight.distanceMeters = 21.951 }),
            (true, { $0.points[0].sight.distanceMeters = 21.949 }), (true, { $0.points[0].sight.enuMeters = nil }),
            (false, { $0.points[0].sight.enuMeters?.x = 10.049 }), (true, { $0.points[0].sight.enuMeters?.x = 10.051 }),
            (true, { $0.points[0].sight.enuMeters?.y = 20.051 }), (true, { $0.points[0].sight.enuMeters?.z = 2.949 }),
            (true, { $0.points[0].sight.bodyMeters?.x = 20.051 }), (true, { $0.points[0].sight.bodyMeters = nil }),
            (false, { $0.points[0].sight.drawnElevationMeters = 403.049 }),
            (true, { $0.points[0].sight.drawnElevationMeters = 403.051 }),
            (true, { $0.points[0].sight.drawnElevationMeters = nil }),
            (true, { $0.points[0].sight.elevationMeters = nil }),
            (true, { $0.points[0].sight.elevationMeters = 400.001 }), (false, { $0.points[0].sight.size = 0.5 }),
        ]
        for (index, change) in changes.enumerated() {
            var messenger = SceneMessenger(settings: SceneSettings())
            let versions = [messenger.version(of: Self.drawn), messenger.version(of: Self.drawn)]
            #expect(versions == [1, 1])
            var other = Self.drawn
            change.1(&other)
            let next = messenger.version(of: other)
            #expect(next == (change.isNew ? 2 : 1), "\(index)")
        }
        // AND far away a display shows less: 0.0009 of the distance
        for (distance, isNew) in [(1000.89, false), (1000.91, true)] {
            var (messenger, far) = (SceneMessenger(settings: SceneSettings()), Self.drawn)
            far.points[0].sight.distanceMeters = 1000
            let first = messenger.version(of: far)
            far.points[0].sight.distanceMeters = distance
            let second = messenger.version(of: far)
            #expect(first == 1 && second == (isNew ? 2 : 1))
        }
    }

    @Test func everyPartOfThePointsMakesOthers() {
        // GIVEN points of interest WHEN one part of them is another THEN they are new ones
        var point = Message.InterestPoint(id: "a", name: "b", category: "c")
        (point.sight.distanceMeters, point.sight.enuMeters) = (22, .init(10, 20, 3))
        var points = Message.InterestPoints()
        (points.setVersion, points.originEpoch, points.radiusMeters, points.total) = (1, 2, 3, 4)
        points.points = [point]
        let changes: [(isNew: Bool, (inout Message.InterestPoints) -> Void)] = [
            (false, { $0.timeNanoseconds = 9 }), (true, { $0.setVersion = 9 }), (true, { $0.originEpoch = 9 }),
            (true, { $0.radiusMeters = 9 }), (true, { $0.total = 9 }), (true, { $0.points = [] }),
            (true, { $0.points.append($0.points[0]) }), (true, { $0.points[0].id = "x" }),
            (true, { $0.points[0].name = "x" }), (true, { $0.points[0].sight.distanceMeters = 23 }),
        ]
        for (index, change) in changes.enumerated() {
            var messenger = SceneMessenger(settings: SceneSettings())
            let versions = [messenger.version(of: points), messenger.version(of: points)]
            #expect(versions == [1, 1])
            var other = points
            change.1(&other)
            let next = messenger.version(of: other)
            #expect(next == (change.isNew ? 2 : 1), "\(index)")
        }
    }

    @Test func evenAnEmptySceneIsTheFirstOne() {
        // GIVEN nothing so far WHEN an empty scene and empty points come, twice THEN both are the first version
        var messenger = SceneMessenger(settings: SceneSettings())
        let scenes = [messenger.version(of: Message.Scene()), messenger.version(of: Message.Scene())]
        let points = [messenger.version(of: Message.InterestPoints()), messenger.version(of: Message.InterestPoints())]
        #expect(scenes == [1, 1] && points == [1, 1])
    }

    @Test func aSceneIsDueTenTimesASecond() {
        // GIVEN frames WHEN one comes 90 ms after the last scene, or as much before it THEN a scene is due
        var messenger = SceneMessenger(settings: SceneSettings())
        func isDue(_ milliseconds: Int64) -> Bool {
            var frame = Frame()
            frame.timeNanoseconds = milliseconds * 1_000_000
            return messenger.isDue(at: frame)
        }
        #expect(isDue(1000) && !isDue(1000) && !isDue(1089) && isDue(1091) && !isDue(1180) && isDue(1182))
        #expect(!isDue(1093) && isDue(1091))
    }

    @Test func aPlaceIsToldInTheFrameOfThePose() {
        // GIVEN a point 3 m east, 4 m north and 5 m above, seen from a known place and height THEN it is that much from
        // there; its screen is from -1 to 1, and its angle is from the horizontal distance
        var point = VisiblePoint(kind: .turn, number: 1, offsetENUMeters: Vector3(3, 4, 5), distanceMeters: 5)
        point.offsetBodyMeters = Vector3(-1, 2, 5)
        let plain = Message.Sight(point, positionENUMeters: .init(10, 20, 30), heightMeanSeaMeters: 400)
        #expect(plain.enuMeters == .init(13, 24, 35) && plain.bodyMeters == .init(-1, 2, 5) && plain.isBehind)
        #expect(plain.drawnElevationMeters == 405 && plain.elevationAngleRadians == .pi / 4)
        point.screen = ScreenPlace(x: 0.75, y: 0.25, isOnScreen: true, isInView: true, isBehind: false)
        let seen = Message.Sight(point, positionENUMeters: nil, heightMeanSeaMeters: nil)
        #expect(seen.screenRight == 0.5 && seen.screenDown == -0.5 && seen.isInView && !seen.isBehind)
        #expect(seen.edgeRadians == nil && seen.enuMeters == nil && seen.drawnElevationMeters == nil)
        let kinds = [ScenePointKind.marker, .arrow, .turn, .target, .destination, .pointOfInterest]
        #expect(kinds.map { Message.SceneKind($0) } == [.marker, .arrow, .turn, .waypoint, .destination, .unknown])
    }

    @Test func theInputOfTheHorizonIsThatOfTheFrame() throws {
        // GIVEN a frame with a course and a heading, and one without a course, and one with neither
        var frame = Self.frame(headingDegrees: 90)
        frame.pose.positionSigmaENUMeters = .init(3, 4, 50)
        (frame.speed.speedMetersPerSecond, frame.utcNanoseconds) = (7, 12_999_999_999)
        frame.pose.headingSigmaRadians = 0.25
        let heading = try #require(HorizonInput(frame, route: nil))
        #expect(heading.sigmaMeters == 4 && heading.speedMetersPerSecond == 7 && heading.utcSeconds == 12)
        #expect(heading.directionRadians == frame.pose.headingTrueRadians && heading.directionSigmaRadians == 0.25)
        frame.pose.courseOverGroundRadians = 2
        let course = try #require(HorizonInput(frame, route: nil))
        #expect(course.directionRadians == 2 && course.directionSigmaRadians == 0.1 && !course.isOnRoute)
        var bare = Self.frame(headingDegrees: nil)
        let unknown = try #require(HorizonInput(bare, route: nil))
        #expect(unknown.directionRadians == nil && unknown.directionSigmaRadians == .pi && unknown.sigmaMeters == 20)
        // AND a lost pose, and one without a place, gives none
        bare.pose.state = .lost
        #expect(HorizonInput(bare, route: nil) == nil)
        bare.pose.state = .coarse
        #expect(HorizonInput(bare, route: nil) != nil)
        bare.pose.longitudeRadians = nil
        #expect(HorizonInput(bare, route: nil) == nil)
    }
}
