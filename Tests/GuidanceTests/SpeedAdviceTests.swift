import Guidance
import PoseMath
import Testing

@Suite struct SpeedAdviceTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func colour(_ speed: Double?, _ limit: SpeedLimit) -> SpeedColour {
        var advice = SpeedAdvice()
        return advice.update(time: time(0), speedMetersPerSecond: speed, limit: limit, source: .route).colour
    }

    @Test func thresholdsBelongToOrange() {
        let fifty = SpeedLimit.kilometersPerHour(50)
        #expect(colour(13.8, fifty) == .blue)
        #expect(colour(14.0, fifty) == .orange)
        #expect(colour(15.27, fifty) == .orange)
        #expect(colour(15.3, fifty) == .red)
        // Exactly at the limit and at 110 % of it, also for limits that are not round in m/s.
        for kilometersPerHour in [10.0, 30, 50, 70, 80, 90, 100, 110, 120, 130] {
            let limit = SpeedLimit.kilometersPerHour(kilometersPerHour)
            #expect(colour(kilometersPerHour / 3.6, limit) == .orange)
            #expect(colour(kilometersPerHour * 1.1 / 3.6, limit) == .orange)
            #expect(colour((kilometersPerHour - 0.01) / 3.6, limit) == .blue)
            #expect(colour((kilometersPerHour * 1.1 + 0.01) / 3.6, limit) == .red)
        }
        #expect(colour(25, .kilometersPerHour(90)) == .orange)
    }

    @Test func standingIsBlueAtLimitZero() {
        #expect(colour(0, .metersPerSecond(0)) == .blue)
        #expect(colour(0.1, .metersPerSecond(0)) == .blue)
        #expect(colour(2, .metersPerSecond(0)) == .red)
        var advice = SpeedAdvice()
        #expect(
            advice.update(time: time(0), speedMetersPerSecond: 0, limit: .metersPerSecond(0), source: .route).ratio
                == nil)
    }

    @Test(arguments: [nil, -1, .nan, .infinity] as [Double?])
    func unknownSpeedHasNoColour(speed: Double?) {
        var advice = SpeedAdvice()
        let status = advice.update(
            time: time(0), speedMetersPerSecond: speed, limit: .kilometersPerHour(50), source: .route)
        #expect(status.colour == .unknown)
        #expect(status.speedMetersPerSecond == nil)
        #expect(status.ratio == nil)
        #expect(status.limitMetersPerSecond == 50 / 3.6)
    }

    @Test func unknownLimitUsesTheFallback() {
        var advice = SpeedAdvice()
        let status = advice.update(time: time(0), speedMetersPerSecond: 20, limit: .unknown, source: .none)
        #expect(status.limitMetersPerSecond == 50 / 3.6)
        #expect(status.limitSource == .fallback)
        #expect(status.colour == .red)
        var settings = SpeedAdviceSettings()
        settings.fallbackLimitMetersPerSecond = nil
        var silent = SpeedAdvice(settings: settings)
        let unknown = silent.update(
            time: time(0), speedMetersPerSecond: 20, limit: .metersPerSecond(.nan), source: .route)
        #expect(unknown.colour == .unknown)
        #expect(unknown.limitSource == .none)
    }

    @Test func unlimitedRoadIsBlue() {
        var advice = SpeedAdvice()
        let status = advice.update(time: time(0), speedMetersPerSecond: 70, limit: .unlimited, source: .route)
        #expect(status.colour == .blue)
        #expect(status.limitMetersPerSecond == nil)
        #expect(status.ratio == nil)
        #expect(status.limitSource == .route)
    }

    @Test func tableSetsTheThresholds() {
        // GIVEN orange thresholds of 3 km/h below 100 km/h and of 3 % from there, a red one of 20 km/h, and the default
        // ratios below 30 km/h
        var settings = SpeedAdviceSettings()
        settings.table = [
            SpeedThresholds(
                fromLimitMetersPerSecond: 30 / 3.6, orangeAboveMetersPerSecond: 3 / 3.6, redRatio: 1,
                redAboveMetersPerSecond: 20 / 3.6),
            SpeedThresholds(
                fromLimitMetersPerSecond: 100 / 3.6, orangeRatio: 1.03, redRatio: 1, redAboveMetersPerSecond: 20 / 3.6),
        ]
        func colour(_ speed: Double, limit: Double) -> SpeedColour {
            var advice = SpeedAdvice(settings: settings)
            return advice.update(
                time: time(0), speedMetersPerSecond: speed / 3.6, limit: .kilometersPerHour(limit), source: .route
            ).colour
        }
        // THEN each threshold belongs to orange, at the first and the last limit of a row too
        for (limit, orange, red) in [
            (20.0, 20.0, 22.0), (30, 33, 50), (50, 53, 70), (99, 102, 119), (100, 103, 120), (130, 133.9, 150),
        ] {
            #expect(colour(orange - 0.01, limit: limit) == .blue, "\(limit)")
            #expect(colour(orange, limit: limit) == .orange, "\(limit)")
            #expect(colour(red, limit: limit) == .orange, "\(limit)")
            #expect(colour(red + 0.01, limit: limit) == .red, "\(limit)")
        }
    }

    @Test func colourFollowsTheIndicatedSpeed() {
        // GIVEN a speedometer that reads 3 % and 2 km/h too high
        var settings = SpeedAdviceSettings()
        settings.indicatedRatio = 1.03
        settings.indicatedOffsetMetersPerSecond = 2 / 3.6
        var advice = SpeedAdvice(settings: settings)
        let status = advice.update(
            time: time(0), speedMetersPerSecond: 47 / 3.6, limit: .kilometersPerHour(50), source: .route)
        // THEN 47 km/h are shown as 50.41 and are orange; the true speed is unchanged
        #expect(status.colour == .orange)
        #expect(abs((status.indicatedSpeedMetersPerSecond ?? 0) * 3.6 - 50.41) < 1e-9)
        #expect(abs((status.ratio ?? 0) - 50.41 / 50) < 1e-9)
        #expect(status.speedMetersPerSecond == 47 / 3.6)
        // AND a standing vehicle shows 0.
        var standing = SpeedAdvice(settings: settings)
        #expect(
            standing.update(time: time(0), speedMetersPerSecond: 0, limit: .metersPerSecond(0), source: .route).colour
                == .blue)
        #expect(standing.status.indicatedSpeedMetersPerSecond == 0)
    }

    @Test func noiseAtAThresholdDoesNotFlicker() {
        // GIVEN a speed with noise of 0.3 m/s around the limit, and around 110 % of it, at 10 Hz for ten minutes
        for bound in [1.0, 1.1] {
            var random = SplitMix64(seed: 3)
            var advice = SpeedAdvice()
            var changes = 0
            var last = SpeedColour.unknown
            for step in 0..<6000 {
                let speed = 50 / 3.6 * bound + 0.3 * random.normal()
                let status = advice.update(
                    time: time(Double(step) * 0.1), speedMetersPerSecond: speed, limit: .kilometersPerHour(50),
                    source: .route)
                if status.colour != last { changes += 1 }
                last = status.colour
            }
            // THEN the colour changes less often than every ten seconds; without hysteresis it would change every two
            // seconds
            #expect(changes < 60, "\(changes)")
        }
    }

    @Test func aClearChangeIsShownAtTheNextDecision() {
        var advice = SpeedAdvice()
        let limit = SpeedLimit.kilometersPerHour(50)
        func colour(_ at: Double, _ kilometersPerHour: Double) -> SpeedColour {
            advice.update(time: time(at), speedMetersPerSecond: kilometersPerHour / 3.6, limit: limit, source: .route)
                .colour
        }
        #expect(colour(0, 40) == .blue)
        #expect(colour(0.5, 60) == .blue, "decided once a second")
        #expect(colour(1, 60) == .red)
        #expect(colour(2, 52) == .orange)
        #expect(colour(3, 45) == .blue)
        // Just below the limit the hold time applies.
        #expect(colour(4, 50) == .orange)
        for second in 5..<10 { #expect(colour(Double(second), 49.7) == .orange) }
        #expect(colour(10, 49.7) == .blue)
    }

    @Test func theTimeOfALowerColourBeginsWithIt() {
        // GIVEN a speed above the limit for six decisions WHEN it falls just below THEN the colour is held for five
        // seconds from then on
        var advice = SpeedAdvice()
        func colour(_ at: Double, _ kilometersPerHour: Double) -> SpeedColour {
            advice.update(
                time: time(at), speedMetersPerSecond: kilometersPerHour / 3.6, limit: .kilometersPerHour(50),
                source: .route
            ).colour
        }
        for second in 0...5 { #expect(colour(Double(second), 52) == .orange) }
        for second in 6...10 { #expect(colour(Double(second), 49.7) == .orange, "\(second)") }
        #expect(colour(11, 49.7) == .blue)
    }

    @Test(arguments: [(52.9, SpeedColour.orange), (53.1, .red)])
    func twoKilometersPerHourBelowAThresholdIsAClearChange(speed: Double, colour: SpeedColour) {
        // GIVEN red at a limit of 50 km/h WHEN the speed is a second later more than 2 km/h below the 55 km/h of red,
        // or less THEN only in the first case it is orange
        var advice = SpeedAdvice()
        let limit = SpeedLimit.kilometersPerHour(50)
        advice.update(time: time(0), speedMetersPerSecond: 60 / 3.6, limit: limit, source: .route)
        let status = advice.update(time: time(1), speedMetersPerSecond: speed / 3.6, limit: limit, source: .route)
        #expect(status.colour == colour)
    }

    @Test(arguments: [(0.9985, SpeedColour.blue), (0.9995, .red)])
    func aSecondMayBeAMillisecondShort(seconds: Double, colour: SpeedColour) {
        var advice = SpeedAdvice()
        let limit = SpeedLimit.kilometersPerHour(50)
        advice.update(time: time(0), speedMetersPerSecond: 40 / 3.6, limit: limit, source: .route)
        let status = advice.update(time: time(seconds), speedMetersPerSecond: 60 / 3.6, limit: limit, source: .route)
        #expect(status.colour == colour)
    }

    @Test func aRowWithoutThresholdsHasTheUsualOnes() {
        // GIVEN a row that tells nothing but where it begins THEN orange begins at the limit, and red above 110 % of it
        var settings = SpeedAdviceSettings()
        settings.table = [SpeedThresholds(fromLimitMetersPerSecond: 0)]
        for (speed, colour) in [(49.99, SpeedColour.blue), (50, .orange), (55, .orange), (55.01, .red)] {
            var advice = SpeedAdvice(settings: settings)
            let status = advice.update(
                time: time(0), speedMetersPerSecond: speed / 3.6, limit: .kilometersPerHour(50), source: .route)
            #expect(status.colour == colour, "\(speed) km/h")
        }
    }

    @Test func newLimitIsAppliedAtOnce() {
        var advice = SpeedAdvice()
        let speed = 49.9 / 3.6
        _ = advice.update(time: time(0), speedMetersPerSecond: speed, limit: .kilometersPerHour(30), source: .route)
        #expect(advice.status.colour == .red)
        _ = advice.update(time: time(0.1), speedMetersPerSecond: speed, limit: .kilometersPerHour(50), source: .route)
        #expect(advice.status.colour == .blue)
    }

    @Test func timeGoingBackRestartsTheInterval() {
        var advice = SpeedAdvice()
        _ = advice.update(time: time(100), speedMetersPerSecond: 10, limit: .kilometersPerHour(50), source: .route)
        _ = advice.update(time: time(1), speedMetersPerSecond: 20, limit: .kilometersPerHour(50), source: .route)
        #expect(advice.status.colour == .red)
    }
}
