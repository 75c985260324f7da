import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion
@testable import Simulation

/// The place of the antenna from the IMU.
@Suite struct AntennaArmTests {
    /// Errors of the second half of a drive, and what was found.
    private struct ArmDrive {
        var place = 0.0
        var heading = 0.0
        var doubts: UInt32 = 0
        var estimator: PoseEstimator

        /// - Parameters:
        ///   - arm: of the antenna, metres.
        ///   - told: what the settings say of it.
        ///   - kept: the mount of an earlier drive.
        init(
            arm: Vector3, seed: UInt64, receiver: SatelliteReceiver = .rtk, told: Vector3? = nil,
            kept: MountEstimate? = nil, seconds: Double = .infinity
        ) throws {
            var plan = DrivePlan.random(seed: seed, edges: 14)
            plan.standingSecondsBefore = 5
            var suite = SensorSuite()
            var receiver = receiver
            receiver.leverArmBodyMeters = arm
            suite.satellite = receiver
            var settings = FusionSettings()
            settings.antennaLeverArmBodyMeters = told
            estimator = PoseEstimator(settings: settings)
            if let kept { _ = estimator.offer(mount: kept) }
            let drive = try Drive(plan)
            var (places, headings, count) = (0.0, 0.0, 0.0)
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
                guard estimator.ingest(event), case .inertial(let sample) = event else { continue }
                if sample.time.seconds > seconds { break }
                guard sample.time.seconds > min(100, 0.5 * seconds), let position = estimator.estimate.position,
                    let body = estimator.estimate.bodyToENU
                else { continue }
                let truth = drive.truth(atSeconds: sample.time.seconds)
                let offset = truth.position.surfaceOffsetMeters(to: position)
                places += offset.east * offset.east + offset.north * offset.north
                let turn = Angle.wrappedToPi(
                    EulerAngles(bodyToENU: body).headingTrueRadians
                        - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
                headings += turn * turn
                count += 1
            }
            place = (places / max(count, 1)).squareRoot()
            heading = (headings / max(count, 1)).squareRoot() * 180 / .pi
            doubts = estimator.filter.imuFaultCount
        }
    }

    @Test func theCalibrationTellsWhetherTheSettingsStateThePlace() {
        for place in [nil, Vector3(0.5, 0, 1)] {
            var settings = FusionSettings()
            settings.antennaLeverArmBodyMeters = place
            var estimator = PoseEstimator(settings: settings)
            let calibration = estimator.calibration
            #expect(calibration.isAntennaTold == (place != nil))
        }
    }

