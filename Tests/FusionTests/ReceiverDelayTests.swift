import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// What a receiver is behind by, and what is published of it.
@Suite struct ReceiverDelayTests {
    /// The estimator at the end of a drive, or where it is first fast after so many seconds.
    private func driven(
        seed: UInt64, until end: Double = .infinity, _ change: (inout SatelliteReceiver) -> Void = { _ in }
    ) throws -> PoseEstimator {
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
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) {
            _ = estimator.ingest(event)
            if estimator.estimate.time.seconds > end,
                (estimator.estimate.velocityENUMetersPerSecond ?? .zero).length > 5
            {
                break
            }
        }
        return estimator
    }

    @Test(arguments: [UInt64(1), 2, 3, 4], [0.05, 0.13, 0.25]) func theSmoothingOfAVelocityIsFoundWithOneFixASecond(
        seed: UInt64, seconds: Double
    )
        throws
    {
        // GIVEN a receiver that smooths its velocity WHEN it is driven with for some minutes THEN the time constant is
        // found: corrections made by a fix a second, if they counted as felt, would halve it
        let estimator = try driven(seed: seed) {
            $0.velocitySmoothingSeconds = seconds; $0.climbSmoothingSeconds = 2.5 * seconds
        }
        #expect(abs(estimator.filter.state.velocityLagSeconds - seconds) < 0.02)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aLatePositionIsFound(seed: UInt64) throws {
        // GIVEN a position that is late by 50 ms THEN the lag is found to what an antenna a hand's breadth away looks
        // like
        let estimator = try driven(seed: seed) { $0.positionLagSeconds = 0.05 }
        #expect(abs(estimator.filter.state.positionLagSeconds - 0.05) < 0.01)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aDelayThatNoIMUTellsMovesNoPosition(seed: UInt64) throws {
        // GIVEN a receiver without an IMU whose velocity is 0.6 s older than its position, which is 0.6 s old
        let drive = try Drive(DrivePlan.random(seed: seed, edges: 10))
        var suite = SensorSuite()
        suite.satellite = .rtk
        suite.satellite?.rateHertz = 1
        suite.satellite?.positionLagSeconds = 0.6
        suite.satellite?.velocityLagSeconds = 1.2
        suite.inertial = nil
        var estimator = PoseEstimator()
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) { _ = estimator.ingest(event) }
        // THEN the fixes tell the difference; of the lag of the position they tell that it may be as long, and nothing
        // says that the receiver is ahead of the truth
        let lags = estimator.receiverLags
        #expect(abs(lags.difference - 0.6) < 0.1, "\(lags)")
        #expect(lags.position == 0 && lags.positionSigma > 0.6, "\(lags)")
    }

    @Test func aHeightNeedNotBeAsLateAsThePlace() {
        // GIVEN a vehicle that climbs with 2 m/s, a receiver whose positions are 1 s old, and whose heights are not
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 100),
            velocityENU: Vector3(10, 0, 2), sensorToENU: .identity)
        state.positionLagSeconds = 1
        var filter = NavigationFilter(at: state, leverArm: .zero)
        for part in [FilterState.position, .velocity, .gnssBias] { filter.covariance.restart(part, variance: 1e-4) }
        filter.covariance.restart(.positionLag, variance: 1e-4)
        var observed = state
        observed.move(byENU: Vector3(-10, 0, 0))
        var fix = GnssFix(validityTime: state.time, arrivalTime: state.time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (
            observed.position.latitudeRadians, observed.position.longitudeRadians,
            observed.position.altitudeEllipsoidMeters
        )
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters, fix.quality) = (0.02, 0.03, .rtkFixed)
        // WHEN such a fix comes THEN its height is taken
        let isTaken = filter.fuse(fix, forceHistory: VectorHistory())
        #expect(isTaken && filter.aids[Int(AidSource.gnssHeight.rawValue)].rejectedCount == 0)
    }

    /// Errors of a drive with a receiver that filters, from two minutes after the start.
    private struct LongLagDrive {
        var positionSquares = 0.0
        var headingSquares = 0.0
        var count = 0.0
        var largestLagErrorWhileAligned = 0.0
        var estimator = PoseEstimator()
        var position: Double { (positionSquares / count).squareRoot() }
        var heading: Double { (headingSquares / count).squareRoot() * 180 / .pi }

        /// - Parameter lags: of position and velocity, seconds.
        init(
            seed: UInt64, receiver: SatelliteReceiver, lags: (position: Double, velocity: Double), rateHertz: Double = 1
        ) throws {
            var plan = DrivePlan.random(seed: seed, edges: 16)
            plan.standingSecondsBefore = 5
            var suite = SensorSuite()
            var receiver = receiver
            receiver.rateHertz = rateHertz
            (receiver.positionLagSeconds, receiver.velocityLagSeconds) = lags
            suite.satellite = receiver
            let drive = try Drive(plan)
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
                guard estimator.ingest(event), case .inertial(let sample) = event else { continue }
                let estimate = estimator.estimate
                if estimate.state == .aligned {
                    let state = estimator.filter.state
                    largestLagErrorWhileAligned = max(
                        largestLagErrorWhileAligned, abs(state.positionLagSeconds - lags.position),
                        abs(state.velocityLagSeconds - lags.velocity))
                }
                let truth = drive.truth(atSeconds: sample.time.seconds)
                guard sample.time.seconds > 125, let position = estimate.position, let body = estimate.bodyToENU,
                    truth.velocityENUMetersPerSecond.length > 2
                else { continue }
                let offset = truth.position.surfaceOffsetMeters(to: position)
                positionSquares += offset.east * offset.east + offset.north * offset.north
                let turn = Angle.wrappedToPi(
                    EulerAngles(bodyToENU: body).headingTrueRadians
                        - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
                headingSquares += turn * turn
                count += 1
            }
        }
    }

    @Test(
        arguments: [
            (0.15, 0.45, 1.0), (0.1, 0.33, 1), (0.5, 1.1, 1), (0.0, 0.8, 1), (0.9, 1.0, 1), (0.65, 0.8, 4),
            (0.85, 1.35, 4),
        ], [UInt64(1), 2, 3])
    func aPreciseReceiverThatFiltersIsAsGoodAsOneThatDoesNot(
        receiver: (position: Double, velocity: Double, rateHertz: Double), seed: UInt64
    ) throws {
        // GIVEN a receiver with RTK whose position and velocity are old WHEN it has been driven with for two minutes
        let lags = (position: receiver.position, velocity: receiver.velocity)
        let drive = try LongLagDrive(seed: seed, receiver: .rtk, lags: lags, rateHertz: receiver.rateHertz)
        // THEN both lags are found, and position and heading are those of a receiver that is not late: at 15 m/s a
        // hundredth of a second is 0.15 m
        #expect(abs(drive.estimator.filter.state.positionLagSeconds - lags.position) < 0.01)
        #expect(abs(drive.estimator.filter.state.velocityLagSeconds - lags.velocity) < 0.05)
        #expect(drive.position < 0.1)
        #expect(drive.heading < 0.5)
        // AND nothing was called aligned before
        #expect(drive.largestLagErrorWhileAligned < 3 * Tuning.Output.alignedLagSigma)
        #expect(drive.estimator.estimate.resetCount == 0)
    }

    @Test(arguments: [(0.37, 0.4), (0.3, 0.3), (0.8, 0.9)])
    func drivesJoinedInMotionAreHardlyEverSureOfAWrongLag(lags: (position: Double, velocity: Double)) throws {
        // GIVEN an RTK receiver whose position and velocity are about as old WHEN drives are joined while they move
        let drives = try (1...4).map { try lagErrors(lags, seed: $0) }
        // THEN its lag is within four sigmas and 0.02 s of the true one but for a twentieth of the fixes
        #expect(drives.allSatisfy { $0.count > 60 })
        let (wrong, count) = drives.reduce(into: (0, 0)) { $0 = ($0.0 + $1.wrong, $0.1 + $1.count) }
        #expect(wrong * 20 <= count, "\(drives)")
        // AND it is found on each
        #expect(drives.allSatisfy { $0.atEnd < 0.03 }, "\(drives)")
    }

    /// Fixes of a drive that is joined in motion, those of them at which the lag of the position was off by more than
    /// four sigmas and 0.02 s, and its error in the end, seconds.
    private func lagErrors(_ lags: (position: Double, velocity: Double), seed: UInt64) throws -> (
        wrong: Int, count: Int, atEnd: Double
    ) {
        let plan = DrivePlan.random(seed: seed, edges: 12)
        var suite = SensorSuite()
        var receiver = SatelliteReceiver.rtk
        (receiver.positionLagSeconds, receiver.velocityLagSeconds) = lags
        suite.satellite = receiver
        var estimator = PoseEstimator()
        var (wrong, count) = (0, 0)
        let start = plan.standingSecondsBefore + 20
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed, from: start) {
            _ = estimator.ingest(event)
            guard case .gnss = event, estimator.isNavigating else { continue }
            let error = abs(estimator.filter.state.positionLagSeconds - lags.position)
            let sigma = max(estimator.filter.covariance[.positionLag, .positionLag], 0).squareRoot()
            count += 1
            wrong += error > 4 * sigma + 0.02 ? 1 : 0
        }
        return (wrong, count, abs(estimator.filter.state.positionLagSeconds - lags.position))
    }

    @Test(arguments: [(0.3, 0.9), (1.0, 1.8)], [UInt64(1), 2, 3]) func aConsumerReceiverThatFiltersKeepsTheHeading(
        lags: (position: Double, velocity: Double), seed: UInt64
    ) throws {
        // GIVEN an ordinary receiver that filters THEN the heading stays within a degree, and the position within what
        // its own wandering error of 2.5 m on each axis allows
        let drive = try LongLagDrive(seed: seed, receiver: SatelliteReceiver(), lags: lags)
        #expect(drive.heading < 1)
        #expect(drive.position < 4)
        // AND the lags are about known while it is aligned: for a minute a wandering position may look like a lag
        #expect(drive.largestLagErrorWhileAligned < 5 * Tuning.Output.alignedLagSigma)
        #expect(drive.estimator.estimate.resetCount == 0)
    }

    @Test(arguments: [(0.9, 1.0), (0.3, 0.9)], [UInt64(1), 2, 3])
    func theSigmaOfTheFirstMinuteIncludesTheLag(lags: (position: Double, velocity: Double), seed: UInt64) throws {
        // GIVEN an RTK receiver that may filter WHEN the car drives for a minute, before and after the alignment
        var plan = DrivePlan.random(seed: seed, edges: 6)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        var receiver = SatelliteReceiver.rtk
        (receiver.positionLagSeconds, receiver.velocityLagSeconds) = lags
        suite.satellite = receiver
        let drive = try Drive(plan)
        var estimator = PoseEstimator()
        var ratios: [Double] = []
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
            guard estimator.ingest(event), case .inertial(let sample) = event, sample.time.seconds < 65 else {
                continue
            }
            let truth = drive.truth(atSeconds: sample.time.seconds)
            // The velocity is late too: in the first second of motion the receiver states rest.
            let before = drive.truth(atSeconds: sample.time.seconds - 1)
            guard before.velocityENUMetersPerSecond.length > 3, let position = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            let offset = truth.position.surfaceOffsetMeters(to: position)
            ratios.append(hypot(offset.east, offset.north) / hypot(sigma.x, sigma.y))
        }
        // THEN the error is within four sigmas: nine metres behind with a decimetre of sigma would be ninety
        #expect(ratios.count > 50)
        #expect(ratios.filter { $0 > 4 }.count * 50 < ratios.count, "\(ratios.max() ?? 0)")
    }

    @Test func aLateClockLeavesTheFixesWhereTheyAreBeforeTheStart() throws {
        // GIVEN an earlier drive that has found the clock of the IMU 0.2 s late, with a receiver that is not
        var sensors = SensorPrior()
        sensors.lags = LagCalibration(
            positionSeconds: -0.2, positionSigmaSeconds: 0.004, velocitySeconds: -0.05, velocitySigmaSeconds: 0.01)
        let plan = DrivePlan.random(seed: 2, edges: 6)
        let drive = try Drive(plan)
        var suite = SensorSuite()
        suite.satellite = .rtk
        var estimator = PoseEstimator()
        estimator.offer(sensors: sensors)
        var errors: [Double] = []
        // WHEN a drive is joined in motion THEN the place before the filter runs is that of the fixes: 0.2 s are 2 m
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: 2, from: plan.standingSecondsBefore + 20) {
            let isNew = estimator.ingest(event)
            if estimator.isNavigating { break }
            guard isNew, let position = estimator.estimate.position else { continue }
            let truth = drive.truth(atSeconds: estimator.estimate.time.seconds)
            let offset = truth.position.surfaceOffsetMeters(to: position)
            errors.append(hypot(offset.east, offset.north) / max(truth.velocityENUMetersPerSecond.length, 1))
        }
        #expect(errors.count > 50)
        // Half of the 0.2 s, in seconds of way.
        #expect((errors.max() ?? .infinity) < 0.1)
    }

    private func state(lag: Double, speed: Double = 20) -> NavigationState {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11),
            velocityENU: Vector3(speed, 0, 0),
            sensorToENU: .identity)
        state.positionLagSeconds = lag
        state.angularRateSensor = Vector3(0, 0, 0.5)
        return state
    }

    @Test func aDifferenceOfTheClocksMovesPlaceAndHeading() {
        // GIVEN 20 m/s and 0.5 rad/s THEN a late clock of the IMU moves the place on by all of the lag, and turns the
        // heading on; an early one takes both back
        func moved(_ lag: Double) -> Double {
            NavigationState.stampOffset(lag: lag, velocity: state(lag: lag).velocityENU, acceleration: .zero).x
        }
        #expect(abs(moved(-0.03) - 0.6) < 1e-9 && abs(moved(0.04) + 0.8) < 1e-9)
        func turned(_ lag: Double) -> Double {
            let turned = state(lag: lag).turnedBack(seconds: lag).sensorToENU
            return .pi / 2 - EulerAngles(bodyToENU: turned).headingTrueRadians
        }
        #expect(abs(turned(-0.03) - 0.015) < 1e-9 && abs(turned(0.04) + 0.02) < 1e-9)
        #expect(turned(0) == 0)
    }

    @Test(arguments: [(-0.1, 0.0), (-0.03, 0), (0.05, 0), (0.1, 0), (0.2, 0), (0.3, 0), (0, -0.000_8)])
    func aClockThatIsEarlyOrLateIsFound(seconds: Double, rate: Double) throws {
        // GIVEN an RTK receiver WHEN the stamps of the IMU are early (a receiver that lags in position and velocity) or
        // late, or become early by and by, which no receiver does THEN the place is that of the receiver at its stamp:
        // at 15 m/s a hundredth of a second is 0.15 m
        var errors: [Double] = []
        var normalised = 0.0
        var plan = DrivePlan.random(seed: 3, edges: 12)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite = .rtk
        let drive = try Drive(plan)
        var estimator = PoseEstimator()
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: 3) {
            guard case .inertial(var sample) = event else {
                _ = estimator.ingest(event)
                continue
            }
            let time = sample.time
            let late = seconds + rate * time.seconds
            sample.time = time.advanced(bySeconds: late)
            guard estimator.ingest(sample), time.seconds > 125, let position = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            // What is stamped with the time of the IMU was true that much earlier.
            let truth = drive.truth(atSeconds: time.seconds + late)
            let offset = truth.position.surfaceOffsetMeters(to: position)
            let square = offset.east * offset.east + offset.north * offset.north
            errors.append(square)
            normalised += square / (sigma.x * sigma.x + sigma.y * sigma.y)
        }
        let mean = (errors.reduce(0, +) / Double(max(errors.count, 1))).squareRoot()
        #expect(errors.count > 1000)
        #expect(mean < 0.1, "\(mean)")
        // AND the errors are those that are published: a ratio of variances of 4 is one of sigmas of 2
        let ratio = normalised / Double(max(errors.count, 1))
        #expect(ratio > 0.1 && ratio < 4, "\(ratio)")
    }

    @Test func aLateClockIsCarriedOnByTheAcceleration() {
        // GIVEN 3 m/s2 to the north in the mean, and a clock of the IMU that is 0.3 s late
        var turning = state(lag: -0.3)
        turning.meanAccelerationENU = Vector3(0, 3, 0)
        // THEN the place has moved on by the velocity and half of the acceleration, and the velocity by that
        let moved = NavigationState.stampOffset(
            lag: -0.3, velocity: turning.velocityENU, acceleration: turning.meanAccelerationENU)
        #expect(abs(moved.x - 6) < 1e-9 && abs(moved.y - 0.135) < 1e-9)
        #expect(abs(turning.turnedBack(seconds: -0.3).velocityENU.y - 0.9) < 1e-9)
        // AND what the acceleration may have changed by since is in the variance, an early clock has seen it all
        #expect(abs(PlaceMixture.unseenVariance(overLag: -0.3).squareRoot() - 0.0164) < 1e-3)
        #expect(PlaceMixture.unseenVariance(overLag: 0.3) == 0)
    }

    @Test func theWayOfALagIsThatOfTheCurve() {
        // GIVEN a vehicle that goes round at 5 m/s and 0.5 rad/s, and the velocities of its last two seconds
        let lag = 0.9
        func velocity(_ seconds: Double) -> Vector3 { Vector3(sin(0.5 * seconds), cos(0.5 * seconds), 0) * 5 }
        var now = state(lag: 0)
        now.time = MonotonicTime(nanoseconds: 2_000_000_000)
        now.velocityENU = velocity(2)
        var filter = NavigationFilter(at: now, leverArm: .zero)
        var forceHistory = VectorHistory()
        for step in 0...200 {
            forceHistory.append(
                time: MonotonicTime(nanoseconds: Int64(step) * 10_000_000),
                value: velocity(Double(step) * 0.01) - velocity(2)
                    + Vector3(0, 0, InertialSample.standardGravity * Double(step - 200) * 0.01))
        }
        // WHEN the motion over a lag is asked for
        let motion = filter.motion(overLag: lag, forceHistory: forceHistory)
        // THEN it is the arc's: Simpson's rule leaves v w^4 L^5 / 2880 = 0.06 mm, the steps of 10 ms less
        let way = Vector3(cos(0.5 * (2 - lag)) - cos(1.0), sin(1.0) - sin(0.5 * (2 - lag)), 0) * 10
        #expect((motion.way - way).length < 2e-4)
        #expect((motion.firstVelocity - velocity(2 - lag)).length < 1e-3)
    }

    @Test func aFixWaitsForTheSamplesOfALateClock() throws {
        // GIVEN a filter that knows the clock of the IMU to be 0.3 s late WHEN a fix comes
        var estimator = try driven(seed: 2, until: 60)
        estimator.filter.state.positionLagSeconds = -0.3
        estimator.filter.state.velocityLagSeconds = -0.15
        guard var fix = estimator.lastFix, let sample = estimator.lastSample else {
            Issue.record("no fix")
            return
        }
        let taken = estimator.filter.aids[Int(AidSource.gnssPosition.rawValue)]
        (fix.validityTime, fix.arrivalTime) = (sample.time, sample.time)
        _ = estimator.ingest(.gnss(fix))
        // THEN it is compared with the samples that were taken with it, not with the present ones
        func compared() -> UInt32 {
            let now = estimator.filter.aids[Int(AidSource.gnssPosition.rawValue)]
            return now.acceptedCount &+ now.rejectedCount &- taken.acceptedCount &- taken.rejectedCount
        }
        #expect(compared() == 0)
        for k in 1...32 {
            let time = sample.time.advanced(bySeconds: 0.01 * Double(k))
            _ = estimator.ingest(
                .inertial(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: sample.angularRate,
                        specificForceMetersPerSecondSquared: sample.specificForce)))
            if k == 28 { #expect(compared() == 0) }
        }
        #expect(compared() == 1)
    }

    @Test func theTyresSlipIsPartOfTheDirection() {
        // GIVEN a left turn of 2 m/s2 at 10 m/s and tyres that slip by 0.004 rad for each m/s2 THEN what is published
        // points 0.008 rad to the outside of it
        var turning = state(lag: 0)
        (turning.velocityENU, turning.meanYawRate, turning.sideslip) = (Vector3(10, 0, 0), 0.2, 0.004)
        #expect(abs(turning.drivenToVehicle.rotationVector.z + 0.008) < 1e-9)
        turning.sideslip = 0
        #expect(turning.drivenToVehicle == .identity)
    }
}
