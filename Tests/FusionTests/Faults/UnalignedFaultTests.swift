import Foundation
import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Receivers that jump, stand still or are dragged off while the navigation filter does not run.
@Suite struct UnalignedFaultTests {
    /// What runs beside the receiver.
    enum Company: String, CaseIterable { case receiverAlone, withIMU }

    /// A drive whose heading is never found, its events in order.
    private struct Ride {
        let simulated: SimulatedDrive
        let events: [SensorEvent]
        let settings: FusionSettings
        let rateHertz: Double

        init(seed: UInt64 = 3, rateHertz: Double, company: Company, statesVelocity: Bool = true) throws {
            self.rateHertz = rateHertz
            var plan = DrivePlan.random(seed: seed, edges: 12)
            plan.standingSecondsBefore = 5
            var suite = SensorSuite()
            suite.satellite?.rateHertz = rateHertz
            simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
            events = simulated.compactMap { event in
                guard case .gnss(var fix) = event else { return company == .withIMU ? event : nil }
                if !statesVelocity { (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (nil, nil) }
                return .gnss(fix)
            }
            var settings = FusionSettings()
            settings.estimator = .complementary
            self.settings = settings
        }

        func error(_ estimator: PoseEstimator) -> Double? {
            estimator.estimate.distanceMeters(to: simulated.truth(at: estimator.estimate.time).position)
        }

        /// The estimator at a moment, and the index of the next event.
        func start(at seconds: Double) -> (estimator: PoseEstimator, next: Int) {
            var estimator = PoseEstimator(settings: settings)
            var index = 0
            while index < events.count, events[index].arrivalTime.seconds < seconds {
                _ = estimator.ingest(events[index])
                index += 1
            }
            return (estimator, index)
        }
    }

    @Test(arguments: [1.0, 4, 10], Company.allCases) func aShortBurstMovesNothing(
        rateHertz: Double, company: Company
    ) throws {
        try shortBurstsMoveNothing(try Ride(rateHertz: rateHertz, company: company))
    }

    @Test(arguments: [0.3, 0.5], Company.allCases) func aShortBurstOfASlowReceiverMovesNothing(
        rateHertz: Double, company: Company
    ) throws {
        // Two to three seconds of an acceleration that is over again explain 30 m, and ten without a fix are reckoned.
        try shortBurstsMoveNothing(
            try Ride(rateHertz: rateHertz, company: company), distances: [100, 840, 1_113_000], allowed: 20)
    }

    @Test(arguments: [1.0, 4, 10], Company.allCases) func aShortBurstOfAReceiverWithoutVelocityMovesNothing(
        rateHertz: Double, company: Company
    ) throws {
        // The velocity before them carries the place on, and a car that sets off gains 3 m/s2 for three seconds.
        try shortBurstsMoveNothing(
            try Ride(rateHertz: rateHertz, company: company, statesVelocity: false), allowed: 10 + 0.5 * 3 * 9)
    }

    private func shortBurstsMoveNothing(
        _ ride: Ride, distances: [Double] = [30, 100, 840, 1_113_000], allowed: Double = 10
    ) throws {
        for begin in [5.0, 12, 20, 27, 35] {
            let start = ride.start(at: begin)
            let before = ride.events[..<start.next].count { if case .gnss = $0 { true } else { false } }
            for meters in distances {
                for fixes in 1...3 {
                    // GIVEN so many fixes that lie so far off
                    var (estimator, clean) = (start.estimator, start.estimator)
                    var (count, excursion, most) = (0, 0.0, 0.0)
                    for event in ride.events[start.next...] {
                        guard event.arrivalTime.seconds < begin + 9 + 2 / ride.rateHertz else { break }
                        _ = clean.ingest(event)
                        guard case .gnss(let fix) = event else {
                            _ = estimator.ingest(event)
                            most = max(most, estimator.estimate.positionSigmaENUMeters?.x ?? 0)
                            continue
                        }
                        count += 1
                        _ = estimator.ingest(.gnss(count <= fixes ? fix.moved(east: meters, north: 0) : fix))
                        most = max(most, estimator.estimate.positionSigmaENUMeters?.x ?? 0)
                        // A start of fewer than four fixes does not count for more than as many against it.
                        if before < 4, before <= fixes, ride.error(estimator) == nil { continue }
                        excursion = max(
                            excursion, (ride.error(estimator) ?? .infinity) - (ride.error(clean) ?? .infinity))
                    }
                    // THEN they are counted, make it wrong by no more than is allowed, and widen the sigma meanwhile
                    let name = "\(begin) s, \(meters) m, \(fixes) fixes: \(excursion) m, sigma \(most) m"
                    #expect(excursion <= allowed, "\(name)")
                    #expect(estimator.rejections.fixUnconfirmed == UInt64(fixes), "\(name)")
                    #expect(estimator.estimate.resetCount == start.estimator.estimate.resetCount, "\(name)")
                    #expect(most > 10, "\(name)")
                }
            }
        }
    }

