import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Position from fixes alone: its variances, and which fixes it takes.
@Suite struct GNSSPositionFilterLimitTests {
    private static let origin = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)

    /// A fix of a receiver that states 2.5 m, 5 m in height and 0.1 m/s, at metres to the east and the north.
    private func fix(_ seconds: Double, east: Double = 0, north: Double = 0, velocity: Vector3 = .zero) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
        let place = LocalFrame(origin: Self.origin).position(ofENUMeters: Vector3(east, north, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.quality = .autonomous
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.altitudeEllipsoidMeters = 400
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (2.5, 5)
        fix.speedSigmaMetersPerSecond = 0.1
        fix.horizontalVelocity = HorizontalVelocity(
            eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y)
        return fix
    }

    private let moving = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)

    /// A filter that begins at the origin.
    private func begun(velocity: Vector3 = .zero) throws -> GNSSPositionFilter {
        try #require(GNSSPositionFilter(fix: fix(0, velocity: velocity)))
    }

    private func offset(_ filter: GNSSPositionFilter) -> (east: Double, north: Double) {
        Self.origin.surfaceOffsetMeters(to: filter.position)
    }

    @Test func aSecondOfStandingOrDrivingHasItsVariance() throws {
        // GIVEN a receiver that states 2.5 m and 5 m, of which 15 % are new with each fix and the rest lasts for 40 s
        // WHEN a second fix follows after a second THEN a body at rest has drifted by 0.02 m, in height by sqrt(2)
        // times that (eq. 7.7 to 7.9)
        var standing = try begun()
        standing.update(fix(1), .init(isStill: true, lagDifferenceSeconds: 0))
        #expect(abs(standing.horizontal.position - 6.104_366_93) < 1e-7)
        #expect(abs(standing.vertical.position - 24.972_823_8) < 1e-6)
        // AND one at 10 m/s by 0.1 m, and by 0.083 m that the trapezium does not see; in height by a climb of 1 m/s,
        // which goes on for 5 s
        var driving = try begun(velocity: Vector3(10, 0, 0))
        driving.update(fix(1, east: 10, velocity: Vector3(10, 0, 0)), moving)
        #expect(abs(driving.horizontal.position - 6.108_383_45) < 1e-7)
        #expect(abs(driving.vertical.position - 25.373_738_2) < 1e-6)
    }

    @Test(
        arguments: [(1, 10, 11.7, true), (1, 10, 12.1, false), (2, 10, 17.5, true), (2, 10, 18, false)]
            as [(Double, Double, Double, Bool)])
    func aFixIsTakenWithinWhatTheMotionAllows(seconds: Double, speed: Double, beside: Double, isTaken: Bool) throws {
        // GIVEN a body at 10 m/s WHEN the next fix lies beside its way THEN it is taken within four sigmas of both
        // axes, 4.38 m after a second and 5.74 m after two, and 6 m/s2 for a quarter of the square of the time and for
        // a lag of a second: 11.88 m and 17.74 m (eq. 7.15)
        let velocity = Vector3(speed, 0, 0)
        var filter = try begun(velocity: velocity)
        let use = filter.update(fix(seconds, east: speed * seconds, north: beside, velocity: velocity), moving)
        #expect((use == .accepted) == isTaken && (use == .rejected) == !isTaken)
    }

    @Test func aFixThatTheErrorsDoNotExplainIsTakenWhole() throws {
        for direction in [Vector3.unitX, .unitY] {
            // GIVEN a body at rest WHEN the next fix lies 4 m away, within four sigmas of both axes, 4.38 m THEN it is
            // weighed with the place before: 0.514 of the way
            func filter(meters: Double) throws -> GNSSPositionFilter {
                var filter = try begun()
                let place = direction * meters
                #expect(filter.update(fix(1, east: place.x, north: place.y), moving) == .accepted)
                return filter
            }
            let near = try filter(meters: 4)
            let weighed = direction * (4 * 0.514_123)
            #expect(abs(offset(near).east - weighed.x) < 1e-3 && abs(offset(near).north - weighed.y) < 1e-3)
            #expect(abs(near.horizontal.position - 6.108_383) < 1e-5)
            // WHEN it lies 8 m away THEN it is the place, with half of the distance in its sigma: 6.25 m2 and 4 m
            let far = try filter(meters: 8)
            let taken = direction * 8
            #expect(abs(offset(far).east - taken.x) < 1e-3 && abs(offset(far).north - taken.y) < 1e-3)
            #expect(abs(far.horizontal.position - 22.25) < 0.01)
        }
    }

    @Test func withoutAnythingKnownTheIntervalIsASecond() throws {
        // GIVEN a receiver of which no interval is known, and that stands WHEN it was silent for 3 s, longer than two
        // and a half seconds THEN a fix is taken within 19.9 m and not at 25 m
        for (meters, isTaken) in [(19.5, true), (25, false)] {
            var filter = try begun()
            let use = filter.update(fix(3, east: meters), moving)
            #expect((use == .accepted) == isTaken, "\(meters)")
        }
    }

    @Test(arguments: [(133, 2.4...2.6), (135, 10.0...10.6)] as [(Int, ClosedRange<Double>)])
    func aWayBackIsOneForTwoMinutes(end: Int, sigmas: ClosedRange<Double>) throws {
        // GIVEN a receiver that stands, whose place begins anew 30 m away after 14 s
        var filter = try begun()
        func take(_ seconds: ClosedRange<Int>, east: Double) {
            for second in seconds { filter.update(fix(Double(second), east: east), moving) }
        }
        take(1...10, east: 0)
        take(11...14, east: 30)
        #expect(abs(offset(filter).east - 30) < 1)
        // WHEN it begins anew where it was THEN that is the trusted place within two minutes, and as sure as a fix;
        // later a third of the way is in doubt
        take(15...(end - 4), east: 30)
        take((end - 3)...end, east: 0)
        #expect(abs(offset(filter).east) < 1)
        #expect(sigmas.contains(filter.horizontalSigma), "\(filter.horizontalSigma)")
    }

    @Test func aHeightIsKeptThroughManyPlacesWithoutOne() throws {
        // GIVEN a height of a fix WHEN places are taken from fixes without one, a minute apart THEN the height is kept
        var filter = try begun()
        for minute in 1...3 {
            var flat = fix(60 * Double(minute))
            flat.altitudeEllipsoidMeters = nil
            #expect(filter.update(flat, moving) == .accepted)
            #expect(abs(filter.position.altitudeEllipsoidMeters - 400) < 0.1)
            #expect(filter.vertical.position < 1e6)
        }
    }

    @Test(arguments: [(2.5, 7), (2.44, 13)]) func aDriftIsOneBeyondSixSigmas(drift: Double, found: Int) throws {
        // GIVEN a receiver that states 2.5 m, 2.472 m of which last, and no speed WHEN its places go away by so many
        // metres a second THEN that is a drift as soon as six or twelve of them exceed six of those sigmas, 14.83 m
        for direction in [Vector3.unitX, .unitY] {
            var filter = try begun()
            var first: Int?
            for second in 1...20 {
                let place = direction * (drift * Double(second))
                filter.update(fix(Double(second), east: place.x, north: place.y), moving)
                if filter.integrity.verdict == .drifting { first = first ?? second }
            }
            #expect(first == found)
        }
    }

    @Test func placesThatFollowTheVelocityAreNoDrift() throws {
        for velocity in [Vector3(10, 0, 0), Vector3(0, 10, 0), Vector3(-6, -8, 0)] {
            // GIVEN a body at 10 m/s in any direction WHEN its places are those of its velocity THEN all are taken
            var filter = try begun(velocity: velocity)
            for second in 1...30 {
                let place = velocity * Double(second)
                let use = filter.update(
                    fix(Double(second), east: place.x, north: place.y, velocity: velocity), moving)
                #expect(use == .accepted && filter.integrity.verdict == .trusted)
            }
        }
    }

    @Test func whileFixesAreRefusedThePlaceIsUnsureByTheTimeAndTheWay() throws {
        // GIVEN a receiver that states 2.5 m, and stands WHEN its fixes lie 100 m away, from a second later on THEN
        // the variance has 0.0169 m2 a second of a velocity known to 0.1 m/s and the square of half a metre a second
        // and half of the way: 50.5 m after the first of them, 51 m after the second (eq. 7.16)
        var filter = try begun()
        for (second, sigma) in [(1.0, 50.562_01), (2, 51.061_57)] {
            #expect(filter.update(fix(second, east: 100), moving) == .rejected)
            // A hundred metres at a height of 400 m are 6 mm less on the ellipsoid.
            #expect(abs(filter.horizontalSigma - sigma) < 0.01, "\(filter.horizontalSigma)")
        }
    }

    @Test func aPlaceThatARunHasMovedIsShownByThatRun() throws {
        // GIVEN a receiver that stands, and whose place has begun anew 3 km away, by four fixes in 3 s
        var filter = try begun()
        for second in 1...10 { filter.update(fix(Double(second)), moving) }
        for second in 11...13 { #expect(filter.update(fix(Double(second), east: 3000), moving) == .rejected) }
        guard case .restarted = filter.update(fix(14, east: 3000), moving) else {
            Issue.record("not begun anew")
            return
        }
        // WHEN the next one is where they were before THEN the new place is as shown as the old one was: the doubt of
        // 20 m of a second ago, and another 20 m with half a metre for the second; not half of 3 km
        #expect(filter.update(fix(15), moving) == .rejected)
        #expect(abs(filter.horizontalSigma - 28.407_90) < 0.001, "\(filter.horizontalSigma)")
    }

    @Test(arguments: [(14.9, true), (15.2, false)]) func aChangeOfTheVelocityIsForgottenInFiveSeconds(
        beside: Double, isTaken: Bool
    ) throws {
        // GIVEN a body at 10 m/s that is seen to go by 4 m/s faster WHEN the next fix, a second later, lies beside its
        // way THEN it is taken within what the errors and 6 m/s2 allow, 11.78 m, and a second of what is left of the
        // change, 4 m/s exp(-1/5), together 15.05 m (eq. 7.15)
        var filter = try begun(velocity: Vector3(10, 0, 0))
        let faster = Vector3(14, 0, 0)
        #expect(filter.update(fix(1, east: 12, velocity: faster), moving) == .accepted)
        let use = filter.update(fix(2, east: 26, north: beside, velocity: faster), moving)
        #expect((use == .accepted) == isTaken && (use == .rejected) == !isTaken)
    }

    @Test(arguments: [(3.55, 7), (3.48, 13)]) func aVelocityMayBeLateByTwoAndAHalfSeconds(
        drift: Double, found: Int
    ) throws {
        // GIVEN a receiver whose velocity to the east grows by 1 m/s a second, and whose lag nothing has shown yet WHEN
        // its places leave the way of that to the north by so many metres a second THEN 2.5 s of the change of the
        // velocity in a window may be a lag, 15 m in six seconds and 30 m in twelve: with the 14.83 m of six sigmas a
        // drift is more than 21.09 m, or 33.46 m (eq. 12.3)
        var filter = try begun()
        var first: Int?
        for second in 1...20 {
            let seconds = Double(second)
            filter.update(
                fix(
                    seconds, east: 0.5 * seconds * seconds, north: drift * seconds,
                    velocity: Vector3(seconds, 0, 0)), moving)
            if filter.integrity.verdict == .drifting { first = first ?? second }
        }
        #expect(first == found)
    }

    @Test(arguments: [(20.0, 2), (30, 1), (60, 1)]) func aSlowReceiverBeginsAnewOnlyWhereItsFixesLieFarOff(
        interval: Double, expected: Int
    ) throws {
        // GIVEN a receiver at rest with a fix in so many seconds WHEN its fixes lie within a metre of each other THEN
        // each of them is taken, and none begins the place anew
        var filter = try begun()
        var motion = moving
        motion.intervalSeconds = interval
        for number in 1...5 {
            let use = filter.update(fix(interval * Double(number), east: number % 2 == 0 ? 0 : 1), motion)
            #expect(use == .accepted, "\(use)")
        }
        // WHEN they lie 100 km off THEN the first one 30 s or more after the last that was taken begins it anew
        let uses = (1...expected).map { filter.update(fix(interval * Double(5 + $0), east: 100_000), motion) }
        #expect(uses.dropLast().allSatisfy { $0 == .rejected })
        guard let last = uses.last, case .restarted = last else {
            Issue.record("\(uses)")
            return
        }
    }

    @Test func aDriftOfOneReceiverIsNotThatOfTheNext() throws {
        // GIVEN a receiver that is refused, because its places drift away from its velocity WHEN another one has the
        // place that was published THEN it is taken at once
        var filter = try begun()
        for second in 1...10 { filter.update(fix(Double(second), east: 2.5 * Double(second)), moving) }
        try #require(filter.integrity.verdict == .drifting)
        let place = offset(filter)
        var next = fix(11, east: place.east, north: place.north)
        next.receiver = 1
        let use = filter.update(next, moving)
        #expect(use == .accepted && filter.integrity.verdict == .trusted)
    }

    @Test func theErrorOfOneReceiverIsNotThatOfTheNext() throws {
        // GIVEN a receiver that states 2.5 m, on a body that stands for five minutes WHEN another one, which states
        // 0.5 m, lies a metre to the east THEN that is the place, known as well as it states
        var filter = try begun()
        let standing = GNSSPositionFilter.Motion(isStill: true, lagDifferenceSeconds: 0)
        for second in 1...300 { filter.update(fix(Double(second)), standing) }
        var next = fix(301, east: 1)
        (next.receiver, next.horizontalSigmaMeters) = (1, 0.5)
        #expect(filter.update(next, standing) == .accepted)
        #expect(abs(offset(filter).east - 1) < 0.001, "\(offset(filter).east)")
        #expect(abs(filter.horizontalSigma - 0.5) < 0.01, "\(filter.horizontalSigma)")
    }

    @Test(arguments: [(10.2, true), (10.7, false)]) func aBodyThatStandsIsNotAccelerated(
        meters: Double, isTaken: Bool
    ) throws {
        // GIVEN a body that stands, as IMU and receiver say WHEN the next fix lies aside after a second THEN it is
        // taken within four sigmas of both axes, 4.38 m, and 6 m of an error that nobody states; where the receiver
        // says that it moves, within what a drive allows as well
        let standing = GNSSPositionFilter.Motion(isStill: true, lagDifferenceSeconds: 0)
        var filter = try begun()
        let use = filter.update(fix(1, east: meters), standing)
        #expect((use == .accepted) == isTaken && (use == .rejected) == !isTaken)
        var moving = try begun(velocity: Vector3(0, 2, 0))
        #expect(moving.update(fix(1, east: meters, velocity: Vector3(0, 2, 0)), standing) == .accepted)
    }

    @Test func aFixThatGoesOnWithRefusedOnesIsOneOfThem() throws {
        // GIVEN a receiver at 10 m/s with a fix in three seconds WHEN one is 45 m beside the way THEN it is refused
        var filter = try begun(velocity: Vector3(10, 0, 0))
        let way = Vector3(10, 0, 0)
        var slow = moving
        slow.intervalSeconds = 3
        #expect(filter.update(fix(3, east: 30, north: 45, velocity: way), slow) == .rejected)
        // WHEN the next one is beside the way by less than half of that, within what six seconds allow THEN it is taken
        var taken = filter
        #expect(taken.update(fix(6, east: 60, north: 22, velocity: way), slow) == .accepted)
        // AND WHEN it is by a little more, it goes on with the refused one THEN it is refused
        #expect(filter.update(fix(6, east: 60, north: 23, velocity: way), slow) == .rejected)
        // AND a receiver with a fix a second, whose gate is narrow, may have been refused for its late velocity
        var fast = try begun(velocity: way)
        #expect(fast.update(fix(1, east: 10, north: 20, velocity: way), moving) == .rejected)
        #expect(fast.update(fix(2, east: 20, north: 11, velocity: way), moving) == .accepted)
    }

    @Test func refusedPlacesWithoutVelocityAreCarriedOnByTheMeanBefore() throws {
        // GIVEN a receiver without velocity WHEN no motion explains a fix THEN it is refused, and the place goes on
        // with the mean velocity before it
        func place(_ seconds: Double, north: Double) -> GnssFix {
            var fix = fix(seconds, north: north)
            (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (nil, nil)
            return fix
        }
        var filter = try #require(GNSSPositionFilter(fix: place(0, north: 0)))
        var stray = moving
        stray.velocityBeforeStray = HorizontalVelocity(eastMetersPerSecond: 4, northMetersPerSecond: 3)
        #expect(filter.update(place(1, north: 20), stray) == .rejected)
        #expect(abs(offset(filter).east - 4) < 1e-3 && abs(offset(filter).north - 3) < 1e-3)
        // AND a fix that a motion explains is taken, also after 3 s without one
        #expect(filter.update(place(2, north: 20), stray) == .rejected)
        #expect(filter.update(place(3, north: 20), stray) == .rejected)
        #expect(filter.update(place(4, north: 60), moving) == .accepted)
    }
}
