import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When rejected fixes move the estimate, by how much they widen it, and when the heading is given up.
@Suite struct JumpResetTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0)

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A filter at rest that began at 0 s, its place known to 1 m and its GNSS bias to 2 m.
    private static func filter(at seconds: Double = 0, profile: MotionProfile = .vehicle) -> NavigationFilter {
        let state = NavigationState(
            time: time(0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        filter.covariance = Covariance()
        filter.covariance.restart(.position, variance: 1)
        filter.covariance.restart(.gnssBias, variance: 4)
        filter.state.time = time(seconds)
        return filter
    }

    /// A fix of 2 cm whose receiver stands.
    private static func fix(at seconds: Double) -> GnssFix {
        var fix = GnssFix(validityTime: time(seconds), arrivalTime: time(seconds), mode: .threeDimensional)
        (fix.quality, fix.horizontalSigmaMeters) = (.rtkFixed, 0.02)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
        return fix
    }

    /// Rejects fixes some metres to the east, and returns for how long they had come when the estimate jumped to them,
    /// seconds; `nil`: it did not.
    @discardableResult
    private static func reject(
        _ filter: inout NavigationFilter, meters: Double, count: Int = 25, spacing: Double = 0.5
    ) -> Double? {
        let observed = place.moved(byENU: Vector3(meters, 0, 0))
        for k in 0..<count {
            filter.reject(fix(at: Double(k) * spacing), at: observed)
            if filter.reset.count > 0 { return Double(k) * spacing }
        }
        return nil
    }

    @Test func theEstimateJumpsFromTwentyMetersOn() {
        // GIVEN a filter whose fixes are rejected WHEN they agree with each other just below and beyond 20 m THEN only
        // beyond, the estimate jumps to them, after 4 s AND after four fixes at least
        let cases: [(Double, Double, Double?)] = [(19.9, 0.5, nil), (20.1, 0.5, 4), (20.1, 2, 6), (20.1, 3, 9)]
        for (meters, spacing, expected) in cases {
            var filter = Self.filter()
            let seconds = Self.reject(&filter, meters: meters, spacing: spacing)
            #expect(seconds == expected, "\(meters) \(spacing)")
        }
    }

    @Test func aSilenceIsNoTimeOfARun() {
        // GIVEN three fixes that are rejected within 0.2 s in front of an underpass, and more behind it, all 30 m off
        // WHEN nine seconds lie between them THEN these count as 2.5 s of the 4 s after which the estimate jumps
        var filter = Self.filter()
        let observed = Self.place.moved(byENU: Vector3(30, 0, 0))
        for seconds in [0, 0.1, 0.2, 9.2, 9.3, 10.4] { filter.reject(Self.fix(at: seconds), at: observed) }
        #expect(filter.reset.count == 0)
        filter.reject(Self.fix(at: 10.6), at: observed)
        #expect(filter.reset.count == 1)
    }

    @Test func aJumpIsAsUnsureAsTheReceiverHasBeen() {
        // GIVEN a receiver whose errors have been larger than it says WHEN the estimate jumps to its fixes THEN these
        // have the sigma that was learned
        var (shown, stated) = (Self.filter(), Self.filter())
        for second in 0..<5 {
            _ = shown.noiseScaling.learn(normalisedSquare: 50, at: Self.time(Double(second)))
        }
        let factor = shown.noiseScaling.factor
        #expect(factor > 1.5 && Self.reject(&shown, meters: 30) != nil && Self.reject(&stated, meters: 30) != nil)
        for axis in [FilterState.position.x.index, FilterState.gnssBias.x.index] {
            let ratio = shown.covariance[axis, axis] / stated.covariance[axis, axis]
            #expect(ratio > 1 && ratio < factor * factor * 1.001)
        }
        #expect(abs(shown.gnssBiasSigma.horizontal / stated.gnssBiasSigma.horizontal - factor) < 1e-9)
    }

    @Test func aJumpToFixesWithoutAHeightLeavesTheHeight() {
        // GIVEN an antenna 2 m above the IMU, whose height is known to 1 m, in doubt by 2 m of the GNSS bias WHEN the
        // estimate jumps to fixes that have no height THEN only its place has changed
        var filter = NavigationFilter(at: Self.filter().state, leverArm: Vector3(0, 0, 2))
        filter.covariance = Self.filter().covariance
        #expect(Self.reject(&filter, meters: 30) != nil)
        #expect(filter.state.position.altitudeEllipsoidMeters == 0 && filter.reset.deltaENU.z == 0)
        #expect(
            filter.covariance[.position.z, .position.z] == 1 && filter.covariance[.gnssBias.z, .gnssBias.z] == 4)
        #expect(abs(filter.reset.deltaENU.x - 30) < 1e-3)
    }

    @Test(arguments: [(119.9, 15.1, 0, 4.0), (120.0, 15.1, 0, 9.0), (120.0, 14.9, 0, 4.0), (120.0, 15.1, 1, 4.0)])
    func aProvenEstimateWaitsForNineSeconds(age: Double, strayed: Double, refused: Int, expected: Double) {
        // GIVEN a filter that fixes have confirmed for two minutes WHEN fixes 30 m off have left the way of their own
        // velocity by more than half of that, and the velocity is taken THEN the estimate jumps after 9 s, and else
        // after 4 s
        var filter = Self.filter(at: age)
        filter.strayedSinceUse = SIMD2(0, strayed)
        filter.refusedVelocities = refused
        let seconds = Self.reject(&filter, meters: 30)
        #expect(seconds == expected)
    }

    @Test(arguments: [(-44.9, 0.0, 3.0), (-45.1, 0.0, 4.0), (-44.9, 120.0, 4.0)])
    func aJumpBackIsSooner(away: Double, age: Double, expected: Double) {
        // GIVEN a filter that has jumped away from a trusted place WHEN fixes lead 30 m back, to within half of that
        // from the trusted place THEN the estimate jumps after 3 s, and else after 4 s, as it does where the present
        // place has proven itself for two minutes
        var filter = Self.filter(at: age)
        filter.wayFromTrusted = Vector3(away, 0, 0)
        let seconds = Self.reject(&filter, meters: 30)
        #expect(seconds == expected)
    }

    @Test(arguments: [(0, 100.000_4), (1, 0.000_4)])
    func aJumpByTheReceiverAloneIsInDoubtByAThird(refused: Int, variance: Double) {
        // GIVEN fixes of 2 cm that lie 30 m off WHEN the estimate jumps THEN a third of the way stays as a 1-sigma,
        // where the receiver's velocity is right: one of both is wrong
        var filter = Self.filter()
        filter.refusedVelocities = refused
        filter.state.velocityENU = Vector3(3, 0, 0)
        Self.reject(&filter, meters: 30)
        let place = filter.covariance[.position.x, .position.x]
        let bias = filter.covariance[.gnssBias.y, .gnssBias.y]
        #expect(abs(place - variance) < 0.01 * variance && abs(place - bias - 0.000_1) < 1e-9, "\(place) \(bias)")
        #expect((filter.wayFromTrusted.length < 0.001) == (refused > 0))
        // AND the velocity is that of the fix, known to half a metre a second
        #expect(filter.state.velocityENU == .zero)
        for axis in 0..<3 { #expect(filter.covariance[.velocity[axis], .velocity[axis]] == 0.25) }
        // AND it is announced, without a height that nobody has stated
        #expect(abs(filter.reset.deltaENU.x - 30) < 0.01 && filter.reset.deltaENU.z == 0 && filter.reset.jumps == 1)
    }

    @Test func twoJumpsWithinThirtySecondsAreNoted() {
        for (since, isSoon) in [(29.9, true), (30.0, false)] {
            var filter = Self.filter(at: 100)
            filter.lastJumpTime = Self.time(100 - since)
            Self.reject(&filter, meters: 30)
            #expect(filter.hasJumpedAgain == isSoon && filter.lastJumpTime == Self.time(100), "\(since)")
        }
    }

    @Test func aNearRunWidensTheEstimateAfterThreeFixesAndOneSecond() {
        // GIVEN fixes 10 m off that agree with each other THEN the third one counts, if a second has passed
        for (count, spacing, isWidened) in [(2, 1.0, false), (3, 0.49, false), (3, 0.5, true), (4, 0.34, true)] {
            var filter = Self.filter()
            Self.reject(&filter, meters: 10, count: count, spacing: spacing)
            let variance = filter.covariance[.position.x, .position.x]
            #expect((variance > 1) == isWidened && (filter.rejectedRun == nil) == isWidened, "\(count) \(spacing)")
        }
        // AND after two minutes without a fix the fourth one
        for (outage, count, isWidened) in [(119.9, 3, true), (120.1, 3, false), (120.1, 4, true)] {
            var filter = Self.filter(at: 200)
            filter.lastFixTime = Self.time(200 - outage)
            Self.reject(&filter, meters: 10, count: count)
            let variance = filter.covariance[.position.x, .position.x]
            #expect((variance > 1) == isWidened, "\(outage) \(count)")
        }
    }

    @Test(arguments: [(nil, true), (5.1, true), (4.9, false)] as [(Double?, Bool)])
    func whatHasLeftTheWayIsWidened(strayed: Double?, isReceiver: Bool) {
        // GIVEN fixes 10 m off WHEN the receiver has left the way of its own velocity by more than half of that, or
        // there is none THEN its error may be as large as the distance, and the place off by half of it AND else the
        // place is off by all of it
        var filter = Self.filter()
        filter.state.gnssBiasENU = Vector3(1, 2, 3)
        filter.strayedSinceUse = strayed.map { SIMD2($0, 0) }
        Self.reject(&filter, meters: 10, count: 3)
        let place = filter.covariance[.position.y, .position.y]
        let bias = filter.covariance[.gnssBias.y, .gnssBias.y]
        #expect(abs(place - (isReceiver ? 26 : 101)) < 0.01 && abs(bias - (isReceiver ? 100 : 4)) < 0.01)
        #expect((filter.state.gnssBiasENU == .zero) == isReceiver)
        #expect(filter.covariance[.position.z, .position.z] == 1)
    }

    @Test func aFarFixIsConfirmedByThreeBeforeItWithinASecond() {
        // GIVEN rejected fixes WHEN one more agrees with them THEN it is confirmed as the fourth one, after a second
        for (before, spacing, isExpected) in [(2, 0.5, false), (3, 0.5, true), (3, 0.33, false), (3, 0.34, true)] {
            var filter = Self.filter()
            for k in 0..<before {
                var fix = Self.fix(at: Double(k) * spacing)
                fix.latitudeRadians = Self.place.latitudeRadians
                fix.longitudeRadians = Self.place.longitudeRadians
                filter.noteRejection(of: fix)
            }
            let last = Self.fix(at: Double(before) * spacing)
            let isConfirmed = filter.isConfirmed(last, at: Self.place)
            #expect(isConfirmed == isExpected, "\(before) \(spacing)")
        }
    }

    @Test func aFixIsNearWithinTwentyMetersOrThreeSigmas() {
        // GIVEN the age of the last fix, seconds, the 1-sigma of the GNSS bias, and a fix some metres off THEN it needs
        // no confirmation within 20 m or three sigmas, and after more than two minutes within 10 m
        let cases: [(Double?, Double, Double, Bool)] = [
            (nil, 1, 19.9, true), (nil, 1, 20.1, false), (1, 10, 29.9, true), (1, 10, 30.1, false),
            (119.9, 1, 19.9, true), (120.1, 1, 9.9, true), (120.1, 1, 10.1, false), (120.1, 10, 10.1, false),
        ]
        for (age, sigma, meters, isExpected) in cases {
            var filter = Self.filter(at: 200)
            filter.lastFixTime = age.map { Self.time(200 - $0) }
            let isNear = filter.isNear(east: 0.6 * meters, north: -0.8 * meters, gnssBiasSigma: sigma)
            #expect(isNear == isExpected, "\(String(describing: age)) \(sigma) \(meters)")
        }
    }

    @Test func anOpenedGNSSBiasIsClosedAgain() {
        // GIVEN a GNSS bias, stated as 2 m, whose variance is opened, and what of it is tied to the position THEN it is
        // as stated again where it was more than twice that, and less than half is tied
        for (variance, tied, isExpected) in [(8.1, 4.0, true), (7.9, 0, false), (8.1, 4.1, false)] {
            var filter = Self.filter()
            filter.gnssBiasSigma = (2, 3)
            filter.state.gnssBiasENU = Vector3(1, 2, 3)
            filter.covariance[.gnssBias.x, .gnssBias.x] = variance
            filter.covariance[.position.x, .gnssBias.x] = -tied
            filter.covariance[.gnssBias.x, .position.x] = -tied
            let wasOpened = filter.restoreGNSSBias()
            #expect(wasOpened == isExpected)
            #expect(filter.covariance[.gnssBias.x, .gnssBias.x] == (isExpected ? 4 : variance))
            #expect(filter.state.gnssBiasENU == (isExpected ? Vector3(0, 0, 3) : Vector3(1, 2, 3)))
        }
    }

    @Test func aPlaceTwentyMetersAwayHasToProveItself() {
        for (meters, hasTo) in [(19.9, false), (20.1, true)] {
            // GIVEN a proven place WHEN the estimate is moved THEN a new place is proven from now on
            var filter = Self.filter(at: 200)
            let before = filter.state.position
            filter.state.move(byENU: Vector3(0, meters, 5))
            filter.announceJump(from: before)
            let since: MonotonicTime? = hasTo ? Self.time(200) : nil
            #expect(filter.unprovenSince == since)
            #expect((filter.reset.deltaENU - Vector3(0, meters, 5)).length < 0.01 && filter.reset.count == 1)
            // WHEN it is moved back THEN the place is as proven as it was
            let away = filter.state.position
            (filter.state.position, filter.state.time) = (before, Self.time(210))
            filter.announceJump(from: away)
            #expect(filter.unprovenSince == nil && filter.wayFromTrusted.length < 0.01 && filter.reset.count == 2)
        }
    }

    @Test(arguments: [
        (MotionProfile.vehicle, 0.25, 0.1875, 0.0125), (.vehicle, 0.5, 0.75, 0.05), (.vehicle, 1.0, 1.5, 0.1),
        (.wearable, 0.25, 0.375, 0.025),
    ])
    func aGapHidesAnAccelerationAndATurn(profile: MotionProfile, seconds: Double, speed: Double, turn: Double) {
        // GIVEN samples that are missing THEN 1.5 m/s2 and 0.1 rad/s may have been hidden, in a vehicle less below half
        // a second
        var filter = Self.filter(profile: profile)
        filter.covariance = Covariance()
        filter.addGapUncertainty(seconds: seconds)
        for axis in 0..<3 {
            let place = filter.covariance[.position[axis], .position[axis]]
            let velocity = filter.covariance[.velocity[axis], .velocity[axis]]
            let attitude = filter.covariance[.attitude[axis], .attitude[axis]]
            #expect(abs(velocity.squareRoot() - speed) < 1e-9 && abs(attitude.squareRoot() - turn) < 1e-9)
            #expect(abs(place.squareRoot() - 0.5 * speed * seconds) < 1e-9)
        }
    }

    @Test func aJumpToTheMiddleIsNoReturn() {
        // GIVEN a filter that has jumped away from a trusted place WHEN fixes lead to the other side of that, exactly
        // half as far from it as from the present place THEN that is no way back: the estimate jumps after 4 s, not 3
        let offset = Self.place.surfaceOffsetMeters(to: Self.place.moved(byENU: Vector3(30, 0, 0)))
        var filter = Self.filter()
        filter.wayFromTrusted = Vector3(offset.east, offset.north, 0) * -0.5
        let seconds = Self.reject(&filter, meters: 30)
        #expect(seconds == 4)
    }

    @Test func theArmOfTheAntennaIsNoDistance() {
        // GIVEN an antenna 3 m ahead of the IMU, whose place is known to 1 m WHEN fixes are refused that have left the
        // way of their own velocity by 0.3 m THEN the receiver's error may be as large as that, and the place off by
        // half of it
        var filter = NavigationFilter(at: Self.filter().state, leverArm: Vector3(3, 0, 0))
        filter.covariance = Self.filter().covariance
        filter.strayedSinceUse = SIMD2(0, 0.3)
        let observed = Self.place.moved(byENU: Vector3(3, 0.3, 0))
        for k in 0..<3 { filter.reject(Self.fix(at: 0.5 * Double(k)), at: observed) }
        let place = filter.covariance[.position.y, .position.y]
        let bias = filter.covariance[.gnssBias.y, .gnssBias.y]
        #expect(abs(place - 1.022_5) < 1e-4 && abs(bias - 0.09) < 1e-4, "\(place) \(bias)")
    }

    @Test func aJumpIsCarriedOnOverTheLag() {
        // GIVEN a vehicle that goes east at 20 m/s, its antenna 3 m ahead, and a receiver that is 0.1 s late, known to
        // 0.01 s WHEN the estimate jumps to its fixes, the last of which lies 110 m ahead, and states its velocity
        var filter = NavigationFilter(at: Self.filter().state, leverArm: Vector3(3, 0, 0))
        filter.covariance = Self.filter().covariance
        filter.covariance[.positionLag, .positionLag] = 1e-4
        filter.state.velocityENU = Vector3(20, 0, 0)
        filter.refusedVelocities = 1
        let since = LagMotion(seconds: 0.1, way: Vector3(2, 0, 0), firstVelocity: Vector3(20, 0, 0))
        var observed = Self.place
        for k in 0...8 {
            var fix = Self.fix(at: 0.5 * Double(k))
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 20, northMetersPerSecond: 0)
            observed = Self.place.moved(byENU: Vector3(30 + 10 * Double(k), 0, 0))
            filter.reject(fix, at: observed, since: since)
        }
        // THEN the IMU is 3 m behind the antenna, and 2 m ahead of where that was, which is the jump that is announced
        #expect(filter.reset.jumps == 1 && abs(filter.reset.deltaENU.x - 109) < 1e-3)
        #expect(filter.lastFixTime == Self.time(4))
        // AND its error is the one of the fix, 0.0004 m2, 20 m/s times that of the lag and 0.1 s times that of the
        // velocity, 0.25 m2/s2
        let place = filter.covariance[.position.x, .position.x]
        let lag = filter.covariance[.position.x, .positionLag]
        let velocity = filter.covariance[.position.x, .velocity.x]
        #expect(abs(place - 0.042_9) < 1e-9 && abs(lag - 0.002) < 1e-9 && abs(velocity - 0.025) < 1e-9)
        // AND the fix itself is where the filter expects it, but for what is new with each fix, 0.0001 m2
        let offset = filter.state.position.surfaceOffsetMeters(to: observed)
        let seen = filter.positionComponent(0, offset: Vector3(offset.east, 0, 0), since: since, sigma: 0.01)
        let variance = filter.covariance.variance(of: seen.row)
        #expect(abs(seen.innovation) < 1e-3 && abs(variance - 1e-4) < 1e-9, "\(seen.innovation) \(variance)")
    }

    @Test func aJumpWithoutAHeightLeavesTheHeightAsSureAsItWas() {
        // GIVEN an antenna 10 m ahead of the IMU, and a level and a heading known to 0.1 rad WHEN the estimate jumps to
        // fixes without a height THEN the place north hangs on the heading, and the height, known to 1 m, not on the
        // level
        var filter = NavigationFilter(at: Self.filter().state, leverArm: Vector3(10, 0, 0))
        filter.covariance = Self.filter().covariance
        filter.covariance.restart(.attitude, variance: 0.01)
        #expect(Self.reject(&filter, meters: 40) != nil)
        #expect(abs(filter.covariance[.position.y, .attitude.z] + 0.1) < 1e-9)
        #expect(filter.covariance[.position.z, .position.z] == 1 && filter.covariance[.position.z, .attitude.y] == 0)
    }
}
