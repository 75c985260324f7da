import Calibration
import Foundation
import FoundationXML
import Measurements
import PoseMath
import Testing

@Suite struct AllanTests {
    /// The textbook form: every start, sums of all samples.
    private func overlapping(_ values: [Double], _ m: Int) -> Double {
        var sums = [0.0]
        for value in values { sums.append(sums[sums.count - 1] + value) }
        let count = values.count - 2 * m + 1
        let squares = (0..<count).reduce(0.0) { total, k in
            let d = sums[k + 2 * m] - 2 * sums[k + m] + sums[k]
            return total + d * d
        }
        return squares / (2 * Double(m) * Double(m) * Double(count))
    }

    @Test func itIsTheTextbooksVariance() throws {
        // GIVEN white noise with an offset
        var sensors = SimulatedSensors(seed: 11)
        let values = (0..<20_000).map { _ in 3 + sensors.normal() }
        var variance = AllanVariance()
        for value in values { variance.add(Vector3(value, -value, 0)) }
        // WHEN the curve is compared with the textbook's form
        for point in variance.points where point.samples <= 1000 {
            let expected = overlapping(values, point.samples)
            // THEN it is the same up to 12 samples, where every start is evaluated; beyond, within the scatter that
            // leaving out starts adds: 5 % of a variance of at least 20 independent averages
            let tolerance = point.samples <= 12 ? 1e-9 : 0.05
            #expect(abs(point.variance.x / expected - 1) < tolerance, "\(point.samples)")
            #expect(point.variance.y == point.variance.x && point.variance.z == 0)
        }
        #expect(variance.points.map(\.samples).prefix(9) == [1, 2, 3, 4, 6, 8, 12, 16, 24])
    }

    @Test func noDifferenceReachesAcrossAGap() {
        // GIVEN a signal that jumps where samples are missing WHEN the gap is noted THEN the jump is not seen
        var variance = AllanVariance()
        for _ in 0..<500 { variance.add(.zero) }
        variance.noteGap()
        for _ in 0..<500 { variance.add(Vector3(repeating: 100)) }
        #expect(variance.points.allSatisfy { $0.variance == .zero })
        #expect(variance.count == 1000)
    }

