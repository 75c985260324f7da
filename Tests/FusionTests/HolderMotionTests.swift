import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What turns a sensor in its vehicle is told from what turns the vehicle.
@Suite struct HolderMotionTests {
    private static let gravity = InertialSample.standardGravity

    /// An interval of 0.2 s.
    private static func interval(
        rate: Vector3, force: Vector3 = Vector3(0, 0, gravity), lateral: Double = 0, speed: Double = 10,
        speedAllowance: Double = 0, end: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) -> HolderMotion.Interval {
        HolderMotion.Interval(
            seconds: 0.2, end: end, rate: rate, force: force, lateral: lateral, speed: speed,
            speedAllowance: speedAllowance)
    }

    /// Whether a turn about the vertical is the holder's, whose lateral acceleration is a share of that of a vehicle.
    private static func isHolders(
        rate: Double, speed: Double, share: Double, speedAllowance: Double = 0
    ) -> Bool {
        var holder = HolderMotion()
        return holder.turn(
            in: interval(
                rate: Vector3(0, 0, rate), lateral: share * rate * max(speed, 1), speed: speed,
                speedAllowance: speedAllowance)) != nil
    }

    /// The force of a vehicle at rest, by a sensor whose holder has turned by an angle about the vehicle's axis
    /// forward.
    private static func force(rolledBy angle: Double) -> Vector3 {
        Quaternion(rotationVector: Vector3(angle, 0, 0)).inverse.rotate(Vector3(0, 0, gravity))
    }

