import Geodesy
import Glibc
import Guidance
import PoseMath
import Testing

/// Map matching of a vehicle that stays on its route: the along-route distance must be right for any shape of route.
@Suite struct FollowingTests {
    /// Faults on a drive whose track is its route.
    private struct Faults {
        var lost = 0
        var backward = 0
        var worstMeters = 0.0
    }

    private func faults(_ steps: [DriveStep], allowing states: Set<GuidanceState> = [.onRoute, .arrived]) -> Faults {
        var faults = Faults()
        var last = -Double.infinity
        for step in steps {
            let progress = step.status.progressMeters ?? .infinity
            if !states.contains(step.status.state) { faults.lost += 1 }
            if progress < last - 20 { faults.backward += 1 }
            faults.worstMeters = max(faults.worstMeters, abs(progress - step.along))
            last = progress
        }
        return faults
    }

    private func follow(_ points: [(Double, Double)], on sheet: Sheet = Sheet(), options: DriveOptions = DriveOptions())
        throws -> [DriveStep]
    {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route(points))
        return follower.drive(Track(points), on: sheet, options: options)
    }

    @Test func statusMatchesTheGeometry() throws {
        // GIVEN a road to the north, then to the east, driven 3 m to the right of its line
        let sheet = Sheet()
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 1000), (800, 1000)],
                maneuvers: [PlannedManeuver(point: 0, kind: .depart), PlannedManeuver(point: 1, kind: .turn)],
                limits: [.kilometersPerHour(50), .kilometersPerHour(70)], durations: [100, 40]))
        let status = follower.update(
            GuidanceInput(
                time: MonotonicTime(nanoseconds: 0), position: sheet.place(3, 400), horizontalSigmaMeters: 2,
                courseOverGroundRadians: 0,
                speedMetersPerSecond: 10))
        // THEN the status matches the geometry to a centimetre
        #expect(status.state == .onRoute)
        #expect(status.events == .found)
        #expect(abs((status.progressMeters ?? 0) - 400) < 0.01)
        #expect(abs((status.crossTrackMeters ?? 0) - 3) < 0.01)
        #expect(abs(Angle.wrappedToPi(status.segmentBearingRadians ?? 1)) < 1e-4)
        #expect(status.nextManeuver == 1)
        #expect(abs((status.distanceToTurnMeters ?? 0) - 600) < 0.01)
        #expect(abs((status.straightDistanceToTurnMeters ?? 0) - hypot(600, 3)) < 0.01)
        #expect(abs((status.turnAngleRadians ?? 0) - .pi / 2) < 1e-3)
        #expect(abs((status.distanceLeftMeters ?? 0) - 1400) < 0.01)
        #expect(abs((status.timeLeftSeconds ?? 0) - 100) < 0.01)
        #expect(status.limit == .kilometersPerHour(50))
        #expect(status.limitSource == .route)
        #expect(abs((status.distanceToLimitChangeMeters ?? 0) - 600) < 0.01)
        #expect(status.nextLimit == .kilometersPerHour(70))
        // AND left of the line the cross-track distance is negative.
        let left = follower.update(
            GuidanceInput(
                time: MonotonicTime(nanoseconds: 1_000_000_000), position: sheet.place(-3, 410),
                horizontalSigmaMeters: 2))
        #expect(abs((left.crossTrackMeters ?? 0) + 3) < 0.01)
        #expect(left.events == [])
    }

    /// Shapes in which the nearest point of the line is often the wrong match.
    static let shapes: [String: [(Double, Double)]] = [
        "three laps of a block": Array(
            repeatElement([(0.0, 0.0), (0, 200), (200, 200), (200, 0)], count: 3).joined()) + [(0, 0), (-300, 0)],
        "figure eight": [(0, 0), (300, 300), (300, 0), (0, 300), (-200, 300)],
        "there and back on the same road": [(0, 0), (0, 800), (0, 0)],
        "hairpins 12 m apart": [(0, 0), (400, 0), (400, 12), (0, 12), (0, 24), (400, 24), (400, 36), (0, 36)],
        "parallel roads 30 m apart": [(0, 0), (1000, 0), (1000, 30), (0, 30)],
        "cloverleaf": [(0, -400), (0, 0), (0, 60), (30, 90), (60, 60), (30, 30), (0, 30), (-400, 30)],
        "spiral": (0..<120).map { step in
            let angle = Double(step) * 0.2
            return ((30 + 3 * Double(step)) * sin(angle), (30 + 3 * Double(step)) * cos(angle))
        },
        "start and end at one place": [(0, 0), (500, 0), (500, 500), (0, 500), (0, 0)],
    ]

    @Test(arguments: FollowingTests.shapes.keys.sorted(), [0.05, 1.0, 2, 5])
    func followsRoutesOfAnyShape(name: String, period: Double) throws {
        let points = try #require(FollowingTests.shapes[name])
        for seed in 1...5 as ClosedRange<UInt64> {
            // GIVEN a drive along the shape with noisy positions; with a longer period the speed is lower, so that
            // corners are sampled
            let options = DriveOptions(speed: period > 2 ? 8 : 12, period: period, sigma: 3, seed: seed)
            let faults = faults(try follow(points, options: options))
            // THEN it is on the route from start to end, the progress never moves back, and the error is below 5 sigmas
            // plus half the distance between fixes
            #expect(faults.lost == 0, "seed \(seed)")
            #expect(faults.backward == 0, "seed \(seed)")
            #expect(faults.worstMeters < 25, "seed \(seed)")
        }
    }

    @Test(arguments: [1.0, 3, 7, 15])
    func followsSparsePositionsWithoutCourse(period: Double) throws {
        // GIVEN a route that crosses itself, fixes up to 15 s apart, and positions only
        let points = [(0.0, 0.0), (600, 600), (1200, 600), (1200, 0), (600, 0), (300, 900), (300, 2000)]
        let options = DriveOptions(speed: 12, period: period, sigma: 3, givesCourse: false, givesSpeed: false, seed: 9)
        let faults = faults(try follow(points, options: options))
        #expect(faults.lost == 0)
        #expect(faults.backward == 0)
        #expect(faults.worstMeters < 30)
    }

    @Test(arguments: [(0.0, 179.995), (51.5, -179.998), (85.5, 20), (89.9, 60), (-89.95, -120), (-33.9, 151.2), (0, 0)])
    func followsRoutesAnywhereOnEarth(latitude: Double, longitude: Double) throws {
        let points = [(0.0, 0.0), (800, 300), (1600, 0), (1600, -700), (400, -700)]
        let sheet = Sheet(latitudeDegrees: latitude, longitudeDegrees: longitude)
        let faults = faults(try follow(points, on: sheet, options: DriveOptions(sigma: 3, seed: 4)))
        #expect(faults.lost == 0)
        #expect(faults.backward == 0)
        #expect(faults.worstMeters < 25)
    }

    @Test func followsRandomRoutes() throws {
        // GIVEN 200 random routes of 20 legs that may cross themselves, driven with random speed, rate and noise
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var points = [(0.0, 0.0)]
            var bearing = 0.0
            for _ in 0..<20 {
                // Turns of up to 120 degrees: a course derived from fixes cannot distinguish sharper turns from noise.
                bearing += (random.uniform() - 0.5) * 4.2
                let length = 60 + 300 * random.uniform()
                points.append(
                    (
                        points[points.count - 1].0 + length * sin(bearing),
                        points[points.count - 1].1 + length * cos(bearing)
                    ))
            }
            let options = DriveOptions(
                speed: 5 + 15 * random.uniform(), period: 0.5 + 1.5 * random.uniform(), sigma: 4 * random.uniform(),
                seed: seed)
            let faults = faults(try follow(points, options: options))
            // THEN none is lost and no progress moves back
            #expect(faults.lost == 0, "seed \(seed)")
            #expect(faults.backward == 0, "seed \(seed)")
            #expect(faults.worstMeters < 45, "seed \(seed): \(faults.worstMeters)")
        }
    }

    @Test func progressIsStableAtStandstill() throws {
        // GIVEN a stop of ten minutes with noise of 4 m
        let sheet = Sheet()
        var random = SplitMix64(seed: 5)
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        for second in 0..<600 {
            let place = sheet.place(4 * random.normal(), 500 + 4 * random.normal())
            var input = GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), position: place,
                horizontalSigmaMeters: 4)
            input.speedMetersPerSecond = 0.1
            follower.update(input)
            #expect(follower.status.state == .onRoute)
        }
        // THEN the progress is within the error of one fix (4 sigmas)
        #expect(abs((follower.status.progressMeters ?? 0) - 500) < 16)
    }

    @Test func startOnTheSecondLegIsMatchedAtOnce() throws {
        let sheet = Sheet()
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 5000), (3000, 5000)]))
        let input = GuidanceInput(
            time: MonotonicTime(nanoseconds: 0), position: sheet.place(1500, 5004), horizontalSigmaMeters: 5,
            courseOverGroundRadians: .pi / 2,
            speedMetersPerSecond: 10)
        #expect(abs((follower.update(input).progressMeters ?? 0) - 6500) < 1)
    }

    @Test func sameInputGivesSameOutput() throws {
        let points = try #require(FollowingTests.shapes["cloverleaf"])
        let first = try follow(points, options: DriveOptions(sigma: 3, seed: 8)).map { $0.status }
        #expect(first == (try follow(points, options: DriveOptions(sigma: 3, seed: 8)).map { $0.status }))
    }
}
