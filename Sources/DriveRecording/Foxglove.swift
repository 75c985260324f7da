import Frames
import Measurements
import PoseMath

/// The message types of Foxglove that recordings contain, so that Foxglove and Rerun show map, pose and log without
/// configuration (https://docs.foxglove.dev/docs/sdk/schemas).
enum Foxglove {
    private static let timestamp = ProtobufFile(
        name: "google/protobuf/timestamp.proto", package: "google.protobuf", isProto3: true,
        messages: [
            MessageDescription(
                name: "Timestamp",
                fields: [
                    FieldDescription(number: 1, name: "seconds", type: .int64),
                    FieldDescription(number: 2, name: "nanos", type: .int32),
                ])
        ])

    private static let vector = ProtobufFile(
        name: "foxglove/Vector3.proto", package: "foxglove", isProto3: true,
        messages: [MessageDescription(name: "Vector3", fields: doubles(["x", "y", "z"]))])

    private static let quaternion = ProtobufFile(
        name: "foxglove/Quaternion.proto", package: "foxglove", isProto3: true,
        messages: [MessageDescription(name: "Quaternion", fields: doubles(["x", "y", "z", "w"]))])

    private static let pose = ProtobufFile(
        name: "foxglove/Pose.proto", package: "foxglove", uses: [vector, quaternion], isProto3: true,
        messages: [
            MessageDescription(
                name: "Pose",
                fields: [
                    FieldDescription(number: 1, name: "position", type: .message("foxglove.Vector3")),
                    FieldDescription(number: 2, name: "orientation", type: .message("foxglove.Quaternion")),
                ])
        ])

    /// A position with its covariance.
    static let locationFix = ProtobufFile(
        name: "foxglove/LocationFix.proto", package: "foxglove", uses: [timestamp], isProto3: true,
        messages: [
            MessageDescription(
                name: "LocationFix",
                fields: [
                    FieldDescription(number: 1, name: "latitude", type: .double),
                    FieldDescription(number: 2, name: "longitude", type: .double),
                    FieldDescription(number: 3, name: "altitude", type: .double),
                    FieldDescription(number: 4, name: "position_covariance", type: .double, isRepeated: true),
                    FieldDescription(
                        number: 5, name: "position_covariance_type",
                        type: .enumeration("foxglove.LocationFix.PositionCovarianceType")),
                    stamp(6),
                    FieldDescription(number: 7, name: "frame_id", type: .text),
                ],
                enumerations: [
                    ("PositionCovarianceType", ["UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"])
                ])
        ])

    /// A pose in a frame.
    static let poseInFrame = ProtobufFile(
        name: "foxglove/PoseInFrame.proto", package: "foxglove", uses: [timestamp, pose], isProto3: true,
        messages: [
            MessageDescription(
                name: "PoseInFrame",
                fields: [
                    stamp(1), FieldDescription(number: 2, name: "frame_id", type: .text),
                    FieldDescription(number: 3, name: "pose", type: .message("foxglove.Pose")),
                ])
        ])

    /// Position and attitude of one frame in another.
    static let frameTransform = ProtobufFile(
        name: "foxglove/FrameTransform.proto", package: "foxglove", uses: [timestamp, vector, quaternion],
        isProto3: true,
        messages: [
            MessageDescription(
                name: "FrameTransform",
                fields: [
                    stamp(1), FieldDescription(number: 2, name: "parent_frame_id", type: .text),
                    FieldDescription(number: 3, name: "child_frame_id", type: .text),
                    FieldDescription(number: 4, name: "translation", type: .message("foxglove.Vector3")),
                    FieldDescription(number: 5, name: "rotation", type: .message("foxglove.Quaternion")),
                ])
        ])

    /// A log line.
    static let log = ProtobufFile(
        name: "foxglove/Log.proto", package: "foxglove", uses: [timestamp], isProto3: true,
        messages: [
            MessageDescription(
                name: "Log",
                fields: [
                    stamp(1),
                    FieldDescription(number: 2, name: "level", type: .enumeration("foxglove.Log.Level")),
                    FieldDescription(number: 3, name: "message", type: .text),
                    FieldDescription(number: 4, name: "name", type: .text),
                    FieldDescription(number: 5, name: "file", type: .text),
                    FieldDescription(number: 6, name: "line", type: .fixed32),
                ], enumerations: [("Level", ["UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"])])
        ])

