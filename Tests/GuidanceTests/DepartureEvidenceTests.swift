import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// When a distance from the route is a departure, with steps made for it: weights, counts and times on both sides of
/// their limits.
@Suite struct DepartureEvidenceTests {
    /// A vehicle beside a straight road to the north, at the positions of which a departure is told or not.
    private struct Vehicle {
        private let sheet = Sheet()
        private let line: RouteLine
        private var evidence = DepartureEvidence()
        var settings = GuidanceSettings()
        /// Sigma across the line, metres: with 5 m a departure is at 25 m, an unexplained one at 50 m.
        var sigma = 5.0
        var seconds = 1.0
        var isMeasured = true
        var isStanding = false

        init() throws { line = try RouteLine(points: [sheet.place(0, 0), sheet.place(0, 50_000)]) }

        /// A position so far to the east of the line, after travel of a length in a direction whose sine is its part to
        /// the east; `nil` for a speed that is unknown.
        mutating func place(_ meters: Double, sine: Double = 0.3, length: Double? = 100) -> Bool {
            var step = CourseEstimator.Step(
                elapsedSeconds: seconds, displacementMeters: length ?? 0, shift: .zero,
                speedMetersPerSecond: length.map { $0 / seconds },
                travelDirection: PlaneOffset(east: sine, north: (1 - sine * sine).squareRoot()),
                travelDirectionSigmaRadians: 0.1)
            (step.isSpeedMeasured, step.isVelocityMeasured) = (isMeasured, isMeasured)
            step.meanMetersPerSecond = (length ?? 0) / seconds
            step.isStanding = isStanding
            let observation = RouteFollower.Observation(
                query: MatchQuery(
                    plane: TangentPlane(at: sheet.place(meters, 500)), distanceWeight: 1, directionWeight: 1,
                    alongWeight: 0),
                sigmaMeters: 3, step: step, bounds: .init(crossTrackSigmaMeters: sigma, settings: settings))
            return evidence.update(
                nearest: PlaneOffset(east: meters, north: 0), observation: observation,
                stretch: .init(line: line, alongMeters: 500, meanMetersPerSecond: 10), settings: settings)
        }

        /// The number of the position, from 1, at which a departure is told, of up to 40 at one distance.
        mutating func count(_ meters: Double, sine: Double = 0.3, length: Double? = 100) -> Int? {
            (1...40).first { _ in place(meters, sine: sine, length: length) }
        }
    }

    @Test("an explained distance counts the more the farther it is") func farDistancesWeighMore() throws {
        // GIVEN a measured velocity that explains the distance WHEN it is a tenth, a sixth or more beyond the departure
        // THEN a second counts 1.3, 1.5 and twice at most, of the three that are needed
        for (meters, count) in [
            (24.9, nil), (25.1, 3), (29.1, 3), (29.3, 2), (37.5, 2), (49, 2),
        ] as [(Double, Int?)] {
            var vehicle = try Vehicle()
            #expect(vehicle.count(meters) == count, "\(meters) m")
        }
        // AND without a measured velocity it counts once, and three positions are needed
        var other = try Vehicle()
        other.isMeasured = false
        #expect(other.count(49) == 3)
        // AND a speed that is unknown leaves the distance explained
        var unknown = try Vehicle()
        unknown.isMeasured = false
        #expect(unknown.count(49, sine: 0, length: nil) == 3)
    }

    @Test("one position is never enough") func onePositionIsNotEnough() throws {
        // GIVEN positions that count for three seconds each THEN the second is a departure; a position counts for a
        // second and a half at most
        for seconds in [1.5, 2.4] {
            var vehicle = try Vehicle()
            vehicle.seconds = seconds
            #expect(vehicle.count(49) == 2, "\(seconds) s")
        }
        // AND from 2.5 s apart on, three are needed, unless the travel leads away steeply
        var sparse = try Vehicle()
        sparse.seconds = 2.5
        #expect(sparse.count(49) == 3)
    }

    @Test("travel that explains less than half of the distance is none") func halfMustBeExplained() throws {
        // GIVEN steps that lead away by 19.8 m and 20.1 m each WHEN the distance is 40 m THEN one of the first does not
        // explain it, two do
        var (less, more) = (try Vehicle(), try Vehicle())
        #expect(less.count(40, length: 66) == 3)
        #expect(more.count(40, length: 67) == 2)
    }

    @Test("near the line the time is taken back, twice as fast") func nearTheLineTheTimeIsTakenBack() throws {
        // GIVEN a second beyond the departure WHEN a position is nearer than three quarters of it THEN what was before
        // does not count, and three more are needed; one between the two leaves it as it is
        func told(_ distances: [Double]) throws -> [Bool] {
            var vehicle = try Vehicle()
            return distances.map { vehicle.place($0) }
        }
        #expect(try told([26, 18.7, 26, 26, 26]) == [false, false, false, false, true])
        #expect(try told([26, 18.8, 26, 26]) == [false, false, false, true])
    }

