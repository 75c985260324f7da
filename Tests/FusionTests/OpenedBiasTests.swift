import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A distant place that others confirm, while the error of the receiver is held to be large (docs/math.md, eq. 12.5).
@Suite struct OpenedBiasTests {
    private static let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 0)

    /// A fix at a second, which states 2.5 m, and neither height nor velocity.
    private func fix(at second: Int64, _ offset: Vector3) -> GnssFix {
        let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
        let there = Self.place.moved(byENU: offset)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        fix.horizontalSigmaMeters = 2.5
        return fix
    }

    @Test(arguments: [Vector3(30, 0, 0), Vector3(0, 30, 0), Vector3(-24, 18, 0)])
    func aConfirmedPlaceIsTakenWithTheErrorThatIsStated(offset: Vector3) {
        // GIVEN a vehicle at rest whose place is known to 20 m, an error of the receiver that is held for 10 m, and
        // three fixes that lie 30 m away and were refused
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 103_000_000_000), position: Self.place, velocityENU: .zero,
            sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.position, variance: 400)
        filter.covariance.restart(.gnssBias, variance: 100)
        filter.covariance.restart(.antennaArm, variance: 0)
        filter.state.gnssBiasENU = Vector3(3, -4, 0)
        for second in Int64(100)...102 { filter.noteRejection(of: fix(at: second, offset)) }
        // WHEN the fourth one confirms them THEN the error is as stated again, 6.11 m2 of 2.5 m that last and 0.14 m2
        // that are new, and the place takes 400 of 406.25 parts of the way, the error 6.11
        let taken = filter.fuse(fix(at: 103, offset), forceHistory: VectorHistory())
        #expect(taken && filter.reset.count == 1)
        let moved = Self.place.surfaceOffsetMeters(to: filter.state.position)
        let (share, bias) = (400 / 406.25, 6.109_375 / 406.25)
        #expect(abs(moved.east - share * offset.x) < 1e-3 && abs(moved.north - share * offset.y) < 1e-3)
        let error = filter.state.gnssBiasENU - offset * bias
        #expect(error.horizontalLength < 1e-3, "\(filter.state.gnssBiasENU)")
    }

    @Test func theMoveThatIsAnnouncedHasTheHeight() {
        // GIVEN a place known to 20 m on each axis, and three fixes 30 m away that were refused WHEN the fourth, which
        // confirms them, has a height 5 m above the filter's
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 103_000_000_000), position: Self.place, velocityENU: .zero,
            sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.position, variance: 400)
        filter.covariance.restart(.gnssBias, variance: 100)
        for second in Int64(100)...102 { filter.noteRejection(of: fix(at: second, Vector3(30, 0, 0))) }
        var last = fix(at: 103, Vector3(30, 0, 0))
        last.altitudeEllipsoidMeters = 5
        let taken = filter.fuse(last, forceHistory: VectorHistory())
        // THEN what the filter has moved up by is a part of the announced move
        let up = filter.state.position.altitudeEllipsoidMeters
        #expect(taken && up > 3 && filter.reset.count == 1)
        #expect(abs(filter.reset.deltaENU.z - up) < 1e-9, "\(filter.reset.deltaENU.z) \(up)")
    }
}
