import Frames

/// The lines of the monitor's pages, and of the overview on a screen that is too small for its pictures.
struct MonitorPages {
    /// The state.
    let state: MonitorState
    /// What is shown.
    let view: MonitorView
    /// The symbols.
    let symbols: Symbols

    private var frame: Frame { state.frame ?? Frame() }
    private var details: StatusDetails { state.details }

    /// The lines of the page.
    var lines: [PageLine] {
        switch view.page {
        case .overview: overview
        case .sources: sources
        case .filter: filter
        case .guidance: guidance
        case .clients: clients
        }
    }

    // MARK: - Overview on a small screen

    /// The most important first: what does not fit is left out.
    private var overview: [PageLine] {
        let (pose, speed) = (frame.pose, frame.speed)
        var lines: [PageLine] = []
        let limit =
            speed.limitMetersPerSecond.map { "  limit \(view.speed($0, 0))" } ?? ""
        lines.append(
            .value(
                "speed", view.speed(speed.speedMetersPerSecond, 1) + limit,
                CellStyle(foreground: MonitorScreen.colour(of: speed.colour), isBold: true)))
        if frame.guidance.state != .noRoute {
            let arrow = symbols.arrow(turnRadians: state.maneuver?.turnAngleRadians ?? frame.guidance.turnAngleRadians)
            let text = state.maneuver.map { " \($0.text)" } ?? ""
            lines.append(
                .value(
                    "turn", "\(arrow) \(Reading.distance(frame.guidance.distanceToTurnMeters))\(text)",
                    CellStyle(foreground: 51, isBold: true)))
        }
        let degree = symbols.degree
        lines.append(
            .value(
                "heading",
                Reading.direction(pose.headingTrueRadians) + degree + " " + symbols.plusMinus
                    + Reading.degrees(pose.headingSigmaRadians, 1) + degree))
        let sigma = pose.positionSigmaENUMeters.map { max($0.x, $0.y) }
        lines.append(.value("latitude", Reading.degrees(pose.latitudeRadians, 6) + degree))
        lines.append(
            .value(
                "longitude",
                Reading.degrees(pose.longitudeRadians, 6) + degree + " " + symbols.plusMinus
                    + Reading.number(sigma, 1) + " m"))
        lines.append(
            .value("height", Reading.number(pose.altitudeMeanSeaMeters ?? pose.altitudeEllipsoidMeters, 1) + " m"))
        lines.append(.value("fix", fixText))
        for source in Message.SourceName.allCases where frame.sources[source] != .absent {
            lines.append(sourceLine(source))
        }
        lines.append(
            .value(
                "tilt",
                "roll \(Reading.degrees(pose.rollRadians, 1)), pitch \(Reading.degrees(pose.pitchRadians, 1))\(degree)")
        )
        return lines
    }

    private var fixText: String {
        let mode = frame.pose.fixMode == 3 ? "3D" : frame.pose.fixMode == 2 ? "2D" : "none"
        return mode + (frame.pose.satellitesUsed.map { ", \($0) satellites" } ?? "")
            + ", \(Reading.number(frame.pose.fixAgeSeconds, 1)) s old"
    }

    private func sourceLine(_ source: Message.SourceName) -> PageLine {
        let state = frame.sources[source]
        let detail = self.state.status?.sources.source(ofKind: "\(source.wireName)")
        let rate = detail?.rateHertz.map { " \(Reading.number($0, 1)) Hz" } ?? ""
        let reason = state == .streaming ? "" : detail.map { "; \($0.explanation)" } ?? ""
        return .value(
            "\(source.wireName)", "\(state.wireName)\(rate)\(reason)",
            CellStyle(foreground: MonitorScreen.colour(of: state)))
    }

    // MARK: - Pages

    private var sources: [PageLine] {
        guard let status = state.status else { return [.text("no status yet", .faint)] }
        var lines: [PageLine] = []
        for source in status.sources {
            lines.append(.heading("\(source.name) (\(source.kind), \(source.place))"))
            let age = details.ages[source.name].map { ", newest \(Reading.number($0, 2)) s old" } ?? ""
            let rate = source.rateHertz.map { ", \(Reading.number($0, 1)) Hz" } ?? ""
            let count = details.accepted[source.name].map { ", \($0) taken" } ?? ""
            lines.append(.value("state", source.state + rate + age + count, style(source.state)))
            if !source.explanation.isEmpty {
                lines.append(.value(source.state == "streaming" ? "detail" : "why", source.explanation))
            }
            if let receiver = source.receiver { lines.append(.value("receiver", receiver)) }
            if !source.rejections.isEmpty {
                lines.append(
                    .value(
                        "rejected", source.rejections.map { "\($0.name) \($0.count)" }.joined(separator: ", "),
                        CellStyle(foreground: 208)))
            }
            lines += aids(of: source.kind).map(line)
        }
        return lines.isEmpty ? [.text("no source", .faint)] : lines
    }

