import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// How an error that is found later shows in the motion before.
@Suite struct SmoothedMotionTests {
    @Test func aLaterErrorIsCarriedBackAlongTheMotion() {
        // GIVEN a filter that knows place and velocity to 1 m and 1 m/s, and goes on for a second without any noise
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.position, variance: 1)
        filter.covariance.restart(.velocity, variance: 1)
        var journal = SmoothingJournal()
        journal.begin(with: &filter)
        let step = Strapdown.Step(
            seconds: 1, specificForceENU: .zero, sensorToENU: .identity, frameRateENU: .zero, yawRate: 0,
            falseForce: Matrix())
        filter.covariance.propagate(over: step)
        journal.carry(over: step)
        // WHEN the update at its end finds it 5 m further to the east, 2 m/s faster, and as unsure as before
        journal.beginUpdate(&filter)
        filter.state.move(byENU: Vector3(5, 0, 0))
        filter.state.velocityENU.x += 2
        journal.endUpdate(&filter)
        // THEN a second before it was 2 m/s faster, too, and 3 m further; the step has left no doubt, but for what
        // keeps the sums from rounding, 1e-8
        var first = BackwardPass.smooth(journal.epochs)[0]
        let moved = place.surfaceOffsetMeters(to: first.state.position)
        #expect(abs(moved.east - 3) < 1e-3 && abs(moved.north) < 1e-3, "\(moved)")
        #expect((first.state.velocityENU - Vector3(2, 0, 0)).length < 1e-3, "\(first.state.velocityENU)")
        let (east, speed) = (
            first.covariance[.position.x, .position.x], first.covariance[.velocity.x, .velocity.x]
        )
        #expect(abs(east - 1) < 1e-4 && abs(speed - 1) < 1e-4, "\(east) \(speed)")
    }

    /// The events of a drive with a told mount, each known as soon as it was valid, in the order of that.
    private func events(until end: Double) throws -> (events: [SensorEvent], settings: FusionSettings) {
        var plan = DrivePlan.random(seed: 4, edges: 4)
        plan.standingSecondsBefore = 5
        let suite = SensorSuite()
        var settings = FusionSettings()
        settings.sensorToBody = suite.inertial?.sensorToBody
        var events: [SensorEvent] = []
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 4) {
            guard event.arrivalTime.seconds < end else { break }
            guard case .gnss(var fix) = event else {
                events.append(event)
                continue
            }
            fix.arrivalTime = fix.validityTime
            let index = events.lastIndex { $0.validityTime < fix.validityTime }.map { $0 + 1 } ?? 0
            events.insert(.gnss(fix), at: index)
        }
        return (events, settings)
    }

    @Test func theCorrectionChangesFromSampleToSample() throws {
        // GIVEN a drive through a filter, and the same through a smoother
        let (events, settings) = try events(until: 40)
        var estimator = PoseEstimator(settings: settings)
        var smoother = TrajectorySmoother(settings: settings)
        var filtered: [MonotonicTime: Vector3] = [:]
        for event in events {
            let isNew = estimator.ingest(event)
            if isNew, estimator.isNavigating, let velocity = estimator.estimate.velocityENUMetersPerSecond {
                filtered[estimator.estimate.time] = velocity
            }
            smoother.ingest(event)
        }
        smoother.finish()
        // WHEN what the smoother adds to the velocity is compared from one sample to the next
        var (before, changed, count) = (Vector3?.none, 0, 0)
        for estimate in smoother.takeEstimates() {
            guard let own = filtered[estimate.time], let velocity = estimate.velocityENUMetersPerSecond else {
                continue
            }
            let added = velocity - own
            if let before {
                count += 1
                if (added - before).length > 1e-10 { changed += 1 }
            }
            before = added
        }
        // THEN it grows evenly between two updates, 0.2 s apart at most, and does not only jump with each
        #expect(count > 1000 && changed > count / 2, "\(changed) of \(count)")
    }
}
