import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Wheel speeds that come late, in coarse steps, or wrong: their lag is found, and they never harm.
@Suite struct LateWheelTests {
    /// What happens to the wheel speeds on their way.
    private struct Link: Sendable {
        var lagSeconds = 0.0
        /// Step of the stated speed, m/s; 0: none.
        var step = 0.0
        var hertz = 10.0
        /// Factor on the speed at a time of the drive, seconds.
        var factor: @Sendable (Double) -> Double = { _ in 0.97 }

        /// The events with delayed readings, in the order of arrival.
        func delay(_ events: [SensorEvent]) -> [SensorEvent] {
            var waiting: [WheelSpeedSample] = []
            var sent: [SensorEvent] = []
            for event in events {
                if case .wheelSpeed(var sample) = event {
                    let speed = sample.speedMetersPerSecond * factor(sample.time.seconds)
                    sample.speedMetersPerSecond = step > 0 ? (speed / step).rounded() * step : speed
                    sample.time = sample.time.advanced(bySeconds: lagSeconds)
                    waiting.append(sample)
                    continue
                }
                if case .inertial(let sample) = event {
                    while let first = waiting.first, first.time < sample.time {
                        sent.append(.wheelSpeed(first))
                        waiting.removeFirst()
                    }
                }
                sent.append(event)
            }
            return sent
        }
    }

    private struct Outcome {
        /// Mean square of the error of the speed in a minute without fixes, m2/s2: what wheels tell. The place depends
        /// on the heading as well.
        var speedSquare = 0.0
        /// Horizontal error at its end over the stated 1-sigma.
        var ratio = 0.0
        /// Mean square of the horizontal error while fixes came, m2.
        var square = 0.0
        var lag = 0.0
        var lagSigma = 0.0
        /// Positions of the receiver that were refused.
        var refused: UInt32 = 0
        var isTrusted = false
    }

    /// A shaken consumer IMU and a receiver that may be silent for a time.
    private func suite(_ link: Link?, _ receiver: SatelliteReceiver, silent: ClosedRange<Double>?) -> SensorSuite {
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 50
        if let errors = suite.inertial?.errors { suite.inertial?.errors = errors.withVibration }
        suite.satellite = receiver
        if let silent { suite.satellite?.outages = [silent] }
        if let link {
            var wheels = SensorSuite.Wheels()
            (wheels.rateHertz, wheels.scale) = (link.hertz, 0)
            suite.wheels = wheels
        }
        return suite
    }

    /// Runs a drive whose receiver falls silent for a minute in its middle.
    private func run(
        seed: UInt64, link: Link?, receiver: SatelliteReceiver = SatelliteReceiver(), silent: Bool = true
    ) throws -> Outcome {
        let drive = try Drive(.random(seed: seed, edges: 14))
        let middle = drive.durationSeconds * 0.55
        let sensors = suite(link, receiver, silent: silent ? middle...(middle + 60) : nil)
        let simulated = SimulatedDrive(drive: drive, sensors: sensors, seed: seed)
        let events = Array(simulated)
        var (estimator, outcome) = (PoseEstimator(), Outcome())
        var (blind, count) = (0.0, 0.0)
        for event in link?.delay(events) ?? events {
            guard estimator.ingest(event), let place = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            let seconds = estimator.estimate.time.seconds
            let offset = simulated.truth(at: estimator.estimate.time).position.surfaceOffsetMeters(to: place)
            let error = SIMD2(offset.east, offset.north)
            if seconds > 60, !(silent && seconds > middle && seconds < middle + 63) {
                outcome.square += (error * error).sum()
                count += 1
            }
            if seconds > middle, seconds < middle + 59.5 {
                let truth = simulated.truth(at: estimator.estimate.time).velocityENUMetersPerSecond
                let own = estimator.estimate.velocityENUMetersPerSecond ?? .zero
                let speed = own.horizontalLength - truth.horizontalLength
                outcome.speedSquare += speed * speed
                blind += 1
                outcome.ratio = (error / SIMD2(sigma.x, sigma.y) * error / SIMD2(sigma.x, sigma.y)).sum().squareRoot()
            }
        }
        outcome.square /= max(count, 1)
        outcome.speedSquare /= max(blind, 1)
        outcome.lag = estimator.filter.state.wheelLagSeconds
        outcome.lagSigma = estimator.filter.covariance[.wheelLag, .wheelLag].squareRoot()
        outcome.refused = estimator.aid(.gnssPosition)?.rejectedCount ?? .max
        outcome.isTrusted = estimator.filter.isWheelSpeedTrusted
        return outcome
    }

