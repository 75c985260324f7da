import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// The densities that the evidence from positions far apart in time consists of.
@Suite struct SparseDensityTests {
    @Test func theTravelDensityIsADensity() {
        // GIVEN a mean of 80 m WHEN the densities are summed up to ten times of it
        let travel = TravelDensity(meanMetersPerSecond: 8, seconds: 10, displacementMeters: 0)
        let distances = stride(from: 0.05, to: 800, by: 0.1)
        let (flowing, any, mean) = distances.reduce((0.0, 0.0, 0.0)) { sum, meters in
            (
                sum.0 + 0.1 * travel.flowing(meters), sum.1 + 0.1 * travel.any(meters),
                sum.2 + 0.1 * meters * travel.flowing(meters)
            )
        }
        // THEN they are 1 to the accuracy of the sum, and the mean is the given one
        #expect(abs(flowing - 1) < 1e-3 && abs(any - 1) < 1e-3 && abs(mean - 80) < 0.1)
        #expect(travel.any(-1) == 0 && travel.flowing(-1) == 0)
    }

    @Test func theTravelHasTheMeanSpeedWithinBounds() {
        // GIVEN speeds below and above the bounds, an unknown one, and a displacement that is longer
        func mean(_ speed: Double?, displacement: Double = 0) -> Double {
            TravelDensity(meanMetersPerSecond: speed, seconds: 10, displacementMeters: displacement).meanMeters
        }
        // THEN they are limited, assumed, and raised to half of the displacement
        #expect(mean(1) == 40 && mean(50) == 300 && mean(nil) == 80 && mean(8, displacement: 300) == 150)
    }

    /// Sum of a density over a plane, in rings about a centre.
    private func sum(_ density: ErrorDensity, about centre: PlaneOffset) -> Double {
        var (sum, radius) = (0.0, 0.01)
        while radius < 50_000 {
            let step = 0.01 * radius
            for index in 0..<36 {
                let angle = Double(index) * .pi / 18
                let offset = centre + PlaneOffset(east: radius * cos(angle), north: radius * sin(angle))
                sum += density(offset) * step * radius * .pi / 18
            }
            radius += step
        }
        return sum
    }

    @Test(arguments: [0.0, 20])
    func theErrorDensityIsADensity(error: Double) {
        // GIVEN an error of zero and of 20 m, with changes as they are expected
        var memory = ErrorMemory()
        for _ in 0..<5 { memory.add(relativeSquare: 2, seconds: 10) }
        let density = ErrorDensity(
            after: PlaneOffset(east: error, north: 0), memory: memory, scaleMeters: 5, seconds: 10)
        // WHEN it is summed over the plane THEN it is 1, to the accuracy of the rings
        #expect(abs(sum(density, about: PlaneOffset(east: error / 2, north: 0)) - 1) < 0.02)
    }

    @Test func anErrorContinuesAndForgets() {
        // GIVEN an error of 40 m WHEN a tenth of its duration has passed, or ten times of it
        let (error, other) = (PlaneOffset(east: 40, north: 0), PlaneOffset(east: -40, north: 0))
        let soon = ErrorDensity(after: error, memory: ErrorMemory(), scaleMeters: 5, seconds: 2.5)
        let later = ErrorDensity(after: error, memory: ErrorMemory(), scaleMeters: 5, seconds: 250)
        // THEN it is expected again, and later not more than any other
        #expect(soon(error) > 100 * soon(other))
        #expect(abs(later(error) / later(other) - 1) < 0.01)
    }

    @Test func halfOfAnErrorIsLeftAfterSeventeenSeconds() {
        // GIVEN an error of 40 m, of which a half is left after 25 s ln 2 WHEN that time has passed THEN an error of
        // 20 m is no change, and any other one is the square of what it is beside that, over 5 m squared and the three
        // quarters that are new
        let density = ErrorDensity(
            after: PlaneOffset(east: 40, north: 0), memory: ErrorMemory(), scaleMeters: 5, seconds: 25 * log(2))
        func square(_ east: Double, _ north: Double) -> Double {
            density.relativeSquare(PlaneOffset(east: east, north: north))
        }
        #expect(square(20, 0) < 1e-20)
        #expect(abs(square(40, 0) - 400 / 18.75) < 1e-9 && abs(square(20, -10) - 100 / 18.75) < 1e-9)
        // AND the density is largest there
        let there = density(PlaneOffset(east: 20, north: 0))
        let beside = [density(PlaneOffset(east: 15, north: 0)), density(PlaneOffset(east: 25, north: 0))]
        #expect(beside.allSatisfy { $0 < there })
    }

    @Test func theScaleFollowsTheLatestChanges() {
        // GIVEN changes four times as large as expected, and none
        var (large, none) = (ErrorMemory(), ErrorMemory())
        for _ in 0..<6 {
            large.add(relativeSquare: 32, seconds: 5)
            none.add(relativeSquare: 0, seconds: 5)
        }
        let densities = [large, none].map {
            ErrorDensity(after: .zero, memory: $0, scaleMeters: 5, seconds: 5)
        }
        // THEN a change by 40 m is more likely after the large ones by several times
        let change = PlaneOffset(east: 40, north: 0)
        #expect(densities[0](change) > 4 * densities[1](change))
        // AND the memory fades
        large.add(relativeSquare: 0, seconds: 1_000)
        #expect(large.count < 1e-9 && large.squares < 1e-9)
    }

    @Test func linesAreSampledAtEqualDistances() throws {
        // GIVEN a line with a corner at 100 m and its end at 150 m
        let sheet = Sheet()
        let line = try RouteLine(points: [sheet.place(0, 0), sheet.place(0, 100), sheet.place(50, 100)])
        // WHEN it is sampled from 20 m before its start on
        var samples = LineSamples(line, from: -20, spacingMeters: 30, plane: TangentPlane(at: sheet.place(0, 0)))
        let expected = [(0.0, 0.0), (0, 10), (0, 40), (0, 70), (0, 100), (30, 100), (50, 100), (50, 100)]
        for (x, y) in expected {
            let point = samples.next()
            // THEN the points are on it, and at its ends beyond them
            #expect(hypot(point.east - x, point.north - y) < 0.01, "\(point)")
        }
    }
}
