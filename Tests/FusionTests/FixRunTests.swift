import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which fixes are one run: each lies where the receiver's velocity leads from the first one.
@Suite struct FixRunTests {
    private static let origin = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)

    /// The number of fixes in a run after fixes at seconds and metres to the east.
    private func count(
        _ fixes: [(seconds: Double, east: Double)], velocity: Double? = 0, sigma: Double? = 1,
        quality: FixQuality = .autonomous, factor: Double = 1
    ) -> Int {
        var run: FixRun?
        for (seconds, east) in fixes {
            let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.quality, fix.horizontalSigmaMeters) = (quality, sigma)
            fix.horizontalVelocity = velocity.map {
                HorizontalVelocity(eastMetersPerSecond: $0, northMetersPerSecond: 0)
            }
            run = FixRun.run(
                after: run, with: fix, at: Self.origin.moved(byENU: Vector3(east, 0, 0)), sigmaFactor: factor)
        }
        return run?.count ?? 0
    }

    @Test func aFixMayStrayByThreeSigmasTwoMetersAndSixMetersASecond() {
        // GIVEN a receiver that states 1 m, and a fix a second after the first THEN they are a run within 11 m, and
        // with twice the noise within 14 m
        #expect(count([(0, 0), (1, 10.9)]) == 2 && count([(0, 0), (1, 11.1)]) == 1)
        #expect(count([(0, 0), (1, 13.9)], factor: 2) == 2 && count([(0, 0), (1, 14.1)], factor: 2) == 1)
        // AND from where the velocity leads
        #expect(count([(0, 0), (1, 40.9)], velocity: 30) == 2 && count([(0, 0), (1, 41.1)], velocity: 30) == 1)
        // AND the third fix from the first one
        #expect(count([(0, 0), (1, 8), (2, 16.9)]) == 3 && count([(0, 0), (1, 8), (2, 17.1)]) == 1)
    }

    @Test func withoutAVelocityTheFastestBodyIsAllowed() {
        // GIVEN a receiver that states no velocity THEN a body of 70 m/s may have moved
        #expect(count([(0, 0), (1, 74.9)], velocity: nil) == 2)
        #expect(count([(0, 0), (1, 75.1)], velocity: nil) == 1)
    }

    @Test(arguments: [(FixQuality.autonomous, 8.0), (.rtkFixed, 0.1), (.rtkFloat, 0.5)])
    func anUnstatedAccuracyIsThatOfTheSolution(quality: FixQuality, sigma: Double) {
        // GIVEN a receiver that states no accuracy THEN that of its kind of solution counts
        let limit = 8 + 3 * sigma
        #expect(count([(0, 0), (1, limit - 0.1)], sigma: nil, quality: quality) == 2)
        #expect(count([(0, 0), (1, limit + 0.1)], sigma: nil, quality: quality) == 1)
    }

    @Test func fixesTenSecondsApartAreNoRun() {
        #expect(count([(0, 0), (9.9, 0)]) == 2 && count([(0, 0), (10.1, 0)]) == 1)
    }

    @Test func fixesOfASlowReceiverAreARun() {
        // GIVEN a receiver that sends a fix in 12 s THEN two of them are a run within 30 s
        func count(after seconds: Int64) -> Int {
            let times = [0, seconds].map { MonotonicTime(nanoseconds: $0 * 1_000_000_000) }
            let fixes = times.map { GnssFix(validityTime: $0, arrivalTime: $0, mode: .threeDimensional) }
            let first = FixRun.run(after: nil, with: fixes[0], at: Self.origin)
            return FixRun.run(after: first, with: fixes[1], at: Self.origin, longestGap: 30).count
        }
        #expect(count(after: 29) == 2 && count(after: 31) == 1)
    }

    @Test func aRunIsConfirmedByItsFixesAndItsDuration() {
        // GIVEN three fixes within two seconds THEN as many and as long is enough
        var run: FixRun?
        for second in Int64(0)...2 {
            let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
            let fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            run = FixRun.run(after: run, with: fix, at: Self.origin)
        }
        #expect(run?.isConfirmed(count: 3, seconds: 2) == true)
        #expect(run?.isConfirmed(count: 4, seconds: 2) == false && run?.isConfirmed(count: 3, seconds: 2.1) == false)
    }

    @Test(arguments: [(2.0, 2.1, 2.3), (5, 5.1, 5.3)]) func aSilenceCountsLittle(
        longest: Double, reached: Double, missed: Double
    ) {
        // GIVEN three fixes within 0.2 s, and one 9 s later WHEN of an interval two or five seconds count at most THEN
        // all of them are a run, which has lasted for that and the 0.2 s
        var run: FixRun?
        for milliseconds in [Int64(0), 100, 200, 9200] {
            let time = MonotonicTime(nanoseconds: milliseconds * 1_000_000)
            let fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            run = FixRun.run(after: run, with: fix, at: Self.origin, longestCounted: longest)
        }
        #expect(run?.isConfirmed(count: 4, seconds: reached) == true)
        #expect(run?.isConfirmed(count: 4, seconds: missed) == false)
    }

    @Test func theVelocityLeadsToTheNorthAsWell() {
        // GIVEN a receiver that states 1 m and 30 m/s to the north, and a fix a second after the first THEN they are a
        // run within 11 m of where the velocity leads
        func count(north: Double) -> Int {
            var run: FixRun?
            for (second, meters) in [(Int64(0), 0.0), (1, north)] {
                let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
                var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
                fix.horizontalSigmaMeters = 1
                fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 30)
                run = FixRun.run(after: run, with: fix, at: Self.origin.moved(byENU: Vector3(0, meters, 0)))
            }
            return run?.count ?? 0
        }
        #expect(count(north: 40.9) == 2 && count(north: 41.1) == 1)
        #expect(count(north: 19.1) == 2 && count(north: 18.9) == 1)
    }
}
