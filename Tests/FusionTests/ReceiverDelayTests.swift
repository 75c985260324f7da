import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// What a receiver is behind by, and what is published of it.
@Suite struct ReceiverDelayTests {
    private func driven(seed: UInt64, _ change: (inout SatelliteReceiver) -> Void) throws -> PoseEstimator {
        var plan = DrivePlan.random(seed: seed, edges: 10)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite = .rtk
        suite.satellite?.rateHertz = 1
        if var receiver = suite.satellite {
            change(&receiver)
            suite.satellite = receiver
        }
        var estimator = PoseEstimator()
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) { _ = estimator.ingest(event) }
        return estimator
    }

    @Test(arguments: [UInt64(1), 2, 3, 4], [0.05, 0.13, 0.25]) func theSmoothingOfAVelocityIsFoundWithOneFixASecond(seed: UInt64, seconds: Double)
        throws
    {
        // GIVEN a receiver that smooths its velocity WHEN it is driven with for some minutes THEN the time constant is found: corrections made by a fix
        // a second, if they counted as felt, would halve it
        let estimator = try driven(seed: seed) {
            $0.velocitySmoothingSeconds = seconds; $0.climbSmoothingSeconds = 2.5 * seconds
        }
        #expect(abs(estimator.filter.state.velocityLagSeconds - seconds) < 0.02)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aLatePositionIsFound(seed: UInt64) throws {
        // GIVEN a position that is late by 50 ms THEN the lag is found to what an antenna a hand's breadth away looks like
        let estimator = try driven(seed: seed) { $0.positionLagSeconds = 0.05 }
        #expect(abs(estimator.filter.state.positionLagSeconds - 0.05) < 0.01)
    }

    private func state(lag: Double) -> NavigationState {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11),
            velocityENU: Vector3(20, 0, 0),
            sensorToENU: .identity)
        state.positionLagSeconds = lag
        state.angularRateSensor = Vector3(0, 0, 0.5)
        return state
    }

    @Test func aDelayOfTheIMUMovesOnAndAFewMillisecondsAreTheAntennas() {
        func moved(_ lag: Double) -> Double {
            state(lag: lag).position.surfaceOffsetMeters(to: state(lag: lag).asReceived(lagSigma: 0.001, isAntennaKnown: false).position).east
        }
        // GIVEN 20 m/s THEN a receiver that seems early moves place and heading on, one that is late by some milliseconds takes the place back, one that is late by more does not
        #expect(abs(moved(-0.031) - 0.6) < 1e-6)
        #expect(
            abs(
                EulerAngles(bodyToENU: state(lag: -0.031).asReceived(lagSigma: 0.001, isAntennaKnown: false).sensorToENU).headingTrueRadians
                    - (.pi / 2 - 0.015)) < 1e-9)
        #expect(abs(moved(0.004) + 0.08) < 1e-6)
        #expect(state(lag: 0.004).asReceived(lagSigma: 0.001, isAntennaKnown: false).sensorToENU == .identity)
        #expect(abs(moved(0.015) + 0.1) < 1e-6)
        #expect(moved(0.2) == 0)
        #expect(
            state(lag: 0.01).asReceived(lagSigma: 0.001, isAntennaKnown: true).position == state(lag: 0).position, "an antenna that was told is told")
        #expect(state(lag: -0.02).asReceived(lagSigma: 0.03, isAntennaKnown: false).position == state(lag: 0).position, "what nothing shows is none")
    }

    @Test func theTyresSlipIsPartOfTheDirection() {
        // GIVEN a left turn of 2 m/s2 at 10 m/s and tyres that slip by 0.004 rad for each m/s2 THEN what is published points 0.008 rad to the outside of it
        var turning = state(lag: 0)
        (turning.velocityENU, turning.meanYawRate, turning.sideslip) = (Vector3(10, 0, 0), 0.2, 0.004)
        #expect(abs(turning.drivenToVehicle.rotationVector.z + 0.008) < 1e-9)
        turning.sideslip = 0
        #expect(turning.drivenToVehicle == .identity)
    }
}
