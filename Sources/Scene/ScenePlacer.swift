import Geodesy
import Glibc
import PoseMath

/// Where the scene is seen from.
public struct ScenePose: Sendable {
    /// When.
    public var time: MonotonicTime
    /// Where.
    public var position: GeodeticPosition
    /// Height of the device above mean sea level, metres; `nil` where it is not known.
    public var heightMeanSeaMeters: Double?
    /// The body's attitude; `nil` where it is not known.
    public var bodyToENU: Quaternion?
    /// The body's heading, clockwise from true north, radians; `nil` where it is not known.
    public var headingTrueRadians: Double?
    /// Along the route from its start, metres; `nil` without a route.
    public var progressMeters: Double?

    /// A pose; what is left out is not known.
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

/// Turns a content into what is seen of it from a pose. Allocates nothing after the first time.
public struct ScenePlacer: Sendable {
    /// What was set.
    public let settings: SceneSettings
    /// The latest scene.
    public private(set) var view = SceneView()
    private let projection: Projection?

    /// A placer; a display profile that is not valid is left out.
    public init(settings: SceneSettings = SceneSettings()) {
        self.settings = settings
        projection = settings.display.flatMap { $0.isValid ? Projection($0) : nil }
    }

    /// Fills ``view`` with the content as it is seen from a pose.
    public mutating func place(_ content: SceneContent, from pose: ScenePose) {
        let eye = Eye(pose)
        view.routeVersion = content.routeVersion
        view.contentVersion = content.contentVersion
        view.pointsOfInterestInAll = content.pointsOfInterestInAll
        view.points.removeAll(keepingCapacity: true)
        for marker in content.markers { add(marker, .marker, eye) }
        addArrows(content.arrows, pose.progressMeters, eye)
        if let turn = content.turn { add(turn, .turn, eye) }
        if let destination = content.destination { add(destination, .destination, eye) }
        if let target = content.target { add(target, .target, number: 0, eye) }
        for point in content.pointsOfInterest { add(point.place, .pointOfInterest, number: point.number, eye) }
    }

    /// What is the same for all points of one pose.
    private struct Eye {
        let frame: LocalFrame
        let height: Double?
        let enuToBody: Quaternion?
        /// In (-pi, pi].
        let heading: Double?

        init(_ pose: ScenePose) {
            var ground = pose.position
            ground.altitudeEllipsoidMeters = 0
            frame = LocalFrame(origin: ground)
            height = pose.heightMeanSeaMeters
            enuToBody = pose.bodyToENU?.inverse
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
        var point = seen(waypoint.place, kind, number: waypoint.number, eye)
        point.alongRouteMeters = waypoint.alongMeters
        point.directionTrueRadians = waypoint.directionTrueRadians
        view.points.append(point)
    }

    private mutating func add(_ place: AnchoredPlace, _ kind: ScenePointKind, number: UInt32, _ eye: Eye) {
        view.points.append(seen(place, kind, number: number, eye))
    }

    private func seen(_ place: AnchoredPlace, _ kind: ScenePointKind, number: UInt32, _ eye: Eye) -> VisiblePoint {
        let rise: Double? =
            if let ground = place.heightMeanSeaMeters, let height = eye.height { ground - height } else { nil }
        // Both are lifted off the ellipsoid by their heights; where one is not known, both stay on it and the rise
        // stands in for the difference.
        let lifted =
            rise.map { place.surface + place.up * ((eye.height ?? 0) + $0) - eye.frame.upECEF * (eye.height ?? 0) }
            ?? place.surface
        var offset = eye.frame.enuMeters(ofECEFMeters: lifted)
        let distance = offset.horizontalLength
        offset.z = height(kind, rise: rise, straight: offset.z)
        var point = VisiblePoint(kind: kind, number: number, offsetENUMeters: offset, distanceMeters: distance)
        point.isHeightKnown = rise != nil
        point.sizeFactor = size(atDistance: distance)
        if distance > 1e-6 {
            let bearing = atan2(offset.x, offset.y)
            point.bearingTrueRadians = bearing < 0 ? bearing + 2 * .pi : bearing
            if let heading = eye.heading {
                // Both lie in (-pi, pi]: one turn brings the difference there.
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

    /// How far above the eye a point is drawn, metres.
    private func height(_ kind: ScenePointKind, rise: Double?, straight: Double) -> Double {
        switch kind {
        case .marker, .arrow:
            guard let rise, abs(rise) >= settings.heightBandMeters else { return -settings.markerBelowEyeMeters }
            return straight
        case .turn: return settings.turnAboveEyeMeters
        case .destination:
            return rise == nil ? settings.destinationAboveEyeMeters : straight + settings.destinationAboveGroundMeters
        case .target, .pointOfInterest: return rise == nil ? 0 : straight
        }
    }

    /// 1 up to the full size's distance, 0 from the smallest size's on, linear between.
    private func size(atDistance distance: Double) -> Double {
        let span = settings.smallestSizeMeters - settings.fullSizeMeters
        guard span > 0 else { return distance <= settings.fullSizeMeters ? 1 : 0 }
        return 1 - min(max((distance - settings.fullSizeMeters) / span, 0), 1)
    }
}
