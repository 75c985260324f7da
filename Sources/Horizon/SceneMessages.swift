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
        elevationMeters = point.heightMeanSeaMeters
        drawnElevationMeters = heightMeanSeaMeters.map { $0 + point.offsetENUMeters.z }
        if point.distanceMeters > 1e-6 {
            elevationAngleRadians = atan2(point.offsetENUMeters.z, point.distanceMeters)
        }
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
    private var scene = (version: UInt64(0), message: Message.Scene())
    private var points = (version: UInt64(0), message: Message.InterestPoints())

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

    /// The version of a scene: that of the previous one if a display would draw the same.
    package mutating func version(of message: Message.Scene) -> UInt64 {
        let old = scene.message
        let isSame =
            scene.version > 0 && old.routeVersion == message.routeVersion && old.window == message.window
            && old.originEpoch == message.originEpoch && old.points.count == message.points.count
            && zip(old.points, message.points).allSatisfy { $0.isDrawn(as: $1) }
        if !isSame { scene = (scene.version + 1, message) }
        return scene.version
    }

    /// The version of the points of interest: that of the previous ones if a display would draw the same.
    package mutating func version(of message: Message.InterestPoints) -> UInt64 {
        let old = points.message
        let isSame =
            points.version > 0 && old.setVersion == message.setVersion && old.originEpoch == message.originEpoch
            && old.radiusMeters == message.radiusMeters && old.total == message.total
            && old.points.count == message.points.count
            && zip(old.points, message.points).allSatisfy { $0.isDrawn(as: $1) }
        if !isSame { points = (points.version + 1, message) }
        return points.version
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

extension Message.ScenePoint {
    fileprivate func isDrawn(as other: Self) -> Bool {
        number == other.number && kind == other.kind && sight.isDrawn(as: other.sight)
    }
}

extension Message.InterestPoint {
    fileprivate func isDrawn(as other: Self) -> Bool {
        id == other.id && name == other.name && sight.isDrawn(as: other.sight)
    }
}

extension Message.Sight {
    /// Whether two sights differ by less than a display shows: 0.05 degrees as seen by the eye, and 5 cm.
    fileprivate func isDrawn(as other: Self) -> Bool {
        guard isInView == other.isInView, isBehind == other.isBehind,
            let distance = distanceMeters, let otherDistance = other.distanceMeters
        else { return false }
        let tolerance = max(0.05, 0.0009 * distance)
        return abs(distance - otherDistance) <= tolerance
            && Self.isNear(enuMeters, other.enuMeters, tolerance)
            && Self.isNear(bodyMeters, other.bodyMeters, tolerance)
            && Self.isNear(drawnElevationMeters, other.drawnElevationMeters, tolerance)
            && elevationMeters == other.elevationMeters
    }

    private static func isNear(_ one: Double?, _ other: Double?, _ tolerance: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= tolerance
    }

    private static func isNear(_ one: Frame.Triple?, _ other: Frame.Triple?, _ tolerance: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return max(abs(one.x - other.x), abs(one.y - other.y), abs(one.z - other.z)) <= tolerance
    }
}
