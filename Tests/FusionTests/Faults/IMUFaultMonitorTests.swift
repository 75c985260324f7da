import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The slip of the wheels as a witness against the gyro.
@Suite struct IMUFaultMonitorTests {
    private static let (slipHertz, fixHertz) = (5, 1)

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Runs a doubt with velocities that agree once a second, from one time to another; the first time at which it
    /// rises.
    private func firstDoubt(
        _ doubt: inout IMUFaultMonitor, from begin: Double, to end: Double,
        velocity: ((Double) -> SIMD2<Double>?)? = nil,
        slip: (Double) -> Double?
    ) -> Double? {
        for k in Int(begin * Double(Self.slipHertz))..<Int(end * Double(Self.slipHertz)) {
            let seconds = Double(k) / Double(Self.slipHertz)
            if k % (Self.slipHertz / Self.fixHertz) == 0, let innovation = velocity.map({ $0(seconds) }) ?? .zero {
                if doubt.note(innovation: innovation, at: at(seconds)) { return seconds }
            }
            if let value = slip(seconds), doubt.note(slip: value, at: at(seconds)) { return seconds }
        }
        return nil
    }

    /// One whose settling after the first velocity is over.
    private func settled() -> IMUFaultMonitor {
        var doubt = IMUFaultMonitor()
        _ = firstDoubt(&doubt, from: 0, to: 12) { _ in 0 }
        return doubt
    }

    @Test func aSlipThatLastsRaisesDoubtInAboutASecond() throws {
        var doubt = settled()
        let raised = try #require(firstDoubt(&doubt, from: 12, to: 20) { _ in 3 })
        // 3 (1 - 0.8^k) > 1.6 from the fourth reading on.
        #expect(raised < 13)
    }

    @Test func noiseAndBumpsRaiseNone() {
        // GIVEN normal noise for an hour, and a bump of five sigmas to either side every ten seconds
        var (doubt, random) = (settled(), RandomSource(seed: 4))
        let raised = firstDoubt(&doubt, from: 12, to: 3612) { seconds in
            let isBump = Int(seconds * 5) % 50 < 2
            return isBump ? (Int(seconds) % 20 < 10 ? 5 : -5) : 0.5 * random.gaussian()
        }
        #expect(raised == nil)
    }

    @Test func whatWasAMinuteAgoIsForgotten() {
        // GIVEN slips just below the limit WHEN nothing comes for a minute (the vehicle stands) THEN the next one
        // begins anew
        var doubt = settled()
        _ = firstDoubt(&doubt, from: 12, to: 20) { _ in 1.55 }
        _ = firstDoubt(&doubt, from: 20, to: 80) { _ in nil }
        let raised = doubt.note(slip: 3, at: at(80))
        #expect(!raised, "one reading is no second")
    }

    @Test func withoutVelocitiesTheWheelsProveNothing() {
        // GIVEN no velocity for a minute, and for ten seconds after the next THEN no slip counts
        var doubt = settled()
        let without = firstDoubt(&doubt, from: 12, to: 72, velocity: { $0 < 13 ? .zero : nil }) { $0 < 15.4 ? 0 : 3 }
        let settling = firstDoubt(&doubt, from: 72, to: 81.8) { _ in 3 }
        #expect(without == nil && settling == nil)
    }

    @Test func aVelocityThatGoesOffAtOnceTakesTheWheelsWithIt() {
        // GIVEN a velocity that is eight sigmas off from one fix to the next, and wheels that slip by as much THEN it
        // is the receiver's for three seconds
        var doubt = settled()
        let raised = firstDoubt(&doubt, from: 12, to: 15, velocity: { $0 < 12.5 ? .zero : SIMD2(8, 0) }) {
            $0 < 13 ? 0 : 3
        }
        #expect(raised == nil)
    }
}
