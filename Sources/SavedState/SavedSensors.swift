import BoundedJSON
import Calibration
import Frames
import Fusion
import PoseMath

/// What drives have found of the sensors of one IMU, of the receiver and of the wheels: the gyro bias over temperature,
/// the receiver's lags, scale and lag of the wheels.
///
/// One line of JSON with version and checksum, checked like ``SavedMount``.
struct SavedSensors: Equatable, Sendable {
    /// The IMU, as the source identifies it.
    var imu: String
    /// Gyro bias over temperature.
    var gyroBias = GyroBiasTable()
    /// The correction of the gyro with which the biases were found; `nil` for none.
    var correction: SensorCorrection?
    /// Bias of the accelerometer.
    var accelerometerBias: SensorPrior.AccelerometerBias?
    /// The correction of the accelerometer with which its bias was found; `nil` for none.
    var accelerometerCorrection: SensorCorrection?
    /// Lags of the receiver.
    var lags: LagCalibration?
    /// Scale and lag of the wheels.
    var wheels: SensorPrior.Wheels?

    private static let version = 1
    /// Maximum length of a file, bytes.
    static let longest = 16_384
    /// Start of the file names.
    static let prefix = "sensors-"
    /// 1-sigma of a bias in the file, rad/s: a larger one is not saved.
    private static let gyroBiasSigma = 0.001

    /// Nothing known of an IMU.
    init(imu: String) { self.imu = imu }

    /// The same for the corrections in force: biases that were found with another correction of their sensor are
    /// dropped.
    func with(corrections current: SensorCorrections) -> SavedSensors {
        var other = self
        if Self.differ(correction, current.gyro, by: 1e-7) {
            (other.gyroBias, other.correction) = (GyroBiasTable(), current.gyro)
        }
        if Self.differ(accelerometerCorrection, current.accelerometer, by: 1e-4) {
            (other.accelerometerBias, other.accelerometerCorrection) = (nil, current.accelerometer)
        }
        return other
    }

    private static func differ(_ then: SensorCorrection?, _ now: SensorCorrection?, by limit: Double) -> Bool {
        let (then, now) = (then ?? SensorCorrection(), now ?? SensorCorrection())
        return zip(then.list, now.list).contains { abs($0 - $1) > limit }
    }

    /// What the next drive begins with, at a temperature of the sensor; `nil` where that is unknown.
    func prior(celsius: Double?) -> SensorPrior {
        var prior = SensorPrior()
        let learned = gyroBias.bias(at: celsius)
        prior.gyroBias = learned.map {
            SensorPrior.GyroBias(
                radiansPerSecond: $0.bias, sigmaRadiansPerSecond: Vector3(repeating: Self.gyroBiasSigma))
        }
        (prior.accelerometerBias, prior.lags, prior.wheels) = (accelerometerBias, lags, wheels)
        return prior.onTheNextDrive(kelvin: learned?.kelvin)
    }

    // MARK: - The file

