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

    @Test func aPositionOfOneFixIsNoSurerThanTheNextOne() throws {
        // GIVEN a position of one fix WHEN the next one lies 1 km away THEN half of that is in the sigma
        var filter = try #require(GNSSPositionFilter(fix: fix(0, east: 0)))
        let use = filter.update(fix(1, east: 1000), .init(isStill: false, lagDifferenceSeconds: 0))
        #expect(use == .rejected)
        #expect(abs(added(to: filter) - 500.5) < 0.05)
    }
}
