import Frames
import Geodesy
import Glibc
import PoseMath
import Scene

extension Message.SceneKind {
    /// The wire's form of a kind; points of interest have a message of their own.
    package init(_ kind: ScenePointKind) {
        self =
            switch kind {
            case .marker: .marker
            case .arrow: .arrow
            case .turn: .turn
            case .target: .waypoint
            case .destination: .destination
            case .pointOfInterest: .unknown
            }
    }
}

extension Message.Sight {
    /// How a point lies, seen from a pose whose place in the local frame is known or not.
    package init(_ point: VisiblePoint, positionENUMeters: Frame.Triple?, heightMeanSeaMeters: Double?) {
        self.init()
        enuMeters = positionENUMeters.map {
            Frame.Triple($0.x + point.offsetENUMeters.x, $0.y + point.offsetENUMeters.y, $0.z + point.offsetENUMeters.z)
        }
        bodyMeters = point.offsetBodyMeters.map { Frame.Triple($0.x, $0.y, $0.z) }
        distanceMeters = point.distanceMeters
        bearingRadians = point.bearingTrueRadians
        relativeBearingRadians = point.bearingRelativeRadians
        size = point.sizeFactor
        if point.isHeightKnown { elevationMeters = heightMeanSeaMeters.map { $0 + point.offsetENUMeters.z } }
        guard let screen = point.screen else {
            isBehind = point.offsetBodyMeters.map { $0.x < 0 } ?? false
            return
        }
        screenRight = screen.x * 2 - 1
        screenDown = screen.y * 2 - 1
        isInView = screen.isInView
        isBehind = screen.isBehind
        // The hint's place on the border as an angle around the middle, clockwise from the top.
        if !screen.isOnScreen { edgeRadians = Angle.wrappedToTwoPi(atan2(screen.x - 0.5, 0.5 - screen.y)) }
    }
}

/// Makes the messages about the scene for the frames about to be published, for the socket thread.
package struct SceneMessenger {
    /// Scenes a second, at most; a display carries them on between with the poses of the frames.
    package static let rateHertz = 10.0

    private var placer: ScenePlacer
    private var last: MonotonicTime?

    /// A messenger.
    package init(settings: SceneSettings) { placer = ScenePlacer(settings: settings) }

    /// Whether another scene is due at a frame.
    package mutating func isDue(at frame: Frame) -> Bool {
        let now = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        guard last.map({ abs(now.seconds(since: $0)) >= 0.9 / Self.rateHertz }) ?? true else { return false }
        last = now
        return true
    }

    /// Places a content as it is seen from a frame; `nil` where the frame has no position.
    package mutating func place(_ content: SceneContent, frame: Frame) -> SceneView? {
        guard let pose = ScenePose(frame) else { return nil }
        placer.place(content, from: pose)
        return placer.view
    }

    /// The message of the points of interest around.
    package static func message(
        _ view: SceneView, shown: [ShownPoint], radiusMeters: Double, setVersion: UInt32, frame: Frame
    ) -> Message.InterestPoints {
        var message = Message.InterestPoints()
        message.timeNanoseconds = frame.timeNanoseconds
        message.radiusMeters = radiusMeters
        message.setVersion = setVersion
        message.originEpoch = frame.pose.originEpoch
        message.total = view.pointsOfInterestTotal
        let seen = view.points.filter { $0.kind == .pointOfInterest }
        // The texts may be of a content a moment newer or older than the places.
        let byNumber = Dictionary(shown.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        message.points = seen.compactMap { point in
            guard let known = byNumber[point.number] else { return nil }
            var entry = Message.InterestPoint(
                id: known.fields.id, name: known.fields.title, category: known.categories.first ?? "")
            entry.latitudeRadians = known.position.latitudeRadians
            entry.longitudeRadians = known.position.longitudeRadians
            entry.sight = Message.Sight(
                point, positionENUMeters: frame.pose.positionENUMeters,
                heightMeanSeaMeters: frame.pose.altitudeMeanSeaMeters)
            return entry
        }
        return message
    }

    /// The message of a scene.
    package static func message(_ view: SceneView, content: SceneContent, frame: Frame) -> Message.Scene {
        var scene = Message.Scene()
        scene.timeNanoseconds = frame.timeNanoseconds
        scene.routeVersion = view.routeVersion
        scene.window = view.contentVersion
        scene.originEpoch = frame.pose.originEpoch
        scene.points = view.points.filter { $0.kind != .pointOfInterest }.map { seen in
            var point = Message.ScenePoint(number: seen.number, kind: Message.SceneKind(seen.kind))
            if let place = content.position(of: seen) {
                point.latitudeRadians = place.latitudeRadians
                point.longitudeRadians = place.longitudeRadians
            }
            point.alongRouteMeters = seen.alongRouteMeters
            point.sight = Message.Sight(
                seen, positionENUMeters: frame.pose.positionENUMeters,
                heightMeanSeaMeters: frame.pose.altitudeMeanSeaMeters)
            return point
        }
        return scene
    }
}
