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

    /// The estimator at such a moment, and the events of the three seconds after it: every source has one within two.
    private struct Phase: Sendable {
        let clean: PoseEstimator
        let events: [SensorEvent]
    }

    /// The moments; the same for all fields.
    private static let moments = Result { try makePhases() }

    private static func makePhases() throws -> [Phase] {
        let simulated = SimulatedDrive(
            drive: try Drive(.random(seed: 2, edges: 5)), sensors: FaultInjection.fullSuite, seed: 2)
        let events = Array(simulated)
        let end = simulated.drive.durationSeconds
        var clean = PoseEstimator()
        var made: [Phase] = []
        for (index, event) in events.enumerated() {
            let due = (Double(made.count) + 0.5) * end / Double(phases)
            if made.count < phases, event.arrivalTime.seconds >= due {
                let last = event.arrivalTime.advanced(bySeconds: 3)
                made.append(Phase(clean: clean, events: Array(events[index...].prefix { $0.arrivalTime <= last })))
            }
            _ = clean.ingest(event)
        }
        return made
    }

    /// At each moment lets one field of the next event of its kind go wrong in a copy of the estimator.
    private func inject(
        _ field: FaultInjection.Field, _ values: [Double], judge: (PoseEstimator, PoseEstimator, String) -> Void
    ) throws -> Int {
        var count = 0
        for phase in try Self.moments.get() {
            guard let index = phase.events.firstIndex(where: { field.set($0, 0) != nil }) else { continue }
            var clean = phase.clean
            for event in phase.events[..<index] { _ = clean.ingest(event) }
            let event = phase.events[index]
            let without = after(phase.events[index...], clean, event)
            for value in values {
                guard let broken = field.set(event, value) else { continue }
                judge(
                    without, after(phase.events[index...], clean, broken),
                    "\(field.name) = \(value) at \(event.arrivalTime.seconds) s")
                count += 1
            }
        }
        return count
    }

    /// A run a second later: the one with the events as they were, or the one with the first of them broken.
    private func after(_ events: ArraySlice<SensorEvent>, _ estimator: PoseEstimator, _ first: SensorEvent)
        -> PoseEstimator
    {
        var run = estimator
        let end = first.arrivalTime.advanced(bySeconds: 1)
        for (k, event) in events.enumerated() {
            guard event.arrivalTime <= end else { break }
            _ = run.ingest(k == 0 ? first : event)
            #expect(run.estimate.isFinite)
        }
        return run
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
