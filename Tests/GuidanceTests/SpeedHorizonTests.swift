import Guidance
import PoseMath
import Testing

/// What is ahead after a way along the path.
@Suite struct SpeedHorizonTests {
    private static var ahead: SpeedHorizon {
        var ahead = SpeedHorizon(time: MonotonicTime(nanoseconds: 5))
        (ahead.limit, ahead.limitSource, ahead.limitReason) = (.kilometersPerHour(70), .road, .none)
        (ahead.nextLimit, ahead.nextLimitSource, ahead.nextLimitReason) = (.kilometersPerHour(30), .roadClass, .season)
        ahead.distanceToNextLimitMeters = 100
        (ahead.afterNextLimit, ahead.afterNextLimitSource) = (.unlimited, .route)
        (ahead.afterNextLimitReason, ahead.distanceToAfterNextLimitMeters) = (.weight, 250)
        (ahead.curveSpeedMetersPerSecond, ahead.distanceToCurveMeters) = (8, 120)
        return ahead
    }

    @Test func distancesAreLessByTheWay() {
        // GIVEN limits and a curve ahead WHEN 40 m are driven THEN each is 40 m nearer, and nothing else changes
        var expected = Self.ahead
        (expected.distanceToNextLimitMeters, expected.distanceToAfterNextLimitMeters) = (60, 210)
        expected.distanceToCurveMeters = 80
        #expect(Self.ahead.advanced(byMeters: 40) == expected)
        #expect(Self.ahead.advanced(byMeters: 0) == Self.ahead)
        // AND what is not there stays so
        let nothing = SpeedHorizon(time: MonotonicTime(nanoseconds: 5))
        #expect(nothing.advanced(byMeters: 40) == nothing)
    }

    @Test func aCurveThatWasReachedIsAtHand() {
        // GIVEN a curve 120 m ahead WHEN more is driven THEN it is 0 m away, not behind
        #expect(Self.ahead.advanced(byMeters: 119).distanceToCurveMeters == 1)
        #expect(Self.ahead.advanced(byMeters: 200).distanceToCurveMeters == 0)
    }

    @Test func aLimitThatWasReachedIsTheCurrentOne() {
        // GIVEN limits 100 m and 250 m ahead WHEN the first one is reached exactly
        let first = Self.ahead.advanced(byMeters: 100)
        // THEN it holds, with its source and reason, and the second one is the next; none is known after it
        #expect(first.limit == .kilometersPerHour(30))
        #expect(first.limitSource == .roadClass && first.limitReason == .season)
        #expect(first.nextLimit == .unlimited && first.distanceToNextLimitMeters == 150)
        #expect(first.nextLimitSource == .route && first.nextLimitReason == .weight)
        #expect(first.afterNextLimit == .unknown && first.distanceToAfterNextLimitMeters == nil)
        #expect(first.afterNextLimitSource == .none && first.afterNextLimitReason == .none)
        // WHEN both are THEN the second one holds, and there is no next one
        let both = Self.ahead.advanced(byMeters: 251)
        #expect(both.limit == .unlimited && both.limitSource == .route && both.limitReason == .weight)
        #expect(both.nextLimit == .unknown && both.distanceToNextLimitMeters == nil)
    }

    @Test func anEmptyHorizonKnowsNothing() {
        // GIVEN a horizon that has only its time THEN it has no limit, no condition, no curve and no path
        let nothing = SpeedHorizon(time: MonotonicTime(nanoseconds: 5))
        #expect(nothing.limit == .unknown && nothing.nextLimit == .unknown && nothing.afterNextLimit == .unknown)
        #expect(!nothing.hasCondition && nothing.path == .none && nothing.curveSpeedMetersPerSecond == nil)
        #expect(nothing.distanceToNextLimitMeters == nil && nothing.progressMeters == nil)
    }
}
