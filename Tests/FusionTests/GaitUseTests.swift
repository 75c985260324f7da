import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// When the gait of a person is learned, and when it tells the velocity.
@Suite struct GaitUseTests {
    /// A person who walks east at 1.4 m/s, a velocity that the filter knows to a variance, (m/s)2.
    private func walking(velocityVariance: Double = 0.01) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 100_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400),
            velocityENU: Vector3(1.4, 0, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: .wearable)
        filter.covariance.restart(.velocity, variance: velocityVariance)
        return filter
    }

    /// Two steps a second, or another pace, for some fifths of a second, the last fix so many seconds ago.
    private func step(_ filter: inout NavigationFilter, _ count: Int, pace: Double = 2, fixAge: Double = 0) {
        filter.lastFixTime = filter.state.time.advanced(bySeconds: -fixAge)
        for _ in 0..<count { filter.fuseSteps(pace, angularRate: .zero, seconds: 0.2) }
    }

    /// How many observations of the gait were tested.
    private func used(_ filter: NavigationFilter) -> UInt32 {
        let status = filter.aids[Int(AidSource.pedestrian.rawValue)]
        return status.acceptedCount + status.rejectedCount
    }

    @Test(arguments: [(1.19, 0.2, UInt32(0)), (1.21, 0, 0), (1.49, 0, 0), (1.51, 0, 2)])
    func theGaitIsLearnedWithFixesAndUsedWithout(age: Double, learned: Double, observations: UInt32) {
        // GIVEN a person who has walked for four seconds while fixes came WHEN the last fix is up to 1.2 s old THEN the
        // next steps are learned from; AND from 1.5 s on they tell the horizontal velocity, and that there is no climb
        var filter = walking()
        step(&filter, 20)
        #expect(abs(filter.pedestrian.learnedSeconds - 4) < 1e-9 && used(filter) == 0)
        step(&filter, 1, fixAge: age)
        #expect(abs(filter.pedestrian.learnedSeconds - 4 - learned) < 1e-9)
        #expect(used(filter) == observations)
    }

    @Test func whoStandsNeitherForgetsTheGaitNorUsesIt() {
        // GIVEN a person who has walked for four seconds WHEN there are no steps for a second THEN what was learned
        // stays, as that is no ride
        var filter = walking()
        step(&filter, 20)
        step(&filter, 5, pace: 0)
        #expect(abs(filter.pedestrian.learnedSeconds - 4) < 1e-9)
        // AND without fixes nothing tells a velocity
        let before = filter.state.velocityENU
        step(&filter, 5, pace: 0, fixAge: 3)
        #expect(used(filter) == 0 && filter.state.velocityENU == before)
    }

    @Test(arguments: [(0.63, true), (0.65, false)]) func onlyAKnownVelocityTeachesTheGait(
        variance: Double, isLearned: Bool
    ) {
        // GIVEN a velocity that is known to just less than 0.8 m/s, or just more THEN the former alone is learned from
        var filter = walking(velocityVariance: variance)
        step(&filter, 5)
        #expect(abs(filter.pedestrian.learnedSeconds - (isLearned ? 1 : 0)) < 1e-9)
    }

    @Test func theTurnOfAGapIsNoneOfTheStepsAfterIt() throws {
        // GIVEN a person who turns by 1 rad/s for 2 s in which no sample comes, so that the gait is not asked
        var filter = walking()
        func turn(by rate: Double, steps: Int) -> NavigationFilter.ConstraintInterval? {
            for _ in 0..<steps {
                filter.predict(
                    angularRate: Vector3(0, 0, rate), specificForce: Vector3(0, 0, 9.8), seconds: 0.05,
                    noise: IMUNoiseEstimator.Density())
            }
            return filter.beginConstraints()
        }
        let gap = turn(by: 1, steps: 40)
        #expect(abs((gap?.seconds ?? 0) - 2) < 1e-6)
        // WHEN steps follow for a fifth of a second, with a turn of 0.5 rad/s THEN its mean over a second is a fifth of
        // that
        let next = turn(by: 0.5, steps: 4)
        let interval = try #require(next)
        filter.applyConstraints(interval, still: false, spread: 1, meanAngularRate: .zero, stepsPerSecond: 2)
        let slowTurn = filter.pedestrian.motion(
            stepsPerSecond: 2, angularRate: .zero, sensorToENU: .identity, seconds: 0
        ).slowTurn
        #expect(abs(slowTurn - 0.1) < 1e-6, "\(slowTurn)")
    }

    @Test(arguments: [(0.2, 0.225), (0.5, 0.09)]) func aWalkerClimbsByFifteenCentimetersASecond(
        seconds: Double, variance: Double
    ) {
        // GIVEN a person whose walk is known, and whose climb seems to be 0.1 m/s, known to a variance of 0.01 WHEN the
        // steps of some time tell the velocity THEN the climb is zero to 0.15 m/s, an error that lasts for a second:
        // its variance is 2 s over that time as large (eq. 5.10), and the climb takes its share of both
        var filter = walking()
        step(&filter, 20)
        filter.state.velocityENU.z = 0.1
        filter.lastFixTime = filter.state.time.advanced(bySeconds: -2)
        filter.fuseSteps(2, angularRate: .zero, seconds: seconds)
        let status = filter.aids[Int(AidSource.pedestrian.rawValue)]
        #expect(status.acceptedCount == 2 && abs(status.observationVariance - variance) < 1e-12)
        #expect(abs(status.innovation + 0.1) < 1e-12 && abs(status.innovationVariance - variance - 0.01) < 1e-12)
        let left = filter.state.velocityENU.z
        #expect(abs(left - 0.1 * variance / (variance + 0.01)) < 1e-9, "\(left)")
    }
}
