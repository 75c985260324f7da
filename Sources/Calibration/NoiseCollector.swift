import Measurements
import PoseMath

/// Measures the noise of gyro and accelerometer while the sensor lies still: the Allan deviation and what follows from
/// it.
public struct NoiseCollector: CalibrationCollector {
    /// The sensor that it measures.
    public static let sensor = SensorKind.imu
    /// One curve: a sensor's axis.
    public struct Curve: Hashable, Sendable {
        /// `gyro x` and so on.
        public var name: String
        /// Its points, in rad/s or m/s2.
        public var points: [AllanFit.Point]
        /// What was found; `nil` where the samples do not show it.
        public var fit: AllanFit?
        /// Whether it is the gyro's.
        public var isGyro: Bool
    }

    /// Shortest time that gives a result, seconds.
    public static let shortestSeconds = 120.0
    /// Time that shows the bias instability of consumer sensors, seconds.
    public static let usualSeconds = 3600.0
    /// Largest 1-sigma of the random walk, as a share.
    static let largestShare = 0.05
    /// Largest random walk of a working consumer sensor, deg/s/sqrt(Hz) and m/s2/sqrt(Hz).
    static let (largestGyroWalk, largestAccelerometerWalk) = (0.2, 0.05)
    /// Share of the time that a shaken sensor may not be still.
    static let largestMovedShare = 0.02
    /// A gap is this many times the mean interval.
    private static let gapFactor = 2.5
    /// Samples after which the mean interval is known.
    private static let settledCount = 20

    private var gyro = AllanVariance()
    private var accelerometer = AllanVariance()
    private var windows = RestWindows()
    private var windowCounts = (still: 0, moved: 0)
    private var last: MonotonicTime?
    private var elapsed = 0.0
    private var intervals = 0
    private var gaps = 0
    private let neededSeconds: Double

    /// A collector for a measurement of that many seconds, at least ``shortestSeconds``.
    public init(neededSeconds: Double = NoiseCollector.usualSeconds) {
        self.neededSeconds = max(neededSeconds, Self.shortestSeconds)
    }

    /// Takes a measurement; others than those of its sensor are ignored.
    public mutating func add(_ event: SensorEvent) {
        guard case .inertial(let sample) = event, sample.angularRateRadiansPerSecond.isFinite,
            sample.specificForceMetersPerSecondSquared.isFinite
        else { return }
        if let window = windows.add(sample) {
            if window.isStill { windowCounts.still += 1 } else { windowCounts.moved += 1 }
        }
        if let last {
            guard sample.time > last else { return }
            note(sample.time.seconds(since: last))
        }
        last = sample.time
        gyro.add(sample.angularRateRadiansPerSecond)
        accelerometer.add(sample.specificForceMetersPerSecondSquared)
    }

    private mutating func note(_ seconds: Double) {
        if intervals >= Self.settledCount, seconds > Self.gapFactor * elapsed / Double(intervals) {
            gaps += 1
            gyro.noteGap()
            accelerometer.noteGap()
        } else {
            elapsed += seconds
            intervals += 1
        }
    }

    private var interval: Double? { intervals > 0 ? elapsed / Double(intervals) : nil }

    /// How far it is, and what to do.
    public var progress: CollectionProgress {
        let left = max(neededSeconds - elapsed, 0)
        let advice =
            left == 0
            ? "done"
            : "leave it still, on a firm table: \(Int((left / 60).rounded(.up))) min more; Ctrl-C uses what there is"
        return CollectionProgress(
            share: min(elapsed / neededSeconds, 1), advice: advice,
            coverage: "\(Int(elapsed)) s, \(gyro.count) samples")
    }