    @Test("a position near the line takes back twice its own time") func aPositionTakesBackTwiceItsTime() throws {
        // GIVEN positions half a second apart, of which one a metre beyond the departure counts for 0.56 s WHEN the
        // fifth is nearer than three quarters of it THEN it leaves 1.24 of 2.24 s, and four more make three seconds
        var vehicle = try Vehicle()
        vehicle.seconds = 0.5
        let distances: [Double] = [26, 26, 26, 26, 18.7, 26, 26, 26, 26, 26]
        let told = distances.map { vehicle.place($0) }
        #expect(told.firstIndex(of: true) == 8)
    }

    @Test("a vehicle that stands does not leave by its errors") func standingIsNoDeparture() throws {
        // GIVEN a vehicle that stands beside the line, as its positions alone tell THEN it has not left, however long
        var derived = try Vehicle()
        (derived.isMeasured, derived.isStanding) = (false, true)
        #expect(derived.count(60) == nil)
        // AND with a measured speed it has where its travel explains the distance, and not where nothing does
        var explained = try Vehicle()
        explained.isStanding = true
        #expect(explained.count(49) == 2)
        var unexplained = try Vehicle()
        unexplained.isStanding = true
        #expect(unexplained.count(60, sine: 0, length: 10) == nil)
    }

    @Test("a position that comes nearer by two metres does not count") func aReturnDoesNotCount() throws {
        // GIVEN a position 40 m away, after which the smoothed distance is 38.7 m WHEN the next is 36.6 m or 36.8 m
        // away THEN the first of these is a return
        for (meters, isTold) in [(36.6, false), (36.8, true)] {
            var vehicle = try Vehicle()
            vehicle.seconds = 2.4
            let first = vehicle.place(40)
            let second = vehicle.place(meters)
            #expect(!first && second == isTold, "\(meters) m")
        }
    }

    @Test("steep travel makes a smaller distance a departure") func steepTravelNeedsLessDistance() throws {
        // GIVEN a sigma of 20 m, with which a departure is at 70 m WHEN the travel leads away steeply, by ten metres
        // and more THEN 40 m count, but six tenths of the time: 0.9 s of each position
        func vehicle(isMeasured: Bool = true) throws -> Vehicle {
            var vehicle = try Vehicle()
            (vehicle.sigma, vehicle.seconds, vehicle.isMeasured) = (20, 1.5, isMeasured)
            return vehicle
        }
        var measured = try vehicle()
        #expect(measured.count(40, sine: 0.65, length: 40) == 4)
        var near = try vehicle()
        #expect(near.count(24.9, sine: 0.65, length: 40) == nil)
        var flat = try vehicle()
        #expect(flat.count(40, sine: 0.64, length: 40) == nil)
        // AND a derived direction counts for four metres of each step, so that the third is steep
        var derived = try vehicle(isMeasured: false)
        #expect(derived.count(40, sine: 0.65, length: 40) == 6)
    }

    @Test("flat travel ends steep travel by its length") func flatTravelEndsSteepTravel() throws {
        // GIVEN 20 m of steep travel, which is the most that counts WHEN 9 m or 11 m follow that are flat THEN the
        // second leaves less than ten metres, and the time so far does not count
        for (length, count) in [(9.0, 4), (11, 7)] {
            var vehicle = try Vehicle()
            (vehicle.sigma, vehicle.seconds) = (20, 1.5)
            let told = (1...8).map { number in
                number == 3
                    ? vehicle.place(40, sine: 0.6, length: length) : vehicle.place(40, sine: 0.65, length: 40)
            }
            #expect(told.firstIndex(of: true).map { $0 + 1 } == count, "\(length) m")
        }
    }

    @Test("a distance that nothing explains counts after eight seconds") func unexplainedDistancesLast() throws {
        // GIVEN travel along the line THEN 50 m and more are a departure after 8 s, or with the sixth position of 1.5 s
        // AND 38 m take 4.12 times as long
        for (meters, seconds, count) in [
            (50.0, 1.0, 8), (60, 1, 8), (60, 1.5, 6), (60, 2.4, 6), (38, 1, 33), (25, 1, nil),
        ] as [(Double, Double, Int?)] {
            var vehicle = try Vehicle()
            vehicle.seconds = seconds
            #expect(vehicle.count(meters, sine: 0, length: 10) == count, "\(meters) m, \(seconds) s")
        }
        // AND three positions are needed, whatever the time is set to
        var quick = try Vehicle()
        (quick.seconds, quick.settings.unexplainedDepartureSeconds) = (1.5, 3)
        #expect(quick.count(60, sine: 0, length: 10) == 3)
        // AND a position within the departure takes back two seconds
        var vehicle = try Vehicle()
        let told = (1...12).map { vehicle.place($0 == 8 ? 20 : 60, sine: 0, length: 10) }
        #expect(told.firstIndex(of: true) == 10)
    }

    @Test("the memory of the errors fades in 25 seconds") func theMemoryFades() {
        // GIVEN a change of the error, one of a hundred times the expected square and one beyond it THEN a half of it
        // counts, a hundred at most, and after 25 s the e-th part is left
        for (square, expected) in [(2.0, 1.0), (100, 50), (150, 50)] {
            var memory = ErrorMemory()
            memory.add(relativeSquare: square, seconds: 25)
            #expect(abs(memory.count - exp(-1)) < 1e-12 && abs(memory.squares - expected * exp(-1)) < 1e-12)
        }
    }
}
