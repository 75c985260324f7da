import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Scene

@Suite struct ScenePlacerTests {
    /// The view of one point of interest from a position, with heading, pitch and roll.
    static func view(
        of place: GeodeticPosition, height: Double? = nil, from position: GeodeticPosition, eyeHeight: Double? = nil,
        heading: Double? = nil,
        pitch: Double = 0, display: DisplayProfile? = nil
    ) -> VisiblePoint? {
        var settings = SceneSettings()
        settings.display = display
        var placer = ScenePlacer(settings: settings)
        var parts = SceneContent.Parts()
        parts.pointsOfInterest = [
            ScenePointOfInterest(place: AnchoredPlace(place, heightMeanSeaMeters: height), number: 7)
        ]
        var pose = ScenePose(time: MonotonicTime(nanoseconds: 1), position: position, heightMeanSeaMeters: eyeHeight)
        if let heading {
            pose.headingTrueRadians = heading.degreesInRadians
            let angles = EulerAngles(
                rollRadians: 0, pitchRadians: pitch.degreesInRadians, headingTrueRadians: heading.degreesInRadians)
            pose.bodyToENU = angles.bodyToENU
        }
        placer.place(SceneContent(parts, contentVersion: 1), from: pose)
        return placer.view.points.first
    }

    static func ahead(of place: GeodeticPosition, east: Double, north: Double) -> GeodeticPosition {
        LocalFrame(origin: place).position(ofENUMeters: Vector3(east, north, 0))
    }

    static let tower = GeodeticPosition(latitudeDegrees: 43.72306, longitudeDegrees: 10.39639)
    static let nearTower = GeodeticPosition(latitudeDegrees: 43.72280, longitudeDegrees: 10.39560)

    /// GIVEN known positions WHEN placed THEN offset, distance, bearing and height difference match WGS 84 references
    /// (computed independently in double precision).
    @Test func referenceVector() throws {
        let point = try #require(Self.view(of: Self.tower, height: 18, from: Self.nearTower, eyeHeight: 0, heading: 60))
        // 1e-5 m: the reference has six decimals. At 18 m height the horizontal offset grows by 18 / 6.4e6 of it, 2e-4
        // m.
        #expect(abs(point.offsetENUMeters.x - 63.656876) < 3e-4)
        #expect(abs(point.offsetENUMeters.y - 28.888080) < 3e-4)
        #expect(abs(point.offsetENUMeters.z - 17.999617) < 1e-4)
        #expect(abs(point.distanceMeters - 69.905072) < 3e-4)
        #expect(abs((point.bearingTrueRadians ?? 0).radiansInDegrees - 65.591013) < 1e-3)
        #expect(abs((point.bearingRelativeRadians ?? 0).radiansInDegrees - 5.591013) < 1e-3)
        #expect(point.isHeightKnown)
    }

    /// GIVEN a screen of 320 x 480 with a vertical field of 60 deg WHEN positions ahead are projected THEN the pixels
    /// match the pinhole model.
    @Test(arguments: [(1.0, 10.0, 0.0, 201.569, 240.0), (1, 10, 2, 201.569, 156.862)])
    func screen(east: Double, north: Double, up: Double, x: Double, y: Double) throws {
        var display = DisplayProfile()
        display.verticalFieldRadians = 60 * Angle.radiansPerDegree
        display.horizontalFieldRadians = 2 * atan(tan(display.verticalFieldRadians / 2) * 320 / 480)
        let projection = Projection(display)
        let place = projection.place(ofBodyMeters: Vector3(north, -east, up))
        #expect(place.isInView && !place.isBehind && place.isOnScreen)
        // Half of the last printed digit.
        #expect(abs(place.x * 320 - x) < 6e-4 && abs(place.y * 480 - y) < 6e-4)
        let mirrored = projection.place(ofBodyMeters: Vector3(-north, -east, up))
        #expect(!mirrored.isInView && !mirrored.isOnScreen && mirrored.isBehind)
    }

