import Frames
import Testing

@testable import Explanation

/// The table and the action for given facts.
@Suite struct ExplanationTests {
    private static var good: ExplanationFacts {
        var facts = ExplanationFacts()
        (facts.frame.sources.gps, facts.frame.sources.imu) = (.streaming, .streaming)
        (facts.frame.pose.fixMode, facts.frame.pose.fixAgeSeconds, facts.fixRateHertz) = (3, 0.1, 5)
        facts.frame.pose.state = .aligned
        (facts.frame.pose.headingTrueRadians, facts.frame.pose.headingSigmaRadians) = (1, 0.002)
        facts.frame.pose.positionSigmaENUMeters = .init(0.5, 0.4, 1)
        facts.frame.pose.velocitySigmaENUMetersPerSecond = .init(0.05, 0.05, 0.1)
        facts.heading = .init(receiver: 0.1, gyro: 0.02, mount: 0.05, lag: 0.01, age: 0.03)
        facts.speed = .init(receiver: 0.04, gyro: 0, mount: 0.01, lag: 0.01, age: 0.01)
        facts.position = .init(receiver: 0.4, gyro: 0, mount: 0.1, lag: 0.1, age: 0.05)
        return facts
    }

    @Test func withoutAFaultThereIsNothingToDo() {
        for quantity in [Explanation.Quantity.heading, .position, .speed] {
            #expect(Explanation(quantity, Self.good).action == .none, "\(quantity)")
        }
    }

    @Test func theSourceOfTheLimitIsThatOfTheFrame() {
        // GIVEN guidance on a route, with a limit of the route, and with one of the road
        for (source, text) in [
            (Frame.LimitSource.route, "the route states a limit here"), (.road, "the route states no limit here"),
        ] {
            var facts = Self.good
            facts.frame.guidance.state = .onRoute
            (facts.frame.speed.limitSource, facts.frame.speed.limitMetersPerSecond) = (source, 13.9)
            // THEN the line of the route says whether it is its own
            let route = Explanation(.limit, facts).contributions.first { $0.name == "route" }
            #expect(route?.text == text)
        }
    }

    @Test func theLargestContributionComesFirst() {
        let explanation = Explanation(.heading, Self.good)
        #expect(explanation.contributions.map(\.name) == ["receiver", "mount", "age", "gyro", "lag"])
        #expect(explanation.unit == "deg" && explanation.state == "57.3 deg, 1-sigma 0.11 deg; pose aligned")
    }

    @Test func withoutAnyFactNothingTrapsAndASourceIsMissing() {
        // GIVEN a daemon that has just started
        for quantity in Explanation.Quantity.allCases {
            let explanation = Explanation(quantity, ExplanationFacts())
            // THEN there is a table and an action
            #expect(explanation.contributions.count >= 4)
            #expect(explanation.action != .none)
        }
        #expect(Explanation(.position, ExplanationFacts()).action == .connectReceiver)
    }

    @Test func aReceiverThatIsSilentIsToBeConnected() {
        for quantity in [Explanation.Quantity.heading, .position, .speed] {
            // GIVEN a last fix of 6 s WHEN the receiver still reports, or is silent THEN it needs the sky, or a cable
            var facts = Self.good
            (facts.frame.sources.gps, facts.frame.pose.fixAgeSeconds) = (.waiting, 6)
            #expect(Explanation(quantity, facts).action == .freeSky)
            facts.frame.sources.gps = .stale
            #expect(Explanation(quantity, facts).action == .connectReceiver)
            // AND so it is where there never was a fix
            (facts.frame.pose.fixMode, facts.frame.pose.fixAgeSeconds) = (0, nil)
            #expect(Explanation(quantity, facts).action == .connectReceiver)
            // AND a receiver that counts as stale because its fixes are late needs another link
            facts.fixLatenessSeconds = 11
            #expect(Explanation(quantity, facts).action == .fasterLink)
        }
    }

    @Test func aReceiverThatWasNeverHeardOfIsToBeConnected() {
        // GIVEN gpsd without a receiver, and with one that has no fix yet THEN only the former is to be connected
        var facts = Self.good
        (facts.frame.sources.gps, facts.frame.pose.fixMode, facts.frame.pose.fixAgeSeconds) = (.waiting, 0, nil)
        for (isUnheard, action) in [(true, Action.connectReceiver), (false, .freeSky)] {
            facts.isReceiverUnheard = isUnheard
            #expect(Explanation(.position, facts).action == action)
        }
    }