    /// A filter whose attitude is known as a factor of its covariance says, and its vehicle turned by 40 degrees.
    private func filter(attitudeFactor factor: Matrix<3, 3>, arm: Vector3 = .zero) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, 0, 0.7)))
        var filter = NavigationFilter(at: state, leverArm: arm)
        filter.covariance.restart(.attitude, variance: 0)
        filter.covariance.restart(.mount, variance: 0)
        let covariance = factor * factor.transposed
        for i in 0..<3 {
            for j in 0..<3 { filter.covariance[.attitude[i], .attitude[j]] = covariance[i, j] }
        }
        return filter
    }

    @Test func whatTheFirstOrderLeavesOutOfATurnedArmIsItsNoise() {
        // GIVEN a level known to 2 degrees and a heading known to 6, all correlated, and an antenna on a mast
        let factor = Matrix(rows: Vector3(0.04, 0, 0), Vector3(0.015, 0.03, 0), Vector3(0.03, -0.025, 0.09))
        let arm = Vector3(-1.5, 0.4, 3)
        var filter = filter(attitudeFactor: factor)
        // WHEN the arm is turned by 20,000 such errors THEN the mean squares of what is no cross product are those of
        // the equation, but for the orders above, 4 %, and the scatter of as many draws, 3 %
        var random = RandomSource(seed: 5, use: 1)
        var squares = Vector3.zero
        let count = 20_000
        for _ in 0..<count {
            let error = factor * random.gaussianVector()
            let left = Quaternion(rotationVector: error).rotate(arm) - arm - error.cross(arm)
            squares += left * left / Double(count)
        }
        let expected = filter.secondOrderSquares(ofTurned: arm)
        for axis in 0..<3 {
            #expect(abs(squares[axis] / expected[axis] - 1) < 0.1, "\(axis): \(squares) and \(expected)")
        }
        // AND no vector has none
        #expect(filter.secondOrderSquares(ofTurned: .zero) == .zero)
    }

    @Test func theRowsOfAFixHoldWhatTheFirstOrderLeavesOut() {
        // GIVEN two bodies that turn, with the antenna on a mast: the attitude of one is known, that of the other to 6
        // degrees
        func turning(sigma: Double) -> NavigationFilter {
            var filter = filter(attitudeFactor: Matrix<3, 3>.identity * sigma, arm: Vector3(-1.5, 0.4, 3))
            filter.state.meanAngularRateSensor = Vector3(0.2, -0.1, 0.3)
            return filter
        }
        var (known, unknown) = (turning(sigma: 0), turning(sigma: 0.1))
        let still = LagMotion(seconds: 0, way: .zero, firstVelocity: .zero)
        let place = unknown.secondOrderSquares(ofTurned: unknown.antennaENU)
        let swing = unknown.secondOrderSquares(ofTurned: unknown.antennaSwingENU)
        for axis in 0..<3 {
            // WHEN both see a fix without an error of its own THEN the second has that noise, and the first none
            func position(_ filter: inout NavigationFilter) -> Double {
                filter.positionComponent(axis, offset: .zero, since: still, sigma: 0).variance
            }
            func velocity(_ filter: inout NavigationFilter) -> Double {
                filter.velocityComponent(axis, observed: 0, seen: 0, slope: 0, sigma: 0).variance
            }
            #expect(place[axis] > 1e-4 && abs(position(&unknown) - position(&known) - place[axis]) < 1e-12)
            #expect(swing[axis] > 1e-7 && abs(velocity(&unknown) - velocity(&known) - swing[axis]) < 1e-15)
        }
    }

    @Test func aMountThatFollowsTheHeadingLeavesTheVehiclesAxesKnown() {
        // GIVEN an attitude known to 10 degrees, and a mount whose error is the same turn: the axes of the vehicle are
        // known from its course
        var filter = filter(attitudeFactor: Matrix<3, 3>.identity * 0.18)
        let axes = filter.state.vehicleToENU.matrix
        for i in 0..<3 {
            filter.covariance[.mount[i], .mount[i]] = 0.18 * 0.18
            for j in 0..<3 {
                let shared = axes[i, j] * 0.18 * 0.18
                filter.covariance[.attitude[i], .mount[j]] = shared
                filter.covariance[.mount[j], .attitude[i]] = shared
            }
        }
        // WHEN an arm of 3 m is turned by that error THEN nothing is left out, but for rounding
        let known = filter.secondOrderSquares(ofTurned: Vector3(2, 1, 3))
        #expect(known.length < 1e-15, "\(known)")
        // AND a mount with an error of its own doubles the covariance: the squares are four times those of the attitude
        for i in 0..<3 {
            for j in 0..<3 {
                filter.covariance[.attitude[i], .mount[j]] = 0
                filter.covariance[.mount[j], .attitude[i]] = 0
            }
        }
        let both = filter.secondOrderSquares(ofTurned: Vector3(2, 1, 3))
        filter.covariance.restart(.mount, variance: 0)
        let alone = filter.secondOrderSquares(ofTurned: Vector3(2, 1, 3))
        for axis in 0..<3 { #expect(abs(both[axis] / alone[axis] - 4) < 1e-9) }
    }

    @Test func theFirstPositionIsAsGoodAsTheAntennas() throws {
        // GIVEN a filter that starts with a heading to 0.1 rad, its antenna 2 m ahead and 1 m up
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0.1, 0.05, 0.7)))
        state.sensorToVehicle = Quaternion(rotationVector: Vector3(0, 0.1, 0.3))
        var filter = NavigationFilter(at: state, leverArm: Vector3(2, 0, 1))
        // WHEN the position starts anew from fixes of 3 cm
        let axis = GNSSPositionFilter.Axis(gnssBiasSigma: 0, white: 0.03)
        filter.restartPosition(horizontal: axis, vertical: axis)
        for index in 0..<3 {
            // THEN the antenna is known to 3 cm and the IMU is not: what the heading turns is between them
            let row = filter.positionComponent(
                index, offset: .zero, since: LagMotion(seconds: 0, way: .zero, firstVelocity: .zero), sigma: 0.01
            ).row
            var antenna = 0.0
            for i in 0..<row.count {
                for j in 0..<row.count {
                    antenna += row[i].value * row[j].value * filter.covariance[row[i].index, row[j].index]
                }
            }
            #expect(abs(antenna.squareRoot() - 0.03) < 1e-9)
            #expect(filter.covariance[.position[index], .position[index]].squareRoot() > 0.1)
        }
    }

    @Test func whatAnEngineShakesIsNoSwingOfTheAntenna() {
        // GIVEN an antenna a metre in front of an IMU that turns by 0.2 rad/s, and that an engine shakes by 0.3 rad/s
        // from one sample to the next
        var filter = NavigationFilter(believing: SIMD2(1, 0))
        for k in 0..<400 {
            let shaken = k.isMultiple(of: 2) ? 0.3 : -0.3
            _ = Strapdown.advance(
                &filter.state, angularRate: Vector3(0, 0, 0.2 + shaken),
                specificForce: Vector3(0, 0, InertialSample.standardGravity), seconds: 0.005)
        }
        // THEN the antenna moves sideways by 0.2 m/s, but for the share of one sample in the mean
        let swing = filter.antennaSwingENU
        #expect(abs(swing.horizontalLength - 0.2) < 0.3 * 0.005 / Tuning.Delay.swingRateSeconds + 0.001, "\(swing)")
    }

    @Test func aSwingOfTheAntennaIsSmeared() {
        // GIVEN a filter that knows all exactly, and an antenna 2 m ahead of an IMU that turns by 0.5 rad/s WHEN a fix
        // of 2 cm comes THEN the antenna swings by 1 m/s, which the receiver may smear over 0.2 s: 20 cm more,
        // and 0.1 m/s in its velocity
        var filter = NavigationFilter(believing: SIMD2(2, 0))
        filter.covariance = Covariance()
        filter.state.meanAngularRateSensor = Vector3(0, 0, 0.5)
        let still = LagMotion(seconds: 0, way: .zero, firstVelocity: .zero)
        for axis in 0..<3 {
            let seen = filter.positionComponent(axis, offset: .zero, since: still, sigma: 0.02)
            #expect(abs(seen.variance - 0.0404) < 1e-9, "axis \(axis): \(seen.variance)")
            let swing = filter.velocityComponent(axis, observed: 0, seen: 0, slope: 0, sigma: 0.05)
            #expect(abs(swing.variance - 0.0125) < 1e-9, "axis \(axis): \(swing.variance)")
        }
    }

    @Test func anUnknownArmIsNotToldAsTheAgeOfTheFix() throws {
        // GIVEN a drive whose arm is not found yet, in the moment before the next of five fixes per second
        var receiver = SatelliteReceiver.rtk
        receiver.rateHertz = 5
        let drive = try ArmDrive(arm: Vector3(1, 0, 1), seed: 1, receiver: receiver, seconds: 15)
        var report = TrustReport()
        var estimator = drive.estimator
        estimator.describeTrust(&report)
        let parts = report.budget.position
        // THEN the arm's share is with the mount: in 0.2 s no position becomes uncertain by decimetres
        #expect(parts.mount > 0.3, "\(parts)")
        #expect(parts.age < 0.1, "\(parts)")
    }

    /// Forward and left, metres.
    private static let arms = [
        (1.0, 0.0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0), (0, 2), (0, -2), (1.3, -0.7),
    ]

    @Test(arguments: arms, [UInt64(1), 2]) func anUntoldArmIsFound(
        arm: (forward: Double, left: Double), seed: UInt64
    ) throws {
        // GIVEN an RTK receiver whose antenna is a metre or two from the IMU, which nobody tells
        let drive = try ArmDrive(arm: Vector3(arm.forward, arm.left, 1), seed: seed)
        // THEN the arm is found with a sigma that holds, the place is that of the IMU, and nothing is doubted
        let found = drive.estimator.filter.state.antennaArmMeters
        var filter = drive.estimator.filter
        let sigma = filter.antennaArm.sigmaMeters
        #expect(abs(found.x - arm.forward) < max(0.1, 3 * sigma.x), "\(found) \(sigma)")
        #expect(abs(found.y - arm.left) < max(0.1, 3 * sigma.y), "\(found) \(sigma)")
        #expect(sigma.max() < 0.15)
        #expect(drive.place < 0.15, "\(drive.place)")
        #expect(drive.heading < 0.6, "\(drive.heading)")
        #expect(drive.doubts == 0)
        #expect(drive.estimator.estimate.resetCount == 0)
    }

    @Test(arguments: [UInt64(1), 2]) func anAntennaBesideTheIMUCostsNothing(seed: UInt64) throws {
        // GIVEN an antenna at the IMU, told or not THEN the place is as accurate: the allowance is the receiver's
        // least error of a fix
        let (told, untold) = (
            try ArmDrive(arm: .zero, seed: seed, told: .zero), try ArmDrive(arm: .zero, seed: seed)
        )
        #expect(untold.place < told.place + Tuning.GNSS.leastHorizontalWhiteSigma)
        #expect(untold.heading < 1.2 * told.heading)
        var filter = untold.estimator.filter
        #expect(filter.antennaArm.probabilityOfBeside > 0.9)
    }

    @Test(arguments: [UInt64(1), 2]) func aWrongArmInTheSettingsIsAPrior(seed: UInt64) throws {
        // GIVEN an antenna a metre in front of the IMU, and settings that say it is there THEN the drive corrects them
        let drive = try ArmDrive(arm: Vector3(1, 0, 1), seed: seed, told: Vector3(0, 0, 1))
        #expect(abs(drive.estimator.filter.state.antennaArmMeters.x - 1) < 0.15)
        #expect(drive.place < 0.2)
        #expect(drive.doubts == 0)
    }

    @Test(arguments: [UInt64(1), 2]) func anOrdinaryReceiverKeepsThePriorAndTheHeading(seed: UInt64) throws {
        // GIVEN a receiver of metres WHEN its antenna is two metres behind THEN that is not found well, is not called
        // so, and the heading is about that without an arm
        let (plain, drive) = (
            try ArmDrive(arm: .zero, seed: seed, receiver: SatelliteReceiver()),
            try ArmDrive(arm: Vector3(-2, 0, 1), seed: seed, receiver: SatelliteReceiver())
        )
        var filter = drive.estimator.filter
        let (found, sigma) = (filter.antennaArm.meters, filter.antennaArm.sigmaMeters)
        #expect(abs(found.x + 2) < 3 * sigma.x, "\(found) \(sigma)")
        #expect(drive.heading < plain.heading + 0.5, "\(drive.heading) \(plain.heading)")
        #expect(drive.estimator.estimate.resetCount == 0)
    }

    @Test func aFoundArmIsThePriorOfTheNextDrive() throws {
        // GIVEN a drive that has found the arm
        let arm = Vector3(1.5, 0.5, 1)
        let first = try ArmDrive(arm: arm, seed: 1)
        let mount = try #require(first.estimator.mount)
        #expect(mount.antenna?.isWellKnown == true)
        // WHEN the next one begins with its mount THEN it begins with its arm, with a larger sigma
        let next = try ArmDrive(arm: arm, seed: 2, kept: mount.onTheNextDrive, seconds: 60)
        #expect(next.place < 0.3, "\(next.place)")
        let (kept, before) = (try #require(mount.onTheNextDrive.antenna), try #require(mount.antenna))
        #expect(kept.sigmaMeters.x > before.sigmaMeters.x)
    }

    /// A filter whose place is that of an antenna, known to a centimetre, an unknown arm away.
    private func filterAtAntenna() -> NavigationFilter {
        var filter = NavigationFilter(believing: .zero)
        for state in [FilterState.attitude, .mount, .gnssBias] { filter.covariance.restart(state, variance: 0) }
        for axis in [FilterState.antennaArm.x, .antennaArm.y] { filter.covariance.restart(axis, variance: 1) }
        filter.covariance.restart(.position, variance: 1e-4)
        return filter
    }

    @Test(arguments: [true, false]) func aCorrectedHeadingIsNoSwingOfTheAntenna(atStart: Bool) {
        // GIVEN an antenna an unknown arm away, and a heading known to 20 degrees
        var filter = filterAtAntenna()
        filter.covariance[.attitude.z, .attitude.z] = 0.12
        filter.coupleAntennaArm()
        // WHEN the heading is corrected by 17 degrees, at the start or later, and the next fixes are at the same place
        if atStart {
            filter.fuseAccelerationHeading(0.3, sigma: 0.01)
        } else {
            var row = ObservationRow()
            row.add(.attitude.z, 1)
            filter.fuse(.gnssPosition, .init(row: row, innovation: 0.3, variance: 1e-4), gate: .infinity)
        }
        let still = LagMotion(seconds: 0, way: .zero, firstVelocity: .zero)
        for _ in 0..<20 {
            for axis in 0..<2 {
                let seen = filter.positionComponent(axis, offset: filter.antennaENU, since: still, sigma: 0.01)
                filter.fuse(.gnssPosition, seen, gate: .infinity)
            }
        }
        // THEN they have told nothing of the arm, but for what the heading is still wrong by, 0.01 rad of its metre
        let sigma = filter.antennaArm.sigmaMeters
        #expect(sigma.min() > 0.99 && filter.state.antennaArmMeters == .zero, "\(sigma)")
    }

    @Test func heightsSayNothingOfTheArm() {
        // GIVEN a vehicle that leans by 3 degrees and turns, with an antenna an unknown arm away
        var filter = filterAtAntenna()
        let lean = 0.05
        filter.state.sensorToENU = Quaternion(rotationVector: Vector3(lean, 0, 0))
        filter.state.meanAngularRateSensor = Vector3(0.2, 0, 0)
        filter.coupleAntennaArm()
        let still = LagMotion(seconds: 0, way: .zero, firstVelocity: .zero)
        // WHEN heights and climbs differ from what is predicted
        let height = filter.positionComponent(2, offset: Vector3(0, 0, 0.1), since: still, sigma: 0.02)
        let climb = filter.velocityComponent(2, observed: 0.1, seen: 0, slope: 0, sigma: 0.1)
        filter.fuse(.gnssHeight, height, gate: .infinity)
        filter.fuse(.gnssClimb, climb, gate: .infinity)
        // THEN the arm stays as it was, and what it may make of them is their noise: 3 degrees of a metre to the left,
        // and its swing by 0.2 rad/s
        #expect(filter.state.antennaArmMeters == .zero)
        #expect(filter.antennaArm.sigmaMeters.min() == 1)
        let (risen, swung) = (sin(lean), 0.2 * cos(lean))
        #expect(abs(height.variance - (0.02 * 0.02 + risen * risen)) < 1e-9)
        #expect(abs(climb.variance - (0.1 * 0.1 + swung * swung)) < 1e-9)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6]) func aStraightStartSaysNothingOfTheArm(seed: UInt64) throws {
        // GIVEN drives whose antenna is 2 m behind the IMU, which nobody has told WHEN they have gone for 35 s
        let drive = try ArmDrive(arm: Vector3(-2, 0, 1), seed: seed, seconds: 40)
        // THEN the arm is within four of its sigmas, which a normal error exceeds once in 16,000 times
        let arm = try #require(drive.estimator.estimate.mount?.antenna)
        #expect(abs(arm.meters.x + 2) < 4 * arm.sigmaMeters.x, "\(arm)")
    }

    @Test func aFoundLagHoldsTheUnknownArm() {
        // GIVEN a filter that starts at 5 m/s with an unknown arm and a lag of 0.1 s, known to 0.02 s if there is none
        var filter = NavigationFilter(believing: .zero)
        filter.state.velocityENU = Vector3(3, 4, 0)
        filter.covariance.restart(.antennaArm.x, variance: 1)
        filter.covariance.restart(.velocityLag, variance: 0.02 * 0.02)
        // WHEN the lag was found by a turn, and that of the position follows it by half
        filter.coupleLagsToArm(slope: 0.5, velocity: filter.state.velocityENU, lagPerMeter: 0.2)
        // THEN an antenna a metre ahead is 0.2 s of the one lag and 0.1 s of the other, by which the place is moved on
        #expect(abs(filter.covariance[.velocityLag, .velocityLag] - 0.0404) < 1e-12)
        #expect(abs(filter.covariance[.antennaArm.x, .velocityLag] - 0.2) < 1e-12)
        #expect(abs(filter.covariance[.antennaArm.x, .positionLag] - 0.1) < 1e-12)
        #expect(abs(filter.covariance[.antennaArm.x, .position.x] - 0.3) < 1e-12)
        #expect(abs(filter.covariance[.antennaArm.x, .position.y] - 0.4) < 1e-12)
        // AND for a given arm the lag is known as before
        #expect(abs(filter.lagVarianceBesideArm(.velocityLag) - 0.0004) < 1e-12)
    }

    @Test func untilTheHeadingIsFoundThePlaceIsAsUnsureAsTheArm() throws {
        // GIVEN a standing car with an RTK receiver whose antenna is a metre ahead of the IMU
        for told in [nil, Vector3(1, 0, 1)] {
            let standing = try ArmDrive(arm: Vector3(1, 0, 1), seed: 1, told: told, seconds: 4).estimator.estimate
            #expect(standing.state == .aligning || standing.state == .coarse)
            let sigma = try #require(standing.positionSigmaENUMeters)
            // WHEN nobody has told it THEN it is a metre away on each axis AND told, it is a metre away in a direction
            // that nobody knows, to 0.3 m: 0.707 m on each axis; the fixes themselves are known to 2 cm
            let expected = told == nil ? 1 : (0.5 + 0.3 * 0.3).squareRoot()
            #expect(abs(sigma.x - expected) < 0.01 && abs(sigma.y - expected) < 0.01, "\(sigma)")
            #expect(sigma.z < 0.1)
        }
    }

    @Test func theHeightOfAnUntoldAntennaIsUnknown() {
        // GIVEN a place that is known exactly, with all else
        var covariance = Covariance()
        let mixture = PlaceMixture(
            known: PlaceCovariance(of: &covariance), antenna: PlaceColumns(), armAndLag: .zero, acceleration: .zero,
            velocityLag: 0, lagDifferenceVariance: 0, isLagOfClocks: false, isLagTold: true)
        // WHEN the antenna is elsewhere on the car, or more probably there than beside the IMU THEN its height over the
        // IMU is unknown: 0.7 m, 1-sigma; beside the IMU, and where it is told, it is known
        let cases: [(Double?, Double)] = [(1, 0), (0.9, 0), (0.5, 0), (0.4, 0.6 * 0.49), (0, 0.49), (nil, 0)]
        for (probability, variance) in cases {
            let place = mixture.mean(besideProbability: probability)
            #expect(abs(place.variance.z - variance) < 1e-12 && abs(place.variance.x) < 1e-12)
        }
    }

    @Test func theHypothesisOfAnAntennaBesideIsDecidedByWhatIsSeen() {
        // GIVEN nothing seen THEN it has its prior
        #expect(abs(AntennaArm().probabilityOfBeside - 0.98) < 0.005)
        // GIVEN 5 cm or 1 m, known to 3 cm THEN it is decided
        let near = AntennaArm(meters: SIMD2(0.05, 0), sigmaMeters: SIMD2(0.03, 0.03))
        let far = AntennaArm(meters: SIMD2(1, 0), sigmaMeters: SIMD2(0.03, 0.03))
        #expect(near.probabilityOfBeside > 0.99)
        #expect(far.probabilityOfBeside < 1e-6)
    }
}
