import BoundedJSON
import Frames
import Fusion
import Geodesy
import PoseMath

/// The pose of the last stop of a vehicle with one IMU: a start without satellites begins with it.
///
/// One line of JSON with version and checksum, checked like ``SavedMount``.
struct SavedRest: Equatable, Sendable {
    /// The IMU, as the source identifies it.
    var imu: String
    /// The pose.
    var pose: RestingPose

    private static let version = 1
    /// Maximum length of a file, bytes.
    static let longest = 4096

    /// The content of the file.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.integer("{\"posed_rest\":", Self.version)
        writer.string(",\"imu\":", imu)
        let place = pose.position
        writer.numbers(",\"lat_lon_deg\":", [place.latitudeDegrees, place.longitudeDegrees], decimals: 9)
        writer.numbers(",\"height_m\":", [place.altitudeEllipsoidMeters], decimals: 3)
        writer.numbers(",\"sigma_m\":", [pose.horizontalSigmaMeters, pose.verticalSigmaMeters], decimals: 4)
        writer.numbers(",\"heading_rad\":", [pose.headingTrueRadians, pose.headingSigmaRadians], decimals: 7)
        writer.numbers(",\"down\":", [pose.downBody.x, pose.downBody.y, pose.downBody.z], decimals: 7)
        return StateChecksum.closed(writer.withBytes { Array($0) })
    }

    /// Creates the saved form of a pose at rest.
    init(imu: String, pose: RestingPose) {
        self.imu = imu
        self.pose = pose
    }

    /// Reads the content of a file for one IMU.
    init(bytes: [UInt8], imu expected: String) throws(StateProblem) {
        let root = try StateChecksum.root(
            of: bytes, kind: "rest", version: Self.version, imu: expected, longest: Self.longest)
        func numbers(_ name: String, _ count: Int) throws(StateProblem) -> [Double] {
            let values = root[name]?.elements.compactMap(\.double) ?? []
            guard values.count == count else { throw StateProblem(description: "numbers of \(name) are missing") }
            return values
        }
        let (place, height) = (try numbers("lat_lon_deg", 2), try numbers("height_m", 1))
        let (sigma, heading) = (try numbers("sigma_m", 2), try numbers("heading_rad", 2))
        let down = try numbers("down", 3)
        let pose = RestingPose(
            position: GeodeticPosition(
                latitudeDegrees: place[0], longitudeDegrees: place[1], altitudeEllipsoidMeters: height[0]),
            horizontalSigmaMeters: sigma[0], verticalSigmaMeters: sigma[1], headingTrueRadians: heading[0],
            headingSigmaRadians: heading[1], downBody: Vector3(down[0], down[1], down[2]))
        guard pose.isValid else { throw StateProblem(description: "the numbers are not a pose with sigmas") }
        self.init(imu: expected, pose: pose)
    }

    /// The file name of an IMU.
    static func fileName(imu: String) -> String { "rest-\(StateChecksum.name(of: imu)).json" }
}