    /// GIVEN off-screen points in all directions WHEN projected THEN the hint is on the side of the shorter turn, and
    /// at the bottom right for a point behind.
    @Test func edgeHints() {
        let projection = Projection(DisplayProfile())
        for degrees in stride(from: -179.0, through: 179, by: 1) {
            let angle = degrees.degreesInRadians
            let place = projection.place(ofBodyMeters: Vector3(100 * cos(angle), -100 * sin(angle), 0))
            #expect(place.isInView == (abs(degrees) <= 30), "\(degrees)")
            // Exactly abeam the cosine is a rounding error of either sign.
            if abs(degrees) != 90 { #expect(place.isBehind == (abs(degrees) > 90), "\(degrees)") }
            #expect(place.x >= 0 && place.x <= 1 && place.y >= 0 && place.y <= 1)
            if abs(degrees) > 30 { #expect(degrees > 0 ? place.x > 0.5 : place.x < 0.5, "\(degrees)") }
            if abs(degrees) > 30, abs(degrees) <= 90 { #expect(place.x == (degrees > 0 ? 1 : 0) && !place.isOnScreen) }
        }
        let behind = projection.place(ofBodyMeters: Vector3(-100, 0, 0))
        #expect(!behind.isOnScreen && abs(behind.x - 0.5) < 1e-12 && behind.y == 1 && behind.isBehind)
        let here = projection.place(ofBodyMeters: Vector3(0, 0, 0))
        #expect(!here.isInView && here.x.isFinite && here.y.isFinite)
    }

    /// GIVEN a target moving from the side to behind WHEN it moves by a degree THEN the hint does not jump.
    @Test func hintIsContinuous() {
        let projection = Projection(DisplayProfile())
        var last: ScreenPlace?
        for tenth in stride(from: 310, through: 1800, by: 1) {
            let angle = (Double(tenth) / 10).degreesInRadians
            let place = projection.place(ofBodyMeters: Vector3(100 * cos(angle), -100 * sin(angle), 5))
            // A tenth of a degree moves a hint by at most 2 % of the screen: near 180 deg the whole lower border is
            // crossed within 40 deg.
            if let last { #expect(hypot(place.x - last.x, place.y - last.y) < 0.02, "\(tenth)") }
            last = place
        }
    }

    /// GIVEN headings and bearings around north WHEN compared THEN the relative bearing is wrapped, and opposite is
    /// +180.
    @Test(arguments: [(350.0, 10.0, 20.0), (10, 350, -20), (0, 180, 180), (90, 270, 180), (180, 0, 180)])
    func relativeBearing(heading: Double, bearing: Double, expected: Double) throws {
        let here = GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0)
        let there = Self.ahead(
            of: here, east: 100 * sin(bearing.degreesInRadians), north: 100 * cos(bearing.degreesInRadians))
        let point = try #require(Self.view(of: there, from: here, heading: heading))
        let relative = try #require(point.bearingRelativeRadians).radiansInDegrees
        // 100 m by a frame's flat plane: bearings agree to 1e-6 deg; the sign at 180 must be plus, or within that of
        // it.
        #expect(abs(abs(relative) - abs(expected)) < 1e-5 && (abs(expected) == 180 || relative * expected > 0))
    }

    /// GIVEN places all around WHEN placed THEN the true bearing is from 0 to 360 degrees, and the one relative to any
    /// heading within half a turn.
    @Test(
        arguments: [
            (5, [4, -86, -176, 94, 6]), (95, [94, 4, -86, -176, 96]), (175, [174, 84, -6, -96, 176]),
            (185, [-176, 94, 4, -86, -174]), (265, [-96, 174, 84, -6, -94]), (355, [-6, -96, 174, 84, -4]),
        ] as [(Double, [Double])])
    func bearingsAllAround(bearing: Double, relative: [Double]) throws {
        let here = GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0)
        let there = Self.ahead(
            of: here, east: 100 * sin(bearing.degreesInRadians), north: 100 * cos(bearing.degreesInRadians))
        for (heading, expected) in zip([1.0, 91, 181, 271, 359], relative) {
            let point = try #require(Self.view(of: there, from: here, heading: heading))
            // 100 m by a frame's flat plane: bearings agree to 1e-6 deg.
            #expect(abs((point.bearingTrueRadians ?? -9).radiansInDegrees - bearing) < 1e-5)
            #expect(abs((point.bearingRelativeRadians ?? -9).radiansInDegrees - expected) < 1e-5, "\(heading)")
        }
    }

    /// GIVEN a viewer at the point itself WHEN placed THEN the distance is 0, there is no bearing, and nothing is NaN.
    @Test func atDistanceZero() throws {
        let point = try #require(
            Self.view(of: Self.tower, height: 5, from: Self.tower, eyeHeight: 5, heading: 30, display: DisplayProfile())
        )
        #expect(point.distanceMeters < 1e-6)
        #expect(point.bearingTrueRadians == nil && point.bearingRelativeRadians == nil)
        #expect(point.offsetENUMeters.isFinite && point.screen?.x.isFinite == true && point.sizeFactor == 1)
    }

    /// GIVEN positions across the antimeridian and near a pole WHEN placed THEN distance and bearing are right.
    @Test func antimeridianAndPole() throws {
        let west = GeodeticPosition(latitudeDegrees: 52, longitudeDegrees: 179.9995)
        let east = GeodeticPosition(latitudeDegrees: 52, longitudeDegrees: -179.9995)
        let point = try #require(Self.view(of: east, from: west, heading: 0))
        // 0.001 deg of longitude at 52 N: 68.68 m.
        #expect(abs(point.distanceMeters - 68.68) < 0.02)
        #expect(abs((point.bearingTrueRadians ?? 0).radiansInDegrees - 90) < 1e-3)
        let nearPole = GeodeticPosition(latitudeDegrees: 89.9995, longitudeDegrees: 20)
        let over = GeodeticPosition(latitudeDegrees: 89.9995, longitudeDegrees: -160)
        let across = try #require(Self.view(of: over, from: nearPole, heading: 0))
        // Twice 0.0005 deg of latitude at 111.69 km a degree there.
        #expect(abs(across.distanceMeters - 111.69) < 0.02)
    }

    /// GIVEN no attitude WHEN placed THEN distance and bearing are known, and values that need an attitude are not.
    @Test func withoutAttitude() throws {
        let point = try #require(Self.view(of: Self.tower, from: Self.nearTower, display: DisplayProfile()))
        #expect(
            point.bearingTrueRadians != nil && point.bearingRelativeRadians == nil && point.offsetBodyMeters == nil
                && point.screen == nil)
        #expect(!point.isHeightKnown)
    }

