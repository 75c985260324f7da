import Geodesy
import Glibc
import Guidance
import PoseMath
import Testing

@testable import Scene

/// The limits of what is shown, on both sides, and the exact places on a screen.
@Suite struct SceneLimitTests {
    @Test func aProfileHasItsRanges() {
        // GIVEN the default profile WHEN one value leaves its range THEN it is invalid
        let changes: [(isValid: Bool, (inout DisplayProfile) -> Void)] = [
            (true, { _ in }), (false, { $0.horizontalFieldRadians = 0 }), (true, { $0.horizontalFieldRadians = 1e-9 }),
            (false, { $0.horizontalFieldRadians = .pi }), (true, { $0.horizontalFieldRadians = 3.14 }),
            (false, { $0.verticalFieldRadians = 0 }), (true, { $0.verticalFieldRadians = 1e-9 }),
            (false, { $0.verticalFieldRadians = .pi }), (true, { $0.verticalFieldRadians = 3.14 }),
            (false, { $0.nearMeters = 0 }), (true, { $0.nearMeters = 1e-9 }), (false, { $0.farMeters = 0.25 }),
            (true, { $0.farMeters = 0.26 }), (false, { $0.farMeters = .infinity }), (false, { $0.farMeters = .nan }),
        ]
        for (index, change) in changes.enumerated() {
            var profile = DisplayProfile()
            change.1(&profile)
            #expect(profile.isValid == change.isValid, "\(index)")
        }
        // AND a placer without a valid one projects nothing
        let profile = DisplayProfile()
        #expect(profile.horizontalFieldRadians.radiansInDegrees.rounded() == 60)
        #expect(profile.verticalFieldRadians.radiansInDegrees.rounded() == 53)
        #expect(profile.nearMeters == 0.25 && profile.farMeters == 5000)
    }

