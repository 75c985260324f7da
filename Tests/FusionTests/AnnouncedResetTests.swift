import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The announced jump is the way from the old place to the new one: east, north and up positive.
@Suite struct AnnouncedResetTests {
    @Test(arguments: [Vector3(60, -40, 25), Vector3(-45, 50, -20)])
    func theDeltaPointsFromTheOldPlaceToTheNewOne(shift: Vector3) throws {
        // GIVEN a drive with a good receiver that from the 100th second on lies a constant way off (its velocity stays
        // right), until the estimate jumps
        var suite = SensorSuite()
        suite.inertial?.errors = .automotive
        suite.satellite = .rtk
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 8)), sensors: suite, seed: 5)
        var estimator = PoseEstimator()
        var before = estimator.estimate
        for event in simulated {
            _ = estimator.ingest(event.shifted(by: shift, after: 100))
            guard estimator.estimate.resetCount == before.resetCount else { break }
            before = estimator.estimate
        }
        // WHEN it does
        let after = estimator.estimate
        #expect(after.resetCount == 1 && before.resetCount == 0)
        // THEN the announced delta is what the position moved by, up to the way driven in the meantime (less than
        // 2 m), on each axis with its sign
        let (old, new) = (try #require(before.position), try #require(after.position))
        let moved = old.surfaceOffsetMeters(to: new)
        let delta = after.resetDeltaENUMeters
        let up = new.altitudeEllipsoidMeters - old.altitudeEllipsoidMeters
        #expect((delta - Vector3(moved.east, moved.north, up)).length < 2, "\(delta) and \(moved), \(up)")
        for axis in 0..<2 { #expect(delta[axis] * shift[axis] > 0.5 * shift[axis] * shift[axis], "axis \(axis)") }
    }
}

extension SensorEvent {
    /// The event; a fix that was valid after a time lies off by a way east, north, up, metres.
    fileprivate func shifted(by way: Vector3, after seconds: Double) -> SensorEvent {
        guard case .gnss(var fix) = self, fix.validityTime.seconds > seconds, let latitude = fix.latitudeRadians,
            let longitude = fix.longitudeRadians, let altitude = fix.altitudeEllipsoidMeters
        else { return self }
        let place = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: altitude)
        let moved = LocalFrame(origin: place).position(ofENUMeters: way)
        (fix.latitudeRadians, fix.longitudeRadians) = (moved.latitudeRadians, moved.longitudeRadians)
        fix.altitudeEllipsoidMeters = moved.altitudeEllipsoidMeters
        return .gnss(fix)
    }
}
