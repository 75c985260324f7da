import Calibration
import EngineRuntime
import Frames
import Measurements
import Platform
import PoseMath
import SensorInterface

extension CommandHandler {
    /// Samples in one reply at most: about 25 kB.
    static let mostSamples = 256

    /// Sends the samples of IMU and magnetometer after a number, with the devices that they come from.
    func sendSamples(_ call: CommandCall, after number: UInt64?) {
        let batch = loop.samples.read(after: number, atMost: Self.mostSamples, now: SystemClock.monotonicNow)
        let sources = board.statuses
        func source(_ kind: SensorKind) -> SourceStatus? {
            sources.first { $0.description.kind == kind && $0.device != nil }
        }
        call.reply { writer in
            writer.integer(",\"last\":", batch.last)
            writer.integer(",\"lost\":", batch.lost)
            writer.string(",\"imu_device\":", source(.imu)?.device)
            writer.string(",\"mag_device\":", source(.magnetometer)?.device)
            Self.write(",\"gyro_correction\":", source(.imu)?.corrections.gyro, &writer)
            Self.write(",\"accelerometer_correction\":", source(.imu)?.corrections.accelerometer, &writer)
            let magnetometer = source(.magnetometer)?.corrections.magnetometer
            Self.write(",\"magnetometer_correction\":", magnetometer, unit: 1e6, &writer)
            writer.literal(",\"imu\":")
            writer.list(batch.samples.compactMap(\.inertial)) { writer, sample in
                writer.integer("[", sample.time.nanoseconds)
                Self.write(sample.angularRateRadiansPerSecond, decimals: 9, &writer)
                Self.write(sample.specificForceMetersPerSecondSquared, decimals: 7, &writer)
                writer.literal("]")
            }
            writer.literal(",\"mag\":")
            writer.list(batch.samples.compactMap(\.magnetic)) { writer, sample in
                writer.integer("[", sample.time.nanoseconds)
                Self.write(sample.fluxDensityTesla * 1e6, decimals: 5, &writer)
                writer.literal("]")
            }
        }
    }

    /// Offset, diagonal and off-diagonal elements (yz, xz, xy); nothing without a correction.
    private static func write(
        _ key: StaticString, _ correction: SensorCorrection?, unit: Double = 1, _ writer: inout JSONWriter
    ) {
        guard let correction else { return }
        let (o, d, f) = (correction.offset * unit, correction.diagonal, correction.offDiagonal)
        writer.numbers(key, [o.x, o.y, o.z, d.x, d.y, d.z, f.x, f.y, f.z], decimals: 9)
    }

    private static func write(_ vector: Vector3, decimals: Int, _ writer: inout JSONWriter) {
        for axis in 0..<3 { writer.number(",", vector[axis], decimals: decimals) }
    }
}

extension SampleTap.Sample {
    /// A sample of gyro and accelerometer; `nil` for another one.
    fileprivate var inertial: InertialSample? { if case .inertial(let sample) = self { sample } else { nil } }
    /// A sample of the magnetometer; `nil` for another one.
    fileprivate var magnetic: MagneticSample? { if case .magnetic(let sample) = self { sample } else { nil } }
}
