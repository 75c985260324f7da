import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion
@testable import Simulation

/// Position from fixes alone.
@Suite struct GNSSPositionFilterTests {
    private static let origin = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)

    private func fix(
        _ seconds: Double, east: Double, north: Double, velocity: Vector3?,
        quality: FixQuality = .autonomous
    ) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64(seconds * 1e9))
        let place = LocalFrame(origin: Self.origin).position(ofENUMeters: Vector3(east, north, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.quality = quality
        fix.latitudeRadians = place.latitudeRadians
        fix.longitudeRadians = place.longitudeRadians
        fix.altitudeEllipsoidMeters = place.altitudeEllipsoidMeters
        fix.horizontalSigmaMeters = 2.5
        fix.verticalSigmaMeters = 5
        fix.speedSigmaMetersPerSecond = 0.1
        fix.horizontalVelocity = velocity.map {
            HorizontalVelocity(eastMetersPerSecond: $0.x, northMetersPerSecond: $0.y)
        }
        return fix
    }

    /// A fix 4,000 km away, of a body that goes east at 10 m/s.
    private func fixFarAway(_ seconds: Double) -> GnssFix {
        var wild = fix(seconds, east: 0, north: 0, velocity: Vector3(10, 0, 0))
        wild.latitudeRadians = 0.2
        wild.longitudeRadians = (wild.longitudeRadians ?? 0) + seconds * 10 / 6.25e6
        return wild
    }

    private func east(_ filter: GNSSPositionFilter) -> Double {
        Self.origin.surfaceOffsetMeters(to: filter.position).east
    }

    @Test func aMinuteOfStandingBeatsOneFix() throws {
        // GIVEN receivers that are wrong by 2.5 m, of which 15 % are new with each fix and the rest wanders within 40
        // s, on bodies that stand for five minutes
        let (fast, slow) = (0.15 * 2.5, (1 - 0.15 * 0.15).squareRoot() * 2.5)
        var (filtered, raw, normalised) = (0.0, 0.0, 0.0)
        let runs = 200
        for seed in 1...UInt64(runs) {
            var random = RandomSource(seed: seed, use: 1)
            var wander = GaussMarkovVector(sigma: Vector3(repeating: slow), timeConstantSeconds: 40)
            var filter: GNSSPositionFilter?
            for second in 0..<300 {
                let error = wander.next(afterSeconds: 1, &random) + random.gaussianVector() * fast
                let next = fix(Double(second), east: error.x, north: error.y, velocity: .zero)
                if filter == nil {
                    filter = GNSSPositionFilter(fix: next)
                } else {
                    filter?.update(next, .init(isStill: true, lagDifferenceSeconds: 0))
                }
                if second == 299 { raw += error.x * error.x }
            }
            let end = try #require(filter)
            filtered += east(end) * east(end)
            normalised += east(end) * east(end) / end.horizontal.position
        }
        // THEN the error is about half that of a fix (the mean of a process of 40 s over 300 s: 1.2 m), and the filter
        // says so: 95 % band of chi-square
        #expect((filtered / raw).squareRoot() < 0.7)
        #expect(abs(normalised / Double(runs) - 1) < 1.96 * (2 / Double(runs)).squareRoot())
    }

    @Test func theFirstHeightIsTakenWhole() throws {
        // GIVEN fixes without a height, as a receiver has before its fourth satellite
        func flat(_ second: Double) -> GnssFix {
            var fix = fix(second, east: 10 * second, north: 0, velocity: Vector3(10, 0, 0))
            fix.altitudeEllipsoidMeters = nil
            return fix
        }
        var filter = try #require(GNSSPositionFilter(fix: flat(0)))
        for second in 1...5 { filter.update(flat(Double(second)), .init(isStill: false, lagDifferenceSeconds: 0)) }
        #expect(filter.vertical.position > 1e6)
        // WHEN the first one with a height comes THEN that is the height, with its sigma
        filter.update(
            fix(6, east: 60, north: 0, velocity: Vector3(10, 0, 0)), .init(isStill: false, lagDifferenceSeconds: 0))
        #expect(abs(filter.position.altitudeEllipsoidMeters - 400) < 0.1 && abs(filter.gnssBiasENU.z) < 0.1)
        #expect(abs(filter.vertical.position.squareRoot() - 5) < 0.1)
        // AND a place that is taken from a fix without a height, after a silence of a minute, keeps it
        filter.update(flat(66), .init(isStill: false, lagDifferenceSeconds: 0))
        #expect(abs(east(filter) - 660) < 0.1)
        #expect(abs(filter.position.altitudeEllipsoidMeters - 400) < 0.1 && filter.vertical.position < 1e6)
    }

    @Test func motionIsFollowed() throws {
        // GIVEN perfect fixes of a body that goes east at 10 m/s; THEN the filter stays with it
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        for second in 1...60 {
            filter.update(
                fix(Double(second), east: 10 * Double(second), north: 0, velocity: Vector3(10, 0, 0)),
                .init(isStill: false, lagDifferenceSeconds: 0))
        }
        // The path is laid out on the tangent plane, which differs from the ellipsoid by centimetres at 600 m.
        #expect(abs(east(filter) - 600) < 0.05)
    }

    @Test func aLateVelocityLeavesNothingBehind() throws {
        // GIVEN a body that comes up to 10 m/s with 2 m/s2, and a receiver whose velocity is late by 0.13 s WHEN the
        // lag is told
        func place(_ t: Double) -> Double { t < 5 ? t * t : 25 + 10 * (t - 5) }
        func seen(_ t: Double) -> Vector3 { Vector3(min(max(2 * (t - 0.13), 0), 10), 0, 0) }
        func end(lag: Double) throws -> Double {
            var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: .zero)))
            for second in 1...10 {
                let t = Double(second)
                let next = fix(t, east: place(t), north: 0, velocity: seen(t))
                filter.update(next, .init(isStill: false, lagDifferenceSeconds: lag))
            }
            return east(filter) - place(10)
        }
        // THEN the way is complete but for the bends of the speed that lie between two fixes; without it, and with
        // perfect positions pulling, it falls behind
        let (told, untold) = (try end(lag: 0.13), try end(lag: 0))
        #expect(abs(told) < 0.1)
        #expect(untold < -0.4)
    }

    @Test func aPromptReceiverThatBrakesHardIsStillFollowed() throws {
        // GIVEN a receiver with centimetres whose velocity is prompt, though a lag is assumed WHEN the body brakes from
        // 8 m/s within a second
        func place(_ t: Double) -> Double { t < 5 ? 8 * t : 40 + 8 * (t - 5) - 4 * (t - 5) * (t - 5) }
        func precise(_ t: Double) -> GnssFix {
            var fix = fix(
                t, east: place(t), north: 0, velocity: Vector3(t < 5 ? 8 : max(8 - 8 * (t - 5), 0), 0, 0),
                quality: .rtkFixed)
            (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (0.02, 0.05)
            return fix
        }
        var filter = try #require(GNSSPositionFilter(fix: precise(0)))
        for t in 1...6 {
            filter.update(
                precise(Double(t)), .init(isStill: false, lagDifferenceSeconds: 0.1))
        }
        // THEN it goes on, which what has been learned of the slow error shows: one fix leaves all of it open
        let begun = try #require(GNSSPositionFilter(fix: precise(6)))
        #expect(filter.horizontal != begun.horizontal && abs(east(filter) - place(6)) < 0.05)
    }

    @Test func aGapAnotherKindAndNoVelocityBeginAnew() throws {
        let begun = try #require(GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: .zero)))
        let others = [
            fix(8, east: 3, north: 0, velocity: .zero),
            fix(1, east: 3, north: 0, velocity: .zero, quality: .rtkFixed),
            fix(1, east: 3, north: 0, velocity: nil),
        ]
        for other in others {
            var filter = begun
            filter.update(other, .init(isStill: true, lagDifferenceSeconds: 0))
            let expected = try #require(GNSSPositionFilter(fix: other))
            #expect(abs(east(filter) - east(expected)) < 1e-6)
        }
        // A late fix changes nothing.
        var filter = begun
        filter.update(
            fix(-1, east: 5, north: 0, velocity: .zero),
            .init(isStill: true, lagDifferenceSeconds: 0))
        #expect(east(filter) == east(begun))
    }

    @Test func fixesOnTheOtherSideOfTheWorldAreTakenWhenEnoughAgree() throws {
        // GIVEN a body that goes east; WHEN three fixes over 2 s lie 4,000 km away THEN the place goes on with the
        // velocity, its sigma grows, and they are refused; WHEN a fourth, 3 s after the first, lies there too THEN the
        // filter begins anew there, and tells the move
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        let begun = filter.horizontalSigma
        let motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        for second in [1.0, 2, 3] { #expect(filter.update(fixFarAway(second), motion) == .rejected) }
        #expect(abs(east(filter) - 30) < 0.05 && filter.horizontalSigma > begun + 10)
        guard case .restarted(let move) = filter.update(fixFarAway(4), motion) else {
            Issue.record("not begun anew")
            return
        }
        #expect(abs(filter.position.latitudeRadians - 0.2) < 1e-9 && abs(move.y + 3_942_000) < 20_000)
        #expect(filter.horizontalSigma < begun + 0.1)
    }

    @Test(arguments: [(5.0, true), (9.9, true), (10.1, false), (15, false)])
    func fixesTenSecondsApartDoNotConfirmEachOther(gap: Double, areTaken: Bool) throws {
        // GIVEN a body that goes east, and a receiver of one fix per second that loses most of them WHEN four that come
        // lie 4,000 km away THEN the fourth is taken where they are less than 10 s apart
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        let motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        let uses = (1...4).map { filter.update(fixFarAway(gap * Double($0)), motion) }
        #expect(uses.prefix(3) == [.rejected, .rejected, .rejected])
        #expect((uses[3] != .rejected) == areTaken)
        #expect((abs(filter.position.latitudeRadians - 0.2) < 1e-9) == areTaken)
    }

    @Test(arguments: [(10.0, true), (15, true), (9.9, false)])
    func fixesThatAreAlwaysTenSecondsApartAreTakenAfterHalfAMinute(interval: Double, isTaken: Bool) throws {
        // GIVEN a receiver of one fix in so many seconds WHEN two lie 4,000 km away, the second 30 s after the last one
        // that was accepted THEN it is taken where the fixes are too far apart to confirm each other
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        var motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        motion.intervalSeconds = interval
        #expect(filter.update(fixFarAway(30 - interval), motion) == .rejected)
        #expect((filter.update(fixFarAway(30), motion) != .rejected) == isTaken)
    }

    @Test(arguments: [20.0, 45, 3000]) func aPlaceThatFixesHadShownIsLeftInDoubt(meters: Double) throws {
        // GIVEN a receiver that stands, at a place that ten fixes have shown
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: .zero)))
        let motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        func take(_ seconds: ClosedRange<Int>, east: Double) {
            for second in seconds { filter.update(fix(Double(second), east: east, north: 0, velocity: .zero), motion) }
        }
        take(1...10, east: 0)
        // WHEN its fixes lie elsewhere for 3 s, beside its velocity THEN the place has followed, and three sigmas reach
        // the one before, as far as 60 m
        take(11...14, east: meters)
        #expect(abs(east(filter) - meters) < 1)
        #expect(filter.horizontalSigma > min(meters / 3, 20), "\(filter.horizontalSigma)")
        // WHEN they lie where they were THEN the place is back, and as sure as its fixes
        take(15...20, east: 0)
        #expect(abs(east(filter)) < 1)
        #expect(filter.horizontalSigma < 3, "\(filter.horizontalSigma)")
    }

    @Test(arguments: [3, 30]) func refusedFixesCountForMoreThanAStartThatIsNoBetter(before: Int) throws {
        // GIVEN a receiver whose first fixes are 330 m from those that follow
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 330, north: 0, velocity: .zero)))
        let motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        for second in 1..<before { filter.update(fix(Double(second), east: 330, north: 0, velocity: .zero), motion) }
        // WHEN the first one of these is refused
        let use = filter.update(fix(Double(before), east: 0, north: 0, velocity: .zero), motion)
        #expect(use == .rejected)
        // THEN the sigma holds half the distance where the position has no more fixes than could replace it, else 20 m
        let distance = before < Tuning.PositionFilter.confirmingFixes ? 165.0 : 20
        #expect(abs(filter.horizontalSigma - distance) < 0.05 * distance)
    }

    @Test func aVelocityLeftOutOnceIsTheOneBefore() throws {
        // GIVEN fixes five times a second WHEN one has no velocity THEN the place is carried on all the same
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        for k in 1...10 {
            let second = 0.2 * Double(k)
            filter.update(
                fix(second, east: 10 * second, north: 0, velocity: k == 5 ? nil : Vector3(10, 0, 0)),
                .init(isStill: false, lagDifferenceSeconds: 0))
        }
        let begun = try #require(GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: .zero)))
        #expect(abs(east(filter) - 20) < 0.01 && filter.horizontal.position < begun.horizontal.position)
    }

    @Test(arguments: [(0.55, true), (0.65, false)]) func aVelocityLeftOutIsTheOneBeforeForSixTenths(
        seconds: Double, isContinued: Bool
    ) throws {
        // GIVEN a fix with a velocity WHEN the next one, without, comes so much later THEN it continues the first, or
        // begins anew
        var filter = try #require(
            GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: Vector3(10, 0, 0))))
        let next = fix(seconds, east: 10 * seconds, north: 0, velocity: nil)
        filter.update(next, .init(isStill: false, lagDifferenceSeconds: 0))
        let begun = try #require(GNSSPositionFilter(fix: next))
        #expect((filter.horizontal != begun.horizontal) == isContinued)
    }

    @Test(
        arguments: [
            (3, 1, 19.5, true), (3, 1, 20.3, false), (2.4, 1, 25, true), (2.6, 1, 25, false), (1.9, 0.2, 25, true),
            (2.1, 0.2, 25, false), (4.9, 2, 25, true), (5.1, 2, 25, false),
        ] as [(Double, Double, Double, Bool)])
    func afterASilenceADistantFixMustBeConfirmed(silence: Double, interval: Double, meters: Double, isTaken: Bool)
        throws
    {
        // GIVEN a receiver that states 2.5 m, and stands WHEN it was silent for two and a half of its intervals, 2 s at
        // least THEN the next fix is taken within 10 m and four sigmas, 19.9 m, and before within what the motion
        // allows; without a velocity that is half the square of the time
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0, north: 0, velocity: .zero)))
        var motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        motion.intervalSeconds = interval
        let use = filter.update(fix(silence, east: meters, north: 0, velocity: nil), motion)
        let expected: GNSSPositionFilter.Use = isTaken ? .accepted : .rejected
        #expect(use == expected)
    }
}
