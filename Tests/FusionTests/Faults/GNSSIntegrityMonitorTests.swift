import Foundation
import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Receivers that stand still, jump, or are dragged off.
@Suite struct GNSSIntegrityMonitorTests {
    static let seeds: [UInt64] = [1, 2, 3, 5, 8]

    private func suite(wheels: Bool = false, rateHertz: Double = 1) -> SensorSuite {
        var suite = SensorSuite()
        if wheels { suite.wheels = .init() }
        suite.satellite?.rateHertz = rateHertz
        return suite
    }

    @Test(arguments: seeds, [1.0, 5]) func aStuckReceiverIsAsGoodAsNone(seed: UInt64, rateHertz: Double) throws {
        // GIVEN a receiver that repeats one position for half a minute, fresh times and its velocity beside it
        let attack = try ReceiverAttack(seed: seed, suite: suite(rateHertz: rateHertz))
        var held: GnssFix?
        let outcome = attack.run(
            seconds: 30, twin: { fix, count in count == 1 ? fix : nil },
            change: { fix, _, _ in
                var stuck = fix
                if let held {
                    (stuck.latitudeRadians, stuck.longitudeRadians) = (held.latitudeRadians, held.longitudeRadians)
                    stuck.altitudeEllipsoidMeters = held.altitudeEllipsoidMeters
                }
                held = held ?? fix
                return stuck
            })
        // THEN it is caught within five fixes, and the error grows as without it: less than what one fix may move
        // before a metre is behind it
        #expect((outcome.fixesToVerdict ?? .max) <= 5)
        #expect(outcome.largestDistanceMeters < 0.5)
    }

    @Test(arguments: [30.0, 100, 840], [0.0, 228]) func aShortBurstMovesNothingAndALongOneIsAnnounced(
        meters: Double, outage: Double
    ) throws {
        // GIVEN a drive under an open sky, or after 228 s without fixes, in which the gate has opened
        for seed in Self.seeds.prefix(3) {
            let attack = try ReceiverAttack(
                seed: seed, suite: suite(), edges: outage > 0 ? 40 : 18, outageSeconds: outage)
            for fixes in [1, 2, 3, 4, 10, 30, 105] {
                // WHEN so many fixes lie so far off, and the truth returns
                let isShort = fixes <= 3
                let back = Double(fixes)
                let outcome = attack.run(
                    seconds: back + (isShort ? 0 : 20), truthAfter: back, twin: isShort ? { _, _ in nil } : nil,
                    change: { fix, count, _ in count <= fixes ? fix.moved(east: 0.6 * meters, north: 0.8 * meters) : fix
                    })
                let name = "seed \(seed), \(fixes) fixes: \(outcome)"
                if isShort {
                    // THEN up to three make it wrong by less than 10 m more than a run without any fix is
                    #expect(outcome.excursionMeters <= 10, "\(name)")
                    #expect(outcome.resets == 0, "\(name)")
                } else {
                    // THEN more are refused, or followed with a jump that is announced; 5 s after the truth returned so
                    // has the estimate
                    #expect(outcome.worstMeters < 25 || outcome.resets > 0 || outage > 0, "\(name)")
                    #expect(outcome.recoverySeconds <= 5, "\(name)")
                }
            }
        }
    }

