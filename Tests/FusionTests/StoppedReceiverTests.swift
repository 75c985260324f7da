import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A receiver alone that stops sending: what is published says so in time.
@Suite struct StoppedReceiverTests {
    /// Published estimates after the last fix, ten per second.
    private func estimates(rateHertz: Double, fixes: Int = 40) throws -> (
        interval: Double, all: [(age: Double, estimate: PoseEstimate)]
    ) {
        var suite = SensorSuite()
        suite.satellite?.rateHertz = rateHertz
        var plan = DrivePlan.random(seed: 3, edges: 12)
        plan.standingSecondsBefore = 5
        let drive = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 3)
        var estimator = PoseEstimator()
        var (count, last) = (0, MonotonicTime(nanoseconds: 0))
        for event in drive {
            guard case .gnss(let fix) = event, count < fixes else { continue }
            _ = estimator.ingest(event)
            (count, last) = (count + 1, fix.validityTime)
        }
        return (
            1 / rateHertz,
            (0..<400).compactMap { step in
                let age = 0.1 * Double(step)
                return estimator.carryOn(to: last.advanced(bySeconds: age)) ? (age, estimator.estimate) : nil
            }
        )
    }

    @Test(arguments: [0.2, 0.5, 1, 5, 10]) func theStateFollowsTheIntervalOfTheFixes(rateHertz: Double) throws {
        // GIVEN a receiver at an interval T in motion WHEN it stops sending
        let (interval, all) = try estimates(rateHertz: rateHertz)
        for (age, estimate) in all where age > 0.5 {
            // THEN the pose is dead reckoning a second after the next fix is due, lost at max(10 s, 2 T + 5 s), and the
            // speed is unknown at max(3 s, T + 2 s); a tenth of a second is the step of this test
            let lost = max(10, 2 * interval + 5)
            let expected: PoseState? =
                if age < interval + 0.9 { .coarse } else if age < interval + 1.1 { nil } else if age < lost - 0.1 {
                    .deadReckoning
                } else if age < lost + 0.1 { nil } else { .lost }
            if let expected { #expect(estimate.state == expected, "\(age) s of \(interval) s") }
            let stale = max(3, interval + 2)
            if age < stale - 0.1 { #expect(estimate.velocityENUMetersPerSecond != nil, "\(age) s of \(interval) s") }
            if age > stale + 0.1 { #expect(estimate.velocityENUMetersPerSecond == nil, "\(age) s of \(interval) s") }
        }
    }

    @Test func aSlowReceiverIsReckonedOnBetweenItsFixes() throws {
        // GIVEN cars with an IMU whose mount is not known, and a receiver with a fix in five seconds, until they align
        var errors: [Double] = []
        for seed in UInt64(1)...6 {
            var plan = DrivePlan.random(seed: seed, edges: 12)
            plan.standingSecondsBefore = 20
            var suite = SensorSuite()
            suite.satellite?.rateHertz = 0.2
            let drive = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
            var estimator = PoseEstimator()
            var latest: MonotonicTime?
            for event in drive {
                if case .gnss(let fix) = event { latest = fix.validityTime }
                guard estimator.ingest(event), let latest else { continue }
                guard !estimator.isNavigating else { break }
                let (estimate, truth) = (estimator.estimate, drive.truth(at: estimator.estimate.time))
                let age = estimate.time.seconds(since: latest)
                guard truth.velocityENUMetersPerSecond.horizontalLength > 8, (4.0..<5).contains(age),
                    let place = estimate.position
                else { continue }
                let offset = truth.position.surfaceOffsetMeters(to: place)
                errors.append((offset.east * offset.east + offset.north * offset.north).squareRoot())
                // THEN the next fix is not overdue
                #expect(estimate.state == .coarse)
            }
        }
        // AND the place goes on: a prediction that ended after two seconds would be 16 m and more behind
        errors.sort()
        #expect(errors.count > 500 && errors[errors.count / 2] < 10, "\(errors.count) \(errors[errors.count / 2])")
    }

    @Test func theSigmaGrowsByTheWayThatIsNotSeen() throws {
        // GIVEN a vehicle that moves WHEN its receiver stops sending THEN 9 s later the sigma of the frozen position is
        // no less than the way since, at the last speed
        let all = try estimates(rateHertz: 1).all
        let speed = try #require(all.first?.estimate.velocityENUMetersPerSecond).horizontalLength
        let late = try #require(all.last { $0.estimate.state == .deadReckoning })
        #expect(speed > 5)
        #expect(try #require(late.estimate.positionSigmaENUMeters).x > speed * (late.age - 2))
    }

    @Test func aReceiverWithTwoIntervalsDoesNotFlap() {
        // GIVEN fixes after 1 s and 5 s in turn, and one gap of 60 s WHEN the interval is measured THEN it is 5 s
        var interval = FixInterval()
        var time = MonotonicTime(nanoseconds: 0)
        for seconds in [1.0, 5, 1, 5, 1, 60, 1, 5] {
            time = time.advanced(bySeconds: seconds)
            interval.note(time)
        }
        #expect(interval.seconds == 5)
    }
}