    @Test func whatIsBeyondTheLimitsIsDropped() {
        // GIVEN more of everything than a scene may have THEN the first ones are left, and the total is as given
        let place = AnchoredPlace(
            GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 0),
            heightMeanSeaMeters: nil)
        let waypoints = (0..<300).map {
            SceneWaypoint(place: place, number: $0, alongMeters: 0, directionTrueRadians: nil)
        }
        var parts = SceneContent.Parts()
        (parts.markers, parts.arrows) = (waypoints, waypoints)
        parts.pointsOfInterest = (0..<300).map { ScenePointOfInterest(place: place, number: $0) }
        parts.pointsOfInterestTotal = 500
        let content = SceneContent(parts, contentVersion: 1)
        #expect(content.markers.map(\.number) == Array(0..<200))
        #expect(content.arrows.map(\.number) == Array(0..<64))
        #expect(content.pointsOfInterest.map(\.number) == Array(0..<100) && content.pointsOfInterestTotal == 500)
        #expect(SceneLimits.points == 367)
    }

    /// A screen with fields of 90 degrees, whose tangents of the half are 1, from 1 m to 10 m.
    private var projection: Projection {
        var profile = DisplayProfile()
        (profile.horizontalFieldRadians, profile.verticalFieldRadians) = (.pi / 2, .pi / 2)
        (profile.nearMeters, profile.farMeters) = (1, 10)
        return Projection(profile)
    }

    @Test(arguments: [
        // forward, left, up, and x, y of the screen, whether it is on it, in view, and behind
        (4.0, 0.0, 0.0, 0.5, 0.5, true, true, false), (4, -2, 1, 0.75, 0.375, true, true, false),
        (4, 2, -1, 0.25, 0.625, true, true, false), (1, 0, 0, 0.5, 0.5, true, true, false),
        (0.999, 0, 0, 0.5, 0.5, true, false, false), (10, 0, 0, 0.5, 0.5, true, true, false),
        (10.001, 0, 0, 0.5, 0.5, true, false, false), (4, -8, 0, 1, 0.5, false, false, false),
        (4, 8, 0, 0, 0.5, false, false, false), (4, -8, 4, 1, 0.25, false, false, false),
        (4, 8, -4, 0, 0.75, false, false, false), (4, 0, 8, 0.5, 0, false, false, false),
        (4, 0, -8, 0.5, 1, false, false, false), (4, -4, 8, 0.75, 0, false, false, false),
        (4, 4, -8, 0.25, 1, false, false, false), (-4, 0, 0, 0.5, 1, false, false, true),
        (-4, -8, 0, 1, 0.75, false, false, true), (-4, 2, 0, 0.25, 1, false, false, true),
        (-4, 0, 8, 0.5, 0, false, false, true), (-4, -2, 4, 1, 0.5, false, false, true),
        (0, -8, 4, 1, 0.25, false, false, true), (0, 0, 0, 0.5, 1, false, false, true),
    ]) func aPointHasItsPlaceOnTheScreen(
        forward: Double, left: Double, up: Double, x: Double, y: Double, isOnScreen: Bool, isInView: Bool,
        isBehind: Bool
    ) {
        // GIVEN a point WHEN projected THEN it is there; the rounding of a tangent of 1 is allowed
        let place = projection.place(ofBodyMeters: Vector3(forward, left, up))
        #expect(abs(place.x - x) < 1e-12 && abs(place.y - y) < 1e-12, "\(place)")
        #expect(place.isOnScreen == isOnScreen && place.isInView == isInView && place.isBehind == isBehind)
    }

    @Test(arguments: [
        // forward, left, up, and x, y of the hint
        (1.0, -4.0, 4.0, 1.0, 0.375), (1, 4, 4, 0, 0.375), (1, -1, 8, 0.75, 0), (1, 1, -8, 0.25, 1),
        (-1, -1, 0, 1, 0.625), (-1, 1, 0, 0, 0.625),
    ]) func aHintFollowsBothFieldsOfTheScreen(forward: Double, left: Double, up: Double, x: Double, y: Double) {
        // GIVEN a narrow and high screen, whose half fields have the tangents 0.5 and 2
        var profile = DisplayProfile()
        (profile.horizontalFieldRadians, profile.verticalFieldRadians) = (2 * atan(0.5), 2 * atan(2))
        // WHEN a point beside it is projected THEN its hint is where the ray from the centre meets the border; the
        // rounding of the tangents is allowed
        let place = Projection(profile).place(ofBodyMeters: Vector3(forward, left, up))
        #expect(!place.isOnScreen && abs(place.x - x) < 1e-12 && abs(place.y - y) < 1e-12, "\(place)")
    }

    @Test func aWindowMovesAtItsLimits() {
        // GIVEN markers every 15 m, of which 200 are shown: from 0 to 2985 m
        var plan = MarkerPlan(pointsAlong: (0...1000).map { Double($0) * 15 })
        /// Whether another window was shown, and the window then.
        func update(_ progress: Double) -> (Bool, Range<Int>) {
            let isNew = plan.update(progressMeters: progress)
            return (isNew, plan.window)
        }
        #expect(update(0) == (true, 0..<200) && update(0) == (false, 0..<200))
        // WHEN the first marker behind it, at 3000 m, is 25 m ahead THEN it stays, and when it is closer, the next
        // window begins 50 m behind
        #expect(update(2975) == (false, 0..<200))
        #expect(update(2975.5) == (true, 196..<396))
        // WHEN the vehicle is matched before the first marker of the window, at 2940 m THEN it is moved back
        #expect(update(2940) == (false, 196..<396))
        #expect(update(2939) == (true, 193..<393))
        // WHEN it is at the end THEN the last marker is the end of the window; a jump back to the start shows the first
        #expect(update(14_000) == (true, 930..<1001) && update(15_000) == (false, 930..<1001))
        #expect(update(-100) == (true, 0..<200) && update(-200) == (false, 0..<200))
        // AND a marker exactly 50 m behind is the first one
        #expect(update(9050) == (true, 600..<800))
        var none = MarkerPlan(pointsAlong: [])
        let isNew = none.update(progressMeters: 5)
        #expect(!isNew && none.window.isEmpty)
    }

    @Test func aTargetIsNearWithAHysteresis() {
        // GIVEN a threshold of 100 m WHEN the first distance is far THEN that is no change; near is one, at once too
        for (first, isNear, isChange) in [(100.0, true, true), (100.001, false, false)] {
            var tracker = TargetTracker(nearMeters: 100)
            let changed = tracker.update(distanceMeters: first, sigmaMeters: 1)
            #expect(changed == isChange && tracker.isNear == isNear)
        }
        // WHEN a near one goes away THEN it is far from 10 m behind the threshold on, or four sigmas, of at most 100 m
        for (sigma, margin) in [
            (0.0, 10.0), (2.5, 10), (2.51, 10.04), (5, 20), (100, 400), (1e6, 400), (.nan, 10), (-9, 10),
        ] {
            var tracker = TargetTracker(nearMeters: 100)
            var changes = [tracker.update(distanceMeters: 0, sigmaMeters: 0)]
            changes.append(tracker.update(distanceMeters: 100 + margin - 0.001, sigmaMeters: sigma))
            changes.append(tracker.update(distanceMeters: .nan, sigmaMeters: sigma))
            changes.append(tracker.update(distanceMeters: -1, sigmaMeters: sigma))
            #expect(tracker.isNear == true)
            changes.append(tracker.update(distanceMeters: 100 + margin + 1e-9, sigmaMeters: sigma))
            #expect(changes == [true, false, false, false, true] && tracker.isNear == false, "\(sigma)")
            // AND coming back it is near at the threshold only
            changes = [tracker.update(distanceMeters: 100.001, sigmaMeters: sigma)]
            changes.append(tracker.with(nearMeters: 50).isNear == false)
            changes.append(tracker.update(distanceMeters: 100, sigmaMeters: sigma))
            #expect(changes == [false, true, true])
        }
    }

    /// The points shown of one marker and one arrow that are 30 m and 40 m along the route, 30 m and 40 m ahead.
    private func shown(_ settings: SceneSettings, progress: Double?) -> [VisiblePoint] {
        let home = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)
        func waypoint(_ meters: Double, _ number: UInt32) -> SceneWaypoint {
            let place = LocalFrame(origin: home).position(ofENUMeters: Vector3(0, meters, 0))
            return SceneWaypoint(
                place: AnchoredPlace(place), number: number, alongMeters: meters, directionTrueRadians: 0.5)
        }
        var parts = SceneContent.Parts()
        (parts.markers, parts.arrows) = ([waypoint(30, 5)], [waypoint(30, 8), waypoint(40, 9)])
        var placer = ScenePlacer(settings: settings)
        var pose = ScenePose(time: MonotonicTime(nanoseconds: 1), position: home, progressMeters: progress)
        pose.bodyToENU = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: 0).bodyToENU
        placer.place(SceneContent(parts, contentVersion: 1), from: pose)
        return placer.view.points
    }

    @Test(
        arguments: [
            (nil, []), (0.0, [8]), (30, [8, 9]), (30.001, [9]), (40, [9]), (40.001, []), (5, [8, 9]), (4.999, [8]),
            (-5, [8]), (-5.001, []),
        ] as [(Double?, [UInt32])]) func arrowsAreShownAheadOnly(progress: Double?, numbers: [UInt32])
    {
        // GIVEN arrows 30 m and 40 m along the route, and a reach of 35 m THEN those that are ahead within it are shown
        var settings = SceneSettings()
        settings.arrowReachMeters = 35
        let points = shown(settings, progress: progress)
        #expect(points.filter { $0.kind == .arrow }.map(\.number) == numbers)
        #expect(points.first?.alongRouteMeters == 30 && points.first?.directionTrueRadians == 0.5)
    }

    @Test(arguments: [(29.9, false), (30.1, true)]) func markersAreInViewUpToADistance(meters: Double, isInView: Bool) {
        var settings = SceneSettings()
        (settings.visibleMeters, settings.display) = (meters, DisplayProfile())
        // The marker is drawn 1 m below the eye: 30.02 m away.
        #expect(shown(settings, progress: nil).map { $0.screen?.isInView } == [isInView])
    }

    @Test func anObjectOfOneSizeIsFullUpToItsDistance() {
        for (meters, size) in [(29.9, 0.0), (30.1, 1)] {
            var settings = SceneSettings()
            (settings.fullSizeMeters, settings.smallestSizeMeters) = (meters, meters)
            #expect(shown(settings, progress: nil).map(\.sizeFactor) == [size])
        }
    }

    @Test func theDefaultSettings() {
        // The page of the settings tells these.
        let settings = SceneSettings()
        #expect(settings.visibleMeters == 50 && settings.fullSizeMeters == 50 && settings.smallestSizeMeters == 2000)
        #expect(settings.arrowReachMeters == 100 && settings.arrowSpacingMeters == 0 && settings.display == nil)
        #expect(settings.heightBandMeters == 2 && settings.destinationAboveGroundMeters == 8)
    }

    @Test func aPointOfWhichOnlyThePlaceIsKnownHasItsFullSize() {
        let point = VisiblePoint(kind: .target, number: 0, offsetENUMeters: Vector3(3, 4, 0), distanceMeters: 5)
        #expect(point.sizeFactor == 1 && !point.isHeightKnown)
        #expect(point.bearingTrueRadians == nil && point.heightMeanSeaMeters == nil && point.screen == nil)
    }

    @Test func aPointOfTheContentHasItsPlace() {
        // GIVEN markers with the numbers 5 and 6 THEN each has its place, and those beside them have none
        let home = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)
        let places = (0..<2).map { LocalFrame(origin: home).position(ofENUMeters: Vector3(0, 30 * Double($0), 0)) }
        var parts = SceneContent.Parts()
        parts.markers = places.enumerated().map {
            SceneWaypoint(
                place: AnchoredPlace($1), number: UInt32($0) + 5, alongMeters: 0, directionTrueRadians: nil)
        }
        let content = SceneContent(parts, contentVersion: 1)
        let found = (UInt32(4)...7).map { number in
            content.position(
                of: VisiblePoint(kind: .marker, number: number, offsetENUMeters: .zero, distanceMeters: 1))?
                .latitudeRadians
        }
        #expect(found == [nil, places[0].latitudeRadians, places[1].latitudeRadians, nil])
    }

    @Test func aPartOfALineStaysWithinTheRoute() throws {
        // GIVEN a road with one corner, 300 m and 400 m long WHEN more than all of it is asked for THEN it has its ends
        // and the corner; parts have theirs
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8))
        let corners = [Vector3(0, 0, 0), Vector3(0, 300, 0), Vector3(400, 300, 0)]
        let route = try Route(RoutePlan(points: corners.map { frame.position(ofENUMeters: $0) }))
        let outline = RouteOutline(route)
        func along(_ begin: Double, _ end: Double, _ most: Int) -> [Double] {
            outline.points(from: begin, to: end, atMost: most).points.map { $0.alongMeters.rounded() }
        }
        #expect(along(-50, 9000, 10) == [0, 300, 700] && along(-50, 9000, 3) == [0, 300, 700])
        #expect(along(-50, 9000, 2) == [0, 700] && along(-50, 9000, 1) == [])
        #expect(along(100, 200, 10) == [100, 200] && along(200, 200, 10) == [] && along(200, 199, 10) == [])
        // AND without the corner the line is off by its distance from the hypotenuse of 500 m: 240 m, by a flat map
        let tolerance = outline.points(from: 0, to: 700, atMost: 2).toleranceMeters
        #expect(abs(tolerance - 240) < 0.5, "\(tolerance)")
        #expect(outline.points(from: 0, to: 700, atMost: 3).toleranceMeters == RouteOutline.finestMeters)
    }
}
