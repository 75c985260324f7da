import Frames

/// One of each infrequent message.
enum SampleMessages {
    static var all: [Message] {
        var hello = Message.Hello(release: "posed 0.1.0")
        hello.defaultRateMillihertz = 50_000
        hello.isSimulated = true
        var maneuver = Message.Maneuver(routeVersion: 3)
        maneuver.index = 4
        maneuver.alongRouteMeters = 1484.75
        maneuver.kind = "turn left"
        maneuver.lanes = [
            .init(arrows: [.left, .straight], isValid: true, isRecommended: true, direction: .left),
            .init(arrows: [.right], isValid: false, isRecommended: false),
            .init(arrows: [], isValid: true, isRecommended: false),
        ]
        maneuver.text = "In 250 m links abbiegen, Fürstenstraße"
        var wish = Message.Subscription(topics: [.pose, .events], rateMillihertz: 200_000)
        wish.wantsEvery = true
        wish.isSmooth = true
        wish.wantsSharedMemory = true
        wish.leadMilliseconds = 50
        let changes: [Message.Change] = [
            .poseState(.aligned), .guidanceState(.offRoute), .source(.imu, .lost), .route(version: 8), .reset(count: 2),
            .origin(epoch: 3),
            .target(number: 2, isNear: true), .maneuverReached(index: 6, count: 2),
            .waypointReached(number: 3, count: 1), .departed(routeVersion: 9),
            .rejoined(routeVersion: 9, isAhead: true), .waypointSkipped(number: 4, count: 2),
            .frameRate(isLow: true, millihertz: 4_250),
        ]
        return [
            .hello(hello), .subscribe(wish), .maneuver(maneuver),
            .maneuver(.init(routeVersion: 0)), .maneuver(followed(maneuver)), .route(route), .route(.init()),
            .bye(.init(reason: .tooMany, text: "256 clients are served already; close one")),
            .bye(.init(reason: .stopping, text: "")),
            .status(status), .scene(scene), .points(points), .shared(size: 4096),
        ] + changes.map { .event(.init(timeNanoseconds: -5, change: $0)) }
    }

    /// A maneuver with the one after it.
    private static func followed(_ maneuver: Message.Maneuver) -> Message.Maneuver {
        var (next, then) = (maneuver, Message.Maneuver(routeVersion: 3))
        (then.index, then.kind, then.text, then.alongRouteMeters) = (5, "turn right", "Danach rechts", 1600.5)
        (then.latitudeRadians, then.longitudeRadians, then.turnAngleRadians) = (0.5, -0.25, 0.75)
        next.then = then
        return next
    }

    private static var route: Message.RouteLine {
        var route = Message.RouteLine()
        (route.routeVersion, route.lengthMeters, route.toleranceMeters) = (3, 12_345.5, 1)
        route.points = [
            .init(latitudeRadians: 0.5, longitudeRadians: -0.25, alongRouteMeters: 1200),
            .init(latitudeRadians: 0.5, longitudeRadians: 0.25, alongRouteMeters: 12_345.5),
        ]
        route.places = [
            .init(kind: .turn, number: 4, latitudeRadians: 0.5, longitudeRadians: -0.25, alongRouteMeters: 1484.75),
            .init(kind: .waypoint, number: 0, latitudeRadians: 0.5, longitudeRadians: -0.25, alongRouteMeters: nil),
        ]
        return route
    }

    /// The same messages with numbers that must never be written.
    static var poisoned: [Message] {
        [Double.nan, .infinity, 1e300].flatMap { poison -> [Message] in
            var sight = Message.Sight()
            sight.enuMeters = .init(0, poison, 0)
            sight.screenRight = poison
            sight.screenDown = 0
            sight.distanceMeters = poison
            sight.edgeRadians = poison
            sight.bearingRadians = poison
            sight.size = poison
            var scene = Message.Scene()
            var point = Message.ScenePoint(number: 1, kind: .turn)
            (point.latitudeRadians, point.longitudeRadians, point.alongRouteMeters, point.sight) = (
                poison, 0, poison, sight
            )
            scene.points = [point]
            var points = Message.InterestPoints()
            var interest = Message.InterestPoint(id: "", name: "\u{0}", category: "\"")
            (interest.latitudeRadians, interest.longitudeRadians, interest.sight) = (0, poison, sight)
            points.points = [interest]
            var status = Message.Status()
            (status.imuRateHertz, status.fixRateHertz) = (poison, poison)
            status.mount = Message.Mount(
                sensorToBody: .init(poison, 0, 0, 0), sigmaRadians: .init(0, poison, 0), origin: .found)
            status.magnetometer = Message.Magnetometer()
            status.magnetometer?.softIron.y.x = poison
            var route = Message.RouteLine()
            route.lengthMeters = poison
            route.points = [.init(latitudeRadians: poison, longitudeRadians: 0, alongRouteMeters: 0)]
            return [.scene(scene), .points(points), .status(status), .route(route)]
        }
    }

