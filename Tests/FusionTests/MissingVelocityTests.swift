import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Receivers that state no velocity.
@Suite struct MissingVelocityTests {
    private func fixes(
        rateHertz: Double, seed: UInt64 = 1, receiver: SatelliteReceiver = .rtk
    ) throws -> (drive: SimulatedDrive, events: [SensorEvent]) {
        var plan = DrivePlan.random(seed: seed, edges: 8)
        plan.standingSecondsBefore = 15
        var suite = SensorSuite()
        suite.satellite = receiver
        suite.satellite?.rateHertz = rateHertz
        let drive = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
        let events = drive.map { event -> SensorEvent in
            guard case .gnss(var fix) = event else { return event }
            (fix.horizontalVelocity, fix.climbMetersPerSecond, fix.speedSigmaMetersPerSecond) = (nil, nil, nil)
            return .gnss(fix)
        }
        return (drive, events)
    }

    @Test(arguments: [0.5, 1, 5, 10, 20]) func theVelocityIsTheMeanBetweenTwoPositions(rateHertz: Double) throws {
        // GIVEN positions good to a centimetre at any rate WHEN the velocity is derived from them
        let (drive, events) = try fixes(rateHertz: rateHertz)
        var derived = PositionDerivedVelocity()
        var worst = 0.0
        for case .gnss(let fix) in events {
            guard let mean = derived.add(fix) else { continue }
            // THEN it is the mean of the true velocity over at most 2.5 s around its middle, but for the noise of two
            // positions, 2 cm, over at least 0.35 s
            #expect(mean.age > 0.17 && mean.age < 1.3)
            let from = drive.truth(at: fix.validityTime.advanced(bySeconds: -2 * mean.age)).position
            let way = from.surfaceOffsetMeters(to: drive.truth(at: fix.validityTime).position)
            let error = hypot(
                mean.velocity.eastMetersPerSecond - way.east / (2 * mean.age),
                mean.velocity.northMetersPerSecond - way.north / (2 * mean.age))
            worst = max(worst, error * 2 * mean.age)
        }
        #expect(worst > 0 && worst < 0.15)
    }

    @Test(arguments: [5.0, 10, 20], [8.0, 30]) func aStepOfTheReceiverIsNoMotion(
        rateHertz: Double, step: Double
    ) throws {
        // GIVEN positions good to a centimetre, for 8 s of the drive all beside the truth by a step
        let (drive, events) = try fixes(rateHertz: rateHertz)
        var derived = PositionDerivedVelocity()
        var (worst, means) = (0.0, 0)
        var count = 0
        for case .gnss(var fix) in events {
            count += 1
            if (60..<68).contains(fix.validityTime.seconds), let latitude = fix.latitudeRadians {
                fix.latitudeRadians = latitude + step / 6.36e6
            }
            var found = derived.add(fix)
            if derived.meanBeforeStray != nil {
                // As in the running filter: begun anew at the new place.
                derived.restart()
                found = derived.add(fix)
            }
            guard let mean = found else { continue }
            // WHEN the velocity is derived from them THEN it has no part of the step
            let middle = drive.truth(at: fix.validityTime.advanced(bySeconds: -mean.age)).velocityENUMetersPerSecond
            let error = hypot(
                mean.velocity.eastMetersPerSecond - middle.x, mean.velocity.northMetersPerSecond - middle.y)
            worst = max(worst, error)
            means += 1
        }
        // Without a step 1.1 m/s, by changes of the acceleration; one of 8 m would be 3 m/s over 2.5 s.
        #expect(worst < 1.5)
        // AND there is one but for 0.35 s at the beginning and after each step
        #expect(means >= count - 3 * Int(0.35 * rateHertz + 1))
    }

