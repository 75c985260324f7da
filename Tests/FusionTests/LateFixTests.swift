import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A fix counts at its time of validity, whenever it comes.
@Suite struct LateFixTests {
    /// A drive's events with the fixes delayed by a number of seconds (after the filter has begun) in any order.
    private func events(seed: UInt64, delay: (Int) -> Double) throws -> [SensorEvent] {
        var plan = DrivePlan.random(seed: seed, edges: 6)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        var receiver = SatelliteReceiver()
        receiver.latencySeconds = 0.0101
        receiver.latencySpreadSeconds = 0
        suite.satellite = receiver
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
        var probe = PoseEstimator()
        var begun = 0.0
        for event in simulated where begun == 0 {
            _ = probe.ingest(event)
            if probe.isNavigating { begun = event.arrivalTime.seconds }
        }
        var events: [SensorEvent] = []
        var count = 0
        let end = simulated.drive.durationSeconds
        for event in simulated {
            // A fix that arrives a second after the last sample finds an IMU that has stopped.
            if case .gnss(let fix) = event, fix.validityTime.seconds > end - 2 { continue }
            if case .gnss(var fix) = event, fix.validityTime.seconds > begun + 2 {
                count += 1
                fix.arrivalTime = fix.validityTime.advanced(bySeconds: delay(count))
                events.append(.gnss(fix))
            } else {
                events.append(event)
            }
        }
        return events.enumerated().sorted { ($0.element.arrivalTime, $0.offset) < ($1.element.arrivalTime, $1.offset) }
            .map(\.element)
    }

    private func finalState(_ events: [SensorEvent]) -> (state: NavigationState, rejections: RejectionCounters) {
        var estimator = PoseEstimator()
        for event in events { _ = estimator.ingest(event) }
        return (estimator.filter.state, estimator.rejections)
    }

    @Test(arguments: [UInt64(3), 5, 8]) func lateAndDisorderedFixesGiveTheResultOfPromptOnes(seed: UInt64) throws {
        // GIVEN the same fixes promptly, a second late, and late by so different times that later ones overtake earlier
        // ones
        let prompt = try finalState(events(seed: seed) { _ in 0.0101 })
        let late = try finalState(events(seed: seed) { _ in 1.0 })
        let disordered = try finalState(events(seed: seed) { $0 % 2 == 0 ? 1.2 : 0.1 })
        // THEN every way ends in the same state. Only the order of floating-point rounding could differ, and it does
        // not: 1e-9 throughout.
        for other in [late, disordered] {
            #expect(other.rejections.fixTooLate == 0)
            let offset = prompt.state.position.surfaceOffsetMeters(to: other.state.position)
            #expect(abs(offset.east) < 1e-9 && abs(offset.north) < 1e-9)
            #expect((prompt.state.velocityENU - other.state.velocityENU).length < 1e-9)
            #expect((prompt.state.sensorToENU * other.state.sensorToENU.inverse).rotationVector.length < 1e-9)
            #expect((prompt.state.gyroBias - other.state.gyroBias).length < 1e-9)
        }
    }

    @Test func aFixOlderThanTheHistoryIsRefusedByName() throws {
        // GIVEN a running filter
        let events = try events(seed: 3) { _ in 0.0101 }
        var estimator = PoseEstimator()
        for event in events { _ = estimator.ingest(event) }
        let before = estimator.filter.state
        // WHEN a fix of ten seconds ago comes in
        guard var old = estimator.lastFix else { throw LateFixError.noFix }
        old.validityTime = before.time.advanced(bySeconds: -10)
        old.arrivalTime = before.time
        _ = estimator.ingest(.gnss(old))
        // THEN it is counted and changes nothing
        #expect(estimator.rejections.fixTooLate == 1)
        #expect(estimator.filter.state.velocityENU == before.velocityENU)
    }

    private enum LateFixError: Error { case noFix }
}
