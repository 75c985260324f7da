import Frames

/// The monitor's output for simple terminals, for pipes and for `--once`.
enum MonitorText {
    /// One line with the most important values.
    static func line(_ state: MonitorState) -> String {
        guard let frame = state.frame, state.connection == .connected else {
            if case .connecting(let why) = state.connection { return "not connected: \(why)" }
            return "connected; no frame yet"
        }
        let pose = frame.pose
        let mark = frame.isSimulated ? "SIMULATED " : ""
        var parts = ["\(mark)\(Reading.clock(utcNanoseconds: frame.utcNanoseconds)) \(pose.state.wireName)"]
        parts.append("\(Reading.degrees(pose.latitudeRadians, 6)) \(Reading.degrees(pose.longitudeRadians, 6))")
        parts.append("\(Reading.number(pose.altitudeMeanSeaMeters ?? pose.altitudeEllipsoidMeters, 1)) m")
        parts.append("heading \(Reading.direction(pose.headingTrueRadians)) deg")
        parts.append(
            "\(Reading.number(frame.speed.speedMetersPerSecond.map { $0 * 3.6 }, 1)) km/h "
                + "\(frame.speed.colour.wireName)"
        )
        if frame.guidance.state != .noRoute {
            parts.append(
                "\(frame.guidance.state.wireName), turn in \(Reading.distance(frame.guidance.distanceToTurnMeters))")
        }
        return parts.joined(separator: ", ")
    }

    /// All values, one line each.
    static func report(_ state: MonitorState) -> String {
        guard let frame = state.frame else { return line(state) }
        var lines = [
            "time      \(Reading.clock(utcNanoseconds: frame.utcNanoseconds)), \(Reading.number(state.rateHertz, 1)) "
                + "frames/s, \(state.dropped) lost"
        ]
        if frame.isSimulated { lines.append("SIMULATED a simulated drive; no sensor is read") }
        lines.append("state     \(frame.pose.state.wireName)" + (frame.pose.isStandingStill ? ", standing still" : ""))
        lines += (state.status?.why ?? []).map { "why       \($0)" }
        lines += pose(frame.pose)
        lines.append(speed(frame.speed))
        lines += guidance(frame.guidance, state.maneuver)
        lines += sources(frame.sources, state.status?.sources ?? [])
        return lines.joined(separator: "\n")
    }

    private static func pose(_ pose: Frame.Pose) -> [String] {
        let sigma = pose.positionSigmaENUMeters
        let sigmas = [sigma?.x, sigma?.y, sigma?.z].map { Reading.number($0, 2) }.joined(separator: ", ")
        let sea = pose.altitudeMeanSeaMeters
        let height =
            "\(Reading.number(sea ?? pose.altitudeEllipsoidMeters, 2)) m above "
            + "\(sea == nil ? "the ellipsoid" : "mean sea level")"
        let mode = pose.fixMode == 3 ? "3D" : pose.fixMode == 2 ? "2D" : "none"
        return [
            "position  \(Reading.degrees(pose.latitudeRadians, 8)) \(Reading.degrees(pose.longitudeRadians, 8)) deg, "
                + "\(height)",
            "sigma     \(sigmas) m east, north, up",
            "heading   \(Reading.direction(pose.headingTrueRadians)) deg true, sigma "
                + "\(Reading.degrees(pose.headingSigmaRadians, 1)) deg",
            "tilt      roll \(Reading.degrees(pose.rollRadians, 1)), pitch \(Reading.degrees(pose.pitchRadians, 1)) "
                + "deg, sigma "
                + "\(Reading.degrees(pose.tiltSigmaRadians, 1)) deg",
            "fix       \(mode), \(pose.satellitesUsed.map { "\($0) satellites" } ?? "satellites unknown"), "
                + "\(Reading.number(pose.fixAgeSeconds, 1)) s old",
        ]
    }

    private static func speed(_ speed: Frame.Speed) -> String {
        let limit =
            speed.limitMetersPerSecond.map {
                "limit \(Reading.number($0 * 3.6, 0)) km/h (\(speed.limitSource.wireName))"
            } ?? "no limit known"
        return
            "speed     \(Reading.number(speed.speedMetersPerSecond.map { $0 * 3.6 }, 1)) km/h, \(limit), "
            + "\(speed.colour.wireName)"
    }

    private static func guidance(_ guidance: Frame.Guidance, _ maneuver: Message.Maneuver?) -> [String] {
        guard guidance.state != .noRoute else { return ["route     none"] }
        let turn = "in \(Reading.distance(guidance.distanceToTurnMeters))\(maneuver.map { ": \($0.text)" } ?? "")"
        let left = "\(Reading.distance(guidance.distanceLeftMeters)), \(Reading.span(guidance.timeLeftSeconds)) left"
        return ["route     \(guidance.state.wireName), \(left)", "next      \(turn)"]
    }

    private static func sources(_ states: Frame.Sources, _ details: [StatusReply.Source]) -> [String] {
        Message.SourceName.allCases.map { source in
            let name = "\(source.wireName)"
            let detail = details.source(ofKind: name)
            let rate = detail?.rateHertz.map { ", \(Reading.number($0, 1)) Hz" } ?? ""
            return "source    \(name): \(states[source].wireName)\(rate)\(detail.map { ", \($0.explanation)" } ?? "")"
        }
    }
}
