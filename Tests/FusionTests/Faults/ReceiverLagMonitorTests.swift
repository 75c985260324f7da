import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The lag of the receiver's velocity against the running filter.
@Suite struct ReceiverLagMonitorTests {
    /// Velocity of a vehicle that brakes and turns, east, north, up, m/s.
    private static func velocity(_ t: Double, swing: Double = 2) -> Vector3 {
        Vector3(10 + swing * sin(0.5 * t) + swing * sin(0.23 * t), swing * cos(0.37 * t), 0)
    }

    /// A monitor after so many fixes of a receiver whose velocity is late, in a vehicle that brakes and turns; each at
    /// its own second.
    private func monitor(
        fixes: Int, lag: Double, swing: Double = 2, variance: Double = 0.015, turnRate: Double = 0,
        attitudeSigma: (tilt: Double, heading: Double) = (0, 0), at second: (Int) -> Double = { Double($0) }
    ) -> ReceiverLagMonitor {
        func velocity(_ t: Double) -> Vector3 { Self.velocity(t, swing: swing) }
        var monitor = ReceiverLagMonitor()
        for k in 0..<fixes {
            let seen = velocity(second(k) - lag)
            monitor.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), variance: variance,
                turnRate: turnRate, attitudeSigma: attitudeSigma,
                at: MonotonicTime(nanoseconds: Int64((second(k) * 1e9).rounded())),
                inertialChange: { velocity($1.seconds) - velocity($0.seconds) })
        }
        return monitor
    }

    @Test(arguments: [0.0, 0.4, 1.1, 2.2]) func aWrongLagIsCorrected(lag: Double) throws {
        // GIVEN a minute of braking and turning WHEN the filter's lag is wrong by half a second THEN the true one is
        // told to half a step of the bank; where it is right, or wrong by less than the bank resolves, nothing is
        let monitor = monitor(fixes: 60, lag: lag)
        let better = try #require(monitor.better(than: lag + (lag < 1 ? 0.5 : -0.5)))
        #expect(abs(better - lag) < 0.051)
        #expect(monitor.better(than: lag) == nil)
        #expect(monitor.better(than: lag + 0.1) == nil)
    }

    @Test(arguments: [false, true]) func whatIsAssumedOverAGapTellsNoLag(isNoted: Bool) {
        // GIVEN a receiver that is not late, in a vehicle that speeds up once, in a gap of the samples over which the
        // same was assumed two seconds too early
        func speed(_ t: Double) -> Double { 10 + 10 * min(max((t - 40) / 3, 0), 1) }
        var monitor = ReceiverLagMonitor()
        for k in 0..<60 {
            let now = MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            // WHEN the monitor knows of the gap, or does not
            if isNoted, (38...43).contains(k) { monitor.noteGap(until: now) }
            monitor.add(
                HorizontalVelocity(eastMetersPerSecond: speed(Double(k)), northMetersPerSecond: 0), variance: 0.015,
                turnRate: 0, attitudeSigma: (0, 0), at: now,
                inertialChange: { Vector3(speed($1.seconds + 2) - speed($0.seconds + 2), 0, 0) })
        }
        // THEN it finds no lag; one that does not know finds those two seconds
        #expect(monitor.better(than: 0) == (isNoted ? nil : 2))
    }

    @Test func aSteadyMotionSaysNothing() {
        // GIVEN a vehicle that goes straight at one speed, and one that was seen for seven seconds THEN no lag is wrong
        #expect(monitor(fixes: 300, lag: 0.8, swing: 0).better(than: 0) == nil)
        #expect(monitor(fixes: 8, lag: 0.8).better(than: 0) == nil)
    }

    @Test func aLagIsWrongFromFifteenHundredthsOfASecondOn() {
        // GIVEN a vehicle that brakes and turns hard, and a lag of 1.1 s WHEN the filter has it wrong by 0.14 s THEN
        // that is within the steps of the bank; by 0.2 s it is not
        let monitor = monitor(fixes: 60, lag: 1.1, swing: 8)
        #expect(monitor.better(than: 1.24) == nil && monitor.better(than: 0.96) == nil)
        for present in [0.9, 1.3] { #expect(abs((monitor.better(than: present) ?? 0) - 1.1) < 1e-9) }
    }

    @Test func nineChangesOfTheVelocityAreNeeded() {
        // GIVEN the same after nine fixes, and after ten THEN only the latter tell the lag
        #expect(monitor(fixes: 9, lag: 1.1, swing: 8).better(than: 0.6) == nil)
        #expect(monitor(fixes: 10, lag: 1.1, swing: 8).better(than: 0.6) != nil)
    }

    @Test(arguments: [(0.05, true), (0.065, false)]) func aLagIsProvenByAMisfitOfThirty(
        variance: Double, isProven: Bool
    ) {
        // GIVEN a minute of braking and turning, with a variance of each change WHEN half a second more leaves 36 or 28
        // over that variance, of which what is older than 100 s counts ever less THEN only the former is a proof
        #expect((monitor(fixes: 60, lag: 1.1, variance: variance).better(than: 0.6) != nil) == isProven)
    }

    @Test(arguments: [(0.1, 0), (0, 1.0)]) func anUnsureAttitudeTellsNoLag(tilt: Double, heading: Double) {
        // GIVEN a receiver whose lag is wrong by half a second, which a sure attitude shows, and one that is sure to
        // half a degree
        #expect(monitor(fixes: 60, lag: 1.1).better(than: 0.6) != nil)
        #expect(monitor(fixes: 60, lag: 1.1, attitudeSigma: (0.01, 0.01)).better(than: 0.6) != nil)
        // WHEN tilt or heading are not known (6 deg turn gravity into 1 m/s2) THEN the accelerometer says nothing
        #expect(monitor(fixes: 60, lag: 1.1, attitudeSigma: (tilt, heading)).better(than: 0.6) == nil)
    }

    @Test(arguments: [(0.08, true), (0.12, false)]) func anAntennaThatMaySwingProvesLess(
        turnRate: Double, isProven: Bool
    ) {
        // GIVEN the lag that leaves 36 WHEN the body turns, so that an antenna 1 m away adds (0.08 m/s)^2 or
        // (0.12 m/s)^2 to the variance of 0.05 THEN it leaves 32 or 28
        let monitor = monitor(fixes: 60, lag: 1.1, variance: 0.05, turnRate: turnRate)
        #expect((monitor.better(than: 0.6) != nil) == isProven)
    }

    @Test(arguments: [(0.015, true), (0.02, false)]) func aTiltCountsForTheTimeBetweenTwoFixes(
        tilt: Double, isProven: Bool
    ) {
        // GIVEN a minute of fixes 2 s apart, and a tilt that turns gravity into 0.15 m/s2 or 0.2 m/s2 WHEN that adds
        // (0.3 m/s)^2 or (0.4 m/s)^2 to the variance of a change THEN half a second more leaves 34 or 20
        let monitor = monitor(fixes: 30, lag: 1.1, attitudeSigma: (tilt, 0), at: { 2 * Double($0) })
        #expect((monitor.better(than: 0.6) != nil) == isProven)
    }

    @Test(arguments: [(2.9, true), (3.1, false)]) func aSilenceOfThreeSecondsBeginsAnew(
        silence: Double, isTold: Bool
    ) {
        // GIVEN half a minute of braking and turning hard, which tells the lag WHEN seven more fixes come after a
        // silence THEN up to 3 s it is one of the changes, and after a longer one six changes are too few
        let monitor = monitor(fixes: 37, lag: 1.1, swing: 8, at: { Double($0) + ($0 < 30 ? 0 : silence - 1) })
        #expect((monitor.better(than: 0.6) != nil) == isTold)
    }

    @Test func aFilterWithAnUnsureAttitudeKeepsItsLag() {
        // GIVEN a filter with a lag that is wrong by half a second, and a minute of fixes
        func lag(attitudeSigma: Double) -> Double {
            var filter = NavigationFilter(
                at: NavigationState(
                    time: MonotonicTime(nanoseconds: 0),
                    position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
                    velocityENU: .zero, sensorToENU: .identity),
                leverArm: .zero)
            filter.state.velocityLagSeconds = 0.6
            filter.covariance.restart(.attitude, variance: attitudeSigma * attitudeSigma)
            var history = VectorHistory()
            for tenth in 0..<600 {
                let time = MonotonicTime(nanoseconds: Int64(tenth) * 100_000_000)
                history.append(time: time, value: Self.velocity(time.seconds))
                guard tenth % 10 == 0 else { continue }
                let seen = Self.velocity(time.seconds - 1.1)
                let velocity = HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y)
                var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
                (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (velocity, 0.05)
                filter.checkLag(against: velocity, of: fix, forceHistory: history)
            }
            return filter.state.velocityLagSeconds
        }
        // THEN it is corrected by more than half of that where the attitude is known (the first dozen fixes tell it to
        // two steps of the bank), and kept where gravity may be a part of each change
        #expect(abs(lag(attitudeSigma: 0.005) - 1.1) < 0.21)
        #expect(lag(attitudeSigma: 0.1) == 0.6)
    }

    /// The estimator at the end of a drive; `change` happens on the way, after 70 s.
    private func driven(seed: UInt64, change: (inout NavigationFilter) -> Void) throws -> PoseEstimator {
        var plan = DrivePlan.random(seed: seed, edges: 14)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        var receiver = SatelliteReceiver.rtk
        receiver.rateHertz = 1
        (receiver.positionLagSeconds, receiver.velocityLagSeconds) = (0.4, 0.55)
        suite.satellite = receiver
        var estimator = PoseEstimator()
        var isChanged = false
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) {
            _ = estimator.ingest(event)
            if !isChanged, estimator.isNavigating, estimator.estimate.time.seconds > 70 {
                change(&estimator.filter)
                isChanged = true
            }
        }
        return estimator
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aRunningFilterFindsTheLagAgain(seed: UInt64) throws {
        // GIVEN a filter that is sure of a wrong lag WHEN it is driven with for some minutes THEN both lags are found
        let estimator = try driven(seed: seed) { filter in
            (filter.state.positionLagSeconds, filter.state.velocityLagSeconds) = (0, 0.1)
            filter.covariance.restart(.positionLag, variance: 1e-6)
            filter.covariance.restart(.velocityLag, variance: 1e-6)
        }
        #expect(abs(estimator.filter.state.positionLagSeconds - 0.4) < 0.05)
        #expect(abs(estimator.filter.state.velocityLagSeconds - 0.55) < 0.1)
    }

    @Test(arguments: [(0.15, true), (0.25, false)]) func aHeadingCountsForTheChangeOfTheVelocity(
        heading: Double, isProven: Bool
    ) {
        // GIVEN a minute of braking and turning by about a metre a second each second WHEN the heading is known to 0.15
        // rad, or to 0.25 rad THEN that takes a share of the changes themselves: half a second more leaves 34 or 27
        let monitor = monitor(fixes: 60, lag: 1.1, variance: 0.045, attitudeSigma: (0, heading))
        #expect((monitor.better(than: 0.6) != nil) == isProven)
    }

    @Test func noLagIsToldBeyondTwoAndAHalfSeconds() throws {
        // GIVEN a receiver that is late by 2.6 s THEN the largest lag that is told is 2.5 s
        let better = try #require(monitor(fixes: 60, lag: 2.6, swing: 8).better(than: 1.5))
        #expect(abs(better - 2.5) < 1e-9)
    }

    @Test(arguments: [(0.45, true), (0.449, false)]) func velocitiesFromNineTwentiethsOfASecondApartAreAPair(
        seconds: Double, isTold: Bool
    ) {
        // GIVEN twelve velocities of hard braking and turning WHEN they are 0.45 s apart THEN each is a pair with the
        // one before, which is enough; closer ones are left out in turn, and the rest is too few
        let monitor = monitor(fixes: 12, lag: 1.1, swing: 8, at: { seconds * Double($0) })
        #expect((monitor.better(than: 0.6) != nil) == isTold)
    }

    @Test(arguments: [(2.4, false), (2.5, true), (9, true)]) func aLagBeyondTheBankIsAsWrongAsItsLastOne(
        present: Double, isTold: Bool
    ) throws {
        // GIVEN a minute of braking and turning, and a lag of 2.2 s WHEN the filter's is 2.4 s, 2.5 s or beyond what is
        // compared THEN the first leaves 20 over the variance, and the others 44, of which 30 are a proof
        let better = monitor(fixes: 60, lag: 2.2).better(than: present)
        #expect((better != nil) == isTold)
        if isTold { #expect(abs(try #require(better) - 2.2) < 1e-9) }
    }
}
