import PoseMath
import Testing

@testable import Engine

@Suite struct ProgressWatchTests {
    @Test func onlyWhatWasNotDrivenIsAJump() {
        // GIVEN steps of the progress at 20 Hz; WHEN driven at 30 m/s, corrected by some metres, lost for a while, and
        // taken up 400 m further on; THEN only the last is a jump, with its length.
        var watch = ProgressWatch()
        var time = 0.0
        func note(_ progress: Double?, after seconds: Double = 0.05, sigma: Double = 2) {
            time += seconds
            watch.note(
                progress, at: MonotonicTime(nanoseconds: Int64(time * 1e9)), speedMetersPerSecond: 30,
                sigmaENUMeters: Vector3(sigma, sigma, 9))
        }
        for k in 0..<100 { note(Double(k) * 1.5) }
        note(155)
        note(nil)
        note(155 + 30 * 10, after: 9.95)
        #expect(watch.jumpCount == 0)
        note(455 + 400)
        #expect(watch.jumpCount == 1 && abs(watch.jumpDeltaMeters - 398.5) < 1e-9)
        note(455)
        #expect(watch.jumpCount == 2 && watch.jumpDeltaMeters < -390)
        watch.forget()
        note(9000)
        #expect(watch.jumpCount == 2)
    }

    @Test(arguments: [(10.0, 1.0, 0.0, 0), (1, 10, 0, 0), (1, 1, 99, 1)])
    func theLessCertainHorizontalAxisCounts(_ east: Double, _ north: Double, _ up: Double, _ jumps: UInt32) {
        // GIVEN a vehicle at rest; WHEN its progress moves by 40 m, and one horizontal axis is known to 10 m, or only
        // the height is unknown; THEN 20 m and three sigmas contain the step, and it is a jump without them.
        var watch = ProgressWatch()
        for (second, progress) in [100.0, 140].enumerated() {
            watch.note(
                progress, at: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), speedMetersPerSecond: 0,
                sigmaENUMeters: Vector3(east, north, up))
        }
        #expect(watch.jumpCount == jumps)
    }
}
