import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How the errors of the initial state are correlated.
@Suite struct StartCouplingTests {
    /// A filter at rest in east-north-up.
    private static func started() -> NavigationFilter {
        NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0),
                velocityENU: Vector3(10, 0, 0), sensorToENU: .identity),
            leverArm: .zero)
    }

    @Test func theStartKnowsTheErrorsOfWhatCarriedIt() {
        // GIVEN a filter that starts 5 s after its velocity, which has changed by (3, -4) m/s, and 4 s after its place
        var filter = Self.started()
        let before = filter.covariance
        // WHEN its covariance gets the errors of the extrapolation
        filter.coupleExtrapolation(placeSeconds: 4, velocitySeconds: 5, gained: Vector3(3, -4, 0))
        // THEN the east velocity has those of the heading (0.1 rad), of gravity for 5 s at a level of 0.1 rad, and of
        // the accelerometer for 5 s; the place has what an even acceleration makes of them from 1 s to 5 s, over 5 s:
        // 12 / 5, beside the velocity's own (1 m/s) for 4 s
        var was = before
        let bias = was[.accelerometerBias.x, .accelerometerBias.x].squareRoot()
        let errors = Vector3(0.1 * 4.0, 0.1 * 9.80665 * 5, bias * 5)
        let velocity = filter.covariance[.velocity.x, .velocity.x] - was[.velocity.x, .velocity.x]
        let place = filter.covariance[.position.x, .position.x] - was[.position.x, .position.x]
        #expect(abs(velocity - errors.lengthSquared) < 1e-9)
        #expect(abs(place - 16 - 2.4 * 2.4 * errors.lengthSquared) < 1e-9)
        // AND it is a covariance
        let isHealthy = filter.isHealthy()
        #expect(isHealthy)
    }

    @Test func aFixThatAgreesWithTheStartProvesNoLevel() {
        // GIVEN a filter that starts with a velocity of 0.9 s ago, at which a level of 0.1 rad has carried it on
        var filter = Self.started()
        let lag = 0.9
        let before = filter.covariance[.attitude.y, .attitude.y]
        filter.coupleExtrapolation(placeSeconds: lag, velocitySeconds: lag, gained: .zero)
        // WHEN the same velocity is fused as one that is as late
        let force = LagForce(
            seconds: lag, velocity: Vector3(0, 0, InertialSample.standardGravity * lag), way: .zero)
        let seen = filter.velocityComponent(0, observed: 10, seen: 10, slope: 0, sigma: 0.1, force: force)
        filter.fuse(.gnssVelocity, seen, gate: .infinity)
        // THEN the level is known no better: it cancels out of what was seen
        #expect(abs(filter.covariance[.attitude.y, .attitude.y] / before - 1) < 1e-6)
    }

    @Test func theHeightHasNoErrorOfTheExtrapolation() {
        // GIVEN a filter WHEN place and velocity were carried on to its start THEN those of the height were not
        var filter = Self.started()
        let elements = [FilterState.position.z, .velocity.z]
        let before = elements.map { filter.covariance[$0, $0] }
        filter.coupleExtrapolation(placeSeconds: 4, velocitySeconds: 5, gained: Vector3(3, -4, 2))
        let after = elements.map { filter.covariance[$0, $0] }
        #expect(after == before)
    }

    @Test func anErrorOfTheMountIsOneOfTheLevelThatFollowedIt() throws {
        // GIVEN a vehicle that points to the north, its mount known to 0.1 rad, and to 0.2 rad about its vertical WHEN
        // its level was derived from that, its lean known to 0.05 rad and its course to 0.5 rad
        let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0)
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 0)
        let known = try #require(GNSSPositionFilter(fix: fix))
        let state = NavigationState(
            time: time, position: place, velocityENU: Vector3(0, 10, 0),
            sensorToENU: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        var filter = NavigationFilter(
            state: state,
            sigma: NavigationFilter.StartSigmas(
                position: known, velocity: 1, tilt: 0.3, heading: 0.3,
                gyroBias: Vector3(repeating: 0.01), isLevelKnown: true, mountTilt: 0.1, mountHeading: 0.2,
                coupling: .independent, levelFromMount: (slope: 0.05, heading: 0.5)),
            settings: FusionSettings())
        // THEN the level has the mount's error beside its own, and so has the heading up to that of the course
        let sigmas = filter.covariance.sigma(of: .attitude)
        #expect(abs(sigmas.x * sigmas.x - 0.0125) < 1e-9 && abs(sigmas.y * sigmas.y - 0.0125) < 1e-9)
        #expect(abs(sigmas.z * sigmas.z - 0.25) < 1e-9)
        // AND both are one error: the vehicle's left is west, its front is north
        let shared: [(FilterState, FilterState, Double)] = [
            (.attitude.x, .mount.y, -0.01), (.attitude.y, .mount.x, 0.01), (.attitude.z, .mount.z, 0.04),
            (.attitude.x, .mount.x, 0), (.attitude.y, .mount.z, 0),
        ]
        for (level, mount, covariance) in shared {
            #expect(abs(filter.covariance[level, mount] - covariance) < 1e-9, "\(level) \(mount)")
            #expect(abs(filter.covariance[mount, level] - covariance) < 1e-9, "\(level) \(mount)")
        }
    }

    @Test func aLagThatIsUnsureMovesThePlace() {
        // GIVEN a filter at (3, 4, 1) m/s WHEN its lag becomes unsure by 0.1 s THEN so does its place by that way, and
        // a smoother is told that it has changed by as much
        var filter = Self.started()
        filter.covariance.restart(.position, variance: 1)
        filter.covariance.restart(.positionLag, variance: 0)
        filter.forgotten = StateArray(repeating: 0)
        filter.addPositionLagVariance(0.01, velocity: Vector3(3, 4, 1))
        for (axis, forgotten) in [0.09, 0.16, 0.01].enumerated() {
            let place = FilterState.position[axis]
            #expect(abs(filter.covariance[place, place] - 1 - forgotten) < 1e-12)
            #expect(abs(filter.forgotten[place.index] - forgotten) < 1e-12)
        }
    }

    @Test(arguments: [(0.05, 0.01), (0.2, 0.04)]) func lagsThatWereFoundMoveThePlace(sigma: Double, variance: Double) {
        // GIVEN a filter at (3, 4, 1) m/s WHEN the lag of its receiver's velocity was found to some sigma and that of
        // the position to 0.05 s beyond the 0.002 s of any, the errors of both having 0.004 s2 in common
        var filter = Self.started()
        filter.covariance.restart(.position, variance: 1)
        let velocity = Vector3(3, 4, 1)
        filter.coupleLags(
            ReceiverLags(
                velocity: 0.1, velocitySigma: sigma, positionSigma: 0.05, covariance: 0.004, difference: 0.1),
            velocity: velocity, lagPerMeter: 0.2)
        // THEN the velocity's is no surer than the 0.1 s of any receiver
        let (late, position, both) = (
            filter.covariance[.velocityLag, .velocityLag], filter.covariance[.positionLag, .positionLag],
            filter.covariance[.velocityLag, .positionLag]
        )
        #expect(abs(late - variance) < 1e-12 && abs(position - 0.002_504) < 1e-12 && both == 0.004)
        // AND the place has the errors of both by the way that it was moved on
        for axis in 0..<3 {
            let place = FilterState.position[axis]
            let (own, shared) = (filter.covariance[place, .positionLag], filter.covariance[place, .velocityLag])
            #expect(abs(own - 0.0025 * velocity[axis]) < 1e-12 && abs(shared - 0.004 * velocity[axis]) < 1e-12)
            #expect(filter.covariance[.velocityLag, place] == shared && filter.covariance[.positionLag, place] == own)
        }
        let across = filter.covariance[.position.x, .position.y]
        #expect(abs(across - 0.03) < 1e-12)
        // AND without a motion that has shown them they say nothing of the arm
        let arm = filter.covariance[.antennaArm.x, .velocityLag]
        #expect(arm == 0)
    }

    @Test(arguments: [(0.1, 0.24, 0.008), (0.2, 0.15, 0.02)])
    func aHeadingThatAccelerationsHaveShownCountsByItsSigma(sigma: Double, turned: Double, variance: Double) {
        // GIVEN a heading that is known to 0.2 rad WHEN accelerations have shown another one, 0.3 rad to the left, to
        // half of that or as well THEN four fifths or half of the way are taken, and so much less unsure it is
        var filter = Self.started()
        filter.covariance.restart(.attitude.z, variance: 0.04)
        filter.fuseAccelerationHeading(0.3, sigma: sigma)
        let turn = filter.state.sensorToENU.rotationVector
        #expect((turn - Vector3(0, 0, turned)).length < 1e-12, "\(turn)")
        let left = filter.covariance[.attitude.z, .attitude.z]
        #expect(abs(left - variance) < 1e-12, "\(left)")
    }
}
