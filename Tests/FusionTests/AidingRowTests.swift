import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Every aiding observation's row against central differences of the innovation that goes with it.
@Suite struct AidingRowTests {
    private typealias Observation = (inout NavigationFilter) -> NavigationFilter.Component

    /// Where the receiver sees the vehicle, some metres off the state.
    private static let leverArm = Vector3(1.2, -0.4, 1.5)

    /// A filter somewhere, turning and moving; every parameter is away from zero, or (`plain`) zero where it multiplies
    /// another part of the state.
    private func randomFilter(_ random: inout RandomSource, plain: Bool = false) -> NavigationFilter {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 5_000_000_000),
            position: GeodeticPosition(
                latitudeDegrees: random.uniform(-70, 70), longitudeDegrees: random.uniform(-179, 179),
                altitudeEllipsoidMeters: random.uniform(0, 3000)),
            velocityENU: Vector3(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-2, 2)),
            sensorToENU: random.rotation())
        state.gyroBias = random.gaussianVector() * 0.01
        state.sensorToVehicle = random.rotation()
        state.positionLagSeconds = random.uniform(0.06, 0.3)
        state.velocityLagSeconds = random.uniform(0.05, 0.3)
        state.gnssBiasENU = random.gaussianVector()
        state.wheelScale = random.uniform(0.95, 1.05)
        state.angularRateSensor = random.gaussianVector() * 0.3
        state.meanAngularRateSensor = random.gaussianVector() * 0.3
        if !plain {
            state.rearAxleOffsetMeters = random.uniform(-2, 2)
            state.squat = random.uniform(-0.01, 0.01)
            state.sideslip = random.uniform(-0.005, 0.005)
        }
        return NavigationFilter(at: state, leverArm: Self.leverArm)
    }

    /// By how much the innovation falls with an error of one element: the row's coefficient as it should be.
    private func derivative(_ filter: NavigationFilter, _ index: Int, _ observation: Observation) -> Double {
        // Metres and metres a second bear a larger step; the rounding of a place on the Earth is 1e-9 m.
        let size = index < 6 ? 0.01 : 1e-5
        func innovation(_ size: Double) -> Double {
            var error = ErrorVector()
            error[index] = size
            var moved = filter
            moved.state.apply(error)
            // The rates in the state are the measured ones without the bias.
            moved.state.angularRateSensor -= moved.state.gyroBias - filter.state.gyroBias
            moved.state.meanAngularRateSensor -= moved.state.gyroBias - filter.state.gyroBias
            return observation(&moved).innovation
        }
        return -(innovation(size) - innovation(-size)) / (2 * size)
    }

    /// The largest difference between row and innovation over some elements.
    private func largestDifference(_ filter: NavigationFilter, _ elements: [Int], _ observation: Observation) -> Double
    {
        var unmoved = filter
        let row = observation(&unmoved).row
        return elements.map { abs(row.coefficient(of: $0) - derivative(filter, $0, observation)) }.max() ?? .infinity
    }

    private static let all = Array(0..<FilterState.count)
    /// The elements of which a fix tells on an axis: heights say nothing of the antenna's arm.
    private static func elements(toldOn axis: Int) -> [Int] {
        axis < 2 ? all : all.filter { !FilterState.antennaArm.elements.contains($0) }
    }
    private static func triple(_ index: Int) -> [Int] { [index, index + 1, index + 2] }
    /// Central differences of second order: 1e-5 squared times the third derivatives, and 1e-9 m of rounding over 0.01
    /// m.
    private static let tolerance = 2e-6

    @Test func positionWithLeverArmAndLag() {
        var random = RandomSource(seed: 21, use: 1)
        for _ in 0..<100 {
            // GIVEN an antenna beside the IMU and a fix some metres off, seen late by a body that goes straight on
            let filter = randomFilter(&random)
            var there = filter.state
            there.move(byENU: random.gaussianVector() * 3)
            for axis in 0..<3 {
                // WHEN any element of the state is moved THEN the innovation falls by what the row says. The scale of a
                // metre changes with the latitude by 1e-6 for these offsets.
                let observation: Observation = { moved in
                    let offset = moved.state.position.surfaceOffsetMeters(to: there.position)
                    let up = there.position.altitudeEllipsoidMeters - moved.state.position.altitudeEllipsoidMeters
                    let velocity = moved.state.velocityENU
                    return moved.positionComponent(
                        axis, offset: Vector3(offset.east, offset.north, up),
                        since: LagMotion(
                            seconds: moved.state.positionLagSeconds, way: velocity * moved.state.positionLagSeconds,
                            firstVelocity: velocity),
                        sigma: 1)
                }
                let rest = Self.elements(toldOn: axis).filter { $0 >= 3 }
                #expect(largestDifference(filter, rest, observation) < Self.tolerance)
                // The offset is measured on the ellipsoid, the state moves at its height: 3 km of 6,371, 5e-4.
                #expect(largestDifference(filter, [0, 1, 2], observation) < 6e-4)
            }
        }
    }

    @Test func velocityWithLeverArmAndLag() {
        var random = RandomSource(seed: 22, use: 1)
        for _ in 0..<100 {
            // GIVEN an accelerating body whose receiver lags
            let filter = randomFilter(&random)
            let acceleration = random.gaussianVector() * 2
            for axis in 0..<3 {
                // WHEN any element is moved THEN the innovation falls by what the row says: the velocity of a lag ago
                // moves with the state's
                let observation: Observation = { moved in
                    let seen = moved.state.velocityENU - acceleration * moved.state.velocityLagSeconds
                    return moved.velocityComponent(
                        axis, observed: 3, seen: seen[axis], slope: acceleration[axis], sigma: 1)
                }
                #expect(largestDifference(filter, Self.elements(toldOn: axis), observation) < Self.tolerance)
            }
        }
    }

    /// What the specific force has made of velocity and way over a lag, in the moved state: turned by its attitude, and
    /// without its bias of the accelerometer.
    private func force(
        in moved: NavigationState, from unmoved: NavigationState, overLag lag: Double, sensed force: Vector3
    ) -> LagForce {
        let mean = moved.sensorToENU.rotate(force - (moved.accelerometerBias - unmoved.accelerometerBias))
        return LagForce(seconds: lag, velocity: mean * lag, way: mean * (0.5 * lag * lag))
    }

    @Test func theForceOverALagTurnsWithTheAttitude() {
        var random = RandomSource(seed: 27, use: 1)
        let fallen = Vector3(0, 0, InertialSample.standardGravity)
        for trial in 0..<100 {
            // GIVEN a late receiver, and a constant force since; or one whose fix has been set back too far
            let filter = randomFilter(&random, plain: true)
            let (before, lag) = (filter.state, random.uniform(0.1, 1.5) * (trial % 2 == 0 ? 1 : -1))
            let sensed = before.sensorToENU.inverse.rotate(fallen) + random.gaussianVector()
            let (own, late) = (force(in: before, from: before, overLag: lag, sensed: sensed), self)
            for axis in 0..<3 {
                // WHEN attitude or bias is moved THEN velocity and place of a lag ago move as the rows say
                let velocity: Observation = { moved in
                    let gained = late.force(in: moved.state, from: before, overLag: lag, sensed: sensed).velocity
                    let seen = moved.state.velocityENU - gained + fallen * lag
                    return moved.velocityComponent(
                        axis, observed: 0, seen: seen[axis], slope: 0, sigma: 1, force: own)
                }
                let parts = Self.triple(3) + Self.triple(6) + Self.triple(FilterState.accelerometerBias.index)
                #expect(largestDifference(filter, parts, velocity) < Self.tolerance * abs(lag) * 10)
                let place: Observation = { moved in
                    let gained = late.force(in: moved.state, from: before, overLag: lag, sensed: sensed).way
                    let way = moved.state.velocityENU * lag - gained + fallen * (0.5 * lag * lag)
                    return moved.positionComponent(
                        axis, offset: .zero,
                        since: LagMotion(
                            seconds: lag, way: way, firstVelocity: moved.state.velocityENU, force: own),
                        sigma: 1)
                }
                #expect(largestDifference(filter, parts, place) < Self.tolerance * lag * lag * 10)
                let velocities = Self.triple(FilterState.velocity.index)
                #expect(largestDifference(filter, velocities, place) < Self.tolerance)
            }
        }
    }

    @Test func aCorrectedVelocityDoesNotMakeTheLagKnown() {
        // GIVEN a vehicle at 10 m/s, known to 1 m/s, whose place was moved on from a fix by a lag of 0.2 +- 0.1 s
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 100),
            velocityENU: Vector3(10, 0, 0), sensorToENU: .identity)
        state.positionLagSeconds = 0.2
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance = Covariance()
        filter.covariance.restart(.velocity, variance: 1)
        filter.covariance.restart(.position, variance: 1e-4)
        filter.addPositionLagVariance(0.01, velocity: state.velocityENU)
        for axis in 0..<2 { filter.covariance.carry(from: .velocity[axis], to: .position[axis], by: 0.2) }
        // WHEN its velocity turns out to be 11 m/s, and the same fix is seen again and again
        filter.fuse(
            .gnssVelocity, filter.velocityComponent(0, observed: 11, seen: 10, slope: 0, sigma: 0.01), gate: 5)
        #expect(abs(filter.state.velocityENU.x - 11) < 0.01)
        for _ in 0..<20 {
            let velocity = filter.state.velocityENU
            let since = LagMotion(seconds: 0.2, way: velocity * 0.2, firstVelocity: velocity)
            var seen = filter.positionComponent(0, offset: velocity * -0.2, since: since, sigma: 0.01)
            seen.variance = 1e-4
            filter.fuse(.gnssPosition, seen, gate: 5)
        }
        // THEN it tells nothing of the lag, to a hundredth of its variance
        #expect(filter.covariance[.positionLag, .positionLag] > 0.0099)
    }

    @Test func inABoatWithoutALeverArmNothingIsCoupledToTheAttitude() {
        var settings = FusionSettings()
        settings.profile = .boat
        var filter = NavigationFilter(idleWith: settings)
        let position = filter.positionComponent(
            0, offset: .zero, since: LagMotion(seconds: 0, way: .zero, firstVelocity: .zero), sigma: 1)
        let velocity = filter.velocityComponent(0, observed: 0, seen: 0, slope: 0, sigma: 1)
        #expect(position.row.count == 3 && velocity.row.count == 2)
    }

    @Test func nonholonomic() {
        var random = RandomSource(seed: 23, use: 1)
        var used = 0
        for _ in 0..<100 {
            // GIVEN a rolling vehicle, its parameters zero, so that nothing multiplies another part of the state
            let acceleration = random.gaussianVector() * 3
            let plain = randomFilter(&random, plain: true)
            let full = randomFilter(&random)
            guard isRolling(plain), isRolling(full) else { continue }
            used += 1
            for isLateral in [true, false] {
                let observation = nonholonomic(acceleration, isLateral)
                // THEN every column is exact; a tolerance for 30 m/s and rates of 1 rad/s
                #expect(largestDifference(plain, Self.all, observation) < Self.tolerance)
                // AND GIVEN any parameters THEN the columns of the parameters themselves are
                let parameters =
                    [FilterState.rearAxleOffset.index, FilterState.squat.index, FilterState.sideslip.index]
                    + Self.triple(FilterState.gnssBias.index)
                #expect(largestDifference(full, parameters, observation) < Self.tolerance)
            }
        }
        #expect(used > 50)
    }

    @Test func theNoSlipRowIsThatOfTheMiddleOfItsTime() throws {
        // GIVEN a car that rolls without slip, and speeds up in a bend, for the interval of the constraints
        let (seconds, speed, acceleration, turn) = (0.2, 15.0, 3.0, 0.4)
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
                velocityENU: Vector3(speed, 0, 0), sensorToENU: .identity),
            leverArm: .zero)
        let end = Quaternion(rotationVector: Vector3(0, 0, turn * seconds))
        filter.state.velocityENU = end.rotate(Vector3(speed + acceleration * seconds, 0, 0))
        filter.state.sensorToENU = end
        // WHEN its last sample has a noise of 0.3 rad/s
        filter.state.angularRateSensor = Vector3(0, 0.3, turn + 0.3)
        filter.state.rearAxleOffsetMeters = -1.5
        filter.state.sideslip = 0.005
        let interval = NavigationFilter.ConstraintInterval(
            seconds: seconds, accelerationENU: (filter.state.velocityENU - Vector3(speed, 0, 0)) * (1 / seconds),
            angularRateSensor: Vector3(0, 0, turn))
        let both = filter.nonholonomicComponents(interval)
        let lateral = try #require(both).lateral
        // THEN it is expected to slip as at the mean speed and rate, r o + y v^2 r, but for what a mean acceleration
        // leaves out of one that turns with the vehicle: a r t^2/4
        let middle = speed + acceleration * seconds / 2
        let expected = turn * (-1.5 + 0.005 * middle * middle) + acceleration * turn * seconds * seconds / 4
        // (the fourth order of r t, 15 m/s (0.08)^4/400; the noise of the sample would be 0.1 m/s)
        #expect(abs(lateral.innovation + expected) < 0.001)
    }

    @Test func whatTheNoSlipRowLeavesOutIsSmall() {
        var random = RandomSource(seed: 24, use: 1)
        for _ in 0..<100 {
            // GIVEN a car in a bend and braking, its axle 1.5 m behind, with the squat and sideslip of a soft one
            var filter = randomFilter(&random)
            let heading = random.uniform(0, 6.28)
            let vehicle = EulerAngles(rollRadians: 0.03, pitchRadians: 0.03, headingTrueRadians: heading)
            filter.state.sensorToENU = vehicle.bodyToENU * filter.state.sensorToVehicle
            filter.state.velocityENU = vehicle.bodyToENU.rotate(Vector3(15, 0, 0))
            filter.state.angularRateSensor = filter.state.sensorToVehicle.inverse.rotate(Vector3(0, 0, 0.25))
            (filter.state.rearAxleOffsetMeters, filter.state.squat, filter.state.sideslip) = (-1.5, 0.008, 0.005)
            let acceleration = vehicle.bodyToENU.rotate(Vector3(-3, 3.75, 0))
            for isLateral in [true, false] {
                let observation = nonholonomic(acceleration, isLateral)
                // THEN what parameters times rates and accelerations add to the velocity's columns (1 on the diagonal)
                // is below a twentieth,
                #expect(largestDifference(filter, Self.triple(FilterState.velocity.index), observation) < 0.05)
                // to the attitude's and the mount's (15 m/s) below a twentieth of that,
                #expect(largestDifference(filter, Self.triple(FilterState.attitude.index), observation) < 0.75)
                #expect(largestDifference(filter, Self.triple(FilterState.mount.index), observation) < 0.75)
                // and what the gyro's bias does through arm and sideslip is that of the arm itself and of 0.005 x 15 x
                // 15 m.
                #expect(largestDifference(filter, Self.triple(FilterState.gyroBias.index), observation) < 2.7)
            }
        }
    }

    private func isRolling(_ filter: NavigationFilter) -> Bool { abs(filter.state.velocityVehicle.x) > 1.1 }

    private func nonholonomic(_ acceleration: Vector3, _ isLateral: Bool) -> Observation {
        { filter in
            let nothing = NavigationFilter.Component(row: ObservationRow(), innovation: .nan, variance: 0)
            guard let both = filter.nonholonomicComponents(now: acceleration) else { return nothing }
            return isLateral ? both.lateral : both.vertical
        }
    }

    @Test func wheelSpeed() {
        var random = RandomSource(seed: 25, use: 1)
        for _ in 0..<100 {
            // GIVEN a wheel that turns forwards, while the vehicle goes either way
            let filter = randomFilter(&random)
            let speed = random.uniform(0, 30)
            guard abs(filter.state.velocityVehicle.x + 1) > 0.1 else { continue }
            #expect(largestDifference(filter, Self.all) { $0.wheelSpeedComponent(speed) } < Self.tolerance)
        }
    }

    @Test func lateWheelSpeed() {
        var random = RandomSource(seed: 25, use: 2)
        for _ in 0..<100 {
            // GIVEN a late wheel, or an IMU that is later, on a vehicle that speeds up and turns
            var filter = randomFilter(&random)
            let (speed, acceleration) = (random.uniform(0, 30), random.gaussianVector())
            var forceHistory = VectorHistory()
            for k in 0...300 {
                let time = filter.state.time.advanced(bySeconds: Double(k - 300) * 0.01)
                let force = acceleration + Vector3(0, 0, InertialSample.standardGravity)
                filter.forceIntegral = force * (Double(k) * 0.01)
                forceHistory.append(time: time, value: filter.forceIntegral)
            }
            filter.state.accelerationENU = acceleration
            filter.state.meanYawRate = random.uniform(-0.5, 0.5)
            filter.state.wheelLagSeconds = random.uniform(-0.2, 1)
            let observation: Observation = {
                var filter = $0
                let seen = filter.velocitySeenByWheels(forceHistory)
                return filter.wheelSpeedComponent(speed, seen: seen)
            }
            guard abs(filter.state.wheelLagSeconds) > 0.01, isFarFromReversing(&filter, forceHistory) else {
                continue
            }
            // THEN the row has the lag's coefficient, too
            #expect(largestDifference(filter, Self.all, observation) < Self.tolerance)
            #expect(abs(observation(&filter).row.coefficient(of: FilterState.wheelLag.index)) > 1e-6)
        }
    }

    /// Whether the sign of a wheel speed does not depend on a small error.
    private func isFarFromReversing(_ filter: inout NavigationFilter, _ forceHistory: VectorHistory) -> Bool {
        let seen = filter.velocitySeenByWheels(forceHistory).velocity
        return abs(filter.state.vehicleToENU.inverse.rotate(seen).x + 1) > 0.1
    }

    @Test func leanAndStandingStill() {
        var random = RandomSource(seed: 26, use: 1)
        for _ in 0..<100 {
            let filter = randomFilter(&random)
            #expect(largestDifference(filter, Self.all) { $0.levelVehicleComponent() } < Self.tolerance)
            for axis in 0..<3 {
                #expect(largestDifference(filter, Self.all) { $0.zeroVelocityComponent(axis) } < Self.tolerance)
            }
            // What the attitude has to do with the bias's vertical part is of second order: a tilt times a bias that is
            // nearly known.
            let rate = random.gaussianVector() * 0.02
            let elements = Self.all.filter { !Self.triple(FilterState.attitude.index).contains($0) }
            #expect(
                largestDifference(filter, elements) { $0.zeroRotationComponent(meanAngularRate: rate) } < Self.tolerance
            )
        }
    }

    @Test func receiverHeading() {
        var random = RandomSource(seed: 28, use: 1)
        for _ in 0..<100 {
            // GIVEN two antennas at any angle on a vehicle in any attitude but upright
            var filter = randomFilter(&random)
            guard filter.state.vehicleToENU.rotate(.unitX).horizontalLength > 0.3 else { continue }
            filter.baseline = HeadingBaseline(angle: random.uniform(-3, 3))
            let stated = random.uniform(0, 6)
            var moved = filter
            // What is beyond half a turn would jump.
            guard abs(moved.headingComponent(stated).innovation) < 3 else { continue }
            #expect(largestDifference(filter, Self.all) { $0.headingComponent(stated) } < Self.tolerance)
        }
    }

    @Test func magneticHeading() {
        var random = RandomSource(seed: 29, use: 1)
        for _ in 0..<100 {
            // GIVEN a magnetic attitude with the level of the filter, turned by anything but about half a turn
            let filter = randomFilter(&random)
            let turn = Quaternion(rotationVector: Vector3(0, 0, random.uniform(-3, 3)))
            let heading = MagneticHeading(
                time: filter.state.time, sensorToENU: turn * filter.state.sensorToENU, variance: 0.01, dipTangent: 2)
            #expect(
                largestDifference(filter, Self.all) { $0.magneticHeadingComponent(heading) } < Self.tolerance)
        }
    }

    @Test func gait() {
        var random = RandomSource(seed: 27, use: 1)
        for _ in 0..<100 {
            // GIVEN a walk whose direction is held in the sensor
            let filter = randomFilter(&random)
            let walked = Vector3(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), 0)
            let inSensor = filter.state.sensorToENU.inverse.rotate(walked)
            for axis in 0..<2 {
                // WHEN any element is moved THEN the innovation falls by what the row says
                let observation: Observation = {
                    $0.gaitComponent(axis, walked: $0.state.sensorToENU.rotate(inSensor), spread: 1)
                }
                #expect(largestDifference(filter, Self.all, observation) < Self.tolerance)
            }
        }
    }

    @Test(arguments: [(FixQuality.autonomous, 8.0), (.unknown, 8.0), (.rtkFloat, 0.5), (.rtkFixed, 0.1)])
    func anUnstatedAccuracyIsThatOfTheKindOfSolution(quality: FixQuality, sigma: Double) {
        // GIVEN a fix without accuracy WHEN it is split THEN all parts are the usual sigma of its kind of solution
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.quality = quality
        let accuracy = GnssAccuracy(of: fix)
        let changing = hypot(accuracy.horizontalWhite, accuracy.horizontalBias)
        #expect(abs(hypot(changing, accuracy.unstated.horizontal) - sigma) < 1e-9)
        // AND a stated one is taken
        fix.horizontalSigmaMeters = 3
        let stated = GnssAccuracy(of: fix)
        #expect(abs(hypot(stated.horizontalWhite, stated.horizontalBias) - 3) < 1e-9)
    }
}
