import Testing

@testable import DriveRecording

/// The schemas of all channels, as a program that reads a recording sees them: each number and each type is the one
/// that earlier releases wrote, and of Foxglove's messages the one of its `.proto` files.
@Suite struct SchemaTextTests {
    /// A descriptor in the form of a `.proto` file, one line per declaration.
    private enum Descriptor {
        /// The fields of a message by their number.
        static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: UInt32, value: ProtobufValue)] {
            var reader = ProtobufReader(bytes)
            var fields: [(number: UInt32, value: ProtobufValue)] = []
            while let field = try? reader.next() { fields.append((field.number, field.value)) }
            return fields
        }

        static func text(_ value: ProtobufValue?) -> String {
            switch value {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .varint(let number): "\(number)"
            default: "-"
            }
        }

        /// The files of a set, with their messages.
        static func lines(ofSet bytes: [UInt8]) -> [String] {
            fields(bytes[...]).flatMap { file -> [String] in
                guard case .bytes(let content) = file.value else { return ["damaged"] }
                return ["file \(file.number)"]
                    + fields(content).flatMap { part -> [String] in
                        guard part.number == 4, case .bytes(let message) = part.value else {
                            return ["\(part.number) \(text(part.value))"]
                        }
                        return self.message(message)
                    }
            }
        }

        private static func message(_ bytes: ArraySlice<UInt8>) -> [String] {
            fields(bytes).flatMap { part -> [String] in
                guard case .bytes(let inner) = part.value, part.number != 1 else {
                    return ["message \(text(part.value))"]
                }
                if part.number == 4 { return enumeration(inner) }
                let found = fields(inner)
                func value(_ number: UInt32) -> String { text(found.first { $0.number == number }?.value) }
                let type = value(6) == "-" ? value(5) : "\(value(5))\(value(6))"
                return ["  \(part.number) \(value(1)) = \(value(3)), label \(value(4)), type \(type)"]
            }
        }

        private static func enumeration(_ bytes: ArraySlice<UInt8>) -> [String] {
            let values = fields(bytes).map { part -> String in
                guard part.number == 2, case .bytes(let inner) = part.value else { return text(part.value) }
                let found = fields(inner)
                return "\(text(found.first { $0.number == 1 }?.value))=\(text(found.first { $0.number == 2 }?.value))"
            }
            return ["  enum " + values.joined(separator: " ")]
        }
    }

    private static func lines(_ topics: [Topic]) -> String {
        topics.flatMap { topic -> [String] in
            let schema = topic.schema
            let head = "\(topic.rawValue): \(schema.name), \(schema.encoding), \(topic.messageEncoding)"
            guard schema.encoding == "protobuf" else { return [head, String(decoding: schema.data, as: UTF8.self)] }
            return [head] + Descriptor.lines(ofSet: schema.data)
        }.joined(separator: "\n") + "\n"
    }

    @Test func foxglovesSchemasAreThoseOfItsFiles() {
        #expect(Self.lines([.locationFix, .pose, .transform, .log]) == Stored.foxglove)
    }

    @Test func theMeasurementsHaveTheirSchemas() {
        #expect(
            Self.lines([.imu, .magnetometer, .barometer, .fix, .wheelSpeed, .source, .frame, .event])
                == Stored.measurements)
    }

    @Test func commandsRoutesAndPublicationsHaveTheirSchemas() {
        #expect(Self.lines([.command, .route, .roadAhead, .tick, .published]) == Stored.others)
    }
}

