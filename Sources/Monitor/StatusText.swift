/// The reply to `status` as text for one screen, and the health of the daemon.
package struct StatusText: Sendable {
    /// The health of the daemon.
    package enum Health: Int32, Sendable {
        /// The pose is aligned.
        case healthy = 0
        /// The daemon runs, but the pose is not aligned.
        case degraded = 1
        /// The daemon does not run or does not answer.
        case down = 2
    }

    /// The health of the daemon.
    package let health: Health
    /// Text for one screen, without a trailing newline.
    package let text: String

    /// Reads the line of a reply; `nil` if it is not a reply to `status`.
    package init?(reply line: String) {
        guard let reply = StatusReply(line: Array(line.utf8)) else { return nil }
        health = reply.poseState == "aligned" ? .healthy : .degraded
        text = Self.screen(reply)
    }

    private static func antenna(_ antenna: StatusReply.Antenna) -> String {
        func way(_ meters: Double, _ positive: String, _ negative: String) -> String {
            "\(Reading.number(abs(meters), 2)) m \(meters < 0 ? negative : positive)"
        }
        guard antenna.sigmaMeters < 0.5 else { return "antenna: its place from the IMU is not found yet" }
        let place = "\(way(antenna.forwardMeters, "forward", "back")), \(way(antenna.leftMeters, "left", "right"))"
        return "antenna: \(antenna.besideProbability > 0.5 ? "beside the IMU, " : "")\(place), "
            + "1-sigma \(Reading.number(antenna.sigmaMeters, 2)) m"
    }

    static func calibration(_ reply: StatusReply) -> [String] {
        var lines: [String] = []
        if let mount = reply.mount {
            let origins = [
                "configured": "from the settings", "kept": "from an earlier drive", "found": "estimated on this drive",
            ]
            let angles = mount.anglesDegrees.map { Reading.number($0, 1) }
            let sigma = mount.sigmaDegrees.map { Reading.number($0, 1) }.joined(separator: ", ")
            lines.append(
                "mount: roll \(angles[0]), pitch \(angles[1]), yaw \(angles[2]) deg, "
                    + (origins[mount.origin] ?? mount.origin)
            )
            lines.append("  1-sigma \(sigma) deg about forward, left, up")
        }
        if let antenna = reply.antenna { lines.append(Self.antenna(antenna)) }
        if let calibration = reply.magnetometer {
            let states = [
                "collecting": "not rotated enough yet", "disturbed": "disturbed field",
                "implausible": "implausible field",
            ]
            let iron = calibration.ironMicrotesla.map { Reading.number($0, 0) }.joined(separator: ", ")
            lines.append(
                "magnetometer: \(states[calibration.state] ?? calibration.state), heading 1-sigma "
                    + "\(Reading.number(calibration.sigmaDegrees, 1)) deg"
            )
            lines.append(
                "  field \(Reading.number(calibration.fieldMicrotesla, 1)) uT, "
                    + "\(Reading.number(calibration.dipDegrees, 0)) deg down; hard iron \(iron) uT"
            )
        }
        return lines
    }

    /// One line with the counts, or none without counts.
    private static func counts(_ head: String, _ counts: [StatusReply.Count]) -> [String] {
        counts.isEmpty ? [] : [head + counts.map { "\($0.name) \($0.count)" }.joined(separator: ", ")]
    }

    private static func screen(_ reply: StatusReply) -> String {
        var lines = [
            "posed \(reply.release), up \(Reading.span(reply.uptimeSeconds)), \(reply.clients) "
                + "client\(reply.clients == 1 ? "" : "s")"
        ]
        lines.append("pose: \(reply.poseState)")
        lines += reply.why.map { "  - \($0)" }
        lines += calibration(reply)
        lines.append("sources:")
        for source in reply.sources {
            let rate = source.rateHertz.map { " at \(Reading.number($0, 1)) Hz" } ?? ""
            let warmth = source.celsius.map { ", \(Reading.number($0, 1)) degrees Celsius" } ?? ""
            let drift = source.clockDrift.map { ", its clock \(Reading.number($0, 1)) ppm fast" } ?? ""
            lines.append("  \(source.name) (\(source.kind), \(source.place)): \(source.state)\(rate)\(warmth)\(drift)")
            if !source.explanation.isEmpty { lines.append("    \(source.explanation)") }
            if let receiver = source.receiver { lines.append("    \(receiver)") }
            lines += counts("    rejected: ", source.rejections)
        }
        if reply.sources.isEmpty { lines.append("  none") }
        lines += counts("estimator rejected: ", reply.rejections)
        lines += reply.rejectedAids.map {
            "filter rejected: \($0.source) \($0.count), last reason \($0.reason)"
        }
        lines.append("route: " + (reply.route.map { "\(Reading.distance($0.lengthMeters)) from \($0.from)" } ?? "none"))
        if let refused = reply.rejectedRoute { lines.append("  rejected: \(refused)") }
        if let recording = reply.recording, recording.state != "off" {
            lines.append("recorder: \(recording.lines[0])")
            lines += recording.lines.dropFirst()
        }
        lines += reply.settingsNotes.map { $0.hasPrefix("settings") ? $0 : "settings: \($0)" }
        lines += reply.stateNotes.map { "state: \($0)" }
        return lines.joined(separator: "\n")
    }
}
