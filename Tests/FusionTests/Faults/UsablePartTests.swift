import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which parts of a fix are used, and what the filter compares before that.
@Suite struct UsablePartTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 0)

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A filter that began at 0 s, and goes east at 10 m/s, which it knows to 0.17 m/s.
    private static func filter() -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(
                time: time(0), position: place, velocityENU: Vector3(10, 0, 0), sensorToENU: .identity),
            leverArm: .zero)
        filter.covariance = Covariance()
        filter.covariance.restart(.velocity, variance: 0.03)
        return filter
    }

    /// A fix with a velocity, m/s, known to 0.1 m/s: with what the filter knows, 0.2 m/s. It has no place, or one that
    /// is so many metres to the north.
    private static func fix(at seconds: Double, east: Double, north: Double, moved meters: Double? = nil) -> GnssFix {
        var fix = GnssFix(validityTime: time(seconds), arrivalTime: time(seconds), mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: east, northMetersPerSecond: north)
        (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (3, 0.1)
        let position = meters.map { place.moved(byENU: Vector3(0, $0, 0)) }
        (fix.latitudeRadians, fix.longitudeRadians) = (position?.latitudeRadians, position?.longitudeRadians)
        return fix
    }

    @Test(arguments: [(0.95, 0.0, true), (1.05, 0, false), (1.25, 1, true), (1.35, 1, false)])
    func velocitiesAgreeWithinFiveSigmas(across: Double, acceleration: Double, isProven: Bool) {
        // GIVEN a filter and a receiver that speed up from 10 to 16 m/s, and slow down again WHEN the receiver's
        // velocity is so many m/s beside the filter's THEN they agree up to five sigmas, 1 m/s, and 0.3 s of an
        // acceleration, m/s2
        var filter = Self.filter()
        filter.state.accelerationENU = Vector3(0, acceleration, 0)
        for (number, speed) in [10.0, 16, 10].enumerated() {
            let seconds = 31 + Double(number)
            (filter.state.time, filter.state.velocityENU) = (Self.time(seconds), Vector3(speed, 0, 0))
            _ = filter.usableParts(
                of: Self.fix(at: seconds, east: speed, north: across), forceHistory: VectorHistory())
        }
        #expect(filter.gnssIntegrity.isCrossChecked == isProven)
    }

    /// Whether a receiver is contradicted that goes as fast as the filter, but another way, after four fixes.
    ///
    /// - Parameters:
    ///   - across: difference of the velocities, m/s.
    ///   - hiddenTurn: turn that its held course hides, radians.
    ///   - turned: by which the vehicle has turned from each fix to the next, radians.
    private func isContradicted(across: Double, hiddenTurn: Double = 0, turned: Double = 0) -> Bool {
        var filter = Self.filter()
        for speed in [0.0, 3, 6] {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: Self.time(0))
        }
        filter.heldCourse.hiddenTurn = hiddenTurn
        let course = 2 * asin(0.05 * across)
        for number in 0..<4 {
            let seconds = 31 + Double(number)
            (filter.state.time, filter.turnedSinceFix) = (Self.time(seconds), turned)
            _ = filter.usableParts(
                of: Self.fix(at: seconds, east: 10 * cos(course), north: 10 * sin(course)),
                forceHistory: VectorHistory())
        }
        return filter.gnssIntegrity.verdict == .contradicted
    }

    @Test func aVelocityIsContradictedBeyondTwoMetersASecond() {
        // GIVEN a receiver whose velocity is beside that of a filter with which it has agreed THEN it is contradicted
        // beyond 2 m/s, where the vehicle goes straight
        #expect(!isContradicted(across: 1.95) && isContradicted(across: 2.05))
        #expect(isContradicted(across: 2.5, turned: 0.14) && !isContradicted(across: 2.5, turned: 0.16))
        // AND a turn that a held course hides is allowed beside that: 1 m/s of 10 m/s for 0.1 rad
        #expect(!isContradicted(across: 2.95, hiddenTurn: 0.1) && isContradicted(across: 3.05, hiddenTurn: 0.1))
    }

    @Test(arguments: [(2.5, 1.0, true), (2.6, 1, false), (60, 1, false), (60, 30, true)])
    func speedsBeforeAndAfterASilenceAreNotInARow(silence: Double, usual: Double, isExpected: Bool) {
        // GIVEN two velocities that are 3 m/s faster than the filter WHEN the third one comes after a silence that is
        // longer than two and a half of the usual intervals THEN it is the first one again, and contradicts nothing yet
        var filter = Self.filter()
        for second in 0..<3 {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: 3 * Double(second), wheelsTurn: false, at: Self.time(0))
            filter.usualVelocityInterval.note(Self.time(usual * Double(second)))
        }
        for (seconds, interval) in [(100, 1), (100.1, 0.1), (100.1 + silence, silence)] {
            (filter.state.time, filter.fixInterval) = (Self.time(seconds), interval)
            _ = filter.usableParts(of: Self.fix(at: seconds, east: 13, north: 0), forceHistory: VectorHistory())
        }
        #expect((filter.gnssIntegrity.verdict == .contradicted) == isExpected)
        #expect(filter.gnssIntegrity.isSpeedSuspect)
    }

    @Test(arguments: [(2.5, true), (2.6, false)]) func positionsAreComparedOverTwoAndAHalfSeconds(
        seconds: Double, isCompared: Bool
    ) {
        // GIVEN a receiver that goes north at 2 m/s, and a metre more, from one fix to the next THEN that metre is
        // known up to an interval of 2.5 s
        var filter = Self.filter()
        _ = filter.usableParts(of: Self.fix(at: 1, east: 0, north: 2, moved: 0), forceHistory: VectorHistory())
        filter.strayedSinceUse = .zero
        let next = Self.fix(at: 1 + seconds, east: 0, north: 2, moved: 2 * seconds + 1)
        _ = filter.usableParts(of: next, forceHistory: VectorHistory())
        let strayed = filter.strayedSinceUse
        #expect((strayed != nil) == isCompared)
        if let strayed { #expect(abs(strayed.x) < 0.01 && abs(strayed.y - 1) < 0.01) }
    }

    @Test(arguments: [(0.1, 8), (nil, 14)] as [(Double?, Int)])
    func aDriftIsFoundLaterWhereNoSpeedSigmaIsStated(speedSigma: Double?, expected: Int) {
        // GIVEN positions that leave the velocity by 5 m each second, of a receiver that states 3 m THEN that is a
        // drift beyond 17.8 m, in 6 s; and beyond 46.7 m, in 12 s, where the velocity itself may be wrong by 0.3 m/s
        // for 24 s
        var filter = Self.filter()
        var found: Int?
        for count in 1...20 where found == nil {
            var fix = Self.fix(at: Double(count), east: 0, north: 10, moved: 15 * Double(count))
            fix.speedSigmaMetersPerSecond = speedSigma
            let parts = filter.usableParts(of: fix, forceHistory: VectorHistory())
            // THEN the position is not used from then on, but the velocity is
            if !parts.position { found = count }
            #expect(parts.velocity)
        }
        #expect(found == expected && filter.gnssIntegrity.verdict == .drifting)
    }

    @Test func aJammedFixIsComparedWithNothing() {
        // GIVEN a fix WHEN one of a jammed receiver follows THEN nothing of it is used, and later ones are compared
        // with the first
        var filter = Self.filter()
        _ = filter.usableParts(of: Self.fix(at: 1, east: 0, north: 2, moved: 0), forceHistory: VectorHistory())
        filter.strayedSinceUse = SIMD2(1, 0)
        var jammed = Self.fix(at: 2, east: 0, north: 2, moved: 90)
        jammed.isInterfered = true
        let parts = filter.usableParts(of: jammed, forceHistory: VectorHistory())
        #expect(!parts.position && !parts.velocity && filter.gnssIntegrity.verdict == .interference)
        #expect(filter.lastComparedFix?.validityTime == Self.time(1) && filter.strayedSinceUse == SIMD2(1, 0))
    }

    @Test(arguments: [(0.9, 0.4, -3.0, 1.0), (0.4, 0.9, 0, 5), (0.4, 0.4, -1.5, 3)])
    func aLateVelocityMissesItsLagTimesItsChange(
        velocityLag: Double, positionLag: Double, east: Double, north: Double
    ) {
        // GIVEN a receiver whose velocity goes from (0, 2) to (3, 6) m/s in a second, while its position goes 7 m to
        // the north WHEN the velocity is later than the position THEN the way is its mean, (1.5, 4) m, and the lag
        // between both times its change; where it is earlier, less (eq. 12.3)
        var filter = Self.filter()
        (filter.state.velocityLagSeconds, filter.state.positionLagSeconds) = (velocityLag, positionLag)
        _ = filter.usableParts(of: Self.fix(at: 1, east: 0, north: 2, moved: 0), forceHistory: VectorHistory())
        filter.strayedSinceUse = .zero
        _ = filter.usableParts(of: Self.fix(at: 2, east: 3, north: 6, moved: 7), forceHistory: VectorHistory())
        // A centimetre for the metres on the ellipsoid.
        let strayed = filter.strayedSinceUse ?? SIMD2(.nan, .nan)
        #expect(abs(strayed.x - east) < 0.01 && abs(strayed.y - north) < 0.01, "\(strayed)")
    }

    @Test(arguments: [
        (1.0, 0.4, 8.8, false), (1.0, 0.4, 7.7, true), (1.0, 0.4, 9.9, true), (0.4, 0.4, 10, false),
        (0.4, 0.4, 8.9, true),
    ])
    func aSpeedIsComparedWithThatOfItsOwnTime(lag: Double, age: Double, speed: Double, isDoubted: Bool) {
        // GIVEN a filter at 10 m/s, which speeds up by 2 m/s2 and has agreed with its receiver through 6 m/s of changes
        var filter = Self.filter()
        filter.state.time = Self.time(60)
        var history = VectorHistory()
        for k in 0...300 {
            filter.forceIntegral = Vector3(2, 0, InertialSample.standardGravity) * (0.01 * Double(k))
            history.append(time: Self.time(57 + 0.01 * Double(k)), value: filter.forceIntegral)
        }
        for speed in [0.0, 3, 6] {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: Self.time(0))
        }
        // WHEN the velocity is late, and the fix was put back by a part of that THEN it is compared with that of the
        // rest of the lag ago: 8.8 m/s of 0.6 s ago, to five sigmas, 1 m/s
        (filter.state.velocityLagSeconds, filter.fixAge) = (lag, age)
        _ = filter.usableParts(of: Self.fix(at: 60, east: speed, north: 0), forceHistory: history)
        #expect(filter.gnssIntegrity.isSpeedSuspect == isDoubted)
    }

    @Test(arguments: [ReceiverVerdict.contradicted, .interference])
    func onlyAContradictedPlaceMayBeRight(verdict: ReceiverVerdict) {
        // GIVEN a receiver whose speed contradicts the filter's, or that is jammed
        var filter = Self.filter()
        for second in 0..<3 where verdict == .contradicted {
            filter.gnssIntegrity.note(
                agrees: false, speedContradicts: true, speed: 9, wheelsTurn: true, at: Self.time(Double(second)))
        }
        filter.gnssIntegrity.note(isInterfered: verdict == .interference)
        #expect(filter.gnssIntegrity.verdict == verdict)
        // WHEN the velocity of a fix is not used THEN its place is no rejected one
        let fix = Self.fix(at: 3, east: 0, north: 2, moved: 30)
        filter.veto(fix, position: false, velocity: true)
        #expect(filter.rejectedRun == nil)
        // WHEN its position is not used, either THEN it begins a run of rejected ones where the filter may be wrong
        filter.veto(fix, position: true, velocity: true)
        #expect((filter.rejectedRun != nil) == (verdict == .contradicted))
        let reason: AidRejection = verdict == .contradicted ? .contradicted : .interference
        #expect(filter.aids[Int(AidSource.gnssPosition.rawValue)].rejection == reason)
    }

    @Test func aDriftIsRejectedWithItsReasonAndLeavesTheVelocity() {
        // GIVEN a receiver whose positions leave its velocity by 5 m each second, until that is a drift
        var filter = Self.filter()
        for second in 1...8 {
            _ = filter.usableParts(
                of: Self.fix(at: Double(second), east: 0, north: 10, moved: 15 * Double(second)),
                forceHistory: VectorHistory())
        }
        #expect(filter.gnssIntegrity.verdict == .drifting)
        // WHEN the next fix is fused THEN its place is rejected as one that drifts, its height not, which it does not
        // state, and its velocity is judged by itself
        let isTaken = filter.fuse(
            Self.fix(at: 9, east: 0, north: 10, moved: 135), forceHistory: VectorHistory())
        let position = filter.aids[Int(AidSource.gnssPosition.rawValue)]
        #expect(!isTaken && position.rejection == .drifting && position.rejectedCount == 1)
        let (height, velocity) = (
            filter.aids[Int(AidSource.gnssHeight.rawValue)], filter.aids[Int(AidSource.gnssVelocity.rawValue)]
        )
        #expect(height.rejectedCount == 0)
        #expect(velocity.rejection == .innovation && velocity.rejectedCount == 1)
    }

    @Test(arguments: [true, false], [true, false]) func aVetoCountsWhatTheFixStates(hasHeight: Bool, hasClimb: Bool) {
        // GIVEN a fix with place and velocity, with a height or without, with a climb or without
        var fix = Self.fix(at: 3, east: 0, north: 2, moved: 30)
        fix.altitudeEllipsoidMeters = hasHeight ? 400 : nil
        fix.climbMetersPerSecond = hasClimb ? 0.5 : nil
        for (position, velocity) in [(true, true), (true, false), (false, true)] {
            // WHEN its position, its velocity or both are vetoed
            var filter = Self.filter()
            filter.veto(fix, position: position, velocity: velocity)
            // THEN each part of it that it states counts once as rejected, and no other
            let expected: [(AidSource, Bool)] = [
                (.gnssPosition, position), (.gnssHeight, position && hasHeight), (.gnssVelocity, velocity),
                (.gnssClimb, velocity && hasClimb),
            ]
            for (source, isCounted) in expected {
                let status = filter.aids[Int(source.rawValue)]
                let reason: AidRejection = isCounted ? .contradicted : .none
                #expect(status.rejectedCount == (isCounted ? 1 : 0) && status.rejection == reason, "\(source)")
            }
        }
    }
}
