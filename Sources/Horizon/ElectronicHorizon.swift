import Frames
import Geodesy
import Guidance
import PoseMath
import RoadData
import Roads
import Scene

/// What the surroundings are worked out from: a frame in short, and the route in force.
package struct HorizonInput: Sendable {
    /// The pose.
    package var pose: ScenePose
    /// 1-sigma of the position, metres.
    package var sigmaMeters: Double
    /// Direction of travel; of the nose where it stands; `nil` where not known.
    package var directionRadians: Double?
    /// 1-sigma of it, radians.
    package var directionSigmaRadians: Double
    /// Speed, m/s.
    package var speedMetersPerSecond: Double?
    /// The route in force and its number; `nil`: none.
    package var route: Route?
    /// The number.
    package var routeVersion: UInt32
    /// Whether the route is being followed.
    package var isOnRoute: Bool
    /// The next maneuver's number.
    package var nextManeuver: Int?

    /// What a frame tells, with the route that it belongs to; `nil` where it has no position.
    package init?(_ frame: Frame, route: Route?) {
        guard let pose = ScenePose(frame) else { return nil }
        self.pose = pose
        sigmaMeters = frame.pose.positionSigmaENUMeters.map { max($0.x, $0.y) } ?? 20
        speedMetersPerSecond = frame.speed.speedMetersPerSecond
        directionRadians = frame.pose.courseOverGroundRadians ?? frame.pose.headingTrueRadians
        directionSigmaRadians = frame.pose.courseOverGroundRadians == nil ? frame.pose.headingSigmaRadians ?? .pi : 0.1
        self.route = route
        routeVersion = frame.guidance.routeVersion
        isOnRoute = route != nil && [.onRoute, .offStep, .rejoinedAhead].contains(frame.guidance.state)
        nextManeuver = route == nil ? nil : frame.guidance.nextManeuver.map { Int($0) }
    }

    /// The same for finding the road.
    package var roadInput: RoadInput {
        RoadInput(
            time: pose.time, position: pose.position, sigmaMeters: sigmaMeters, directionRadians: directionRadians,
            directionSigmaRadians: directionSigmaRadians, speedMetersPerSecond: speedMetersPerSecond)
    }
}

extension ScenePose {
    /// The pose of a frame; `nil` where it has no position.
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
        if let q = frame.pose.bodyToENU { bodyToENU = Quaternion(w: q.w, x: q.x, y: q.y, z: q.z) }
    }
}

/// A point of interest that is shown, with what is known of it.
package struct ShownPoint: Sendable, Equatable {
    /// Its number in the set.
    package var number: UInt32
    /// Where.
    package var position: GeodeticPosition
    /// Its height above mean sea level, metres.
    package var heightMeanSeaMeters: Double?
    /// Its texts.
    package var fields: PointDetailsCoder.Fields
    /// The names of its categories.
    package var categories: [String]
}

/// Works out what is around the vehicle and what lies ahead of it. A value without a thread; what it reads of files may
/// have to wait for the disk.
package struct ElectronicHorizon {
    private let settings: HorizonSettings
    private var guide: RoadGuide
    private var heights: ElevationTiles?
    private var plan: MarkerPlan?
    private var planVersion: UInt32?
    private var parts = SceneContent.Parts()
    private var arrowStart = Int.min
    private var contentVersion: UInt32 = 0
    private let points: PointMap?
    private var hits = PointHits()
    private var target: TargetTracker?
    /// Which points are wanted.
    package var pointQuery: PointQuery
    /// Where the target is; `nil`: there is none.
    package var targetPlace: GeodeticPosition? {
        didSet {
            guard targetPlace != oldValue else { return }
            target = targetPlace.map { _ in TargetTracker(nearMeters: settings.targetNearMeters) }
            if targetPlace != nil { targetNumber &+= 1 }
            parts.target = targetPlace.map { AnchoredPlace($0) }
        }
    }
    /// How many targets were chosen so far.
    package var targetNumber: UInt16 = 0
    /// What the latest pose changed about the target: once when it comes near, once when it is far again.
    package private(set) var targetChange: Message.Event?
    /// The points that are shown, nearest first.
    package private(set) var shown: [ShownPoint] = []
    /// The latest content.
    package private(set) var content: SceneContent?

    /// ElectronicHorizon with a map, where there is one.
    package init(
        settings: HorizonSettings, map: RoadMap?, points: PointMap? = nil, pointQuery: PointQuery = PointQuery()
    ) {
        self.settings = settings
        self.points = points
        self.pointQuery = pointQuery
        guide = RoadGuide(map: map, settings: settings.guide)
        heights = settings.elevationFolder.map { ElevationTiles(folder: $0) }
    }

    /// Goes on with the target of the surroundings before: it is told of no second time.
    package mutating func keepTarget(of before: ElectronicHorizon) {
        targetPlace = before.targetPlace
        targetNumber = before.targetNumber
        target = before.target?.with(nearMeters: settings.targetNearMeters)
    }

    /// The surroundings of a pose; the content in ``content`` is another object where anything in it is another.
    package mutating func update(_ input: HorizonInput) -> SpeedHorizon {
        let progress =
            input.isOnRoute
            ? input.route.flatMap { route in
                input.pose.progressMeters.map { RouteProgress(route: route, progressMeters: $0) }
            } : nil
        let speedHorizon = guide.update(input.roadInput, progress: progress)
        let before = parts
        updateRoute(input)
        updatePoints(input)
        updateTarget(input)
        if content == nil || parts != before {
            contentVersion &+= 1
            content = SceneContent(parts, contentVersion: contentVersion)
        }
        return speedHorizon
    }

    /// Answers the engine, which asks with a frame; `nil` where the frame has no position. The daemon and the replay
    /// answer by this alone.
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
        guard let targetPlace else { return }
        let offset = LocalFrame(origin: input.pose.position).enuMeters(of: targetPlace)
        let isChange = target?.update(distanceMeters: offset.horizontalLength, sigmaMeters: input.sigmaMeters) ?? false
        if isChange, let isNear = target?.isNear {
            targetChange = Message.Event(
                timeNanoseconds: input.pose.time.nanoseconds, change: .target(number: targetNumber, isNear: isNear))
        }
    }

    /// Arrows lie at whole multiples of their spacing, so that they stay where they are while the vehicle comes.
    private mutating func updateArrows(_ route: Route, _ progress: Double) {
        let spacing = settings.scene.arrowSpacingMeters
        guard spacing > 0 else { return }
        let first = Int((max(progress, 0) / spacing).rounded(.down))
        guard first != arrowStart else { return }
        arrowStart = first
        // A few more than are shown, for the way until the next time.
        let count = min(Int(settings.scene.arrowReachMeters / spacing) + 8, SceneLimits.arrows)
        parts.arrows = (first..<(first + count)).compactMap { number in
            let along = Double(number) * spacing
            return along <= route.lengthMeters ? waypoint(route, along, number: UInt32(number)) : nil
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
