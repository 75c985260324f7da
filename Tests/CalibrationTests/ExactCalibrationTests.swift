import Measurements
import PoseMath
import Testing

@testable import Calibration

/// Plots, limits and reports of the calibrations, to the last digit.
@Suite struct ExactCalibrationTests {
    // MARK: - Plots

    private static func curve(_ name: String, _ isGyro: Bool, _ points: [(Double, Double)], b: Double?)
        -> NoiseCollector.Curve
    {
        var fit = AllanFit(
            (0..<12).map { index in
                let seconds = Double(1 << index) * 0.01
                return AllanFit.Point(seconds: seconds, deviation: 0.002 / seconds.squareRoot(), freedom: 1000)
            })
        fit?.randomWalk = 0.001_234
        fit?.biasInstability = b
        return NoiseCollector.Curve(
            name: name,
            points: points.map { AllanFit.Point(seconds: $0.0, deviation: $0.1, freedom: 5) }, fit: fit, isGyro: isGyro)
    }

    private static let curves = [
        curve("gyro x", true, [(0.02, 0.03), (0.5, 0.004), (20, 0.0007)], b: 0.000_345_6),
        curve("gyro y", true, [(0.02, 0.05), (2, 0.006)], b: nil),
        curve("gyro z", true, [(0.1, 0.02), (70, 0.0011)], b: nil),
        curve("accelerometer x", false, [(1, 0.1), (10, 0.01)], b: 0.02),
        curve("accelerometer y", false, [(1, 0.1)], b: nil),
    ]

    @Test func theTextPlotIsThis() {
        let plot = AllanPlot(Self.curves)
        #expect(plot.text(ofGyro: true) == Stored.gyro)
        #expect(plot.text(ofGyro: false) == Stored.accelerometer)
        #expect(AllanPlot([]).text(ofGyro: true).isEmpty)
    }

    @Test func theDrawingIsThis() {
        #expect(AllanPlot(Self.curves).svg(title: "a \"b\" & <c>") == Stored.drawing)
    }

    @Test func pointsThatCannotBeDrawnAreLeftOut() {
        // GIVEN points without a size, a time or freedom, and one degree of freedom, which is enough
        var curve = Self.curve("gyro x", true, [(0, 1), (1, 0), (1, 1), (10, 0.1)], b: nil)
        curve.points[2].freedom = 1
        curve.points.append(AllanFit.Point(seconds: 100, deviation: 0.01, freedom: 0.99))
        let text = AllanPlot([curve]).text(ofGyro: true)
        #expect(text.count { $0 == "x" } == 2)
    }

