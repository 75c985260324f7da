import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What a veto of the receiver and rejected fixes add to the sigma of the position.
@Suite struct PositionDoubtTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0)

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A filter at rest whose last fix was taken 10 s ago.
    private static func filter() -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(time: time(0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        filter.lastFixTime = time(0)
        filter.state.time = time(10)
        return filter
    }

    /// A fix at a place without a velocity.
    private static func fix(at seconds: Double, _ place: GeodeticPosition) -> GnssFix {
        var fix = GnssFix(validityTime: time(seconds), arrivalTime: time(seconds), mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        return fix
    }

    /// The doubt about east and north after so many rejected fixes 40 m to the east and 30 m to the north, half a
    /// second apart.
    private func doubt(_ filter: NavigationFilter, rejected count: Int) -> Vector3 {
        var filter = filter
        let observed = Self.place.moved(byENU: Vector3(40, 30, 0))
        for number in 0..<count { filter.noteRejection(of: Self.fix(at: 8 + 0.5 * Double(number), observed)) }
        return filter.fixEvidence.doubt
    }

    @Test func fixesThatAgreeWithEachOtherAreDoubtAsSoonAsTheyAreConfirmed() {
        // GIVEN a receiver that is trusted WHEN its fixes are rejected THEN the third one, after a second, makes a
        // doubt of half a metre a second since the last fix, and of half the way to them, and none before
        #expect(doubt(Self.filter(), rejected: 0) == .zero && doubt(Self.filter(), rejected: 2) == .zero)
        #expect((doubt(Self.filter(), rejected: 3) - Vector3(25, 20, 0)).length < 0.01)
        // AND there is none before any fix was taken
        var young = Self.filter()
        young.lastFixTime = nil
        #expect(doubt(young, rejected: 3) == .zero)
    }

    @Test(arguments: [true, false]) func theWayThatIsDrivenWithoutAFixIsNoDoubt(isContradicted: Bool) {
        // GIVEN three fixes that were rejected, or that contradict the filter's speed, 40 m to the east and 30 m to the
        // north WHEN no fix comes in a tunnel of 2 km THEN half of the way to them when they came is in doubt, and not
        // a kilometre
        var filter = Self.filter()
        for second in 0..<4 where isContradicted {
            filter.gnssIntegrity.note(
                agrees: false, speedContradicts: true, speed: 9, wheelsTurn: true, at: Self.time(Double(second)))
        }
        let observed = Self.place.moved(byENU: Vector3(40, 30, 0))
        for number in 0..<3 { filter.noteRejection(of: Self.fix(at: 8 + 0.5 * Double(number), observed)) }
        filter.state.move(byENU: Vector3(2000, 0, 0))
        let doubt = filter.fixEvidence.doubt
        #expect((doubt - Vector3(25, 20, 0)).length < 0.01, "\(doubt)")
    }

    @Test func aVetoIsDoubtAsLongAsItLasts() {
        // GIVEN a receiver that repeats one position while it moves THEN the doubt is half a metre a second
        var stuck = Self.filter()
        for second in 0..<10 {
            var fix = Self.fix(at: Double(second), Self.place)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
            _ = stuck.gnssIntegrity.isStuck(fix)
        }
        #expect(stuck.gnssIntegrity.verdict == .stuck)
        #expect(doubt(stuck, rejected: 0) == Vector3(5, 5, 0) && doubt(stuck, rejected: 1) == Vector3(5, 5, 0))
    }

    @Test func aContradictedReceiverMayBeRight() {
        // GIVEN a receiver whose speed is not the filter's THEN half the way to it is in doubt from the first fix on
        // that was rejected
        var contradicted = Self.filter()
        for second in 0..<4 {
            contradicted.gnssIntegrity.note(
                agrees: false, speedContradicts: true, speed: 9, wheelsTurn: true, at: Self.time(Double(second)))
        }
        #expect(contradicted.gnssIntegrity.verdict == .contradicted)
        #expect(doubt(contradicted, rejected: 0) == Vector3(5, 5, 0))
        #expect((doubt(contradicted, rejected: 1) - Vector3(25, 20, 0)).length < 0.01)
    }
}
