import BoundedJSON
import Frames
import Fusion
import PoseMath

/// Why a state file is not used.
struct StateProblem: Error, Equatable, CustomStringConvertible {
    /// What is wrong, for people.
    var description: String
}

/// What is kept from one drive to the next: the mount of one IMU.
///
/// One line of JSON with its version and a checksum. Whoever reads it trusts nothing: a file that was cut, edited,
/// written for another IMU or by a later release is a problem with a name, never a mount.
struct SavedMount: Equatable, Sendable {
    /// The IMU it belongs to, as the source names it.
    var imu: String
    /// The mount.
    var mount: MountEstimate

    private static let version = 1
    /// A longer file is none of these, bytes.
    static let longest = 4096

    /// The file's bytes.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.integer("{\"posed_mount\":", Self.version)
        writer.string(",\"imu\":", imu)
        let (q, sigma) = (mount.sensorToBody.canonical, mount.sigmaBodyRadians)
        writer.numbers(",\"q\":", [q.w, q.x, q.y, q.z], decimals: 9)
        writer.numbers(",\"sigma_rad\":", [sigma.x, sigma.y, sigma.z], decimals: 9)
        let body = writer.withBytes { Array($0) }
        return body + Array(",\"check\":\"\(Self.check(body))\"}\n".utf8)
    }

    init(imu: String, mount: MountEstimate) {
        self.imu = imu
        self.mount = mount
    }

    /// Reads a file's bytes, for one IMU.
    init(bytes: [UInt8], imu expected: String) throws(StateProblem) {
        guard bytes.count <= Self.longest else { throw StateProblem(description: "longer than \(Self.longest) bytes") }
        let root: JSONValue
        do throws(JSONProblem) {
            root = try JSONDocument(bytes: bytes).root
        } catch {
            throw StateProblem(description: "not whole: \(error)")
        }
        guard let version = root["posed_mount"]?.int else { throw StateProblem(description: "no mount of posed") }
        guard version == Self.version else {
            throw StateProblem(description: "of version \(version); this release knows version \(Self.version)")
        }
        guard let check = root["check"]?.string, let end = Self.bodyEnd(bytes),
            Self.check(Array(bytes[..<end])) == check
        else {
            throw StateProblem(description: "its checksum is wrong: it was cut or edited")
        }
        guard let imu = root["imu"]?.string, imu == expected else {
            throw StateProblem(description: "of another IMU, \(root["imu"]?.string ?? "unnamed"), not of \(expected)")
        }
        let q = root["q"]?.elements.compactMap(\.double) ?? []
        let sigma = root["sigma_rad"]?.elements.compactMap(\.double) ?? []
        guard q.count == 4, sigma.count == 3 else { throw StateProblem(description: "numbers are missing") }
        let mount = MountEstimate(
            sensorToBody: Quaternion(w: q[0], x: q[1], y: q[2], z: q[3]),
            sigmaBodyRadians: Vector3(sigma[0], sigma[1], sigma[2]), origin: .found)
        guard mount.isValid else { throw StateProblem(description: "its numbers are no rotation with a sigma") }
        self.init(imu: imu, mount: mount)
        self.mount.sensorToBody.normalize()
    }

    /// The name of the file of an IMU: one for each, so that a drive with another one, or a simulated drive, spoils
    /// nothing.
    static func fileName(imu: String) -> String { "mount-\(hexadecimal(hash(Array(imu.utf8)), digits: 8)).json" }

    /// Where the text that is checked ends.
    private static func bodyEnd(_ bytes: [UInt8]) -> Int? {
        let mark = Array(",\"check\":".utf8)
        guard bytes.count > mark.count else { return nil }
        return (0...(bytes.count - mark.count)).last { bytes[$0...].starts(with: mark) }
    }

    private static func check(_ bytes: [UInt8]) -> String { hexadecimal(hash(bytes), digits: 16) }

    /// FNV-1a, 64 bits: tells a cut or edited file, not a forger.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String((String(repeating: "0", count: 16 - text.utf8.count) + text).prefix(digits))
    }
}
