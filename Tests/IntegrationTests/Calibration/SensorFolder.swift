import Foundation
import PoseMath

/// A recording of sensors with known errors, as a folder of CSV files.
struct SensorFolder {
    private let folder: TemporaryFolder
    private var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var time = 0.0
    private var rows = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path }

    /// A number with variance 1: the sum of twelve uniform ones.
    private mutating func noise() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return sum + Double(seed >> 11) * 0x1p-53
        }
    }

    private mutating func noise3(_ sigma: Double) -> Vector3 { Vector3(noise(), noise(), noise()) * sigma }

    /// Adds seconds at rest at 100 Hz.
    mutating func rest(_ seconds: Double, rate: Vector3, force: Vector3, noise: (rate: Double, force: Double)) {
        for _ in 0..<Int((seconds * 100).rounded()) {
            add(rate + noise3(noise.rate), force + noise3(noise.force))
        }
    }

    /// Adds a second of turning by hand.
    mutating func turn() {
        for _ in 0..<100 { add(noise3(1), noise3(6)) }
    }

    private mutating func add(_ rate: Vector3, _ force: Vector3) {
        time += 0.01
        let numbers = [rate.x, rate.y, rate.z, force.x, force.y, force.z]
        rows += String(format: "%.2f", time) + numbers.map { String(format: ",%.6f", $0) }.joined() + "\n"
    }

    /// Adds readings of a magnetometer, microtesla.
    mutating func magnetometer(_ readings: [Vector3]) throws {
        let lines = readings.enumerated().map { index, m in
            String(format: "%.2f,%.3f,%.3f,%.3f", Double(index) * 0.02, m.x, m.y, m.z)
        }
        try folder.write(
            "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n" + lines.joined(separator: "\n") + "\n", to: "mag.csv")
    }

    /// Writes the readings of the IMU.
    func finish() throws { try folder.write(rows, to: "imu.csv") }
}
