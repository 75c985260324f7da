import Measurements
import PoseMath
import Testing

@testable import Calibration

/// Gaps, units and notes of the noise, and the least squares below it.
@Suite struct NoiseLimitTests {
    /// Samples at these times, seconds, with noise of the gyro and the accelerometer.
    private func collected(_ times: [Double], gyro: Double = 0.001, force: Double = 0.01) -> NoiseCollector {
        var sensors = SimulatedSensors(seed: 12)
        var collector = NoiseCollector(neededSeconds: 120)
        for time in times {
            collector.add(
                .imu(time, rate: sensors.normal3(gyro), force: Vector3(0, 0, 9.8) + sensors.normal3(force)))
        }
        return collector
    }

    private func numbers(_ name: String, _ collector: NoiseCollector) -> [Double] {
        collector.report().values.first { $0.name == name }?.numbers ?? []
    }

    private static func times(_ count: Int, gap: Double, after index: Int) -> [Double] {
        (0..<count).map { Double($0) * 0.01 + ($0 > index ? gap - 0.01 : 0) }
    }

    @Test("a gap is longer than two and a half intervals") func aGapIsLonger() {
        // GIVEN one interval that is a little shorter and a little longer than that of 10 ms
        for (gap, count) in [(0.0249, 0.0), (0.0251, 1)] {
            #expect(numbers("gaps", collected(Self.times(100, gap: gap, after: 60))) == [count], "\(gap) s")
        }
        // AND one is told from the twentieth interval on, when the usual one is known
        for (index, count) in [(19, 0.0), (20, 1)] {
            #expect(numbers("gaps", collected(Self.times(100, gap: 0.1, after: index))) == [count], "\(index)")
        }
    }

    @Test("a sample that is not later than the last does not count") func aSampleIsLater() {
        let collector = collected([0, 0.01, 0.02, 0.02, 0.01, 0.03])
        #expect(numbers("samples", collector) == [4] && abs(numbers("seconds", collector)[0] - 0.03) < 1e-12)
    }

    @Test("a number that is none does not count") func noNumberDoesNotCount() {
        var collector = collected([0, 0.01])
        collector.add(.imu(0.02, rate: Vector3(0, .nan, 0), force: .zero))
        collector.add(.imu(0.03, rate: .zero, force: Vector3(0, 0, .infinity)))
        #expect(numbers("samples", collector) == [2])
    }

