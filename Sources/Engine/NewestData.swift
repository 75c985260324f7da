import Frames
import Measurements
import PoseMath

/// When each kind of source gave its newest data, and whether the sources are simulated.
///
/// A reset forgets the times, so that a replay that begins with it has the same ages: they are unknown until the next
/// data. Which sources are simulated stays.
struct NewestData: Sendable {
    private var gps: MonotonicTime?
    /// Of the IMU.
    private(set) var imu: MonotonicTime?
    private var magnetometer: MonotonicTime?
    private var barometer: MonotonicTime?
    private var wheels: MonotonicTime?
    /// One bit for each kind of source.
    private var simulated: UInt8 = 0

    /// Whether any source that is present is a simulation.
    var isSimulated: Bool { simulated != 0 }

    /// Notes data by their time of validity; late data do not make a source older.
    mutating func note(_ kind: SensorKind, _ time: MonotonicTime) {
        func later(_ old: MonotonicTime?) -> MonotonicTime { old.map { max($0, time) } ?? time }
        switch kind {
        case .gps: gps = later(gps)
        case .imu: imu = later(imu)
        case .magnetometer: magnetometer = later(magnetometer)
        case .barometer: barometer = later(barometer)
        case .wheels: wheels = later(wheels)
        }
    }

    /// Notes whether a source is a simulation.
    mutating func note(_ report: SourceReport) {
        let bit: UInt8 =
            switch report.source {
            case .gps: 1
            case .imu: 2
            case .magnetometer: 4
            case .barometer: 8
            case .wheels: 16
            }
        if report.isSimulated && report.state != .absent { simulated |= bit } else { simulated &= ~bit }
    }

    /// Forgets the times.
    mutating func forget() { (gps, imu, magnetometer, barometer, wheels) = (nil, nil, nil, nil, nil) }

    /// Writes the ages at an instant.
    func writeAges(at time: MonotonicTime, to sources: inout Frame.Sources) {
        func age(_ newest: MonotonicTime?) -> Double? { newest.map { max(time.seconds(since: $0), 0) } }
        sources.gpsAgeSeconds = age(gps)
        sources.imuAgeSeconds = age(imu)
        sources.magnetometerAgeSeconds = age(magnetometer)
        sources.barometerAgeSeconds = age(barometer)
        sources.wheelsAgeSeconds = age(wheels)
    }
}
