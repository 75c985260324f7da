import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Wheel speeds in coarse steps, without a direction, or that state nothing at a crawl: good wheels stay good.
@Suite struct CoarseWheelTests {
    /// A whole kilometre an hour, m/s.
    private static let step = 1 / 3.6
    private static let forceHistory = VectorHistory()

    /// A filter on a level road that knows its velocity, and wheels whose scale and lag are found.
    private func filter(velocityVariance: Double = 1e-3) -> NavigationFilter {
        NavigationFilter(withWheelsAndVelocityVariance: velocityVariance)
    }

    /// Takes one reading at a true speed ahead, m/s, which the filter knows.
    private func take(
        _ reading: Double, at speed: Double, hertz: Double, hasFixes: Bool = false, by filter: inout NavigationFilter
    ) {
        var state = NavigationState(
            time: filter.state.time.advanced(bySeconds: 1 / hertz), position: filter.state.position,
            velocityENU: Vector3(speed, 0, 0), sensorToENU: .identity)
        state.sensorToVehicle = .identity
        filter.state = state
        if hasFixes { filter.lastFixTime = state.time }
        filter.fuseWheelSpeed(reading, forceHistory: Self.forceHistory)
    }

    /// Takes readings in whole kilometres an hour of a speed that changes for a minute.
    private func driveThroughTown(hertz: Double, hasFixes: Bool, by filter: inout NavigationFilter) {
        for k in 0..<Int(60 * hertz) {
            let speed = 12 + 8 * sin(2 * .pi * Double(k) / (60 * hertz))
            take((speed / Self.step).rounded() * Self.step, at: speed, hertz: hertz, hasFixes: hasFixes, by: &filter)
        }
    }

    private func status(_ filter: NavigationFilter) -> AidSourceStatus {
        filter.aids[Int(AidSource.wheelSpeed.rawValue)]
    }

    @Test(arguments: [1.0, 10, 100], [true, false])
    func aRoundedSpeedOfAVehicleThatKeepsItsSpeedIsNotStuck(hertz: Double, hasFixes: Bool) {
        // GIVEN wheels in whole kilometres an hour WHEN the vehicle keeps 80 km/h for a minute, with fixes or without
        var filter = filter()
        driveThroughTown(hertz: hertz, hasFixes: hasFixes, by: &filter)
        let speed = 80 * Self.step
        for _ in 0..<Int(60 * hertz) { take(speed, at: speed, hertz: hertz, hasFixes: hasFixes, by: &filter) }
        // THEN the wheels are used all the time
        #expect(filter.isWheelSpeedTrusted && status(filter).rejectedCount == 0)
    }

    @Test func aReadingThatRepeatsWhileTheVehicleBrakesEndsTheTrust() {
        // GIVEN wheels in whole kilometres an hour at 80 km/h WHEN the vehicle has braked, and they state 80 for 10 s
        var filter = filter()
        driveThroughTown(hertz: 10, hasFixes: false, by: &filter)
        for _ in 0..<100 { take(80 * Self.step, at: 80 * Self.step, hertz: 10, by: &filter) }
        for _ in 0..<100 { take(80 * Self.step, at: 12, hertz: 10, by: &filter) }
        // THEN they are refused, and not trusted any more
        #expect(status(filter).rejection != .none && !filter.isWheelSpeedTrusted)
    }

    @Test func onlyARepetitionThatSomethingContradictsMakesARun() {
        // GIVEN readings that repeat WHEN nothing says that they should have changed THEN there is no fault
        var run = RepetitionRun()
        for _ in 0..<100 { run.count(true, isContradicted: false) }
        #expect(!run.isFault)
        // WHEN something says so THEN there is one
        for _ in 0..<20 { run.count(true) }
        #expect(run.isFault)
        // AND the run ends with the next reading that is another one
        run.count(false)
        #expect(!run.isFault)
    }

    @Test(arguments: [(0.7, -0.7), (0, 1), (0, -0.7)]) func slowReadingsRefuteNoWheels(reading: Double, speed: Double) {
        // GIVEN wheels without a direction, or that state nothing below some speed, and no fixes WHEN the vehicle
        // creeps for 10 s
        var filter = filter()
        for _ in 0..<50 { take(reading, at: speed, hertz: 5, by: &filter) }
        // THEN they are trusted, and used as soon as it drives
        #expect(filter.isWheelSpeedTrusted)
        for _ in 0..<5 { take(5, at: 5, hertz: 5, by: &filter) }
        #expect(filter.isWheelSpeedTrusted && status(filter).rejection == .none)
    }

    @Test func readingsThatAreWrongAtSpeedStillRefuteThem() {
        // GIVEN wheels that state nothing at 5 m/s, or 5 m/s of a vehicle that creeps, for 10 s THEN they are not
        // trusted any more
        for (reading, speed) in [(0.0, 5.0), (5, 1)] {
            var filter = filter()
            for _ in 0..<50 { take(reading, at: speed, hertz: 5, by: &filter) }
            #expect(!filter.isWheelSpeedTrusted)
        }
    }

