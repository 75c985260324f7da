import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A receiver that is led astray for seconds: the filter doubts it, and goes on.
@Suite struct ReflectionTests {
    @Test(arguments: [UInt64(1), 2, 3, 4]) func reflectionsThereAndBackGiveNothingUp(seed: UInt64) throws {
        // GIVEN a drive through streets that put the receiver 12 m off (1-sigma), three times a minute, for seconds at
        // a time
        let drive = try Drive(.random(seed: seed, edges: 20))
        var suite = SensorSuite()
        suite.satellite?.multipathEpisodesPerMinute = 3
        suite.satellite?.multipathMeters = 12
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        // WHEN it is driven
        var estimator = PoseEstimator()
        var (sum, count) = (0.0, 0.0)
        for event in simulated {
            guard estimator.ingest(event), estimator.estimate.state == .aligned,
                let attitude = estimator.estimate.bodyToENU
            else { continue }
            let truth = simulated.truth(at: estimator.estimate.time)
            let error = Angle.wrappedToPi(
                EulerAngles(bodyToENU: attitude).headingTrueRadians
                    - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
            (sum, count) = (sum + error * error, count + 1)
        }
        // THEN the heading is never given up, and stays as good as without reflections
        #expect(estimator.rejections.headingLost == 0 && estimator.rejections.filterRestarted == 0)
        #expect((sum / max(count, 1)).squareRoot().radiansInDegrees < 1)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4], [true, false]) func longReflectionsStayWithinTheSigma(
        seed: UInt64, hasVelocity: Bool
    ) throws {
        // GIVEN a drive and a receiver, with velocity or without, which after a minute is put 40 m (1-sigma) off for 4
        // to 12 s, two or three times a minute, on ways that may follow each other
        let drive = try Drive(.random(seed: seed, edges: 20))
        var suite = SensorSuite()
        suite.satellite?.rateHertz = 5
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        var random = RandomSource(seed: seed, use: 40)
        var (shift, end, next) = (Vector3.zero, 0.0, 60.0)
        // WHEN it is driven
        var estimator = PoseEstimator()
        var (beyond, count, largest) = (0.0, 0.0, 0.0)
        for event in simulated {
            var event = event
            if case .gnss(var fix) = event {
                let seconds = fix.validityTime.seconds
                if seconds > next {
                    shift = random.gaussianVector() * 40
                    (end, next) = (seconds + random.uniform(4, 12), seconds + random.uniform(10, 40))
                }
                if seconds < end { fix = fix.moved(east: shift.x, north: shift.y) }
                if !hasVelocity { (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil) }
                event = .gnss(fix)
            }
            guard estimator.ingest(event), estimator.estimate.state == .aligned,
                let position = estimator.estimate.position, let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            let offset = simulated.truth(at: estimator.estimate.time).position.surfaceOffsetMeters(to: position)
            let error = hypot(offset.east, offset.north)
            (beyond, count) = (beyond + (error > 3 * hypot(sigma.x, sigma.y) + 3 ? 1 : 0), count + 1)
            largest = max(largest, error)
        }
        // THEN the error exceeds three sigmas, and 3 m, in less than a hundredth of the time, though there were
        // reflections that were followed
        #expect(count > 10_000 && largest > 20, "\(largest) m")
        #expect(beyond < 0.01 * count, "\(100 * beyond / count) %, largest \(largest) m")
    }

    @Test func oneImpossibleTurnLeavesNoTrace() throws {
        // GIVEN a drive, and the same with one sample of 69 rad/s in it; THEN the sample is refused and counted, and
        // the roll stays that of a road
        let drive = try Drive(.random(seed: 5, edges: 10))
        var estimator = PoseEstimator()
        var worst = 0.0
        var samples = 0
        for event in SimulatedDrive(drive: drive, sensors: SensorSuite(), seed: 5) {
            var event = event
            if case .inertial(var sample) = event {
                samples += 1
                if samples == 6000 { sample.angularRateRadiansPerSecond.x = 69 }
                event = .inertial(sample)
            }
            guard estimator.ingest(event), estimator.estimate.state == .aligned,
                let attitude = estimator.estimate.bodyToENU
            else { continue }
            worst = max(worst, abs(EulerAngles(bodyToENU: attitude).rollRadians))
        }
        #expect(samples > 6000 && estimator.rejections.inertialOutOfRange == 1)
        #expect(worst < 0.2)
    }

    private let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 100)

