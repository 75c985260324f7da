import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

@testable import Engine

/// Frames of an estimate, and what is predicted of them, in numbers.
@Suite struct FrameLimitTests {
    /// An estimate with a different number for everything: the nose points east, 30 degrees up.
    private static var full: PoseEstimate {
        var estimate = PoseEstimate(time: Scenes.time(10))
        estimate.state = .aligned
        estimate.position = GeodeticPosition(
            latitudeRadians: 0.8, longitudeRadians: 0.25, altitudeEllipsoidMeters: 500)
        (estimate.isAltitudeKnown, estimate.geoidSeparationMeters) = (true, 47)
        estimate.positionSigmaENUMeters = Vector3(1, 2, 3)
        estimate.velocityENUMetersPerSecond = Vector3(3, 4, 5)
        estimate.velocitySigmaENUMetersPerSecond = Vector3(0.1, 0.2, 0.3)
        estimate.bodyToENU =
            EulerAngles(
                rollRadians: 0, pitchRadians: .pi / 6, headingTrueRadians: .pi / 2
            ).bodyToENU
        (estimate.tiltSigmaRadians, estimate.headingSigmaRadians) = (0.01, 0.03)
        (estimate.headingMagneticRadians, estimate.headingMagneticSigmaRadians) = (1.1, nil)
        estimate.angularRateBodyRadiansPerSecond = Vector3(0.1, 0.2, 0.3)
        estimate.linearAccelerationBodyMetersPerSecondSquared = Vector3(0.5, 0.25, -0.5)
        (estimate.magneticVariationRadians, estimate.magneticVariationSigmaRadians) = (0.05, 0.04)
        (estimate.isStandingStill, estimate.fixAgeSeconds, estimate.resetCount) = (true, 0.75, 4)
        (estimate.resetDeltaENUMeters, estimate.resetDeltaHeadingRadians) = (Vector3(7, 8, 9), 0.125)
        return estimate
    }

    private static func pose(
        _ estimate: PoseEstimate, origin: LocalFrame? = nil, trim: Double = 0, minimum: Double = 1
    ) -> Frame.Pose {
        var pose = Frame.Pose()
        pose.describe(estimate, origin: origin, trimRadians: trim, courseMinimumSpeed: minimum)
        return pose
    }

