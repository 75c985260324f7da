extension JSONWriter {
    /// Writes the mount of the IMU and the calibration of the magnetometer, after a comma; `null` for what is unknown.
    public mutating func calibration(_ mount: Message.Mount?, _ magnetometer: Message.Magnetometer?) {
        literal(",\"mount\":")
        if let mount, mount.isValid { self.mount(mount) } else { null() }
        literal(",\"magnetometer\":")
        if let magnetometer, magnetometer.isValid { self.magnetometer(magnetometer) } else { null() }
    }

    private mutating func mount(_ mount: Message.Mount) {
        let q = mount.sensorToBody
        name("{\"origin\":", mount.origin.wireName)
        numbers(",\"q\":", [q.w, q.x, q.y, q.z], decimals: 8)
        numbers(",\"rpy_deg\":", mount.rollPitchYawRadians.components.map { $0 * degreesPerRadian }, decimals: 4)
        numbers(",\"sigma_deg\":", mount.sigmaRadians.components.map { $0 * degreesPerRadian }, decimals: 4)
        literal("}")
    }

    private mutating func magnetometer(_ calibration: Message.Magnetometer) {
        name("{\"state\":", calibration.state.wireName)
        numbers(",\"iron_ut\":", calibration.ironTesla.components.map { $0 * 1e6 }, decimals: 3)
        numbers(
            ",\"soft_iron\":",
            [calibration.softIron.x, calibration.softIron.y, calibration.softIron.z].flatMap(\.components), decimals: 5
        )
        number(",\"field_ut\":", calibration.fieldTesla * 1e6, decimals: 3)
        degrees(",\"dip_deg\":", calibration.dipRadians, decimals: 3)
        degrees(",\"sigma_deg\":", calibration.headingSigmaRadians, decimals: 3)
        literal("}")
    }
}

extension Message.MountOrigin {
    /// The origin's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .configured: "configured"
        case .kept: "kept"
        case .found: "found"
        }
    }
}

extension Message.MagnetometerState {
    /// The state's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .collecting: "collecting"
        case .calibrated: "calibrated"
        case .disturbed: "disturbed"
        case .implausible: "implausible"
        }
    }
}