    /// A filter at rest that has agreed with an RTK receiver for so many fixes, half a second each: for more than two
    /// minutes.
    private func agreeingFilter(fixes: Int = 250) -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        for state in [FilterState.position, .velocity, .gnssBias] { filter.covariance.restart(state, variance: 1e-4) }
        fuse(fixes: fixes, into: &filter)
        return filter
    }

    /// Takes fixes, two a second, some metres to the east and above the place.
    private func fuse(fixes: Int, metersEast: Double = 0, metersUp: Double = 0, into filter: inout NavigationFilter) {
        let forceHistory = VectorHistory()
        var observed = NavigationState(
            time: filter.state.time, position: place, velocityENU: .zero, sensorToENU: .identity)
        observed.move(byENU: Vector3(metersEast, 0, metersUp))
        for _ in 0..<fixes {
            filter.state.time = filter.state.time.advanced(bySeconds: 0.5)
            var fix = GnssFix(
                validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (
                observed.position.latitudeRadians, observed.position.longitudeRadians,
                observed.position.altitudeEllipsoidMeters
            )
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (0.02, 0.03)
            (fix.speedSigmaMetersPerSecond, fix.quality) = (0.1, .rtkFixed)
            filter.fuse(fix, forceHistory: forceHistory)
        }
    }

    /// How far east of the place the filter is, metres.
    private func metersEast(_ filter: NavigationFilter) -> Double {
        place.surfaceOffsetMeters(to: filter.state.position).east
    }

    @Test func whoeverHasLeftTheCommonWayIsDoubted() {
        // GIVEN a filter that agrees with an RTK receiver
        let agreeing = agreeingFilter()
        // WHEN the receiver jumps by 3 m beside its own velocity THEN it is the receiver that has changed: the estimate
        // follows by less than half
        var reflected = agreeing
        fuse(fixes: 6, metersEast: 3, into: &reflected)
        #expect(abs(metersEast(reflected)) < 1.5)
        // WHEN the filter strays by 3 m while the receiver stays on its way THEN it returns to the fixes
        var strayed = agreeing
        strayed.state.move(byENU: Vector3(3, 0, 0))
        fuse(fixes: 6, into: &strayed)
        #expect(abs(metersEast(strayed)) < 0.3)
    }

    @Test(arguments: [25.0, 60, 800]) func aFarReflectionOfSecondsMovesNothing(meters: Double) {
        // GIVEN a filter that agrees with an RTK receiver WHEN the receiver is far off for 8 s, beside its own velocity
        var filter = agreeingFilter()
        fuse(fixes: 16, metersEast: meters, metersUp: meters, into: &filter)
        // THEN the estimate stays, and its sigma says that one of both is wrong
        #expect(abs(metersEast(filter)) < 1 && filter.reset.count == 0)
        let place = filter.publishedPlace(isAntennaTold: true, isLagTold: true)
        #expect(filter.positionSigma(of: place).x > meters / 3)
        // WHEN the receiver is back THEN nothing has happened
        fuse(fixes: 4, into: &filter)
        #expect(abs(metersEast(filter)) < 0.3 && filter.reset.count == 0)
    }

    @Test(arguments: [25.0, 60, 800]) func aLastingJumpIsFollowedInDoubtAndBack(meters: Double) {
        // GIVEN a filter that agrees with an RTK receiver WHEN the receiver is far off for 11 s
        var filter = agreeingFilter()
        fuse(fixes: 22, metersEast: meters, metersUp: meters, into: &filter)
        // THEN the estimate has followed with an announced jump, and three sigmas reach the place before
        #expect(abs(metersEast(filter) - meters) < 1 && filter.reset.count == 1)
        let variance = filter.covariance[.position.x, .position.x]
        #expect(variance.squareRoot() > 0.9 * meters / 3)
        // WHEN the receiver returns THEN the estimate is back within 4 s, and with it its height within 10 s more
        fuse(fixes: 8, into: &filter)
        #expect(abs(metersEast(filter)) < 1 && filter.reset.count == 2)
        fuse(fixes: 20, into: &filter)
        #expect(abs(filter.state.position.altitudeEllipsoidMeters - place.altitudeEllipsoidMeters) < 1)
    }

    @Test(arguments: [25.0, 60, 800]) func anEarlyJumpIsFollowedSoonAndInDoubt(meters: Double) {
        // GIVEN a filter that has agreed with a receiver for half a minute WHEN that is far off for 5 s, beside its own
        // velocity THEN the estimate has followed: nothing proves its place. Three sigmas reach the place before
        var filter = agreeingFilter(fixes: 60)
        fuse(fixes: 10, metersEast: meters, into: &filter)
        #expect(abs(metersEast(filter) - meters) < 1 && filter.reset.count == 1)
        #expect(filter.covariance[.position.x, .position.x].squareRoot() > 0.9 * meters / 3)
        // WHEN the receiver returns THEN the estimate is back, and in no doubt: the first fixes are proven now
        fuse(fixes: 10, into: &filter)
        #expect(abs(metersEast(filter)) < 0.1 && filter.reset.count == 2)
        #expect(filter.covariance[.position.x, .position.x].squareRoot() < 0.1)
    }

    @Test func aHeightThatIsRefusedForSecondsIsFollowed() {
        // GIVEN a filter whose height is 150 m off, while its place is that of the fixes
        var filter = agreeingFilter()
        filter.state.move(byENU: Vector3(0, 0, 150))
        // WHEN fixes have come for 8 s THEN their heights are refused, and the sigma says so
        fuse(fixes: 16, into: &filter)
        #expect(abs(filter.state.position.altitudeEllipsoidMeters - 250) < 1 && filter.reset.count == 0)
        let place = filter.publishedPlace(isAntennaTold: true, isLagTold: true)
        #expect(filter.positionSigma(of: place).z > 70)
        // WHEN they have come for 11 s THEN the height is theirs, and the jump is announced
        fuse(fixes: 6, into: &filter)
        #expect(abs(filter.state.position.altitudeEllipsoidMeters - 100) < 1 && filter.reset.count == 1)
        #expect(abs(filter.reset.deltaENU.z + 150) < 2)
    }
}