    /// Wheels that are late, at several rates, and such that state whole kilometres an hour.
    private static let links = [
        Link(), Link(lagSeconds: 0.4, hertz: 5), Link(lagSeconds: 0.9, hertz: 50),
        Link(lagSeconds: 0.25, step: 1 / 3.6),
    ]

    @Test func theLagIsFoundAndHoldsInAnOutage() throws {
        // GIVEN drives with a minute's outage WHEN the wheels are late
        var (with, without, beyond) = ([Double](repeating: 0, count: Self.links.count), 0.0, 0)
        for seed in UInt64(1)...3 {
            let blind = try run(seed: seed, link: nil)
            without += blind.speedSquare
            for (k, link) in Self.links.enumerated() {
                let outcome = try run(seed: seed, link: link)
                // THEN the lag is found to a few hundredths of a second, as its sigma says (three of it, and half an
                // interval of the IMU)
                let error = abs(outcome.lag - link.lagSeconds)
                #expect(error < 3 * outcome.lagSigma + 0.01, "\(seed), \(link.lagSeconds) s: \(outcome.lag)")
                #expect(outcome.lagSigma < 0.06, "\(seed), \(link.lagSeconds) s")
                with[k] += outcome.speedSquare
                beyond += outcome.ratio > 3 ? 1 : 0
            }
        }
        // AND the outage adds half of what it adds without wheels, as with timely ones (0.4 to 0.5), within three
        // sigmas
        for (k, link) in Self.links.enumerated() {
            #expect(with[k].squareRoot() < 0.65 * without.squareRoot(), "\(link.lagSeconds) s")
        }
        #expect(beyond == 0)
    }

    /// Faults of wheels: a scale that changes, a wheel that repeats one value, and one that slips.
    private static let faults: [@Sendable (Double) -> Double] = [
        { $0 > 120 ? 0.78 : 0.97 }, { $0 > 120 ? 0 : 0.97 },
        { $0.truncatingRemainder(dividingBy: 30) < 5 ? 1.26 : 0.97 },
    ]

    @Test(arguments: 0..<3) func wrongWheelsLoseAgainstTheReceiver(fault: Int) throws {
        // GIVEN wheels that are wrong for a part of the drive WHEN a good and a consumer receiver send fixes
        for (receiver, seed) in [(SatelliteReceiver.rtk, UInt64(1)), (SatelliteReceiver(), 3)] {
            let alone = try run(seed: seed, link: nil, receiver: receiver, silent: false)
            let outcome = try run(
                seed: seed, link: Link(lagSeconds: 0.2, factor: Self.faults[fault]), receiver: receiver, silent: false)
            // THEN no fix is refused that is not refused without wheels, and the position is as good (a tenth more is
            // chance)
            #expect(outcome.refused <= alone.refused, "\(seed)")
            #expect(outcome.square.squareRoot() < 1.1 * alone.square.squareRoot() + 0.002, "\(seed)")
        }
    }

    /// Speeds of a filter that speeds up and slows down, for each lag of the bank.
    private func speeds(at seconds: Double) -> InlineArray<31, Double> {
        var speeds = InlineArray<31, Double>(repeating: 0)
        for k in 0..<31 {
            let past = seconds - Double(k) * Tuning.Wheels.lagStepSeconds
            speeds[k] = 10 + 3 * sin(past) + 0.2 * past
        }
        return speeds
    }

    /// What a search says after so many seconds of readings.
    private func search(seconds: Double, reading: (Double) -> Double) -> WheelLagSearch.Outcome {
        var search = WheelLagSearch()
        for k in 0..<Int(seconds * 10) {
            let now = Double(k) * 0.1
            search.add(reading(now), seconds: 0.1, variance: 0.0225, speeds: speeds(at: now))
        }
        return search.outcome
    }

    @Test func theSearchFindsScaleAndLag() throws {
        // GIVEN readings of 0.8 times the speed 0.6 s ago
        guard
            case .found(let result) = search(
                seconds: 6, reading: { 0.8 * (10 + 3 * sin($0 - 0.6) + 0.2 * ($0 - 0.6)) })
        else {
            Issue.record("nothing found")
            return
        }
        // THEN both are found within two sigmas (the readings are exact), the lag to 0.1 s
        #expect(abs(result.lagSeconds - 0.6) < 2 * result.lagVariance.squareRoot())
        #expect(abs(result.scale - 1.25) < 2 * result.scaleVariance.squareRoot())
        #expect(result.lagVariance.squareRoot() < 0.1)
    }

