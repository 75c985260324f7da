import BoundedJSON
import Calibration
import Glibc
import Measurements
import Platform
import PoseMath

/// Reads the samples of IMU and magnetometer from the running daemon, by the command `samples`.
package struct SampleClient: ~Copyable {
    /// What came since the last call.
    package struct Batch: Sendable {
        /// The samples: first those of the IMU, then those of the magnetometer, each by rising time.
        package var events: [SensorEvent] = []
        /// Samples that were lost before these.
        package var lost = 0
        /// The device of gyro and accelerometer, as the daemon names it; `nil` while unknown.
        package var imuDevice: String?
        /// The device of the magnetometer.
        package var magnetometerDevice: String?
        /// The corrections that the samples have already.
        package var corrections = SensorCorrections()
    }

    private var connection: StreamConnection
    private let socketPath: String
    private var last: Int?
    /// Longest wait for a reply, seconds.
    private static let replySeconds = 5.0
    /// Samples in a full reply: more are waiting.
    private static let fullReply = 256

    /// Connects to the daemon.
    package init(socketPath: String) throws(CommandClient.Failure) {
        self.socketPath = socketPath
        do throws(StreamConnection.Failure) {
            connection = try StreamConnection(path: socketPath)
        } catch { throw .noDaemon(error.description) }
    }

    /// The samples since the last call; the first call gives none.
    package mutating func next() throws(CommandClient.Failure) -> Batch {
        var batch = Batch()
        // A daemon that is late sends several replies; some of them bound the time of one call.
        for _ in 0..<16 {
            let root = try reply()
            let imu = root["imu"]?.elements.compactMap(Self.inertial) ?? []
            let magnetometer = root["mag"]?.elements.compactMap(Self.magnetic) ?? []
            last = root["last"]?.int ?? last
            batch.events += imu + magnetometer
            batch.lost += max(root["lost"]?.int ?? 0, 0)
            batch.imuDevice = root["imu_device"]?.string
            batch.magnetometerDevice = root["mag_device"]?.string
            batch.corrections.gyro = Self.correction(root["gyro_correction"])
            batch.corrections.accelerometer = Self.correction(root["accelerometer_correction"])
            batch.corrections.magnetometer = Self.correction(root["magnetometer_correction"], unit: 1e6)
            guard imu.count + magnetometer.count >= Self.fullReply else { break }
        }
        return batch
    }

    private mutating func reply() throws(CommandClient.Failure) -> JSONValue {
        let request = last.map { "{\"cmd\":\"samples\",\"after\":\($0)}" } ?? "{\"cmd\":\"samples\"}"
        let closed = CommandClient.Failure.noDaemon("\(socketPath): posed closed the connection")
        guard connection.send(request) else { throw closed }
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < Self.replySeconds {
            var ready = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            var lines: [[UInt8]] = []
            let isConnected = connection.receive { lines.append($0) }
            for line in lines {
                guard let root = (try? JSONDocument(bytes: line))?.root, root["type"]?.string == "reply" else {
                    continue
                }
                if root["ok"]?.bool == true { return root }
                throw .rejected(root["error"].map { StatusReply.problem($0) } ?? String(decoding: line, as: UTF8.self))
            }
            if !isConnected { throw closed }
        }
        throw .noDaemon("\(socketPath): no reply in \(Int(Self.replySeconds)) s; see the journal of posed")
    }

    private static func inertial(_ value: JSONValue) -> SensorEvent? {
        let n = value.elements.compactMap(\.double)
        guard n.count == 7, let time = time(value) else { return nil }
        return .inertial(
            InertialSample(
                time: time, angularRateRadiansPerSecond: Vector3(n[1], n[2], n[3]),
                specificForceMetersPerSecondSquared: Vector3(n[4], n[5], n[6])))
    }

    private static func magnetic(_ value: JSONValue) -> SensorEvent? {
        let n = value.elements.compactMap(\.double)
        guard n.count == 4, let time = time(value) else { return nil }
        return .magnetic(MagneticSample(time: time, fluxDensityTesla: Vector3(n[1], n[2], n[3]) * 1e-6))
    }

    private static func time(_ value: JSONValue) -> MonotonicTime? {
        value[0]?.int.map { MonotonicTime(nanoseconds: Int64($0)) }
    }

    private static func correction(_ value: JSONValue?, unit: Double = 1) -> SensorCorrection? {
        let n = value?.elements.compactMap(\.double) ?? []
        guard n.count == 9 else { return nil }
        let correction = SensorCorrection(
            offset: Vector3(n[0], n[1], n[2]) / unit, diagonal: Vector3(n[3], n[4], n[5]),
            offDiagonal: Vector3(n[6], n[7], n[8]))
        return correction.isValid ? correction : nil
    }
}
