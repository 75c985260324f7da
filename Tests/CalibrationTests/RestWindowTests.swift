import Measurements
import PoseMath
import Testing

@testable import Calibration

/// Which windows of half a second are at rest, and what is made of them: each limit from both sides.
@Suite struct RestWindowTests {
    private static let gravity = Vector3(0, 0, 9.8)

    /// Samples at 100 Hz, of which `change` makes those of the second window, from 0 to 50.
    private func isStill(_ change: (Int, inout InertialSample) -> Void) -> Bool? {
        var windows = RestWindows()
        var found: [Bool] = []
        for index in 0..<102 {
            var sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(index) * 10_000_000), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Self.gravity)
            if index >= 51 { change(index - 51, &sample) }
            if let window = windows.add(sample) { found.append(window.isStill) }
        }
        return found.count == 1 ? found[0] : nil
    }

    @Test("a window at rest has its limits") func aWindowHasItsLimits() {
        // GIVEN a second window whose mean differs from the first by a little less and a little more than is rest
        for (rate, force, expected) in [
            (0.0099, 0, true), (0.0101, 0, false), (-0.0101, 0, false), (0, 0.079, true), (0, 0.081, false),
            (0, -0.081, false),
        ] as [(Double, Double, Bool)] {
            let found = isStill { _, sample in
                sample.angularRateRadiansPerSecond.x = rate
                sample.specificForceMetersPerSecondSquared.y = force
            }
            #expect(found == expected, "\(rate) rad/s, \(force) m/s2")
        }
        // AND one whose samples alternate: of 25 above and 26 below the standard deviation is 1.01 times the amplitude
        for (rate, force, expected) in [
            (0.0197, 0, true), (0.02, 0, false), (0, 0.197, true), (0, 0.2, false),
        ] as [(Double, Double, Bool)] {
            let found = isStill { index, sample in
                let sign = index % 2 == 0 ? -1.0 : 1
                sample.angularRateRadiansPerSecond.y = sign * rate
                sample.specificForceMetersPerSecondSquared.z += sign * force
            }
            #expect(found == expected, "\(rate) rad/s, \(force) m/s2")
        }
    }

    /// The windows of samples at these times, of a rate; `nil` where a sample ends none.
    private func windows(_ times: [Double], rate: Vector3 = .zero) -> [RestWindows.Window?] {
        var windows = RestWindows()
        return times.map { time in
            windows.add(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())), angularRateRadiansPerSecond: rate,
                    specificForceMetersPerSecondSquared: Self.gravity))
        }
    }

    @Test("the mean rate at rest is at most 0.35 rad/s") func theMeanRateHasItsLimit() {
        let times = (0..<102).map { Double($0) / 100 }
        for (rate, isStill) in [(0.349, true), (0.351, false)] {
            let found = windows(times, rate: Vector3(0, rate, 0)).compactMap { $0 }
            #expect(found.map(\.isStill) == [isStill] && abs((found.first?.rate.y ?? 0) - rate) < 1e-12)
            #expect(found.map(\.count) == [51])
        }
    }

    @Test("a gap ends a window without a result") func aGapEndsAWindow() {
        // GIVEN samples each 0.125 s, of which five make a window THEN the tenth ends the second window
        let times = (0..<15).map { Double($0) * 0.125 }
        #expect(windows(times).map { $0 != nil } == (0..<15).map { $0 == 9 || $0 == 14 })
        // AND one that comes a quarter of a second later is of the same window, one that comes later still begins anew
        let near = windows(times.map { $0 >= 0.75 ? $0 + 0.125 : $0 })
        #expect(near.map { $0 != nil } == (0..<15).map { $0 == 8 || $0 == 13 })
        let far = windows(times.map { $0 >= 0.75 ? $0 + 0.126 : $0 })
        #expect(far.allSatisfy { $0 == nil })
        // AND samples that come a fifth of a second apart make a window with the fourth
        #expect(windows((0..<8).map { Double($0) * 0.2 }).map { $0 != nil } == (0..<8).map { $0 == 7 })
        #expect(windows((0..<8).map { Double($0) * 0.25 }).map { $0 != nil } == (0..<8).map { $0 == 7 })
        // AND one that is not later than the one before is none
        #expect(windows(times + [1.75, 1.0]).suffix(2).allSatisfy { $0 == nil })
    }

    /// A gyro at rest with a sample each 0.125 s, for some windows of five of them with a rate each; the first one has
    /// none before it.
    private func gyro(_ rates: [Double]) -> GyroBiasCollector {
        var collector = GyroBiasCollector()
        for index in 0..<((rates.count + 1) * 5) {
            let rate = rates[max(index / 5 - 1, 0)]
            collector.add(.imu(Double(index) * 0.125, rate: Vector3(rate, 0, 0), force: Self.gravity))
        }
        return collector
    }

    @Test("an hour of rest is kept") func anHourOfRestIsKept() {
        let report = gyro(Array(repeating: 0.01, count: 7203)).report()
        #expect(report.checks.first { $0.name == "time at rest" }?.value == 3600)
    }

    @Test("windows that differ from the median are left out") func windowsOfATurnAreLeftOut() throws {
        // GIVEN a rest of which some windows differ by a little less and a little more than 0.005 rad/s from the rest
        for (difference, seconds) in [(0.0049, 35.0), (0.0051, 30), (-0.0051, 30)] {
            let report = gyro(Array(repeating: 0.01, count: 60) + Array(repeating: 0.01 + difference, count: 10))
                .report()
            // THEN the second is no rest
            #expect(report.checks.first { $0.name == "time at rest" }?.value == seconds, "\(difference)")
        }
    }

    @Test("the sigma of a bias needs two windows") func theSigmaNeedsTwoWindows() throws {
        func sigma(_ rates: [Double]) throws -> Double {
            try #require(gyro(rates).report().checks.first { $0.name == "sigma of the bias" }).value
        }
        #expect(try sigma([0.01]) == .infinity)
        // Of two that differ by 0.002 rad/s the deviation is that over the root of two, the mean's sigma half of it.
        #expect(abs(try sigma([0.01, 0.012]) - 0.001 * 180 / .pi) < 1e-9)
    }

    @Test("motion is told while it lasts, and counted") func motionIsTold() {
        // GIVEN a gyro that rests, is turned, and rests again THEN the advice follows, and the time of motion is noted
        var collector = gyro(Array(repeating: 0, count: 4))
        #expect(collector.progress.advice == "leave it still: 28 s more")
        for index in 25..<35 {
            collector.add(.imu(Double(index) * 0.125, rate: Vector3(1, 0, 0), force: Self.gravity))
        }
        #expect(collector.progress.advice == "the sensor moves: lay it down, and do not touch it")
        #expect(collector.report().notes == ["1.0 s in which the sensor moved were left out"])
        for index in 35..<45 { collector.add(.imu(Double(index) * 0.125, rate: .zero, force: Self.gravity)) }
        #expect(collector.progress.advice == "leave it still: 28 s more")
        #expect(collector.report().notes == ["1.5 s in which the sensor moved were left out"])
    }

    @Test("gravity is judged after two seconds of rest") func gravityNeedsTwoSeconds() {
        // GIVEN a sensor at rest THEN the fourth window after the first gives the length, and another 0.8 m/s2 from
        // standard gravity on contradicts it
        for (length, isContradicted) in [
            (9.80665 + 0.799, false), (9.80665 + 0.801, true), (9.80665 - 0.799, false), (9.80665 - 0.801, true),
        ] {
            var check = GravityCheck()
            var found: [Double?] = []
            for index in 0..<25 {
                check.add(
                    InertialSample(
                        time: MonotonicTime(nanoseconds: Int64(index) * 125_000_000),
                        angularRateRadiansPerSecond: .zero,
                        specificForceMetersPerSecondSquared: Vector3(0, length, 0)))
                found.append(check.restingForce)
            }
            #expect(found.map { $0 != nil } == (0..<25).map { $0 == 24 })
            #expect(check.isContradicted == isContradicted, "\(length)")
        }
    }
}
