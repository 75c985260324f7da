import BoundedJSON
import Frames
import Fusion
import PoseMath

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
        return StateChecksum.closed(writer.withBytes { Array($0) })
    }

    /// Creates the saved form of a mount of one IMU.
    init(imu: String, mount: MountEstimate) {
        self.imu = imu
        self.mount = mount
    }

    /// Reads the content of a file for one IMU.
    init(bytes: [UInt8], imu expected: String) throws(StateProblem) {
        let root = try StateChecksum.root(
            of: bytes, kind: "mount", version: Self.version, imu: expected, longest: Self.longest)
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
        self.init(imu: expected, mount: mount)
        self.mount.sensorToBody.normalize()
    }

    /// The file name of an IMU.
    static func fileName(imu: String) -> String { "mount-\(StateChecksum.name(of: imu)).json" }
}