    /// GIVEN markers and a point of interest ahead on the screen WHEN beyond the visible distance of markers THEN the
    /// marker is not in view and keeps its position.
    @Test func farMarkersAreNotInView() {
        var settings = SceneSettings()
        settings.display = DisplayProfile()
        var placer = ScenePlacer(settings: settings)
        func place(_ north: Double) -> AnchoredPlace {
            AnchoredPlace(Self.ahead(of: Self.tower, east: 0, north: north))
        }
        var parts = SceneContent.Parts()
        parts.markers = [40, 60].enumerated().map {
            SceneWaypoint(place: place($1), number: UInt32($0), alongMeters: $1, directionTrueRadians: 0)
        }
        parts.pointsOfInterest = [ScenePointOfInterest(place: place(60), number: 0)]
        var pose = ScenePose(time: MonotonicTime(nanoseconds: 1), position: Self.tower)
        pose.bodyToENU = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: 0).bodyToENU
        placer.place(SceneContent(parts, contentVersion: 1), from: pose)
        #expect(placer.view.points.map { $0.screen?.isInView } == [true, false, true])
        #expect(placer.view.points.allSatisfy { $0.screen?.isOnScreen == true })
    }

    /// GIVEN distances THEN the size factor is 1 up to 50 m, 0 from 2 km on, linear between.
    @Test(arguments: [(0.0, 1.0), (49, 1), (50, 1), (1025, 0.5), (2000, 0), (3000, 0)])
    func sizeFactor(distance: Double, expected: Double) throws {
        let there = Self.ahead(of: Self.tower, east: 0, north: distance)
        let point = try #require(Self.view(of: there, from: Self.tower))
        // A metre of 1,950 is 5e-4; the flat plane is off by far less than that.
        #expect(abs(point.sizeFactor - expected) < 1e-4)
    }
}