    @Test(arguments: [
        (0.0, "0"), (.nan, "0"), (1234.5, "1230.0"), (0.012_345, "0.0123"), (-9.876, "-9.88"), (1, "1.0"),
    ])
    func numbersHaveThreeDigits(value: Double, text: String) { #expect(AllanPlot.significant(value) == text) }

    // MARK: - Variance and fit

    @Test func theVarianceOfFewSamplesIsThatByHand() {
        // GIVEN five samples WHEN they are averaged over one and two of them
        var variance = AllanVariance()
        for value in [1.0, 3, 2, 6, 4] { variance.add(Vector3(value, 2 * value, 0)) }
        // THEN the first has the squares of 2, -1, 4, -2 over two of each, and the second those of 4 and 5 over eight
        #expect(variance.points.map(\.samples) == [1, 2] && variance.points.map(\.count) == [4, 2])
        let expected: [Double] = [25.0 / 8, 41.0 / 16]
        #expect(variance.points.map(\.variance.x) == expected)
        #expect(variance.points.map(\.variance.y) == expected.map { $0 * 4 })
        // THEN the degrees of freedom are those of the formula
        #expect(abs(AllanVariance.degreesOfFreedom(samples: 1, of: 101) - 4.0 / 9 * (150 - 198.0 / 101)) < 1e-9)
        #expect(AllanVariance.degreesOfFreedom(samples: 2, of: 4) == 0)
        #expect(AllanVariance.degreesOfFreedom(samples: 2, of: 5) > 0)
    }

    @Test func aCurveOfKnownTermsGivesThemBack() throws {
        // GIVEN the curve of a random walk, a flicker and a rate random walk
        let (n, b, k) = (0.002, 0.0004, 0.000_03)
        let points = (0..<24).map { index in
            let t = 0.01 * Double(1 << index)
            let square = n * n / t + 0.441_271_2 * b * b + k * k * t / 3
            return AllanFit.Point(seconds: t, deviation: square.squareRoot(), freedom: 1e6 / Double(1 << index))
        }
        let fit = try #require(AllanFit(points))
        // THEN each is found; the flicker's factor is 2 ln 2 / pi to seven digits
        #expect(abs(fit.randomWalk / n - 1) < 1e-5)
        #expect(abs((fit.biasInstability ?? 0) / b - 1) < 1e-3)
        #expect(abs((fit.rateRandomWalk ?? 0) / k - 1) < 1e-2)
        #expect(fit.randomWalkSigmaShare > 0 && fit.randomWalkSigmaShare < 0.01)
        #expect(fit.lowest.seconds > 10 && fit.lowest.deviation > b)
        // THEN fewer than four points with three degrees of freedom give nothing
        let few = points.prefix(4).map { AllanFit.Point(seconds: $0.seconds, deviation: $0.deviation, freedom: 3) }
        #expect(AllanFit(few) != nil && AllanFit(Array(few.dropLast())) == nil)
        #expect(AllanFit(few.map { .init(seconds: $0.seconds, deviation: $0.deviation, freedom: 2.99) }) == nil)
    }

    @Test func theNoiseHasItsUnits() throws {
        // GIVEN a still sensor of known noise at 100 Hz, with one gap of half a second
        var sensors = SimulatedSensors(seed: 4)
        var collector = NoiseCollector(neededSeconds: 1)
        for index in 0..<13_000 {
            let time = Double(index) / 100 + (index < 6000 ? 0 : 0.5)
            collector.add(.imu(time, rate: sensors.normal3(0.001), force: Vector3(0, 0, 9.8) + sensors.normal3(0.01)))
        }
        let report = collector.report()
        func numbers(_ name: String) -> [Double] { report.values.first { $0.name == name }?.numbers ?? [] }
        // THEN the gyro is in degrees, the accelerometer in metres, both for each axis: 5 % as elsewhere
        for (name, expected) in [
            ("gyro_random_walk_deg_s_sqrt_hz", 0.0001 * 180 / .pi), ("accelerometer_random_walk_m_s2_sqrt_hz", 0.001),
        ] {
            #expect(numbers(name).count == 3 && numbers(name).allSatisfy { abs($0 / expected - 1) < 0.05 }, "\(name)")
        }
        #expect(report.values.map(\.name) == Stored.noiseNames)
        #expect(numbers("gaps") == [1] && numbers("samples") == [13_000])
        #expect(abs(numbers("rate_hz")[0] - 100) < 1e-6 && abs(numbers("seconds")[0] - 129.98) < 1e-6)
        #expect(report.notes.last == "1 gaps: no difference reaches across them")
        #expect(collector.curves.map(\.isGyro) == [true, true, true, false, false, false])
        #expect(
            collector.curves.map(\.name) == ["gyro x", "gyro y", "gyro z"]
                + ["x", "y", "z"].map { "accelerometer \($0)" })
        // THEN at least two minutes are needed, and there is no note of gaps where there are none
        #expect(collector.progress.isComplete && collector.progress.advice == "done")
        #expect(collector.progress.coverage == "129 s, 13000 samples")
        var young = NoiseCollector(neededSeconds: 1)
        for index in 0..<6501 { young.add(.imu(Double(index) / 100, rate: .zero, force: Vector3(0, 0, 9.8))) }
        #expect(abs(young.progress.share - 65.0 / 120) < 1e-9 && !young.report().notes.contains { $0.contains("gaps") })
        #expect(young.progress.advice.hasSuffix("firm table: 1 min more; Ctrl-C uses what there is"))
    }

    // MARK: - Installation

    private static var installation: InstallationFindings {
        var findings = InstallationFindings()
        findings.mount = .init(
            sensorToBody: Quaternion(rotationVector: Vector3(0.2, -0.3, 0.4)),
            sigmaBodyRadians: Vector3(0.01, 0.017, 0.0087), isFound: true)
        findings.antenna = .init(meters: SIMD2(1, -0.5), sigmaMeters: SIMD2(0.1, 0.3))
        findings.lags = .init(
            positionSeconds: 0.02, positionSigmaSeconds: 0.1, velocitySeconds: 0.15, velocitySigmaSeconds: 0.03)
        findings.wheels = .init(scale: 1.02, scaleSigma: 0.01, lagSeconds: 0.2, lagSigmaSeconds: 0.04)
        return findings
    }

