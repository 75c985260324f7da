import Geodesy
import PoseMath
import Testing

@testable import Simulation

/// Consistency of the truth of voyages.
@Suite struct VoyageTests {
    private func plan() -> VoyagePlan {
        var plan = VoyagePlan()
        plan.seed = 5
        plan.headingRadians = 1
        plan.manoeuvres = [VoyagePlan.Manoeuvre(begin: 22, seconds: 6, turnRadians: 0.5, speedChange: 1)]
        return plan
    }

    @Test func voyageTruthIsConsistent() {
        // GIVEN a voyage in waves, with a turn
        let voyage = Voyage(plan())
        // WHEN velocity, acceleration and angular rate are integrated by Simpson's rule over ten seconds
        let h = 0.005
        var (moved, gained) = (Vector3.zero, Vector3.zero)
        var attitude = voyage.truth(atSeconds: 20).bodyToENU
        for k in 0..<2000 {
            let t = 20 + Double(k) * h
            let (a, b, c) = (
                voyage.truth(atSeconds: t), voyage.truth(atSeconds: t + h / 2), voyage.truth(atSeconds: t + h)
            )
            moved +=
                (a.velocityENUMetersPerSecond + b.velocityENUMetersPerSecond * 4 + c.velocityENUMetersPerSecond)
                * (h / 6)
            gained +=
                (a.accelerationENUMetersPerSecondSquared + b.accelerationENUMetersPerSecondSquared * 4
                    + c.accelerationENUMetersPerSecondSquared)
                * (h / 6)
            attitude = attitude * Quaternion(rotationVector: b.angularRateBodyRadiansPerSecond * h)
        }
        let (start, end) = (voyage.truth(atSeconds: 20), voyage.truth(atSeconds: 30))
        // THEN they give the same position, velocity and attitude: 0.1 mm, 1 mm/s; the gyro also measures the Earth's
        // rotation, 0.042 deg in 10 s
        #expect((moved - (end.positionENUMeters - start.positionENUMeters)).length < 1e-4)
        #expect((gained - (end.velocityENUMetersPerSecond - start.velocityENUMetersPerSecond)).length < 1e-3)
        #expect((attitude.inverse * end.bodyToENU).rotationVector.length < 0.06.degreesInRadians)
    }

    @Test func theHullDriftsSideways() {
        // GIVEN a hull that points north at 5 m/s, with leeway of 0.5 m/s to the left and no current
        var plan = VoyagePlan()
        (plan.leeway, plan.current, plan.drifting) = (0.5, .zero, 0)
        let voyage = Voyage(plan)
        // THEN it has gone so far to the west after 100 s, but for the waves (heights of 0.5 m, 1-sigma 0.125 m)
        let place = voyage.truth(atSeconds: 100).positionENUMeters - voyage.truth(atSeconds: 0).positionENUMeters
        #expect(abs(place.x + 50) < 1 && abs(place.y - 500) < 1)
    }

    @Test func wavesHaveTheSizesOfThePlan() {
        // GIVEN a voyage of ten minutes WHEN heave and roll are sampled
        let voyage = Voyage(plan())
        var (heave, roll) = (0.0, 0.0)
        for k in 0..<1200 {
            let truth = voyage.truth(atSeconds: Double(k) * 0.5)
            heave += truth.positionENUMeters.z * truth.positionENUMeters.z
            let lean = EulerAngles(bodyToENU: truth.bodyToENU).rollRadians
            roll += lean * lean
        }
        // THEN their 1-sigma is a quarter of the significant height, and the plan's: 10 % for ten minutes
        #expect(abs((heave / 1200).squareRoot() - 0.125) < 0.0125)
        #expect(abs((roll / 1200).squareRoot() - 4.0.degreesInRadians) < 0.4.degreesInRadians)
    }

    @Test func sameSeedSameEvents() {
        let voyage = Voyage(plan())
        let one = Array(SimulatedVoyage(voyage: voyage, sensors: SensorSuite(), seed: 3).prefix(500))
        let two = Array(SimulatedVoyage(voyage: voyage, sensors: SensorSuite(), seed: 3).prefix(500))
        #expect(one == two)
    }
}