    @Test func noPlaceIsReckonedFromAStartThatAsManyFixesContradict() throws {
        // GIVEN a vehicle with an IMU that is joined in motion, and three fixes, 3.3 s apart WHEN the next three lie
        // 300 m away
        let ride = try Ride(rateHertz: 0.3, company: .withIMU)
        var estimator = PoseEstimator(settings: ride.settings)
        var (count, published) = (0, [Bool]())
        for event in ride.events where event.arrivalTime.seconds > 20 {
            if case .gnss(let fix) = event {
                count += 1
                guard count <= 6 else { break }
                _ = estimator.ingest(.gnss(count <= 3 ? fix : fix.moved(east: 300, north: 0)))
            } else {
                _ = estimator.ingest(event)
                if count >= 5 { published.append(estimator.estimate.position != nil) }
            }
        }
        // THEN a place is published until the third of these has come, and none after it, although the course is known
        let last = try #require(published.lastIndex(of: true))
        #expect(!published[..<last].contains(false) && published.count > last + 300)
        let isCourseKnown = estimator.canReckon(at: estimator.estimate.time)
        #expect(isCourseKnown)
    }

    @Test(arguments: [5.0, 20, 45], Company.allCases) func aShortBurstAfterASilenceMovesNothing(
        silence: Double, company: Company
    ) throws {
        let ride = try Ride(rateHertz: 4, company: company)
        let begin = 20.0
        var (quiet, next) = ride.start(at: begin)
        while next < ride.events.count, ride.events[next].arrivalTime.seconds < begin + silence {
            if case .inertial = ride.events[next] { _ = quiet.ingest(ride.events[next]) }
            next += 1
        }
        for meters in [30.0, 100, 840] {
            for fixes in 1...3 {
                // GIVEN a receiver that was silent, and whose first fixes then lie so far off
                var estimator = quiet
                let resets = estimator.estimate.resetCount
                var (count, isFollowed, recovered, jumps) = (0, false, 0.0, [Vector3]())
                for event in ride.events[next...] {
                    let age = event.arrivalTime.seconds - begin - silence
                    guard age < 9 else { break }
                    let known = estimator.estimate.resetCount
                    if case .gnss(let fix) = event {
                        count += 1
                        _ = estimator.ingest(.gnss(count <= fixes ? fix.moved(east: meters, north: 0) : fix))
                    } else {
                        _ = estimator.ingest(event)
                    }
                    if estimator.estimate.resetCount != known { jumps.append(estimator.estimate.resetDeltaENUMeters) }
                    if count > fixes, (ride.error(estimator) ?? .infinity) > 25 { recovered = age }
                    // Whether it is where the false fixes are: no error of the prediction is as large as the last.
                    guard count <= fixes, let place = estimator.estimate.position else { continue }
                    let truth = ride.simulated.truth(at: estimator.estimate.time).position
                    let away = truth.surfaceOffsetMeters(to: place).east - meters
                    isFollowed = isFollowed || jumps.count > 0 || (meters == 840 && away.magnitude < 20)
                }
                // THEN the position does not follow them, and is right again within 5 s; what moves it is confirmed,
                // counted and announced
                let name = "\(silence) s, \(meters) m, \(fixes) fixes: \(recovered) s, \(jumps)"
                #expect(!isFollowed && recovered < 5, "\(name)")
                #expect(jumps.count <= 1 && estimator.estimate.resetCount <= resets + 1, "\(name)")
            }
        }
    }