    @Test(arguments: [12.0, 17], [1.0, 2]) func anOffsetAfterALongOutageIsTakenIn(meters: Double, rateHertz: Double)
        throws
    {
        // GIVEN an estimate that a perfect receiver finds 12 or 17 m off after more than two minutes without fixes WHEN
        // the fixes come THEN the fourth is taken
        var suite = suite(rateHertz: rateHertz)
        suite.satellite?.wanderingMeters = 0.5
        suite.satellite?.whiteMeters = 0.1
        for seed in Self.seeds {
            let attack = try ReceiverAttack(seed: seed, suite: suite, edges: 30, outageSeconds: 130)
            // What dead reckoning has left at the first fix is taken off every one, and the offset put in its place.
            var first: (east: Double, north: Double)?
            let outcome = attack.run(
                seconds: 8,
                change: { fix, _, _ in
                    guard let place = attack.before.estimate.position, let latitude = fix.latitudeRadians,
                        let longitude = fix.longitudeRadians
                    else {
                        return fix
                    }
                    let there = GeodeticPosition(
                        latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
                    let off = first ?? place.surfaceOffsetMeters(to: there)
                    first = off
                    return fix.moved(east: 0.6 * meters - off.east, north: 0.8 * meters - off.north)
                })
            #expect(outcome.secondsToTaken <= 4.5, "seed \(seed): \(outcome)")
        }
    }

    /// What a deceiver changes.
    enum Deceit: CaseIterable { case position, positionAndVelocity }

    @Test(arguments: Deceit.allCases, [false, true]) func aReceiverDraggedOffAtFiveMetersASecondIsCaught(
        deceit: Deceit, wheels: Bool
    ) throws {
        for (speed, rateHertz) in [(1.0, 1.0), (2, 1), (5, 1), (1, 5), (2, 5), (5, 5)] {
            var delays: [Double] = []
            var worst = 0.0
            for seed in Self.seeds {
                // GIVEN a drive whose fixes are dragged off for a minute into a direction of their own, with the
                // velocity to it or without
                let attack = try ReceiverAttack(seed: seed, suite: suite(wheels: wheels, rateHertz: rateHertz))
                let direction = SIMD2(cos(Double(seed)), sin(Double(seed))) * speed
                let outcome = attack.run(
                    seconds: 60,
                    change: { fix, _, age in
                        let way = direction * max(age, 0)
                        let velocity = deceit == .position ? .zero : direction
                        return fix.moved(east: way.x, north: way.y, velocityEast: velocity.x, velocityNorth: velocity.y)
                    })
                delays.append(outcome.secondsToVerdict ?? .infinity)
                worst = max(worst, outcome.worstMeters)
            }
            print(
                "dragged off at \(speed) m/s, \(deceit), \(wheels ? "wheels" : "no wheels"), \(rateHertz) Hz: seconds "
                    + "to the verdict "
                    + delays.map { $0.isFinite ? String(format: "%.1f", $0) : "none" }.joined(separator: " ")
                    + String(format: "; largest error of a minute %.0f m", worst))
            // THEN 5 m/s is caught within 10 s, and where wheels or the receiver's velocity remain little of the 300 m
            // is followed; what is slower is reported, and so is that a minute of dead reckoning by the IMU alone ends
            // in the gate
            guard speed == 5 else { continue }
            #expect(delays.allSatisfy { $0 <= 10 }, "\(delays)")
            #expect(worst < 50 || (deceit == .positionAndVelocity && !wheels))
        }
    }

    @Test(arguments: seeds, [1.0, 5]) func aVetoOfAReceiverThatAgreesWithItselfEnds(seed: UInt64, rateHertz: Double)
        throws
    {
        // GIVEN fixes whose positions and velocities go another way than the filter by 8 m/s, and agree with each other
        let attack = try ReceiverAttack(seed: seed, suite: suite(rateHertz: rateHertz))
        let velocity = SIMD2(cos(Double(seed)), sin(Double(seed))) * 8
        var (last, before) = (GnssFix?.none, attack.before.estimate)
        var (vetoes, sigmas) = ([Double](), [Double]())
        var (jump, announced) = (Vector3.zero, Vector3.zero)
        let outcome = attack.run(
            seconds: 25,
            change: { fix, _, age in
                let way = velocity * max(age, 0)
                last = fix.moved(east: way.x, north: way.y, velocityEast: velocity.x, velocityNorth: velocity.y)
                return last
            },
            watch: { estimator, age in
                let now = estimator.estimate
                if estimator.receiverVerdict == .contradicted {
                    vetoes.append(age)
                    sigmas.append(now.positionSigmaENUMeters?.horizontalLength ?? .nan)
                }
                let delta = now.resetDeltaENUMeters
                if now.resetCount != before.resetCount, delta.horizontalLength > announced.horizontalLength,
                    let moved = before.position.flatMap({ from in now.position.map(from.surfaceOffsetMeters(to:)) })
                {
                    (jump, announced) = (Vector3(moved.east, moved.north, 0), delta)
                }
                before = now
            })
        let name = "seed \(seed), \(rateHertz) Hz: \(outcome)"
        // THEN the veto lasts 10 s at most, and its sigma grows all the while
        let begin = try #require(vetoes.first, "\(name)")
        #expect((vetoes.last ?? .infinity) - begin <= 10, "\(name)")
        #expect((sigmas.last ?? 0) > 10 && (sigmas.last ?? 0) > 1.5 * (sigmas.first ?? .infinity), "\(sigmas)")
        // AND the estimate falls back to the fixes, with a jump that is counted and announced as large as it is (but
        // for what the body has moved meanwhile)
        #expect((jump - announced).horizontalLength < 3 && announced.horizontalLength > 10, "\(jump) \(announced)")
        let fix = try #require(last)
        let there = try #require(GNSSPositionFilter(fix: fix)).position
        #expect((before.distanceMeters(to: there) ?? .infinity) < 40, "\(name)")
    }

    @Test func aJammedReceiverIsVetoedWithItsReason() throws {
        // GIVEN a running filter WHEN a receiver that says it is jammed gives a fix 30 m off
        var estimator = try ReceiverAttack(seed: 2, suite: suite()).before
        let before = estimator.estimate
        let place = estimator.filter.state.position
        var fix = try #require(estimator.lastFix).moved(east: 30, north: 0)
        fix.isInterfered = true
        fix.validityTime = before.time.advanced(bySeconds: -0.05)
        fix.arrivalTime = before.time
        let counts = [AidSource.gnssPosition, .gnssVelocity].map { estimator.aid($0)?.rejectedCount ?? 0 }
        _ = estimator.ingest(.gnss(fix))
        // THEN it is counted once, nothing of it is used, and the records of position and velocity say why
        #expect(estimator.rejections.fixInterfered == 1 && estimator.receiverVerdict == .interference)
        for (source, count) in zip([AidSource.gnssPosition, .gnssVelocity], counts) {
            #expect(
                estimator.aid(source)?.rejection == .interference && estimator.aid(source)?.rejectedCount == count + 1)
        }
        #expect(estimator.filter.state.position == place)
        // WHEN the next says nothing of the kind THEN the receiver is believed again
        var honest = try #require(estimator.lastFix).moved(east: 1, north: 0)
        honest.validityTime = before.time.advanced(bySeconds: -0.02)
        honest.arrivalTime = before.time
        _ = estimator.ingest(.gnss(honest))
        #expect(estimator.receiverVerdict == .trusted)
    }

    @Test(arguments: seeds) func anHonestReceiverIsNeverAccused(seed: UInt64) throws {
        // GIVEN a whole drive with reflections off houses, fixes at 1 and 10 Hz, wheels and without
        for (wheels, rateHertz) in [(false, 1.0), (true, 10)] {
            var suite = suite(wheels: wheels, rateHertz: rateHertz)
            suite.satellite?.multipathEpisodesPerMinute = 2
            let simulated = SimulatedDrive(drive: try Drive(.random(seed: seed, edges: 20)), sensors: suite, seed: seed)
            var estimator = PoseEstimator()
            var accusations = 0
            for event in simulated {
                _ = estimator.ingest(event)
                if case .gnss = event, estimator.receiverVerdict != .trusted { accusations += 1 }
            }
            // THEN no fix of it is vetoed
            #expect(accusations == 0)
        }
    }
}
