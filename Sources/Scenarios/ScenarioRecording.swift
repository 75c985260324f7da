import Measurements
import PoseMath
import Recording
import Simulation

/// The measurements of a scenario as a recording: the simulated ones with its faults.
package final class ScenarioRecording: EventReader {
    package let kinds: Set<SensorKind>
    package var notes: [String] { [] }
    package var progress: Double { length > 0 ? min(latest / length, 1) : 1 }
    /// The simulated drive.
    package let simulated: SimulatedDrive

    private let scenario: Scenario
    private var events: SimulatedDrive.Iterator
    private let length: Double
    private var latest = 0.0
    private var heldFix: GnssFix?
    private var heldRate: Vector3?

    /// UTC at the start of every simulated drive, nanoseconds since 1970: 2026-09-21, 14:13:20.
    package static let utcAtStart: Int64 = 1_790_000_000_000_000_000
    /// End of the range of a clipped gyro, rad/s.
    private static let clippedRate = 0.15
    /// A receiver's position jumps so far, as an angle: about 100 m.
    private static let jumpRadians = 100.0 / 6_378_137

    /// Plans the drive of a scenario.
    package init(_ scenario: Scenario) throws(Scenario.Failure) {
        self.scenario = scenario
        simulated = try scenario.simulated()
        events = simulated.makeIterator()
        length = simulated.drive.durationSeconds
        let sensors = simulated.sensors
        let present: [(SensorKind, Bool)] = [
            (.gps, sensors.satellite != nil), (.imu, sensors.inertial != nil),
            (.magnetometer, sensors.magnetometer != nil), (.barometer, sensors.barometer != nil),
            (.wheels, sensors.wheels != nil),
        ]
        kinds = Set(present.filter(\.1).map(\.0))
    }

    package func next() -> SensorEvent? {
        while let event = events.next() {
            latest = event.arrivalTime.seconds
            if let spoiled = spoiled(event) { return spoiled }
        }
        return nil
    }

    /// The event with the faults of its time; `nil` where it does not arrive.
    private func spoiled(_ event: SensorEvent) -> SensorEvent? {
        let time = event.validityTime.seconds
        let faults = scenario.faults.filter { $0.span.contains(time) }.map(\.kind)
        switch event {
        case .inertial(var sample):
            if faults.contains(.imuGap) { return nil }
            let rate = sample.angularRateRadiansPerSecond
            if heldRate == nil || !faults.contains(.gyroStuck) { heldRate = rate }
            sample.angularRateRadiansPerSecond = heldRate ?? rate
            if faults.contains(.gyroClipped) {
                for axis in 0..<3 {
                    sample.angularRateRadiansPerSecond[axis] = min(max(rate[axis], -Self.clippedRate), Self.clippedRate)
                }
            }
            return .inertial(sample)
        case .gnss(let fix): return .gnss(spoiled(fix, faults, at: time))
        default: return event
        }
    }

    private func spoiled(_ fix: GnssFix, _ faults: [Scenario.Fault.Kind], at time: Double) -> GnssFix {
        var fix = fix
        let sum = Self.utcAtStart.addingReportingOverflow(fix.validityTime.nanoseconds)
        fix.utcNanoseconds = sum.overflow ? nil : sum.partialValue
        if scenario.jamming.contains(where: { $0.contains(time) }) { fix.isInterfered = true }
        if heldFix == nil || !faults.contains(.receiverStuck) { heldFix = fix }
        if let heldFix {
            (fix.latitudeRadians, fix.longitudeRadians) = (heldFix.latitudeRadians, heldFix.longitudeRadians)
        }
        if faults.contains(.receiverJump) { fix.latitudeRadians = fix.latitudeRadians.map { $0 + Self.jumpRadians } }
        if faults.contains(.noVelocity) { (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil) }
        if faults.contains(.noAccuracy) { (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (nil, nil) }
        return fix
    }
}
