import CPosed
import Glibc

// What is known of the sensors themselves, as fields of the status. What is not finite or absurd leaves its bit cleared
// and its fields 0.

extension Message.Mount {
    /// The same as turns of the IMU about the body's axes: forward first (roll), then left (pitch), then up (yaw),
    /// radians.
    public var rollPitchYawRadians: Frame.Triple {
        let q = sensorToBody
        let pitch = asin(min(max(2 * (q.w * q.y - q.z * q.x), -1), 1))
        return Frame.Triple(
            atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)), pitch,
            atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)))
    }

    /// Whether its numbers are a rotation with sigmas.
    var isSound: Bool {
        let q = sensorToBody
        let norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z
        return abs(norm - 1) < 1e-3 && sigmaRadians.components.allSatisfy { $0 >= 0 && $0 < 10 }
    }

    /// Fills in the fields; the bit where they are known.
    func fill(_ block: inout posed_status) -> UInt32 {
        guard isSound else { return 0 }
        let turn = rollPitchYawRadians
        block.mount_q = (sensorToBody.w, sensorToBody.x, sensorToBody.y, sensorToBody.z)
        block.mount_rpy_deg = (turn.x * degreesPerRadian, turn.y * degreesPerRadian, turn.z * degreesPerRadian)
        block.mount_sigma_deg = (
            sigmaRadians.x * degreesPerRadian, sigmaRadians.y * degreesPerRadian, sigmaRadians.z * degreesPerRadian
        )
        block.mount_origin = origin.rawValue
        return POSED_STATUS_MOUNT
    }

    /// Reads the fields; `nil` where they are not known.
    init?(_ block: posed_status) {
        guard block.block.valid & POSED_STATUS_MOUNT != 0 else { return nil }
        let (q, s) = (block.mount_q, block.mount_sigma_deg)
        self.init(
            sensorToBody: .init(q.0, q.1, q.2, q.3),
            sigmaRadians: .init(s.0 / degreesPerRadian, s.1 / degreesPerRadian, s.2 / degreesPerRadian),
            origin: .init(rawValue: block.mount_origin) ?? .unknown)
        guard isSound else { return nil }
    }
}

extension Message.Magnetometer {
    private static let microtesla = 1e6

    /// Whether its numbers can be shown.
    var isSound: Bool {
        let rows = [ironTesla, softIron.x, softIron.y, softIron.z].flatMap(\.components)
        return (rows + [fieldTesla, dipRadians, headingSigmaRadians]).allSatisfy { abs($0) < 1e3 }
    }

    /// Fills in the fields; the bit where they are known.
    func fill(_ block: inout posed_status) -> UInt32 {
        guard isSound else { return 0 }
        let (m, s) = (Self.microtesla, softIron)
        block.magnetic_iron_ut = (ironTesla.x * m, ironTesla.y * m, ironTesla.z * m)
        block.magnetic_soft_iron = (s.x.x, s.x.y, s.x.z, s.y.x, s.y.y, s.y.z, s.z.x, s.z.y, s.z.z)
        block.magnetic_field_ut = fieldTesla * m
        block.magnetic_dip_deg = dipRadians * degreesPerRadian
        block.magnetic_sigma_deg = headingSigmaRadians * degreesPerRadian
        block.magnetometer_state = state.rawValue
        return POSED_STATUS_MAGNETOMETER
    }

    /// Reads the fields; `nil` where they are not known.
    init?(_ block: posed_status) {
        guard block.block.valid & POSED_STATUS_MAGNETOMETER != 0 else { return nil }
        let (iron, s) = (block.magnetic_iron_ut, block.magnetic_soft_iron)
        ironTesla = .init(iron.0 / Self.microtesla, iron.1 / Self.microtesla, iron.2 / Self.microtesla)
        (softIron.x, softIron.y, softIron.z) = (.init(s.0, s.1, s.2), .init(s.3, s.4, s.5), .init(s.6, s.7, s.8))
        fieldTesla = block.magnetic_field_ut / Self.microtesla
        dipRadians = block.magnetic_dip_deg / degreesPerRadian
        headingSigmaRadians = block.magnetic_sigma_deg / degreesPerRadian
        state = .init(rawValue: block.magnetometer_state) ?? .unknown
        guard isSound else { return nil }
    }
}
