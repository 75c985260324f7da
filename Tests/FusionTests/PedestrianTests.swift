import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Wearables: gait, dead reckoning by it, and where it must keep out.
@Suite struct PedestrianTests {
    struct Outcome {
        /// Largest horizontal error in each outage, metres.
        var outages: [Double] = []
        /// Share of the instants in outages whose errors on both axes are within the stated sigma.
        var within = 0.0
        /// RMS of the horizontal error outside of outages, metres.
        var outside = 0.0
        var gaitUses = 0
        var rms: Double { (outages.reduce(0) { $0 + $1 * $1 } / Double(max(outages.count, 1))).squareRoot() }
    }

    /// Walks with a carrier-phase receiver that is silent for 15 s three times; without the gait where `isDeaf`.
    static func run(_ plan: WalkPlan, seed: UInt64, isDeaf: Bool = false) -> Outcome {
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 100
        suite.satellite = .rtk
        suite.satellite?.outages = [70...85, 110...125, 150...165]
        let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        estimator.isGaitUsed = !isDeaf
        var outcome = Outcome()
        var worst = [70.0: 0.0, 110: 0, 150: 0]
        var (inside, insideCount, outside, outsideCount) = (0.0, 0.0, 0.0, 0.0)
        for event in walk {
            guard estimator.ingest(event), estimator.estimate.time.seconds > 40,
                let place = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            let offset = walk.truth(at: estimator.estimate.time).position.surfaceOffsetMeters(to: place)
            let wrong = (offset.east * offset.east + offset.north * offset.north).squareRoot()
            let now = estimator.estimate.time.seconds
            if let start = worst.keys.first(where: { now > $0 && now < $0 + 15 }) {
                worst[start] = max(worst[start] ?? 0, wrong)
                inside += (abs(offset.east) < sigma.x ? 0.5 : 0) + (abs(offset.north) < sigma.y ? 0.5 : 0)
                insideCount += 1
            } else if worst.keys.allSatisfy({ now < $0 || now > $0 + 17 }) {
                outside += wrong * wrong
                outsideCount += 1
            }
        }
        outcome.outages = worst.sorted { $0.key < $1.key }.map(\.value)
        outcome.within = inside / max(insideCount, 1)
        outcome.outside = (outside / max(outsideCount, 1)).squareRoot()
        outcome.gaitUses = Int(estimator.aid(.pedestrian)?.acceptedCount ?? 0)
        return outcome
    }

    static func plan(seed: UInt64) -> WalkPlan {
        var random = RandomSource(seed: seed, use: 41)
        var plan = WalkPlan()
        plan.seed = seed
        plan.deviceToBody = random.rotation()
        plan.speedMetersPerSecond = random.uniform(1.0, 1.6)
        plan.stepsPerSecond = random.uniform(1.6, 2.2)
        return plan
    }

    @Test func aHeldSensorIsCarriedThroughOutages() {
        // GIVEN walks with the sensor held anyhow WHEN the receiver is silent
        var (with, without, within): ([Double], [Double], Double) = ([], [], 0)
        for seed in UInt64(1)...8 {
            let plan = Self.plan(seed: seed)
            let (gait, none) = (Self.run(plan, seed: seed), Self.run(plan, seed: seed, isDeaf: true))
            with += gait.outages
            without += none.outages
            within += gait.within / 8
            #expect(gait.gaitUses > 300)
            // Outside of outages the gait says nothing: 0.1 mm.
            #expect(abs(gait.outside - none.outside) < 0.001)
        }
        // THEN the gait carries better than the IMU alone (0.89 and 1.01 m), and one sigma holds about 68 % of the
        // time, as it should: 60 to 80 %
        #expect(Outcome(outages: with).rms < min(Outcome(outages: without).rms, 0.95))
        #expect(within > 0.6 && within < 0.8)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6]) func aSwungArmDoesNoHarm(seed: UInt64) {
        // GIVEN an arm that swings by 30 deg to both sides, whose velocity no vector in the sensor's axes foretells
        var plan = Self.plan(seed: seed)
        plan.armSwingRadians = 0.5
        let (gait, none) = (Self.run(plan, seed: seed), Self.run(plan, seed: seed, isDeaf: true))
        // THEN what it foretells is known to be poor, and left out
        #expect(gait.gaitUses == 0)
        #expect(gait.outages == none.outages)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func aBicycleIsNoWalk(seed: UInt64) {
        // GIVEN pedals that shake like a gait, at 5 m/s
        var plan = Self.plan(seed: seed)
        plan.speedMetersPerSecond = 5
        plan.stepsPerSecond = 1.7
        (plan.bobMeters, plan.surgeMeters, plan.swayMeters) = (0.01, 0.01, 0.02)
        let (gait, none) = (Self.run(plan, seed: seed), Self.run(plan, seed: seed, isDeaf: true))
        // THEN three metres a step are no step
        #expect(gait.gaitUses == 0)
        #expect(gait.outages == none.outages)
    }

