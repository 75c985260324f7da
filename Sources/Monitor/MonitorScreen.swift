import Frames
import Fusion
import Measurements

/// Draws the monitor's state. The same state, view and size give the same screen. A screen of 80 by 24 shows everything
/// of the overview, a larger one more of the horizon and more events; on a smaller one the overview is a list, the most
/// important first.
struct MonitorScreen {
    /// The symbols for drawing.
    var symbols = Symbols(isUnicode: true)

    private static let leftWidth = 45
    private static let keys = " q quit  ? keys"
    private var ellipsis: Ellipsis { Ellipsis(sign: symbols.isUnicode ? "…" : "...") }

    /// The screen of the given size at time `now`, seconds on the clock of the state.
    func draw(
        _ state: MonitorState, _ view: MonitorView = MonitorView(), width: Int, height: Int, atSeconds now: Double
    ) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        header(state, view, &canvas)
        if view.isHelpShown {
            help(&canvas)
            return canvas
        }
        guard let frame = state.frame, state.connection == .connected else {
            waiting(state, &canvas)
            return canvas
        }
        let silent = state.frameSeconds.map { now - $0 } ?? 0
        let rows = summary(frame, state.status, silentSeconds: silent, &canvas)
        guard view.page == .overview, width >= 80, height >= 24 else {
            page(state, view, from: 1 + rows, &canvas)
            footer(state, eventRows: 0, &canvas)
            return canvas
        }
        position(frame.pose, &canvas)
        attitude(frame.pose, &canvas)
        speed(frame.speed, view, &canvas)
        horizon(frame.pose, &canvas)
        route(frame.guidance, state.maneuver, &canvas)
        sources(frame.sources, state.status?.sources ?? [], &canvas)
        footer(state, eventRows: max(1, height - 23), &canvas)
        return canvas
    }

    private func header(_ state: MonitorState, _ view: MonitorView, _ canvas: inout Canvas) {
        let bar = CellStyle(foreground: 255, background: 236, isBold: true)
        canvas.fill(0, 0..<canvas.width, " ", bar)
        let clock = Reading.clock(utcNanoseconds: state.frame?.utcNanoseconds)
        let facts = [
            "\(Reading.number(state.rateHertz, 1)) Hz   lost \(state.dropped)   \(clock) ", "\(clock) ", "",
        ]
        let name = " posed" + (canvas.width >= 50 ? " \(state.release ?? "")" : "")
        let page = view.page == .overview ? "" : "  \(view.page.title)"
        let mark = state.frame?.isSimulated == true ? (canvas.width >= 60 ? "  SIMULATED DRIVE " : "  SIM ") : ""
        let used = name.count + page.count + mark.count
        let right = facts.first { used + $0.count < canvas.width } ?? ""
        var end = canvas.put(name + page, 0, 0, bar)
        if !mark.isEmpty {
            end = canvas.put(mark, 0, end, CellStyle(foreground: 231, background: 160, isBold: true))
        }
        canvas.put(right, 0, endingAt: canvas.width, bar)
    }

    /// The keys.
    private func help(_ canvas: inout Canvas) {
        for (row, entry) in MonitorView.keys.enumerated() where row + 1 < canvas.height {
            canvas.put(" \(entry.key)", row + 1, 0, CellStyle(foreground: 51, isBold: true))
            canvas.put(ellipsis.fit(entry.text, canvas.width - 7), row + 1, 6, .value)
        }
    }

    private func waiting(_ state: MonitorState, _ canvas: inout Canvas) {
        switch state.connection {
        case .connecting(let why):
            let head = state.farewell.map { ellipsis.fit($0, canvas.width - 4) } ?? "not connected"
            canvas.put(" \(symbols.dot) \(head)", 1, 0, CellStyle(foreground: 196, isBold: true))
            var row = 2
            for line in ellipsis.wrap(why, canvas.width - 4, most: max(canvas.height - 5, 1)) {
                canvas.put("   \(line)", row, 0, .value)
                row += 1
            }
            canvas.put(ellipsis.fit("   trying again until posed is there", canvas.width), row, 0, .faint)
        case .connected:
            let text = ellipsis.fit("connected; no frame yet", canvas.width - 4)
            canvas.put(" \(symbols.dot) \(text)", 1, 0, CellStyle(foreground: 220, isBold: true))
        }
        footer(state, eventRows: 1, &canvas)
    }

    /// The state of the pose and the reason for it; returns the number of rows, two where one is too short.
    private func summary(
        _ frame: Frame, _ status: StatusReply?, silentSeconds: Double, _ canvas: inout Canvas
    ) -> Int {
        guard silentSeconds <= 2 else {
            let text = "no frame for \(Int(min(silentSeconds, 1e9))) s; see journalctl -u posed"
            canvas.put(
                " \(symbols.dot) \(ellipsis.fit(text, canvas.width - 4))", 1, 0,
                CellStyle(foreground: 196, isBold: true))
            return 1
        }
        let style = CellStyle(foreground: Self.colour(of: frame.pose.state), isBold: true)
        let end = canvas.put(" \(symbols.dot) \(frame.pose.state.wireName)", 1, 0, style)
        // The status may be two seconds old; a reason for another state would be misleading.
        let reason = status.flatMap { $0.poseState == frame.pose.state.wireName.description ? $0.why.first : nil }
        let text = reason ?? (frame.pose.state == .aligned ? "position, heading and attitude agree" : "")
        let standing = "standing still "
        let isStillShown = frame.pose.isStandingStill && canvas.width >= 60
        let room = canvas.width - end - 2 - (isStillShown ? standing.count + 1 : 0)
        if isStillShown { canvas.put(standing, 1, endingAt: canvas.width, .faint) }
        // On a small screen a text that is too long gets a line of its own.
        if text.count > room, canvas.width < 80 {
            canvas.put(ellipsis.fit(text, canvas.width - 4), 2, 3, .value)
            return 2
        }
        canvas.put("  \(ellipsis.fit(text, room))", 1, end, .value)
        return 1
    }

    /// A page as a list. What is too long for a line goes on in the next one; on the overview, whose lines are few, it
    /// ends with an ellipsis.
    private func page(_ state: MonitorState, _ view: MonitorView, from first: Int, _ canvas: inout Canvas) {
        let lines = MonitorPages(state: state, view: view, symbols: symbols).lines
        let names = min(lines.map(\.name.count).max() ?? 0, max(canvas.width / 3, 8))
        let most = view.page == .overview ? 1 : 6
        let rows = lines.flatMap { self.rows(of: $0, names: names, width: canvas.width, most: most) }
        let room = max(canvas.height - first - 1, 1)
        let last = max(rows.count - room, 0)
        canvas.lastScroll = last
        let start = min(view.scroll, last)
        for (row, line) in rows.dropFirst(start).prefix(room).enumerated() {
            if line.isHeading {
                canvas.fill(first + row, 0..<canvas.width, symbols.rule, CellStyle(foreground: 238))
                canvas.put(" \(line.text) ", first + row, 2, line.style)
            } else {
                canvas.put(" " + line.name, first + row, 0, .faint)
                canvas.put(line.text, first + row, line.isIndented ? names + 3 : 1, line.style)
            }
        }
        let hidden = "\(rows.count - start - room) more: j "
        // The keys are in the same row.
        guard rows.count - start > room, canvas.width > Self.keys.count + hidden.count else { return }
        canvas.put(hidden, canvas.height - 1, endingAt: canvas.width, .faint)
    }

    /// A line of the page in rows of the screen.
    private func rows(of line: PageLine, names: Int, width: Int, most: Int) -> [PageLine] {
        if line.isHeading { return [.heading(ellipsis.fit(line.text, width - 6))] }
        let room = line.isIndented ? width - names - 3 : width - 1
        let texts = most > 1 ? ellipsis.wrap(line.text, room, most: most) : [ellipsis.fit(line.text, room)]
        return (texts.isEmpty ? [""] : texts).enumerated().map { row, text in
            var part = line
            (part.text, part.name) = (text, row == 0 ? ellipsis.fit(line.name, names) : "")
            return part
        }
    }

    private func position(_ pose: Frame.Pose, _ canvas: inout Canvas) {
        rule("position", 2, &canvas)
        let sigma = pose.positionSigmaENUMeters
        line("latitude", Reading.degrees(pose.latitudeRadians, 7, width: 13) + symbols.degree, sigma?.y, 3, &canvas)
        line("longitude", Reading.degrees(pose.longitudeRadians, 7, width: 13) + symbols.degree, sigma?.x, 4, &canvas)
        let sea = pose.altitudeMeanSeaMeters
        let height = Reading.number(sea ?? pose.altitudeEllipsoidMeters, 2, width: 13) + " m"
        line(sea == nil ? "height (hae)" : "height (msl)", height, sigma?.z, 5, &canvas)
        let mode = pose.fixMode == 3 ? "3D" : pose.fixMode == 2 ? "2D" : "none"
        let satellites = pose.satellitesUsed.map { "  \($0) satellites" } ?? ""
        canvas.put(" fix", 6, 0, .faint)
        canvas.put("\(mode)\(satellites)  \(Reading.number(pose.fixAgeSeconds, 1)) s old", 6, 15, .value)
    }

    private func line(_ name: String, _ value: String, _ sigma: Double?, _ row: Int, _ canvas: inout Canvas) {
        canvas.put(" \(name)", row, 0, .faint)
        canvas.put(value, row, 14, .value)
        canvas.put("\(symbols.plusMinus)\(Reading.number(sigma, 2)) m", row, endingAt: Self.leftWidth - 1, .faint)
    }

    private func attitude(_ pose: Frame.Pose, _ canvas: inout Canvas) {
        rule("attitude", 7, &canvas)
        canvas.put(" heading", 8, 0, .faint)
        canvas.put(Reading.direction(pose.headingTrueRadians, width: 7) + symbols.degree, 8, 14, .value)
        canvas.put(
            "\(symbols.plusMinus)\(Reading.degrees(pose.headingSigmaRadians, 1))\(symbols.degree)", 8,
            endingAt: Self.leftWidth - 1, .faint)
        canvas.put(" roll, pitch", 9, 0, .faint)
        let tilt =
            "\(Reading.degrees(pose.rollRadians, 1, width: 7)),"
            + "\(Reading.degrees(pose.pitchRadians, 1, width: 6))\(symbols.degree)"
        canvas.put(tilt, 9, 14, .value)
        canvas.put(
            "\(symbols.plusMinus)\(Reading.degrees(pose.tiltSigmaRadians, 1))\(symbols.degree)", 9,
            endingAt: Self.leftWidth - 1, .faint)
    }

    private func speed(_ speed: Frame.Speed, _ view: MonitorView, _ canvas: inout Canvas) {
        rule("speed", 10, &canvas)
        let style = CellStyle(foreground: Self.colour(of: speed.colour), isBold: true)
        canvas.put(view.speed(speed.speedMetersPerSecond, 1, width: 6), 11, 0, style)
        let limit =
            speed.limitMetersPerSecond.map {
                "limit \(view.speed($0, 0).prefix { $0 != " " }) (\(speed.limitSource.wireName))"
            } ?? "no limit known"
        canvas.put(limit, 11, 14, .value)
        canvas.put("\(speed.colour.wireName)", 11, endingAt: Self.leftWidth - 1, style)
        // The bar is full at 1.25 of the limit, so that it can show a speed above the limit.
        let columns = Self.leftWidth - 2
        let filled = Int((min(max((speed.ratio ?? 0) / 1.25, 0), 1) * Double(columns)).rounded())
        canvas.fill(12, 1..<(1 + columns), symbols.barRest, .faint)
        canvas.fill(12, 1..<(1 + filled), symbols.bar, style)
    }

    private func horizon(_ pose: Frame.Pose, _ canvas: inout Canvas) {
        let first = Self.leftWidth + 1
        let width = canvas.width - first - 1
        guard width >= 12 else { return }
        CompassStrip.draw(pose.headingTrueRadians, row: 3, columns: first..<(first + width), on: &canvas)
        Horizon(row: 4, column: first, width: width, height: 9).draw(pose, symbols, on: &canvas)
    }

    private func route(_ guidance: Frame.Guidance, _ maneuver: Message.Maneuver?, _ canvas: inout Canvas) {
        rule("route", 13, &canvas)
        guard guidance.state != .noRoute else {
            canvas.put(" no route; load one with: posectl route load FILE", 14, 0, .faint)
            return
        }
        let arrow = symbols.arrow(turnRadians: maneuver?.turnAngleRadians ?? guidance.turnAngleRadians)
        let style = CellStyle(foreground: 51, isBold: true)
        let end = canvas.put(" \(arrow)  in \(Reading.distance(guidance.distanceToTurnMeters))  ", 14, 0, style)
        canvas.put(ellipsis.fit(maneuver?.text ?? "", canvas.width - end), 14, end, .value)
        let onWay = guidance.state == .onRoute || guidance.state == .arrived || guidance.state == .rejoinedAhead
        let state = canvas.put(
            " \(guidance.state.wireName)", 15, 0, CellStyle(foreground: onWay ? 46 : 208, isBold: true))
        if let aside = guidance.crossTrackMeters {
            canvas.put(
                "  \(Reading.number(abs(aside), 1)) m \(aside < 0 ? "left" : "right") of the line", 15, state, .faint)
        }
        let left = "\(Reading.distance(guidance.distanceLeftMeters)) left  \(Reading.span(guidance.timeLeftSeconds)) "
        canvas.put(left, 15, endingAt: canvas.width, .value)
        progress(guidance, &canvas)
    }

    private func progress(_ guidance: Frame.Guidance, _ canvas: inout Canvas) {
        let columns = max(1, canvas.width - 2)
        canvas.fill(16, 1..<(1 + columns), symbols.barRest, .faint)
        guard let progress = guidance.progressMeters, let left = guidance.distanceLeftMeters, progress + left > 0 else {
            return
        }
        let share = min(max(progress / (progress + left), 0), 1)
        canvas.fill(16, 1..<(1 + Int((share * Double(columns)).rounded())), symbols.bar, CellStyle(foreground: 51))
    }

    private func sources(_ states: Frame.Sources, _ details: [StatusReply.Source], _ canvas: inout Canvas) {
        rule("sources", 17, &canvas)
        for (index, source) in Message.SourceName.allCases.enumerated() {
            let (name, state) = ("\(source.wireName)", states[source])
            let style = CellStyle(foreground: Self.colour(of: state))
            canvas.put(" \(symbols.dot) ", 18 + index, 0, style)
            canvas.put(name, 18 + index, 3, state == .absent ? .faint : .value)
            canvas.put("\(state.wireName)", 18 + index, 17, style)
            guard let detail = details.source(ofKind: name) else { continue }
            canvas.put(detail.rateHertz.map { Reading.number($0, 1) + " Hz" } ?? "", 18 + index, endingAt: 38, .value)
            canvas.put("  \(ellipsis.fit(detail.explanation, canvas.width - 40))", 18 + index, 38, .faint)
        }
    }

    /// The keys, and the newest events if there is room for them.
    private func footer(_ state: MonitorState, eventRows: Int, _ canvas: inout Canvas) {
        let last = canvas.height - 1
        guard last >= 3 else { return }
        canvas.put(Self.keys, last, 0, .faint)
        for (age, event) in state.events.reversed().prefix(eventRows).enumerated() {
            canvas.put(ellipsis.fit(event, canvas.width - 18), last - age, 17, .faint)
        }
    }

    private func rule(_ title: String, _ row: Int, _ canvas: inout Canvas) {
        let isFull = row >= 13 || row == 2
        canvas.fill(row, 0..<(isFull ? canvas.width : Self.leftWidth), symbols.rule, CellStyle(foreground: 238))
        canvas.put(" \(title) ", row, 2, .heading)
    }

    static func colour(of state: Frame.PoseState) -> UInt8 {
        switch state {
        case .starting: 244
        case .aligning: 51
        case .coarse: 220
        case .aligned: 46
        case .deadReckoning: 208
        case .lost: 196
        case .attitudeOnly: 75
        }
    }

    static func colour(of colour: Frame.SpeedColour) -> UInt8 {
        switch colour {
        case .unknown: 250
        case .blue: 39
        case .orange: 208
        case .red: 196
        }
    }

    static func colour(of state: Frame.SourceState) -> UInt8 {
        switch state {
        case .absent: 240
        case .opening, .waiting: 51
        case .streaming: 46
        case .stale: 208
        case .lost: 196
        }
    }
}
