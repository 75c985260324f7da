import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The velocity between two positions, and how sure it is.
@Suite struct PositionDerivedVelocityTests {
    private static let home = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 0)

    /// A fix at a second, so many metres east and north of home, of a receiver that states 3 m and no velocity.
    private func fix(
        at second: Int64, east: Double = 0, north: Double = 0, quality: FixQuality = .unknown
    ) -> GnssFix {
        let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
        let place = Self.home.moved(byENU: Vector3(east, north, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.horizontalSigmaMeters = 3
        fix.quality = quality
        return fix
    }

    @Test(arguments: [(Int64(1), 0.916_200), (2, 0.561_943)]) func aMeanIsAsSureAsTheDifferenceOfItsPositions(
        seconds: Int64, sigma: Double
    ) throws {
        // GIVEN two positions 10 m for each second apart, whose errors of 3 m are 0.45 m of noise and a bias of
        // 2.966 m, which changes within 40 s
        var derived = PositionDerivedVelocity()
        _ = derived.add(fix(at: 0))
        let found = derived.add(fix(at: seconds, east: 10 * Double(seconds)))
        let mean = try #require(found)
        // THEN the velocity is that between them, valid in the middle
        #expect(abs(mean.velocity.eastMetersPerSecond - 10) < 1e-3)
        #expect(abs(mean.velocity.northMetersPerSecond) < 1e-3)
        #expect(mean.age == 0.5 * Double(seconds))
        // AND its 1-sigma is that of two times the noise and of the change of the bias, over the time between them:
        // sqrt(2 0.45^2 + 2 (1 - exp(-t / 40 s)) 2.966^2) / t
        #expect(abs(mean.sigma - sigma) < 1e-5)
    }

    @Test(arguments: [(3.0, 11.9, false), (3, 12.1, true), (6, 17.0, false), (6, 17.3, true)])
    func aStepIsMoreThanSixMetersOrFiveSigmas(sigma: Double, beside: Double, isStep: Bool) {
        // GIVEN positions of a stated sigma, 10 m apart WHEN the next one, a second later, is beside the way by more
        // than 6 m of acceleration and, where that is more than another 6 m, five sigmas of both: with 6 m these are
        // 5 sqrt(2 0.9^2 + 1.832^2) = 11.16 m THEN that is a step, and a mean begins anew
        var derived = PositionDerivedVelocity()
        func add(_ second: Int64, _ east: Double) -> Double? {
            var fix = fix(at: second, east: east)
            fix.horizontalSigmaMeters = sigma
            return derived.add(fix)?.age
        }
        let ages = [add(0, 0), add(1, 10), add(2, 20 + beside)]
        let expected: [Double?] = [nil, 0.5, isStep ? nil : 1]
        #expect(ages == expected)
    }

    @Test func aMeanIsBetweenPositionsOfOneKindOfSolution() {
        // GIVEN a position of a fixed solution WHEN one without it follows THEN there is no velocity between the two
        var derived = PositionDerivedVelocity()
        let first = derived.add(fix(at: 0, quality: .rtkFixed))
        let second = derived.add(fix(at: 1, east: 10, quality: .autonomous))
        #expect(first?.age == nil && second?.age == nil)
        // WHEN the solution is fixed again THEN there is one since the first position
        let third = derived.add(fix(at: 2, east: 20, quality: .rtkFixed))
        #expect(third?.age == 1)
    }

    @Test func aMeanBeginsWithTheOldestPositionOfTwoAndAHalfSeconds() {
        // GIVEN a position a second for twenty seconds, 10 m apart THEN from the third one on the velocity is that of
        // two seconds, valid in their middle
        var derived = PositionDerivedVelocity()
        var ages: [Double?] = []
        for second in Int64(0)...20 { ages.append(derived.add(fix(at: second, east: 10 * Double(second)))?.age) }
        #expect(ages.prefix(2) == [nil, 0.5])
        #expect(ages.dropFirst(2).allSatisfy { $0 == 1 }, "\(ages)")
    }

    @Test(arguments: [(3, 1.5), (5, 2.5), (11, 5.5), (12, nil)] as [(Int64, Double?)])
    func aSlowReceiverHasAMeanFromOnePositionToTheNext(interval: Int64, age: Double?) {
        // GIVEN a position in so many seconds THEN the velocity is that since the one before, below 12 s
        var derived = PositionDerivedVelocity()
        let ages = (Int64(0)...3).map { derived.add(fix(at: interval * $0, east: 10 * Double(interval * $0)))?.age }
        #expect(ages == [nil, age, age, age])
    }

    @Test(arguments: [(30.0, 0.0), (0, 30), (-18, 24)]) func aFastVehicleMakesNoStep(east: Double, north: Double) {
        // GIVEN a vehicle at 30 m/s in any direction, and a position in two seconds THEN each lies where the mean
        // velocity leads, and has a velocity
        var derived = PositionDerivedVelocity()
        for index in Int64(0)...10 {
            let seconds = 2 * Double(index)
            let mean = derived.add(fix(at: 2 * index, east: east * seconds, north: north * seconds))
            #expect((mean != nil) == (index > 0))
            guard let velocity = mean?.velocity else { continue }
            #expect(abs(velocity.eastMetersPerSecond - east) < 0.01)
            #expect(abs(velocity.northMetersPerSecond - north) < 0.01)
        }
    }

    @Test(arguments: [(30.3, false), (30.6, true)]) func theRarerThePositionsTheFartherAnAccelerationLeads(
        beside: Double, isStep: Bool
    ) {
        // GIVEN a position in two seconds, 20 m apart WHEN the next one is beside the way THEN 6 m/s2 may have led it
        // 24 m away, in the second since the middle of the mean velocity, and half of the two since; five sigmas of
        // both are 5 sqrt(2 0.45^2 + (2 0.562)^2) = 6.46 m: beyond 30.46 m it is a step (eq. 7.20)
        var derived = PositionDerivedVelocity()
        let ages = [(Int64(0), 0.0), (2, 20), (4, 40 + beside)].map { derived.add(fix(at: $0.0, east: $0.1))?.age }
        let expected: [Double?] = [nil, 1, isStep ? nil : 1]
        #expect(ages == expected)
        // AND so it is to the north
        var northward = PositionDerivedVelocity()
        let others = [(Int64(0), 0.0), (2, 20), (4, 40 + beside)].map {
            northward.add(fix(at: $0.0, north: $0.1))?.age
        }
        #expect(others == expected)
    }

    @Test func aStrayDoesNotCountAndNoneThatGoesOnWithIt() {
        // GIVEN a position a second, 10 m apart WHEN two are 20 m beside the way THEN both are strays: the second as
        // well, though 6 m/s2 may lead 24 m and 6 m beside it in two seconds
        var derived = PositionDerivedVelocity()
        func add(_ second: Int64, north: Double = 0) -> Double? {
            derived.add(fix(at: second, east: 10 * Double(second), north: north))?.age
        }
        let before = [add(0), add(1), add(2)]
        #expect(before == [nil, 0.5, 1] && derived.meanBeforeStray == nil)
        #expect(add(3, north: 20) == nil && derived.meanBeforeStray != nil)
        #expect(add(4, north: 20) == nil && derived.meanBeforeStray != nil)
        // AND the velocity before them is that of the mean, which gets older
        #expect(abs((derived.meanBeforeStray?.velocity.eastMetersPerSecond ?? 0) - 10) < 1e-3)
        #expect(derived.meanBeforeStray?.age == 3)
        // WHEN the next one is on the way THEN it has the velocity since the last one there
        #expect(add(5) == 1.5 && derived.meanBeforeStray == nil)
        // AND WHEN it is asked to begin anew THEN nothing is a stray
        #expect(add(6, north: 300) == nil && derived.meanBeforeStray != nil)
        derived.restart()
        #expect(add(7, north: 300) == nil && derived.meanBeforeStray == nil)
    }

    @Test(arguments: [(5.9, false), (6.1, true), (10.4, true)])
    func aBodyThatStandsGoesNowhere(meters: Double, isStray: Bool) {
        // GIVEN a body that stands, as the IMU and two positions show WHEN the next one, five seconds later, is farther
        // away than 6 m or five sigmas THEN it is a stray, though a drive could lead there; of a receiver that states
        // 0.3 m these are 5 sqrt(2 0.045^2 + 2 (1 - exp(-5/40)) 0.297^2) = 0.8 m
        var derived = PositionDerivedVelocity()
        func add(_ second: Int64, east: Double, isStanding: Bool = true) {
            var fix = fix(at: second, east: east)
            fix.horizontalSigmaMeters = 0.3
            _ = derived.add(fix, isStanding: isStanding)
        }
        add(-5, east: 0)
        add(0, east: 0)
        add(5, east: meters)
        #expect((derived.meanBeforeStray != nil) == isStray)
        // AND WHEN the positions have moved before, or there is one only THEN it is no standing
        derived.restart()
        add(0, east: 0, isStanding: false)
        add(5, east: 50, isStanding: false)
        add(10, east: 100 + meters)
        #expect(derived.meanBeforeStray == nil)
        derived.restart()
        add(0, east: 0)
        add(5, east: meters)
        #expect(derived.meanBeforeStray == nil)
    }

    @Test func anotherKindOfSolutionHasAnotherBias() {
        // GIVEN a body that stands with a fixed solution WHEN an autonomous one of 3 m is 12 m away THEN its bias of
        // 2.97 m explains it, five sigmas of which and of the noise are 15.2 m
        for (meters, isStray) in [(14.0, false), (16, true)] {
            var derived = PositionDerivedVelocity()
            for second in Int64(-1)...0 { _ = derived.add(fix(at: second, quality: .rtkFixed), isStanding: true) }
            _ = derived.add(fix(at: 1, east: meters, quality: .autonomous), isStanding: true)
            #expect((derived.meanBeforeStray != nil) == isStray, "\(meters)")
        }
    }

    @Test func theAccelerationIsThatOfADriveOrAsTheMeansShow() throws {
        // GIVEN a position in two seconds of a receiver that states 0.1 m, and a body that stands WHEN one is 3 m or
        // 25 m away THEN the mean velocity has changed by as much over its two seconds: by 0.75 m/s2, which is no more
        // than drives do, or by 6.25 m/s2, less five sigmas of both means, 5 sqrt(2) 0.017 m/s, over two seconds
        for (meters, expected) in [(3.0, 1.5), (25, 6.2)] {
            var derived = PositionDerivedVelocity()
            var found: PositionDerivedVelocity.Mean?
            for (second, east) in [(Int64(0), 0.0), (2, 0), (4, meters)] {
                var fix = fix(at: second, east: east)
                fix.horizontalSigmaMeters = 0.1
                found = derived.add(fix)
            }
            #expect(abs(try #require(found).accelerationSigma - expected) < 0.05, "\(meters)")
        }
    }
}
