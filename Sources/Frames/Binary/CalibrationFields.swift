import CPosed
import Glibc

// The calibration of the sensors as fields of the status. For values that are not finite or implausible the validity
// bit is cleared and the fields are 0.

extension Message.Mount {
    /// The mount as Euler angles: rotations of the IMU about the body's forward axis (roll), then the left axis
    /// (pitch), then the up axis (yaw), radians.
    public var rollPitchYawRadians: Frame.Triple {
        let q = sensorToBody
        let pitch = asin(min(max(2 * (q.w * q.y - q.z * q.x), -1), 1))
        return Frame.Triple(
            atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)), pitch,
            atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)))
    }

    /// Whether the values are a rotation with sigmas.
    var isValid: Bool {
        let q = sensorToBody
        let norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z
        return abs(norm - 1) < 1e-3 && sigmaRadians.components.allSatisfy { $0 >= 0 && $0 < 10 }
    }

    /// Writes the fields. Returns the validity bit if they are known, otherwise 0.
    func fill(_ block: inout posed_status) -> UInt32 {
        guard isValid else { return 0 }
        let angles = rollPitchYawRadians
        block.mount_q = (sensorToBody.w, sensorToBody.x, sensorToBody.y, sensorToBody.z)
        block.mount_rpy_deg = (angles.x * degreesPerRadian, angles.y * degreesPerRadian, angles.z * degreesPerRadian)
        block.mount_sigma_deg = (
            sigmaRadians.x * degreesPerRadian, sigmaRadians.y * degreesPerRadian, sigmaRadians.z * degreesPerRadian
        )
        block.mount_origin = origin.rawValue
        return POSED_STATUS_MOUNT
    }

    /// Reads the fields; `nil` if they are not known.
    init?(_ block: posed_status) {
        guard block.block.valid & POSED_STATUS_MOUNT != 0 else { return nil }
        let (q, s) = (block.mount_q, block.mount_sigma_deg)
        self.init(
            sensorToBody: .init(q.0, q.1, q.2, q.3),
            sigmaRadians: .init(s.0 / degreesPerRadian, s.1 / degreesPerRadian, s.2 / degreesPerRadian),
            origin: .init(rawValue: block.mount_origin) ?? .unknown)
        guard isValid else { return nil }
    }
}

extension Message.Magnetometer {
    private static let microtesla = 1e6

    /// Whether the values can be published.
    var isValid: Bool {
        let rows = [ironTesla, softIron.x, softIron.y, softIron.z].flatMap(\.components)
        return (rows + [fieldTesla, dipRadians, headingSigmaRadians]).allSatisfy { abs($0) < 1e3 }
    }

    /// Writes the fields. Returns the validity bit if they are known, otherwise 0.
    func fill(_ block: inout posed_status) -> UInt32 {
        guard isValid else { return 0 }
        let (m, s) = (Self.microtesla, softIron)
        block.magnetic_iron_ut = (ironTesla.x * m, ironTesla.y * m, ironTesla.z * m)
        block.magnetic_soft_iron = (s.x.x, s.x.y, s.x.z, s.y.x, s.y.y, s.y.z, s.z.x, s.z.y, s.z.z)
        block.magnetic_field_ut = fieldTesla * m
        block.magnetic_dip_deg = dipRadians * degreesPerRadian
        block.magnetic_sigma_deg = headingSigmaRadians * degreesPerRadian
        block.magnetometer_state = state.rawValue
        return POSED_STATUS_MAGNETOMETER
    }

    /// Reads the fields; `nil` if they are not known.
    init?(_ block: posed_status) {
        guard block.block.valid & POSED_STATUS_MAGNETOMETER != 0 else { return nil }
        let (iron, s) = (block.magnetic_iron_ut, block.magnetic_soft_iron)
        ironTesla = .init(iron.0 / Self.microtesla, iron.1 / Self.microtesla, iron.2 / Self.microtesla)
        (softIron.x, softIron.y, softIron.z) = (.init(s.0, s.1, s.2), .init(s.3, s.4, s.5), .init(s.6, s.7, s.8))
        fieldTesla = block.magnetic_field_ut / Self.microtesla
        dipRadians = block.magnetic_dip_deg / degreesPerRadian
        headingSigmaRadians = block.magnetic_sigma_deg / degreesPerRadian
        state = .init(rawValue: block.magnetometer_state) ?? .unknown
        guard isValid else { return nil }
    }
}
