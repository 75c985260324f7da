import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The motion that is assumed while samples are missing, and its uncertainty.
@Suite struct GapBridgeTests {
    private let start = MonotonicTime(nanoseconds: 0)

    /// A filter that goes north at 10 m/s with its sensor level and forward.
    private func filter(speed: Double = 10, profile: MotionProfile = .vehicle) -> NavigationFilter {
        var state = NavigationState(
            time: start,
            position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
            velocityENU: Vector3(0, speed, 0),
            sensorToENU: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        state.gyroBias = Vector3(0.01, -0.02, 0.03)
        return NavigationFilter(at: state, leverArm: .zero, profile: profile)
    }

    /// A mean of samples with a rate of turn about the vertical and an acceleration ahead, and the bias.
    private func mean(yawRate: Double, acceleration: Double = 0) -> GapBridge.Mean {
        var mean = GapBridge.Mean()
        mean.angularRate = Vector3(0.01, -0.02, 0.03 + yawRate)
        let gravity = WGS84.normalGravity(latitudeRadians: 40.0.degreesInRadians, altitudeEllipsoidMeters: 0)
        mean.specificForce = Vector3(acceleration, 0, gravity)
        mean.seconds = 0.15
        return mean
    }

    /// Carries a filter across a gap.
    private func cross(_ filter: inout NavigationFilter, _ bridge: GapBridge, seconds: Double) {
        for _ in 0..<Int((seconds / 0.05).rounded()) { _ = filter.predict(across: bridge, seconds: 0.05) }
    }

    @Test func theTurnIsThatOfTheMeanOfBothEnds() {
        // GIVEN a rate that grows from 0.1 to 0.3 rad/s WHEN 2 s are missing
        var filter = filter()
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0.1), after: mean(yawRate: 0.3), seconds: 2)
        cross(&filter, bridge, seconds: 2)
        // THEN heading and course have turned by 0.4 rad (the Earth turns by 1e-4), and the speed is what it was, to
        // the second order of a step of 0.05 s
        let heading = EulerAngles(bodyToENU: filter.state.vehicleToENU).headingTrueRadians
        #expect(abs(Angle.wrappedToPi(heading + 0.4)) < 1e-3)
        let v = filter.state.velocityENU
        #expect(abs(atan2(v.x, v.y) + 0.4) < 2e-3)
        #expect(abs(v.length - 10) < 0.03)
    }

    @Test func whileItLastsTheMotionDecaysToAStraightLine() {
        // GIVEN a turn of 0.2 rad/s and an acceleration of 1 m/s2 WHEN samples stop
        let bridge = GapBridge(
            from: filter(), before: mean(yawRate: 0.2, acceleration: 1), after: nil, seconds: nil)
        // THEN both decay, with 3 s and 2 s
        #expect(abs(bridge.motion(at: 3).yawRate - 0.2 / M_E) < 1e-9)
        #expect(abs(bridge.motion(at: 2).acceleration - 1 / M_E) < 1e-6)
        // AND a body that stood stands
        let standing = GapBridge(from: filter(speed: 0), before: nil, after: nil, seconds: nil)
        #expect(standing.motion(at: 1).yawRate == 0 && standing.motion(at: 1).acceleration == 0)
        #expect(standing.hidden(until: 2).turn == 0 && standing.hidden(until: 2).speed > 0)
    }

    @Test func brakesDoNotReverse() {
        // GIVEN a vehicle at 1 m/s that brakes with 3 m/s2 WHEN samples stop for a second
        var filter = filter(speed: 1)
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0, acceleration: -3), after: nil, seconds: nil)
        cross(&filter, bridge, seconds: 1)
        // THEN it stands
        #expect(filter.state.velocityENU.length < 0.01)
    }

    @Test func whoHardlyRollsHardlyTurns() {
        // GIVEN a vehicle at 0.5 m/s that turned by 0.5 rad/s WHEN samples stop for a second
        var filter = filter(speed: 0.5)
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0.5), after: nil, seconds: nil)
        cross(&filter, bridge, seconds: 1)
        // THEN it has gone on along the tightest circle, with a radius of 5 m: 0.1 rad in half a metre
        let turned = filter.state.sensorToENU * self.filter().state.sensorToENU.inverse
        #expect(abs(turned.rotationVector.z - 0.1) < 1e-3)
    }

    @Test(arguments: [nil, 0.0]) func aVehicleThatIsJustStoppingDoesNotRollBack(after: Double?) {
        // GIVEN a vehicle at 0.2 m/s in the last moment of a stop WHEN samples are missing for a second THEN it stands
        var filter = filter(speed: 0.2)
        let bridge = GapBridge(
            from: filter, before: mean(yawRate: 0, acceleration: -1.5),
            after: after.map { mean(yawRate: 0, acceleration: $0) }, seconds: after == nil ? nil : 1)
        cross(&filter, bridge, seconds: 1)
        #expect(filter.state.velocityENU.length < 0.01)
    }

    @Test(arguments: [-0.2, -0.004, 0, 0.004], [2.0, -2]) func aVehicleAtRestPullsAwayEitherWay(
        speed: Double, acceleration: Double
    ) {
        // GIVEN a vehicle at rest, its speed wrong by what a receiver at rest states WHEN it pulls away, ahead or back,
        // while samples are missing for 2 s
        var filter = filter(speed: speed)
        let bridge = GapBridge(
            from: filter, before: mean(yawRate: 0), after: mean(yawRate: 0, acceleration: acceleration), seconds: 2)
        cross(&filter, bridge, seconds: 2)
        // THEN it has the speed of an acceleration that has grown from zero, the noise aside
        #expect(abs(filter.state.velocityENU.y - acceleration) <= 0.01 + abs(speed))
    }

    @Test func theVarianceIsThatOfARandomWalkBetweenItsEnds() {
        // GIVEN 2,000 random walks of the rate of turn over 2 s, whose ends are known
        var random = RandomSource(seed: 11, use: 77)
        let bridge = GapBridge(from: filter(), before: mean(yawRate: 0.3), after: mean(yawRate: 0.3), seconds: 2)
        let open = GapBridge(from: filter(), before: mean(yawRate: 0.3), after: nil, seconds: nil)
        // eq. 4.9: 0.35 of the rate, and of a tenth of 3 m/s2 over 10 m/s, and 0.3 of the product of the rate and that
        let walk = (0.35 * 0.35 * (0.3 * 0.3 + 0.03 * 0.03) + 0.3 * 0.3 * 0.3).squareRoot()
        var (bridged, free) = (0.0, 0.0)
        for _ in 0..<2000 {
            var (rate, turn) = (0.0, 0.0)
            for _ in 0..<200 {
                let step = random.gaussian() * walk * 0.1
                turn += (rate + step / 2) * 0.01
                rate += step
            }
            bridged += (turn - rate) * (turn - rate) / 2000
            free += turn * turn / 2000
        }
        // THEN the squared errors of the mean of both ends, and of the first alone, are the variances: 10 % is three
        // sigmas of 2,000 squares
        #expect(abs(bridge.hidden(until: 2).turn / bridged - 1) < 0.1)
        #expect(abs(open.hidden(until: 2).turn / free - 1) < 0.1)
    }

    /// The errors that an assumed motion takes up: velocity, heading, gyro bias about the vertical and accelerometer
    /// bias along the vehicle, with the sizes of a difference.
    private static let causes: [(FilterState, Double)] = [
        (.velocity.x, 0.01), (.velocity.y, 0.01), (.attitude.z, 1e-4), (.gyroBias.z, 1e-4),
        (.accelerometerBias.x, 1e-3),
    ]

    /// A filter with an error of one state.
    private func perturbed(_ state: FilterState, _ size: Double) -> NavigationFilter {
        var filter = filter()
        var error = ErrorVector()
        error[state] = size
        filter.state.apply(error)
        return filter
    }

    /// A gap of a second in a turn of 0.3 rad/s with 1 m/s2.
    private func turn(of filter: borrowing NavigationFilter) -> GapBridge {
        let mean = mean(yawRate: 0.3, acceleration: 1)
        return GapBridge(from: filter, before: mean, after: mean, seconds: 1)
    }

    @Test func theTransitionIsTheDerivativeOfTheMotion() {
        // GIVEN a vehicle in a turn of 0.3 rad/s that speeds up by 1 m/s2 WHEN samples stop for a second
        for (state, size) in Self.causes {
            var coupled = filter()
            coupled.covariance = Covariance()
            coupled.covariance[state.index, FilterState.wheelScale.index] = 1
            coupled.covariance[FilterState.wheelScale.index, state.index] = 1
            let gap = turn(of: coupled)
            cross(&coupled, gap, seconds: 1)
            // THEN its velocity and heading change with the velocity, the heading and the biases that it had as the
            // transition says, to the first order of a step of 0.05 s
            var (plus, minus) = (perturbed(state, size), perturbed(state, -size))
            let (up, down) = (turn(of: plus), turn(of: minus))
            cross(&plus, up, seconds: 1)
            cross(&minus, down, seconds: 1)
            let velocity = (plus.state.velocityENU - minus.state.velocityENU) / (2 * size)
            let turned = (plus.state.sensorToENU * minus.state.sensorToENU.inverse).rotationVector / (2 * size)
            let expected = Vector3(
                coupled.covariance[.velocity.x, .wheelScale], coupled.covariance[.velocity.y, .wheelScale],
                coupled.covariance[.velocity.z, .wheelScale])
            let allowed = 0.05 * max(velocity.length, 1)
            #expect((velocity - expected).length < allowed, "\(state): \(velocity), \(expected)")
            #expect(abs(turned.z - coupled.covariance[.attitude.z, .wheelScale]) < 0.01, "\(state): \(turned)")
        }
    }

    @Test func anUnseenTurnTurnsTheVelocityToo() {
        // GIVEN a vehicle that goes north WHEN samples stop for a second
        var filter = filter()
        filter.covariance.restart(.attitude, variance: 1e-8)
        filter.covariance.restart(.velocity, variance: 1e-8)
        filter.covariance.restart(.gyroBias, variance: 1e-12)
        filter.covariance.restart(.accelerometerBias, variance: 1e-12)
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0.3), after: mean(yawRate: 0.3), seconds: 1)
        cross(&filter, bridge, seconds: 1)
        // THEN its course is as unsure as its heading, and both errors are one: what the velocity across the vehicle
        // has beyond, 0.1 m/s, is a hundredth of its speed
        let heading = filter.covariance[.attitude.z, .attitude.z]
        let v = filter.state.velocityENU
        var row = ObservationRow()
        row.add(.velocity, Vector3(-v.y, v.x, 0) * (1 / v.lengthSquared))
        let course = filter.covariance.variance(of: row)
        row.add(.attitude.z, -1)
        let difference = filter.covariance.variance(of: row)
        #expect(heading > 0.02 * 0.02)
        #expect(abs(course / heading - 1) < 0.3)
        #expect(difference < 0.3 * heading)
    }

    @Test func theNoiseOfTheSamplesBesideAGapCounts() {
        // GIVEN a vehicle whose gyro shakes by 0.1 rad/s at 100 Hz WHEN a second is missing
        var shaken = mean(yawRate: 0)
        shaken.noise.gyro = SymmetricMatrix3(isotropic: 0.1 * 0.1 * 0.01)
        let calm = GapBridge(from: filter(), before: mean(yawRate: 0), after: mean(yawRate: 0), seconds: 1)
        let noisy = GapBridge(from: filter(), before: shaken, after: shaken, seconds: 1)
        // THEN the turn is less sure by the variance of the mean of both means of 0.15 s
        let more = noisy.hidden(until: 1).turn - calm.hidden(until: 1).turn
        #expect(abs(more - 0.1 * 0.1 * 0.01 / 0.15 / 2) < 1e-9)
    }

    @Test func aPersonMayHaveTurnedRound() {
        // GIVEN a person WHEN a second is missing
        var filter = filter(speed: 1.3, profile: .wearable)
        filter.covariance.restart(.attitude, variance: 1e-8)
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0), after: mean(yawRate: 0), seconds: 1)
        cross(&filter, bridge, seconds: 1)
        // THEN the heading is unsure by 15 degrees and a little by the tilt's
        let sigma = filter.covariance[.attitude.z, .attitude.z].squareRoot().radiansInDegrees
        #expect(sigma > 14 && sigma < 18, "\(sigma)")
    }

    @Test func theSwingOfAHandBesideAGapDoesNotLastThroughIt() {
        // GIVEN a hand that rolls by 0.5 rad/s just before and after a gap of 2 s, and turns by 0.2 rad/s
        var filter = filter(speed: 1.3, profile: .wearable)
        var swinging = mean(yawRate: 0.2)
        swinging.angularRate.x += 0.5
        let before = filter.state.sensorToENU
        cross(&filter, GapBridge(from: filter, before: swinging, after: swinging, seconds: 2), seconds: 2)
        // THEN it has turned by 0.4 rad, and the level is as it was (a constant roll would have tilted it by 1 rad)
        let turn = (filter.state.sensorToENU * before.inverse).rotationVector
        #expect(abs(turn.z - 0.4) < 1e-3)
        #expect(turn.horizontalLength < 1e-3)
    }

    @Test func theAttitudeOfAVehicleKeepsItsLevelInAGap() throws {
        // GIVEN a level sensor that vibrates by 0.1 rad/s about its left axis WHEN 2 s are missing
        var random = RandomSource(seed: 5, use: 78)
        var (filter, stillness) = (AttitudeFilter(profile: .vehicle), StillnessDetector())
        func add(_ milliseconds: Int64, _ shake: Double) {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: milliseconds * 1_000_000),
                angularRateRadiansPerSecond: Vector3(0, shake, 0.1),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81))
            stillness.update(sample)
            filter.update(sample, still: false, meanAngularRate: stillness.meanAngularRate)
        }
        for k in 0..<1000 { add(Int64(k) * 10, random.gaussian() * 0.1) }
        let before = filter.attitude
        _ = filter.takeUnseenTurn()
        add(12_000, 0.2)
        // THEN it has turned by 0.2 rad about the vertical, and the level is as it was: a sample of 0.2 rad/s would
        // have tilted it by 0.4
        let turn = (filter.attitude * before.inverse).rotationVector
        #expect(abs(turn.z - 0.2) < 0.03)
        #expect(turn.horizontalLength < 0.02)
        // AND the turn is as unsure as that of the navigation filter's bridge
        #expect(abs(filter.takeUnseenTurn().squareRoot() - 0.35 * 0.105 * (8.0 / 12).squareRoot()) < 0.01)
        #expect(filter.takeUnseenTurn() == 0)
    }

    @Test func anUnseenTurnMakesTheFoundHeadingLessSure() {
        // GIVEN a search that has found a heading
        var aligner = InMotionAligner(profile: .vehicle)
        func velocity(_ seconds: Double) -> Vector3 { Vector3(5 * sin(seconds), 3 * cos(0.7 * seconds), 0) }
        for k in 0...20 {
            let v = velocity(Double(k))
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: v.x, northMetersPerSecond: v.y), speedSigma: 0.1,
                isLevelKnown: true, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000),
                inertialVelocity: { time, _ in velocity(time.seconds) })
        }
        let before = aligner.found?.sigma ?? .infinity
        // WHEN a gap hides a turn of 0.1 rad
        aligner.noteUnseenTurn(variance: 0.01)
        // THEN the sigma grows by it (eq. 7.24)
        let after = aligner.found?.sigma ?? .infinity
        #expect(before < 0.3 && abs(after * after - before * before - 0.01) < 1e-12)
    }

    @Test(arguments: [(10.0, 2.94e-4), (2, 5.226_7e-4), (0, 0)])
    func whatATurnThatBeginsUnseenHides(speed: Double, turn: Double) {
        // GIVEN a vehicle that goes straight on WHEN samples are missing for 2 s THEN a tenth of the sharpest turn at
        // its speed, 3 m/s2 over 10 m/s or 0.2 1/m times 2 m/s, may have begun, and its speed may have changed
        let straight = mean(yawRate: 0)
        let open = GapBridge(from: filter(speed: speed), before: straight, after: nil, seconds: nil).hidden(until: 2)
        #expect(abs(open.turn - turn) < 1e-7 && abs(open.speed - 8.0 / 3 * 0.122_5) < 1e-9)
        // AND a quarter of that where the other end is known
        let bridge = GapBridge(from: filter(speed: speed), before: straight, after: straight, seconds: 2)
        let known = bridge.hidden(until: 2)
        #expect(abs(known.turn - 0.25 * turn) < 1e-7 && abs(known.speed - 8.0 / 12 * 0.122_5) < 1e-9)
    }

    @Test func whoBrakesBesideAGapMayHaveRolledInIt() {
        // GIVEN a vehicle that brakes by 1 m/s2 before a gap of 2 s and by 2 m/s2 after it THEN half of the larger one
        // adds to the walk of its acceleration, on either side
        for (first, last) in [(-1.0, -2.0), (-2, -1), (2, 1)] {
            let bridge = GapBridge(
                from: filter(), before: mean(yawRate: 0, acceleration: first),
                after: mean(yawRate: 0, acceleration: last), seconds: 2)
            #expect(abs(bridge.hidden(until: 2).speed - 8.0 / 12 * (0.122_5 + 1)) < 1e-6)
        }
    }

    @Test(arguments: [(MotionProfile.vehicle, 0.02), (.wearable, 0.36)])
    func theClimbIsUnsureByRoadAndStep(profile: MotionProfile, variance: Double) {
        // GIVEN a filter that knows all exactly, at 10 m/s WHEN a second is missing THEN the slope of the road may have
        // changed by 0.01 rad, beside 0.1 m/s of slip, or the velocity of a person by 0.6 m/s
        var filter = filter(profile: profile)
        filter.covariance = Covariance()
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0), after: mean(yawRate: 0), seconds: 1)
        cross(&filter, bridge, seconds: 1)
        let found = filter.covariance[.velocity.z, .velocity.z]
        #expect(abs(found / variance - 1) < 0.02, "\(found)")
    }

    @Test func aGapOfNoLengthIsOneThatLasts() {
        // GIVEN a gap that has ended when it began THEN its motion decays from that before it, and is a number
        let bridge = GapBridge(from: filter(), before: mean(yawRate: 0.2), after: mean(yawRate: 0.4), seconds: 0)
        #expect(abs(bridge.motion(at: 3).yawRate - 0.2 / M_E) < 1e-9)
        #expect(abs(bridge.motion(at: 0).yawRate - 0.2) < 1e-9)
    }

    @Test(arguments: [(-1.0, 0.1, 1.0), (0, 0.1, 1), (0.5, 0.15, 1.5), (1, 0.2, 2), (2, 0.3, 3), (3, 0.3, 3)])
    func betweenItsEndsTheMotionChangesEvenly(age: Double, yawRate: Double, acceleration: Double) {
        // GIVEN a turn of 0.1 rad/s and an acceleration of 1 m/s2 before a gap of 2 s, three times as much after it
        // THEN both grow evenly in it, and before and after it they are those of its ends
        let bridge = GapBridge(
            from: filter(), before: mean(yawRate: 0.1, acceleration: 1),
            after: mean(yawRate: 0.3, acceleration: 3), seconds: 2)
        let motion = bridge.motion(at: age)
        #expect(abs(motion.yawRate - yawRate) < 1e-9 && abs(motion.acceleration - acceleration) < 1e-9, "\(motion)")
    }

    @Test(arguments: [0.5, 1, 2]) func theNoiseOfBothEndsIsThatOfTheirMean(age: Double) {
        // GIVEN noise of 0.2 rad/s and 0.2 m/s2 at 100 Hz before a gap, and twice as much after it
        func shaken(_ share: Double) -> GapBridge.Mean {
            var side = mean(yawRate: 0)
            side.noise.gyro = SymmetricMatrix3(isotropic: 0.04 * 0.01 * share)
            side.noise.accelerometer = SymmetricMatrix3(isotropic: 0.04 * 0.01 * share)
            return side
        }
        func hidden(_ before: Double, _ after: Double?) -> (turn: Double, speed: Double) {
            let bridge = GapBridge(
                from: filter(), before: shaken(before), after: after.map { shaken($0) }, seconds: 2)
            return bridge.hidden(until: age)
        }
        // THEN the means of 0.15 s have variances of 4 / 1500 and of four times that, and that of the mean of both is a
        // quarter of their sum: 5 / 1500; while the gap lasts, the first counts alone
        let (calm, noisy, open, openNoisy) = (hidden(0, 0), hidden(1, 4), hidden(0, nil), hidden(1, nil))
        let (both, first) = (5.0 / 1500 * age * age, 4.0 / 1500 * age * age)
        #expect(abs(noisy.turn - calm.turn - both) < 1e-12 && abs(noisy.speed - calm.speed - both) < 1e-12)
        #expect(abs(openNoisy.turn - open.turn - first) < 1e-12 && abs(openNoisy.speed - open.speed - first) < 1e-12)
    }

    @Test(arguments: [(MotionProfile.vehicle, 3.6e-5), (.wearable, 0.01)])
    func rollAndPitchMayChangeInAGap(profile: MotionProfile, variance: Double) {
        // GIVEN a filter that knows all exactly WHEN a second is missing THEN roll and pitch of a car may be off by
        // 0.006 rad, and those of a person by 0.1 rad (eq. 4.9)
        var filter = filter(profile: profile)
        filter.covariance = Covariance()
        let bridge = GapBridge(from: filter, before: mean(yawRate: 0), after: mean(yawRate: 0), seconds: 1)
        cross(&filter, bridge, seconds: 1)
        for axis in 0..<2 {
            let found = filter.covariance[.attitude[axis], .attitude[axis]]
            #expect(abs(found / variance - 1) < 1e-3, "\(axis): \(found)")
        }
    }

    @Test(arguments: [(0.29, -2.0, -1.0), (0.31, -2, 1), (-0.29, 2, 1), (-0.31, 2, -1), (0.29, 0, 1), (-0.29, 0, -1)])
    func aVehicleBelowThreeTenthsOfAMeterASecondGoesWhereItIsPulled(
        speed: Double, acceleration: Double, direction: Double
    ) {
        // GIVEN a vehicle that has not been pulled before a gap WHEN it is pulled after it THEN it goes that way if it
        // was slower than 0.3 m/s, and else, and where nothing pulls it, the way it went
        let bridge = GapBridge(
            from: filter(speed: speed), before: mean(yawRate: 0),
            after: mean(yawRate: 0, acceleration: acceleration), seconds: 2)
        #expect(bridge.direction == direction)
    }
}
