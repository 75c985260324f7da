import BoundedJSON
import Frames
import Fusion
import PoseMath

/// The reason why a state file is not used.
struct StateProblem: Error, Equatable, CustomStringConvertible {
    /// The reason, for people.
    var description: String
}

/// The data saved from one drive to the next: the mount of one IMU, and where the antenna is from there.
///
/// One line of JSON with version and checksum. Every part is checked when it is read: a truncated or edited file, a
/// file of another IMU and a file of a later release are named problems and never give a mount.
struct SavedMount: Equatable, Sendable {
    /// The IMU, as the source identifies it.
    var imu: String
    /// The mount.
    var mount: MountEstimate

    private static let version = 1
    /// Maximum length of a file, bytes.
    static let longest = 4096

    /// The content of the file.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.integer("{\"posed_mount\":", Self.version)
        writer.string(",\"imu\":", imu)
        let (q, sigma) = (mount.sensorToBody.canonical, mount.sigmaBodyRadians)
        writer.numbers(",\"q\":", [q.w, q.x, q.y, q.z], decimals: 9)
        writer.numbers(",\"sigma_rad\":", [sigma.x, sigma.y, sigma.z], decimals: 9)
        if let antenna = mount.antenna, antenna.isWellKnown {
            writer.numbers(",\"antenna_m\":", [antenna.meters.x, antenna.meters.y], decimals: 4)
            writer.numbers(",\"antenna_sigma_m\":", [antenna.sigmaMeters.x, antenna.sigmaMeters.y], decimals: 4)
        }
        let body = writer.withBytes { Array($0) }
        return body + Array(",\"check\":\"\(Self.check(body))\"}\n".utf8)
    }

    /// Creates the saved form of a mount of one IMU.
    init(imu: String, mount: MountEstimate) {
        self.imu = imu
        self.mount = mount
    }

    /// Reads the content of a file for one IMU.
    init(bytes: [UInt8], imu expected: String) throws(StateProblem) {
        guard bytes.count <= Self.longest else { throw StateProblem(description: "longer than \(Self.longest) bytes") }
        let root: JSONValue
        do throws(JSONProblem) {
            root = try JSONDocument(bytes: bytes).root
        } catch {
            throw StateProblem(description: "incomplete or invalid JSON: \(error)")
        }
        guard let version = root["posed_mount"]?.int else {
            throw StateProblem(description: "not a mount file of posed")
        }
        guard version == Self.version else {
            throw StateProblem(
                description: "unsupported version \(version); this release reads version \(Self.version)")
        }
        guard let check = root["check"]?.string, let end = Self.bodyEnd(bytes),
            Self.check(Array(bytes[..<end])) == check
        else {
            throw StateProblem(description: "wrong checksum: the file was truncated or edited")
        }
        guard let imu = root["imu"]?.string, imu == expected else {
            throw StateProblem(description: "for another IMU, \(root["imu"]?.string ?? "unnamed"), not for \(expected)")
        }
        let q = root["q"]?.elements.compactMap(\.double) ?? []
        let sigma = root["sigma_rad"]?.elements.compactMap(\.double) ?? []
        let arm = root["antenna_m"]?.elements.compactMap(\.double) ?? []
        let armSigma = root["antenna_sigma_m"]?.elements.compactMap(\.double) ?? []
        guard q.count == 4, sigma.count == 3, arm.count == armSigma.count, arm.isEmpty || arm.count == 2 else {
            throw StateProblem(description: "numbers are missing")
        }
        let mount = MountEstimate(
            sensorToBody: Quaternion(w: q[0], x: q[1], y: q[2], z: q[3]),
            sigmaBodyRadians: Vector3(sigma[0], sigma[1], sigma[2]), origin: .found,
            antenna: arm.isEmpty
                ? nil : AntennaArm(meters: SIMD2(arm[0], arm[1]), sigmaMeters: SIMD2(armSigma[0], armSigma[1])))
        guard mount.isValid else { throw StateProblem(description: "the numbers are not a rotation with sigmas") }
        self.init(imu: imu, mount: mount)
        self.mount.sensorToBody.normalize()
    }

    /// The file name of an IMU. Each IMU has its own file, so that a drive with another IMU, or a simulated drive, does
    /// not overwrite it.
    static func fileName(imu: String) -> String { "mount-\(hexadecimal(hash(Array(imu.utf8)), digits: 8)).json" }

    /// The end of the text that the checksum covers.
    private static func bodyEnd(_ bytes: [UInt8]) -> Int? {
        let mark = Array(",\"check\":".utf8)
        guard bytes.count > mark.count else { return nil }
        return (0...(bytes.count - mark.count)).last { bytes[$0...].starts(with: mark) }
    }

    private static func check(_ bytes: [UInt8]) -> String { hexadecimal(hash(bytes), digits: 16) }

    /// FNV-1a, 64 bits: detects a truncated or edited file, not a forged one.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String((String(repeating: "0", count: 16 - text.utf8.count) + text).prefix(digits))
    }
}