    @Test(arguments: [1.0, 4, 10], Company.allCases) func aLongOneIsFollowedWithAnAnnouncedJump(
        rateHertz: Double, company: Company
    ) throws {
        let ride = try Ride(rateHertz: rateHertz, company: company)
        for meters in [30.0, 100, 840, 1_113_000] {
            // GIVEN half a minute of fixes that lie so far off and agree with each other, and then the truth
            let begin = 30.0
            var (estimator, next) = ride.start(at: begin)
            let before = estimator.estimate.resetCount
            var (jumps, followed, recovered) = ([(after: Double, delta: Vector3)](), 0.0, 0.0)
            for event in ride.events[next...] {
                let age = event.arrivalTime.seconds - begin
                guard age < 45 else { break }
                let count = estimator.estimate.resetCount
                if case .gnss(let fix) = event, age < 30 {
                    _ = estimator.ingest(.gnss(fix.moved(east: meters, north: 0)))
                } else {
                    _ = estimator.ingest(event)
                }
                if estimator.estimate.resetCount != count {
                    jumps.append((age, estimator.estimate.resetDeltaENUMeters))
                }
                let error = ride.error(estimator) ?? .infinity
                if age < 30, error > 0.5 * meters { followed = max(followed, age) }
                if age > 30, error > 15 { recovered = age - 30 }
                next += 1
            }
            // THEN they are believed after 3 s, not before, and so is the truth; both jumps are counted and announced
            let name = "\(meters) m: \(jumps), recovered after \(recovered) s"
            #expect(jumps.count == 2 && estimator.estimate.resetCount == before + 2, "\(name)")
            #expect((jumps.first?.after ?? 0) >= 3 && (jumps.first?.after ?? .infinity) < 5.5, "\(name)")
            // So far away the tangent plane leaves the ellipsoid by a part in a hundred.
            let deltas = (jumps.first?.delta ?? .zero, jumps.last?.delta ?? .zero)
            #expect(
                abs(deltas.0.horizontalLength - meters) < 15 + 0.02 * meters && deltas.0.x > 0, "\(name)")
            #expect(
                abs(deltas.1.horizontalLength - meters) < 15 + 0.02 * meters && deltas.1.x < 0, "\(name)")
            #expect(recovered <= 5, "\(name)")
        }
    }

    @Test(arguments: Company.allCases) func aStuckReceiverIsCarriedOnByItsVelocity(company: Company)
        throws
    {
        for rateHertz in [1.0, 5] {
            // GIVEN a receiver that repeats one position for 15 s while it moves, its velocity beside it
            let ride = try Ride(rateHertz: rateHertz, company: company)
            var moving = 40.0
            while ride.simulated.truth(at: MonotonicTime(nanoseconds: Int64(moving * 1e9)))
                .velocityENUMetersPerSecond.length < 8
            { moving += 1 }
            var (estimator, next) = ride.start(at: moving)
            var (held, caught, count, worst) = (GnssFix?.none, Int?.none, 0, 0.0)
            for event in ride.events[next...] {
                guard event.arrivalTime.seconds < moving + 15 else { break }
                if case .gnss(var fix) = event {
                    count += 1
                    let first = held ?? fix
                    held = first
                    (fix.latitudeRadians, fix.longitudeRadians) = (
                        first.latitudeRadians, first.longitudeRadians
                    )
                    _ = estimator.ingest(.gnss(fix))
                    if estimator.receiverVerdict == .stuck, caught == nil { caught = count }
                    worst = max(worst, ride.error(estimator) ?? .infinity)
                } else {
                    _ = estimator.ingest(event)
                }
                next += 1
            }
            // THEN it is caught within five fixes, and the place goes on with the velocity: by less than 1 m/s off
            // beside the receiver's own error
            #expect((caught ?? .max) <= 5)
            #expect(worst < 25, "\(worst) m")
        }
    }

    @Test(arguments: Company.allCases) func positionsThatAreDraggedOffAreCaught(company: Company)
        throws
    {
        for rateHertz in [1.0, 5] {
            // GIVEN positions that are dragged off by 5 m/s for half a minute, the receiver's velocity being right
            let ride = try Ride(rateHertz: rateHertz, company: company)
            let begin = 60.0
            let (before, next) = ride.start(at: begin)
            var (estimator, verdict, worst) = (before, Double?.none, 0.0)
            for event in ride.events[next...] {
                let age = event.arrivalTime.seconds - begin
                guard age < 30 else { break }
                if case .gnss(let fix) = event {
                    _ = estimator.ingest(.gnss(fix.moved(east: 5 * max(age, 0), north: 0)))
                } else {
                    _ = estimator.ingest(event)
                }
                if verdict == nil, estimator.receiverVerdict == .drifting { verdict = age }
                worst = max(worst, ride.error(estimator) ?? .infinity)
            }
            // THEN they are caught within 10 s, and no more of them is followed than was until then
            #expect(
                (verdict ?? .infinity) <= 10 && worst < 60,
                "\(rateHertz) Hz: \(verdict ?? -1) s, \(worst) m")
        }
    }

    @Test(arguments: [20.0, 53]) func aReceiverThatIsWorseThanItSaysIsNotLockedOut(radius: Double)
        throws
    {
        // GIVEN a receiver alone that states 3 m and is wrong by so much in 95 % of the fixes
        for seed in 1...UInt64(6) {
            var suite = SensorSuite()
            let sigma = radius / (-2 * log(0.05)).squareRoot()
            suite.satellite?.wanderingMeters = sigma
            suite.satellite?.whiteMeters = 0.15 * sigma
            suite.satellite?.wanderingSeconds = 40
            suite.satellite?.statedSigmaScale = 3 / sigma
            let simulated = SimulatedDrive(
                drive: try Drive(.random(seed: seed, edges: 12)), sensors: suite, seed: seed)
            var (estimator, longest) = (PoseEstimator(), 0.0)
            for event in simulated {
                guard case .gnss(let fix) = event else { continue }
                _ = estimator.ingest(.gnss(fix))
                longest = max(longest, estimator.estimate.fixAgeSeconds ?? 0)
            }
            // THEN there is never a pause of more than 10 s without a fix taken
            #expect(longest <= 10, "seed \(seed): \(longest) s")
        }
    }
}
