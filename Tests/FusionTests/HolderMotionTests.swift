import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What turns a sensor in its vehicle is told from what turns the vehicle.
@Suite struct HolderMotionTests {
    private static let gravity = InertialSample.standardGravity

    /// An interval of 0.2 s.
    private static func interval(
        rate: Vector3, force: Vector3 = Vector3(0, 0, gravity), speed: Double = 10
    ) -> HolderMotion.Interval {
        HolderMotion.Interval(seconds: 0.2, rate: rate, force: force, speed: speed)
    }

    /// The force of a vehicle at rest, by a sensor whose holder has turned by an angle about the vehicle's axis
    /// forward.
    private static func force(rolledBy angle: Double) -> Vector3 {
        Quaternion(rotationVector: Vector3(angle, 0, 0)).inverse.rotate(Vector3(0, 0, gravity))
    }

    // Radius 2 m, or gravity across, and 0.3 rad/s: at rest 0.3, at 2 m/s 1.3, at 10 m/s 1.28 rad/s.
    @Test(arguments: [(0, 0.3), (2, 1.3), (4, 2.3), (10, 1.280_665), (20, 0.790_332)])
    func aTurnThatCannotBeSteeredIsTheHolders(speed: Double, limit: Double) {
        // GIVEN a turn to either side, as sharp as can be steered, or sharper
        for side in [1.0, -1.0] {
            var holder = HolderMotion()
            let possible = Self.interval(rate: Vector3(0, 0, side * limit * 0.999_99), speed: speed)
            // THEN the one is the vehicle's, for as long as it lasts
            for _ in 0..<20 { #expect(holder.turn(in: possible) == nil) }
            // AND the other the holder's, as far as it goes in the interval
            let impossible = Self.interval(rate: Vector3(0, 0, side * limit * 1.000_1), speed: speed)
            let turn = holder.turn(in: impossible)
            #expect(abs((turn?.z ?? 0) - side * limit * 1.000_1 * 0.2) < 1e-12)
            // AND it ends with it
            #expect(holder.turn(in: possible) == nil)
        }
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
        // AND it goes on while it turns by more than 0.2 rad/s
        #expect(holder.turn(in: Self.interval(rate: Vector3(0.15, -0.14, 0))) != nil)
        #expect(holder.turn(in: Self.interval(rate: Vector3(0.15, -0.13, 0))) == nil)
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
