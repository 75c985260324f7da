import Measurements
import PoseMath

/// Measures the bias of a gyro while the sensor lies still.
///
/// The Earth's rotation is part of the result: at most 0.004 deg/s, below the bias instability of a MEMS gyro over the
/// time until it is used.
public struct GyroBiasCollector: CalibrationCollector {
    /// The sensor that it measures.
    public static let sensor = SensorKind.imu
    /// Rest that is needed, seconds.
    public static let neededSeconds = 30.0
    /// Largest bias of a working gyro, deg/s: data sheets of consumer MEMS gyros promise 1 to 5.
    static let largestBias = 5.0
    /// Largest 1-sigma of the bias, deg/s.
    static let largestSigma = 0.01
    /// Largest change from the first half to the second, deg/s: a sensor that warms up changes by more.
    static let largestChange = 0.05

    private var windows = RestWindows()
    private var rates: [Vector3] = []
    private var movedWindows = 0
    private var isMoving = false

    /// Windows that are kept at most: an hour of rest.
    private static let mostWindows = 7200

    /// A collector without samples.
    public init() {}

    /// Takes a measurement; others than those of its sensor are ignored.
    public mutating func add(_ event: SensorEvent) {
        guard case .inertial(let sample) = event, let window = windows.add(sample) else { return }
        isMoving = !window.isStill
        guard window.isStill else {
            movedWindows += 1
            return
        }
        if rates.count < Self.mostWindows { rates.append(window.rate) }
    }

    /// Rest that ``report()`` uses, seconds.
    private var restSeconds: Double { Double(Self.withoutTurns(rates).count) * RestWindows.seconds }

    /// How far it is, and what to do.
    public var progress: CollectionProgress {
        let restSeconds = restSeconds
        let left = Int(max(Self.neededSeconds - restSeconds, 0).rounded(.up))
        let waiting = isMoving ? "the sensor moves: lay it down, and do not touch it" : "leave it still: \(left) s more"
        let advice = restSeconds >= Self.neededSeconds ? "done" : waiting
        return CollectionProgress(
            share: min(restSeconds / Self.neededSeconds, 1), advice: advice,
            coverage: "\(Int(restSeconds)) of \(Int(Self.neededSeconds)) s at rest")
    }

    /// The result of what was collected so far.
    /// docs/math.md, eq. 13.3.
    public func report() -> CalibrationReport {
        let used = Self.withoutTurns(rates)
        var (all, first, second) = (Spread(), Spread(), Spread())
        for (index, rate) in used.enumerated() {
            all.add(rate)
            if index < used.count / 2 { first.add(rate) } else { second.add(rate) }
        }
        let degrees = 180 / Double.pi
        let bias = all.mean * degrees
        let sigma =
            used.count > 1
            ? all.deviation * degrees / Double(used.count).squareRoot() : Vector3(repeating: .infinity)
        let change = used.count > 3 ? (second.mean - first.mean).length * degrees : .infinity
        let seconds = Double(used.count) * RestWindows.seconds
        let checks = [
            CalibrationCheck(
                "time at rest", seconds, "s", .atLeast(Self.neededSeconds),
                remedy: "lay the sensor on a table that nothing shakes, and do not touch it for half a minute"),
            CalibrationCheck(
                "largest bias", max(abs(bias.x), abs(bias.y), abs(bias.z)), "deg/s", .atMost(Self.largestBias),
                remedy: "check that the sensor did not turn, and the scale of the gyro (imu.gyro_scale)"),
            CalibrationCheck(
                "sigma of the bias", sigma.max(), "deg/s", .atMost(Self.largestSigma),
                remedy: "stop what vibrates (engine, fan), and measure longer"),
            CalibrationCheck(
                "change while measuring", change, "deg/s", .atMost(Self.largestChange),
                remedy: "let the sensor warm up for ten minutes, and repeat"),
        ]
        return CalibrationReport(
            values: [
                CalibrationValue("bias_deg_s", [bias.x, bias.y, bias.z]),
                CalibrationValue("sigma_deg_s", [sigma.x, sigma.y, sigma.z]),
            ], checks: checks, correction: SensorCorrection(offset: all.mean),
            notes: movedWindows > 0
                ? ["\(Double(movedWindows) * RestWindows.seconds) s in which the sensor moved were left out"] : [])
    }

    /// The windows without those that differ from the median by more than a slow turn.
    private static func withoutTurns(_ rates: [Vector3]) -> [Vector3] {
        guard !rates.isEmpty else { return [] }
        func median(_ axis: Int) -> Double { rates.map { $0[axis] }.sorted()[rates.count / 2] }
        let middle = Vector3(median(0), median(1), median(2))
        return rates.filter { ($0 - middle).length <= largestDifference }
    }

    /// Difference from the median from which a window is not at rest, rad/s.
    private static let largestDifference = 0.005
}
