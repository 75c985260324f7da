import Frames
import Geodesy
import Glibc
import PoseMath
import Scene

extension Message.SceneKind {
    /// The kind in the form of the message; points of interest have a message of their own.
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
    /// A point as seen from a pose; the position of the pose in the local frame may be unknown.
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
        // The position of the hint on the border: an angle around the centre, clockwise from the top.
        if !screen.isOnScreen { edgeRadians = Angle.wrappedToTwoPi(atan2(screen.x - 0.5, 0.5 - screen.y)) }
    }
}

/// Makes the scene messages for the frames. Only the socket thread uses it.
package struct SceneMessenger {
    /// Maximum scene rate, Hz. Between scenes a display moves the points with the poses of the frames.
    package static let rateHertz = 10.0

    private var placer: ScenePlacer
    private var last: MonotonicTime?

    /// Creates a messenger.
    package init(settings: SceneSettings) { placer = ScenePlacer(settings: settings) }

    /// Whether a scene is due at a frame.
    package mutating func isDue(at frame: Frame) -> Bool {
        let now = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        guard last.map({ abs(now.seconds(since: $0)) >= 0.9 / Self.rateHertz }) ?? true else { return false }
        last = now
        return true
    }

    /// Places the content as seen from a frame; `nil` if the frame has no position.
    package mutating func place(_ content: SceneContent, frame: Frame) -> SceneView? {
        guard let pose = ScenePose(frame) else { return nil }
        placer.place(content, from: pose)
        return placer.view
    }

    /// The message of the shown points of interest.
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
        // The texts may belong to a slightly newer or older content than the positions.
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

    /// The scene message.
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
