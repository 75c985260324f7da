import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// From where on wheels are searched, trusted, doubted and searched again.
@Suite struct WheelTrustTests {
    private static let forceHistory = VectorHistory()

    private static func state(at time: MonotonicTime, speed: Double) -> NavigationState {
        var state = NavigationState(
            time: time,
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            velocityENU: Vector3(speed, 0, 0), sensorToENU: .identity)
        state.sensorToVehicle = .identity
        return state
    }

    /// A filter that knows its velocity, and wheels whose scale and lag are found.
    private func calibrated() -> NavigationFilter {
        NavigationFilter(withWheelsAndVelocityVariance: 1e-3)
    }

    /// Takes a reading a second at a true speed ahead, m/s, which the filter knows.
    private func take(
        _ reading: Double, at speed: Double, times: Int = 1, hasFixes: Bool, by filter: inout NavigationFilter
    ) {
        for _ in 0..<times {
            filter.state = Self.state(at: filter.state.time.advanced(bySeconds: 1), speed: speed)
            if hasFixes { filter.lastFixTime = filter.state.time }
            filter.fuseWheelSpeed(reading, forceHistory: Self.forceHistory)
        }
    }

    private func status(_ filter: NavigationFilter) -> AidSourceStatus {
        filter.aids[Int(AidSource.wheelSpeed.rawValue)]
    }

