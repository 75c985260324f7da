import Foundation
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When a body is taken to rest.
@Suite struct StillnessDetectorTests {
    /// When the body is taken to rest, of 20 seconds with a rate of turn about the vertical, rad/s: the begin of each
    /// time.
    private func rests(_ rate: (Double) -> Double) -> [Double] { spans(rate: rate, force: { _ in 0 }).map(\.begin) }

    /// The times of rest of 20 seconds with a rate of turn about the vertical, rad/s, and a forward force, m/s2.
    private func spans(rate: (Double) -> Double, force: (Double) -> Double) -> [(begin: Double, end: Double)] {
        var (stillness, spans, was) = (StillnessDetector(), [(begin: Double, end: Double)](), false)
        for k in 0..<2000 {
            let seconds = Double(k) * 0.01
            stillness.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                    angularRateRadiansPerSecond: Vector3(0, 0, rate(seconds)),
                    specificForceMetersPerSecondSquared: Vector3(force(seconds), 0, 9.81)))
            if stillness.isStill, !was { spans.append((seconds, seconds)) }
            if stillness.isStill { spans[spans.count - 1].end = seconds }
            was = stillness.isStill
        }
        return spans
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

    @Test func aGentleDepartureEndsTheRest() throws {
        // GIVEN a vehicle that stands for 10 s and then accelerates by up to 0.5 m/s2, within 2 s, as evenly as a car
        // on a hill; the spread of that is 0.2 m/s2 at most
        let spans = spans(rate: { _ in 0 }, force: { 0.25 * min(max($0 - 10, 0), 2) })
        // THEN the rest ends when half a second's mean is 0.15 m/s2 ahead of the slow one, at 0.25 m/s2 within 2 s
        try #require(!spans.isEmpty)
        #expect(spans[0].begin < 1 && spans[0].end > 10 && spans[0].end < 12, "\(spans)")
        // AND none begins before the acceleration has lasted so long that it looks like a slope
        #expect(spans.count == 1 || spans[1].begin > 13, "\(spans)")
    }

    @Test func theBrakingBeforeAStopDelaysNoRest() throws {
        // GIVEN a vehicle that brakes by 2 m/s2 and stands from the tenth second on
        let spans = spans(rate: { _ in 0 }, force: { (2..<10).contains($0) ? -2 - 0.6 * sin(20 * $0) : 0 })
        // THEN it rests when the spread is down to 0.3 m/s2, and has been for 0.7 s; the slow mean is down to 0.15 m/s2
        // only then, and a rest that waited for it would begin after 14.5 s
        let last = try #require(spans.last)
        #expect(last.begin > 11 && last.begin < 14.2, "\(spans)")
        #expect(last.end > 19.9, "\(spans)")
    }

    @Test(arguments: [(0.28, 0.0, true), (0.32, 0, false), (0, 0.056, true), (0, 0.064, false)], 0..<3)
    func vibrationEndsARest(vibration: (force: Double, rate: Double, rests: Bool), axis: Int) {
        // GIVEN five seconds of vibration along or about any axis, of a force, m/s2, or a rate of turn, rad/s THEN the
        // body rests below 0.3 m/s2 and 0.06 rad/s
        var stillness = StillnessDetector()
        for k in 0..<500 {
            let sign = k % 2 == 0 ? 1.0 : -1
            var (rate, force) = (Vector3.zero, Vector3(0, 0, 9.81))
            rate[axis] += sign * vibration.rate
            force[axis] += sign * vibration.force
            stillness.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: rate,
                    specificForceMetersPerSecondSquared: force))
        }
        #expect(stillness.isStill == vibration.rests)
    }

    @Test(arguments: [(Int64(190), true), (210, false)]) func whatWasNotSeenIsNotKnownToBeQuiet(
        milliseconds: Int64, rests: Bool
    ) {
        // GIVEN a body at rest WHEN samples are missing for a fifth of a second or more THEN its rest begins anew, with
        // a tenth of a second, which is the most that one sample counts
        var stillness = StillnessDetector()
        func update(_ milliseconds: Int64) {
            stillness.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81)))
        }
        for k in Int64(0)...100 { update(k * 10) }
        #expect(stillness.isStill)
        update(1000 + milliseconds)
        #expect(stillness.isStill == rests)
        if !rests { #expect(stillness.quietSeconds == 0.1) }
    }

    @Test(arguments: 0..<3) func theSpreadIsThatOfAllAxes(axis: Int) {
        // GIVEN five seconds of a force that shakes by 0.2 m/s2 along one axis, or along all THEN that is its spread,
        // or sqrt(3) times as much
        func spread(_ shaken: Vector3) -> Double {
            var stillness = StillnessDetector()
            for k in 0..<500 {
                stillness.update(
                    InertialSample(
                        time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81) + (k % 2 == 0 ? shaken : -shaken)))
            }
            return stillness.spread
        }
        var along = Vector3.zero
        along[axis] = 0.2
        #expect(abs(spread(along) - 0.2) < 1e-3)
        #expect(abs(spread(Vector3(repeating: 0.2)) - 0.346_4) < 1e-3)
    }

    @Test(arguments: [(0.009_5, true), (0.010_5, false)]) func aTurnThatGrowsByAHundredthASecondEndsTheRest(
        growth: Double, rests: Bool
    ) throws {
        // GIVEN a rate of turn that grows evenly from the second second on, rad/s2 THEN the slow mean, a second behind
        // that of half a second, differs by as much, and the rest ends from 0.01 rad/s on
        let spans = spans(rate: { growth * max($0 - 2, 0) }, force: { _ in 0 })
        try #require(spans.count == 1)
        #expect(spans[0].begin < 1 && (spans[0].end > 19.9) == rests && (rests || spans[0].end < 8), "\(spans)")
    }
}
