import Foundation
import Frames
import Fusion
import Geodesy
import PoseMath
import SeededNumbers
import Testing

@testable import Report

/// What is counted of the innovations of a long drive, of which only the largest are kept.
@Suite struct InnovationCountTests {
    /// An innovation with its number as its time, a hundredth of a second each.
    private static func entry(
        _ number: Int, _ normalised: Double, _ rejection: AidRejection = .none
    ) -> InnovationLog.Entry {
        InnovationLog.Entry(
            time: MonotonicTime(nanoseconds: Int64(number) * 10_000_000), normalised: normalised, testRatio: 0.5,
            rejection: rejection)
    }

    @Test func theBinsCountEachAcceptedInnovation() {
        // GIVEN 24,000 innovations of exact sigmas (Box and Muller 1958), far more than are kept
        var numbers = SplitMix64(seed: 4)
        var source = InnovationLog.Source()
        for number in 0..<24_000 {
            let radius = (-2 * log(max(numbers.uniform(), 1e-300))).squareRoot()
            source.add(Self.entry(number, radius * cos(2 * .pi * numbers.uniform())))
        }
        // THEN 38.3 % of the counted ones are within half a sigma, to five sigmas of that share
        let within = source.counts[18..<22].reduce(0, +)
        #expect(source.entries.count < 6000 && source.read == 24_000)
        #expect(abs(Double(within) / 24_000 - 0.383) < 5 * (0.383 * 0.617 / 24_000).squareRoot())
    }

    @Test func aBinHasItsLimits() {
        // GIVEN innovations at the ends of the bins, beyond them, and one that was rejected
        var source = InnovationLog.Source()
        for (number, value) in [-5.001, -5, -4.751, -4.75, 0, 4.999, 5, 1e300, -1e300].enumerated() {
            source.add(Self.entry(number, value))
        }
        source.add(Self.entry(9, 0, .innovation))
        // THEN those within are counted once, the rejected one is not
        var expected = [Int](repeating: 0, count: 40)
        (expected[0], expected[1], expected[20], expected[39]) = (2, 1, 1, 1)
        #expect(source.counts == expected)
    }

    @Test func theCellsHaveAllFixesOfALongDrive() {
        // GIVEN 24,007 innovations of a vehicle that drives north, of which one of fifty was rejected
        var source = InnovationLog.Source()
        for number in 0..<24_007 {
            let isRejected = number % 50 == 10
            source.add(Self.entry(number, isRejected ? 6 : 1, isRejected ? .innovation : .none))
        }
        let samples = (0...240).map { second in
            var frame = Frame()
            frame.timeNanoseconds = Int64(second) * 1_000_000_000
            (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.8 + Double(second) * 1e-6, 0.2)
            return TrackSample(frame)
        }
        // WHEN they are counted in the cells of the ground THEN none is missing, of the rejected ones neither
        let cells = DriveFigures.cells(of: source.allEntries, along: samples)
        #expect(source.entries.count < 6000 && cells.count > 3)
        #expect(cells.values.reduce(0) { $0 + $1.fixes } == 24_007)
        #expect(cells.values.reduce(0) { $0 + $1.bad } == 480)
    }

    @Test func thePageHasTheCounts() throws {
        // GIVEN a drive WHEN its series are written
        let figures = try Drives.figures(try Drives.simulated(seed: 5, edges: 6))
        var writer = JSONWriter()
        figures.writeSeries(to: &writer, origin: LocalFrame(origin: try #require(figures.origin)))
        // THEN those of a source have its counts, of all accepted innovations within five sigmas
        let source = try #require(figures.drive.innovations.sources[.gnssPosition])
        let found = try #require(writer.text.firstMatch(of: /"source":"gnssPosition".*?"counts":\[([\d,]+)\]/))
        #expect(found.output.1.split(separator: ",").compactMap { Int($0) } == source.counts)
        let accepted = source.entries.count { $0.rejection == .none && (-5..<5).contains($0.normalised) }
        #expect(source.counts.reduce(0, +) == accepted && accepted > 10)
        // AND each innovation, as the steps of 0.02 sigmas from the one before: half a step is for rounding
        let steps = try #require(
            writer.text.firstMatch(of: /"source":"gnssPosition".*?"x":\{"step":0\.020,"d":\[([\d,-]+)\]/))
        var (sum, drawn) = (0, [Double]())
        for step in steps.output.1.split(separator: ",").compactMap({ Int($0) }) {
            sum += step
            drawn.append(Double(sum) * 0.02)
        }
        #expect(drawn.count == source.entries.count)
        #expect(zip(drawn, source.entries).allSatisfy { abs($0 - $1.normalised) <= 0.010_001 })
    }
}
