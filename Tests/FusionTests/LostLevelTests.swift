import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A level that is wrong by far more than its sigma, and what the receiver's speed tells about it.
@Suite struct LostLevelTests {
    /// A vehicle that stands. After 30 s its level is wrong by an angle and its velocity by 60 m/s, as after minutes of
    /// a gyro whose samples are aliased. The largest tilt error from 45 s on, radians, and how often the search began
    /// anew. `watch` sees the filter after each sample.
    private func error(
        tilt: Double, speed: Double?, watch: (AttitudeFilter) -> Void = { _ in }
    ) -> (radians: Double, restarts: Int) {
        var random = RandomSource(seed: 5, use: 31)
        var filter = AttitudeFilter(profile: .vehicle)
        var largest = 0.0
        for k in 0..<6000 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 10_000_000)
            if k == 3000 { filter.velocity = Vector3(60, 0, 0) }
            // The wrong rate lasts for a quarter of a second.
            let wrong = (3000..<3025).contains(k) ? Vector3(tilt / 0.25, 0, 0) : .zero
            let sample = InertialSample(
                time: time, angularRateRadiansPerSecond: random.gaussianVector() * 0.002 + wrong,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665) + random.gaussianVector() * 0.03)
            if let speed, k % 100 == 0 { filter.note(speed: speed, sigma: 0.3, at: time) }
            filter.update(sample, still: false, meanAngularRate: .zero)
            watch(filter)
            guard time.seconds >= 45, let level = filter.sensorToLevel else { continue }
            largest = max(largest, level.rotate(.unitZ).cross(.unitZ).length)
        }
        return (largest, filter.restartCount)
    }

    @Test(arguments: [0.5, 0.8, -0.6]) func theReceiversSpeedEndsIt(tilt: Double) {
        // GIVEN a level that is wrong by 30 to 45 deg, and a velocity of 60 m/s from it WHEN the receiver states that
        // the vehicle hardly moves THEN the search begins anew, and the level is right within 15 s, to the 5 deg that a
        // level found in motion has
        let found = error(tilt: tilt, speed: 0.2)
        #expect(found.restarts == 1)
        #expect(found.radians < 0.09)
        // AND without a receiver that is a velocity that a vehicle may have
        #expect(error(tilt: tilt, speed: nil).restarts == 0)
    }

    @Test func whileTheLevelIsSearchedAnewNothingIsKnown() {
        // GIVEN a level that is wrong by 30 deg WHEN the receiver shows it, and the search begins anew THEN neither the
        // level nor the bias of the gyro counts as known until it has ended, three seconds later
        var (searched, unknown) = (0, 0)
        _ = error(tilt: 0.5, speed: 0.2) { filter in
            guard filter.restartCount == 1, !filter.isRunning else { return }
            searched += 1
            if filter.findings.tiltSigma > 0.1, !filter.isBiasKnown, filter.gyroBiasSigma > 0.01 { unknown += 1 }
        }
        #expect(searched > 250 && unknown == searched, "\(unknown) of \(searched)")
    }

    @Test func aFastVehicleWithARightLevelIsLeftAlone() throws {
        // GIVEN a simulated drive with brisk acceleration WHEN the receiver states its speed THEN the search never
        // begins anew
        var plan = DrivePlan.random(seed: 9, edges: 8)
        plan.accelerationMetersPerSecondSquared = 3.5
        plan.brakingMetersPerSecondSquared = 4
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: SensorSuite(), seed: 9)
        var filter = AttitudeFilter(profile: .vehicle)
        for event in simulated {
            switch event {
            case .inertial(let sample): filter.update(sample, still: false, meanAngularRate: .zero)
            case .gnss(let fix):
                guard let velocity = fix.horizontalVelocity else { continue }
                filter.note(speed: velocity.speedMetersPerSecond, sigma: 0.1, at: fix.validityTime)
            default: break
            }
        }
        #expect(filter.restartCount == 0)
    }
}