/// The stored schemas.
private enum Stored {
    static let foxglove = #"""
        /fix: foxglove.LocationFix, protobuf, protobuf
        file 1
        1 google/protobuf/timestamp.proto
        2 google.protobuf
        message Timestamp
          2 seconds = 1, label 1, type 3
          2 nanos = 2, label 1, type 5
        12 proto3
        file 1
        1 foxglove/LocationFix.proto
        2 foxglove
        3 google/protobuf/timestamp.proto
        message LocationFix
          2 latitude = 1, label 1, type 1
          2 longitude = 2, label 1, type 1
          2 altitude = 3, label 1, type 1
          2 position_covariance = 4, label 3, type 1
          2 position_covariance_type = 5, label 1, type 14.foxglove.LocationFix.PositionCovarianceType
          2 timestamp = 6, label 1, type 11.google.protobuf.Timestamp
          2 frame_id = 7, label 1, type 9
          enum PositionCovarianceType UNKNOWN=0 APPROXIMATED=1 DIAGONAL_KNOWN=2 KNOWN=3
        12 proto3
        /pose: foxglove.PoseInFrame, protobuf, protobuf
        file 1
        1 google/protobuf/timestamp.proto
        2 google.protobuf
        message Timestamp
          2 seconds = 1, label 1, type 3
          2 nanos = 2, label 1, type 5
        12 proto3
        file 1
        1 foxglove/Vector3.proto
        2 foxglove
        message Vector3
          2 x = 1, label 1, type 1
          2 y = 2, label 1, type 1
          2 z = 3, label 1, type 1
        12 proto3
        file 1
        1 foxglove/Quaternion.proto
        2 foxglove
        message Quaternion
          2 x = 1, label 1, type 1
          2 y = 2, label 1, type 1
          2 z = 3, label 1, type 1
          2 w = 4, label 1, type 1
        12 proto3
        file 1
        1 foxglove/Pose.proto
        2 foxglove
        3 foxglove/Vector3.proto
        3 foxglove/Quaternion.proto
        message Pose
          2 position = 1, label 1, type 11.foxglove.Vector3
          2 orientation = 2, label 1, type 11.foxglove.Quaternion
        12 proto3
        file 1
        1 foxglove/PoseInFrame.proto
        2 foxglove
        3 google/protobuf/timestamp.proto
        3 foxglove/Pose.proto
        message PoseInFrame
          2 timestamp = 1, label 1, type 11.google.protobuf.Timestamp
          2 frame_id = 2, label 1, type 9
          2 pose = 3, label 1, type 11.foxglove.Pose
        12 proto3
        /tf: foxglove.FrameTransform, protobuf, protobuf
        file 1
        1 google/protobuf/timestamp.proto
        2 google.protobuf
        message Timestamp
          2 seconds = 1, label 1, type 3
          2 nanos = 2, label 1, type 5
        12 proto3
        file 1
        1 foxglove/Vector3.proto
        2 foxglove
        message Vector3
          2 x = 1, label 1, type 1
          2 y = 2, label 1, type 1
          2 z = 3, label 1, type 1
        12 proto3
        file 1
        1 foxglove/Quaternion.proto
        2 foxglove
        message Quaternion
          2 x = 1, label 1, type 1
          2 y = 2, label 1, type 1
          2 z = 3, label 1, type 1
          2 w = 4, label 1, type 1
        12 proto3
        file 1
        1 foxglove/FrameTransform.proto
        2 foxglove
        3 google/protobuf/timestamp.proto
        3 foxglove/Vector3.proto
        3 foxglove/Quaternion.proto
        message FrameTransform
          2 timestamp = 1, label 1, type 11.google.protobuf.Timestamp
          2 parent_frame_id = 2, label 1, type 9
          2 child_frame_id = 3, label 1, type 9
          2 translation = 4, label 1, type 11.foxglove.Vector3
          2 rotation = 5, label 1, type 11.foxglove.Quaternion
        12 proto3
        /log: foxglove.Log, protobuf, protobuf
        file 1
        1 google/protobuf/timestamp.proto
        2 google.protobuf
        message Timestamp
          2 seconds = 1, label 1, type 3
          2 nanos = 2, label 1, type 5
        12 proto3
        file 1
        1 foxglove/Log.proto
        2 foxglove
        3 google/protobuf/timestamp.proto
        message Log
          2 timestamp = 1, label 1, type 11.google.protobuf.Timestamp
          2 level = 2, label 1, type 14.foxglove.Log.Level
          2 message = 3, label 1, type 9
          2 name = 4, label 1, type 9
          2 file = 5, label 1, type 9
          2 line = 6, label 1, type 7
          enum Level UNKNOWN=0 DEBUG=1 INFO=2 WARNING=3 ERROR=4 FATAL=5
        12 proto3

