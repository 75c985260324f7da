import PoseMath
import Testing

@testable import Fusion

/// From where on the IMU is blamed, and for how long.
@Suite struct IMUFaultLimitTests {
    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A monitor after velocities that agree, one each second from 0 to 12 s: its settling is over.
    private func settled() -> IMUFaultMonitor {
        var monitor = IMUFaultMonitor()
        for second in 0...12 { _ = monitor.note(innovation: .zero, at: at(Double(second))) }
        return monitor
    }

    /// Which of the innovations, from 1 on, is a fault; `nil` where none is. They are in sigmas, east and north.
    private func fault(
        _ innovations: [SIMD2<Double>], from begin: Double = 13, every interval: Double = 1
    ) -> Int? {
        var monitor = settled()
        for (index, innovation) in innovations.enumerated() {
            if monitor.note(innovation: innovation, at: at(begin + Double(index) * interval)) { return index + 1 }
        }
        return nil
    }

    /// The same of innovations to the east.
    private func fault(east sizes: [Double], from begin: Double = 13, every interval: Double = 1) -> Int? {
        fault(sizes.map { SIMD2($0, 0) }, from: begin, every: interval)
    }

    @Test(arguments: [(3.9, 3), (2.9, 3), (2.7, 4), (2.25, 8), (2.15, nil)] as [(Double, Int?)])
    func velocitiesThatStayOffAreAFault(size: Double, expected: Int?) {
        // GIVEN velocities that leave the prediction by so many sigmas, one a second THEN the mean, of which each takes
        // 0.4, exceeds 2.2 sigmas: with the third at the earliest, and never below that
        #expect(fault(east: Array(repeating: size, count: 40)) == expected)
    }

    @Test func fastVelocitiesCountForTheirTime() {
        // GIVEN the same five times a second THEN the mean takes 0.2 of each
        #expect(fault(east: Array(repeating: 3.9, count: 9), from: 12.2, every: 0.2) == 4)
        // AND ten times a second half of that
        #expect(fault(east: Array(repeating: 3.9, count: 30), from: 12.1, every: 0.1) == 8)
        // AND of six sigmas, twenty times a second, it exceeds 2.2 with the tenth, but twelve of those are like three
        // of a slower receiver
        #expect(fault(east: [3.9] + Array(repeating: 6, count: 20), from: 12.05, every: 0.05) == 12)
    }

    @Test func aVelocityWithinOneAndAHalfSigmasEndsTheRun() {
        // GIVEN velocities that stay off, and one between them that nearly fits, or does not
        #expect(fault(east: [3.9, 3.9, 1.4, 3.9]) == nil)
        #expect(fault(east: [3.9, 3.9, 1.6, 3.9]) == 4)
    }

    @Test func aVelocityThatJumpsByFourSigmasIsTheReceiversForThreeSeconds() {
        // GIVEN a velocity that is off by more than four sigmas at once, and stays THEN it counts after 3 s
        #expect(fault(east: Array(repeating: 4.1, count: 9)) == 7)
        // AND WHEN it jumps from one side to the other THEN it must lie three sigmas off to be one
        #expect(fault(east: [-1.9] + Array(repeating: 2.9, count: 9)) == 5)
        #expect(fault(east: [-1.9] + Array(repeating: 3.1, count: 9)) == 8)
    }

    @Test func whatHasGrownMayGrowByEightSigmas() {
        // GIVEN a mean of 1.2 sigmas and more, to which a velocity adds up to eight THEN that is no jump
        #expect(fault(east: [3.9, 11.8, 11.8]) == 3)
        #expect(fault(east: [3.9, 12, 12]) == nil)
        // AND below that mean four are one
        #expect(fault(east: [2.9, 7, 7]) == nil)
        #expect(fault(east: [3.1, 7.3, 7.3]) == 3)
    }

    @Test func oneVelocityCountsForSixSigmasAtMost() {
        // GIVEN one that is 11 sigmas off, between others THEN the mean is 3.34 after it, and 2.10 after the next one
        #expect(fault([SIMD2(3.9, 0), SIMD2(11, 0), SIMD2(0, 1.6)]) == nil)
        #expect(fault([SIMD2(3.9, 0), SIMD2(11, 0), SIMD2(0, 2.4)]) == 3)
    }

    @Test func afterAGapOfTwoAndAHalfSecondsItSettlesForTen() {
        // GIVEN velocities that stay off, the first of them after a gap THEN they count at once, or from 10 s on
        let off = Array(repeating: 3.9, count: 20)
        #expect(fault(east: off, from: 14.4) == 3)
        #expect(fault(east: off, from: 14.6) == 13)
    }

    @Test func whatWasOffBeforeAGapDoesNotCountAfterIt() {
        // GIVEN two velocities that are off, as they end in front of a tunnel of a minute, where another one would be a
        // fault WHEN the first one after the tunnel that counts is off, too THEN it is alone
        for begin in [15.0, 84] {
            var monitor = settled()
            for second in [13.0, 14] { _ = monitor.note(innovation: SIMD2(3.9, 0), at: at(second)) }
            for second in 74..<84 where begin == 84 { _ = monitor.note(innovation: .zero, at: at(Double(second))) }
            let isFault = monitor.note(innovation: SIMD2(2, 0), at: at(begin))
            #expect(isFault == (begin == 15))
        }
    }

