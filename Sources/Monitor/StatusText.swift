/// The answer to `status` as one screen for people, and how healthy it is.
package struct StatusText: Sendable {
    /// How the daemon is.
    package enum Health: Int32, Sendable {
        /// The pose can be trusted.
        case healthy = 0
        /// It runs, but the pose is not what it could be.
        case degraded = 1
        /// It does not run or does not answer.
        case down = 2
    }

    /// How the daemon is.
    package let health: Health
    /// One screen of text, without a newline at its end.
    package let text: String

    /// Reads the line of the reply; `nil` where it is none.
    package init?(reply line: String) {
        guard let reply = StatusReply(line: Array(line.utf8)) else { return nil }
        health = reply.poseState == "aligned" ? .healthy : .degraded
        text = Self.screen(reply)
    }

    private static func calibration(_ reply: StatusReply) -> [String] {
        var lines: [String] = []
        if let mount = reply.mount {
            let origins = [
                "configured": "from the settings", "kept": "from an earlier drive", "found": "found on this drive",
            ]
            let turn = mount.turnDegrees.map { Reading.number($0, 1) }
            let sigma = mount.sigmaDegrees.map { Reading.number($0, 1) }.joined(separator: ", ")
            lines.append(
                "mount: roll \(turn[0]), pitch \(turn[1]), yaw \(turn[2]) deg, \(origins[mount.origin] ?? mount.origin)"
            )
            lines.append("  1-sigma \(sigma) deg about forward, left, up")
        }
        if let found = reply.magnetometer {
            let states = [
                "collecting": "not turned enough yet", "disturbed": "disturbed here",
                "implausible": "finds no field of the Earth",
            ]
            let iron = found.ironMicrotesla.map { Reading.number($0, 0) }.joined(separator: ", ")
            lines.append(
                "magnetometer: \(states[found.state] ?? found.state), heading 1-sigma "
                    + "\(Reading.number(found.sigmaDegrees, 1)) deg"
            )
            lines.append(
                "  field \(Reading.number(found.fieldMicrotesla, 1)) uT, \(Reading.number(found.dipDegrees, 0)) deg "
                    + "down; iron \(iron) uT"
            )
        }
        return lines
    }

    /// One line of reasons, where there are any.
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
            lines.append("  \(source.name) (\(source.kind), \(source.place)): \(source.state)\(rate)")
            if source.state != "streaming" { lines.append("    \(source.explanation)") }
            lines += counts("    refused: ", source.rejections)
        }
        if reply.sources.isEmpty { lines.append("  none") }
        lines += counts("estimator refused: ", reply.rejections)
        lines.append("route: " + (reply.route.map { "\(Reading.distance($0.lengthMeters)) from \($0.from)" } ?? "none"))
        if let refused = reply.refusedRoute { lines.append("  not taken: \(refused)") }
        lines += reply.settingsNotes.map { "settings: \($0)" }
        lines += reply.stateNotes.map { "state: \($0)" }
        return lines.joined(separator: "\n")
    }
}
