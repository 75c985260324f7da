import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Simulation

/// An IMU whose holder turns in the body.
@Suite struct HolderTurnTests {
    @Test func theSensorSeesItsOwnTurnAndGravityFromAnotherSide() throws {
        // GIVEN a perfect IMU in a vehicle that stands WHEN its holder rolls by 0.6 rad within 2 s, from 1 s on
        var suite = SensorSuite()
        suite.inertial?.errors = .perfect
        suite.inertial?.holderTurn = SensorSuite.HolderTurn(
            begin: 1, seconds: 2, rotationVector: Vector3(0.6, 0, 0))
        var plan = DrivePlan.random(seed: 3, edges: 2)
        plan.standingSecondsBefore = 10
        plan.hillHeightMeters = 0
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 3)
        let samples = simulated.prefix { $0.arrivalTime.seconds < 5 }.compactMap { event -> InertialSample? in
            if case .inertial(let sample) = event { sample } else { nil }
        }
        // THEN it feels a rate of 0.3 rad/s in that time, and none before and after
        let still = samples.filter { $0.time.seconds <= 1 || $0.time.seconds >= 3 }
        let turning = samples.filter { $0.time.seconds > 1.001 && $0.time.seconds < 2.999 }
        #expect(still.count > 200 && turning.count > 150)
        for sample in still { #expect(sample.angularRateRadiansPerSecond.length < 1e-3) }
        for sample in turning {
            #expect((sample.angularRateRadiansPerSecond - Vector3(0.3, 0, 0)).length < 1e-3)
        }
        // AND gravity, upwards before, from its left side then: sin 0.6 of it
        let (first, last) = (try #require(samples.first), try #require(samples.last))
        #expect((first.specificForceMetersPerSecondSquared - Vector3(0, 0, 9.8)).length < 0.05)
        let turned = Quaternion(rotationVector: Vector3(-0.6, 0, 0)).rotate(first.specificForceMetersPerSecondSquared)
        #expect((last.specificForceMetersPerSecondSquared - turned).length < 1e-3)
        #expect(turned.y > 5.5)
    }
}