    /// The aiding sources of the filter that a kind of source feeds.
    private func aids(of kind: String) -> [StatusDetails.Aid] {
        details.aids.filter { aid in
            switch kind {
            case "gps": aid.source.hasPrefix("gnss") || aid.source == "receiverHeading"
            case "wheels": aid.source == "wheelSpeed"
            case "barometer": aid.source == "barometer"
            default: false
            }
        }
    }

    private func line(_ aid: StatusDetails.Aid) -> PageLine {
        let innovation = aid.normalised.map { "\(Reading.number($0, 1)) sigma, " } ?? ""
        let rejected = aid.rejected > 0 ? ", \(aid.rejected) rejected (\(aid.lastReason))" : ""
        return .value(
            aid.source, "\(innovation)\(aid.accepted) used\(rejected)",
            aid.rejected > 0 ? CellStyle(foreground: 220) : .value)
    }

    private var filter: [PageLine] {
        let pose = frame.pose
        var lines: [PageLine] = [.heading("uncertainty, 1-sigma")]
        let sigma = pose.positionSigmaENUMeters
        lines.append(
            .value(
                "position",
                "\(Reading.number(sigma?.x, 2)) east, \(Reading.number(sigma?.y, 2)) north, "
                    + "\(Reading.number(sigma?.z, 2)) up m"))
        lines.append(
            .value(
                "attitude",
                "heading \(Reading.degrees(pose.headingSigmaRadians, 2)), tilt "
                    + "\(Reading.degrees(pose.tiltSigmaRadians, 2)) deg"))
        for budget in details.budgets {
            let parts = budget.parts.map { "\($0.name) \(Reading.number($0.sigma, 2))" }.joined(separator: ", ")
            lines.append(.value(budget.quantity, parts, .faint))
        }
        lines.append(.heading("filter"))
        lines += details.filter.map { PageLine.value($0.name, $0.text) }
        lines += (state.status.map { StatusText.calibration($0) } ?? []).map { PageLine.text($0) }
        lines.append(.heading("aiding sources: last innovation, used, rejected"))
        lines += details.aids.map(line)
        if let rejections = state.status?.rejections, !rejections.isEmpty {
            lines.append(.heading("rejected inputs"))
            lines += rejections.map { PageLine.value("\($0.name)", "\($0.count)") }
        }
        return lines
    }

    private var guidance: [PageLine] {
        let guidance = frame.guidance
        var lines: [PageLine] = [.value("state", "\(guidance.state.wireName)")]
        if guidance.state == .noRoute {
            lines.append(.text("no route; load one with: posectl route load FILE", .faint))
        } else {
            let arrow = symbols.arrow(turnRadians: state.maneuver?.turnAngleRadians ?? guidance.turnAngleRadians)
            lines.append(
                .value(
                    "next",
                    "\(arrow) in \(Reading.distance(guidance.distanceToTurnMeters)) \(state.maneuver?.text ?? "")"))
            lines.append(.value("then", Reading.distance(guidance.distanceToThenMeters)))
            lines.append(
                .value(
                    "left",
                    "\(Reading.distance(guidance.distanceLeftMeters)), \(Reading.span(guidance.timeLeftSeconds))"))
            if let aside = guidance.crossTrackMeters {
                lines.append(.value("aside", "\(Reading.number(abs(aside), 1)) m \(aside < 0 ? "left" : "right")"))
            }
        }
        lines += speedLines
        lines += details.guidance.map { PageLine.value($0.name, $0.text) }
        if let refused = state.status?.rejectedRoute { lines.append(.value("rejected", refused)) }
        return lines
    }

    private var speedLines: [PageLine] {
        let speed = frame.speed
        var lines: [PageLine] = [
            .heading("speed"), .value("speed", view.speed(speed.speedMetersPerSecond, 1)),
            .value(
                "limit",
                speed.limitMetersPerSecond.map { "\(view.speed($0, 0)) (\(speed.limitSource.wireName))" } ?? "unknown"),
        ]
        if let next = speed.nextLimitMetersPerSecond {
            lines.append(
                .value("next limit", "\(view.speed(next, 0)) in \(Reading.distance(speed.distanceToNextLimitMeters))"))
        }
        if let curve = speed.curveSpeedMetersPerSecond {
            lines.append(
                .value("curve", "\(view.speed(curve, 0)) in \(Reading.distance(speed.distanceToCurveMeters))"))
        }
        lines.append(.heading("data"))
        return lines
    }

    private var clients: [PageLine] {
        guard let status = state.status else { return [.text("no status yet", .faint)] }
        var lines: [PageLine] = [
            .value("posed", "\(status.release), up \(Reading.span(status.uptimeSeconds))"),
            .value("this client", "\(Reading.number(state.rateHertz, 1)) frames/s, \(state.dropped) lost"),
        ]
        lines += details.clients.map { PageLine.value($0.name, $0.text) }
        lines += status.settingsNotes.map { PageLine.value("settings", $0) }
        lines += status.stateNotes.map { PageLine.value("state", $0) }
        return lines
    }

    private func style(_ state: String) -> CellStyle {
        switch state {
        case "streaming": CellStyle(foreground: 46)
        case "stale": CellStyle(foreground: 208)
        case "lost": CellStyle(foreground: 196)
        default: CellStyle(foreground: 51)
        }
    }
}