    @Test(arguments: [UInt64(1), 2, 3]) func noiseBeyondTheStatedIsNoStep(seed: UInt64) throws {
        // GIVEN a receiver at 10 Hz with white noise of 0.75 m that states half of its errors
        var receiver = SatelliteReceiver()
        (receiver.whiteMeters, receiver.statedSigmaScale) = (0.75, 0.5)
        let (_, events) = try fixes(rateHertz: 10, seed: seed, receiver: receiver)
        var derived = PositionDerivedVelocity()
        var (short, count) = (0, 0)
        // WHEN the velocity is derived from its positions
        for case .gnss(let fix) in events {
            guard let mean = derived.add(fix) else { continue }
            count += 1
            if mean.age < 1 { short += 1 }
        }
        // THEN it spans its interval of 2.5 s but for the beginning, 21 fixes, and perhaps two steps in a million fixes
        #expect(count > 500 && short <= 21)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aVelocityOfUnstatedAccuracyIsNoWorseThanNone(seed: UInt64) {
        // GIVEN a walk with an RTK receiver that states no velocity, one that states it without its accuracy
        var suite = SensorSuite()
        suite.satellite = .rtk
        suite.inertial?.rateHertz = 100
        let walk = SimulatedWalk(walk: Walk(PedestrianTests.plan(seed: seed)), sensors: suite, seed: seed)
        func secondsToStart(_ change: (inout GnssFix) -> Void) -> (seconds: Double, isUnstated: Bool) {
            var settings = FusionSettings()
            settings.profile = .wearable
            var estimator = PoseEstimator(settings: settings)
            var report = TrustReport()
            for event in walk {
                var event = event
                if case .gnss(var fix) = event {
                    change(&fix)
                    event = .gnss(fix)
                }
                _ = estimator.ingest(event)
                guard estimator.isNavigating else { continue }
                estimator.describeTrust(&report)
                return (event.arrivalTime.seconds, report.isVelocityUnstated)
            }
            return (.infinity, true)
        }
        let none = secondsToStart { ($0.horizontalVelocity, $0.speedSigmaMetersPerSecond) = (nil, nil) }
        let unsure = secondsToStart { $0.speedSigmaMetersPerSecond = nil }
        // WHEN the filter has started THEN the second is as quick
        #expect(unsure.seconds < .infinity && unsure.seconds <= none.seconds)
        // AND the report knows that it states a velocity
        #expect(none.isUnstated && !unsure.isUnstated)
    }

