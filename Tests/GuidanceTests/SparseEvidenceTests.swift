import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Each part of the evidence from positions far apart in time. Without it such a test fails.
@Suite struct SparseEvidenceTests {
    /// A vehicle on a straight road to the north, whose mean speed is 10 m/s, with a position every 10 s.
    private struct Vehicle {
        private let sheet = Sheet()
        private let line: RouteLine
        private var evidence = SparseEvidence()
        private var alongMeters = 500.0
        /// Whether the vehicle has left the route.
        private(set) var hasLeft = false
        /// Odds that it has left.
        var odds: Double { evidence.odds }

        init() throws {
            line = try RouteLine(points: [sheet.place(0, 0), sheet.place(0, 50_000)])
            place(0, 500)
        }

        /// The next position. `sigma`: what it tells of its accuracy.
        mutating func place(
            _ x: Double, _ y: Double, sigma: Double? = nil, seconds: Double = 10, isStanding: Bool = false
        ) {
            var step = CourseEstimator.Step(
                elapsedSeconds: seconds, displacementMeters: 0, shift: .zero, travelDirection: nil,
                travelDirectionSigmaRadians: 0.35)
            step.isStanding = isStanding
            let settings = GuidanceSettings()
            let sigmaMeters = sigma ?? settings.defaultPositionSigmaMeters
            let observation = RouteFollower.Observation(
                query: MatchQuery(
                    plane: TangentPlane(at: sheet.place(x, y)), distanceWeight: 1, directionWeight: 1, alongWeight: 0),
                sigmaMeters: sigmaMeters, isSigmaStated: sigma != nil, step: step,
                bounds: .init(
                    crossTrackSigmaMeters: hypot(sigmaMeters, settings.mapSigmaMeters), settings: settings))
            hasLeft = evidence.update(
                distanceMeters: x.magnitude, observation: observation,
                stretch: .init(line: line, alongMeters: alongMeters, meanMetersPerSecond: 10))
            alongMeters = max(alongMeters, y)
        }

        /// Positions along the road with errors to both sides, metres.
        mutating func drive(positions: Int, errorMeters: Double) {
            for index in 0..<positions {
                place(index % 2 == 0 ? errorMeters : -errorMeters, alongMeters + 100)
            }
        }
    }

    /// A vehicle that has followed the road for a minute, with errors to both sides, metres.
    private func vehicle(errorMeters: Double = 3) throws -> Vehicle {
        var vehicle = try Vehicle()
        vehicle.drive(positions: 6, errorMeters: errorMeters)
        #expect(vehicle.odds < 0.2, "\(vehicle.odds)")
        return vehicle
    }

    @Test func aFarPositionThatTheTravelExplainsIsEnough() throws {
        // GIVEN a vehicle on the road WHEN it is 60 m away from it, as far as it drives in the time
        var (left, wrong) = (try vehicle(), try vehicle())
        left.place(60, 1140)
        // THEN it has left
        #expect(left.hasLeft)
        // AND it has not, 35 m away, where an error is not rare
        wrong.place(35, 1170)
        #expect(!wrong.hasLeft)
    }

    @Test func twoPositionsThatLeadAwayAreEnough() throws {
        // GIVEN a vehicle on the road WHEN two positions lead away, the first of which is not enough
        var vehicle = try vehicle()
        vehicle.place(35, 1160)
        #expect(!vehicle.hasLeft)
        vehicle.place(100, 1160)
        // THEN it has left
        #expect(vehicle.hasLeft)
    }

    @Test func anErrorThatLastsIsNoDeparture() throws {
        // GIVEN a vehicle on the road WHEN its positions are 45 m beside it for a minute
        var vehicle = try vehicle()
        for step in 1...6 {
            vehicle.place(45, 1100 + 100 * Double(step))
            // THEN it has not left: an error lasts
            #expect(!vehicle.hasLeft, "\(step): \(vehicle.odds)")
        }
    }

