import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// What a step of the filter adds up, how its parameters drift, and what it takes and records of an observation.
@Suite struct NavigationFilterTests {
    /// A level filter at rest that knows everything exactly.
    private func filter(profile: MotionProfile = .vehicle) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        filter.covariance = Covariance()
        return filter
    }

    /// Predicts steps of a rate of turn about the vertical, without noise.
    private func predict(
        _ filter: inout NavigationFilter, steps: Int = 1, yawRate: Double = 0, seconds: Double = 0.01
    ) {
        for _ in 0..<steps {
            filter.predict(
                angularRate: Vector3(0, 0, yawRate), specificForce: Vector3(0, 0, 9.8), seconds: seconds,
                noise: IMUNoiseEstimator.Density())
        }
    }

    @Test func aTurnEitherWayIsOneSinceTheLastFix() {
        // GIVEN a gyro with a bias of 0.01 rad/s WHEN it turns by 0.3 rad to the left and 0.1 rad to the right
        var filter = filter()
        filter.state.gyroBias = Vector3(0, 0, 0.01)
        predict(&filter, steps: 100, yawRate: 0.31)
        predict(&filter, steps: 100, yawRate: -0.09)
        // THEN that is 0.4 rad either way and 0.2 rad to the left, to the rounding of 200 sums
        #expect(abs(filter.turnedSinceFix - 0.4) < 1e-12, "\(filter.turnedSinceFix)")
        #expect(abs(filter.heldCourse.turned - 0.2) < 1e-12, "\(filter.heldCourse.turned)")
        #expect((filter.turnSinceConstraints - Vector3(0, 0, 0.2)).length < 1e-12)
    }

    @Test func theNoiseOfLargeErrorsDecaysWithinTwentySeconds() {
        // GIVEN a noise of the gyro of (0.05 rad/s)2/Hz for the errors of the start THEN the attitude has it for 0.01 s
        var filter = filter()
        filter.linearizationNoise = 0.0025
        predict(&filter)
        for axis in 0..<3 {
            #expect(abs(filter.covariance[.attitude[axis], .attitude[axis]] - 2.5e-5) < 1e-15, "axis \(axis)")
        }
        // WHEN ten seconds have passed THEN exp(-1/2) of it is left; a step of 0.01 s has an error of 1.3e-4 of that
        predict(&filter, steps: 999)
        #expect(abs(filter.linearizationNoise / 0.0025 - 0.606_531) < 1e-4, "\(filter.linearizationNoise)")
        // AND nothing after a step that is longer than twenty seconds
        predict(&filter, seconds: 25)
        #expect(filter.linearizationNoise == 0)
    }

    @Test(arguments: MotionProfile.allCases) func eachParameterHasItsOwnRandomWalk(profile: MotionProfile) {
        // GIVEN a filter that knows all but its heading, which is not settled WHEN its parameters drift for 0.2 s
        var filter = filter(profile: profile)
        filter.covariance[.attitude.z, .attitude.z] = 0.021 * 0.021
        filter.driftParameters(seconds: 0.2)
        // THEN the biases (0.01 mrad/s, on a person 0.2 mrad/s, and 0.5 mm/s2 in a second) and the lag of the velocity
        // (1 ms) have the variances of their walks, on a vehicle mount (0.01 mrad) and wheels (1e-5 and 2 ms) as well,
        // and no other has
        let walks: [(state: FilterState, walk: Double, isVehicles: Bool)] = [
            (.gyroBias, profile == .wearable ? 2e-4 : 1e-5, false),
            (.accelerometerBias, 5e-4, false), (.velocityLag, 1e-3, false),
            (.mount, 1e-5, true), (.wheelScale, 1e-5, true), (.wheelLag, 2e-3, true),
        ]
        var expected = [Double](repeating: 0, count: FilterState.count)
        for entry in walks where profile == .vehicle || !entry.isVehicles {
            for i in entry.state.elements { expected[i] = 0.2 * entry.walk * entry.walk }
        }
        expected[FilterState.attitude.z.index] = 0.021 * 0.021
        for i in 0..<FilterState.count where !FilterState.gnssBias.elements.contains(i) {
            let found = filter.covariance[i, i]
            #expect(abs(found - expected[i]) <= 1e-12 * expected[i], "\(i): \(found)")
        }
    }

    @Test(arguments: [(0.019, true), (0.021, false)])
    func theLagOfThePositionIsOpenedOnceTheHeadingIsSettled(sigma: Double, isSettled: Bool) {
        // GIVEN a heading that is known to 0.02 rad, or not quite WHEN the parameters drift for ten seconds, twice THEN
        // the lag of the position opens by 0.03 s once, and walks by 0.3 ms in a second, or neither
        var filter = filter()
        filter.covariance[.attitude.z, .attitude.z] = sigma * sigma
        for seconds in [10.0, 20] {
            filter.driftParameters(seconds: 10)
            let variance = filter.covariance[.positionLag, .positionLag]
            #expect(abs(variance - (isSettled ? 9e-4 + 9e-8 * seconds : 0)) < 1e-12, "\(seconds) s: \(variance)")
        }
        #expect(filter.isPositionLagEstimated == isSettled)
    }

    @Test(arguments: [(4.0, 4.0, 4.95), (9.8, 8.698, 9.648), (10, 8.869_5, 9.81), (100, 88.695, 88.695)])
    func anErrorOfTheReceiverDecaysToTheStatedOneOrToHalfOfItself(
        variance: Double, horizontal: Double, vertical: Double
    ) {
        // GIVEN a GNSS bias, stated as 2 m and 3 m of the height, with some variance WHEN 4 s of its 40 s pass THEN
        // nine tenths of it are left, and it has the noise of the stated one, or of half of its own variance where that
        // is more: 0.81 of the variance, and 0.19 of the larger one
        var filter = filter()
        filter.gnssBiasSigma = (2, 3)
        filter.state.gnssBiasENU = Vector3(1, -2, 3)
        for axis in 0..<3 {
            filter.covariance[.gnssBias[axis], .gnssBias[axis]] = variance
            filter.covariance[.gnssBias[axis], .position[axis]] = -2
            filter.covariance[.position[axis], .gnssBias[axis]] = -2
        }
        filter.driftParameters(seconds: 4)
        for (axis, expected) in [horizontal, horizontal, vertical].enumerated() {
            let found = filter.covariance[.gnssBias[axis], .gnssBias[axis]]
            #expect(abs(found - expected) < 1e-12 * expected, "axis \(axis): \(found)")
            // AND what it has in common with the place decays as it does
            let row = filter.covariance[.gnssBias[axis], .position[axis]]
            let column = filter.covariance[.position[axis], .gnssBias[axis]]
            #expect(abs(row + 1.8) < 1e-12 && abs(column + 1.8) < 1e-12, "axis \(axis): \(row) \(column)")
        }
        #expect((filter.state.gnssBiasENU - Vector3(0.9, -1.8, 2.7)).length < 1e-12)
    }

    /// An observation of one coordinate of the place, which the filter knows exactly.
    private func component(_ axis: Int, _ innovation: Double, _ variance: Double) -> NavigationFilter.Component {
        var row = ObservationRow()
        row.add(.position[axis], 1)
        return NavigationFilter.Component(
            row: row, innovation: innovation, variance: variance, observation: innovation + 1)
    }

    @Test(arguments: [(30.0, 4.0, 40.0, 16.0), (40, 16, 30, 4), (-30, 4, 40, 16), (40, 16, -30, 4)])
    func ofTwoComponentsTheOneFarthestBeyondItsGateIsRecorded(
        first: Double, firstVariance: Double, second: Double, secondVariance: Double
    ) {
        // GIVEN an observation 30 m off, known to 2 m, and one 40 m off, known to 4 m WHEN they are refused, or are
        // compared with a gate of 5 sigmas THEN the former has three times that, the other twice, and the former is
        // recorded, whichever comes first
        let (one, two) = (component(0, first, firstVariance), component(1, second, secondVariance))
        let largest = abs(first) < 35 ? first : second
        var (refused, compared) = (filter(), filter())
        refused.reject(.gnssPosition, one, two, gate: 5, because: .drifting)
        let isTaken = compared.fuse(.gnssPosition, one, two, gate: 5)
        #expect(!isTaken)
        for (filter, reason) in [(refused, AidRejection.drifting), (compared, .innovation)] {
            let status = filter.aids[Int(AidSource.gnssPosition.rawValue)]
            #expect(status.innovation == largest && status.observation == largest + 1, "\(reason)")
            #expect(status.innovationVariance == 4 && status.observationVariance == 4, "\(reason)")
            #expect(abs(status.testRatio - 3) < 1e-12, "\(reason)")
            #expect(status.rejection == reason && status.rejectedCount == 1 && status.acceptedCount == 0)
        }
    }

    @Test(arguments: [(9.9, 0.0, true), (10.1, 0, false), (0, -9.9, true), (0, -10.1, false)])
    func bothComponentsAreTakenOrNeither(first: Double, second: Double, isExpected: Bool) {
        // GIVEN two observations that are known to 2 m, and a place that is as unsure WHEN one of them is 3.5 sigmas of
        // both off, and a little less or more THEN both are taken, each with half of its weight, or none is
        var filter = filter()
        for axis in 0..<2 { filter.covariance[.gnssBias[axis], .gnssBias[axis]] = 4 }
        func observed(_ axis: Int, _ innovation: Double) -> NavigationFilter.Component {
            var row = ObservationRow()
            row.add(.gnssBias[axis], 1)
            return NavigationFilter.Component(row: row, innovation: innovation, variance: 4)
        }
        let isTaken = filter.fuse(.gnssPosition, observed(0, first), observed(1, second), gate: 3.535_534)
        #expect(isTaken == isExpected)
        let status = filter.aids[Int(AidSource.gnssPosition.rawValue)]
        #expect(status.acceptedCount == (isExpected ? 1 : 0) && status.rejectedCount == (isExpected ? 0 : 1))
        let expected = isExpected ? Vector3(0.5 * first, 0.5 * second, 0) : .zero
        #expect((filter.state.gnssBiasENU - expected).length < 1e-12, "\(filter.state.gnssBiasENU)")
        for axis in 0..<2 {
            let variance = filter.covariance[.gnssBias[axis], .gnssBias[axis]]
            #expect(abs(variance - (isExpected ? 2 : 4)) < 1e-12, "axis \(axis)")
        }
    }

    @Test func theNewestObservationIsRecordedHoweverFarTheOneBeforeWas() {
        // GIVEN an observation that was refused at three times its gate WHEN the next one is refused at twice its gate,
        // or taken within it THEN that one is recorded
        let (far, near) = (component(0, 30, 4), component(1, 40, 16))
        var filter = filter()
        filter.reject(.gnssPosition, far, gate: 5, because: .drifting)
        filter.reject(.gnssPosition, near, gate: 5, because: .stuck)
        let refused = filter.aids[Int(AidSource.gnssPosition.rawValue)]
        #expect(refused.innovation == 40 && refused.innovationVariance == 16 && refused.observation == 41)
        #expect(abs(refused.testRatio - 2) < 1e-12 && refused.rejectedCount == 2)
        let isTaken = filter.fuse(.gnssPosition, component(0, 1, 4), gate: 5)
        let taken = filter.aids[Int(AidSource.gnssPosition.rawValue)]
        #expect(isTaken && taken.innovation == 1 && taken.innovationVariance == 4)
        #expect(abs(taken.testRatio - 0.1) < 1e-12)
    }
}
