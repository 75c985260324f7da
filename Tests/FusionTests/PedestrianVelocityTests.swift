import Glibc
import PoseMath
import Testing

@testable import Fusion

/// What a walk teaches, step by step.
@Suite struct PedestrianVelocityTests {
    /// Time between two velocities, seconds.
    private static let interval = 0.125

    /// Straight on at 2 steps a second, the sensor's axes east, north and up.
    private static func learn(_ model: inout PedestrianVelocity, _ speed: Double, seconds: Double) {
        for _ in 0..<Int(seconds / interval) {
            let motion = model.motion(
                stepsPerSecond: 2, angularRate: .zero, sensorToENU: .identity, seconds: interval)
            model.learn(velocityENU: Vector3(speed, 0, 0), from: motion, seconds: interval)
        }
    }

    @Test func aWalkIsKnownAfterThreeSeconds() {
        // GIVEN a person who walks at 1.4 m/s, 0.7 m a step
        var model = PedestrianVelocity()
        Self.learn(&model, 1.4, seconds: 2.875)
        #expect(!model.isKnown)
        Self.learn(&model, 1.4, seconds: 0.125)
        #expect(model.isKnown)
        // THEN its variance is the first one until two seconds have been learned from, and falls to the least one
        #expect(PedestrianVelocity().variance == 0.4 * 0.4)
        Self.learn(&model, 1.4, seconds: 80)
        #expect(model.variance == 0.1 * 0.1)
        // THEN the step is that of the walk: what is left of its first sigma is less than 1 %
        #expect(abs(model.stepInSensor.x - 0.7) < 0.01 && abs(model.stepInSensor.y) < 0.01)
    }

    @Test func theVarianceIsEstimatedFromTheThirdSecondOn() {
        // GIVEN velocities that turn round each time, which no step explains
        var model = PedestrianVelocity()
        func learnNonsense(seconds: Double) {
            for k in 0..<Int(seconds / Self.interval) {
                Self.learn(&model, k % 2 == 0 ? 2.5 : -2.5, seconds: Self.interval)
            }
        }
        learnNonsense(seconds: 2.125)
        #expect(model.variance == 0.4 * 0.4)
        learnNonsense(seconds: 0.125)
        #expect(model.variance > 0.4 * 0.4)
        // THEN it grows towards half the square of 2.5 m/s with 15 s, and beyond 0.6 m/s the walk is not known
        learnNonsense(seconds: 20 - Self.interval)
        let expected = 3.125 - (3.125 - 0.16) * exp(-20.0 / 15)
        // The step follows each velocity a little.
        #expect(abs(model.variance / expected - 1) < 0.05, "\(model.variance) \(expected)")
        #expect(!model.isKnown && model.learnedSeconds > 20)
    }

    @Test func aRideTakesAwayWhatWasLearned() {
        // GIVEN a person who has walked for more than a minute, which counts as a minute
        var model = PedestrianVelocity()
        Self.learn(&model, 1.4, seconds: 70)
        #expect(model.learnedSeconds == 60)
        // WHEN the speed is just below 1.5 m a step THEN that is a walk; from there on it is a ride, which takes two
        // seconds away for each second
        Self.learn(&model, 2.99, seconds: 10)
        #expect(model.learnedSeconds == 60)
        Self.learn(&model, 3, seconds: 10)
        #expect(model.learnedSeconds == 40)
        Self.learn(&model, 12, seconds: 30)
        #expect(model.learnedSeconds == 0 && !model.isKnown)
    }

    @Test func theMeanRateOfTurnFollowsInASecond() {
        // GIVEN a turn to the left of a sensor that lies on its side THEN the rate about the vertical counts, and its
        // mean follows with a second
        var model = PedestrianVelocity()
        let onItsSide = Quaternion(rotationVector: Vector3(.pi / 2, 0, 0))
        var motion: PedestrianVelocity.Motion?
        for _ in 0..<100 {
            motion = model.motion(
                stepsPerSecond: 2, angularRate: Vector3(0.3, 0.8, 0.1), sensorToENU: onItsSide, seconds: 0.01)
        }
        #expect(abs((motion?.turn ?? 0) - 0.8) < 1e-12)
        // Steps of a hundredth instead of the exponential function: 1 - 0.99^100.
        #expect(abs((motion?.slowTurn ?? 0) - 0.8 * (1 - pow(0.99, 100))) < 1e-9)
    }

    @Test func velocitiesOfABentWalkHaveTheStoredModel() {
        // GIVEN a walk of curves with a sensor ahead of the body, whose speed has an error THEN the model is the stored
        // one
        var model = PedestrianVelocity()
        var heading = 0.0
        for k in 0..<400 {
            let turn = 0.4 * sin(0.05 * Double(k))
            heading += turn * Self.interval
            let attitude = Quaternion(rotationVector: Vector3(0, 0, heading))
            let motion = model.motion(
                stepsPerSecond: 1.9, angularRate: Vector3(0, 0, turn), sensorToENU: attitude, seconds: Self.interval)
            let forward = 1.4 - 0.2 * abs(turn) + 0.3 * sin(2.1 * Double(k))
            let velocity = attitude.rotate(Vector3(forward, 0.35 * turn, 0))
            model.learn(velocityENU: velocity, from: motion, seconds: Self.interval)
        }
        let probe = PedestrianVelocity.Motion(
            stepsPerSecond: 1.9, turn: 0.4, slowTurn: 0.3, sensorToENU: .identity)
        let velocity = model.velocityENU(probe)
        // The walk's own velocity there is (1.32, 0.14).
        #expect(abs(velocity.x - 1.3434765472813963) < 1e-9 && abs(velocity.y - 0.1345589224760318) < 1e-9)
        #expect(abs(model.variance - 0.02873930699942778) < 1e-9)
        #expect((model.stepInSensor - Vector3(0.7261237730815124, 0.0007244120443649033, 0)).length < 1e-9)
    }

    @Test(arguments: [(0.82, 0.336_7, true), (0.88, 0.387_8, false), (1.3, 0.845_8, false)])
    func aWalkIsUnknownFromSixTenthsOfAMeterASecondOn(speed: Double, variance: Double, isKnown: Bool) {
        // GIVEN two minutes of velocities that turn round each time, which no step explains THEN the variance is half
        // of the square of their speed, and 0.2 % that the step follows; the walk is known below 0.36 m2/s2
        var model = PedestrianVelocity()
        for k in 0..<960 { Self.learn(&model, k % 2 == 0 ? speed : -speed, seconds: Self.interval) }
        #expect(abs(model.variance - variance) < 1e-4, "\(model.variance)")
        #expect(model.isKnown == isKnown && model.learnedSeconds == 60)
    }
}
