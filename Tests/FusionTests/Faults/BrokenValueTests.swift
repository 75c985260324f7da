import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// One wrong number in one event, anywhere in a drive: refused by name, and gone within a second.
@Suite struct BrokenValueTests {
    /// The moments of the drive at which numbers go wrong.
    private static let phases = 10
    /// Limits a second later, against the run without the fault, degrees and metres.
    private static let (largestTurn, largestDistance) = (0.1, 0.5)

    /// Runs a drive, and at each phase lets one field of the next event of its kind go wrong in a copy of the
    /// estimator.
    private func inject(
        _ field: FaultInjection.Field, _ values: [Double], judge: (PoseEstimator, PoseEstimator, String) -> Void
    ) throws -> Int {
        let simulated = SimulatedDrive(
            drive: try Drive(.random(seed: 2, edges: 5)), sensors: FaultInjection.fullSuite, seed: 2)
        let events = Array(simulated)
        let end = simulated.drive.durationSeconds
        var clean = PoseEstimator()
        var (phase, count) = (0, 0)
        for (index, event) in events.enumerated() {
            let due = (Double(phase) + 0.5) * end / Double(Self.phases)
            if phase < Self.phases, event.arrivalTime.seconds >= due, field.set(event, 0) != nil {
                for value in values {
                    guard let broken = field.set(event, value) else { continue }
                    let (without, with) = after(events[index...], clean, broken)
                    judge(without, with, "\(field.name) = \(value) at \(event.arrivalTime.seconds) s")
                    count += 1
                }
                phase += 1
            }
            _ = clean.ingest(event)
        }
        return count
    }

    /// Both runs a second later: the one with the events as they were, the one with the first of them broken.
    private func after(_ events: ArraySlice<SensorEvent>, _ estimator: PoseEstimator, _ broken: SensorEvent) -> (
        PoseEstimator, PoseEstimator
    ) {
        var (clean, hit) = (estimator, estimator)
        let end = broken.arrivalTime.advanced(bySeconds: 1)
        for (k, event) in events.enumerated() {
            guard event.arrivalTime <= end else { break }
            _ = clean.ingest(event)
            _ = hit.ingest(k == 0 ? broken : event)
            #expect(hit.estimate.isFinite)
        }
        return (clean, hit)
    }

    @Test(arguments: FaultInjection.fields) func anAbsurdNumberIsCountedOnceAndGoneWithinASecond(
        field: FaultInjection.Field
    ) throws {
        // GIVEN a drive; WHEN one number of one event is NaN, infinite or 1e30, at ten moments
        let count = try inject(field, FaultInjection.absurd) { clean, hit, name in
            // THEN it is counted once, and a second later nothing is left of it
            #expect(hit.rejections.total == clean.rejections.total + 1, "\(name)")
            expectRecovered(clean, hit, name)
        }
        #expect(count == Self.phases * FaultInjection.absurd.count)
    }

    @Test(arguments: FaultInjection.fields) func zeroWithASignAndTheLeastNumberAreGoneWithinASecond(
        field: FaultInjection.Field
    ) throws {
        let count = try inject(field, FaultInjection.odd) { clean, hit, name in
            #expect(hit.rejections.total <= clean.rejections.total + 1, "\(name)")
            expectRecovered(clean, hit, name)
        }
        #expect(count == Self.phases * FaultInjection.odd.count)
    }

    private func expectRecovered(_ clean: PoseEstimator, _ hit: PoseEstimator, _ name: String) {
        #expect((hit.estimate.distanceMeters(to: clean.estimate.position) ?? 0) < Self.largestDistance, "\(name)")
        #expect((hit.estimate.turnDegrees(to: clean.estimate.bodyToENU) ?? 0) < Self.largestTurn, "\(name)")
        #expect((hit.estimate.position == nil) == (clean.estimate.position == nil), "\(name)")
    }
}
