import Foundation
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When a body is taken to rest.
@Suite struct StillnessDetectorTests {
    /// When the body is taken to rest, of 20 seconds with a rate of turn about the vertical, rad/s: the begin of each
    /// time.
    private func rests(_ rate: (Double) -> Double) -> [Double] {
        var (stillness, begins, was) = (StillnessDetector(), [Double](), false)
        for k in 0..<2000 {
            let seconds = Double(k) * 0.01
            stillness.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                    angularRateRadiansPerSecond: Vector3(0, 0, rate(seconds)),
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81)))
            if stillness.isStill, !was { begins.append(seconds) }
            was = stillness.isStill
        }
        return begins
    }

    @Test func aTurnIsForgottenSoonAfterAStop() throws {
        // GIVEN a turn of 0.33 rad/s from the second second to the tenth, and a stop
        let begins = rests { (2..<10).contains($0) ? 0.33 + 0.2 * sin(2 * .pi * $0) : 0 }
        // THEN it rests before the turn, and again when the slow mean (1 s) is down to 0.01 rad/s, after 3.6 s, and has
        // been for 0.7 s
        try #require(begins.count == 2)
        #expect(begins[0] < 1 && begins[1] > 12 && begins[1] < 15)
    }

    @Test func aTurnThatGrowsIsNoRest() {
        // GIVEN a rate that grows by 0.03 rad/s2 from the second second on: half a second's mean is ahead of the slow
        // one by 0.015 rad/s
        #expect(rests { 0.03 * max($0 - 2, 0) }.count == 1)
    }
}