    // Radius 2 m, or gravity across, and 0.2 rad/s: at rest 0.2, at 2 m/s 1.2, at 10 m/s 1.18 rad/s.
    @Test(arguments: [(0, 0.2), (2, 1.2), (4, 2.2), (10, 1.180_665), (20, 0.690_332)])
    func aTurnThatCannotBeSteeredIsTheHolders(speed: Double, limit: Double) {
        // GIVEN a turn to either side, as sharp as can be steered, or sharper, that lateral acceleration leaves open
        for side in [1.0, -1.0] {
            var holder = HolderMotion()
            let lateral = side * 0.4 * speed * limit
            let possible = Self.interval(rate: Vector3(0, 0, side * limit * 0.999_99), lateral: lateral, speed: speed)
            // THEN the one is the vehicle's, for as long as it lasts
            for _ in 0..<20 { #expect(holder.turn(in: possible) == nil) }
            // AND the other the holder's, as far as it goes in the interval
            let impossible = Self.interval(
                rate: Vector3(0, 0, side * limit * 1.000_1), lateral: lateral, speed: speed)
            let turn = holder.turn(in: impossible)
            #expect(abs((turn?.z ?? 0) - side * limit * 1.000_1 * 0.2) < 1e-12)
            // AND it ends with it
            #expect(holder.turn(in: possible) == nil)
        }
    }

    // Half of speed times rate shows a turn of the vehicle, however sharp; a standing one is taken for 1 m/s.
    @Test(arguments: [(1.5, 1.7), (0, 0.8), (0.5, 0.8), (12, 1.5)]) func aSharpTurnThatShowsIsTheVehicles(
        speed: Double, rate: Double
    ) {
        // GIVEN a turn sharper than one can be steered WHEN the lateral acceleration is more or less than half of it
        for side in [1.0, -1.0] {
            // THEN it is the vehicle's or the holder's
            #expect(!Self.isHolders(rate: side * rate, speed: speed, share: 0.51))
            #expect(Self.isHolders(rate: side * rate, speed: speed, share: 0.49))
            #expect(Self.isHolders(rate: side * rate, speed: speed, share: -1))
        }
    }

    // 3 m/s2 must show, by the least speed that there can be.
    @Test(arguments: [
        (0.31, 10, 0, 0.29, true), (0.31, 10, 0, 0.31, false), (0.29, 10, 0, 0, false), (0.34, 10, 1, 0, true),
        (0.33, 10, 1, 0, false), (-0.31, 10, 0, 0.29, true), (-0.31, 10, 0, 0.31, false), (0.31, 10, 0, -1, true),
    ]) func aTurnThatMustShowAndDoesNotIsTheHolders(
        rate: Double, speed: Double, allowance: Double, share: Double, isHolders: Bool
    ) {
        // GIVEN a turn as of any car WHEN a share of its lateral acceleration shows THEN it is the holder's or not
        #expect(Self.isHolders(rate: rate, speed: speed, share: share, speedAllowance: allowance) == isHolders)
    }

    @Test func aTurnThatDoesNotEndIsNoHolders() {
        // GIVEN a sensor at rest that turns by 1 rad/s for ever, as after a jump of its bias
        var holder = HolderMotion()
        let turning = Self.interval(rate: Vector3(0, 0, 1), speed: 0)
        // THEN half a circle of it is the holder's, 3.5 rad, of 0.2 rad each
        for _ in 0..<17 { #expect(holder.turn(in: turning) != nil) }
        for _ in 0..<50 { #expect(holder.turn(in: turning) == nil) }
        // AND after a pause the next one again
        #expect(holder.turn(in: Self.interval(rate: .zero)) == nil)
        #expect(holder.turn(in: turning) != nil)
    }

    @Test func aTurnIsToldForAWhile() {
        // GIVEN a turn of the holder after 100 s THEN it is told for 20 s, and before it nothing is
        var holder = HolderMotion()
        let end = MonotonicTime(nanoseconds: 100_000_000_000)
        #expect(!holder.hasTurned(at: end))
        _ = holder.turn(in: Self.interval(rate: Vector3(0, 0, 1), speed: 0, end: end))
        #expect(holder.hasTurned(at: end.advanced(bySeconds: 19.9)))
        #expect(!holder.hasTurned(at: end.advanced(bySeconds: 20)))
    }

    @Test func aTiltThatGravityConfirmsIsTheHolders() throws {
        // GIVEN a holder that rolls by 0.5 rad/s for a second, and yaws as the vehicle does WHEN gravity follows
        var holder = HolderMotion()
        var total = Vector3.zero
        var first: Int?
        for k in 1...5 {
            let rate = Vector3(0.5, 0, 0.2)
            // Of what was taken for the holder's already the mount has been turned.
            let left = 0.1 * Double(k) - total.x
            guard let turn = holder.turn(in: Self.interval(rate: rate, force: Self.force(rolledBy: left))) else {
                continue
            }
            first = first ?? k
            total += turn
        }
        // THEN it begins when more than 0.26 rad are held: 0.1, 0.193, 0.280; and no yaw is taken
        #expect(first == 3)
        let fade = 1 - 0.2 / 3
        #expect(abs(total.x - (0.1 * fade * fade + 0.1 * fade + 0.1 + 0.2)) < 1e-12)
        #expect(total.y == 0 && total.z == 0)
        // AND it goes on while it turns by more than 0.1 rad/s
        #expect(holder.turn(in: Self.interval(rate: Vector3(0.08, -0.061, 0))) != nil)
        #expect(holder.turn(in: Self.interval(rate: Vector3(0.08, -0.059, 0))) == nil)
    }

    // Turned back, a force that has followed a share of the roll is off by the rest: less than half of it from two
    // thirds on.
    @Test(arguments: [(0.0, false), (0.66, false), (0.68, true), (1.0, true)])
    func aLeanIsTheVehicles(share: Double, isHolders: Bool) {
        // GIVEN a roll by 0.3 rad in an interval WHEN the force follows a share of it: of a lean nothing, of a holder
        // all THEN it is the holder's or the vehicle's
        var holder = HolderMotion()
        let turn = holder.turn(
            in: Self.interval(rate: Vector3(0.3 / 0.2, 0, 0), force: Self.force(rolledBy: share * 0.3)))
        #expect((turn != nil) == isHolders)
    }

    @Test func potholesAreNoTilt() {
        // GIVEN rolls by 1 rad/s to both sides in turn WHEN the force follows THEN none is the holder's
        var holder = HolderMotion()
        for k in 0..<50 {
            let side = k.isMultiple(of: 2) ? 1.0 : -1.0
            #expect(
                holder.turn(in: Self.interval(rate: Vector3(side, 0, 0), force: Self.force(rolledBy: 0.1 * side)))
                    == nil)
        }
    }
}
