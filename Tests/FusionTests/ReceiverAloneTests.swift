import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A vehicle with a receiver and nothing else: what is shown between its fixes.
@Suite struct ReceiverAloneTests {
    /// Sums of squares over the instants half a second and a second after the fixes of a drive.
    private struct Errors {
        var heading = 0.0
        var headingOverSigma = 0.0
        var held = 0.0
        var way = 0.0
        var straightWay = 0.0
        var count = 0.0
    }

    /// The way from a fix to an instant, as shown and as a constant velocity would give, against the true way.
    private func errors(seed: UInt64) throws -> Errors {
        var plan = DrivePlan.random(seed: seed, edges: 12)
        plan.standingSecondsBefore = 2
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: SensorSuite(), seed: seed)
        var (estimator, errors) = (PoseEstimator(), Errors())
        for event in simulated {
            guard case .gnss(let fix) = event, estimator.ingest(event) else { continue }
            let (first, begin) = (estimator.estimate, simulated.truth(at: estimator.estimate.time))
            guard let place = first.position, let velocity = fix.horizontalVelocity,
                velocity.speedMetersPerSecond > 3, begin.velocityENUMetersPerSecond.length > 3
            else { continue }
            for seconds in [0.5, 1.0] {
                let time = first.time.advanced(bySeconds: seconds)
                _ = estimator.carryOn(to: time)
                let (next, truth) = (estimator.estimate, simulated.truth(at: time))
                guard next.time == time, let end = next.position, let attitude = next.bodyToENU,
                    let sigma = next.headingSigmaRadians
                else { continue }
                let (shown, real) = (
                    place.surfaceOffsetMeters(to: end), begin.position.surfaceOffsetMeters(to: truth.position)
                )
                let wrong = Vector3(shown.east - real.east, shown.north - real.north, 0)
                let straight = Vector3(
                    velocity.eastMetersPerSecond * seconds - real.east,
                    velocity.northMetersPerSecond * seconds - real.north, 0)
                let course = atan2(truth.velocityENUMetersPerSecond.x, truth.velocityENUMetersPerSecond.y)
                let heading = Angle.wrappedToPi(EulerAngles(bodyToENU: attitude).headingTrueRadians - course)
                let held = Angle.wrappedToPi(
                    atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond) - course)
                errors.heading += heading * heading
                errors.held += held * held
                errors.headingOverSigma += heading * heading / (sigma * sigma)
                errors.way += wrong.lengthSquared
                errors.straightWay += straight.lengthSquared
                errors.count += 1
            }
        }
        return errors
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func aTurnGoesOnBetweenItsFixes(seed: UInt64) throws {
        // GIVEN a drive through a town with a fix a second and no IMU WHEN the pose is shown until the next fix
        let errors = try errors(seed: seed)
        #expect(errors.count > 100)
        // THEN its way and its heading are nearer to the true ones than a constant velocity is, and the heading is no
        // more wrong than it says: 1.3 in the mean, as turns are short and few
        #expect(errors.way < 0.6 * errors.straightWay, "\((errors.way / errors.straightWay).squareRoot())")
        #expect(errors.heading < 0.6 * errors.held, "\((errors.heading / errors.held).squareRoot())")
        let ratio = (errors.headingOverSigma / errors.count).squareRoot()
        #expect(ratio < 1.3, "\(ratio)")
    }

    @Test func aSlowVehicleKeepsItsLastCourseLessSurely() throws {
        // GIVEN a drive with stops and no IMU WHEN the vehicle is too slow for a course after it had one
        var plan = DrivePlan.random(seed: 1, edges: 12)
        plan.standingSecondsBefore = 2
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: SensorSuite(), seed: 1)
        var (estimator, course, slow) = (PoseEstimator(), Double?.none, 0)
        for event in simulated {
            guard case .gnss(let fix) = event, estimator.ingest(event), let velocity = fix.horizontalVelocity else {
                continue
            }
            guard velocity.speedMetersPerSecond < 1.9, let course else {
                if velocity.speedMetersPerSecond > 2.1 {
                    course = atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
                }
                continue
            }
            // THEN that course is shown over the next metres, with the sigma of what may have been turned since:
            // 0.2 rad and more
            guard estimator.courseWay < 4.8 else { continue }
            let attitude = try #require(estimator.estimate.bodyToENU)
            let turned = Angle.wrappedToPi(EulerAngles(bodyToENU: attitude).headingTrueRadians - course)
            let sigma = try #require(estimator.estimate.headingSigmaRadians)
            #expect(sigma > 0.2 && abs(turned) < 0.2)
            slow += 1
        }
        #expect(slow > 3, "\(slow)")
    }

    /// A fix of a vehicle that goes east at 10 m/s and has climbed by so much, without a climb.
    private func fix(_ seconds: Double, up: Double) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)
            .moved(byENU: Vector3(10 * seconds, 0, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (400 + up, 2, 3)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 10, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        return fix
    }

    @Test(arguments: [1.0, 5]) func aSlopeWithoutAClimbIsWithinTheSigmaOfTheHeight(rateHertz: Double) throws {
        // GIVEN a receiver that knows its speed to 0.1 m/s and states no climb WHEN the vehicle goes up by 120 m at
        // 1 m/s
        var (estimator, worst) = (PoseEstimator(), 0.0)
        for step in 0...Int(300 * rateHertz) {
            let seconds = Double(step) / rateHertz
            let up = min(max(seconds - 100, 0), 120)
            _ = estimator.ingest(.gnss(fix(seconds, up: up)))
            let height = try #require(estimator.estimate.position).altitudeEllipsoidMeters
            let sigma = try #require(estimator.estimate.positionSigmaENUMeters).z
            worst = max(worst, abs(height - 400 - up) / sigma)
            // THEN the climb is not known to a metre a second
            #expect(try #require(estimator.estimate.velocitySigmaENUMetersPerSecond).z >= 1)
        }
        // AND the height is within 4 sigmas at any time
        #expect(worst < 4, "\(worst)")
    }

    @Test(arguments: [(MotionProfile.vehicle, 3.0), (.boat, 0.5), (.wearable, 0.5)])
    func anAccelerationLastsForThreeSecondsOnWheelsOnly(profile: MotionProfile, seconds: Double) throws {
        // GIVEN fixes, one a second, of a body that goes east at 10 m/s
        var settings = FusionSettings()
        settings.profile = profile
        var estimator = PoseEstimator(settings: settings)
        var model = ReceiverAcceleration(velocity: Vector3(10, 0, 0), sigma: 0.1)
        for second in 0...5 {
            _ = estimator.ingest(.gnss(fix(Double(second), up: 0)))
            guard second > 0 else { continue }
            model.note(Vector3(10, 0, 0), sigma: 0.1, after: 1, correlationSeconds: seconds)
        }
        // THEN what is unsure of the next second is that of an acceleration which lasts for 3 s on wheels, and for
        // half a second on others
        let found = try #require(estimator.positionFilter?.acceleration).sigma(after: 1)
        let expected = model.sigma(after: 1)
        #expect(abs(found.velocity - expected.velocity) < 1e-6 && abs(found.way - expected.way) < 1e-6)
    }

    @Test func theClimbIsAsSureAsTheReceiverStates() throws {
        // GIVEN a receiver that states a climb good to 1 m/s, and a speed good to 0.1 m/s
        var estimator = PoseEstimator()
        for seconds in 0...5 {
            var fix = fix(Double(seconds), up: 0)
            (fix.climbMetersPerSecond, fix.climbSigmaMetersPerSecond) = (0, 1)
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN the sigmas of the velocity say so, and a second later both have grown
        let now = try #require(estimator.estimate.velocitySigmaENUMetersPerSecond)
        #expect(now.x < 0.2 && abs(now.z - 1) < 1e-9, "\(now)")
        _ = estimator.carryOn(to: MonotonicTime(nanoseconds: 6_000_000_000))
        let later = try #require(estimator.estimate.velocitySigmaENUMetersPerSecond)
        #expect(later.x > now.x && abs(later.z - 2.0.squareRoot()) < 1e-9, "\(later)")
    }
}