    private static var status: Message.Status {
        var status = Message.Status()
        status.timeNanoseconds = 77_000_000_001
        status.uptimeSeconds = 12.5
        (status.framesMade, status.framesRepeated, status.messagesLost, status.measurementsLost) = (2001, 3, 4, 5)
        (status.fixesAccepted, status.fixesRejected) = (120, 6)
        status.imuRateHertz = 199.75
        status.isSimulated = true
        (status.clients, status.clientLimit) = (7, 256)
        (status.poseState, status.guidanceState) = (.coarse, .onRoute)
        (status.sources.gps, status.sources.imu) = (.streaming, .waiting)
        status.why = ["no motion sensor: there is none", "Fürs Erste"]
        status.mount = Message.Mount(
            sensorToBody: .init(0.5, -0.5, 0.5, 0.5), sigmaRadians: .init(0.015625, 0.03125, 0.0078125), origin: .kept)
        var magnetometer = Message.Magnetometer()
        magnetometer.state = .calibrated
        magnetometer.ironTesla = .init(2e-5, -3e-5, 1e-5)
        magnetometer.softIron.x = .init(0.0625, 0.03125, -0.015625)
        magnetometer.softIron.z = .init(-0.015625, 0, -0.125)
        magnetometer.fieldTesla = 5e-5
        magnetometer.dipRadians = 1.25
        magnetometer.headingSigmaRadians = 0.0625
        status.magnetometer = magnetometer
        return status
    }

    private static var scene: Message.Scene {
        var scene = Message.Scene()
        scene.timeNanoseconds = 77_000_000_002
        (scene.routeVersion, scene.window, scene.originEpoch) = (3, 2, 7)
        var turn = Message.ScenePoint(number: 14, kind: .turn)
        turn.latitudeRadians = 0.5
        turn.longitudeRadians = -0.25
        turn.alongRouteMeters = 1484.75
        turn.sight = sight
        scene.points = [turn, .init(number: 15, kind: .destination)]
        return scene
    }

    private static var points: Message.InterestPoints {
        var points = Message.InterestPoints()
        points.timeNanoseconds = 77_000_000_003
        points.radiusMeters = 1500
        (points.setVersion, points.originEpoch, points.total) = (4, 7, 101)
        var bakery = Message.InterestPoint(id: "n42", name: "Bäckerei \"Korn\"", category: "shop")
        bakery.latitudeRadians = 0.5
        bakery.longitudeRadians = -0.25
        bakery.sight = sight
        points.points = [bakery, .init(id: "n43", name: "", category: "")]
        return points
    }

    /// Numbers that single precision represents exactly.
    private static var sight: Message.Sight {
        let degree = Double.pi / 180
        var sight = Message.Sight()
        sight.enuMeters = .init(10.5, -20.25, 1)
        sight.bodyMeters = .init(20.5, 3.25, -1)
        (sight.screenRight, sight.screenDown) = (0.25, -0.5)
        sight.edgeRadians = 90 * degree
        sight.distanceMeters = 22.75
        sight.bearingRadians = 152.5 * degree
        sight.relativeBearingRadians = -8.5 * degree
        sight.size = 0.75
        sight.elevationMeters = 520.5
        sight.drawnElevationMeters = 522.25
        sight.elevationAngleRadians = -1.5 * degree
        (sight.isInView, sight.isBehind) = (true, false)
        return sight
    }
}