    @Test func everyPartOfAnEstimateIsInTheFrame() throws {
        let origin = LocalFrame(
            origin: GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.25, altitudeEllipsoidMeters: 480))
        let pose = Self.pose(Self.full, origin: origin)
        #expect(pose.state == .aligned && pose.latitudeRadians == 0.8 && pose.longitudeRadians == 0.25)
        #expect(pose.altitudeEllipsoidMeters == 500 && pose.altitudeMeanSeaMeters == 453)
        #expect(pose.positionSigmaENUMeters == .init(1, 2, 3) && pose.originAltitudeEllipsoidMeters == 480)
        #expect(pose.originLatitudeRadians == 0.8 && pose.originLongitudeRadians == 0.25)
        let local = try #require(pose.positionENUMeters)
        // The place is above the origin; the conversion rounds to nanometres.
        #expect(abs(local.x) < 1e-6 && abs(local.y) < 1e-6 && abs(local.z - 20) < 1e-6)
        #expect(pose.velocityENUMetersPerSecond == .init(3, 4, 5))
        #expect(pose.velocitySigmaENUMetersPerSecond == .init(0.1, 0.2, 0.3))
        // atan2(3, 4), clockwise from north.
        #expect(abs((pose.courseOverGroundRadians ?? 0) - 0.643_501_109) < 1e-9)
        #expect(pose.angularRateBodyRadiansPerSecond == .init(0.1, 0.2, 0.3))
        #expect(pose.linearAccelerationBodyMetersPerSecondSquared == .init(0.5, 0.25, -0.5))
        #expect(pose.isStandingStill && pose.fixAgeSeconds == 0.75 && pose.resetCount == 4)
        #expect(pose.resetDeltaENUMeters == .init(7, 8, 9) && pose.resetDeltaHeadingRadians == 0.125)
    }

    @Test func theAttitudeHasItsAnglesAndRates() throws {
        let pose = Self.pose(Self.full)
        #expect(abs((pose.rollRadians ?? 1)) < 1e-12 && abs((pose.pitchRadians ?? 0) - .pi / 6) < 1e-12)
        #expect(abs((pose.headingTrueRadians ?? 0) - .pi / 2) < 1e-12)
        #expect(pose.headingSigmaRadians == 0.03 && pose.tiltSigmaRadians == 0.01)
        // The true heading less the variation, with the sigmas of both.
        #expect(abs((pose.headingMagneticRadians ?? 0) - (.pi / 2 - 0.05)) < 1e-12)
        #expect(abs((pose.headingMagneticSigmaRadians ?? 0) - 0.05) < 1e-12)
        // Groves 2013 eq. 2.58 without roll: minus the rate about the body's z axis, by the cosine of the pitch.
        #expect(abs((pose.turnRateRadiansPerSecond ?? 0) + 0.3 / (3.0.squareRoot() / 2)) < 1e-12)
        // Forward is east and up: 0.5 along it, and -0.5 along the axis that is up and backward.
        let (cosine, sine) = (3.0.squareRoot() / 2, 0.5)
        let acceleration = try #require(pose.accelerationENUMetersPerSecondSquared)
        #expect(abs(acceleration.x - (0.5 * cosine + 0.5 * sine)) < 1e-12 && abs(acceleration.y - 0.25) < 1e-12)
        #expect(abs(acceleration.z - (0.5 * sine - 0.5 * cosine)) < 1e-12)
        let down = try #require(pose.gravityDirectionBody)
        #expect(abs(down.x + sine) < 1e-12 && abs(down.y) < 1e-12 && abs(down.z + cosine) < 1e-12)
        #expect(abs((pose.slipMetersPerSecondSquared ?? 0) - 0.25) < 1e-9)
    }

    @Test func aLeanShowsAsSlip() throws {
        // GIVEN a body that leans 30 degrees to its right and turns about its axes
        var estimate = Self.full
        estimate.bodyToENU =
            EulerAngles(
                rollRadians: .pi / 6, pitchRadians: 0, headingTrueRadians: 0
            ).bodyToENU
        let pose = Self.pose(estimate)
        let down = try #require(pose.gravityDirectionBody)
        // THEN gravity has a part to one side, which the ball of an inclinometer shows in m/s2
        #expect(abs(abs(down.y) - 0.5) < 1e-12)
        #expect(abs((pose.slipMetersPerSecondSquared ?? 0) - (0.25 - 9.806_65 * down.y)) < 1e-12)
        // Both rates turn the heading: -(0.2 sin 30) - 0.3 cos 30.
        #expect(abs((pose.turnRateRadiansPerSecond ?? 0) - (-0.1 - 0.15 * 3.0.squareRoot())) < 1e-12)
    }

    @Test(arguments: [(87.1, true), (87.2, false)])
    func aSteepNoseHasNoRateOfTurn(pitchDegrees: Double, isKnown: Bool) {
        // GIVEN a nose that points up: the cosine of 87.134 degrees is 0.05
        var estimate = Self.full
        estimate.bodyToENU =
            EulerAngles(
                rollRadians: 0, pitchRadians: pitchDegrees.degreesInRadians, headingTrueRadians: 1
            ).bodyToENU
        #expect((Self.pose(estimate).turnRateRadiansPerSecond != nil) == isKnown)
    }

    @Test func whatIsUnknownIsNil() {
        // GIVEN estimates without one part WHEN they follow a full one in the same frame THEN nothing of it is left
        var pose = Self.pose(Self.full, origin: LocalFrame(origin: Scenes.start))
        var estimate = Self.full
        (estimate.bodyToENU, estimate.isAltitudeKnown) = (nil, false)
        pose.describe(estimate, origin: nil, trimRadians: 0, courseMinimumSpeed: 1)
        #expect(pose.bodyToENU == nil && pose.rollRadians == nil && pose.pitchRadians == nil)
        #expect(pose.headingTrueRadians == nil && pose.headingMagneticRadians == nil)
        #expect(pose.headingMagneticSigmaRadians == nil && pose.gravityDirectionBody == nil)
        #expect(pose.slipMetersPerSecondSquared == nil && pose.turnRateRadiansPerSecond == nil)
        #expect(pose.accelerationENUMetersPerSecondSquared == nil && pose.positionENUMeters == nil)
        #expect(pose.altitudeEllipsoidMeters == nil && pose.altitudeMeanSeaMeters == nil)
        #expect(pose.originLatitudeRadians == nil && pose.latitudeRadians == 0.8)
        // Without a heading there is that of the magnetometer, turned by the trim, with its own sigma.
        estimate = Self.full
        (estimate.headingSigmaRadians, estimate.headingMagneticSigmaRadians) = (nil, 0.07)
        let magnetic = Self.pose(estimate, trim: 0.2)
        #expect(magnetic.headingTrueRadians == nil && magnetic.turnRateRadiansPerSecond == nil)
        #expect(abs((magnetic.headingMagneticRadians ?? 0) - 1.3) < 1e-12)
        #expect(magnetic.headingMagneticSigmaRadians == 0.07 && magnetic.headingTrimRadians == 0.2)
        estimate = Self.full
        estimate.magneticVariationSigmaRadians = nil
        #expect(Self.pose(estimate).headingMagneticSigmaRadians == nil)
        estimate.magneticVariationRadians = nil
        #expect(abs((Self.pose(estimate).headingMagneticRadians ?? 0) - 1.1) < 1e-12)
        estimate.headingMagneticRadians = nil
        #expect(Self.pose(estimate).headingMagneticRadians == nil)
    }

    @Test func aSigmaIsToldWithItsHeadingOnly() {
        // GIVEN an estimate with the sigma of a magnetic heading WHEN the heading is unknown THEN so is its sigma
        var estimate = Self.full
        (estimate.magneticVariationRadians, estimate.headingMagneticSigmaRadians) = (nil, 0.07)
        #expect(Self.pose(estimate).headingMagneticSigmaRadians == 0.07)
        estimate.headingMagneticRadians = nil
        let pose = Self.pose(estimate)
        #expect(pose.headingMagneticRadians == nil && pose.headingMagneticSigmaRadians == nil)
    }

    @Test(arguments: [(5.0, true), (5.001, false)])
    func theCourseNeedsItsSpeed(minimum: Double, isKnown: Bool) {
        #expect((Self.pose(Self.full, minimum: minimum).courseOverGroundRadians != nil) == isKnown)
        let input = GuidanceInput(Self.full, courseMinimumSpeed: minimum)
        #expect((input.courseOverGroundRadians != nil) == isKnown && input.speedMetersPerSecond == 5)
        // The larger sigma, 0.2 m/s, at 5 m/s.
        #expect(input.courseSigmaRadians.map { abs($0 - 0.04) < 1e-12 } ?? !isKnown)
    }

    @Test func theTrimTurnsEverythingThatShowsADirection() {
        // GIVEN a trim of 0.1 rad clockwise THEN heading and attitude turn, and the acceleration over ground does not
        let (plain, turned) = (Self.pose(Self.full), Self.pose(Self.full, trim: 0.1))
        #expect(abs((turned.headingTrueRadians ?? 0) - (.pi / 2 + 0.1)) < 1e-12)
        #expect(abs((turned.headingMagneticRadians ?? 0) - (.pi / 2 + 0.05)) < 1e-12)
        #expect(abs((turned.pitchRadians ?? 0) - .pi / 6) < 1e-12)
        #expect(turned.accelerationENUMetersPerSecondSquared == plain.accelerationENUMetersPerSecondSquared)
        #expect(turned.courseOverGroundRadians == plain.courseOverGroundRadians)
    }

    @Test func guidanceIsToldTheLargerSigmaAndTheState() {
        let input = GuidanceInput(Self.full, courseMinimumSpeed: 1)
        #expect(input.horizontalSigmaMeters == 2 && input.headingSigmaRadians == 0.03 && !input.isDeadReckoning)
        #expect(input.headingTrueRadians.map { abs($0 - .pi / 2) < 1e-12 } == true && input.position != nil)
        var estimate = Self.full
        (estimate.state, estimate.headingSigmaRadians) = (.deadReckoning, nil)
        let reckoned = GuidanceInput(estimate, courseMinimumSpeed: 1)
        #expect(reckoned.isDeadReckoning && reckoned.headingTrueRadians == nil && reckoned.headingSigmaRadians == nil)
        (estimate.state, estimate.velocitySigmaENUMetersPerSecond) = (.lost, Vector3(99, 1, 1))
        let lost = GuidanceInput(estimate, courseMinimumSpeed: 1)
        #expect(lost.position == nil && lost.courseSigmaRadians == .pi)
    }

    @Test(arguments: [(0.0, 10.0), (3, 7), (999_999, -999_989), (1e6, 10), (-1, 10), (.infinity, 10)])
    func withoutAVelocityTheTimeIsThatOfTheFix(age: Double, seconds: Double) {
        var estimate = Self.full
        (estimate.velocityENUMetersPerSecond, estimate.fixAgeSeconds) = (nil, age)
        #expect(GuidanceInput(estimate, courseMinimumSpeed: 1).time == Scenes.time(seconds))
    }
}

