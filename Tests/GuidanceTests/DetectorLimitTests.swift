import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// The detectors of a drive, each with steps made for it: counts, times and distances on both sides of their limits.
@Suite struct DetectorLimitTests {
    /// A step of a vehicle with a measured velocity of 10 m/s to the north.
    private func step(_ seconds: Double = 1, meters: Double = 10) -> CourseEstimator.Step {
        var step = CourseEstimator.Step(
            elapsedSeconds: seconds, displacementMeters: meters, shift: .zero, speedMetersPerSecond: meters / seconds,
            travelDirection: PlaneOffset(east: 0, north: 1), travelDirectionSigmaRadians: 0.1)
        (step.isSpeedMeasured, step.isVelocityMeasured) = (true, true)
        step.meanMetersPerSecond = meters / seconds
        return step
    }

    private func match(_ along: Double) -> LineMatch {
        LineMatch(
            alongMeters: along, segment: 0, offset: .zero, direction: PlaneOffset(east: 0, north: 1), shift: .zero,
            cost: 0)
    }

    @Test func aRejoinNeedsPositionsTimeAndOneSection() {
        // GIVEN matches one second and 10 m apart, with the default of two positions and two seconds
        var rejoin = RejoinDetector()
        func add(_ along: Double, _ step: CourseEstimator.Step, _ settings: GuidanceSettings = .init()) -> String {
            let isBack = rejoin.update(match(along), step: step, settings: settings)
            return isBack ? "back" : rejoin.isConfirmed ? "confirmed" : rejoin.hasCandidate ? "candidate" : "none"
        }
        #expect(!rejoin.hasCandidate && !rejoin.isConfirmed)
        #expect(add(500, step()) == "candidate")
        #expect(add(510, step()) == "confirmed")
        #expect(add(520, step()) == "back")
        // THEN a match may be off by one and a half of the step and 40 m, and one that is farther off begins anew
        #expect(add(575, step()) == "back" && rejoin.firstMeters == 500)
        #expect(add(630.1, step()) == "candidate" && rejoin.firstMeters == 630.1)
        #expect(add(575, step()) == "candidate" && rejoin.firstMeters == 575)
        // AND one step counts for two seconds at most.
        #expect(add(600, step(9)) == "confirmed" && add(610, step(0.1)) == "back")
        var long = GuidanceSettings()
        (long.returnSeconds, long.returnPositions) = (4, 3)
        rejoin = RejoinDetector()
        #expect(add(0, step(9), long) == "candidate" && add(0, step(3.9), long) == "confirmed")
        #expect(add(0, step(0.05), long) == "confirmed" && add(0, step(0.04), long) == "confirmed")
        #expect(add(0, step(0.02), long) == "back")
    }

    @Test func travelAgainstTheRouteIsSummed() {
        // GIVEN steps against the route, one of them long and one across THEN two seconds of a step count, and its
        // distance against the route
        var detector = WrongWayDetector()
        #expect(!detector.isSuspected)
        detector.addStepAgainstRoute(step(1, meters: 10), cosine: -0.5)
        #expect(detector.isSuspected && detector.againstRouteMeters == 5 && detector.againstRoutePositions == 1)
        detector.addStepAgainstRoute(step(5, meters: 10), cosine: 0.2)
        #expect(detector.againstRouteSeconds == 3 && detector.againstRouteMeters == 5)
        #expect(detector.againstRoutePositions == 2 && detector.alongRouteSeconds == 0)
        // AND steps along it end that, and are summed the same way until the next one against it
        detector.addStepAlongRoute(step(5))
        detector.addStepAlongRoute(step(0.5))
        #expect(detector.alongRouteSeconds == 2.5 && !detector.isSuspected && detector.againstRouteMeters == 0)
        #expect(detector.againstRoutePositions == 0)
        detector.addStepAgainstRoute(step(), cosine: -1)
        #expect(detector.alongRouteSeconds == 0 && detector.againstRouteMeters == 10)
        // AND so is the time with the target behind.
        detector.addStepWithTargetBehind(step(3))
        detector.addStepWithTargetBehind(step(1))
        #expect(detector.targetBehindSeconds == 3)
        detector.resetTargetBehind()
        #expect(detector.targetBehindSeconds == 0)
    }