    @Test func theInstallationIsReportedInItsUnits() throws {
        let report = Self.installation.report()
        func numbers(_ name: String) -> [Double] { report.values.first { $0.name == name }?.numbers ?? [] }
        #expect(report.values.map(\.name) == Stored.installationNames)
        #expect(numbers("antenna_forward_left_m") == [1, -0.5] && numbers("antenna_sigma_m") == [0.1, 0.3])
        #expect(numbers("position_lag_s") == [0.02] && numbers("velocity_lag_s") == [0.15])
        #expect(numbers("lag_sigma_s") == [0.1, 0.03] && numbers("wheel_scale") == [1.02, 0.01])
        #expect(numbers("wheel_lag_s") == [0.2, 0.04] && report.notes.isEmpty)
        // THEN the three angles turn as the matrix does: yaw first, then pitch, then roll
        let angles = numbers("mount_roll_pitch_yaw_deg").map { $0 * .pi / 180 }
        let turned =
            Quaternion(rotationVector: Vector3(0, 0, angles[2])) * Quaternion(rotationVector: Vector3(0, angles[1], 0))
            * Quaternion(rotationVector: Vector3(angles[0], 0, 0))
        let mount = try #require(Self.installation.mount).sensorToBody
        #expect((turned.inverse * mount).rotationVector.length < 1e-12)
        let rows = (1...3).map { numbers("sensor_to_body_row_\($0)") }
        for (row, axis) in zip(rows, [Vector3.unitX, .unitY, .unitZ]) {
            let expected = mount.inverse.rotate(axis)
            #expect((Vector3(row[0], row[1], row[2]) - expected).length < 1e-12)
        }
        // THEN everything is just good enough
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect(report.checks.map(\.unit) == ["", "deg", "deg", "m", "s", ""])
    }

    @Test func eachLimitRefusesALittleMore() {
        for (name, change) in [
            ("sigma of the mount's tilt", { $0.mount?.sigmaBodyRadians.y = 0.0175 }),
            ("sigma of the mount's heading", { $0.mount?.sigmaBodyRadians.z = 0.0088 }),
            ("sigma of the antenna's place", { $0.antenna?.sigmaMeters.x = 0.301 }),
            ("sigma of the lags", { $0.lags?.positionSigmaSeconds = 0.101 }),
            ("sigma of the lags", { $0.lags?.velocitySigmaSeconds = 0.101 }),
            ("sigma of the wheels' scale", { $0.wheels?.scaleSigma = 0.0101 }),
        ] as [(String, (inout InstallationFindings) -> Void)] {
            var findings = Self.installation
            change(&findings)
            #expect(findings.report().checks.filter { !$0.passes }.map(\.name) == [name])
        }
        #expect(InstallationFindings().report().notes == ["no wheel speed, or it is not calibrated yet"])
        #expect(InstallationFindings().report().checks.count == 5)
    }

    // MARK: - Bias over temperature