    /// The content of the file.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.integer("{\"posed_sensors\":", Self.version)
        writer.string(",\"imu\":", imu)
        let entries = gyroBias.entries.flatMap { [$0.celsius, $0.bias.x, $0.bias.y, $0.bias.z, Double($0.drives)] }
        writer.numbers(",\"gyro_bias\":", entries, decimals: 9)
        if let latest = gyroBias.latest {
            writer.numbers(",\"gyro_bias_last\":", [latest.x, latest.y, latest.z], decimals: 9)
        }
        if let correction { writer.numbers(",\"gyro_correction\":", correction.list, decimals: 9) }
        if let bias = accelerometerBias {
            let (value, sigma) = (bias.metersPerSecondSquared, bias.sigmaMetersPerSecondSquared)
            writer.numbers(
                ",\"accelerometer_bias\":", [value.x, value.y, value.z, sigma.x, sigma.y, sigma.z], decimals: 6)
        }
        if let accelerometerCorrection {
            writer.numbers(",\"accelerometer_correction\":", accelerometerCorrection.list, decimals: 9)
        }
        if let lags {
            writer.numbers(
                ",\"lags_s\":",
                [
                    lags.positionSeconds, lags.positionSigmaSeconds, lags.velocitySeconds, lags.velocitySigmaSeconds,
                ], decimals: 6)
        }
        if let wheels {
            writer.numbers(
                ",\"wheels\":", [wheels.scale, wheels.scaleSigma, wheels.lagSeconds, wheels.lagSigmaSeconds],
                decimals: 6)
        }
        return StateChecksum.closed(writer.withBytes { Array($0) })
    }

    /// Reads the content of a file for one IMU.
    init(bytes: [UInt8], imu expected: String) throws(StateProblem) {
        let root = try StateChecksum.root(
            of: bytes, kind: "sensors", version: Self.version, imu: expected, longest: Self.longest)
        self.init(imu: expected)
        let entries = try Self.numbers(root, "gyro_bias") { $0 % 5 == 0 } ?? []
        let latest = try Self.numbers(root, "gyro_bias_last") { $0 == 3 }.map { Vector3($0[0], $0[1], $0[2]) }
        var found: [GyroBiasTable.Entry] = []
        for at in stride(from: 0, to: entries.count, by: 5) {
            let bias = Vector3(entries[at + 1], entries[at + 2], entries[at + 3])
            let drives = Int(min(max(entries[at + 4], 1), Double(GyroBiasTable.mostDrives)))
            found.append(GyroBiasTable.Entry(celsius: entries[at], bias: bias, drives: drives))
        }
        gyroBias = GyroBiasTable(entries: found, latest: latest)
        correction = try Self.numbers(root, "gyro_correction") { $0 == 9 }.map { SensorCorrection(list: $0) }
        accelerometerBias = try Self.numbers(root, "accelerometer_bias") { $0 == 6 }.map {
            SensorPrior.AccelerometerBias(
                metersPerSecondSquared: Vector3($0[0], $0[1], $0[2]),
                sigmaMetersPerSecondSquared: Vector3($0[3], $0[4], $0[5]))
        }
        accelerometerCorrection = try Self.numbers(root, "accelerometer_correction") { $0 == 9 }.map {
            SensorCorrection(list: $0)
        }
        lags = try Self.numbers(root, "lags_s") { $0 == 4 }.map {
            LagCalibration(
                positionSeconds: $0[0], positionSigmaSeconds: $0[1], velocitySeconds: $0[2],
                velocitySigmaSeconds: $0[3])
        }
        wheels = try Self.numbers(root, "wheels") { $0 == 4 }.map {
            SensorPrior.Wheels(scale: $0[0], scaleSigma: $0[1], lagSeconds: $0[2], lagSigmaSeconds: $0[3])
        }
        guard gyroBias.entries.count == found.count, correction?.isValid ?? true, accelerometerBias?.isValid ?? true,
            accelerometerCorrection?.isValid ?? true, lags?.isValid ?? true, wheels?.isValid ?? true
        else { throw StateProblem(description: "the numbers are not those of sensors") }
    }

    private static func numbers(
        _ root: JSONValue, _ name: String, isCount: (Int) -> Bool
    ) throws(StateProblem) -> [Double]? {
        guard let value = root[name] else { return nil }
        let numbers = value.elements.compactMap(\.double)
        guard numbers.count == value.count, isCount(numbers.count) else {
            throw StateProblem(description: "numbers of \(name) are missing")
        }
        return numbers
    }

    /// The file name of an IMU.
    static func fileName(imu: String) -> String { "\(prefix)\(StateChecksum.name(of: imu)).json" }
}

extension SensorCorrection {
    /// Offset, diagonal and off-diagonal elements.
    var list: [Double] {
        [
            offset.x, offset.y, offset.z, diagonal.x, diagonal.y, diagonal.z, offDiagonal.x, offDiagonal.y,
            offDiagonal.z,
        ]
    }

    /// The correction of nine numbers.
    init(list n: [Double]) {
        self.init(
            offset: Vector3(n[0], n[1], n[2]), diagonal: Vector3(n[3], n[4], n[5]),
            offDiagonal: Vector3(n[6], n[7], n[8]))
    }
}
