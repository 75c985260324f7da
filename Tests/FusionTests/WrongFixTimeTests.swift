import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Fixes whose times of validity are all wrong by as much, as with a system clock that nothing has set right: the sigma
/// of their times says so.
@Suite struct WrongFixTimeTests {
    /// 1-sigma of the times of a machine whose clock nothing keeps right, seconds.
    private static let timeSigma = 0.2

    /// Errors of the place, its stated sigma, and how often it held the error twice, from two minutes after the start.
    private struct Errors {
        var squares = 0.0
        var variances = 0.0
        var (held, count) = (0.0, 0.0)
        var place: Double { (squares / count).squareRoot() }
        var sigma: Double { (variances / count).squareRoot() }
        var shareWithinTwoSigma: Double { held / count }
    }

    /// Drives with an RTK receiver whose fixes are valid so much later than they say, seconds.
    private func drive(
        seed: UInt64, fixesEarlyBy seconds: Double, timeSigma: Double?, profile: MotionProfile = .vehicle,
        hasIMU: Bool = true
    ) throws -> (errors: Errors, estimator: PoseEstimator) {
        var plan = DrivePlan.random(seed: seed, edges: 12)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite = .rtk
        suite.satellite?.rateHertz = 1
        if !hasIMU { suite.inertial = nil }
        let drive = try Drive(plan)
        var settings = FusionSettings()
        settings.profile = profile
        var (estimator, errors) = (PoseEstimator(settings: settings), Errors())
        for var event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
            if case .gnss(var fix) = event {
                fix.validityTime = fix.validityTime.advanced(bySeconds: -seconds)
                fix.timeSigmaSeconds = timeSigma
                event = .gnss(fix)
            }
            let isNew = estimator.ingest(event)
            let estimate = estimator.estimate
            guard isNew, estimate.time.seconds > 125, let position = estimate.position,
                let sigma = estimate.positionSigmaENUMeters
            else { continue }
            let offset = drive.truth(atSeconds: estimate.time.seconds).position.surfaceOffsetMeters(to: position)
            let (square, variance) = (
                offset.east * offset.east + offset.north * offset.north, sigma.x * sigma.x + sigma.y * sigma.y
            )
            errors.squares += square
            errors.variances += variance
            errors.held += square <= 4 * variance ? 1 : 0
            errors.count += 1
        }
        return (errors, estimator)
    }

    @Test(arguments: [UInt64(1), 2, 3], [0.1, 0.3, 0.5]) func fixesThatAreEarlyLeaveThePlaceOfNow(
        seed: UInt64, seconds: Double
    ) throws {
        // GIVEN fixes that are stamped too early, with that sigma WHEN it has been driven with them for two minutes
        // THEN the place is that of now, as well as the clock of the IMU is known, and within its sigma: at 12 m/s
        // half a second is 6 m
        let errors = try drive(seed: seed, fixesEarlyBy: seconds, timeSigma: Self.timeSigma).errors
        #expect(errors.place < 0.6, "\(errors)")
        #expect(errors.shareWithinTwoSigma > 0.9 && errors.sigma < 1.2, "\(errors)")
    }

    @Test(arguments: [UInt64(1), 2]) func fixesWithTheRightTimesAreAsGoodAsEver(seed: UInt64) throws {
        // GIVEN fixes with the right times, but a clock that nothing vouches for THEN the place is as good as with one
        // that is known to be right: what the lag of some milliseconds moves it by is less than its error
        let unsure = try drive(seed: seed, fixesEarlyBy: 0, timeSigma: Self.timeSigma).errors
        let sure = try drive(seed: seed, fixesEarlyBy: 0, timeSigma: nil).errors
        #expect(unsure.place < 1.05 * sure.place + 0.002, "\(unsure) \(sure)")
    }

    @Test func whatNoLagShowsIsInTheSigma() throws {
        // GIVEN fixes 0.3 s early, for a person's IMU, whose motion shows no lag, and without any WHEN they have a
        // sigma THEN the place is off by the way of that time, as far as it is not taken for that to the antenna, and
        // its sigma, the way of 0.2 s, holds that
        for (profile, hasIMU) in [(MotionProfile.wearable, true), (.vehicle, false)] {
            let errors = try drive(
                seed: 1, fixesEarlyBy: 0.3, timeSigma: Self.timeSigma, profile: profile, hasIMU: hasIMU
            )
            .errors
            #expect(hasIMU || errors.place > 0.5, "\(errors)")
            #expect(errors.shareWithinTwoSigma > 0.9, "\(errors)")
        }
    }

    @Test(arguments: [(nil, true), (timeSigma, false)] as [(Double?, Bool)])
    func aWrongClockIsNotKeptForTheNextDrive(timeSigma: Double?, isKept: Bool) throws {
        // GIVEN fixes a tenth of a second early WHEN the drive is over THEN the next one begins with that lag where the
        // clock is known to be right: then it is the installation's
        var estimator = try drive(seed: 1, fixesEarlyBy: 0.1, timeSigma: timeSigma).estimator
        #expect((estimator.sensorPrior.lags != nil) == isKept)
    }

    @Test(arguments: [(-0.1, false), (0, true), (30, true), (30.1, false), (.nan, false)])
    func aSigmaOfTheTimesThatCannotBeIsNotUsed(sigma: Double, isUsed: Bool) {
        // GIVEN a fix with a sigma of its time THEN it is used as far as a delay may be, and else counted
        var estimator = PoseEstimator()
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 0), arrivalTime: MonotonicTime(nanoseconds: 0),
            mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.1, 400)
        fix.timeSigmaSeconds = sigma
        #expect((estimator.accept(fix)?.timeSigmaSeconds != nil) == isUsed)
        #expect(estimator.rejections.fixPartUnusable == (isUsed ? 0 : 1))
    }
}