    @Test(arguments: [1.0, 5], [UInt64(1), 2, 3]) func theFilterStartsFromPositionsAlone(
        rateHertz: Double, seed: UInt64
    )
        throws
    {
        // GIVEN a receiver without velocity, and a vehicle that sets off after 15 s WHEN it drives for 40 s
        let (drive, events) = try fixes(rateHertz: rateHertz, seed: seed)
        var estimator = PoseEstimator()
        var aligned: Double?
        for event in events {
            guard event.arrivalTime.seconds < 120 else { break }
            _ = estimator.ingest(event)
            if estimator.estimate.state == .aligned, aligned == nil { aligned = event.arrivalTime.seconds }
        }
        // THEN the pose is aligned by then, with a heading right to a degree and no jump
        #expect((aligned ?? .infinity) < 55)
        let truth = EulerAngles(bodyToENU: drive.truth(at: estimator.estimate.time).bodyToENU)
        let found = EulerAngles(bodyToENU: try #require(estimator.estimate.bodyToENU))
        #expect(abs(Angle.wrappedToPi(found.headingTrueRadians - truth.headingTrueRadians)) < 1.degreesInRadians)
        #expect(estimator.estimate.resetCount == 0)
        var report = TrustReport()
        estimator.describeTrust(&report)
        #expect(report.isVelocityUnstated && !report.isAccuracyUnstated)
    }

    @Test func aRejectedPositionMakesNoVelocity() throws {
        // GIVEN a receiver alone without velocity, of whose fixes all are kept for the velocity, and a vehicle that
        // drives WHEN one of the fixes lies 400 m off
        let (drive, events) = try fixes(rateHertz: 2)
        var estimator = PoseEstimator()
        var (worst, count, lastMove) = (0.0, 0, 0.0)
        for case .gnss(let fix) in events.prefix(while: { $0.arrivalTime.seconds < 80 }) {
            count += 1
            _ = estimator.ingest(.gnss(count == 60 ? fix.moved(east: 400, north: 0) : fix))
            // THEN no velocity of the following seconds is that of the way to it, 160 m/s and more: the limit is the
            // true one and the growth of a second
            guard count > 60 else { continue }
            let truth = drive.truth(at: fix.validityTime).velocityENUMetersPerSecond
            let velocity = estimator.estimate.velocityENUMetersPerSecond ?? .zero
            worst = max(worst, (Vector3(velocity.x, velocity.y, 0) - Vector3(truth.x, truth.y, 0)).length)
            lastMove = max(lastMove, truth.length)
        }
        #expect(estimator.rejections.fixUnconfirmed == 1)
        #expect(count > 75 && lastMove > 5)
        #expect(worst < 30)
    }

    @Test(arguments: [2.0, 10]) func aReflectionMakesNoVelocity(rateHertz: Double) throws {
        // GIVEN a receiver alone without velocity, and a vehicle that drives WHEN its fixes lie 30 m off for 8 s, which
        // it follows after some seconds
        let (drive, events) = try fixes(rateHertz: rateHertz)
        var estimator = PoseEstimator()
        var (worst, away) = (0.0, 0.0)
        for case .gnss(let fix) in events.prefix(while: { $0.arrivalTime.seconds < 100 }) {
            let seconds = fix.validityTime.seconds
            _ = estimator.ingest(.gnss((70..<78).contains(seconds) ? fix.moved(east: 30, north: 0) : fix))
            guard seconds > 69, let position = estimator.estimate.position else { continue }
            let offset = drive.truth(at: estimator.estimate.time).position.surfaceOffsetMeters(to: position)
            worst = max(worst, hypot(offset.east, offset.north))
            away = max(away, seconds > 76 && seconds < 78 ? hypot(offset.east, offset.north) : 0)
        }
        // THEN the place is never further away than the fixes are and their own error, and what the vehicle moves in a
        // second: the velocity of the way there is 300 m/s
        #expect(away > 20)
        #expect(worst < 60, "\(worst) m")
    }

    @Test(arguments: [SatelliteReceiver.rtk, SatelliteReceiver()], [UInt64(1), 2, 3])
    func aMeanIsNoSurerThanItsAgeAllows(receiver: SatelliteReceiver, seed: UInt64) throws {
        // GIVEN a receiver alone without velocity WHEN the pose is shown until the next fix
        let (drive, events) = try fixes(rateHertz: 1, seed: seed, receiver: receiver)
        var estimator = PoseEstimator()
        var (headings, velocities, count) = (0.0, 0.0, 0.0)
        for case .gnss(let fix) in events {
            _ = estimator.ingest(.gnss(fix))
            for age in [0.0, 0.5, 0.9] {
                let time = fix.validityTime.advanced(bySeconds: age)
                if age > 0 { _ = estimator.carryOn(to: time) }
                let (shown, truth) = (estimator.estimate, drive.truth(at: time).velocityENUMetersPerSecond)
                guard shown.time == time, truth.horizontalLength > 4, let attitude = shown.bodyToENU,
                    let sigma = shown.headingSigmaRadians, let velocity = shown.velocityENUMetersPerSecond,
                    let speedSigma = shown.velocitySigmaENUMetersPerSecond
                else { continue }
                let heading = EulerAngles(bodyToENU: attitude).headingTrueRadians
                let turned = Angle.wrappedToPi(heading - atan2(truth.x, truth.y)) / sigma
                let (east, north) = (
                    (velocity.x - truth.x) / speedSigma.x, (velocity.y - truth.y) / speedSigma.y
                )
                headings += turned * turned
                velocities += (east * east + north * north) / 2
                count += 1
            }
        }
        // THEN neither heading nor velocity is more wrong than it says: 1.3 in the mean, as turns are short and few
        #expect(count > 100)
        #expect((headings / count).squareRoot() < 1.3, "\((headings / count).squareRoot())")
        #expect((velocities / count).squareRoot() < 1.3, "\((velocities / count).squareRoot())")
    }

    @Test func aMeanIsNotTakenForAStatedVelocityWhereSamplesEnd() throws {
        // GIVEN a running filter with a receiver without velocity, and a vehicle that drives WHEN the samples end
        let (drive, events) = try fixes(rateHertz: 1)
        var (estimator, before) = (PoseEstimator(), RejectionCounters?.none)
        for event in events {
            guard before != nil else {
                _ = estimator.ingest(event)
                let speed = drive.truth(at: event.arrivalTime).velocityENUMetersPerSecond.horizontalLength
                if event.arrivalTime.seconds > 60, speed > 10, estimator.isNavigating { before = estimator.rejections }
                continue
            }
            guard case .gnss(let fix) = event else { continue }
            _ = estimator.carryOn(to: fix.arrivalTime)
            _ = estimator.ingest(event)
        }
        // THEN the fixes up to the last stop are all taken where they are
        let counts = try #require(before)
        #expect(!estimator.isNavigating)
        #expect(estimator.rejections.fixUnconfirmed == counts.fixUnconfirmed)
        #expect(estimator.rejections.positionRestarted == counts.positionRestarted)
        // AND the position has no velocity of its own
        let position = try #require(estimator.positionFilter)
        #expect(position.velocity == nil)
    }

    @Test func aMeanIsTheVelocityOfItsMiddle() {
        // GIVEN a vehicle that had 6 m/s, has braked by 3 m/s2 and has stood for 2 s WHEN its receiver states two
        // places, 6 m and these 4 s apart THEN the mean, 1.5 m/s, is less than what it has lost since: it does not move
        var estimator = RestingVehicle().estimator
        var fix = GnssFix(validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 1.5, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        (estimator.lastFix, estimator.velocityAge) = (fix, 2)
        func moves(braking: Double) -> Bool {
            estimator.preintegrated.restart()
            for k in -400..<0 {
                estimator.preintegrated.add(
                    force: Vector3(k < -200 ? -braking : 0, 0, 9.8), seconds: 0.01,
                    until: RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k + 1)))
            }
            return estimator.isReceiverMoving(at: RestingVehicle.now)
        }
        let (hasBraked, hasGoneOn) = (moves(braking: 3), moves(braking: 0))
        #expect(!hasBraked)
        // AND one that has gone on evenly does
        #expect(hasGoneOn)
    }

