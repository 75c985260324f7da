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

    @Test(arguments: [(20.0, true), (45, false)])
    func twoJumpsWithinHalfAMinuteAreTheFiltersFault(pause: Double, isFault: Bool) throws {
        // GIVEN a drive with a good receiver that lies a constant way off for some time: the estimate jumps twice
        var suite = SensorSuite()
        suite.inertial?.errors = .automotive
        suite.satellite = .rtk
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 12)), sensors: suite, seed: 5)
        var estimator = PoseEstimator()
        var jumps: [Double] = []
        var areAgain: [Bool] = []
        for event in simulated where jumps.count < 2 {
            _ = estimator.ingest(event.shifted(by: Vector3(60, -40, 25), after: 100, until: 100 + pause))
            if estimator.estimate.resetCount > jumps.count {
                jumps.append(event.arrivalTime.seconds)
                areAgain.append(estimator.filter.hasJumpedAgain)
            }
        }
        // WHEN the second jump is less or more than 30 s after the first one (docs/math.md, eq. 6.3)
        try #require(jumps.count == 2)
        #expect((jumps[1] - jumps[0] < 30) == isFault && jumps[1] - jumps[0] < 60, "\(jumps)")
        // THEN only in the first case the heading is in doubt
        #expect(areAgain == [false, isFault])
    }

    @Test(arguments: [(true, true), (false, true), (true, false)])
    func aFilterThatStopsAnnouncesTheWayToItsLastFix(knowsHeight: Bool, knowsHeading: Bool) {
        // GIVEN a running filter that points east at a height of 400 m, and a last fix 30 m to the east, 40 m to the
        // north and 25 m above it, of a vehicle that goes north WHEN the filter stops
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let (time, there) = (MonotonicTime(nanoseconds: 5_000_000_000), place.moved(byENU: Vector3(30, 40, 0)))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (425, 2)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
        fix.speedSigmaMetersPerSecond = 0.1
        var estimator = PoseEstimator()
        (estimator.lifeCycle, estimator.lastFix, estimator.estimate.time) = (.navigating, fix, time)
        (estimator.estimate.position, estimator.estimate.isAltitudeKnown) = (place, knowsHeight)
        (estimator.estimate.bodyToENU, estimator.estimate.headingSigmaRadians) = (
            Quaternion.identity, knowsHeading ? 0.02 : nil
        )
        estimator.stopFilter()
        // THEN one jump is announced: the way to the fix, up where both know their height, and a quarter turn to the
        // left where both know their heading
        let jump = estimator.pastResets
        #expect(jump.count == 1)
        #expect((jump.deltaENU - Vector3(30, 40, knowsHeight ? 25 : 0)).length < 0.01, "\(jump.deltaENU)")
        #expect(abs(jump.deltaHeading - (knowsHeading ? -Double.pi / 2 : 0)) < 1e-9, "\(jump.deltaHeading)")
    }
}

extension SensorEvent {
    /// The event; a fix that was valid between two times lies off by a way east, north, up, metres.
    fileprivate func shifted(
        by way: Vector3, after seconds: Double, until end: Double = .infinity
    ) -> SensorEvent {
        guard case .gnss(var fix) = self, fix.validityTime.seconds > seconds, fix.validityTime.seconds <= end,
            let latitude = fix.latitudeRadians,
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