    @Test func theMeanSpeedForgetsInTwoMinutes() {
        // GIVEN steps of 5 s and 50 m THEN there is a mean from ten seconds of them on
        var mean = MeanSpeed()
        mean.update(step(5, meters: 50))
        #expect(mean.metersPerSecond == nil)
        mean.update(step(5.5, meters: 55))
        #expect(abs((mean.metersPerSecond ?? 0) - 10) < 1e-12)
        // AND a step weighs by its time, the past by 1 / (1 + time / 120 s)
        mean.update(step(30, meters: 600))
        let past = (5 / (1 + 5.5 / 120) + 5.5) / (1 + 30.0 / 120)
        // Rounding only.
        #expect(abs((mean.metersPerSecond ?? 0) - (10 * past + 600) / (past + 30)) < 1e-12)
        // AND a step of more than 30 s, and one of a vehicle that stands, do not count.
        let before = mean.metersPerSecond
        mean.update(step(30.1, meters: 3))
        var standing = step(10, meters: 1)
        standing.travelDirection = nil
        mean.update(standing)
        #expect(mean.metersPerSecond == before)
    }

    @Test func aTurnNeedsTravelThatTheDistanceConfirms() {
        // GIVEN a vehicle that travels to the north, away from a line THEN the second position from 15 m of travel on,
        // which are 70 % of the distance, and of which half is seen in the distance, is a turn
        func told(_ places: [PlaneOffset], meters: Double) -> [Bool] {
            var turn = TurnEvidence()
            return places.map { turn.update($0, step: step(1, meters: meters)) }
        }
        func away(_ distances: [Double]) -> [PlaneOffset] { distances.map { PlaneOffset(east: 0, north: $0) } }
        #expect(told(away([0, 10, 20, 30]), meters: 10) == [false, false, true, true])
        #expect(told(away([0, 7.4, 14.8, 22.2]), meters: 7.4) == [false, false, false, true])
        #expect(told(away([0, 30, 30, 30]), meters: 10) == [false, false, false, true])
        #expect(told(away([0, 60]), meters: 50) == [false, false])
        let beside = PlaneOffset(east: 30, north: 0)
        #expect(told([beside] + away([38, 46.9]), meters: 17) == [false, false, false])
        #expect(told([beside] + away([38, 47]), meters: 17) == [false, false, true])
        #expect(told([beside] + away([40, 60]), meters: 20.9) == [false, false, false])
        #expect(told([beside] + away([40, 60]), meters: 21.1) == [false, false, true])
    }

    @Test func aVehicleThatStopsHasTravelledNonetheless() {
        // GIVEN two steps of 10 m that lead away, of which the distance has shown 8 m, too little WHEN the vehicle then
        // stands THEN it has turned where the distance shows half of its travel
        var standing = step(1, meters: 0)
        (standing.isStanding, standing.travelDirection) = (true, nil)
        for (meters, isTurn) in [(20.0, true), (10, true), (9.9, false), (8, false)] {
            var turn = TurnEvidence()
            let moving = [0.0, 4, 8].map { turn.update(PlaneOffset(east: 0, north: $0), step: step()) }
            let stopped = turn.update(PlaneOffset(east: 0, north: meters), step: standing)
            #expect(moving == [false, false, false] && stopped == isTurn, "\(meters) m")
        }
    }

    @Test func travelLeadsAwayFromTwentyDegreesOn() {
        // GIVEN two steps of 60 m, and a distance from the line that grows by 16 m with each THEN they are a turn where
        // the sine of the angle between travel and line is 0.35, and not below
        for (sine, isTurn) in [(0.35, true), (0.349, false)] {
            var turn = TurnEvidence()
            var given = step(1, meters: 60)
            given.travelDirection = PlaneOffset(east: sine, north: (1 - sine * sine).squareRoot())
            // Powers of two, with which the sine is exact.
            let found = [16.0, 32].map { turn.update(PlaneOffset(east: $0, north: 0), step: given) }
            #expect(found == [false, isTurn], "\(sine)")
        }
    }

    @Test func theScatterIsThatOfTheLatestMinutes() {
        // GIVEN twenty distances of three sigmas, which count as one and a half THEN the factor is 1 before, and then
        // that of the mean square, which moves by 5 % at most each time
        var scatter = CrossTrackScatter()
        var meanSquare = 0.78
        for index in 0..<25 {
            // Rounding only.
            let factor = min(max(1.1 * (meanSquare / 0.78).squareRoot(), 1), 2)
            #expect(abs(scatter.factor - (index < 20 ? 1 : factor)) < 1e-12, "\(index)")
            let seconds = index % 2 == 0 ? 1.0 : 30
            scatter.update(distanceMeters: 12, sigmaMeters: 4, seconds: seconds)
            meanSquare += (2.25 - meanSquare) * min(1 - exp(-seconds / 120), 0.05)
        }
        // AND small ones do not make it less than 1.
        for _ in 0..<400 { scatter.update(distanceMeters: 0, sigmaMeters: 4, seconds: 1) }
        #expect(scatter.factor == 1)
    }

