import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// An arm of the antenna that no vehicle has is given up (docs/math.md, eq. 5.32).
@Suite struct RefutedArmTests {
    @Test func anArmThatNoVehicleHasIsGivenUp() {
        // GIVEN a filter that has found an arm of 7 m, where the settings have the antenna beside the IMU
        var filter = NavigationFilter(believing: SIMD2(7, -1))
        filter.coupleAntennaArm()
        let (place, antenna) = (filter.state.position, filter.antennaENU)
        // WHEN the next fix has no velocity and no position THEN the arm is what was told, the antenna is where it was,
        // and the jump is announced
        let time = filter.state.time
        filter.fuse(
            GnssFix(validityTime: time, arrivalTime: time, mode: .none), forceHistory: VectorHistory())
        #expect(filter.state.antennaArmMeters == .zero)
        let sigma = filter.antennaArm.sigmaMeters
        #expect(abs(sigma.x - Tuning.Antenna.toldSigma) < 1e-9 && abs(sigma.y - Tuning.Antenna.toldSigma) < 1e-9)
        let moved = place.surfaceOffsetMeters(to: filter.state.position)
        #expect(abs(moved.east - antenna.x) < 1e-6 && abs(moved.north - antenna.y) < 1e-6 && antenna.x == 7)
        #expect(filter.reset.count == 1 && abs(filter.reset.deltaENU.x - 7) < 1e-6)
        // AND the IMU's place is as unsure as the arm
        #expect(abs(filter.covariance[.position.x, .position.x].squareRoot() - Tuning.Antenna.toldSigma) < 0.01)
    }

    @Test func whatIsKnownOfTheAntennaSurvivesAnArmThatIsGivenUp() {
        // GIVEN a filter whose place was taken from an antenna 7 m ahead, which it knows to 1 cm, in a vehicle that is
        // known to a degree, and turned by 40 degrees
        var filter = NavigationFilter(believing: SIMD2(7, -1))
        filter.state.sensorToENU = Quaternion(rotationVector: Vector3(0, 0, 0.7))
        filter.covariance.restart(.attitude, variance: 3e-4)
        filter.covariance.restart(.mount, variance: 1e-4)
        filter.coupleAntennaArm()
        /// Variance of the antenna's place on an axis.
        func antennaVariance(_ axis: Int) -> Double {
            var row = filter.antennaRows[axis]
            row.add(.position[axis], 1)
            return filter.covariance.variance(of: row)
        }
        for axis in 0..<2 { #expect(abs(antennaVariance(axis) - 1e-4) < 1e-12) }
        // WHEN that arm is given up THEN the antenna is known as well as before, where the place of the IMU is as
        // unsure as the arm that was told, and no longer tied to the heading, which turns no arm now; rounding of
        // 1e-16 m2
        filter.refuteAntennaArm()
        for axis in 0..<2 {
            #expect(abs(antennaVariance(axis) - 1e-4) < 1e-12, "\(antennaVariance(axis))")
            #expect(abs(filter.covariance[.position[axis], .attitude.z]) < 1e-15)
        }
        let told = Tuning.Antenna.toldSigma * Tuning.Antenna.toldSigma
        #expect(abs(filter.covariance[.position.x, .position.x] - told - 1e-4) < 1e-12)
    }

    @Test func anArmThatIsNotEstimatedIsNotGivenUp() {
        // GIVEN a boat whose first antenna is told to be 8 m ahead of the IMU WHEN another receiver is used, of which
        // nothing is told THEN the arm is kept: on a boat none is found
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: Vector3(8, 0, 3), profile: .boat)
        filter.receiver = 1
        filter.refuteAntennaArm()
        #expect(filter.state.antennaArmMeters == SIMD2(8, 0) && filter.reset.count == 0)
    }

    @Test(arguments: [(1.9, 1.5, true), (2.1, 1.5, false), (0.2, 7.9, true), (0.2, 8.1, false)])
    func onAPersonWhoRidesNoneIsFound(arm: Double, speed: Double, isKept: Bool) {
        // GIVEN an arm on a person, who has told none, walks, and runs, or rides
        var settings = FusionSettings()
        settings.profile = .wearable
        var filter = NavigationFilter(idleWith: settings)
        filter.state.velocityENU = Vector3(speed, 0, 0)
        filter.restartAntennaArm(AntennaArm(meters: SIMD2(arm, 0), sigmaMeters: SIMD2(0.2, 0.2)))
        // WHEN it is longer than a person, or faster than anybody runs THEN it is taken for none from then on; a move
        // of the place by more than 0.3 m is announced
        filter.refuteAntennaArm()
        #expect((filter.state.antennaArmMeters.x == arm) == isKept)
        #expect((filter.antennaArm.sigmaMeters.x == 0.2) == isKept)
        #expect(isKept || (filter.antennaArm.sigmaMeters.x == 0.03 && filter.state.antennaArmMeters == .zero))
        #expect(filter.reset.count == (!isKept && arm > 0.3 ? 1 : 0))
        // AND that is done once
        filter.refuteAntennaArm()
        #expect(filter.reset.count < 2)
    }

    @Test func anArmNearItsPriorStays() {
        // GIVEN arms that a car may have, and one of a bus that was told THEN nothing is given up
        for (arm, told) in [(SIMD2(3.5, 1.5), .zero), (SIMD2(9, 0), Vector3(8, 0, 3))] {
            var filter = NavigationFilter(believing: arm, told: told)
            filter.refuteAntennaArm()
            #expect(filter.state.antennaArmMeters == arm && filter.reset.count == 0)
        }
    }
}