    @Test(arguments: [([3.9, 3.9], 2), ([2.0, 2.0], 2), ([1.6, 1.6, 1.6], 3)])
    func twoVelocitiesThatDeviateAreGrowing(sizes: [Double], expected: Int) {
        // GIVEN velocities that stay off THEN they grow from the second one on, where the mean is 1.1 sigmas
        var monitor = settled()
        let growing = sizes.enumerated().map { index, size in
            _ = monitor.note(innovation: SIMD2(size, 0), at: at(13 + Double(index)))
            return monitor.isGrowing
        }
        #expect(growing.firstIndex(of: true) == expected - 1)
    }

    @Test func fastVelocitiesThatDeviateGrowNoSooner() {
        // GIVEN velocities that stay off, twenty times a second THEN the mean exceeds 1.1 sigmas with the sixth, and
        // they grow from the eighth on, as from the second of a slow receiver
        var monitor = settled()
        let growing = (0..<10).map { index in
            _ = monitor.note(innovation: SIMD2(index == 0 ? 3.9 : 6, 0), at: at(12.05 + 0.05 * Double(index)))
            return monitor.isGrowing
        }
        #expect(growing.firstIndex(of: true) == 7)
    }

    /// After which of the intervals of a sixteenth of a second a lateral acceleration is a fault, m/s2.
    private func fault(lateral: Double, expected: Double) -> Int? {
        var monitor = settled()
        return (1...60).first { step in
            let seconds = 20 + 0.0625 * Double(step)
            return monitor.note(lateral: lateral, expected: expected, seconds: 0.0625, at: at(seconds))
        }
    }

    @Test func aLateralAccelerationThatNoTurnExplainsIsAFault() {
        // GIVEN one of 2.2 m/s2 on a straight THEN its mean over half a second exceeds 1 m/s2 from the fifth interval
        // on, and has for 0.35 s with the tenth
        #expect(fault(lateral: 2.2, expected: 0) == 10)
        #expect(fault(lateral: -2.2, expected: 0) == 10)
        #expect(fault(lateral: 0.95, expected: 0) == nil)
        // AND in a turn a third of the smaller one is allowed besides: 1.9 m/s2 of 3
        #expect(fault(lateral: 6, expected: 3) == 13)
    }

    /// Which of the slips, in sigmas, at seconds after 12 s is a fault, from 1 on; the first one is none.
    private func fault(slips: [(seconds: Double, sigmas: Double)]) -> Int? {
        var monitor = settled()
        return slips.firstIndex { monitor.note(slip: $0.sigmas, at: at(12 + $0.seconds)) }
    }

    @Test func aSlipCountsForThreeSigmasAtMost() {
        // GIVEN slips of ten sigmas THEN the mean over a second exceeds 1.6 with the fourth, as with three
        #expect(fault(slips: [(0, 0), (0.2, 10), (0.4, 10), (0.6, 10), (0.8, 10), (1, 10)]) == 4)
    }

    @Test func slipsHalfASecondApartBeginAnew() {
        // GIVEN three slips of three sigmas, and a fourth 0.4 or 0.6 s after THEN only the former is one of them
        #expect(fault(slips: [(0, 0), (0.2, 3), (0.4, 3), (0.6, 3), (1, 3)]) == 4)
        #expect(fault(slips: [(0, 0), (0.2, 3), (0.4, 3), (0.6, 3), (1.2, 3)]) == nil)
    }

    @Test func fiveTurnsInARowAtRestAreAFaultForTwentySeconds() {
        // GIVEN a gyro that seems to turn at rest four times, and then once does not WHEN it does five times in a row
        var monitor = IMUFaultMonitor()
        let turns = [true, true, true, true, false, true, true, true, true, true]
        let raised = turns.enumerated().map { index, turns in
            monitor.note(turnsAtRest: turns, at: at(0.2 * Double(index)))
        }
        // THEN the fifth, at 1.8 s, is a fault, for 20 s
        #expect(raised == Array(repeating: false, count: 9) + [true])
        #expect(monitor.isFaultActive(at: at(21.79)) && !monitor.isFaultActive(at: at(21.81)))
        // AND a second one in that time is the same fault
        let again = (10..<20).map { monitor.note(turnsAtRest: true, at: at(0.2 * Double($0))) }
        #expect(!again.contains(true))
    }

    @Test func aVelocityThatJumpsToThreeSigmasIsNoJump() {
        // GIVEN a velocity that jumps from one side to the other, to exactly three sigmas THEN it counts at once: the
        // mean exceeds 2.2 sigmas with the fifth
        #expect(fault(east: [-1.9] + Array(repeating: 3, count: 9)) == 5)
    }

    @Test(arguments: [(1.0, false), (-1.0, false), (1.001, true), (-1.001, true)])
    func aLateralAccelerationOfAMeterPerSecondSquaredIsNone(lateral: Double, isFault: Bool) {
        // GIVEN half a second on a straight THEN more than 1 m/s2 is a fault, and no less
        var monitor = IMUFaultMonitor()
        let raised = monitor.note(lateral: lateral, expected: 0, seconds: 0.5, at: at(20))
        #expect(raised == isFault)
    }
}
