import BoundedJSON
import Frames

// The status of the daemon.

extension LineDecoder {
    static func status(_ root: JSONValue) -> Message.Status {
        var status = Message.Status()
        status.timeNanoseconds = root.nanoseconds("t_s") ?? 0
        status.uptimeSeconds = root["uptime_s"]?.double ?? 0
        status.framesMade = root.large("frames_made")
        status.framesRepeated = root.large("frames_repeated")
        status.messagesLost = root.large("messages_lost")
        status.measurementsLost = root.large("measurements_lost")
        status.fixesAccepted = root.large("fixes_accepted")
        status.fixesRejected = root.large("fixes_rejected")
        status.imuRateHertz = root["imu_rate_hz"]?.double
        status.fixRateHertz = root["fix_rate_hz"]?.double
        status.clients = root.count("clients")
        status.clientLimit = root.count("client_limit")
        status.poseState = root.named("pose_state") ?? .whenUnknown
        status.guidanceState = root.named("guidance_state") ?? .whenUnknown
        for name in Message.SourceName.allCases {
            status.sources[name] = root["sources"]?.named(name.wireName.description) ?? .whenUnknown
        }
        status.isSimulated = root["simulated"]?.bool ?? false
        for reason in root["why"]?.elements ?? root.elements { if let text = reason.string { status.why.append(text) } }
        status.mount = root["mount"].flatMap(mount)
        status.magnetometer = root["magnetometer"].flatMap(magnetometer)
        return status
    }

    private static func mount(_ json: JSONValue) -> Message.Mount? {
        guard let q = json.quadruple("q"), let sigma = json.triple("sigma_deg") else { return nil }
        return Message.Mount(
            sensorToBody: q, sigmaRadians: sigma.times(.pi / 180), origin: json.named("origin") ?? .unknown)
    }

    private static func magnetometer(_ json: JSONValue) -> Message.Magnetometer? {
        guard let iron = json.triple("iron_ut"), let field = json["field_ut"]?.double, let rows = json["soft_iron"],
            let x = rows.triple(from: 0), let y = rows.triple(from: 3), let z = rows.triple(from: 6),
            let dip = json.radians("dip_deg"), let sigma = json.radians("sigma_deg")
        else { return nil }
        var magnetometer = Message.Magnetometer()
        magnetometer.state = json.named("state") ?? .unknown
        magnetometer.ironTesla = iron.times(1e-6)
        (magnetometer.softIron.x, magnetometer.softIron.y, magnetometer.softIron.z) = (x, y, z)
        magnetometer.fieldTesla = field * 1e-6
        (magnetometer.dipRadians, magnetometer.headingSigmaRadians) = (dip, sigma)
        return magnetometer
    }
}