    /// For how long a reading counts in the search, seconds, some time after the start of the filter.
    private func searched(_ reading: Double, at speed: Double = 10, after milliseconds: Int64 = 2000) -> Double {
        var filter = NavigationFilter(
            at: Self.state(at: MonotonicTime(nanoseconds: 0), speed: 0), leverArm: .zero)
        filter.state = Self.state(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000), speed: speed)
        filter.lastFixTime = filter.state.time
        filter.fuseWheelSpeed(reading, forceHistory: Self.forceHistory)
        return filter.wheels.search.seconds
    }

    @Test func theSearchBeginsWithThePastThatItNeedsAndAboveThreeMetersASecond() {
        // GIVEN a filter that has run for 1.5 s, the largest lag that is tried THEN a later reading counts, for a fifth
        // of a second as the first one
        #expect(searched(10, after: 1500) == 0 && searched(10, after: 1501) == 0.2)
        // AND one above 3 m/s
        #expect(searched(3, at: 3) == 0 && searched(3, at: 3.01) == 0.2)
        // AND one whose unit may be such a speed, a fifth of it, either way
        #expect(searched(0.59) == 0 && searched(0.61) == 0.2 && searched(-0.61) == 0.2)
    }

    @Test func wrongReadingsEndTheTrustInFiveSecondsAndTheCalibrationInFourteen() {
        // GIVEN wheels that have agreed with the fixes WHEN their readings are wrong, one a second THEN the share that
        // agrees falls by a twentieth each: below 0.8 with the fifth, and below 0.5 with the fourteenth, from where on
        // they are searched anew
        var filter = calibrated()
        take(10, at: 10, hasFixes: true, by: &filter)
        take(10.1, at: 10.1, hasFixes: true, by: &filter)
        #expect(filter.wheels.agreement == 1 && status(filter).acceptedCount == 2)
        take(20, at: 10, times: 4, hasFixes: true, by: &filter)
        #expect(filter.isWheelSpeedTrusted && status(filter).rejectedCount == 4)
        take(20, at: 10, hasFixes: true, by: &filter)
        #expect(!filter.isWheelSpeedTrusted && abs(filter.wheels.agreement - pow(0.95, 5)) < 1e-9)
        take(20, at: 10, times: 8, hasFixes: true, by: &filter)
        #expect(filter.wheels.isCalibrated)
        take(20, at: 10, hasFixes: true, by: &filter)
        #expect(!filter.wheels.isCalibrated && filter.wheels.agreement == 1)
    }

    @Test func withoutFixesWrongReadingsAreNotSearchedAnew() {
        // GIVEN wheels that have agreed WHEN their readings are wrong for 30 s without a fix THEN they are not trusted,
        // and their scale and lag are kept: nothing would show others
        var filter = calibrated()
        take(10, at: 10, hasFixes: false, by: &filter)
        take(10.1, at: 10.1, hasFixes: false, by: &filter)
        take(20, at: 10, times: 30, hasFixes: false, by: &filter)
        #expect(!filter.isWheelSpeedTrusted && filter.wheels.isCalibrated)
        #expect(abs(filter.wheels.agreement - pow(0.95, 30)) < 1e-9)
    }

    @Test func wheelsThatAgreeAgainAreTrustedAgain() {
        // GIVEN wheels of whose readings 70 % have agreed WHEN they agree with the fixes again, the first reading for a
        // fifth of a second, the others for a second each THEN they are compared, and used from a share of 0.8 on
        var filter = calibrated()
        filter.wheels.agreement = 0.7
        for k in 0..<8 {
            let speed = 10 + 0.1 * Double(k)
            take(speed, at: speed, hasFixes: true, by: &filter)
        }
        #expect(status(filter).rejection == .contradicted && status(filter).rejectedCount == 8)
        #expect(abs(filter.wheels.agreement - (1 - 0.297 * pow(0.95, 7))) < 1e-9 && !filter.isWheelSpeedTrusted)
        take(11, at: 11, hasFixes: true, by: &filter)
        #expect(filter.isWheelSpeedTrusted && status(filter).rejectedCount == 9)
        take(12, at: 12, hasFixes: true, by: &filter)
        #expect(status(filter).rejection == .none && status(filter).acceptedCount == 1)
    }

    @Test func aSpeedThatRepeatsIsStuckAndARestIsNot() {
        // GIVEN wheels in steps of 0.1 m/s WHEN the vehicle goes on 0.3 m/s faster, and they repeat a reading THEN that
        // is a stuck one
        var moving = calibrated()
        take(10, at: 10, hasFixes: false, by: &moving)
        take(10.1, at: 10.1, hasFixes: false, by: &moving)
        take(10.1, at: 10.4, times: 60, hasFixes: false, by: &moving)
        #expect(status(moving).rejection == .stuck)
        // AND GIVEN a vehicle that creeps by 0.2 m/s WHEN they repeat zero THEN that is not: many state nothing there
        var creeping = calibrated()
        take(0.3, at: 0.3, hasFixes: false, by: &creeping)
        take(0.2, at: 0.2, hasFixes: false, by: &creeping)
        take(0, at: 0.2, times: 60, hasFixes: false, by: &creeping)
        #expect(status(creeping).rejectedCount == 0)
    }

    @Test func theRoundingOfANewReadingCountsTwice() {
        // GIVEN speeds in steps of 0.5, a second apart THEN a new reading has two times the variance of the rounding,
        // the first repetition has six times, and each later one ten times, as many as ten seconds have
        let rounding = 0.25 / 12
        var resolution = WheelResolution()
        resolution.update(1, seconds: 1)
        for (reading, factor) in [(1.5, 2.0), (1.5, 6), (1.5, 10), (1.5, 10), (2, 2)] {
            resolution.update(reading, seconds: 1)
            #expect(abs(resolution.variance(afterSeconds: 1) - factor * rounding) < 1e-12, "\(reading), \(factor)")
        }
        #expect(abs(resolution.ownVariance - rounding) < 1e-12)
    }

    @Test func aSearchBeginsAnewWithoutWhatWasFound() {
        // GIVEN wheels that have stated a direction, going back at 2 m/s WHEN their readings are wrong fourteen times
        // in a row THEN scale, lag, sign and direction are those of a first search
        var filter = calibrated()
        for speed in [-2, -2.1] { take(speed, at: speed, hasFixes: true, by: &filter) }
        #expect(filter.wheels.statesDirection && status(filter).acceptedCount == 2)
        filter.wheels.signSeconds = -3
        take(20, at: 10, times: 14, hasFixes: true, by: &filter)
        #expect(!filter.wheels.isCalibrated && !filter.wheels.statesDirection && filter.wheels.signSeconds == 0)
        #expect(filter.wheels.agreement == 1 && filter.wheels.meanSquare == 1 && filter.wheels.search.seconds == 0)
    }

    @Test func theFirstReadingAheadTellsTheSignOfKeptWheels() {
        // GIVEN an encoder on the other side, whose scale and lag an earlier drive has found WHEN the vehicle goes
        // ahead at 10 m/s, and fixes come THEN its first reading, -10 m/s, tells the sign, and is taken
        let kept = SensorPrior.Wheels(scale: 1, scaleSigma: 0.01, lagSeconds: 0, lagSigmaSeconds: 0.01)
        var turned = calibrated()
        turned.startWheels(kept)
        take(-10, at: 10, hasFixes: true, by: &turned)
        #expect(turned.wheels.sign == -1 && status(turned).acceptedCount == 1)
        // AND it is that of the drive: a later reading of the other sign is refused
        take(10.1, at: 10.1, hasFixes: true, by: &turned)
        #expect(turned.wheels.sign == -1 && status(turned).rejectedCount == 1)
        // AND without fixes, at 3 m/s or going back nothing is turned
        for (reading, speed, hasFixes) in [(-10.0, 10.0, false), (-3, 3, true), (-3.1, 3, true), (-10, -10, true)] {
            var other = calibrated()
            other.startWheels(kept)
            take(reading, at: speed, hasFixes: hasFixes, by: &other)
            #expect(other.wheels.sign == 1, "\(reading) at \(speed)")
        }
    }

    @Test func keptWheelsAreAsUnsureAsTheyWereFound() {
        // GIVEN a scale and a lag that an earlier drive has found WHEN the wheels start with them THEN they have these
        // values with the squares of their sigmas, and no error in common (eq. 7.33)
        var filter = calibrated()
        filter.covariance[.wheelScale, .wheelLag] = 1e-5
        filter.covariance[.wheelLag, .wheelScale] = 1e-5
        filter.startWheels(SensorPrior.Wheels(scale: 1.1, scaleSigma: 0.03, lagSeconds: 0.2, lagSigmaSeconds: 0.05))
        #expect(filter.state.wheelScale == 1.1 && filter.state.wheelLagSeconds == 0.2)
        let (scale, lag) = (filter.covariance[.wheelScale, .wheelScale], filter.covariance[.wheelLag, .wheelLag])
        #expect(abs(scale - 9e-4) < 1e-15 && abs(lag - 2.5e-3) < 1e-15, "\(scale) \(lag)")
        let (row, column) = (filter.covariance[.wheelScale, .wheelLag], filter.covariance[.wheelLag, .wheelScale])
        #expect(row == 0 && column == 0)
        #expect(filter.wheels.isCalibrated && !filter.wheels.isSignKnown)
    }

    @Test(arguments: [(0.05, 0.45), (0.5, 0.045), (1, 0.022_5), (3, 0.022_5)]) func readingsOfASecondCountAsOne(
        seconds: Double, variance: Double
    ) {
        // GIVEN a reading of 10 m/s, known to 0.15 m/s WHEN the same follows after some time THEN its variance is that
        // times a second over the time, as slip lasts for so long, and its own from a second on (eq. 5.19)
        var filter = calibrated()
        take(10, at: 10, hasFixes: false, by: &filter)
        filter.state = Self.state(at: filter.state.time.advanced(bySeconds: seconds), speed: 10)
        filter.fuseWheelSpeed(10, forceHistory: Self.forceHistory)
        let found = status(filter)
        #expect(found.acceptedCount == 2 && abs(found.observationVariance / variance - 1) < 1e-6, "\(found)")
    }
}
