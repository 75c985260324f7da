import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How sure the position of fixes is while others are rejected.
@Suite struct RejectedFixTests {
    private static let origin = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)

    /// A fix without a velocity, at a second and metres to the east.
    private func fix(_ second: Int64, east: Double) -> GnssFix {
        let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
        let place = Self.origin.moved(byENU: Vector3(east, 0, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 2.5)
        return fix
    }

    /// What the sigma has beside that of the position itself after some fixes, metres.
    private func added(to filter: GNSSPositionFilter) -> Double {
        let sigma = filter.horizontalSigma
        return (sigma * sigma - filter.horizontal.position).squareRoot()
    }

    @Test func aProvenPositionIsLostByHalfAMeterASecond() throws {
        // GIVEN a position that six fixes have shown WHEN fixes come that lie 5 km to both sides in turn
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0)))
        for second in Int64(1)...5 {
            filter.update(
                fix(second, east: Double(second % 2)), .init(isStill: false, lagDifferenceSeconds: 0))
        }
        #expect(abs(filter.horizontalSigma - filter.horizontal.position.squareRoot()) < 1e-9)
        for second in Int64(6)...9 {
            let use = filter.update(
                fix(second, east: second % 2 == 0 ? 5000 : -5000), .init(isStill: false, lagDifferenceSeconds: 0))
            // THEN they are rejected, and the sigma has 20 m for their being right, and half a metre for each second
            #expect(use == .rejected)
            #expect(abs(added(to: filter) - 20 - 0.5 * Double(second - 5)) < 1e-6, "\(second)")
        }
    }

    @Test func thePlaceOfAStoppedFilterIsNotCarriedOnTwice() throws {
        // GIVEN a filter at 30 m/s, 200 m ahead of its last fix, which is a second old and was rejected
        var estimator = PoseEstimator()
        var last = fix(9, east: 100)
        last.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 30, northMetersPerSecond: 0)
        last.speedSigmaMetersPerSecond = 0.1
        let now = MonotonicTime(nanoseconds: 10_000_000_000)
        let state = NavigationState(
            time: now, position: Self.origin.moved(byENU: Vector3(300, 0, 0)), velocityENU: Vector3(30, 0, 0),
            sensorToENU: .identity)
        estimator.filter = NavigationFilter(at: state, leverArm: .zero)
        estimator.filter.aids[Int(AidSource.gnssPosition.rawValue)].reject(because: .innovation)
        (estimator.lifeCycle, estimator.lastFix, estimator.isVelocityStated) = (.navigating, last, true)
        estimator.describe(at: now)
        let before = try #require(estimator.estimate.position)
        // WHEN the filter is stopped THEN the place of now stays where it is
        estimator.stopFilter(mountHolds: false)
        estimator.describe(at: now)
        let offset = before.surfaceOffsetMeters(to: try #require(estimator.estimate.position))
        #expect(abs(offset.east) < 3 && abs(offset.north) < 3, "\(offset)")
        // AND goes on from there
        estimator.describe(at: now.advanced(bySeconds: 0.5))
        let later = before.surfaceOffsetMeters(to: try #require(estimator.estimate.position))
        #expect(abs(later.east - 15) < 3, "\(later)")
    }

    @Test func aPositionOfOneFixIsNoSurerThanTheNextOne() throws {
        // GIVEN a position of one fix WHEN the next one lies 1 km away THEN half of that is in the sigma
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0)))
        let use = filter.update(fix(1, east: 1000), .init(isStill: false, lagDifferenceSeconds: 0))
        #expect(use == .rejected)
        #expect(abs(added(to: filter) - 500.5) < 0.05)
    }

    @Test(arguments: [1, 2, 3, 4]) func noPlaceIsPublishedWhileAsManyFixesSpeakAgainstTheFirstOnes(first: Int64) {
        // GIVEN a receiver alone whose first fixes, one a second, lie 300 m from those that follow
        var estimator = PoseEstimator()
        for second in 0..<first { _ = estimator.ingest(.gnss(fix(second, east: 300))) }
        // WHEN so many of these have come THEN the first place is published while they are fewer, none while they are
        // as many, and theirs from the fourth one on; four first ones over 3 s are held until then
        var published: [String] = []
        for second in first..<first + 5 {
            _ = estimator.ingest(.gnss(fix(second, east: 0)))
            let east = estimator.estimate.position.map { Self.origin.surfaceOffsetMeters(to: $0).east }
            published.append(east.map { $0 < 150 ? "new" : "first" } ?? "none")
        }
        let held = first < 4 ? Int(first) - 1 : 3
        let expected = (1...5).map { $0 >= 4 ? "new" : $0 > held ? "none" : "first" }
        #expect(published == expected)
        #expect(estimator.estimate.resetCount == 1)
    }

    @Test func theDoubtOfAMoveFadesWithoutAVelocity() throws {
        // GIVEN a receiver that states no velocity, at a place that six fixes have shown, WHEN four lie 150 m away THEN
        // the place is theirs, in doubt by 20 m
        let motion = GNSSPositionFilter.Motion(isStill: false, lagDifferenceSeconds: 0)
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0)))
        for second in Int64(1)...5 { filter.update(fix(second, east: 0), motion) }
        for second in Int64(6)...8 { #expect(filter.update(fix(second, east: 150), motion) == .rejected) }
        guard case .restarted = filter.update(fix(9, east: 150), motion) else {
            Issue.record("not begun anew")
            return
        }
        #expect(abs(added(to: filter) - 20) < 1e-6)
        // WHEN they stay there for the 40 s of a GNSS bias THEN 20 m / e of that is left (eq. 7.17)
        for second in Int64(10)...49 { filter.update(fix(second, east: 150), motion) }
        #expect(abs(added(to: filter) - 7.357_588_8) < 1e-6, "\(added(to: filter))")
    }
}
