import Glibc
import Testing

@testable import Fusion

/// When scale and lag of the wheels are found.
@Suite struct WheelLagSearchTests {
    /// How a search has ended.
    private struct End {
        /// Time that the readings stood for, seconds.
        var seconds = 0.0
        /// What was found; `nil` where no lag explains the readings.
        var found: WheelLagSearch.Result?
    }

    /// The end of a search of readings that are 0.3 s late, eight a second, over a minute and a third; `nil` without.
    ///
    /// - Parameters:
    ///   - swing: of the true speed about 10 m/s, m/s.
    ///   - period: of the swing, seconds.
    ///   - scale: true over stated speed.
    ///   - noise: of the readings, up and down in turn, m/s.
    private func end(swing: Double = 3, period: Double = 8, scale: Double = 1, noise: Double = 0) -> End? {
        func speed(_ t: Double) -> Double { 10 + swing * sin(2 * .pi * t / period) }
        var search = WheelLagSearch()
        for k in 0..<640 {
            let now = Double(k) * 0.125
            var speeds = InlineArray<31, Double>(repeating: 0)
            for lag in 0..<31 { speeds[lag] = speed(now - 0.05 * Double(lag)) }
            let reading = speed(now - 0.3) / scale + (k % 2 == 0 ? -noise : noise)
            search.add(reading, seconds: 0.125, variance: 0.02, speeds: speeds)
            switch search.outcome {
            case .searching: continue
            case .misfit: return End(seconds: search.seconds)
            case .found(let result): return End(seconds: search.seconds, found: result)
            }
        }
        return nil
    }

    @Test func clearChangesOfTheSpeedAreFoundInFiveSeconds() throws {
        // GIVEN a speed that changes by several metres a second THEN scale and lag are found after 5 s, with 2 % of the
        // scale, and a lag that is known to half of a step of 0.05 s and what the readings leave
        let ended = try #require(end())
        let found = try #require(ended.found)
        #expect(ended.seconds == 5)
        #expect(abs(found.scale - 1) < 1e-4 && abs(found.scaleVariance.squareRoot() - 0.02) < 1e-5)
        #expect(abs(found.lagSeconds - 0.3) < 0.001 && abs(found.lagVariance.squareRoot() - 0.015_47) < 1e-4)
    }

    @Test(arguments: [(0.6, 8, 5.25), (0.4, 8, 8.125), (0.2, 8, 30), (0.4, 60, 30), (0.3, 60, 33.125)])
    func faintChangesTakeLonger(swing: Double, period: Double, seconds: Double) throws {
        // GIVEN a speed that changes less THEN it takes until the lag is known to 0.1 s, or 30 s, and the sum of the
        // squares of the changes is a hundred times the variance of a reading
        let ended = try #require(end(swing: swing, period: period))
        #expect(ended.seconds == seconds && ended.found != nil)
    }

    @Test func aShortLagIsMoreLikely() throws {
        // GIVEN a speed that hardly changes THEN the lag is drawn from 0.3 s towards none, as most lags are short
        let found = try #require(end(swing: 0.2)?.found)
        #expect(abs(found.lagSeconds - 0.264_9) < 0.001 && abs(found.lagVariance.squareRoot() - 0.103_1) < 0.001)
    }

    @Test func aSteadySpeedTellsNoLag() {
        #expect(end(swing: 0) == nil)
        #expect(end(swing: 0.05) == nil)
    }

    @Test(arguments: [0.2, 0.5, 1]) func aSlowReadingIsNoMoreThanOne(seconds: Double) throws {
        // GIVEN 31 readings, 0.3 s late, that stand for a fifth of a second each, or for more WHEN the speed changes by
        // 0.6 m/s about 10 m/s
        func speed(_ t: Double) -> Double { 10 + 0.6 * sin(2 * .pi * t / 8) }
        var search = WheelLagSearch()
        for k in 0..<31 {
            var speeds = InlineArray<31, Double>(repeating: 0)
            for lag in 0..<31 { speeds[lag] = speed(Double(k) - 0.05 * Double(lag)) }
            search.add(speed(Double(k) - 0.3), seconds: seconds, variance: 0.02, speeds: speeds)
        }
        guard case .found(let result) = search.outcome else {
            Issue.record("\(search.outcome)")
            return
        }
        // THEN the lag is known as well as 31 errors leave it: it was known twice as well where they stood for a second
        #expect(abs(result.lagVariance.squareRoot() - 0.077_17) < 1e-4, "\(result)")
        #expect(abs(result.lagSeconds - 0.280_65) < 1e-4, "\(result)")
    }

    @Test(arguments: [(0.19, false), (0.21, true), (4.9, true), (5.1, false)])
    func aScaleIsThatOfAUnit(scale: Double, isFound: Bool) throws {
        // GIVEN wheels in another unit THEN a scale of 0.2 to 5 is found, and any other is none
        let ended = try #require(end(scale: scale))
        #expect((ended.found != nil) == isFound && ended.seconds == 5)
    }

    @Test(arguments: [(0.13, true), (0.15, false)]) func readingsThatScatterAreNoWheels(noise: Double, isFound: Bool)
        throws
    {
        // GIVEN readings that scatter THEN from the standard deviation that they may have on no lag explains them
        let ended = try #require(end(noise: noise))
        #expect((ended.found != nil) == isFound)
    }

    @Test(arguments: [(1.99, false), (2, true)]) func readingsWithoutAnyLikenessAreNoWheels(
        speed: Double, isMisfit: Bool
    ) {
        // GIVEN readings of a vehicle that stands, and a reading of nothing while it moves, for 5 s, whose variance is
        // 1 THEN no lag explains them from a mean square of 1 on: that of 2 m/s for 1.25 s of the 5 s
        var search = WheelLagSearch()
        for _ in 0..<30 { search.add(8, seconds: 0.125, variance: 1, speeds: InlineArray(repeating: 0)) }
        for _ in 0..<10 { search.add(0, seconds: 0.125, variance: 1, speeds: InlineArray(repeating: speed)) }
        switch search.outcome {
        case .searching: #expect(!isMisfit)
        case .misfit: #expect(isMisfit)
        case .found(let result): Issue.record("\(result)")
        }
    }

    @Test(arguments: [([10.5], 1.0), ([10.5, 10.7], 0), ([], 1)] as [([Double], Double)])
    func aStepOfAFastBusIsBetweenRepeatedSpeedsWithOneOtherBetween(others: [Double], step: Double) {
        // GIVEN speeds that come a hundredth of a second apart, and may be means WHEN one is repeated, and after some
        // others another one, 1 m/s more THEN the step between both is that of the speeds, where no more than one is
        // between them, the mean across the step (eq. 5.19)
        var resolution = WheelResolution()
        for reading in [10, 10] + others + [11, 11] { resolution.update(reading, seconds: 0.01) }
        #expect(resolution.step == step)
    }
}
