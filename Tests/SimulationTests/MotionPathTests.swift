import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Simulation

/// The truth of walks and voyages between the points of their paths and at their ends, and plans without changes.
@Suite struct MotionPathTests {
    /// The largest differences of velocity and acceleration from the derivatives of position and velocity, at times off
    /// the points of the path.
    private func worst(_ motion: some MotionTruth) -> (velocity: Double, acceleration: Double) {
        let h = 1e-3
        var worst = (velocity: 0.0, acceleration: 0.0)
        for step in 0..<200 {
            let t = 4.0137 + Double(step) * 0.1731
            let (before, now, after) = (
                motion.truth(atSeconds: t - h), motion.truth(atSeconds: t), motion.truth(atSeconds: t + h)
            )
            let velocity = (after.positionENUMeters - before.positionENUMeters) / (2 * h)
            let change = (after.velocityENUMetersPerSecond - before.velocityENUMetersPerSecond) / (2 * h)
            worst.velocity = max(worst.velocity, (velocity - now.velocityENUMetersPerSecond).length)
            worst.acceleration = max(
                worst.acceleration, (change - now.accelerationENUMetersPerSecondSquared).length)
        }
        return worst
    }

    @Test("the velocity of a walk is the change of its position at every instant", arguments: [0.0, 0.5])
    func aWalkIsSmooth(swing: Double) {
        var plan = WalkPlan()
        (plan.durationSeconds, plan.armSwingRadians, plan.seed) = (60, swing, 9)
        let worst = worst(Walk(plan))
        // Central differences over 2 ms: a sixth of the jerk of a swinging arm (0.6 m at 6 rad/s, 0.5 rad) times 1e-6,
        // and more for the acceleration.
        #expect(worst.velocity < 1e-4, "\(worst)")
        #expect(worst.acceleration < 2e-3, "\(worst)")
    }

    @Test("the velocity of a voyage is the change of its position at every instant") func aVoyageIsSmooth() {
        var plan = VoyagePlan()
        (plan.durationSeconds, plan.seed, plan.headingRadians) = (60, 9, 2)
        plan.manoeuvres = [VoyagePlan.Manoeuvre(begin: 12, seconds: 6, turnRadians: 1.5, speedChange: 2)]
        let worst = worst(Voyage(plan))
        // As above, for waves of 0.1 m at 2.5 rad/s; the path is interpolated over 50 ms.
        #expect(worst.velocity < 1e-4, "\(worst)")
        #expect(worst.acceleration < 2e-3, "\(worst)")
    }

    @Test("a manoeuvre without a duration is done at once") func aManoeuvreIsDoneAtOnce() {
        // GIVEN a turn by half a radian and 2 m/s more at 10 s, without wind, current and waves
        var plan = VoyagePlan()
        (plan.current, plan.leeway, plan.waveHeight, plan.waveAngles) = (.zero, 0, 0, .zero)
        (plan.headingRadians, plan.speedMetersPerSecond, plan.durationSeconds) = (1, 4, 30)
        plan.manoeuvres = [VoyagePlan.Manoeuvre(begin: 10, seconds: 0, turnRadians: 0.5, speedChange: 2)]
        let voyage = Voyage(plan)
        for (seconds, heading, speed) in [(9.999, 1.0, 4.0), (10.002, 1.5, 6), (25, 1.5, 6)] {
            let truth = voyage.truth(atSeconds: seconds)
            // THEN heading and velocity are those before it, and those after it
            #expect(abs(EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians - heading) < 1e-9)
            let expected = Vector3(speed * sin(heading), speed * cos(heading), 0)
            #expect((truth.velocityENUMetersPerSecond - expected).length < 1e-9, "\(seconds) s")
        }
        // AND the place is that of both legs, to the millisecond of the turn
        let place = voyage.truth(atSeconds: 25).positionENUMeters
        let expected = Vector3(sin(1), cos(1), 0) * 40 + Vector3(sin(1.5), cos(1.5), 0) * 90
        #expect((place - expected).length < 0.3, "\(place)")
    }

    @Test("before its start and after its end a body does not move on") func aBodyStaysAtTheEnds() {
        // GIVEN a walk on wheels, whose sensor is at the body's centre, and a voyage without waves
        var plan = WalkPlan()
        (plan.durationSeconds, plan.stepsPerSecond, plan.heldAtMeters, plan.bobMeters) = (20, 0, .zero, 0)
        var voyage = VoyagePlan()
        (voyage.durationSeconds, voyage.waveHeight) = (20, 0)
        for motion in [Walk(plan), Voyage(voyage)] as [any MotionTruth] {
            let end = motion.truth(atSeconds: 20).positionENUMeters
            #expect(motion.truth(atSeconds: -3).positionENUMeters.length < 1e-9)
            #expect((motion.truth(atSeconds: 23).positionENUMeters - end).length < 1e-9)
            #expect(end.length > 5)
            #expect(motion.durationSeconds == 20 && motion.lapSeconds(23) == 23)
        }
    }

    @Test("plans have the lengths, speeds and places of a calm walk and voyage") func plansHaveTheirDefaults() {
        let walk = WalkPlan()
        #expect(Walk(walk).durationSeconds == 180 && walk.standingSecondsBefore == 5)
        #expect([walk.speedMetersPerSecond, walk.stepsPerSecond, walk.armMeters] == [1.35, 1.9, 0.6])
        #expect([walk.bobMeters, walk.surgeMeters, walk.swayMeters, walk.speedChange] == [0.02, 0.01, 0.02, 0.08])
        #expect(walk.heldAtMeters == Vector3(0.35, 0, 0) && walk.armSwingRadians == 0 && walk.winding == 1.2)
        #expect(walk.start.latitudeDegrees.rounded() == 47 && walk.start.altitudeEllipsoidMeters == 600)
        let voyage = VoyagePlan()
        #expect(voyage.durationSeconds == 600 && voyage.speedMetersPerSecond == 5 && voyage.waveHeight == 0.5)
        #expect(voyage.start.latitudeDegrees.rounded() == 54 && voyage.start.altitudeEllipsoidMeters == 40)
        #expect(abs(voyage.start.longitudeDegrees - 10.5) < 1e-9 && abs(walk.start.longitudeDegrees - 11) < 1e-9)
    }

    @Test("a simulation that starts within a walk has the events from there on") func aSimulationStartsWithin() {
        // GIVEN a walk of 3 s WHEN its sensors are simulated from 1 s on
        var plan = WalkPlan()
        plan.durationSeconds = 3
        let walk = SimulatedWalk(walk: Walk(plan), sensors: SensorSuite(), seed: 4, from: 1)
        let times = walk.compactMap { event in
            if case .inertial(let sample) = event { sample.time.nanoseconds } else { nil }
        }
        // THEN the IMU has a sample each 10 ms from there to the end
        #expect(times == (100...300).map { Int64($0) * 10_000_000 })
        #expect(walk.truth(at: MonotonicTime(nanoseconds: 2_000_000_000)).seconds == 2)
    }
}
