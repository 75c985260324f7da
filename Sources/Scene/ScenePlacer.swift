import Geodesy
import Glibc
import PoseMath

/// The pose that the scene is evaluated for.
public struct ScenePose: Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Position.
    public var position: GeodeticPosition
    /// Height of the device above mean sea level, metres; `nil` if unknown.
    public var heightMeanSeaMeters: Double?
    /// Attitude of the body; `nil` if unknown.
    public var bodyToENU: Quaternion?
    /// True heading of the body, clockwise from true north, radians; `nil` if unknown.
    public var headingTrueRadians: Double?
    /// Along-route distance from the start, metres; `nil` without a route.
    public var progressMeters: Double?

    /// Creates a pose; what is left out is unknown.
    public init(
        time: MonotonicTime, position: GeodeticPosition, heightMeanSeaMeters: Double? = nil,
        bodyToENU: Quaternion? = nil,
        headingTrueRadians: Double? = nil, progressMeters: Double? = nil
    ) {
        self.time = time
        self.position = position
        self.heightMeanSeaMeters = heightMeanSeaMeters
        self.bodyToENU = bodyToENU
        self.headingTrueRadians = headingTrueRadians
        self.progressMeters = progressMeters
    }
}

/// Computes the visible points of a content for a pose. Allocates nothing after the first call.
public struct ScenePlacer: Sendable {
    /// Settings.
    public let settings: SceneSettings
    /// The latest scene.
    public private(set) var view = SceneView()
    private let projection: Projection?

    /// Creates a placer; an invalid display profile is ignored.
    public init(settings: SceneSettings = SceneSettings()) {
        self.settings = settings
        projection = settings.display.flatMap { $0.isValid ? Projection($0) : nil }
    }

    /// Fills ``view`` with the points of a content for a pose.
    public mutating func place(_ content: SceneContent, from pose: ScenePose) {
        let eye = Eye(pose)
        view.routeVersion = content.routeVersion
        view.contentVersion = content.contentVersion
        view.pointsOfInterestTotal = content.pointsOfInterestTotal
        view.points.removeAll(keepingCapacity: true)
        for marker in content.markers { add(marker, .marker, eye) }
        addArrows(content.arrows, pose.progressMeters, eye)
        if let turn = content.turn { add(turn, .turn, eye) }
        if let destination = content.destination { add(destination, .destination, eye) }
        if let target = content.targets.first { add(target, .target, number: 0, eye) }
        for point in content.pointsOfInterest { add(point.place, .pointOfInterest, number: point.number, eye) }
    }

    /// Values common to all points of one pose.
    private struct Eye {
        let frame: LocalFrame
        let height: Double?
        let enuToBody: Turn?
        /// True heading, radians in (-pi, pi].
        let heading: Double?

        init(_ pose: ScenePose) {
            var ground = pose.position
            ground.altitudeEllipsoidMeters = 0
            frame = LocalFrame(origin: ground)
            height = pose.heightMeanSeaMeters
            enuToBody = pose.bodyToENU.map { Turn($0.inverse) }
            heading = pose.headingTrueRadians.map { Angle.wrappedToPi($0) }
        }
    }

    private mutating func addArrows(_ arrows: [SceneWaypoint], _ progress: Double?, _ eye: Eye) {
        guard let progress else { return }
        for arrow in arrows
        where arrow.alongMeters >= progress && arrow.alongMeters <= progress + settings.arrowReachMeters {
            add(arrow, .arrow, eye)
        }
    }

    private mutating func add(_ waypoint: SceneWaypoint, _ kind: ScenePointKind, _ eye: Eye) {
        var point = visiblePoint(waypoint.place, kind, number: waypoint.number, eye)
        point.alongRouteMeters = waypoint.alongMeters
        point.directionTrueRadians = waypoint.directionTrueRadians
        view.points.append(point)
    }

    private mutating func add(_ place: AnchoredPlace, _ kind: ScenePointKind, number: UInt32, _ eye: Eye) {
        view.points.append(visiblePoint(place, kind, number: number, eye))
    }

    @inline(__always) private func visiblePoint(
        _ place: AnchoredPlace, _ kind: ScenePointKind, number: UInt32, _ eye: Eye
    ) -> VisiblePoint {
        let heightDifference: Double? =
            if let ground = place.heightMeanSeaMeters, let height = eye.height { ground - height } else { nil }
        // With both heights known, both points are moved up from the ellipsoid by them. Otherwise both stay on the
        // ellipsoid, and a configured height difference is used.
        let surfacePoint =
            heightDifference.map {
                place.surface + place.up * ((eye.height ?? 0) + $0) - eye.frame.upECEF * (eye.height ?? 0)
            }
            ?? place.surface
        var offset = eye.frame.enuMeters(ofECEFMeters: surfacePoint)
        let distance = offset.horizontalLength
        offset.z = height(kind, heightDifference: heightDifference, offsetUp: offset.z)
        var point = VisiblePoint(kind: kind, number: number, offsetENUMeters: offset, distanceMeters: distance)
        point.isHeightKnown = heightDifference != nil
        point.heightMeanSeaMeters = place.heightMeanSeaMeters
        point.sizeFactor = size(atDistance: distance)
        if distance > 1e-6 {
            let bearing = atan2(offset.x, offset.y)
            point.bearingTrueRadians = bearing < 0 ? bearing + 2 * .pi : bearing
            if let heading = eye.heading {
                // Both angles are in (-pi, pi], so one full turn is enough to wrap the difference.
                let difference = bearing - heading
                point.bearingRelativeRadians =
                    difference > .pi ? difference - 2 * .pi : difference <= -.pi ? difference + 2 * .pi : difference
            }
        }
        if let enuToBody = eye.enuToBody {
            let body = enuToBody.rotate(offset)
            point.offsetBodyMeters = body
            point.screen = projection?.place(ofBodyMeters: body)
            if kind == .marker || kind == .arrow,
                !(offset.lengthSquared < settings.visibleMeters * settings.visibleMeters)
            {
                point.screen?.isInView = false
            }
        }
        return point
    }

    /// Height above the eye at which a point is drawn, metres.
    @inline(__always) private func height(_ kind: ScenePointKind, heightDifference: Double?, offsetUp: Double) -> Double
    {
        switch kind {
        case .marker, .arrow:
            guard let heightDifference, abs(heightDifference) >= settings.heightBandMeters else {
                return -settings.markerBelowEyeMeters
            }
            return offsetUp
        case .turn: return settings.turnAboveEyeMeters
        case .destination:
            return heightDifference == nil
                ? settings.destinationAboveEyeMeters : offsetUp + settings.destinationAboveGroundMeters
        case .target, .pointOfInterest: return heightDifference == nil ? 0 : offsetUp
        }
    }

    /// Size factor: 1 up to the full-size distance, 0 from the smallest-size distance on, linear between.
    @inline(__always) private func size(atDistance distance: Double) -> Double {
        let span = settings.smallestSizeMeters - settings.fullSizeMeters
        guard span > 0 else { return distance <= settings.fullSizeMeters ? 1 : 0 }
        return 1 - min(max((distance - settings.fullSizeMeters) / span, 0), 1)
    }
}
