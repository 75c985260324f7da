import Geodesy
import PoseMath
import Testing

@testable import Simulation

/// Consistency of the truth of walks.
@Suite struct WalkTests {
    @Test(arguments: [0.0, 0.5]) func walkTruthIsConsistent(swing: Double) {
        // GIVEN a walk with a held or a swinging arm
        var plan = WalkPlan()
        plan.armSwingRadians = swing
        plan.seed = 5
        let walk = Walk(plan)
        // WHEN velocity, acceleration and angular rate are integrated by Simpson's rule over ten seconds of gait
        let h = 0.005
        var (moved, gained) = (Vector3.zero, Vector3.zero)
        var attitude = walk.truth(atSeconds: 20).bodyToENU
        for k in 0..<2000 {
            let t = 20 + Double(k) * h
            let (a, b, c) = (walk.truth(atSeconds: t), walk.truth(atSeconds: t + h / 2), walk.truth(atSeconds: t + h))
            moved +=
                (a.velocityENUMetersPerSecond + b.velocityENUMetersPerSecond * 4 + c.velocityENUMetersPerSecond)
                * (h / 6)
            gained +=
                (a.accelerationENUMetersPerSecondSquared + b.accelerationENUMetersPerSecondSquared * 4
                    + c.accelerationENUMetersPerSecondSquared)
                * (h / 6)
            attitude = attitude * Quaternion(rotationVector: b.angularRateBodyRadiansPerSecond * h)
        }
        let (start, end) = (walk.truth(atSeconds: 20), walk.truth(atSeconds: 30))
        // THEN they give the same position, velocity and attitude: 0.1 mm, 1 mm/s; the gyro also measures the Earth's
        // rotation, 0.042 deg in 10 s
        #expect((moved - (end.positionENUMeters - start.positionENUMeters)).length < 1e-4)
        #expect((gained - (end.velocityENUMetersPerSecond - start.velocityENUMetersPerSecond)).length < 1e-3)
        #expect((attitude.inverse * end.bodyToENU).rotationVector.length < 0.06.degreesInRadians)
    }

    @Test func standsBeforeTheWalk() {
        let truth = Walk(WalkPlan()).truth(atSeconds: 2)
        #expect(truth.velocityENUMetersPerSecond.length < 1e-9)
        #expect(abs(truth.specificForceBodyMetersPerSecondSquared.length - 9.8) < 0.05)
    }

    @Test func sameSeedSameEvents() {
        let walk = Walk(WalkPlan())
        let one = Array(SimulatedWalk(walk: walk, sensors: SensorSuite(), seed: 3).prefix(500))
        let two = Array(SimulatedWalk(walk: walk, sensors: SensorSuite(), seed: 3).prefix(500))
        #expect(one == two)
    }
}
