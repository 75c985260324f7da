import Measurements
import PoseMath
import Testing

@testable import Calibration

/// What each calibration is judged by, as the manual states it.
@Suite struct CheckLimitTests {
    /// The checks with their limits, as text.
    private func limits(_ report: CalibrationReport) -> [String] {
        report.checks.map { check in
            switch check.limit {
            case .atMost(let most): "\(check.name) <= \(Self.rounded(most)) \(check.unit)"
            case .atLeast(let least): "\(check.name) >= \(Self.rounded(least)) \(check.unit)"
            }
        }
    }

    /// Six decimals: a percentage of a share is rounded.
    private static func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }

    /// Readings of a field of 50 microtesla from all sides, evenly (Fibonacci's sphere).
    private func magnetometer(_ count: Int, field: Double = 5e-5) -> MagnetometerCollector {
        var collector = MagnetometerCollector()
        for index in 0..<count {
            let z = 1 - 2 * (Double(index) + 0.5) / Double(count)
            let turn = Quaternion(rotationVector: Vector3(0, 0, Double(index) * .pi * (3 - 5.0.squareRoot())))
            let direction = turn.rotate(Vector3((1 - z * z).squareRoot(), 0, z))
            collector.add(.field(Double(index), direction * field))
        }
        return collector
    }

    @Test("a gyro's bias is judged by these numbers") func limitsOfTheGyro() {
        #expect(
            limits(GyroBiasCollector().report()) == [
                "time at rest >= 30.0 s", "largest bias <= 5.0 deg/s", "sigma of the bias <= 0.01 deg/s",
                "change while measuring <= 0.05 deg/s",
            ])
    }

    @Test("an accelerometer is judged by these numbers") func limitsOfTheAccelerometer() {
        // GIVEN a box that was laid on its faces, and once more on the first, so that there is a residual
        var collector = AccelerometerCollector()
        for (place, face) in [0, 2, 1, 4, 3, 5, 0].map({ Face.all[$0] }).enumerated() {
            var force = Vector3.zero
            force[face.axis] = face.isNegative ? -9.8 : 9.8
            for index in 0..<600 { collector.add(.imu(Double(place * 600 + index) / 100, rate: .zero, force: force)) }
        }
        #expect(
            limits(collector.report()) == [
                "faces >= 6.0 of 6", "largest offset <= 1.5 m/s2", "largest scale error <= 5.0 %",
                "sigma of the offset <= 0.05 m/s2", "sigma of the scale <= 0.5 %", "residual <= 0.2 % of g",
            ])
        #expect(limits(AccelerometerCollector().report()) == ["faces >= 6.0 of 6"])
        #expect(
            AccelerometerCollector().report().checks.first?.remedy
                == "put the box on each of its six faces, 3 s each; missing: +x -x +y -y +z -z")
    }

    @Test("a magnetometer is judged by these numbers") func limitsOfTheMagnetometer() {
        #expect(
            limits(magnetometer(300).report()) == [
                "directions >= 20.0 of 24", "readings >= 100.0 ", "residual <= 3.0 % of the field",
                "sigma of the hard iron <= 1.0 % of the field", "sigma of the scale <= 1.0 %", "field >= 15.0 uT",
                "field <= 80.0 uT", "soft iron <= 30.0 %",
            ])
        #expect(
            limits(MagnetometerCollector().report()) == [
                "directions >= 20.0 of 24", "residual <= 3.0 % of the field",
            ])
    }

    @Test("a noise is judged by these numbers") func limitsOfTheNoise() {
        #expect(
            limits(NoiseCollector().report()) == [
                "time >= 120.0 s", "time in motion <= 2.0 %", "sigma of the random walk <= 5.0 %",
                "random walk of the gyro <= 0.2 deg/s/sqrt(Hz)",
                "random walk of the accelerometer <= 0.05 m/s2/sqrt(Hz)",
            ])
        // AND an hour is what a collector asks for by itself.
        #expect(NoiseCollector().progress.advice.contains(": 60 min more;"))
    }

    /// How many readings a collector has kept.
    private func kept(_ collector: MagnetometerCollector) throws -> Double {
        try #require(collector.report().values.first { $0.name == "readings" }?.numbers.first)
    }

    @Test("of more than 4096 readings every other one is kept") func readingsAreBounded() throws {
        // GIVEN readings from all sides, as many as are kept and one more
        #expect(try kept(magnetometer(4096)) == 4096)
        let before = magnetometer(4097)
        #expect(try kept(before) == 2049)
        // THEN the next ones have to differ by half as much again: 3 % of half the diagonal of 173 microtesla
        for (change, count) in [(2.5e-6, 2050.0), (2.7e-6, 2051)] {
            var collector = before
            let place = Vector3(0, 0, -3e-5)
            collector.add(.field(4097, place))
            collector.add(.field(4098, place + Vector3(0, 0, change)))
            #expect(try kept(collector) == count, "\(change)")
        }
    }

    @Test("the three sides of which most is missing are named") func missingSidesAreNamed() throws {
        // GIVEN readings from above alone, which lie on a sphere THEN the side that was never seen is named first, and
        // of the four others, of which a half is missing, two
        var collector = MagnetometerCollector()
        for index in 0..<150 {
            let z = 1 - (Double(index) + 0.5) / 150
            let turn = Quaternion(rotationVector: Vector3(0, 0, Double(index) * .pi * (3 - 5.0.squareRoot())))
            collector.add(.field(Double(index), turn.rotate(Vector3((1 - z * z).squareRoot(), 0, z)) * 5e-5))
        }
        let check = try #require(collector.report().checks.first { $0.name == "directions" })
        #expect(check.value == 12)
        #expect(check.remedy == "turn the device about all three axes, upside down too; least: -z +x -x")
    }

    @Test("a reading is kept where the field has changed by a hundredth") func aReadingNeedsAChange() throws {
        // GIVEN readings from all sides, whose extent is a cube with a diagonal of 173 microtesla WHEN the next one
        // differs by a little less and a little more than 2 % of half of it THEN the second is kept
        let before = magnetometer(300)
        #expect(try kept(before) == 300)
        let last = Vector3(0, 0, -1 + 1.0 / 300) * 5e-5
        for (change, count) in [(1.6e-6, 300.0), (1.8e-6, 301)] {
            var collector = before
            // The last reading, near the pole, and one beside it.
            collector.add(.field(300, last + Vector3(0, 0, 2e-5)))
            collector.add(.field(301, last + Vector3(0, 0, 2e-5 + change)))
            #expect(try kept(collector) == count + 1)
        }
    }

    @Test("the sigma of the hard iron is that of the check") func theSigmaHasItsUnit() throws {
        // GIVEN readings whose field changes by 1 % from one to the next, so that there is a residual
        var collector = MagnetometerCollector()
        for index in 0..<300 {
            let z = 1 - 2 * (Double(index) + 0.5) / 300
            let turn = Quaternion(rotationVector: Vector3(0, 0, Double(index) * .pi * (3 - 5.0.squareRoot())))
            let field = index % 2 == 0 ? 4.975e-5 : 5.025e-5
            collector.add(.field(Double(index), turn.rotate(Vector3((1 - z * z).squareRoot(), 0, z)) * field))
        }
        let report = collector.report()
        func numbers(_ name: String) -> [Double] { report.values.first { $0.name == name }?.numbers ?? [] }
        // THEN it is in microtesla, and the check is its share of the field: an offset on one of three axes of 300
        // readings is known by a hundred of them, with half a per cent each
        let sigma = try #require(numbers("hard_iron_sigma_ut").max())
        let check = try #require(report.checks.first { $0.name == "sigma of the hard iron" })
        #expect(abs(numbers("field_ut").reduce(0, +) - 50) < 0.1)
        #expect(abs(check.value / (sigma / 50 * 100) - 1) < 0.01)
        #expect(abs(check.value / (0.5 / 100.0.squareRoot()) - 1) < 0.15, "\(check.value)")
    }

    @Test("readings that turn about one axis are none") func readingsOnACircleAreNone() {
        // GIVEN readings on a circle THEN the report has their number, and says why there is no result
        var collector = MagnetometerCollector()
        for index in 0..<50 {
            let turn = Quaternion(rotationVector: Vector3(0, 0, Double(index) * 2 * .pi / 50))
            collector.add(.field(Double(index), turn.rotate(Vector3(5e-5, 0, 0))))
        }
        let report = collector.report()
        #expect(report.notes == ["50 readings lie on no ellipsoid: the device was turned about too few axes"])
        #expect(report.correction == nil && report.values.isEmpty && !report.passes)
    }

    @Test("fewer than ten readings, or a field that does not change, show nothing") func littleShowsNothing() {
        #expect(magnetometer(9).progress.share == 0 && magnetometer(10).progress.share > 0)
        // The diagonal of the cube about the readings is 3.4 times their field: 14 and 16 microtesla.
        #expect(magnetometer(200, field: 4.1e-6).progress.share == 0)
        #expect(magnetometer(200, field: 4.7e-6).progress.share > 0)
    }

    @Test("the face of a direction between two is the first") func theFaceOfAnEdgeIsTheFirst() {
        for (direction, name) in [
            (Vector3(1, 1, 1), "+x"), (Vector3(-1, 1, 0), "-x"), (Vector3(1, 0, 1), "+x"), (Vector3(0, -1, 1), "-y"),
            (Vector3(0, 0.9, -1), "-z"), (Vector3(1, 0.9, 1.1), "+z"), (Vector3(1, 1.1, 0), "+y"), (.zero, "+x"),
        ] { #expect(Face(of: direction).name == name, "\(direction)") }
        #expect(Face.all.map(\.index) == [0, 1, 2, 3, 4, 5])
    }
}
