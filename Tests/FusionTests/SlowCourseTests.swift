import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// For how long the last course is the heading of a body that has become too slow for one, with a receiver alone.
@Suite struct SlowCourseTests {
    /// A receiver and what follows its fixes.
    private struct Receiver {
        var estimator: PoseEstimator
        private var place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)
        private var last: Double?

        init(_ profile: MotionProfile) {
            var settings = FusionSettings()
            settings.profile = profile
            estimator = PoseEstimator(settings: settings)
        }

        /// A fix of a body that has gone north at a speed since the last one, m/s; below zero: south.
        mutating func fix(_ seconds: Double, speed: Double, sigma: Double = 0.1) {
            place = place.moved(byENU: Vector3(0, speed * (seconds - (last ?? seconds)), 0))
            last = seconds
            let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 2)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: speed)
            fix.speedSigmaMetersPerSecond = sigma
            _ = estimator.ingest(.gnss(fix))
        }

        var sigma: Double? { estimator.estimate.headingSigmaRadians }
    }

    @Test func aPersonTurnsWithinThreeSeconds() throws {
        // GIVEN a person that runs north for one fix WHEN they walk south from then on
        var receiver = Receiver(.wearable)
        receiver.fix(0, speed: 2.5)
        #expect(receiver.sigma != nil)
        for second in 1...20 {
            receiver.fix(Double(second), speed: -1.4)
            // THEN north is the heading until that course is 3 s old
            #expect((receiver.sigma != nil) == (second < 3), "\(second) s")
        }
    }

    @Test func aVehicleTurnsOnItsWay() throws {
        // GIVEN a vehicle that has gone north WHEN it stands for three minutes, and its receiver states a little speed
        var receiver = Receiver(.vehicle)
        for second in 0...5 { receiver.fix(Double(second), speed: 10) }
        for second in 6...180 {
            receiver.fix(Double(second), speed: second % 2 == 0 ? 0.2 : -0.2)
            // THEN the heading is kept, as sure as a slow vehicle's is
            #expect(abs(try #require(receiver.sigma) - 0.2.squared(plus: 0.05)) < 1e-9, "\(second) s")
        }
        // WHEN it goes on at walking pace THEN it is unsure by a radian for 5 m, and unknown beyond
        for count in 1...6 {
            receiver.fix(180 + Double(count), speed: -1.5)
            let expected = 0.2.squared(plus: 0.05).squared(plus: 0.3 * Double(count))
            guard count < 4 else {
                #expect(receiver.sigma == nil, "\(count)")
                continue
            }
            #expect(abs(try #require(receiver.sigma) - expected) < 1e-9, "\(count)")
        }
        // WHEN it is fast again THEN its course is the heading
        receiver.fix(187, speed: -5)
        let attitude = try #require(receiver.estimator.estimate.bodyToENU)
        #expect(abs(EulerAngles(bodyToENU: attitude).headingTrueRadians - .pi) < 1e-6)
        #expect(try #require(receiver.sigma) < 0.1)
    }

    @Test(arguments: [(9.0, true), (600, false)]) func aVehicleMayTurnWhileFixesAreMissing(
        seconds: Double, isKept: Bool
    ) {
        // GIVEN a vehicle that has gone north and stands WHEN there are no fixes for a time THEN its course is kept as
        // long as its place is
        var receiver = Receiver(.vehicle)
        for second in 0...10 { receiver.fix(Double(second), speed: second < 6 ? 10 : 0) }
        receiver.fix(10 + seconds, speed: 0)
        #expect((receiver.sigma != nil) == isKept)
        // AND not where it leaves to the south at walking pace
        receiver.fix(14 + seconds, speed: -1.5)
        #expect(receiver.sigma == nil)
    }

    @Test(arguments: [(2.9, false), (3.1, true)])
    func aCourseIsThatOfASpeedBeyondItsError(speed: Double, isCourse: Bool) {
        // GIVEN a receiver that knows its speed to 1 m/s THEN it has a course from 3 m/s on
        var receiver = Receiver(.vehicle)
        receiver.fix(0, speed: speed, sigma: 1)
        #expect((receiver.sigma != nil) == isCourse)
    }
}

extension Double {
    /// The root of the sum of two squares.
    fileprivate func squared(plus other: Double) -> Double { (self * self + other * other).squareRoot() }
}