    private static func doubles(_ names: [String]) -> [FieldDescription] {
        names.enumerated().map {
            FieldDescription(number: UInt32(truncatingIfNeeded: $0.offset + 1), name: $0.element, type: .double)
        }
    }

    private static func stamp(_ number: UInt32) -> FieldDescription {
        FieldDescription(number: number, name: "timestamp", type: .message("google.protobuf.Timestamp"))
    }
}

/// The names of the coordinate frames in recordings.
private enum FrameName {
    /// East, north, up at the origin of the local frame.
    static let local = "local"
    /// Forward, left, up.
    static let body = "body"
    /// The antenna of the receiver.
    static let antenna = "antenna"
}

extension ProtobufWriter {
    /// Writes a raw fix as a LocationFix; returns `false`, and writes nothing, if it has no position.
    mutating func locationFix(_ fix: GnssFix, stamp: UInt64) -> Bool {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return false }
        let horizontal = fix.horizontalSigmaMeters
        location(
            latitude, longitude, fix.altitudeEllipsoidMeters ?? fix.altitudeMeanSeaMeters,
            sigma: horizontal.map { ($0, $0, fix.verticalSigmaMeters ?? 3 * $0) }, stamp, FrameName.antenna)
        return true
    }

    /// Writes the position of a frame as a LocationFix; returns `false`, and writes nothing, without a position.
    mutating func locationFix(_ frame: Frame, stamp: UInt64) -> Bool {
        let pose = frame.pose
        guard let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians else { return false }
        location(
            latitude, longitude, pose.altitudeEllipsoidMeters,
            sigma: pose.positionSigmaENUMeters.map { ($0.x, $0.y, $0.z) }, stamp, FrameName.body)
        return true
    }

    /// Writes the pose of a frame in the local frame; returns `false`, and writes nothing, without an attitude.
    mutating func poseInFrame(_ frame: Frame, stamp: UInt64) -> Bool {
        guard let attitude = frame.pose.bodyToENU else { return false }
        field(1) { $0.timestamp(stamp) }
        field(2, text: FrameName.local)
        field(3) { pose in
            pose.field(1) { $0.vector(frame.pose.positionENUMeters) }
            pose.field(2) { $0.quaternion(attitude) }
        }
        return true
    }

    /// Writes the transform from body to local frame; returns `false`, and writes nothing, without an attitude.
    mutating func frameTransform(_ frame: Frame, stamp: UInt64) -> Bool {
        guard let attitude = frame.pose.bodyToENU else { return false }
        field(1) { $0.timestamp(stamp) }
        field(2, text: FrameName.local)
        field(3, text: FrameName.body)
        field(4) { $0.vector(frame.pose.positionENUMeters) }
        field(5) { $0.quaternion(attitude) }
        return true
    }

    /// Writes a log line.
    mutating func log(_ line: RecordedLogLine, stamp: UInt64) {
        field(1) { $0.timestamp(stamp) }
        field(2, varint: UInt64(line.level.rawValue))
        field(3, text: line.text)
        field(4, text: "posed")
    }

    private mutating func location(
        _ latitudeRadians: Double, _ longitudeRadians: Double, _ altitude: Double?,
        sigma: (east: Double, north: Double, up: Double)?, _ stamp: UInt64, _ frame: String
    ) {
        field(1, double: latitudeRadians * 180 / .pi)
        field(2, double: longitudeRadians * 180 / .pi)
        field(3, double: altitude ?? 0)
        if let sigma {
            let covariance = [
                sigma.east * sigma.east, 0, 0, 0, sigma.north * sigma.north, 0, 0, 0, sigma.up * sigma.up,
            ]
            field(4) { for value in covariance { $0.fixed64(value.bitPattern) } }
            field(5, varint: 2)
        }
        field(6) { $0.timestamp(stamp) }
        field(7, text: frame)
    }

    private mutating func timestamp(_ nanoseconds: UInt64) {
        field(1, varint: nanoseconds / 1_000_000_000)
        field(2, varint: nanoseconds % 1_000_000_000)
    }

    private mutating func vector(_ vector: Frame.Triple?) {
        guard let vector else { return }
        field(1, double: vector.x)
        field(2, double: vector.y)
        field(3, double: vector.z)
    }

    private mutating func quaternion(_ q: Frame.Quadruple) {
        field(1, double: q.x)
        field(2, double: q.y)
        field(3, double: q.z)
        field(4, double: q.w)
    }
}