    /// The curves of all six axes.
    public var curves: [Curve] {
        guard let interval else { return [] }
        let axes = ["x", "y", "z"]
        return [(gyro, true), (accelerometer, false)].flatMap { variance, isGyro in
            let points = variance.points
            return (0..<3).map { axis in
                let curve = points.map { point in
                    AllanFit.Point(
                        seconds: Double(point.samples) * interval, deviation: point.variance[axis].squareRoot(),
                        freedom: AllanVariance.degreesOfFreedom(samples: point.samples, of: variance.count))
                }
                return Curve(
                    name: "\(isGyro ? "gyro" : "accelerometer") \(axes[axis])", points: curve, fit: AllanFit(curve),
                    isGyro: isGyro)
            }
        }
    }

    /// The result of what was collected so far.
    public func report() -> CalibrationReport {
        let curves = curves
        var values: [CalibrationValue] = []
        for isGyro in [true, false] {
            let fits = curves.filter { $0.isGyro == isGyro }.map(\.fit)
            let (name, unit) = isGyro ? ("gyro", "deg_s") : ("accelerometer", "m_s2")
            let factor = isGyro ? 180 / Double.pi : 1
            func numbers(_ of: (AllanFit) -> Double?) -> [Double] {
                fits.map { ($0.flatMap(of) ?? .nan) * factor }
            }
            values += [
                CalibrationValue("\(name)_random_walk_\(unit)_sqrt_hz", numbers(\.randomWalk)),
                CalibrationValue("\(name)_bias_instability_\(unit)", numbers(\.biasInstability)),
                CalibrationValue("\(name)_lowest_over_0664_\(unit)", numbers(\.lowest.deviation)),
                CalibrationValue("\(name)_lowest_at_s", fits.map { $0?.lowest.seconds ?? .nan }),
                CalibrationValue("\(name)_rate_random_walk_\(unit)_sqrt_s", numbers(\.rateRandomWalk)),
            ]
        }
        values += [
            CalibrationValue("seconds", [elapsed]), CalibrationValue("samples", [Double(gyro.count)]),
            CalibrationValue("rate_hz", [interval.map { 1 / $0 } ?? .nan]), CalibrationValue("gaps", [Double(gaps)]),
        ]
        return CalibrationReport(values: values, checks: checks(curves), notes: notes(curves))
    }

    private func checks(_ curves: [Curve]) -> [CalibrationCheck] {
        func worst(_ isGyro: Bool, _ of: (AllanFit) -> Double) -> Double {
            curves.filter { $0.isGyro == isGyro }.map { $0.fit.map(of) ?? .infinity }.max() ?? .infinity
        }
        let still = "lay the sensor on a firm table away from engines and fans, and do not touch it"
        let windows = max(windowCounts.still + windowCounts.moved, 1)
        return [
            CalibrationCheck(
                "time", elapsed, "s", .atLeast(Self.shortestSeconds),
                remedy: "record longer: two minutes show the random walk, an hour the bias instability"),
            CalibrationCheck(
                "time in motion", Double(windowCounts.moved) / Double(windows) * 100, "%",
                .atMost(Self.largestMovedShare * 100), remedy: still),
            CalibrationCheck(
                "sigma of the random walk",
                max(worst(true, \.randomWalkSigmaShare), worst(false, \.randomWalkSigmaShare)) * 100, "%",
                .atMost(Self.largestShare * 100), remedy: "record longer"),
            CalibrationCheck(
                "random walk of the gyro", worst(true, \.randomWalk) * 180 / .pi, "deg/s/sqrt(Hz)",
                .atMost(Self.largestGyroWalk), remedy: still),
            CalibrationCheck(
                "random walk of the accelerometer", worst(false, \.randomWalk), "m/s2/sqrt(Hz)",
                .atMost(Self.largestAccelerometerWalk), remedy: still),
        ]
    }

    private func notes(_ curves: [Curve]) -> [String] {
        var notes: [String] = []
        let unseen = curves.filter { $0.fit?.biasInstability == nil }.map(\.name)
        if !unseen.isEmpty {
            notes.append(
                "the bias instability of \(unseen.joined(separator: ", ")) is not seen: the curve has no flat part; "
                    + "record longer (at least an hour), at a constant temperature")
        }
        if gaps > 0 { notes.append("\(gaps) gaps: no difference reaches across them") }
        return notes
    }
}