        """#
    static let measurements = #"""
        /posed/imu: posed.Imu, protobuf, protobuf
        file 1
        1 posed/Imu.proto
        2 posed
        message Imu
          2 time_ns = 1, label 1, type 16
          2 gyro_x_rad_s = 2, label 1, type 1
          2 gyro_y_rad_s = 3, label 1, type 1
          2 gyro_z_rad_s = 4, label 1, type 1
          2 accel_x_m_s2 = 5, label 1, type 1
          2 accel_y_m_s2 = 6, label 1, type 1
          2 accel_z_m_s2 = 7, label 1, type 1
        /posed/magnetometer: posed.Magnetometer, protobuf, protobuf
        file 1
        1 posed/Magnetometer.proto
        2 posed
        message Magnetometer
          2 time_ns = 1, label 1, type 16
          2 mag_x_t = 2, label 1, type 1
          2 mag_y_t = 3, label 1, type 1
          2 mag_z_t = 4, label 1, type 1
        /posed/barometer: posed.Barometer, protobuf, protobuf
        file 1
        1 posed/Barometer.proto
        2 posed
        message Barometer
          2 time_ns = 1, label 1, type 16
          2 pressure_pa = 2, label 1, type 1
        /posed/fix: posed.Fix, protobuf, protobuf
        file 1
        1 posed/Fix.proto
        2 posed
        message Fix
          2 validity_ns = 1, label 1, type 16
          2 arrival_ns = 2, label 1, type 16
          2 utc_ns = 3, label 1, type 16
          2 mode = 4, label 1, type 13
          2 quality = 5, label 1, type 13
          2 lat_rad = 6, label 1, type 1
          2 lon_rad = 7, label 1, type 1
          2 alt_hae_m = 8, label 1, type 1
          2 alt_msl_m = 9, label 1, type 1
          2 vel_e_m_s = 10, label 1, type 1
          2 vel_n_m_s = 11, label 1, type 1
          2 climb_m_s = 12, label 1, type 1
          2 horizontal_sigma_m = 13, label 1, type 1
          2 vertical_sigma_m = 14, label 1, type 1
          2 speed_sigma_m_s = 15, label 1, type 1
          2 climb_sigma_m_s = 16, label 1, type 1
          2 geoid_separation_m = 17, label 1, type 1
          2 magnetic_variation_rad = 18, label 1, type 1
          2 is_interfered = 19, label 1, type 8
          2 satellites_used = 20, label 1, type 4
          2 satellites_visible = 21, label 1, type 4
          2 heading_true_rad = 22, label 1, type 1
          2 heading_sigma_rad = 23, label 1, type 1
          2 receiver = 24, label 1, type 4
        /posed/wheel_speed: posed.WheelSpeed, protobuf, protobuf
        file 1
        1 posed/WheelSpeed.proto
        2 posed
        message WheelSpeed
          2 time_ns = 1, label 1, type 16
          2 speed_m_s = 2, label 1, type 1
        /posed/source: posed.SourceReport, protobuf, protobuf
        file 1
        1 posed/SourceReport.proto
        2 posed
        message SourceReport
          2 time_ns = 1, label 1, type 16
          2 source = 2, label 1, type 13
          2 state = 3, label 1, type 13
          2 is_simulated = 4, label 1, type 8
        /posed/frame: posed.Frame, jsonschema, json
        {"title":"posed.Frame","type":"object"}
        /posed/event: posed.Event, jsonschema, json
        {"title":"posed.Event","type":"object"}