    @Test func theScatterIsADistanceOverItsSigma() {
        // GIVEN positions half a minute apart, each 1.2 sigmas off the route, whatever the sigma is THEN the mean
        // square goes from 0.78 towards 1.44 by 5 % each time, and is 1.203 after twenty: 1.1 sqrt(1.203 / 0.78)
        for (meters, sigma) in [(4.8, 4.0), (0.6, 0.5), (36, 30)] {
            var scatter = CrossTrackScatter()
            for _ in 0..<20 { scatter.update(distanceMeters: meters, sigmaMeters: sigma, seconds: 30) }
            #expect(abs(scatter.factor - 1.366_313) < 1e-6, "\(meters) \(sigma)")
        }
    }

    @Test func boundsGrowWithTheSigmaAndTheFactor() {
        // GIVEN a sigma below and above that of the distances of the settings THEN the larger of the two counts, and
        // the factor multiplies all but the share of the return
        let settings = GuidanceSettings()
        let narrow = DepartureEvidence.Bounds(crossTrackSigmaMeters: 5, settings: settings)
        #expect([narrow.sigmaMeters, narrow.departureMeters, narrow.turnMeters] == [5, 25, 25])
        #expect([narrow.unexplainedMeters, narrow.returnMeters] == [50, 18.75])
        let wide = DepartureEvidence.Bounds(crossTrackSigmaMeters: 20, factor: 2, settings: settings)
        #expect([wide.sigmaMeters, wide.departureMeters, wide.turnMeters] == [40, 140, 50])
        #expect([wide.unexplainedMeters, wide.returnMeters] == [200, 105])
        // AND an unexplained departure takes seven and a half times as long at the lower bound as at the upper one.
        #expect([25, 37.5, 50, 80].map { narrow.durationFactor(atMeters: $0) } == [7.5, 4.25, 1, 1])
    }

    @Test func bendsAreOnePerPlace() throws {
        // GIVEN corners of which two are less than 30 m apart, the sharper one first or last, and two that are farther
        // apart THEN the sharper one of those counts
        let sheet = Sheet()
        func bends(_ points: [(Double, Double)]) throws -> [PlannedManeuver] { Bends.find(in: try sheet.route(points)) }
        #expect(try bends([(0, 0), (0, 300), (28, 307), (28, 10)]).map(\.point) == [2])
        #expect(try bends([(0, 0), (0, 300), (28, 293), (157, 446)]).map(\.point) == [1])
        #expect(try bends([(0, 0), (0, 300), (29, 300), (29, 600)]).count == 1)
        #expect(try bends([(0, 0), (0, 300), (31, 300), (31, 600)]).map(\.point) == [1, 2])
        // AND a corner is one from 50 degrees on.
        for (degrees, count) in [(49.5, 0), (50.5, 1)] {
            let angle = degrees * .pi / 180
            #expect(try bends([(0, 0), (0, 300), (400 * sin(angle), 300 + 400 * cos(angle))]).count == count)
        }
        let limits = [19.9, 20.1, 49.9, 50.1, 119.9, 120.1, 169.9, 170.1]
        let right: [Maneuver.Modifier] = [
            .straight, .slightRight, .slightRight, .right, .right, .sharpRight, .sharpRight, .uTurn,
        ]
        #expect(limits.map { Bends.modifier(angle: $0 * .pi / 180) } == right)
        let left: [Maneuver.Modifier] = [
            .straight, .slightLeft, .slightLeft, .left, .left, .sharpLeft, .sharpLeft, .uTurn,
        ]
        #expect(limits.map { Bends.modifier(angle: -$0 * .pi / 180) } == left)
    }

    @Test func thingsOfTheWireHaveTheirNumbers() {
        let events: [GuidanceEvents] = [
            .found, .maneuverReached, .waypointReached, .departed, .rejoined, .rejoinedAhead, .wrongWay, .uTurnNeeded,
            .arrived, .waypointSkipped,
        ]
        #expect(events.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    }
}
