extension JSONWriter {
    /// How the IMU sits in the vehicle and what was found of the magnetometer, led by a comma; `null` where nothing is known.
    public mutating func calibration(_ mount: Message.Mount?, _ magnetometer: Message.Magnetometer?) {
        literal(",\"mount\":")
        if let mount, mount.isSound { self.mount(mount) } else { literal("null") }
        literal(",\"magnetometer\":")
        if let magnetometer, magnetometer.isSound { self.magnetometer(magnetometer) } else { literal("null") }
    }

    private mutating func mount(_ mount: Message.Mount) {
        let q = mount.sensorToBody
        literal("{\"origin\":")
        name(mount.origin.wireName)
        literal(",\"q\":")
        numbers([q.w, q.x, q.y, q.z], decimals: 8)
        literal(",\"rpy_deg\":")
        degrees(mount.rollPitchYawRadians)
        literal(",\"sigma_deg\":")
        degrees(mount.sigmaRadians)
        literal("}")
    }

    private mutating func magnetometer(_ found: Message.Magnetometer) {
        literal("{\"state\":")
        name(found.state.wireName)
        literal(",\"iron_ut\":")
        numbers([found.ironTesla.x * 1e6, found.ironTesla.y * 1e6, found.ironTesla.z * 1e6], decimals: 3)
        let s = found.softIron
        literal(",\"soft_iron\":")
        numbers([s.x.x, s.x.y, s.x.z, s.y.x, s.y.y, s.y.z, s.z.x, s.z.y, s.z.z], decimals: 5)
        literal(",\"field_ut\":")
        number(found.fieldTesla * 1e6, decimals: 3)
        literal(",\"dip_deg\":")
        number(found.dipRadians * 180 / .pi, decimals: 3)
        literal(",\"sigma_deg\":")
        number(found.headingSigmaRadians * 180 / .pi, decimals: 3)
        literal("}")
    }

    private mutating func degrees(_ angles: Frame.Triple) {
        let factor = 180 / Double.pi
        numbers([angles.x * factor, angles.y * factor, angles.z * factor], decimals: 4)
    }

    private mutating func numbers(_ values: [Double], decimals: Int) {
        literal("[")
        for (index, value) in values.enumerated() {
            if index > 0 { literal(",") }
            number(value, decimals: decimals)
        }
        literal("]")
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