        """#
    static let others = #"""
        /posed/command: posed.Command, protobuf, protobuf
        file 1
        1 posed/Command.proto
        2 posed
        message Command
          2 time_ns = 1, label 1, type 16
          2 command = 2, label 1, type 9
          2 angle_rad = 3, label 1, type 1
          2 mount = 4, label 3, type 1
          2 mount_origin = 5, label 1, type 4
          2 past = 6, label 3, type 11.posed.Past
          2 declination = 7, label 3, type 1
          2 rest = 8, label 3, type 1
          2 sensors = 9, label 3, type 1
        message Past
          2 published = 1, label 1, type 4
          2 sequence = 2, label 1, type 4
          2 time_ns = 3, label 1, type 16
          2 reset_count = 4, label 1, type 4
          2 reset_east_m = 5, label 1, type 1
          2 reset_north_m = 6, label 1, type 1
          2 reset_up_m = 7, label 1, type 1
          2 reset_heading_rad = 8, label 1, type 1
          2 origin_epoch = 9, label 1, type 4
          2 route_version = 10, label 1, type 4
          2 progress_jumps = 11, label 1, type 4
          2 progress_jump_m = 12, label 1, type 1
          2 last_measurement_ns = 13, label 1, type 16
          2 last_wheel_speed_ns = 14, label 1, type 16
          2 utc_offsets = 15, label 3, type 4
          2 fix_mode = 16, label 1, type 4
          2 satellites_used = 17, label 1, type 4
          2 gps = 18, label 1, type 13
          2 imu = 19, label 1, type 13
          2 magnetometer = 20, label 1, type 13
          2 barometer = 21, label 1, type 13
          2 wheels = 22, label 1, type 13
          2 trim_rad = 23, label 1, type 1
          2 mount = 24, label 3, type 1
          2 mount_origin = 25, label 1, type 4
          2 mount_refused = 26, label 1, type 4
          2 measured_from_ns = 27, label 1, type 16
          2 declination = 28, label 3, type 1
        /posed/route: posed.Route, protobuf, protobuf
        file 1
        1 posed/Route.proto
        2 posed
        message Route
          2 time_ns = 1, label 1, type 16
          2 version = 2, label 1, type 4
          2 is_followed = 3, label 1, type 8
          2 name = 4, label 1, type 9
          2 lat_rad = 5, label 3, type 1
          2 lon_rad = 6, label 3, type 1
          2 limits_m_s = 7, label 3, type 1
          2 durations_s = 8, label 3, type 1
          2 tunnels = 9, label 3, type 4
          2 elevations_msl_m = 10, label 3, type 1
          2 maneuvers = 11, label 3, type 11.posed.Maneuver
        message Maneuver
          2 point = 1, label 1, type 4
          2 kind = 2, label 1, type 9
          2 modifier = 3, label 1, type 9
          2 instruction = 4, label 1, type 9
          2 road_name = 5, label 1, type 9
          2 exit = 6, label 1, type 4
          2 lanes = 7, label 3, type 11.posed.Lane
        message Lane
          2 indications = 1, label 1, type 9
          2 is_valid = 2, label 1, type 8
          2 is_recommended = 3, label 1, type 8
          2 valid_indication = 4, label 1, type 9
        /posed/road_ahead: posed.RoadAhead, protobuf, protobuf
        file 1
        1 posed/RoadAhead.proto
        2 posed
        message RoadAhead
          2 time_ns = 1, label 1, type 16
          2 limit_m_s = 2, label 1, type 1
          2 limit_source = 3, label 1, type 13
          2 has_condition = 4, label 1, type 8
          2 next_limit_m_s = 5, label 1, type 1
          2 next_limit_source = 6, label 1, type 13
          2 next_limit_distance_m = 7, label 1, type 1
          2 curve_speed_m_s = 8, label 1, type 1
          2 curve_distance_m = 9, label 1, type 1
          2 path = 10, label 1, type 13
          2 after_next_limit_m_s = 11, label 1, type 1
          2 after_next_limit_source = 12, label 1, type 13
          2 after_next_limit_distance_m = 13, label 1, type 1
          2 progress_m = 14, label 1, type 1
          2 limit_reason = 15, label 1, type 13
          2 next_limit_reason = 16, label 1, type 13
          2 after_next_limit_reason = 17, label 1, type 13
          2 utc_offset_s = 18, label 1, type 1
        /posed/tick: posed.Tick, protobuf, protobuf
        file 1
        1 posed/Tick.proto
        2 posed
        message Tick
          2 time_ns = 1, label 1, type 16
          2 is_repetition = 2, label 1, type 8
        /posed/published: posed.Published, protobuf, protobuf
        file 1
        1 posed/Published.proto
        2 posed
        message Published
          2 first_number = 1, label 1, type 4
          2 first_time_ns = 2, label 1, type 16
          2 steps = 3, label 3, type 4
          2 time_steps = 4, label 3, type 4

        """#
}