    @Test func anAntennaWhosePlaceIsToldNeedNotBeMeasured() {
        // GIVEN an antenna 2 m from the IMU, and a position whose largest part is the mount WHEN the settings state the
        // place, or not THEN only in the latter case it is to be measured
        var facts = Self.good
        facts.frame.pose.positionSigmaENUMeters = .init(1.5, 1.5, 2)
        facts.position = .init(receiver: 0.4, gyro: 0, mount: 1.2, lag: 0.1, age: 0.05)
        for antenna in [2.0, nil] {
            (facts.antennaMeters, facts.antennaSigmaMeters) = (antenna, antenna.map { _ in 0.1 })
            for (isTold, action) in [(false, Action.configureAntenna), (true, .driveOn)] {
                facts.isAntennaTold = isTold
                #expect(Explanation(.position, facts).action == action)
            }
        }
    }

    @Test func numbersFromOutsideDoNotTrap() {
        // GIVEN facts that no daemon sends
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            var facts = Self.good
            facts.heading = .init(receiver: value, gyro: value, mount: value, lag: value, age: value)
            (facts.fixRateHertz, facts.gyroNoiseDensity, facts.antennaMeters) = (value, value, value)
            (facts.frame.pose.headingTrueRadians, facts.frame.pose.fixAgeSeconds) = (value, value)
            facts.frame.guidance.crossTrackMeters = value
            for quantity in Explanation.Quantity.allCases { _ = Explanation(quantity, facts) }
        }
    }

    @Test func offRouteAsksForThePlaceFirst() {
        var facts = Self.good
        facts.frame.guidance.state = .offRoute
        facts.frame.guidance.crossTrackMeters = -120
        // GIVEN a vehicle far off the route, whose place is known THEN it should go back
        #expect(Explanation(.offRoute, facts).action == .returnToRoute)
        // GIVEN a place that may be wrong by as much THEN the receiver is the reason
        facts.frame.pose.positionSigmaENUMeters = .init(90, 20, 20)
        facts.verdict = "drifting"
        #expect(Explanation(.offRoute, facts).action == .placeAntenna)
    }

    @Test(arguments: [Frame.GuidanceState.wrongWay, .uTurnNeeded])
    func aWrongDirectionIsNotExplainedByThePlace(state: Frame.GuidanceState) {
        // GIVEN a vehicle that drives on the route, against it, whose place is known to two metres
        var facts = Self.good
        facts.frame.guidance.state = state
        facts.frame.guidance.crossTrackMeters = 1
        facts.frame.pose.positionSigmaENUMeters = .init(2, 2, 4)
        // THEN it should go back; off the route the same numbers say that the place is the reason
        #expect(Explanation(.offRoute, facts).action == .returnToRoute)
        facts.frame.guidance.state = .offRoute
        #expect(Explanation(.offRoute, facts).action != .returnToRoute)
        // AND where the place is unknown, or the receiver not to be trusted, that comes first
        facts.frame.guidance.state = state
        facts.frame.pose.positionSigmaENUMeters = .init(26, 2, 4)
        #expect(Explanation(.offRoute, facts).action != .returnToRoute)
        facts.frame.pose.positionSigmaENUMeters = .init(2, 2, 4)
        facts.verdict = "drifting"
        #expect(Explanation(.offRoute, facts).action == .placeAntenna)
    }

    @Test func aLimitNeedsRoads() {
        var facts = Self.good
        (facts.hasRoads, facts.frame.speed.limitSource) = (false, .fallback)
        #expect(Explanation(.limit, facts).action == .importRoads)
        facts.hasRoads = true
        #expect(Explanation(.limit, facts).action == .mapLimit)
        facts.frame.speed.limitSource = .road
        #expect(Explanation(.limit, facts).action == .none)
        facts.frame.speed.hasCondition = true
        #expect(Explanation(.limit, facts).action == .setConditions)
    }

    @Test func decimalsAreRounded() {
        #expect(Decimals.text(1.005, 1) == "1.0" && Decimals.text(-0.26, 1) == "-0.3" && Decimals.text(7, 0) == "7")
        #expect(Decimals.text(.nan, 2) == "?" && Decimals.text(0.04, 3) == "0.040")
    }
}