    @Test(arguments: [(6.0, 2.0, true), (1, 2, false), (1, 5, true)])
    func aMeanFromBeforeARestRevokesItWhereTheMotionIsKnown(known: Double, rest: Double, isRevoked: Bool) {
        // GIVEN a vehicle that rests, and the mean of 2.4 m/s between its places of now and 5 s ago WHEN the motion
        // since then is known, and shows no braking THEN the rest is none AND WHEN it is known for 1 s only, since the
        // rest has shown the gyro's bias THEN what that has shown stays, as the vehicle may have braked before; but not
        // where the rest had begun before the mean
        var estimator = RestingVehicle().estimator
        let now = RestingVehicle.now
        var fix = GnssFix(validityTime: now, arrivalTime: now, mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 2.4, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        (estimator.lastFix, estimator.velocityAge) = (fix, 2.5)
        (estimator.restBeginTime, estimator.lastRestTime) = (now.advanced(bySeconds: -rest), now)
        for k in -Int(known * 100)..<0 {
            estimator.preintegrated.add(
                force: Vector3(0, 0, 9.8), seconds: 0.01, until: now.advanced(bySeconds: 0.01 * Double(k + 1)))
        }
        estimator.revokeFalseRest(fix)
        #expect((estimator.lastRestTime == nil) == isRevoked)
        #expect(estimator.attitude.isBiasKnown != isRevoked)
    }

    @Test func aVelocityThatReturnsIsUsed() throws {
        // GIVEN positions without velocity WHEN the receiver states one again THEN nothing is derived any more
        var (_, events) = try fixes(rateHertz: 1)
        var estimator = PoseEstimator()
        events.removeAll { if case .gnss = $0 { false } else { true } }
        for event in events.prefix(5) { _ = estimator.ingest(event) }
        #expect(estimator.velocityAge > 0)
        guard case .gnss(var fix) = events[5] else { return }
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 3, northMetersPerSecond: 4)
        _ = estimator.ingest(.gnss(fix))
        #expect(estimator.velocityAge == 0 && estimator.lastFix?.horizontalVelocity?.speedMetersPerSecond == 5)
    }
}