    @Test func readingsThatDoNotFollowTheSpeedAreNoWheels() {
        // GIVEN a reading that never changes, and one that follows something else WHEN the search has had 40 s
        let (stuck, foreign) = (
            search(seconds: 40) { _ in 10 }, search(seconds: 40) { 10 + 3 * sin(2.7 * $0) }
        )
        // THEN no lag explains either
        for outcome in [stuck, foreign] {
            guard case .misfit = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        // AND a few seconds say nothing yet
        guard case .searching = search(seconds: 4, reading: { _ in 10 }) else {
            Issue.record("decided after 4 s")
            return
        }
    }

    @Test func aConstantSpeedProvesNoWheel() {
        // GIVEN a vehicle at a constant speed, and a reading that repeats one value
        var search = WheelLagSearch()
        for _ in 0..<400 { search.add(12, seconds: 0.1, variance: 0.0225, speeds: InlineArray(repeating: 10)) }
        // THEN the search goes on: the value may be stuck
        guard case .searching = search.outcome else {
            Issue.record("\(search.outcome)")
            return
        }
    }

    @Test func aRoundedSpeedThatRepeatsSaysNothingNew() {
        // GIVEN speeds in steps of 0.3, the last one repeated for 20 s
        var resolution = WheelResolution()
        var information = 0.0
        for reading in [3.0, 3.9, 4.2] { resolution.update(reading, seconds: 0.1) }
        // THEN a reading by itself has the variance of rounding to 0.3
        #expect(abs(resolution.ownVariance - 0.09 / 12) < 1e-9)
        for _ in 0..<200 {
            information += 1 / resolution.variance(afterSeconds: 0.1)
            resolution.update(4.2, seconds: 0.1)
        }
        // AND in the first 10 s all repeats together tell less than one reading, afterwards one in 10 s: 2 in all
        #expect(information < 3 / resolution.ownVariance)
        // AND readings without a step have no rounding
        var fine = WheelResolution()
        for k in 0..<100 { fine.update(Double(k * k) * 1e-4, seconds: 0.1) }
        #expect(fine.variance(afterSeconds: 0.1) < 1e-8)
    }

    @Test(arguments: [(0.5, 9.375, -0.2), (-0.1, 10.17, -1.7)]) func whatLateWheelsSeeHasASlopeAndABend(
        lag: Double, speed: Double, slope: Double
    ) {
        // GIVEN a vehicle at 10 m/s whose acceleration is 2 m/s2, and was less by 3 m/s2 for each second before
        var filter = NavigationFilter(withWheelsAndVelocityVariance: 1e-3)
        filter.state.time = MonotonicTime(nanoseconds: 5_000_000_000)
        filter.state.velocityENU = Vector3(10, 0, 0)
        (filter.state.sensorToVehicle, filter.state.wheelScale) = (.identity, 1)
        var history = VectorHistory()
        for k in -300...0 {
            let past = 0.01 * Double(k)
            filter.forceIntegral = Vector3(2 * past + 1.5 * past * past, 0, InertialSample.standardGravity * past)
            history.append(time: filter.state.time.advanced(bySeconds: past), value: filter.forceIntegral)
        }
        // WHEN its wheels are late, or the IMU is, by a lag known to 0.2 s THEN they see the speed of then, 10 m/s -
        // 2 m/s2 T + 1.5 m/s3 T^2, or as its slope carries it on; the slope is that of the 0.2 s before, and it bends
        // by 3 m/s3
        filter.state.wheelLagSeconds = lag
        filter.covariance.restart(.wheelLag, variance: 0.04)
        let seen = filter.velocitySeenByWheels(history)
        #expect(abs(seen.velocity.x - speed) < 1e-6 && abs(seen.slope.x - slope) < 1e-6, "\(seen)")
        #expect(abs(seen.bend.x - 3) < 1e-5 && abs(seen.lagVariance - 0.04) < 1e-15, "\(seen)")
        // AND a reading of 10 m/s, known to 0.15 m/s, has 0.03 s of the slope, and half of the square of the bend times
        // the variance of the lag, 0.12 m/s
        let reading = filter.wheelSpeedComponent(10, seen: seen)
        let expected = 0.022_5 + 0.000_9 * slope * slope + 0.007_2
        #expect(abs(reading.variance - expected) < 1e-6, "\(reading.variance)")
    }
}
