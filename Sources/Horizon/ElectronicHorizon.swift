import Frames
import Geodesy
import Guidance
import PoseMath
import RoadData
import Roads
import Scene

/// Input of the electronic horizon: the pose of a frame and the route in force.
package struct HorizonInput: Sendable {
    /// The pose.
    package var pose: ScenePose
    /// 1-sigma of the position, metres.
    package var sigmaMeters: Double
    /// Direction of travel, or the heading at standstill; `nil` if unknown.
    package var directionRadians: Double?
    /// 1-sigma of the direction, radians.
    package var directionSigmaRadians: Double
    /// Speed, m/s.
    package var speedMetersPerSecond: Double?
    /// UTC, seconds since 1970, from the receiver; `nil`: unknown.
    package var utcSeconds: Int64?
    /// The route in force; `nil` without a route.
    package var route: Route?
    /// Version of the route.
    package var routeVersion: UInt32
    /// Whether the vehicle is on the route.
    package var isOnRoute: Bool
    /// Index of the next maneuver.
    package var nextManeuver: Int?

    /// The input from a frame and its route; `nil` if the frame has no position.
    package init?(_ frame: Frame, route: Route?) {
        guard let pose = ScenePose(frame) else { return nil }
        self.pose = pose
        sigmaMeters = frame.pose.positionSigmaENUMeters.map { max($0.x, $0.y) } ?? 20
        speedMetersPerSecond = frame.speed.speedMetersPerSecond
        utcSeconds = frame.utcNanoseconds.map { $0 / 1_000_000_000 }
        directionRadians = frame.pose.courseOverGroundRadians ?? frame.pose.headingTrueRadians
        directionSigmaRadians = frame.pose.courseOverGroundRadians == nil ? frame.pose.headingSigmaRadians ?? .pi : 0.1
        self.route = route
        routeVersion = frame.guidance.routeVersion
        isOnRoute = route != nil && [.onRoute, .offStep, .rejoinedAhead].contains(frame.guidance.state)
        nextManeuver = route == nil ? nil : frame.guidance.nextManeuver.map { Int($0) }
    }

    /// The input of the road search.
    package var roadInput: RoadInput {
        RoadInput(
            time: pose.time, position: pose.position, sigmaMeters: sigmaMeters, directionRadians: directionRadians,
            directionSigmaRadians: directionSigmaRadians, speedMetersPerSecond: speedMetersPerSecond)
    }
}

extension ScenePose {
    /// The pose of a frame; `nil` if it has no position.
    package init?(_ frame: Frame) {
        guard let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians,
            frame.pose.state != .lost
        else { return nil }
        self.init(
            time: MonotonicTime(nanoseconds: frame.timeNanoseconds),
            position: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0),
            heightMeanSeaMeters: frame.pose.altitudeMeanSeaMeters, headingTrueRadians: frame.pose.headingTrueRadians,
            progressMeters: frame.guidance.progressMeters)
        // Without a heading the attitude's north is arbitrary: no direction from the body is known.
        if headingTrueRadians != nil, let q = frame.pose.bodyToENU {
            bodyToENU = Quaternion(w: q.w, x: q.x, y: q.y, z: q.z)
        }
    }
}

/// A shown point of interest with its details.
package struct ShownPoint: Sendable, Equatable {
    /// Number of the point in the set.
    package var number: UInt32
    /// Position.
    package var position: GeodeticPosition
    /// Height above mean sea level, metres.
    package var heightMeanSeaMeters: Double?
    /// Text fields.
    package var fields: PointDetailsCoder.Fields
    /// Names of its categories.
    package var categories: [String]
}