    @Test func largeErrorsAreExpectedAfterLargeErrors() throws {
        // GIVEN a vehicle whose errors were large WHEN it is 50 m away from the road
        var vehicle = try vehicle(errorMeters: 25)
        vehicle.place(50, 1150)
        // THEN it has not left
        let hasLeft = vehicle.hasLeft
        #expect(!hasLeft, "\(vehicle.odds)")
    }

    @Test(arguments: [(Double?.none, true), (10, false)])
    func theStatedAccuracyWidensTheErrors(sigma: Double?, departs: Bool) throws {
        // GIVEN a vehicle on the road WHEN a position 60 m away from it tells an accuracy, or none
        var vehicle = try vehicle()
        vehicle.place(60, 1140, sigma: sigma)
        // THEN 10 m explain it, and a receiver as cities have it does not
        #expect(vehicle.hasLeft == departs, "\(vehicle.odds)")
    }

    @Test func standingIsNoEvidence() throws {
        // GIVEN a vehicle 45 m beside the road, where it may have left WHEN it stands there for 10 minutes
        var vehicle = try vehicle()
        vehicle.place(45, 1170)
        let odds = vehicle.odds
        for step in 1...60 { vehicle.place(45 + 3 * sin(Double(step)), 1170 + 3 * cos(2 * Double(step))) }
        // THEN the odds do not grow
        #expect(vehicle.odds <= odds, "\(odds) \(vehicle.odds)")
    }

    @Test func standingIsNoEvidenceAgainstADepartureEither() throws {
        // GIVEN a vehicle 45 m beside the road, where it may have left WHEN it waits there for half a minute
        var vehicle = try vehicle()
        vehicle.place(45, 1150)
        let odds = vehicle.odds
        for step in 1...3 { vehicle.place(45 + 2 * sin(Double(step)), 1150) }
        // THEN the odds remain, but for the chance that it crept to each position along the route
        #expect(vehicle.odds >= 0.35 * odds, "\(odds) \(vehicle.odds)")
    }

    @Test func aStandingVehicleHasNotLeft() throws {
        // GIVEN a vehicle on the road WHEN it is 60 m away from it and stands
        var vehicle = try vehicle()
        vehicle.place(60, 1140, isStanding: true)
        // THEN it is not told now, but as soon as it drives
        #expect(!vehicle.hasLeft)
        vehicle.place(160, 1140)
        #expect(vehicle.hasLeft)
    }

    @Test func aVehicleThatCreepsIntoAYardHasNotLeft() throws {
        // GIVEN a vehicle on the road WHEN it goes at 2 m/s to a place 80 m beside it
        var vehicle = try vehicle()
        vehicle.place(0, 1130)
        for step in 1...4 {
            vehicle.place(20 * Double(step), 1130)
            // THEN it has not left
            #expect(!vehicle.hasLeft, "\(step): \(vehicle.odds)")
        }
    }

    @Test func aVehicleThatTurnsRoundOnTheRouteHasNotLeft() throws {
        // GIVEN a vehicle on the road WHEN it drives back along it, and an error is 32 m
        var vehicle = try vehicle()
        vehicle.place(2, 1010)
        #expect(vehicle.odds < 0.5, "\(vehicle.odds)")
    }

    @Test func afterAGapOfMinutesALargerErrorIsExpected() throws {
        // GIVEN a vehicle without positions for four minutes WHEN it is 32 m beside the road, anywhere along it
        for along in stride(from: 2000.0, to: 2060, by: 5) {
            var vehicle = try vehicle()
            vehicle.place(32, along, seconds: 240)
            // THEN it has not left
            #expect(!vehicle.hasLeft, "\(along): \(vehicle.odds)")
        }
        // AND it has where it is hundreds of metres away
        var vehicle = try vehicle()
        vehicle.place(500, 2000, seconds: 240)
        #expect(vehicle.hasLeft)
    }
}
