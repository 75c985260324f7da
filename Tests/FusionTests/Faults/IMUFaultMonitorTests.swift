import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The slip of the wheels as a witness against the gyro, and the velocities of a fast receiver.
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

    /// When velocities at 20 Hz raise doubt, in seconds. Their errors are as large as stated and last for half a
    /// second, and they deviate by so many sigmas more each second.
    private func doubts(seed: UInt64, until end: Double, growth: Double = 0) -> [Double] {
        var (doubt, random, found) = (settled(), RandomSource(seed: seed), [Double]())
        let kept = 0.904_837
        let new = (1 - kept * kept).squareRoot()
        var error = SIMD2(random.gaussian(), random.gaussian())
        for k in 1...Int(end * 20) {
            let fresh = SIMD2(random.gaussian(), random.gaussian())
            error = error * kept + fresh * new
            let seconds = Double(k) / 20
            if doubt.note(innovation: error + SIMD2(growth * seconds, 0), at: at(12 + seconds)) {
                found.append(seconds)
            }
        }
        return found
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func theErrorsOfAFastReceiverRaiseNoMoreThanThoseOfASlowOne(seed: UInt64) {
        // GIVEN errors as stated, for an hour THEN the IMU is blamed for them as rarely as at five a second, 5 to 8
        // times; with each fix as much as one of those it would be a hundred times
        #expect(doubts(seed: seed, until: 3600).count < 16)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func aBiasShowsInTheVelocitiesOfAFastReceiver(seed: UInt64) throws {
        // GIVEN a bias that carries the velocity off by a sigma more each second THEN it is found within ten seconds
        let raised = try #require(doubts(seed: seed, until: 20, growth: 1).first)
        #expect(raised < 10)
    }
}