    @Test func aBiasHasItsLimits() throws {
        typealias Entry = GyroBiasTable.Entry
        let largest = Vector3(0.35, 0, 0)
        // GIVEN entries at and beyond each limit
        for (entry, isValid) in [
            (Entry(celsius: 150, bias: largest), true), (Entry(celsius: -60, bias: .zero, drives: 5), true),
            (Entry(celsius: 150.1, bias: .zero), false), (Entry(celsius: -60.1, bias: .zero), false),
            (Entry(celsius: 20, bias: Vector3(0.351, 0, 0)), false),
            (Entry(celsius: 20, bias: .zero, drives: 6), false),
        ] { #expect(entry.isValid == isValid, "\(entry)") }
        #expect(GyroBiasTable(entries: [], latest: largest).latest == largest)
        #expect(GyroBiasTable(entries: [], latest: Vector3(0.351, 0, 0)).latest == nil)
        // GIVEN entries in any order THEN they are sorted, and of the same five degrees the first stays
        let table = GyroBiasTable(
            entries: [30, 10, 14.9, 15].map { Entry(celsius: $0, bias: Vector3($0 / 1000, 0, 0)) }, latest: nil)
        #expect(table.entries.map(\.celsius) == [10, 15, 30])
        // THEN the line reaches over 15 kelvin, and not over more
        let between = try #require(table.bias(at: 20))
        #expect(abs(between.bias.x - 0.02) < 1e-12 && between.kelvin == 5)
        let wide = GyroBiasTable(
            entries: [15, 30.1].map { Entry(celsius: $0, bias: Vector3($0 / 1000, 0, 0)) }, latest: nil)
        let nearest = try #require(wide.bias(at: 20))
        #expect(nearest.bias.x == 0.015 && nearest.kelvin == 5)
        // THEN a place on an entry has its bias, and a bias that was learned at another temperature is another entry
        #expect(table.bias(at: 30)?.bias.x == 0.03 && table.bias(at: 30)?.kelvin == 0)
        var learned = table
        learned.learn(
            [Entry(celsius: 40, bias: .zero), Entry(celsius: 12, bias: Vector3(0.02, 0, 0))], latest: largest)
        #expect(learned.entries.map(\.celsius) == [11, 15, 30, 40] && learned.latest == largest)
        #expect(abs(learned.entries[0].bias.x - 0.015) < 1e-12 && learned.entries.map(\.drives) == [2, 1, 1, 1])
    }

    // MARK: - Corrections, directions, rest

    @Test func aCorrectionIsItsMatrix() {
        let correction = SensorCorrection(
            offset: Vector3(1, 2, 3), diagonal: Vector3(1.5, 0.5, 1.25), offDiagonal: Vector3(0.5, -0.5, 0.25))
        // THEN half a unit from the identity is allowed, and the rows are those of the symmetric matrix
        #expect(correction.isValid && !correction.isIdentity)
        #expect(correction.apply(Vector3(2, 4, 7)) == Vector3(0, 3.25, 5.5))
        #expect(correction.rows == [Vector3(1.5, 0.25, -0.5), Vector3(0.25, 0.5, 0.5), Vector3(-0.5, 0.5, 1.25)])
        for wrong in [
            SensorCorrection(diagonal: Vector3(1.501, 1, 1)), SensorCorrection(diagonal: Vector3(1, 1, 0.499)),
            SensorCorrection(offDiagonal: Vector3(0, 0, -0.501)), SensorCorrection(offset: Vector3(0, .infinity, 0)),
        ] { #expect(!wrong.isValid) }
        // THEN a correction after another has its offset moved back by the inverse of the earlier matrix
        let offsets = SensorCorrection(offset: Vector3(0.25, -0.5, 1)).after(correction)
        let moved = correction.apply(offsets.offset)
        #expect((moved - Vector3(0.25, -0.5, 1)).length < 1e-12)
    }

    @Test func theFitFindsACorrectionWithItsSigmas() throws {
        // GIVEN readings of a length of 5 on a grid of directions, through the inverse of a known correction
        let known = SensorCorrection(
            offset: Vector3(0.3, -0.2, 0.1), diagonal: Vector3(1.02, 0.97, 1.01),
            offDiagonal: Vector3(0.01, -0.02, 0.015))
        let steps = [-1.0, -0.4, 0.3, 1]
        let directions = steps.flatMap { x in steps.flatMap { y in steps.compactMap { Vector3(x, y, $0).normalized } } }
        let determinant = known.rows[0].dot(known.rows[1].cross(known.rows[2]))
        let readings = directions.map { direction -> Vector3 in
            let v = direction * 5
            let m = known.rows
            let back = Vector3(m[1].cross(m[2]).dot(v), m[2].cross(m[0]).dot(v), m[0].cross(m[1]).dot(v)) / determinant
            return back + known.offset
        }
        // THEN both the start and the fit give it back, and no residual is left
        let fit = try #require(EllipsoidFit(readings, length: 5, shape: .full))
        #expect((fit.correction.offset - known.offset).length < 1e-9)
        #expect((fit.correction.diagonal - known.diagonal).length < 1e-9)
        #expect((fit.correction.offDiagonal - known.offDiagonal).length < 1e-9)
        #expect(try #require(fit.residualShare) < 1e-9)
        let start = try #require(EllipsoidFit.start(readings))
        let scale = 5 / start.length
        #expect((start.correction.offset - known.offset).length < 1e-9)
        #expect((start.correction.diagonal * scale - known.diagonal).length < 1e-9)
        #expect((start.correction.offDiagonal * scale - known.offDiagonal).length < 1e-9)
        // GIVEN six readings on the axes, which leave no residual THEN half a per cent is assumed: each axis is known
        // by two readings, so that the offset has that over the root of two, and the scale too
        let axes = [Vector3.unitX, .unitY, .unitZ].flatMap { [$0 * 5, $0 * -5] }
        let scales = try #require(EllipsoidFit(axes, length: 5, shape: .scales))
        #expect((scales.offsetSigmaShare - Vector3(repeating: 0.005 / 2.0.squareRoot())).length < 1e-12)
        #expect((scales.scaleSigma - Vector3(repeating: 0.005 / 2.0.squareRoot())).length < 1e-12)
        #expect(scales.offDiagonalSigma == .zero)
        for length in [0.0, -1, .infinity, .nan] { #expect(EllipsoidFit(axes, length: length, shape: .scales) == nil) }
        #expect(EllipsoidFit.start(Array(readings.prefix(9))) == nil)
    }

    @Test func everyCellOfASphereIsSeenOnce() {
        // GIVEN the four quarters of each face, one after the other THEN each is one cell more
        var coverage = DirectionCoverage()
        var count = 0
        for face in Face.all {
            for (a, b) in [(0.3, 0.3), (0.3, -0.3), (-0.3, 0.3), (-0.3, -0.3)] {
                var direction = Vector3.zero
                direction[face.axis] = face.isNegative ? -1 : 1
                direction[(face.axis + 1) % 3] = a
                direction[(face.axis + 2) % 3] = b
                #expect(coverage.missingFaces.contains(face))
                coverage.note(direction)
                coverage.note(direction)
                count += 1
                #expect(coverage.seenCount == count)
            }
            #expect(!coverage.missingFaces.contains(face))
        }
        #expect(Face.all.map(\.name) == ["+x", "-x", "+y", "-y", "+z", "-z"] && coverage.missingFaces.isEmpty)
        // THEN the emptiest face comes first, and what is no direction is none
        var few = DirectionCoverage()
        for direction in [
            Vector3(1, 0.1, 0.1), Vector3(-1, 0.1, 0.1), Vector3(-1, -0.1, 0.1), .zero, Vector3(repeating: .nan),
        ] {
            few.note(direction)
        }
        #expect(few.seenCount == 3 && few.missingFaces.suffix(2).map(\.name) == ["+x", "-x"])
    }

    @Test func aCheckIsGoodAtItsLimit() {
        func passes(_ value: Double, _ limit: CalibrationCheck.Limit) -> Bool {
            CalibrationCheck("x", value, "", limit, remedy: "").passes
        }
        #expect(passes(2, .atMost(2)) && !passes(2.001, .atMost(2)) && !passes(.nan, .atMost(2)))
        #expect(passes(2, .atLeast(2)) && !passes(1.999, .atLeast(2)) && !passes(.nan, .atLeast(2)))
        #expect(!CalibrationReport(values: [], checks: []).passes)
        #expect(
            CollectionProgress(share: 1, advice: "").isComplete
                && !CollectionProgress(share: 0.999, advice: "").isComplete)
    }
}

/// The stored documents.
private enum Stored {
    static let gyro = #"""
        Allan deviation of the gyro, rad/s
          1e-1 |                                                               \#u{20}
               |    y                                                          \#u{20}
               |    x                                                          \#u{20}
               |               z                                               \#u{20}
          1e-2 |                                                               \#u{20}
               |                                    y                          \#u{20}
               |                          x                                    \#u{20}
               |                                                               \#u{20}
               |                                                            z  \#u{20}
          1e-3 |                                                   x           \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
          1e-4 |                                                               \#u{20}
               +----------------------------------------------------------------
                1e-2 s                                                     1e2 s

        """#
    static let accelerometer = #"""
        Allan deviation of the accelerometer, m/s2
          1e-1 |x                                                              \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
               |                                                               \#u{20}
          1e-2 |                                                               x
               +----------------------------------------------------------------
                1e0 s                                                      1e1 s

        """#
    static let drawing = #"""
        <svg xmlns="http://www.w3.org/2000/svg" width="980" height="480" viewBox="0 0 980 480" font-family="sans\#
        -serif" font-size="12">
        <title>a &quot;b&quot; &amp; &lt;c&gt;</title>
        <rect width="100%" height="100%" fill="white"/>
        <text x="20" y="26" font-size="16">a &quot;b&quot; &amp; &lt;c&gt;</text>
        <line x1="80.0" y1="60.0" x2="80.0" y2="420.0" stroke="#ccc"/>
        <text x="80.0" y="436.0" text-anchor="middle">1e-2</text>
        <line x1="175.0" y1="60.0" x2="175.0" y2="420.0" stroke="#ccc"/>
        <text x="175.0" y="436.0" text-anchor="middle">1e-1</text>
        <line x1="270.0" y1="60.0" x2="270.0" y2="420.0" stroke="#ccc"/>
        <text x="270.0" y="436.0" text-anchor="middle">1e0</text>
        <line x1="365.0" y1="60.0" x2="365.0" y2="420.0" stroke="#ccc"/>
        <text x="365.0" y="436.0" text-anchor="middle">1e1</text>
        <line x1="460.0" y1="60.0" x2="460.0" y2="420.0" stroke="#ccc"/>
        <text x="460.0" y="436.0" text-anchor="middle">1e2</text>
        <line x1="80.0" y1="420.0" x2="460.0" y2="420.0" stroke="#ccc"/>
        <text x="74.0" y="420.0" text-anchor="end">1e-4</text>
        <line x1="80.0" y1="300.0" x2="460.0" y2="300.0" stroke="#ccc"/>
        <text x="74.0" y="300.0" text-anchor="end">1e-3</text>
        <line x1="80.0" y1="180.0" x2="460.0" y2="180.0" stroke="#ccc"/>
        <text x="74.0" y="180.0" text-anchor="end">1e-2</text>
        <line x1="80.0" y1="60.0" x2="460.0" y2="60.0" stroke="#ccc"/>
        <text x="74.0" y="60.0" text-anchor="end">1e-1</text>
        <polyline fill="none" stroke="#0072B2" stroke-width="1.5" points="108.6,122.7 241.4,227.8 393.6,318.6"/>
        <text x="88.0" y="376.0" fill="#0072B2" font-size="11">gyro x: N 0.0707 deg/s/sqrt(Hz),\#
         B 0.0198 deg/s</text>
        <polyline fill="none" stroke="#D55E00" stroke-width="1.5" points="108.6,96.1 298.6,206.6"/>
        <text x="88.0" y="392.0" fill="#D55E00" font-size="11">gyro y: N 0.0707 deg/s/sqrt(Hz),\#
         B not seen</text>
        <polyline fill="none" stroke="#009E73" stroke-width="1.5" points="175.0,143.9 445.3,295.0"/>
        <text x="88.0" y="408.0" fill="#009E73" font-size="11">gyro z: N 0.0707 deg/s/sqrt(Hz),\#
         B not seen</text>
        <text x="80.0" y="50.0">gyro: Allan deviation, rad/s</text>
        <text x="270.0" y="456.0" text-anchor="middle">averaging time, s</text>
        <line x1="570.0" y1="60.0" x2="570.0" y2="420.0" stroke="#ccc"/>
        <text x="570.0" y="436.0" text-anchor="middle">1e0</text>
        <line x1="950.0" y1="60.0" x2="950.0" y2="420.0" stroke="#ccc"/>
        <text x="950.0" y="436.0" text-anchor="middle">1e1</text>
        <line x1="570.0" y1="420.0" x2="950.0" y2="420.0" stroke="#ccc"/>
        <text x="564.0" y="420.0" text-anchor="end">1e-2</text>
        <line x1="570.0" y1="60.0" x2="950.0" y2="60.0" stroke="#ccc"/>
        <text x="564.0" y="60.0" text-anchor="end">1e-1</text>
        <polyline fill="none" stroke="#0072B2" stroke-width="1.5" points="570.0,60.0 950.0,420.0"/>
        <text x="578.0" y="376.0" fill="#0072B2" font-size="11">accelerometer x: N 0.00123 m/s2/sqrt(Hz),\#
         B 0.02 m/s2</text>
        <text x="570.0" y="50.0">accelerometer: Allan deviation, m/s2</text>
        <text x="760.0" y="456.0" text-anchor="middle">averaging time, s</text>
        </svg>

        """#
    static let noiseNames = [
        "gyro_random_walk_deg_s_sqrt_hz", "gyro_bias_instability_deg_s", "gyro_lowest_over_0664_deg_s",
        "gyro_lowest_at_s", "gyro_rate_random_walk_deg_s_sqrt_s", "accelerometer_random_walk_m_s2_sqrt_hz",
        "accelerometer_bias_instability_m_s2", "accelerometer_lowest_over_0664_m_s2", "accelerometer_lowest_at_s",
        "accelerometer_rate_random_walk_m_s2_sqrt_s", "seconds", "samples", "rate_hz", "gaps",
    ]
    static let installationNames = [
        "mount_roll_pitch_yaw_deg", "mount_sigma_deg", "sensor_to_body_row_1", "sensor_to_body_row_2",
        "sensor_to_body_row_3", "antenna_forward_left_m", "antenna_sigma_m", "position_lag_s", "velocity_lag_s",
        "lag_sigma_s", "wheel_scale", "wheel_lag_s",
    ]
}