    @Test("the values are those of the curves' fits, of the gyro in degrees") func valuesAreThoseOfTheFits() throws {
        let collector = collected((0..<13_000).map { Double($0) * 0.01 })
        let fits = try collector.curves.map { try #require($0.fit) }
        let degrees = 57.295_779_513_082_32
        for (name, part, factor) in [
            ("gyro_random_walk_deg_s_sqrt_hz", fits.prefix(3), degrees),
            ("accelerometer_random_walk_m_s2_sqrt_hz", fits.suffix(3), 1),
        ] {
            // Rounding only.
            for (value, fit) in zip(numbers(name, collector), part) {
                #expect(abs(value / (fit.randomWalk * factor) - 1) < 1e-12)
            }
        }
        for (name, part, factor) in [
            ("gyro_lowest_over_0664_deg_s", fits.prefix(3), degrees),
            ("accelerometer_lowest_over_0664_m_s2", fits.suffix(3), 1),
        ] {
            for (value, fit) in zip(numbers(name, collector), part) {
                #expect(abs(value / (fit.lowest.deviation * factor) - 1) < 1e-12)
            }
        }
        #expect(numbers("gyro_lowest_at_s", collector) == fits.prefix(3).map(\.lowest.seconds))
        // AND the checks are the worst of them
        let checks = collector.report().checks
        let share = fits.map(\.randomWalkSigmaShare).max() ?? 0
        #expect(abs(checks[2].value / (share * 100) - 1) < 1e-12)
        let walk = fits.prefix(3).map(\.randomWalk).max() ?? 0
        #expect(abs(checks[3].value / (walk * degrees) - 1) < 1e-12)
        #expect(checks[4].value == fits.suffix(3).map(\.randomWalk).max())
    }

    @Test("a gyro that is stuck has no noise that is known") func aStuckGyroFails() {
        // GIVEN a gyro that states zero, with an accelerometer that works, and the other way round
        for (gyro, force, failed) in [
            (0.0, 0.01, ["sigma of the random walk", "random walk of the gyro"]),
            (0.001, 0, ["sigma of the random walk", "random walk of the accelerometer"]),
        ] {
            let report = collected((0..<13_000).map { Double($0) * 0.01 }, gyro: gyro, force: force).report()
            // THEN its random walk and the sigma of it are not known
            #expect(report.checks.filter { !$0.passes }.map(\.name) == failed)
        }
    }

    @Test("the axes without a bias instability are named") func unseenAxesAreNamed() throws {
        // GIVEN white noise, which shows none or little of it
        let collector = collected((0..<2000).map { Double($0) * 0.01 }, gyro: 0.001, force: 0)
        let unseen = collector.curves.filter { $0.fit?.biasInstability == nil }.map(\.name)
        // THEN the note names the curves in which it is not seen, among them the stuck ones
        #expect(unseen.suffix(3) == ["accelerometer x", "accelerometer y", "accelerometer z"])
        let note = try #require(collector.report().notes.first)
        #expect(note.hasPrefix("the bias instability of \(unseen.joined(separator: ", ")) is not seen:"))
    }

    @Test("motion is a share of the windows") func motionIsAShare() throws {
        // GIVEN 50 windows of half a second, one or two of which have another rate THEN the share is that of those
        // after the first; a window after one of motion differs from it, and counts as well
        var collector = NoiseCollector(neededSeconds: 120)
        for index in 0..<(51 * 51) {
            let rate = index / 51 == 20 ? Vector3(0.3, 0, 0) : .zero
            collector.add(.imu(Double(index) * 0.01, rate: rate, force: Vector3(0, 0, 9.8)))
        }
        let check = try #require(collector.report().checks.first { $0.name == "time in motion" })
        #expect(abs(check.value - 100 * 2.0 / 50) < 1e-9)
    }

    // MARK: - Least squares

    @Test("a random walk below the quantisation is found, however little it is worth")
    func theRandomWalkIsAlwaysFitted()
        throws
    {
        // GIVEN a curve of quantisation noise with so little random walk that the first alone explains it
        let points = (0..<9).map { index in
            let t = Double(1 << index)
            return AllanFit.Point(
                seconds: t, deviation: (3 / (t * t) + 0.001 / t).squareRoot(), freedom: 1000 / t)
        }
        // THEN the random walk is told
        let fit = try #require(AllanFit(points))
        #expect(abs(fit.randomWalk - 0.001.squareRoot()) < 1e-6)
    }

    @Test("unknowns that two columns share are not determined") func sharedUnknownsAreNotDetermined() throws {
        // GIVEN two columns that differ by a share of themselves: the pivot of the scaled matrix is a quarter of its
        // square
        for (difference, isDetermined) in [(4e-6, true), (1e-6, false)] {
            var problem = LeastSquares(unknowns: 3)
            problem.add([1, 1, 0], 3)
            problem.add([1, 1 + difference, 0], 3 + 2 * difference)
            problem.add([0, 0, 2], 8)
            let solution = problem.solved()?.solution
            #expect((solution != nil) == isDetermined, "\(difference)")
            if isDetermined {
                let found = try #require(solution)
                #expect(abs(found[0] - 1) < 0.05 && abs(found[1] - 2) < 0.05 && abs(found[2] - 4) < 1e-9)
            }
        }
        // AND those of no row, or of numbers that are none, are not either
        #expect(LeastSquares(unknowns: 1).solved() == nil)
        var wrong = LeastSquares(unknowns: 1)
        wrong.add([.infinity], 1)
        #expect(wrong.solved() == nil)
    }

    @Test("weights and the inverse are those by hand") func weightsCount() throws {
        // GIVEN a line through three points of which the last weighs four times as much
        var problem = LeastSquares(unknowns: 2)
        for (x, y, weight) in [(0.0, 1.0, 1.0), (1, 2, 1), (2, 5, 4)] { problem.add([1, x], y, weight: weight) }
        // THEN the normal matrix is 6, 9 and 17, of the determinant 21, and the right side 23 and 42
        let (solution, inverse) = try #require(problem.solved())
        for (found, expected) in zip(solution, [13.0 / 21, 45.0 / 21]) { #expect(abs(found - expected) < 1e-12) }
        for (found, expected) in zip(inverse, [17.0 / 21, -9.0 / 21, -9.0 / 21, 6.0 / 21]) {
            #expect(abs(found - expected) < 1e-12)
        }
    }

    @Test("a plot of one place has a decade in each direction") func aPlotOfOnePlaceHasADecade() {
        // GIVEN a curve whose two points are the same, on a corner of the grid
        let point = AllanFit.Point(seconds: 1, deviation: 0.01, freedom: 9)
        let curve = NoiseCollector.Curve(name: "gyro x", points: [point, point], fit: nil, isGyro: true)
        let lines = AllanPlot([curve]).text(ofGyro: true).split(separator: "\n")
        // THEN it is at the lower left of one decade
        #expect(lines.count == 17 && lines[1].hasPrefix("  1e-1 |") && lines[14].hasPrefix("  1e-2 |x"))
        #expect(lines[16].hasPrefix("        1e0 s") && lines[16].hasSuffix("1e1 s"))
        // AND a plot of fewer than two points is none
        var one = curve
        one.points.removeLast()
        #expect(AllanPlot([one]).text(ofGyro: true).isEmpty)
    }
}