    /// Noise of random walk N and bias instability B on three axes, 50 Hz.
    private func collected(
        seconds: Double, gyro: (n: Double, b: Double), force: (n: Double, b: Double), seed: UInt64
    ) -> NoiseCollector {
        var sensors = SimulatedSensors(seed: seed)
        let interval = 0.02
        func flicker(_ b: Double, _ sensors: inout SimulatedSensors) -> [FlickerNoise] {
            (0..<3).map { _ in
                FlickerNoise(biasInstability: b, interval: interval, seconds: seconds, &sensors)
            }
        }
        var (slowRates, slowForces) = (flicker(gyro.b, &sensors), flicker(force.b, &sensors))
        var collector = NoiseCollector(neededSeconds: seconds)
        for index in 0..<Int(seconds / interval) {
            var rate = sensors.normal3(gyro.n / interval.squareRoot())
            var acceleration = Vector3(0, 0, 9.8) + sensors.normal3(force.n / interval.squareRoot())
            for axis in 0..<3 {
                rate[axis] += slowRates[axis].next(&sensors)
                acceleration[axis] += slowForces[axis].next(&sensors)
            }
            collector.add(.imu(Double(index) * interval, rate: rate, force: acceleration))
        }
        return collector
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func randomWalkAndBiasInstabilityAreWithinTenPerCent(seed: UInt64) throws {
        // GIVEN four hours of a gyro of 0.005 deg/s/sqrt(Hz) and 5 deg/h, and an accelerometer of 0.001 m/s2/sqrt(Hz)
        // and 0.0004 m/s2, a consumer sensor
        let degree = Double.pi / 180
        let (gyro, force) = ((n: 0.005 * degree, b: 5 * degree / 3600), (n: 0.001, b: 0.0004))
        let collector = collected(seconds: 14_400, gyro: gyro, force: force, seed: seed)
        // WHEN the curves are fitted
        let report = collector.report()
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        // THEN N is right within 3 % on each axis, and B within 10 % in the mean of a sensor's axes: the longest
        // averages leave 10 to 15 % on one axis
        for isGyro in [true, false] {
            let fits = collector.curves.filter { $0.isGyro == isGyro }.compactMap(\.fit)
            let truth = isGyro ? gyro : force
            #expect(fits.count == 3)
            for fit in fits { #expect(abs(fit.randomWalk / truth.n - 1) < 0.03) }
            let found = try fits.map { try #require($0.biasInstability) / truth.b }
            print("B", seed, isGyro, found)
            let sum: Double = found.reduce(0, +)
            #expect(abs(sum / 3 - 1) < 0.1, "\(found)")
            for share in found { #expect(abs(share - 1) < 0.25, "\(found)") }
        }
    }

    @Test func whiteNoiseShowsNoBiasInstability() {
        // GIVEN white noise alone WHEN it is fitted THEN N is right, and B is not claimed
        let collector = collected(seconds: 600, gyro: (0.0001, 0), force: (0.001, 0), seed: 21)
        for curve in collector.curves {
            let truth = curve.isGyro ? 0.0001 : 0.001
            #expect(abs((curve.fit?.randomWalk ?? 0) / truth - 1) < 0.05)
            // What is claimed of pure noise stays below what the curve's end shows.
            #expect(curve.fit?.biasInstability ?? 0 < 0.05 * truth * 10)
        }
        #expect(collector.report().passes)
    }

    @Test func aHandThatMovesTheBoxFails() {
        // GIVEN two minutes and more in which the box is turned for ten seconds
        var sensors = SimulatedSensors(seed: 2)
        var collector = NoiseCollector(neededSeconds: 150)
        for index in 0..<15_000 {
            let time = Double(index) / 100
            let rate = (60..<70).contains(time) ? Vector3(0.3, 0, 0) : .zero
            let angle = 0.3 * min(max(time - 60, 0), 10)
            let force = Vector3(0, sin(angle), cos(angle)) * 9.8
            collector.add(.imu(time, rate: rate + sensors.normal3(0.001), force: force + sensors.normal3(0.01)))
        }
        // WHEN it is judged THEN the motion fails
        #expect(collector.report().checks.first { $0.name == "time in motion" }?.passes == false)
    }

    @Test func emptyAndConstantSignalsFailWithoutATrap() {
        // GIVEN nothing, one sample, and a stuck sensor
        var stuck = NoiseCollector(neededSeconds: 120)
        #expect(!stuck.report().passes && stuck.curves.isEmpty)
        for index in 0..<20_000 { stuck.add(.imu(Double(index) / 100, rate: .zero, force: Vector3(0, 0, 9.8))) }
        // THEN nothing is claimed
        #expect(!stuck.report().passes && stuck.curves.allSatisfy { $0.fit == nil })
        // AND plots of it are empty, and well-formed
        #expect(AllanPlot(stuck.curves).text(ofGyro: true).isEmpty)
        #expect(AllanPlot(stuck.curves).svg(title: "a < b").contains("a &lt; b"))
    }

    @Test func thePlotsShowTheCurves() throws {
        // GIVEN ten minutes of noise WHEN it is plotted
        let collector = collected(seconds: 600, gyro: (0.0001, 0.00001), force: (0.001, 0.0001), seed: 8)
        let plot = AllanPlot(collector.curves)
        // THEN the text fits a terminal, with all three axes, and the drawing is XML with six lines
        let text = plot.text(ofGyro: true)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 79 })
        #expect(text.contains("x") && text.contains("z") && text.contains("1e-4"))
        let svg = plot.svg(title: "noise")
        let document = XMLParser(data: Data(svg.utf8))
        #expect(document.parse())
        #expect(svg.components(separatedBy: "<polyline").count == 7)
    }
}