    @Test func aSlowSpeedWithoutADirectionIsOneBackwardsWhereTheVehicleSurelyGoesBack() {
        /// What a reading of 0.7 m/s, or another one, says beside the velocity of a filter.
        func innovation(_ reading: Double, velocity: Double, variance: Double) -> Double {
            var filter = filter(velocityVariance: variance)
            filter.state.velocityENU = Vector3(velocity, 0, 0)
            return filter.wheelSpeedComponent(reading).innovation
        }
        // GIVEN a vehicle that goes back at 0.7 m/s, as it surely knows THEN the reading says the same
        #expect(abs(innovation(0.7, velocity: -0.7, variance: 1e-3)) < 1e-9)
        // AND where it does not know that, or has just pulled away, the reading is one ahead
        #expect(abs(innovation(0.7, velocity: -0.7, variance: 1) - 1.4) < 1e-9)
        #expect(abs(innovation(0.3, velocity: -0.02, variance: 1e-6) - 0.32) < 1e-9)
        // AND beyond 1 m/s it is one backwards in any case
        #expect(abs(innovation(1.1, velocity: -1.1, variance: 1)) < 1e-9)
    }

    @Test(arguments: [(0.053, 0.0), (0.056, 1.4)])
    func aVehicleSurelyGoesBackFromThreeSigmasOn(variance: Double, innovation: Double) {
        // GIVEN a vehicle that goes back at 0.7 m/s, three sigmas of which are 0.69 m/s or 0.71 m/s WHEN a reading
        // without a direction states that THEN only in the former it is one backwards
        var filter = filter(velocityVariance: variance)
        filter.state.velocityENU = Vector3(-0.7, 0, 0)
        let found = filter.wheelSpeedComponent(0.7).innovation
        #expect(abs(found - innovation) < 1e-9)
    }

    @Test(arguments: [(10.5, true), (10.6, false), (9.5, true), (9.4, false)])
    func aReadingWithinThreeSigmasIsTaken(reading: Double, isTaken: Bool) {
        // GIVEN a vehicle at 10 m/s, known to 0.03 m/s, whose wheels have a scale known to 1 % and a noise of 0.1 m/s
        // and 0.5 % THEN a reading is taken within three sigmas, 0.56 m/s above and 0.53 m/s below
        var filter = filter()
        take(reading, at: 10, hertz: 5, by: &filter)
        let rejection = status(filter).rejection
        #expect((rejection == .none) == isTaken && (rejection == .innovation) == !isTaken)
    }

    @Test func theLastBitsOfAMeanAreNoStep() {
        // GIVEN speeds in steps, of which a mean of equal ones differs in its last bit
        var resolution = WheelResolution()
        let (slow, fast) = (72 * Self.step, 73 * Self.step)
        for reading in [slow, slow.nextUp, slow, fast, fast] { resolution.update(reading, seconds: 0.1) }
        // THEN the step is that of the speeds, and the last one counts as repeated
        #expect(abs(resolution.step - Self.step) < 1e-9)
        let repeated = resolution.ownVariance * 6
        #expect(abs(resolution.variance(afterSeconds: 0.1) - repeated) < 1e-9)
    }

    @Test func aMeanAcrossAStepIsNoStep() {
        // GIVEN means of a fast bus in steps, one of them across a step
        var resolution = WheelResolution()
        let (slow, fast) = (72 * Self.step, 73 * Self.step)
        for reading in [slow, slow, slow + Self.step / 9, fast, fast] { resolution.update(reading, seconds: 0.01) }
        // THEN the step is that of the speeds
        #expect(abs(resolution.step - Self.step) < 1e-9)
        // AND fine speeds, none of which repeats, have none
        var fine = WheelResolution()
        for k in 0..<100 { fine.update(10 + Double(k) * 0.001, seconds: 0.01) }
        #expect(fine.ownVariance == 0)
    }

    @Test(arguments: [(0.0, 0.0, 0.0225), (2, 0, 0.0261), (-2, 0, 0.0261), (0, 4, 0.0233), (2, 4, 0.0269)])
    func aReadingIsAsUnsureAsTheJitterOfItsLag(slope: Double, bend: Double, variance: Double) {
        // GIVEN wheels that state 10 m/s, to 0.1 m/s and 0.5 %, whose lag is known to 0.1 s WHEN the speed changes THEN
        // 0.03 s of that are added, and half of the square of what a change of the change makes of the lag's variance
        var filter = filter()
        (filter.state.sensorToVehicle, filter.state.wheelScale) = (.identity, 1)
        let seen = NavigationFilter.WheelView(
            velocity: Vector3(10, 0, 0), slope: Vector3(slope, 0, 0), bend: Vector3(bend, 0, 0), lagVariance: 0.01)
        let found = filter.wheelSpeedComponent(10, seen: seen)
        #expect(abs(found.variance - variance) < 1e-12 && abs(found.innovation) < 1e-12, "\(found.variance)")
    }
}
