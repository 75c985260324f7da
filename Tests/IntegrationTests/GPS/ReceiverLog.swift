import Foundation
import Measurements

/// A receiver's log from the shared test data, with gpsd's expected results.
struct ReceiverLog {
    /// One epoch of the `.chk` file.
    struct Epoch {
        var time: String
        var latitudeDegrees: Double
        var longitudeDegrees: Double
        /// All values given in any report of the epoch.
        var altitudesMeters: [Double]
        var speedsMetersPerSecond: [Double]
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "shared/data/gpsd_logs")

    /// Whether the logs are available.
    static var areThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// The log's bytes without the comments at its top.
    let bytes: [UInt8]
    /// The epochs with a fix, in order.
    let epochs: [Epoch]

    init(_ name: String) throws {
        var bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name + ".log")))
        while bytes.first == UInt8(ascii: "#"), let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            bytes.removeFirst(end + 1)
        }
        self.bytes = bytes
        epochs = try Self.epochs(of: Self.folder.appendingPathComponent(name + ".log.chk"))
    }

    private static func epochs(of file: URL) throws -> [Epoch] {
        var epochs: [Epoch] = []
        let start = Array("{\"class\":\"TPV\"".utf8)
        for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) where line.starts(with: start) {
            guard let report = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                (report["mode"] as? Int ?? 0) >= 2,
                let time = report["time"] as? String, let latitude = report["lat"] as? Double,
                let longitude = report["lon"] as? Double
            else { continue }
            if epochs.last?.time != time {
                epochs.append(
                    Epoch(
                        time: time, latitudeDegrees: 0, longitudeDegrees: 0, altitudesMeters: [],
                        speedsMetersPerSecond: []))
            }
            let last = epochs.count - 1
            epochs[last].latitudeDegrees = latitude
            epochs[last].longitudeDegrees = longitude
            if let altitude = report["altMSL"] as? Double { epochs[last].altitudesMeters.append(altitude) }
            if let speed = report["speed"] as? Double { epochs[last].speedsMetersPerSecond.append(speed) }
        }
        return epochs
    }

    /// For each fix, in order, the number of the first epoch after the previous match with its position and speed;
    /// `nil` if there is none.
    func epochs(matching fixes: [GnssFix]) -> [Int?] {
        var next = 0
        return fixes.map { fix in
            guard let found = epochs[next...].firstIndex(where: { Self.agree(fix, $0) }) else { return nil }
            next = found + 1
            return found
        }
    }

    /// gpsd prints positions to 1e-9 degrees, speeds to a millimetre and heights to a tenth of one; speed from its
    /// components has an error of 1e-12.
    private static func agree(_ fix: GnssFix, _ epoch: Epoch) -> Bool {
        let latitude = (fix.latitudeRadians ?? 9) * 180 / .pi
        let longitude = (fix.longitudeRadians ?? 9) * 180 / .pi
        guard abs(latitude - epoch.latitudeDegrees) < 2e-9, abs(longitude - epoch.longitudeDegrees) < 2e-9 else {
            return false
        }
        if let altitude = fix.altitudeMeanSeaMeters,
            !epoch.altitudesMeters.contains(where: { abs($0 - altitude) < 0.001 })
        {
            return false
        }
        guard let velocity = fix.horizontalVelocity, velocity.speedMetersPerSecond > 0 else { return true }
        return epoch.speedsMetersPerSecond.contains { abs($0 - velocity.speedMetersPerSecond) < 0.0011 }
    }
}
