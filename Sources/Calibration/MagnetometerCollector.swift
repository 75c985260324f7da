import Measurements
import PoseMath

/// Measures hard and soft iron of a magnetometer while the device is turned to all sides.
public struct MagnetometerCollector: CalibrationCollector {
    /// The sensor that it measures.
    public static let sensor = SensorKind.magnetometer
    /// Cells of directions that are needed, of 24.
    static let neededCells = 20
    /// Readings that are needed.
    static let neededReadings = 100
    /// Largest residual, as a share of the field: 1 % is half a degree.
    static let largestResidual = 0.03
    /// Largest 1-sigma of the hard iron, as a share of the field, and of a scale.
    static let largestSigma = 0.01
    /// Field strengths of the Earth, tesla, and some more on both sides: 22 to 67 uT (NOAA, World Magnetic Model 2025).
    static let fields = 15e-6...80e-6
    /// Largest deviation of the matrix from the identity: more is iron that saturates.
    static let largestSoftIron = 0.3

    private var readings: [Vector3] = []
    private var last: Vector3?
    /// Change of the field from which a reading is kept, as a share of the spread of the readings.
    private var leastChange = 0.02
    private var extent = (low: Vector3(repeating: .infinity), high: Vector3(repeating: -.infinity))

    /// Readings that are kept at most; every other one is dropped where more come.
    private static let mostReadings = 4096
    /// A larger reading is an error of the sensor, tesla.
    private static let largestReading = 0.01

    /// A collector without readings.
    public init() {}

    /// Takes a measurement; others than those of its sensor are ignored.
    public mutating func add(_ event: SensorEvent) {
        guard case .magnetic(let sample) = event else { return }
        let reading = sample.fluxDensityTesla
        guard reading.isFinite, reading.length < Self.largestReading else { return }
        extent = (
            pointwiseMin(extent.low, reading), pointwiseMax(extent.high, reading)
        )
        if let last, (reading - last).length < leastChange * (extent.high - extent.low).length / 2 { return }
        last = reading
        readings.append(reading)
        guard readings.count > Self.mostReadings else { return }
        readings = readings.indices.filter { $0 % 2 == 0 }.map { readings[$0] }
        leastChange *= 1.5
    }

    /// Directions as far as a sphere about the middle of the readings shows them.
    private func coverage(_ correction: SensorCorrection?) -> DirectionCoverage {
        var coverage = DirectionCoverage()
        let middle = (extent.low + extent.high) / 2
        for reading in readings { coverage.note(correction?.apply(reading) ?? (reading - middle)) }
        return coverage
    }

    /// How far it is, and what to do.
    public var progress: CollectionProgress {
        guard readings.count >= 10 else {
            return CollectionProgress(
                share: 0, advice: "turn the device slowly to all sides, far from iron", coverage: "0 of 24 directions")
        }
        // At rest the readings are noise; directions of noise are none.
        guard (extent.high - extent.low).length > Self.fields.lowerBound else {
            return CollectionProgress(
                share: 0, advice: "turn the device slowly to all sides, far from iron", coverage: "0 of 24 directions")
        }
        let coverage = coverage(EllipsoidFit.start(readings)?.correction)
        let seen = coverage.seenCount
        let share = min(
            Double(seen) / Double(Self.neededCells), Double(readings.count) / Double(Self.neededReadings))
        let advice: String
        if share >= 1 {
            advice = "done"
        } else if let face = coverage.missingFaces.first, seen < Self.neededCells {
            advice = "turn it so that its \(face.name) side points along the field (north, and down)"
        } else {
            advice = "keep turning it slowly"
        }
        return CollectionProgress(
            share: share, advice: advice, coverage: "\(seen) of \(DirectionCoverage.count) directions")
    }

    /// The result of what was collected so far.
    /// docs/math.md, eq. 13.7.
    public func report() -> CalibrationReport {
        guard let start = EllipsoidFit.start(readings),
            let fit = EllipsoidFit(readings, length: start.length, shape: .full, from: start.correction)
        else {
            let cells = coverage(nil).seenCount
            // Noise of a device at rest covers every direction: without an ellipsoid there is no result.
            let residual = CalibrationCheck(
                "residual", .infinity, "% of the field", .atMost(Self.largestResidual * 100),
                remedy: "turn the device about all three axes, upside down too")
            return CalibrationReport(
                values: [], checks: [coverageCheck(cells, []), residual], notes: [notDetermined])
        }
        // The matrix has a mean of 1 on its diagonal: the length is the field's as the sensor states it.
        let mean = (fit.correction.diagonal.x + fit.correction.diagonal.y + fit.correction.diagonal.z) / 3
        var correction = fit.correction
        correction.diagonal /= Vector3(repeating: mean)
        correction.offDiagonal /= Vector3(repeating: mean)
        let field = start.length / mean
        let covered = coverage(correction)
        return CalibrationReport(
            values: [
                CalibrationValue("hard_iron_ut", (correction.offset * 1e6).list),
                CalibrationValue("hard_iron_sigma_ut", (fit.offsetSigmaShare * field * 1e6).list),
                CalibrationValue("soft_iron_diagonal", correction.diagonal.list),
                CalibrationValue("soft_iron_yz_xz_xy", correction.offDiagonal.list),
                CalibrationValue("field_ut", [field * 1e6]), CalibrationValue("readings", [Double(readings.count)]),
            ],
            checks: checks(fit, correction, field: field, covered), correction: correction)
    }

    private var notDetermined: String {
        "\(readings.count) readings lie on no ellipsoid: the device was turned about too few axes"
    }

    private func coverageCheck(_ cells: Int, _ missing: [Face]) -> CalibrationCheck {
        let names = missing.isEmpty ? "" : "; least: \(missing.prefix(3).map(\.name).joined(separator: " "))"
        return CalibrationCheck(
            "directions", Double(cells), "of 24", .atLeast(Double(Self.neededCells)),
            remedy: "turn the device about all three axes, upside down too\(names)")
    }

    private func checks(
        _ fit: EllipsoidFit, _ correction: SensorCorrection, field: Double, _ covered: DirectionCoverage
    ) -> [CalibrationCheck] {
        let deviation = correction.diagonal - Vector3(repeating: 1)
        let iron = "move away from iron (table, speaker, car body), and repeat"
        return [
            coverageCheck(covered.seenCount, covered.missingFaces),
            CalibrationCheck(
                "readings", Double(readings.count), "", .atLeast(Double(Self.neededReadings)),
                remedy: "turn the device for a longer time"),
            CalibrationCheck(
                "residual", (fit.residualShare ?? .infinity) * 100, "% of the field",
                .atMost(Self.largestResidual * 100), remedy: iron),
            CalibrationCheck(
                "sigma of the hard iron", fit.offsetSigmaShare.max() * 100, "% of the field",
                .atMost(Self.largestSigma * 100), remedy: "turn the device to more sides"),
            CalibrationCheck(
                "sigma of the scale", fit.scaleSigma.max() * 100, "%", .atMost(Self.largestSigma * 100),
                remedy: "turn the device to more sides"),
            CalibrationCheck(
                "field", field * 1e6, "uT", .atLeast(Self.fields.lowerBound * 1e6),
                remedy: "check the scale of the magnetometer (imu.magnetometer_scale)"),
            CalibrationCheck("field", field * 1e6, "uT", .atMost(Self.fields.upperBound * 1e6), remedy: iron),
            CalibrationCheck(
                "soft iron", max(deviation.magnitude, correction.offDiagonal.magnitude) * 100, "%",
                .atMost(Self.largestSoftIron * 100), remedy: "mount the sensor further from iron"),
        ]
    }
}