/// Limits of the prediction of a frame.
@Suite struct PredictionLimitTests {
    /// A frame of the time 5 s, 1 km above the ellipsoid, that moves and turns.
    private static var frame: Frame {
        var frame = Frame()
        (frame.timeNanoseconds, frame.utcNanoseconds) = (5_000_000_000, 1_000)
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.5, 1)
        (frame.pose.altitudeEllipsoidMeters, frame.pose.altitudeMeanSeaMeters) = (1000, 953)
        frame.pose.positionENUMeters = .init(1, 2, 3)
        frame.pose.velocityENUMetersPerSecond = .init(10, -20, 30)
        frame.pose.accelerationENUMetersPerSecondSquared = .init(1, 2, -3)
        return frame
    }

    private static func predicted(_ frame: Frame, milliseconds: Int64) -> Frame {
        var frame = frame
        frame.predict(to: MonotonicTime(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000))
        return frame
    }

    @Test func heightsAndPlacesMoveWithVelocityAndAcceleration() throws {
        // GIVEN 0.1 s: half of the acceleration times its square are (0.005, 0.01, -0.015) m
        let (before, after) = (Self.frame, Self.predicted(Self.frame, milliseconds: 100))
        let way = Vector3(1.005, -1.99, 2.985)
        let place = try #require(after.pose.positionENUMeters)
        #expect((Vector3(place.x, place.y, place.z) - Vector3(1, 2, 3) - way).length < 1e-12)
        #expect(abs((after.pose.altitudeEllipsoidMeters ?? 0) - 1002.985) < 1e-9)
        #expect(abs((after.pose.altitudeMeanSeaMeters ?? 0) - 955.985) < 1e-9)
        let velocity = try #require(after.pose.velocityENUMetersPerSecond)
        #expect((Vector3(velocity.x, velocity.y, velocity.z) - Vector3(10.1, -19.8, 29.7)).length < 1e-12)
        #expect(after.timeNanoseconds == 5_100_000_000 && after.utcNanoseconds == 100_001_000)
        // The curvature of the meridian and across it, with the height.
        let (north, east) = (
            WGS84.meridianRadiusMeters(latitudeRadians: 0.5) + 1000,
            (WGS84.primeVerticalRadiusMeters(latitudeRadians: 0.5) + 1000) * 0.877_582_561_890_372_8
        )
        let (latitude, longitude) = (
            try #require(after.pose.latitudeRadians), try #require(after.pose.longitudeRadians)
        )
        // A ten thousandth of a millimetre in radians.
        #expect(abs(latitude - 0.5 + 1.99 / north) < 2e-14 && abs(longitude - 1 - 1.005 / east) < 2e-14)
        #expect(before.pose.headingTrueRadians == nil && after.pose.headingTrueRadians == nil)
        // 0.1 s is the longest.
        #expect(Self.predicted(Self.frame, milliseconds: 101) == after)
        #expect(Self.predicted(Self.frame, milliseconds: 0) == Self.frame)
    }

    @Test(arguments: [(0.0, 0.029_991_005), (6.28, 0.026_805_698)])
    func theCourseTurnsWithTheVelocity(course: Double, after: Double) {
        // GIVEN a velocity to the north, and an acceleration to the east; WHEN predicted THEN the course turns by
        // atan2(0.45, 15), also one in which a correction is being blended
        var frame = Self.frame
        frame.pose.velocityENUMetersPerSecond = .init(0, 15, 0)
        frame.pose.accelerationENUMetersPerSecondSquared = .init(4.5, 0, 0)
        #expect(Self.predicted(frame, milliseconds: 100).pose.courseOverGroundRadians == nil)
        frame.pose.courseOverGroundRadians = course
        #expect(abs((Self.predicted(frame, milliseconds: 100).pose.courseOverGroundRadians ?? 0) - after) < 1e-8)
    }

    @Test func aPredictionToItsOwnTimeChangesNothing() {
        // GIVEN a frame with an attitude and a rate, without the angles that follow from them THEN none is made up
        var frame = Self.frame
        frame.pose.bodyToENU = .init(1, 0, 0, 0)
        frame.pose.angularRateBodyRadiansPerSecond = .init(0, 0, 1)
        #expect(Self.predicted(frame, milliseconds: 0) == frame)
        #expect(Self.predicted(frame, milliseconds: 1).pose.rollRadians != nil)
    }

    @Test func aLostPoseAndOneWithoutAVelocityStay() {
        var lost = Self.frame
        lost.pose.state = .lost
        let after = Self.predicted(lost, milliseconds: 50)
        #expect(after.pose == lost.pose && after.timeNanoseconds == 5_050_000_000)
        var still = Self.frame
        still.pose.velocityENUMetersPerSecond = nil
        #expect(Self.predicted(still, milliseconds: 50).pose == still.pose)
        var steady = Self.frame
        steady.pose.accelerationENUMetersPerSecondSquared = nil
        #expect(Self.predicted(steady, milliseconds: 50).pose.positionENUMeters == .init(1.5, 1, 4.5))
    }

    @Test func atAPoleTheLongitudeStays() {
        var frame = Self.frame
        frame.pose.latitudeRadians = .pi / 2
        #expect(Self.predicted(frame, milliseconds: 100).pose.longitudeRadians == 1)
    }

    @Test(arguments: [true, false]) func aTurnMovesTheHeadingsThatAreKnown(hasTrue: Bool) throws {
        // GIVEN a level body at 0.5 rad that turns left by 1 rad/s THEN both headings fall by 0.05 rad in 50 ms
        var frame = Self.frame
        let attitude = EulerAngles(rollRadians: 0.1, pitchRadians: 0, headingTrueRadians: 0.5).bodyToENU
        frame.pose.bodyToENU = .init(attitude.w, attitude.x, attitude.y, attitude.z)
        let rate = attitude.inverse.rotate(Vector3(0, 0, 1))
        frame.pose.angularRateBodyRadiansPerSecond = .init(rate.x, rate.y, rate.z)
        frame.pose.headingMagneticRadians = 0.02
        frame.pose.headingTrueRadians = hasTrue ? 0.5 : nil
        let pose = Self.predicted(frame, milliseconds: 50).pose
        #expect(pose.headingTrueRadians.map { abs($0 - 0.45) < 1e-12 } ?? !hasTrue)
        #expect(abs((pose.headingMagneticRadians ?? 0) - (0.02 - 0.05 + 2 * .pi)) < 1e-12)
        #expect(abs((pose.rollRadians ?? 0) - 0.1) < 1e-12 && abs(pose.pitchRadians ?? 1) < 1e-12)
        let down = try #require(pose.gravityDirectionBody)
        #expect(abs(down.y.magnitude - 0.099_833_416_646_828_15) < 1e-12)
        // Without a rate nothing turns.
        frame.pose.angularRateBodyRadiansPerSecond = nil
        #expect(Self.predicted(frame, milliseconds: 50).pose.headingMagneticRadians == 0.02)
    }

    @Test func everyAgeGrows() {
        // GIVEN a frame with an age of each kind, each different WHEN it is published later THEN all are older by that
        var frame = Frame()
        (frame.timeNanoseconds, frame.sequence) = (5_000_000_000, 1)
        (frame.pose.fixAgeSeconds, frame.guidance.ageSeconds, frame.speed.ageSeconds) = (1, 2, 3)
        (frame.sources.gpsAgeSeconds, frame.sources.imuAgeSeconds) = (4, 5)
        (frame.sources.magnetometerAgeSeconds, frame.sources.barometerAgeSeconds) = (6, 7)
        frame.sources.wheelsAgeSeconds = 8
        func ages(_ frame: Frame) -> [Double?] {
            let sources = frame.sources
            return [
                frame.pose.fixAgeSeconds, frame.guidance.ageSeconds, frame.speed.ageSeconds, sources.gpsAgeSeconds,
                sources.imuAgeSeconds, sources.magnetometerAgeSeconds, sources.barometerAgeSeconds,
                sources.wheelsAgeSeconds,
            ]
        }
        var older = frame
        older.grow(agesBy: 0.5)
        #expect(ages(older) == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5])
        older.grow(agesBy: -1)
        older.grow(agesBy: .nan)
        #expect(ages(older) == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5])
        var empty = Frame()
        empty.grow(agesBy: 1)
        #expect(ages(empty).allSatisfy { $0 == nil })
    }

    @Test func anotherFrameThanTheOnePublishedIsNotARepetition() {
        // GIVEN a frame that was published WHEN another one is published as a repetition, or the same one THEN only the
        // same one has the pose of before
        var predictor = FramePredictor()
        var (first, second) = (Self.frame, Self.frame)
        (first.sequence, second.sequence, second.pose.latitudeRadians) = (1, 2, 0.6)
        let now = MonotonicTime(nanoseconds: 5_040_000_000)
        let published = predictor.prepare(first, isRepeat: false, isNewest: true, now: now)
        #expect(
            published.timeNanoseconds == 5_040_000_000
                && abs((published.pose.positionENUMeters?.x ?? 0) - 1.4008) < 1e-12)
        var changed = first
        changed.pose.latitudeRadians = 0.9
        let later = MonotonicTime(nanoseconds: 5_300_000_000)
        let again = predictor.prepare(changed, isRepeat: true, isNewest: true, now: later)
        #expect(again.pose == published.pose && again.utcNanoseconds == published.utcNanoseconds)
        #expect(again.publishedNanoseconds == 5_300_000_000)
        let other = predictor.prepare(second, isRepeat: true, isNewest: true, now: later)
        #expect(other.pose.latitudeRadians == 0.6 && other.timeNanoseconds == 5_000_000_000)
        // A frame that waits keeps its own time, unless that is not later than the last one.
        let waiting = predictor.prepare(first, isRepeat: false, isNewest: false, now: later)
        #expect(waiting.timeNanoseconds == 5_000_000_001)
    }
}
