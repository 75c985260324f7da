import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The magnetic heading in the running filter.
@Suite struct MagneticHeadingTests {
    private static let degree = Angle.radiansPerDegree
    private static let time = MonotonicTime(nanoseconds: 5_000_000_000)

    /// A filter of a boat that believes to point 4 degrees to the left of east, with a sigma of 5.7.
    private func filter() -> NavigationFilter {
        let state = NavigationState(
            time: Self.time,
            position: GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10, altitudeEllipsoidMeters: 40),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, 0, 4 * Self.degree)))
        return NavigationFilter(at: state, leverArm: .zero, profile: .boat)
    }

    /// A magnetic attitude that is turned from east and leans, radians.
    private func heading(turned: Double, leaning: Double = 0, sigma: Double) -> MagneticHeading {
        MagneticHeading(
            time: Self.time,
            sensorToENU: Quaternion(rotationVector: Vector3(0, 0, turned))
                * Quaternion(rotationVector: Vector3(leaning, 0, 0)),
            variance: sigma * sigma, dipTangent: 2)
    }

    private func yaw(_ filter: NavigationFilter) -> Double {
        .pi / 2 - EulerAngles(bodyToENU: filter.state.sensorToENU).headingTrueRadians
    }

    @Test func aVagueHeadingIsCorrectedAndNoSurerThanTheIron() {
        // GIVEN a boat that points east, and iron that leaves 1.5 degrees WHEN it is told so a thousand times
        var filter = filter()
        let lasting = 1.5 * Self.degree
        for _ in 0..<1000 { filter.fuseMagneticHeading(heading(turned: 0, sigma: lasting)) }
        // THEN its heading has moved by what the two sigmas say (5.7 against 1.5 degrees), as if it was told once, and
        // it does not claim more than the iron allows
        let share = lasting * lasting / (0.1 * 0.1)
        #expect(abs(yaw(filter) - 4 * Self.degree * share) < 0.02 * Self.degree)
        #expect(
            filter.headingVariance() > 0.99 * lasting * lasting && filter.headingVariance() < 1.01 * lasting * lasting)
    }

    @Test func aBetterHeadingIsKept() {
        // GIVEN a filter that knows its heading to half a degree, and a magnetometer good to three WHEN that shows
        // another one
        var filter = filter()
        filter.covariance[.attitude.z, .attitude.z] = 0.25 * Self.degree * Self.degree
        let before = yaw(filter)
        for _ in 0..<1000 { filter.fuseMagneticHeading(heading(turned: 0, sigma: 3 * Self.degree)) }
        // THEN it stays
        #expect(abs(yaw(filter) - before) < 0.02 * Self.degree)
    }

    @Test func aHeadingBeyondTheGateIsRejected() {
        // GIVEN a magnetic heading a quarter turn off, ten sigmas
        var filter = filter()
        let before = yaw(filter)
        filter.fuseMagneticHeading(heading(turned: .pi / 2, sigma: 3 * Self.degree))
        // THEN it is counted and not used
        let status = filter.aids[Int(AidSource.magneticHeading.rawValue)]
        #expect(status.rejection == .innovation && status.rejectedCount == 1)
        #expect(yaw(filter) == before)
    }

    @Test func anotherLevelMakesTheFieldLean() {
        // GIVEN magnetic attitudes with the level of the filter, and a degree beside it WHEN the dip is that of central
        // Europe, a tangent of 2
        var filter = filter()
        let level = filter.magneticHeadingComponent(heading(turned: 0, sigma: 0.02))
        let leaning = filter.magneticHeadingComponent(heading(turned: 0, leaning: Self.degree, sigma: 0.02))
        // THEN the latter may be wrong by two degrees more
        #expect(abs((leaning.variance - level.variance).squareRoot() - 2 * Self.degree) < 0.01 * Self.degree)
    }

    @Test(arguments: [(0.55, true), (0.58, false)]) func theGateIsFiveSigmas(off: Double, isTaken: Bool) {
        // GIVEN a magnetic heading, known to 3 degrees, that is off by so many radians THEN it is taken up to five
        // sigmas of the filter, the calibration and its own noise, 0.566 rad
        var filter = filter()
        filter.fuseMagneticHeading(heading(turned: 4 * Self.degree + off, sigma: 3 * Self.degree))
        let status = filter.aids[Int(AidSource.magneticHeading.rawValue)]
        #expect((status.acceptedCount == 1) == isTaken && (status.rejectedCount == 0) == isTaken)
    }

    /// A boat that lies level in a field that points north, with samples and magnetic readings at 50 Hz, and the time
    /// of each magnetic heading that the running filter was given, seconds.
    private struct Boat {
        private(set) var headings: [Double] = []
        private var estimator: PoseEstimator
        private var count: Int64 = 0
        /// Iron of the hull, tesla, and how far the hull has turned to the left, radians.
        private let iron: Vector3
        private var yaw = 0.0
        /// The field, east, north, up, tesla.
        private let field: Vector3

        /// A boat that has not turned yet.
        init(iron: Vector3 = .zero, field: Vector3 = Vector3(0, 48e-6, 0)) {
            (self.iron, self.field) = (iron, field)
            var settings = FusionSettings()
            settings.profile = .boat
            estimator = PoseEstimator(settings: settings)
            estimator.statedDeclination = 0
            // A boat that never turns would not learn the gyro's bias about the vertical.
            var prior = SensorPrior()
            prior.gyroBias = .init(
                radiansPerSecond: .zero, sigmaRadiansPerSecond: Vector3(repeating: 0.001))
            estimator.offer(sensors: prior)
            run(seconds: 4, hasField: true)
        }

        /// A boat that has turned two circles, which show its iron, and whose filter runs.
        static func underWay() -> Boat {
            var boat = Boat()
            boat.run(seconds: 20, hasField: true) { _ in .pi / 5 }
            boat.startFilter()
            return boat
        }

        /// Whether the magnetic heading is known well enough to be given to the filter.
        mutating func hasHeading() -> Bool { estimator.magneticHeading != nil }

        /// Variance of the magnetic heading with a declination of a 1-sigma, or with that of a receiver, rad2.
        mutating func headingVariance(declinationSigma: Double?) -> Double? {
            estimator.set(declination: declinationSigma.map { Declination(radians: 0, sigmaRadians: $0) })
            return estimator.magneticHeading?.variance
        }

        /// Tangent of the dip of the magnetic heading; `nil` without one.
        mutating func dipTangent() -> Double? { estimator.magneticHeading?.dipTangent }

        /// Turn of the level frame to north, radians, with which a filter starts where that frame is turned to the
        /// right against the sensor; `nil` without a magnetic heading.
        mutating func startHeading(levelTurned angle: Double) -> Double? {
            let toLevel = Quaternion(rotationVector: Vector3(0, 0, -angle))
            return estimator.magneticStartHeading(sensorToLevel: toLevel)?.levelToENURadians
        }

        private mutating func startFilter() {
            let state = NavigationState(
                time: time,
                position: GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10, altitudeEllipsoidMeters: 40),
                velocityENU: .zero, sensorToENU: .identity)
            var filter = NavigationFilter(at: state, leverArm: .zero, profile: .boat)
            let last = estimator.delayedMeasurements.sampleCount - 1
            estimator.beginNavigating(with: &filter, at: last, mountIsPrior: false, levelToENU: .identity)
        }

        private var time: MonotonicTime { MonotonicTime(nanoseconds: count * 20_000_000) }

        /// - Parameter turning: rate of turn to the left after so many seconds, rad/s.
        mutating func run(seconds: Double, hasField: Bool, turning: (Double) -> Double = { _ in 0 }) {
            for index in 0..<Int((seconds * 50).rounded()) {
                count += 1
                let rate = turning(Double(index) * 0.02)
                yaw += rate * 0.02
                // A sensor that repeats a reading counts as stuck.
                let noise = 0.002 * Vector3(Double(count % 7) - 3, Double(count % 5) - 2, Double(count % 3) - 1)
                let before = estimator.lastMagneticHeadingTime
                _ = estimator.ingest(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: Vector3(0, 0, rate) + noise * 0.1,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665) + noise))
                if let now = estimator.lastMagneticHeadingTime, now != before { headings.append(now.seconds) }
                guard hasField else { continue }
                let seen = Quaternion(rotationVector: Vector3(0, 0, -yaw)).rotate(field)
                _ = estimator.ingest(
                    .magnetic(MagneticSample(time: time, fluxDensityTesla: seen + iron + noise * 1e-6)))
            }
        }
    }

    @Test func aBoatThatHasNotTurnedHasNoMagneticHeading() {
        // GIVEN iron of a quarter of the field, which turns the heading by 14 degrees WHEN the boat swings by 5 degrees
        // for a minute THEN its heading is not used
        var boat = Boat(iron: Vector3(12e-6, 0, 0))
        boat.run(seconds: 60, hasField: true) { 0.009 * cos(0.1 * $0) }
        let before = boat.hasHeading()
        #expect(!before)
        // WHEN it has turned two circles THEN it is
        boat.run(seconds: 20, hasField: true) { _ in .pi / 5 }
        let after = boat.hasHeading()
        #expect(after)
    }

    @Test func aHeadingComesOnceASecond() {
        // GIVEN a running filter and magnetic readings at 50 Hz THEN it is given one heading a second
        var boat = Boat.underWay()
        boat.run(seconds: 3.5, hasField: true)
        #expect(boat.headings.count == 4)
        #expect(zip(boat.headings, boat.headings.dropFirst()).allSatisfy { abs($1 - $0 - 1) < 0.03 })
    }

    @Test(arguments: [(0.6, 2), (0.4, 1)]) func aHeadingIsOfReadingsOfTheLastHalfSecond(seconds: Double, count: Int) {
        // GIVEN magnetic readings that end 0.4 s before the next heading is due, or 0.6 s before THEN the former still
        // give one
        var boat = Boat.underWay()
        boat.run(seconds: seconds, hasField: true)
        boat.run(seconds: 1.5, hasField: false)
        #expect(boat.headings.count == count)
    }

    @Test(arguments: [(0.4, true), (0.6, false)]) func noFilterStartsWithAHeadingWhoseReadingsHaveEnded(
        silence: Double, isKnown: Bool
    ) {
        // GIVEN a boat that has turned two circles WHEN its magnetometer fails THEN half a second later there is no
        // magnetic heading with which the filter could start: the gyro alone holds it
        var boat = Boat()
        boat.run(seconds: 20, hasField: true) { _ in .pi / 5 }
        boat.run(seconds: silence, hasField: false)
        let isFound = boat.hasHeading()
        #expect(isFound == isKnown)
    }

    @Test func oneHeadingIsKnownToHalfADegree() {
        // GIVEN a calibration without an error WHEN one heading comes THEN it is as sure as its noise, half a degree
        var filter = filter()
        filter.fuseMagneticHeading(heading(turned: 4 * Self.degree, sigma: 1e-4))
        let sigma = filter.headingVariance().squareRoot()
        #expect(abs(sigma - 0.498 * Self.degree) < 0.01 * Self.degree)
    }

    @Test func aHeadingIsAsUnsureAsItsDeclination() throws {
        // GIVEN a boat that has turned two circles WHEN its declination is known exactly, to 0.05 rad, or as a receiver
        // states it THEN that of the model is a part of the variance, and that of the receiver is one of 0.01 rad
        var boat = Boat.underWay()
        let known = boat.headingVariance(declinationSigma: 0)
        let modelled = boat.headingVariance(declinationSigma: 0.05)
        let stated = boat.headingVariance(declinationSigma: nil)
        let exact = try #require(known)
        #expect(exact > 0)
        #expect(abs(try #require(modelled) - exact - 0.0025) < 1e-12)
        #expect(abs(try #require(stated) - exact - 0.0001) < 1e-12)
    }

    @Test(arguments: [-12e-6, 12e-6]) func theDipIsThatOfTheField(up: Double) throws {
        // GIVEN a boat that has turned two circles in a field that points down, or up, by a quarter of its level part
        // THEN the tangent of the dip is that quarter, to a hundredth for the noise of its level and of the readings
        var boat = Boat(field: Vector3(0, 48e-6, up))
        boat.run(seconds: 20, hasField: true) { _ in .pi / 5 }
        let found = boat.dipTangent()
        let tangent = try #require(found)
        #expect(abs(tangent - 0.25) < 0.01, "\(tangent)")
    }

    @Test(arguments: [1.0, -2.5]) func aStartHeadingIsTheTurnFromTheLevelFrame(angle: Double) throws {
        // GIVEN a boat that has turned two circles, and points as at the start, its sensor's second axis north WHEN its
        // level frame is that of the sensor, or turned to the right against that THEN the heading with which a filter
        // starts is that turn back to the left
        var boat = Boat.underWay()
        let (own, turned) = (boat.startHeading(levelTurned: 0), boat.startHeading(levelTurned: angle))
        let (start, other) = (try #require(own), try #require(turned))
        #expect(abs(Angle.wrappedToPi(start)) < 0.1, "\(start)")
        #expect(abs(Angle.wrappedToPi(other - start - angle)) < 1e-9, "\(other)")
    }
}
