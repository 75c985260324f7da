import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Dead reckoning of a vehicle whose fixes end before its heading is found.
@Suite struct CourseDeadReckoningTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000).advanced(bySeconds: seconds)
    }

    /// The velocity of a fix, m/s and radians counterclockwise from east.
    private static func seen(
        _ speed: Double, course: Double, at seconds: Double, sigma: Double = 0.1, lagSigma: Double = 0,
        meanSeconds: Double = 0, driftSigma: Double = 0.001
    ) -> CourseDeadReckoning.Observation {
        .init(
            velocity: HorizontalVelocity(
                eastMetersPerSecond: speed * cos(course), northMetersPerSecond: speed * sin(course)),
            time: time(seconds), speedSigma: sigma, lagSigma: lagSigma, meanSeconds: meanSeconds,
            driftSigma: driftSigma)
    }

    /// A vehicle on a circle at 10 m/s and 0.1 rad/s, whose gyro has a bias; fixes for 10 s, then none.
    ///
    /// - Parameters:
    ///   - scale: stated over true speed of the wheels; `nil`: none.
    ///   - seconds: after the last fix.
    private func circle(bias: Double, wheelScale scale: Double?, seconds: Double) -> CourseDeadReckoning {
        var reckoning = CourseDeadReckoning()
        for k in 1...Int((10 + seconds) * 100) {
            let now = Double(k) * 0.01
            if let scale { reckoning.note(wheelSpeed: 10 * scale) }
            reckoning.advance(.init(turn: (0.1 + bias) * 0.01, seconds: 0.01), until: Self.time(now))
            guard k % 100 == 0, now < 10.5 else { continue }
            reckoning.note(Self.seen(10, course: 0.1 * now, at: now, driftSigma: 0.02), speed: .init(now: 10))
        }
        return reckoning
    }

    @Test(arguments: [0.0, 0.01, -0.015]) func theGyroTurnsTheCourseAndItsDriftIsFound(bias: Double) throws {
        // GIVEN fixes on a circle for 10 s WHEN they end for 20 s
        let reckoning = circle(bias: bias, wheelScale: nil, seconds: 20)
        let heading = try #require(reckoning.heading)
        // THEN the course is that of the circle, within three sigmas and to 0.1 rad: a bias of 0.015 rad/s alone would
        // turn it by 0.3 rad
        let error = abs(Angle.wrappedToPi(heading.radians - 3))
        #expect(error < 3 * heading.sigma && error < 0.1)
        // AND its sigma has grown
        let before = try #require(circle(bias: bias, wheelScale: nil, seconds: 1).heading)
        #expect(heading.sigma > 2 * before.sigma)
    }

    @Test(arguments: [0.97, 3.6]) func wheelsGiveTheSpeed(scale: Double) {
        // GIVEN wheels with an error of 3 %, or in km/h, and a vehicle that slows down to 4 m/s after the last fix
        var reckoning = circle(bias: 0, wheelScale: scale, seconds: 0)
        let (held, start) = (circle(bias: 0, wheelScale: nil, seconds: 0), Self.time(10))
        for k in 1...2000 {
            let speed = max(10 - 0.006 * Double(k), 4)
            reckoning.note(wheelSpeed: speed * scale)
            reckoning.advance(.init(turn: 0, seconds: 0.01), until: start.advanced(bySeconds: Double(k) * 0.01))
        }
        // THEN the speed is theirs, to 5 %, which is what ten fixes tell of the scale
        #expect(abs(reckoning.speed - 4) < 0.2 && held.speed == 10)
        // AND the way is 70 m while the vehicle slows down and 40 m after, to 5 %, within three sigmas
        let way = reckoning.way(since: start)
        #expect(abs(way.meters.length - 110) < min(5.5, 3 * way.sigma))
    }

    @Test func accelerationsChangeTheSpeed() {
        // GIVEN a vehicle that goes east WHEN it brakes with 1 m/s2 for 5 s and the direction of the level is known
        var reckoning = CourseDeadReckoning()
        reckoning.advance(.init(turn: 0, seconds: 0.01), until: Self.time(0))
        reckoning.note(Self.seen(10, course: 0, at: 0, driftSigma: 0.01), speed: .init(now: 10))
        for k in 1...500 {
            reckoning.advance(
                .init(
                    turn: 0, acceleration: Vector3(-1, 0.5, 0), directionSigma: 0.1, tiltSigma: 0.01, seconds: 0.01),
                until: Self.time(Double(k) * 0.01))
        }
        // THEN it has lost 5 m/s, and the sigma has those of bias (0.5), direction (0.25) and level (0.5)
        #expect(abs(reckoning.speed - 5) < 1e-6)
        #expect(reckoning.speedSigma > 0.7 && reckoning.speedSigma < 1)
        // AND the way is 37.5 m
        #expect(abs(reckoning.way(since: Self.time(0)).meters.x - 37.5) < 0.1)
    }

    /// Outcome of a drive.
    private struct Outcome {
        /// Horizontal error, and 1-sigma of each axis, metres.
        var error: Double
        var sigma: Double
        /// Distance to the place of the last fix, metres.
        var distance: Double
        var state: PoseState
    }

    /// A drive of which the IMU sees a part: neither level nor heading are known, and the fixes end soon.
    ///
    /// - Returns: `nil` where the vehicle stands when the fixes end, or they have found the heading.
    private func run(seed: UInt64, wheels: Bool) throws -> Outcome? {
        let drive = try Drive(.random(seed: seed, edges: 14))
        var suite = SensorSuite()
        if wheels { suite.wheels = .init() }
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        let start = drive.durationSeconds * 0.3
        let end = MonotonicTime(nanoseconds: 0).advanced(bySeconds: start + 6)
        guard simulated.truth(at: end).velocityENUMetersPerSecond.length > 4 else { return nil }
        var estimator = PoseEstimator()
        for event in simulated {
            switch event {
            case .inertial(let sample) where sample.time.seconds < start: continue
            case .wheelSpeed(let sample) where sample.time.seconds < start: continue
            case .gnss(let fix) where fix.validityTime.seconds < start || fix.validityTime > end: continue
            default: break
            }
            _ = estimator.ingest(event)
            if estimator.estimate.time.seconds(since: end) > 30 { break }
        }
        let estimate = estimator.estimate
        guard !estimator.isNavigating else { return nil }
        guard let place = estimate.position, let sigma = estimate.positionSigmaENUMeters else {
            return Outcome(error: .infinity, sigma: 0, distance: 0, state: estimate.state)
        }
        let truth = simulated.truth(at: estimate.time).position
        let offset = truth.surfaceOffsetMeters(to: place)
        let moved = simulated.truth(at: end).position.surfaceOffsetMeters(to: truth)
        return Outcome(
            error: hypot(offset.east, offset.north), sigma: sigma.x, distance: hypot(moved.east, moved.north),
            state: estimate.state)
    }

    @Test func aDriveGoesOnWithoutFixes() throws {
        // GIVEN drives whose fixes end 6 s after the start in motion WHEN 30 s pass
        var (reckoned, distance, count) = (0.0, 0.0, 0)
        for seed in UInt64(1)...8 {
            guard let alone = try run(seed: seed, wheels: false), let outcome = try run(seed: seed, wheels: true)
            else { continue }
            // THEN the pose is dead reckoning, within three sigmas of both axes
            for result in [alone, outcome] {
                #expect(result.state == .deadReckoning, "\(seed)")
                #expect(result.error < 3 * result.sigma, "\(seed)")
            }
            reckoned += outcome.error
            distance += outcome.distance
            count += 1
        }
        // AND with wheels the error is a part of what a position that stays would have
        #expect(count >= 4)
        #expect(reckoned < 0.3 * distance, "\(reckoned) of \(distance) m")
    }

    @Test func aCourseThatMayBeLateTellsLittleInATurn() throws {
        // GIVEN a vehicle that goes straight on for 20 s and then turns by 1.5 rad within 3 s, whose courses are a
        // second old, which nothing has shown
        func error(lagSigma: Double) throws -> (largest: Double, sigma: Double) {
            var (reckoning, largest) = (CourseDeadReckoning(), 0.0)
            func yaw(_ t: Double) -> Double { 0.5 * min(max(t - 20, 0), 3) }
            for k in 1...2600 {
                let now = Double(k) * 0.01
                reckoning.advance(.init(turn: yaw(now) - yaw(now - 0.01), seconds: 0.01), until: Self.time(now))
                if k % 100 == 0 {
                    reckoning.note(
                        Self.seen(10, course: yaw(now - 1), at: now, lagSigma: lagSigma), speed: .init(now: 10))
                }
                guard now > 1.5 else { continue }
                largest = max(largest, abs(try #require(reckoning.heading).radians - yaw(now)))
            }
            return (largest, try #require(reckoning.heading).sigma)
        }
        let unsure = try error(lagSigma: 1)
        // THEN the heading follows the gyro, to the 0.1 rad that a tenth of the turn makes
        #expect(unsure.largest < 0.1, "\(unsure)")
        // AND it is no better known than before: a degree
        #expect(unsure.sigma > 0.015)
        // AND with the lag taken for none, the courses turn it back by more than that
        #expect(try error(lagSigma: 0).largest > 0.2)
    }

    @Test func meansOfTheSameTimeTellAsMuchAsOne() throws {
        // GIVEN courses with 0.2 rad of noise for 10 s, ten a second, which are means over 2.5 s each
        func sigma(every interval: Double, meanSeconds: Double) throws -> Double {
            var reckoning = CourseDeadReckoning()
            for k in 1...100 {
                let now = Double(k) * 0.1
                reckoning.advance(.init(turn: 0, seconds: 0.1), until: Self.time(now))
                guard k % Int(interval * 10 + 0.5) == 0 else { continue }
                reckoning.note(
                    Self.seen(10, course: 0, at: now, sigma: 2, meanSeconds: meanSeconds), speed: .init(now: 10))
            }
            return try #require(reckoning.heading).sigma
        }
        // THEN they tell about as much as four of them that have no time in common, to a fifth: the first one counts
        // whole, and the last of the others is older
        let (all, apart) = (try sigma(every: 0.1, meanSeconds: 2.5), try sigma(every: 2.5, meanSeconds: 2.5))
        #expect(abs(all / apart - 1) < 0.2, "\(all) \(apart)")
        // AND less than a hundred that have none
        #expect(try sigma(every: 0.1, meanSeconds: 0) < 0.4 * all)
    }

    @Test func aForgottenCourseLeavesTheTurnsForALateFix() throws {
        // GIVEN a vehicle on a circle at 10 m/s and 0.1 rad/s whose level was wrong WHEN its next fix comes 5 s late
        func heading(after forget: (inout CourseDeadReckoning) -> Void) throws -> (course: Double, way: Double) {
            var reckoning = circle(bias: 0, wheelScale: nil, seconds: 0)
            forget(&reckoning)
            reckoning.advance(.init(turn: 0.001, seconds: 0.01), until: Self.time(10.01))
            reckoning.note(Self.seen(10, course: 0.5, at: 5), speed: .init(now: 10))
            return (
                try #require(reckoning.heading).radians, reckoning.way(since: Self.time(5)).meters.horizontalLength
            )
        }
        let kept = try heading { $0.forgetCourse() }
        // THEN the course is that of the fix and the turn since, 0.5 rad, and the way that of 5 s: the chord of an arc
        // of 50 m is 49.5 m
        #expect(abs(kept.course - 1) < 0.01 && abs(kept.way - 49.5) < 0.2)
        // AND without a past neither can be told
        let lost = try heading { $0.restart() }
        #expect(abs(lost.course - 0.5) < 0.01 && lost.way < 1)
    }

    @Test func aSmoothRideWithLateFixesIsNoRest() throws {
        // GIVEN a vehicle that stands for 10 s, pulls away to 20 m/s and goes on without a shake, with fixes 5 s late
        let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 100)
        let frame = LocalFrame(origin: place)
        func way(_ t: Double) -> Double { t < 10 ? 0 : t < 20 ? (t - 10) * (t - 10) : 100 + 20 * (t - 20) }
        func speed(_ t: Double) -> Double { min(max(2 * (t - 10), 0), 20) }
        var estimator = PoseEstimator()
        var worst = 0.0
        for k in 1..<6000 {
            let now = Double(k) * 0.01
            // A sensor that repeats a reading counts as stuck.
            let shake = 0.005 * sin(12.9898 * Double(k))
            let force = Vector3((10..<20).contains(now) ? 2 : 0, 0, 9.80665)
            _ = estimator.ingest(
                InertialSample(
                    time: Self.time(now), angularRateRadiansPerSecond: Vector3(repeating: 0.1 * shake),
                    specificForceMetersPerSecondSquared: force + Vector3(repeating: shake)))
            if k % 20 == 0, now > 5 {
                let valid = now - 5
                var fix = GnssFix(
                    validityTime: Self.time(valid), arrivalTime: Self.time(now), mode: .threeDimensional)
                let there = frame.position(ofENUMeters: Vector3(0, way(valid), 0))
                (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
                (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (100, 1)
                fix.horizontalVelocity = HorizontalVelocity(
                    eastMetersPerSecond: 0, northMetersPerSecond: speed(valid))
                fix.speedSigmaMetersPerSecond = 0.1
                _ = estimator.ingest(.gnss(fix))
            }
            // WHEN it has gone at 20 m/s for longer than fixes are late
            guard now > 27, let estimate = estimator.estimate.position else { continue }
            worst = max(worst, abs(frame.enuMeters(of: estimate).y - way(now)))
        }
        // THEN its place is never that of a fix of 5 s ago, 100 m behind
        #expect(worst < 25, "\(worst)")
    }

    @Test func aLateCourseCountsFromItsTime() throws {
        // GIVEN a vehicle on a circle at 10 m/s and 0.1 rad/s WHEN its first fix comes 5 s late
        var reckoning = CourseDeadReckoning()
        for k in 0...700 {
            reckoning.advance(.init(turn: 0.001, seconds: 0.01), until: Self.time(Double(k) * 0.01))
        }
        reckoning.note(Self.seen(10, course: 0, at: 2), speed: .init(now: 10))
        // THEN the heading has turned by 0.5 rad since then, and the way is that of the arc, to the size of a step
        #expect(abs(try #require(reckoning.heading).radians - 0.5) < 0.01)
        let way = reckoning.way(since: Self.time(2))
        #expect((way.meters - Vector3(100 * sin(0.5), 100 * (1 - cos(0.5)), 0)).length < 0.2)
        // AND its sigma is that of a speed that was not seen for 5 s: 1.5 sqrt(5 / 3) m/s for 5 s, beside the course's
        #expect(way.sigma > 9 && way.sigma < 11)
        // WHEN the speed has fallen evenly to 4 m/s in that time THEN the way is 35 m long
        reckoning.note(Self.seen(10, course: 0, at: 2), speed: .init(now: 4, accelerationSigma: 0.2))
        #expect(abs(reckoning.way(since: Self.time(2)).meters.length - 35) < 0.5)
        #expect(reckoning.way(since: Self.time(2)).sigma < 4)
    }

    @Test(arguments: [0.0, 2, 5]) func theDriftSinceALateCourseIsItsOwn(late: Double) throws {
        // GIVEN a vehicle that goes east, and a gyro with a bias of 0.02 rad/s WHEN the fixes of half a minute come so
        // late
        var reckoning = CourseDeadReckoning()
        for k in 1...350 {
            let now = Double(k) * 0.1
            reckoning.advance(.init(turn: 0.002, seconds: 0.1), until: Self.time(now))
            guard k % 10 == 0, now > late else { continue }
            reckoning.note(Self.seen(10, course: 0, at: now - late, driftSigma: 0.02), speed: .init(now: 10))
        }
        // THEN the course is east now and then: were a late course compared with that of now, the bias would turn it by
        // 0.04 and 0.1 rad
        let heading = try #require(reckoning.heading)
        #expect(abs(heading.radians) < 0.002 && heading.sigma < 0.026, "\(heading)")
        let then = try #require(reckoning.heading(at: Self.time(35 - late)))
        #expect(abs(then.radians) < 0.004 && then.sigma <= heading.sigma)
    }

    @Test(arguments: [(0.25, 0.125), (0.35, 0.35), (-0.5, -0.5)]) func aCourseBeyondItsGateBeginsAnew(
        course: Double, heading: Double
    ) throws {
        // GIVEN two courses a second apart whose 1-sigma is 0.051 rad each, so that four sigmas of their difference are
        // 0.29 rad
        var reckoning = CourseDeadReckoning()
        for (number, course) in [0, course].enumerated() {
            reckoning.advance(.init(turn: 0, seconds: 1), until: Self.time(Double(number)))
            reckoning.note(Self.seen(10, course: course, at: Double(number)), speed: .init(now: 10))
        }
        // THEN the heading is the mean of both, but for what a second without them adds, or the second one where the
        // first one was wrong
        #expect(abs(try #require(reckoning.heading).radians - heading) < 0.002)
    }

    /// A vehicle that goes east at 10 m/s by its first fix, whose gyro is exact.
    private static func started(sigma: Double = 0.1) -> CourseDeadReckoning {
        var reckoning = CourseDeadReckoning()
        reckoning.advance(.init(turn: 0, seconds: 0.01), until: time(0))
        reckoning.note(seen(10, course: 0, at: 0, sigma: sigma, driftSigma: 0), speed: .init(now: 10))
        return reckoning
    }

    @Test func theHeadingGrowsUnsureWithTimeTurnsAndGaps() throws {
        // GIVEN one course, known to 0.05 rad beside the velocity's 0.01 rad
        func sigma(after times: Int, _ motion: CourseDeadReckoning.Motion) throws -> Double {
            var reckoning = Self.started()
            for k in 0..<times { reckoning.advance(motion, until: Self.time(Double(k + 1) * motion.seconds)) }
            return try #require(reckoning.heading).sigma
        }
        #expect(abs(try sigma(after: 0, .init(turn: 0, seconds: 1)) - 0.050_99) < 1e-5)
        // WHEN 100 s pass, the vehicle turns by 10 rad, or two seconds are missing THEN the variance has grown by
        // 100 times 0.0044^2, 10 times 0.02^2, or 0.2^2 rad2, each beside the time's
        #expect(abs(try sigma(after: 100, .init(turn: 0, seconds: 1)) - 0.067_35) < 1e-5)
        #expect(abs(try sigma(after: 10, .init(turn: -1, seconds: 0.01)) - 0.081_25) < 1e-5)
        #expect(abs(try sigma(after: 1, .init(turn: 0, isGap: true, seconds: 2)) - 0.206_49) < 1e-5)
    }

    @Test func theSpeedIsUnsureUpToThatOfTraffic() {
        // GIVEN a speed of a fix, known to 0.1 m/s beside 0.2 m/s WHEN nothing shows its change THEN its variance grows
        // by 2.25 m2/s2 a second, up to 6 m/s
        var reckoning = Self.started()
        #expect(abs(reckoning.speedSigma - 0.223_61) < 1e-5)
        reckoning.advance(.init(turn: 0, seconds: 1), until: Self.time(1))
        #expect(abs(reckoning.speedSigma - 1.516_58) < 1e-5)
        for k in 2...60 { reckoning.advance(.init(turn: 0, seconds: 1), until: Self.time(Double(k))) }
        #expect(reckoning.speedSigma == 6)
    }

    @Test func wheelsAreUsedAfterTwoFixesThatAgree() {
        // GIVEN wheels at 10 m/s beside fixes at 10 m/s WHEN they slow down to 5 m/s after the first fix, or the second
        // THEN only the latter follow
        for (fixes, speed) in [(1, 10.0), (2, 5)] {
            var reckoning = CourseDeadReckoning()
            for k in 0..<fixes {
                reckoning.note(wheelSpeed: 10)
                reckoning.advance(.init(turn: 0, seconds: 0.5), until: Self.time(Double(k)))
                reckoning.note(Self.seen(10, course: 0, at: Double(k)), speed: .init(now: 10))
            }
            reckoning.note(wheelSpeed: 5)
            reckoning.advance(.init(turn: 0, seconds: 0.5), until: Self.time(Double(fixes)))
            #expect(abs(reckoning.speed - speed) < 0.01, "\(fixes)")
            // AND WHEN they fall silent for a second THEN their speed is no longer known to 0.3 m/s
            #expect((reckoning.speedSigma < 0.3) == (fixes == 2))
            reckoning.advance(.init(turn: 0, seconds: 0.51), until: Self.time(Double(fixes) + 0.51))
            #expect(reckoning.speedSigma > 0.3)
        }
    }

    @Test(arguments: [(0.20, true), (0.30, false)]) func aCourseBeyondFourSigmasBeginsAnew(
        course: Double, isFused: Bool
    ) throws {
        // GIVEN a course to the east WHEN the next one is so far to the left THEN the heading is between them, or that
        // of the second where they differ by more than four sigmas, 0.288 rad
        var reckoning = Self.started()
        reckoning.note(Self.seen(10, course: course, at: 0, driftSigma: 0), speed: .init(now: 10))
        let heading = try #require(reckoning.heading).radians
        #expect(abs(heading - (isFused ? 0.5 * course : course)) < 1e-6)
    }

    @Test func aSpeedThatChangesTellsLittleOfTheWheels() throws {
        // GIVEN wheels and a receiver that agree at 10 m/s, known to 0.1 m/s beside 0.2 m/s WHEN both have changed to
        // 12 m/s with the next fix THEN three tenths of the change are beside these as well: the information on the
        // scale is 100 / 0.05 and 144 / (0.05 + 0.36), and that of wheels that state metres a second, 1 / 0.04^2
        var wheels = CourseDeadReckoning.WheelScale()
        for speed in [10.0, 12] {
            wheels.note(reading: speed)
            wheels.note(speed: speed, sigma: 0.1, reading: speed)
        }
        let sigma = try #require(wheels.relativeSigma)
        #expect(abs(sigma - 0.018_330_2) < 1e-7, "\(sigma)")
        #expect(abs(try #require(wheels.speed) - 12) < 1e-9)
    }

    @Test(arguments: [(0.02, 0.001), (0.001, 0.02)]) func aCourseThatBeginsAnewKeepsTheLargerDrift(
        first: Double, second: Double
    ) throws {
        // GIVEN two courses at once that contradict each other, each with what is known of the gyro's bias WHEN 10 s
        // pass THEN the heading has the second course's 0.051 rad, the larger bias for that time, 0.2 rad, and its walk
        var reckoning = CourseDeadReckoning()
        reckoning.advance(.init(turn: 0, seconds: 0.01), until: Self.time(0))
        for (course, driftSigma) in [(0.0, first), (1.0, second)] {
            reckoning.note(Self.seen(10, course: course, at: 0, driftSigma: driftSigma), speed: .init(now: 10))
        }
        for k in 1...10 { reckoning.advance(.init(turn: 0, seconds: 1), until: Self.time(Double(k))) }
        let heading = try #require(reckoning.heading)
        #expect(abs(heading.radians - 1) < 1e-9 && abs(heading.sigma - 0.206_866) < 1e-5, "\(heading)")
    }

    @Test func theWayOfAnAccelerationIsAsUnsureAsItsDirection() {
        // GIVEN a vehicle that goes east at 10 m/s, known to 0.224 m/s WHEN it brakes by 1 m/s2 for 5 s and is pushed
        // aside by 0.5 m/s2, in a level frame whose direction is known to 0.2 rad and its tilt to 0.01 rad
        var reckoning = Self.started()
        for k in 1...500 {
            reckoning.advance(
                .init(
                    turn: 0, acceleration: Vector3(-1, 0.5, 0), directionSigma: 0.2, tiltSigma: 0.01, seconds: 0.01),
                until: Self.time(0.01 * Double(k)))
        }
        // THEN the mean speed is unsure by half of 0.140 m/s2 for 5 s and half of 0.2 rad of 2.5 m/s, beside that of
        // the fix, and the 37.5 m by the 0.0519 rad of the course
        let way = reckoning.way(since: Self.time(0))
        #expect(abs(way.meters.x - 37.475) < 1e-6 && abs(way.sigma - 3.108_855) < 1e-5, "\(way)")
    }

    @Test func aWayBeforeNowIsReckonedWithTheDriftOfThatTime() {
        // GIVEN a vehicle that goes east at 10 m/s, and a gyro with a bias of 0.02 rad/s, which the courses of 30 s
        // have shown WHEN a fix comes 5 s late whose own course is too unsure to change anything
        var reckoning = CourseDeadReckoning()
        for k in 1...350 {
            let now = Double(k) * 0.1
            reckoning.advance(.init(turn: 0.002, seconds: 0.1), until: Self.time(now))
            guard k <= 300, k % 10 == 0 else { continue }
            reckoning.note(Self.seen(10, course: 0, at: now, driftSigma: 0.02), speed: .init(now: 10))
        }
        reckoning.note(Self.seen(10, course: 0, at: 30, sigma: 3, driftSigma: 0.02), speed: .init(now: 10))
        // THEN the way since then is straight, to 0.0006 rad/s of the bias: with what the drift was taken for on the
        // wrong side it would end 5 m aside
        let way = reckoning.way(since: Self.time(30)).meters
        #expect(abs(way.x - 50) < 0.01 && abs(way.y) < 0.2, "\(way)")
    }
}
