import Frames
import Geodesy
import Guidance
import PoseMath
import Scene
import Testing

@testable import Horizon

/// What a horizon shows of a route, and when its content is another one.
@Suite struct ElectronicHorizonTests {
    static let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47.5, longitudeDegrees: 8.5))

    /// 290 m to the north, and 390 m to the east after a turn to the right.
    static func route(heights: [Double?] = []) throws -> Route {
        let corners = [Vector3(0, 0, 0), Vector3(0, 290, 0), Vector3(390, 290, 0)]
        var plan = RoutePlan(points: corners.map { frame.position(ofENUMeters: $0) })
        plan.elevationsMeters = heights
        plan.maneuvers = [
            PlannedManeuver(point: 0, kind: .depart), PlannedManeuver(point: 1, kind: .turn, modifier: .right),
            PlannedManeuver(point: 2, kind: .arrive),
        ]
        return try Route(plan)
    }

    /// A frame on the route at a progress, metres.
    static func pose(
        _ progress: Double?, version: UInt32 = 5, next: UInt32? = 1, state: Frame.GuidanceState = .onRoute
    ) -> Frame {
        let along = progress ?? 0
        let place = frame.position(ofENUMeters: along < 290 ? Vector3(0, along, 0) : Vector3(along - 290, 290, 0))
        var result = Frame()
        result.pose.state = .aligned
        (result.pose.latitudeRadians, result.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        result.pose.positionSigmaENUMeters = .init(5, 4, 9)
        (result.guidance.state, result.guidance.routeVersion) = (state, version)
        (result.guidance.progressMeters, result.guidance.nextManeuver) = (progress, next)
        return result
    }

    private static func content(_ horizon: inout ElectronicHorizon, _ frame: Frame, _ route: Route?) throws
        -> SceneContent
    {
        _ = horizon.answer(frame, route: route)
        return try #require(horizon.content)
    }

    @Test(arguments: Frame.GuidanceState.allCases)
    func onlyOnTheRouteItIsTheWayAhead(state: Frame.GuidanceState) throws {
        // GIVEN a route, and a frame in each state of the guidance THEN the vehicle is on the route on it, away from
        // its step, and back on it; its speed limits are then those of the route
        let isOn = [.onRoute, .offStep, .rejoinedAhead].contains(state)
        let (frame, route) = (Self.pose(100, state: state), try Self.route())
        let input = try #require(HorizonInput(frame, route: route))
        #expect(input.isOnRoute == isOn && input.nextManeuver == 1 && input.routeVersion == 5)
        #expect(input.sigmaMeters == 5, "the greater one of east and north")
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let told = horizon.answer(frame, route: route)
        #expect(told?.path == (isOn ? .route : SpeedHorizon.Path.none))
        #expect(told?.progressMeters == (isOn ? 100 : nil))
        // AND without a route nothing of it is taken over
        let bare = try #require(HorizonInput(frame, route: nil))
        #expect(!bare.isOnRoute && bare.nextManeuver == nil && bare.route == nil)
    }

    @Test func aRouteHasItsMarkersTurnAndDestination() throws {
        // GIVEN parts of 290 m and 390 m THEN they are divided into six and eight, as a marker is every 50 m at most
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let route = try Self.route()
        let content = try Self.content(&horizon, Self.pose(0), route)
        #expect(content.routeVersion == 5 && content.contentVersion == 1)
        #expect(content.markers.map(\.number) == Array(0...14))
        let first: [Double] = (0..<6).map { number in Double(number) * 290 / 6 }
        let alongs = first + (0...8).map { number in 290.0 + Double(number) * 390 / 8 }
        #expect(zip(content.markers, alongs).allSatisfy { abs($0.alongMeters - $1) < 0.01 })
        // AND the next turn and the destination have the numbers of their maneuvers, and the directions of the route
        let (turn, destination) = (try #require(content.turn), try #require(content.destination))
        #expect(turn.number == 1 && turn.alongMeters == route.maneuvers[1].alongMeters)
        #expect(destination.number == 2 && destination.alongMeters == route.lengthMeters)
        #expect(abs(Angle.wrappedToPi(content.markers[1].directionTrueRadians ?? 2)) < 0.01)
        #expect(abs((turn.directionTrueRadians ?? 9) - .pi / 2) < 0.01 && destination.directionTrueRadians == nil)
        let offset = Self.frame.enuMeters(of: destination.place.position)
        #expect(abs(offset.x - 390) < 0.1 && abs(offset.y - 290) < 0.1)
        // AND no arrows by default
        #expect(content.arrows.isEmpty && content.targets.isEmpty && content.pointsOfInterestTotal == 0)
    }

    @Test func theArrivalIsNoTurn() throws {
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let route = try Self.route()
        // GIVEN the next maneuver THEN a turn is shown for each but the last one, and none without one
        for (next, number) in [(0, 0), (1, 1), (2, nil), (1, 1), (nil, nil)] as [(UInt32?, UInt32?)] {
            let content = try Self.content(&horizon, Self.pose(100, next: next), route)
            #expect(content.turn?.number == number)
        }
    }

    @Test func aContentIsAnotherOneOnlyIfSomethingChanged() throws {
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let route = try Self.route()
        let first = try Self.content(&horizon, Self.pose(100), route)
        // GIVEN a pose some metres on THEN the content is the same object; with another turn it is the next one
        let same = try Self.content(&horizon, Self.pose(104), route)
        #expect(same === first)
        let second = try Self.content(&horizon, Self.pose(310, next: 2), route)
        #expect(second.contentVersion == 2 && second.turn == nil && second.markers == first.markers)
        // AND another version of the route is another content, with the version in it
        let third = try Self.content(&horizon, Self.pose(310, version: 6, next: 2), route)
        #expect(third.contentVersion == 3 && third.routeVersion == 6 && third.markers.map(\.number) == Array(6...14))
        // AND without the route nothing of it is left
        let none = try Self.content(&horizon, Self.pose(nil, version: 7), nil)
        #expect(none.contentVersion == 4 && none.routeVersion == 7)
        #expect(none.markers.isEmpty && none.turn == nil && none.destination == nil)
        // AND a route that comes later under the same version is shown
        let later = try Self.content(&horizon, Self.pose(0, version: 7), route)
        #expect(later.markers.count == 15)
    }

    @Test func theContentOfANewHorizonHasTheNextNumber() throws {
        // GIVEN a content, and a horizon with other settings that goes on after the first one
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let route = try Self.route()
        let first = try Self.content(&horizon, Self.pose(100), route)
        var settings = HorizonSettings()
        settings.scene.arrowSpacingMeters = 30
        var next = ElectronicHorizon(settings: settings, map: nil)
        next.goOn(after: horizon)
        // THEN its content, which has other points, has another number
        let second = try Self.content(&next, Self.pose(100), route)
        #expect(first.arrows.isEmpty && !second.arrows.isEmpty)
        #expect(first.contentVersion == 1 && second.contentVersion == 2)
    }

    @Test func arrowsStayInTheirPlaces() throws {
        // GIVEN arrows every 30 m, shown up to 100 m ahead THEN they are at multiples of 30 m from the one at the
        // vehicle or behind it, and there are eight more than fit into the 100 m
        var settings = HorizonSettings()
        (settings.scene.arrowSpacingMeters, settings.scene.arrowReachMeters) = (30, 100)
        var horizon = ElectronicHorizon(settings: settings, map: nil)
        let route = try Self.route()
        for (progress, numbers) in [
            (0, 0..<11), (-7, 0..<11), (29.9, 0..<11), (30, 1..<12), (61, 2..<13), (640, 21..<23), (675, 22..<23),
            (nil, 0..<11),
        ] as [(Double?, Range<UInt32>)] {
            let content = try Self.content(&horizon, Self.pose(progress), route)
            #expect(content.arrows.map(\.number) == Array(numbers), "\(progress ?? .nan)")
            #expect(content.arrows.allSatisfy { $0.alongMeters == Double($0.number) * 30 })
        }
        // AND there are no more than 64, however close they are
        settings.scene.arrowSpacingMeters = 0.5
        horizon = ElectronicHorizon(settings: settings, map: nil)
        let dense = try Self.content(&horizon, Self.pose(10.2), route)
        #expect(dense.arrows.map(\.number) == Array(20..<84))
    }

    @Test(arguments: [1e-7, Double.leastNonzeroMagnitude])
    func arrowsWhoseNumbersAreTooLargeAreLeftOut(spacing: Double) throws {
        // GIVEN arrows so close that their numbers at the end of the route have more than 32 bits THEN there are none
        // there, and those at the start are the first 64
        var settings = HorizonSettings()
        settings.scene.arrowSpacingMeters = spacing
        var horizon = ElectronicHorizon(settings: settings, map: nil)
        let route = try Self.route()
        for (progress, numbers) in [(0, 0..<64), (675, 0..<0), (0, 0..<64)] as [(Double, Range<UInt32>)] {
            let content = try Self.content(&horizon, Self.pose(progress), route)
            #expect(content.arrows.map(\.number) == Array(numbers), "\(progress)")
        }
    }

    @Test func theLastArrowMayBeAtTheEnd() throws {
        // GIVEN arrows at every quarter of the route THEN there are five, the last one at its end
        let route = try Self.route()
        var settings = HorizonSettings()
        (settings.scene.arrowSpacingMeters, settings.scene.arrowReachMeters) = (route.lengthMeters / 4, 5000)
        var horizon = ElectronicHorizon(settings: settings, map: nil)
        let content = try Self.content(&horizon, Self.pose(0), route)
        #expect(content.arrows.map(\.number) == Array(0...4) && content.arrows.last?.alongMeters == route.lengthMeters)
    }

    @Test func theHeightIsThatOfTheRouteOrElseUnknown() throws {
        // GIVEN a route with heights on its first part, and no tiles THEN the height is known there only
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let content = try Self.content(&horizon, Self.pose(0), Self.route(heights: [400, 460, nil]))
        let heights = content.markers.map(\.place.heightMeanSeaMeters)
        #expect(zip(heights, 0...5).allSatisfy { abs(($0 ?? 0) - (400 + 10 * Double($1))) < 0.01 })
        #expect(heights.dropFirst(7).allSatisfy { $0 == nil } && heights.count == 15)
    }

    @Test(
        arguments: [
            ("+02:00", nil, 7200), ("-03:30", 3600, -12_600), (nil, 3600, 3600), ("CET", 3600, 3600),
        ] as [(String?, Int?, Double)])
    func theLocalTimeIsThatOfTheSettingsOrTheRecording(zone: String?, recorded: Int?, offset: Double) throws {
        var settings = HorizonSettings()
        settings.timeZone = zone
        var horizon = ElectronicHorizon(settings: settings, map: nil)
        horizon.recordedOffsetSeconds = recorded
        var frame = Self.pose(0)
        // GIVEN no time THEN no offset is told; with one it is that of the settings, or else that of the recording
        let unknown = horizon.answer(frame, route: nil)
        #expect(unknown != nil && unknown?.utcOffsetSeconds == nil)
        frame.utcNanoseconds = 1_783_296_000_000_000_000
        let known = horizon.answer(frame, route: nil)
        #expect(known?.utcOffsetSeconds == offset)
    }

    @Test func theSameTargetsAreNoOtherOnes() {
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let places = [0.0, 50].map { Self.frame.position(ofENUMeters: Vector3($0, 0, 0)) }
        // GIVEN targets WHEN they are set again THEN they keep their number; none, and others, have theirs
        var numbers: [UInt16] = []
        for targets in [places, places, Array(places.reversed()), [], places] {
            horizon.targetPlaces = targets
            numbers.append(horizon.targetNumber)
        }
        #expect(numbers == [1, 1, 2, 2, 3])
        _ = horizon.answer(Self.pose(200), route: nil)
        #expect(horizon.content?.targets == places.map { AnchoredPlace($0) })
    }
}