    @Test(arguments: [1.5, 1.9, 2.4, 2.8]) func thePaceIsFound(pace: Double) {
        // GIVEN a walk of a known pace, the sensor swung about
        var plan = WalkPlan()
        plan.stepsPerSecond = pace
        var suite = SensorSuite()
        suite.satellite = nil
        var gait = GaitDetector()
        var paces: [Double] = []
        for event in SimulatedWalk(walk: Walk(plan), sensors: suite, seed: 2) {
            guard case .inertial(let sample) = event, sample.time.seconds < 60 else { continue }
            gait.update(sample)
            // WHEN nobody walks yet THEN there is none
            if sample.time.seconds < 5 { #expect(gait.stepsPerSecond == 0) }
            if sample.time.seconds > 15 { paces.append(gait.stepsPerSecond) }
        }
        // THEN it is found within 3 % (a fiftieth of a second at 2 Hz is 4 %; the parabola does better)
        #expect(paces.allSatisfy { abs($0 / pace - 1) < 0.03 })
    }

    @Test func shakingIsNoGait() {
        // GIVEN noise as strong as a gait but without a rhythm
        var random = RandomSource(seed: 9, use: 1)
        var gait = GaitDetector()
        var smooth = 0.0
        var walking = 0
        for k in 0..<6000 {
            smooth += (random.gaussian() * 4 - smooth) * 0.15
            gait.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8 + smooth)))
            if gait.stepsPerSecond > 0 { walking += 1 }
        }
        // THEN it is taken for one a quarter of the time at most: the rhythm is a chance likeness
        #expect(walking < 1500)
    }

    @Test func aGaitLastsThroughUnevenStepsAndEndsWithTheSwing() {
        // GIVEN steps of 2 Hz for 15 s, then shaking without a rhythm, half as strong and a fifth as strong
        for (share, lasts) in [(0.5, true), (0.2, false)] {
            var random = RandomSource(seed: 5, use: 1)
            var gait = GaitDetector()
            var paces: [Double] = []
            var shake = 0.0
            for k in 0..<1800 {
                let time = Double(k) * 0.01
                // Held for the 40 ms of a reading of the detector, so that its strength is that of the readings.
                if k % 4 == 0 { shake = random.gaussian() }
                let swing = time < 15 ? 2.0.squareRoot() * sin(4 * .pi * time) : share * shake
                gait.update(
                    InertialSample(
                        time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8 + 2 * swing)))
                paces.append(gait.stepsPerSecond)
            }
            // THEN it is a gait while the steps last
            #expect(paces[1000..<1500].allSatisfy { abs($0 - 2) < 0.1 })
            // THEN the steps are taken to be uneven where they are half as strong, and to have ended where they are not
            #expect(paces[1500...].allSatisfy { $0 > 0 } == lasts, "\(share)")
            #expect((paces.last == 0) != lasts, "\(share)")
        }
    }

    @Test func aGaitLastsWhileItsStepsShowFaintly() {
        // GIVEN steps of 2 Hz for 15 s, then steps that are 0.42 of what is felt, for a minute: the correlation is
        // between 0.43 and 0.49 all the time
        var gait = GaitDetector()
        var paces: [Double] = []
        for k in 0..<7500 {
            // Held for the 40 ms of a reading of the detector, which begins after the first sample: a mix of two would
            // weaken the shaking.
            let time = Double((k + 3) / 4 * 4) * 0.01
            let steps = sin(4 * .pi * time)
            let shaking = [5.5, 6.7, 10.0, 11.2].reduce(0) { $0 + sin(2 * .pi * $1 * time + 1) }
            let swing = time < 15 ? steps : 0.42.squareRoot() * steps + (0.58 / 4).squareRoot() * shaking
            gait.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8 + 3 * swing)))
            paces.append(gait.stepsPerSecond)
        }
        // THEN the gait lasts, with its pace
        #expect(paces[1000...].allSatisfy { abs($0 - 2) < 0.1 })
    }
}