/// Computes the roads, limits, curves, points of interest and scene ahead of the vehicle. A value without a thread.
/// File access may block.
package struct ElectronicHorizon {
    private let settings: HorizonSettings
    private var guide: RoadGuide
    private var heights: ElevationTiles?
    private var plan: MarkerPlan?
    private var planVersion: UInt32?
    private var parts = SceneContent.Parts()
    /// The parts of ``content``. Targets change between two poses.
    private var contentParts: SceneContent.Parts?
    private var arrowStart = Int.min
    private var contentVersion: UInt32 = 0
    private let points: PointMap?
    private var hits = PointHits()
    private var target: TargetTracker?
    /// Local time minus UTC that a recording tells, seconds; it replaces that of the system.
    package var recordedOffsetSeconds: Int?
    /// Query for the points of interest.
    package var pointQuery: PointQuery
    /// Positions of the targets in their order: the first is the target until it is near, unless it is the last.
    package var targetPlaces: [GeodeticPosition] = [] {
        didSet {
            guard targetPlaces != oldValue else { return }
            target = targetPlaces.isEmpty ? nil : TargetTracker(nearMeters: settings.targetNearMeters)
            if target != nil { targetNumber &+= 1 }
            parts.targets = targetPlaces.map { AnchoredPlace($0) }
        }
    }
    /// Number of targets so far.
    package var targetNumber: UInt16 = 0
    /// Target event of the latest pose: one when the target comes near, one when it is far again.
    package private(set) var targetChange: Message.Event?
    /// The shown points, nearest first.
    package private(set) var shown: [ShownPoint] = []
    /// The latest scene content.
    package private(set) var content: SceneContent?

    /// Creates a horizon, with a road map if there is one.
    package init(
        settings: HorizonSettings, map: RoadMap?, points: PointMap? = nil, pointQuery: PointQuery = PointQuery()
    ) {
        self.settings = settings
        self.points = points
        self.pointQuery = pointQuery
        guide = RoadGuide(map: map, settings: settings.guide)
        heights = settings.elevationFolder.map { ElevationTiles(folder: $0) }
    }

    /// Takes over the target of the previous horizon, so that its event is not sent twice, and the number of its
    /// content, so that another content has another one.
    package mutating func goOn(after before: ElectronicHorizon) {
        targetPlaces = before.targetPlaces
        targetNumber = before.targetNumber
        target = before.target?.with(nearMeters: settings.targetNearMeters)
        contentVersion = before.contentVersion
    }

    /// Computes the horizon for a pose. ``content`` becomes a new object if any of it changes.
    package mutating func update(_ input: HorizonInput) -> SpeedHorizon {
        let progress =
            input.isOnRoute
            ? input.route.flatMap { route in
                input.pose.progressMeters.map { RouteProgress(route: route, progressMeters: $0) }
            } : nil
        let speedHorizon = guide.update(input.roadInput, progress: progress, limitContext(input))
        updateRoute(input)
        updatePoints(input)
        updateTarget(input)
        if parts != contentParts {
            contentVersion &+= 1
            content = SceneContent(parts, contentVersion: contentVersion)
            contentParts = parts
        }
        return speedHorizon
    }

    /// On what conditional limits depend: settings, and time and place of the measurements.
    private func limitContext(_ input: HorizonInput) -> LimitContext {
        var context = LimitContext(vehicle: settings.vehicle)
        context.utcSeconds = input.utcSeconds
        context.utcOffsetSeconds =
            settings.timeZone.flatMap { LocalTimeOffset.seconds($0) } ?? recordedOffsetSeconds
            ?? input.utcSeconds.flatMap { LocalTimeOffset.ofSystem(atUTCSeconds: $0) }
        context.latitudeDegrees = input.pose.position.latitudeDegrees
        context.longitudeDegrees = input.pose.position.longitudeDegrees
        return context
    }

    /// Answers a question of the engine; `nil` if the frame has no position. The daemon and the replay both use this
    /// function.
    package mutating func answer(_ frame: Frame, route: Route?) -> SpeedHorizon? {
        HorizonInput(frame, route: route).map { update($0) }
    }

    private mutating func updateRoute(_ input: HorizonInput) {
        if planVersion != input.routeVersion || (plan == nil) != (input.route == nil) {
            planVersion = input.routeVersion
            plan = input.route.map { MarkerPlan(route: $0) }
            parts.clearRoute()
            parts.routeVersion = input.routeVersion
            arrowStart = .min
        }
        guard let route = input.route, var plan else { return }
        let progress = input.pose.progressMeters ?? 0
        if plan.update(progressMeters: progress) {
            parts.markers = plan.window.map { waypoint(route, plan.alongMeters[$0], number: UInt32($0)) }
        }
        self.plan = plan
        updateArrows(route, progress)
        if parts.destination == nil {
            parts.destination = waypoint(route, route.lengthMeters, number: UInt32(max(route.maneuvers.count - 1, 0)))
        }
        let turn = input.nextManeuver.flatMap { $0 < route.maneuvers.count - 1 ? $0 : nil }
        if parts.turn?.number != turn.map({ UInt32($0) }) {
            parts.turn = turn.map { waypoint(route, route.maneuvers[$0].alongMeters, number: UInt32($0)) }
        }
    }

    private mutating func updatePoints(_ input: HorizonInput) {
        guard let points else { return }
        hits.search(points, near: input.pose.position, pointQuery)
        parts.pointsOfInterestTotal = UInt32(truncatingIfNeeded: hits.total)
        guard hits.nearest.map({ UInt32(truncatingIfNeeded: $0.number) }) != shown.map(\.number) else { return }
        shown = hits.nearest.compactMap { hit in
            guard let record = points.point(hit.number) else { return nil }
            let fields = points.details(record)
            return ShownPoint(
                number: UInt32(truncatingIfNeeded: hit.number), position: points.position(record),
                heightMeanSeaMeters: record.heightDecimeters == .min ? nil : Double(record.heightDecimeters) / 10,
                fields: fields,
                categories: fields.categories.compactMap {
                    Int($0) < points.categories.count ? points.categories[Int($0)] : nil
                })
        }
        parts.pointsOfInterest = shown.map { point in
            ScenePointOfInterest(
                place: AnchoredPlace(point.position, heightMeanSeaMeters: point.heightMeanSeaMeters),
                number: point.number)
        }
    }

    private mutating func updateTarget(_ input: HorizonInput) {
        targetChange = nil
        guard let place = targetPlaces.first else { return }
        let offset = LocalFrame(origin: input.pose.position).enuMeters(of: place)
        let isChange = target?.update(distanceMeters: offset.horizontalLength, sigmaMeters: input.sigmaMeters) ?? false
        guard isChange, let isNear = target?.isNear else { return }
        targetChange = Message.Event(
            timeNanoseconds: input.pose.time.nanoseconds, change: .target(number: targetNumber, isNear: isNear))
        if isNear, targetPlaces.count > 1 { targetPlaces.removeFirst() }
    }

    /// Places arrows at whole multiples of their spacing, so that they stay in place while the vehicle moves.
    private mutating func updateArrows(_ route: Route, _ progress: Double) {
        let spacing = settings.scene.arrowSpacingMeters
        guard spacing > 0 else { return }
        // Beyond the last number, which only a spacing of millimetres reaches, there are no arrows.
        let first = UInt32(exactly: (max(progress, 0) / spacing).rounded(.down)).map { Int($0) } ?? Int(UInt32.max) + 1
        guard first != arrowStart else { return }
        arrowStart = first
        // A few more arrows than are visible, for the distance until the next update.
        let count = Int(min(settings.scene.arrowReachMeters / spacing + 8, Double(SceneLimits.arrows)))
        parts.arrows = (first..<(first + count)).compactMap { place in
            let along = Double(place) * spacing
            guard along <= route.lengthMeters, let number = UInt32(exactly: place) else { return nil }
            return waypoint(route, along, number: number)
        }
    }

    private mutating func waypoint(_ route: Route, _ along: Double, number: UInt32) -> SceneWaypoint {
        let position = route.position(alongMeters: along)
        let height = route.elevationMeters(alongMeters: along) ?? heights?.heightMeanSeaMeters(at: position)
        return SceneWaypoint(
            place: AnchoredPlace(position, heightMeanSeaMeters: height), number: number, alongMeters: along,
            directionTrueRadians: route.bearingRadians(alongMeters: along))
    }
}
