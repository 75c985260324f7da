import Frames
import Fusion
import PoseMath
import Sensors

/// All that `status` tells, gathered on the socket thread.
struct StatusReport {
    /// The last frame.
    var frame = Frame()
    /// Each source.
    var sources: [SourceStatus] = []
    /// What the estimator makes of them.
    var trust = TrustReport()
    /// Measurements lost for want of room, by source.
    var dropped: [(source: String, count: UInt64)] = []
    /// What is known of the sensors themselves.
    var calibration = SensorCalibration()
    /// What became of the state file.
    var stateNotes: [String] = []
    /// Warnings about the settings, and the last reload.
    var settingsNotes: [String] = []
    /// The settings' file.
    var settingsFile: String?
    /// When the daemon started, and now.
    var startTime: MonotonicTime
    /// Now.
    var now: MonotonicTime

    /// A report at an instant.
    init(startTime: MonotonicTime, now: MonotonicTime) {
        self.startTime = startTime
        self.now = now
    }

    /// Writes the members of the reply, each led by a comma.
    func write(to writer: inout JSONWriter, route: RouteKeeper, fanOut: FanOut, loop: EngineLoop, clientLimit: Int) {
        writer.literal(",\"release\":")
        writer.string(Release.version)
        writer.literal(",\"uptime_s\":")
        writer.number(now.seconds(since: startTime), decimals: 1)
        writePose(&writer)
        writeSources(&writer)
        writeTrust(&writer)
        writeRoute(route, &writer)
        writeClients(fanOut, clientLimit, &writer)
        writeEngine(loop, &writer)
        writer.literal(",\"settings\":{\"file\":")
        if let settingsFile { writer.string(settingsFile) } else { writer.literal("null") }
        writer.literal(",\"notes\":")
        writer.strings(settingsNotes)
        writer.literal("}")
    }

    private func writePose(_ writer: inout JSONWriter) {
        writer.literal(",\"pose\":{\"state\":")
        writer.name(frame.pose.state.wireName)
        writer.literal(",\"why\":")
        writer.strings(Diagnosis.reasons(frame: frame, sources: sources, calibration: calibration, trust: trust))
        writer.literal("}")
        writer.calibration(calibration.mount.map { Message.Mount($0) }, calibration.magnetometer.map { Message.Magnetometer($0) })
        writer.literal(",\"state_notes\":")
        writer.strings(stateNotes)
    }

    private func writeSources(_ writer: inout JSONWriter) {
        writer.literal(",\"sources\":[")
        for (index, source) in sources.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.literal("{\"name\":")
            writer.string(source.description.name)
            writer.literal(",\"kind\":")
            writer.string("\(source.description.kind)")
            writer.literal(",\"place\":")
            writer.string(source.description.place)
            writer.literal(",\"state\":")
            writer.string("\(source.state)")
            writer.literal(",\"explanation\":")
            writer.string(source.explanation)
            writer.literal(",\"accepted\":")
            writer.integer(source.acceptedCount)
            writer.literal(",\"rate_hz\":")
            writer.number(source.rateHertz, decimals: 2)
            writer.literal(",\"last_data_age_s\":")
            writer.number(source.lastDataTime.map { now.seconds(since: $0) }, decimals: 3)
            writer.literal(",\"rejected\":{")
            for (index, rejection) in source.rejections.enumerated() {
                if index > 0 { writer.literal(",") }
                writer.string(rejection.reason)
                writer.literal(":")
                writer.integer(rejection.count)
            }
            writer.literal("}}")
        }
        writer.literal("]")
    }

    private func writeRoute(_ keeper: RouteKeeper, _ writer: inout JSONWriter) {
        writer.literal(",\"route\":{\"version\":")
        writer.integer(UInt64(keeper.version))
        writer.literal(",\"loaded\":")
        writer.boolean(keeper.route != nil)
        writer.literal(",\"name\":")
        if let name = keeper.route?.name { writer.string(name) } else { writer.literal("null") }
        writer.literal(",\"from\":")
        if let origin = keeper.origin { writer.string(origin) } else { writer.literal("null") }
        writer.literal(",\"length_m\":")
        writer.number(keeper.route?.lengthMeters, decimals: 1)
        writer.literal(",\"notes\":")
        writer.strings(keeper.notes)
        writer.literal(",\"last_refused\":")
        if let refusal = keeper.refusal {
            writer.literal("{\"from\":")
            writer.string(refusal.origin)
            writer.literal(",\"error\":")
            writer.problem(refusal.problem)
            writer.literal("}")
        } else {
            writer.literal("null")
        }
        writer.literal("}")
    }

    private func writeClients(_ fanOut: FanOut, _ limit: Int, _ writer: inout JSONWriter) {
        writer.literal(",\"clients\":{\"connected\":")
        writer.integer(UInt64(fanOut.clients.count))
        writer.literal(",\"limit\":")
        writer.integer(Int64(limit))
        writer.literal(",\"dropped\":")
        writer.integer(fanOut.clients.reduce(fanOut.droppedTotal) { $0 + $1.dropped })
        writer.literal(",\"left\":{")
        for (index, reason) in Message.ByeReason.allCases.filter({ fanOut.dismissals[$0] != nil }).enumerated() {
            if index > 0 { writer.literal(",") }
            writer.name(reason.wireName)
            writer.literal(":")
            writer.integer(fanOut.dismissals[reason] ?? 0)
        }
        writer.literal("}}")
    }

    private func writeEngine(_ loop: EngineLoop, _ writer: inout JSONWriter) {
        writer.literal(",\"engine\":{\"frames\":")
        writer.integer(loop.counters.frameCount)
        writer.literal(",\"repeats\":")
        writer.integer(loop.counters.repeatCount)
        writer.literal(",\"frames_dropped\":")
        writer.integer(loop.frames.refusedCount)
        writer.literal(",\"beat_age_s\":")
        writer.number(loop.counters.lastBeatTime.map { now.seconds(since: $0) }, decimals: 3)
        writer.literal(",\"real_time\":")
        switch loop.counters.realTimeResult {
        case nil: writer.literal("\"off\"")
        case 0?: writer.literal("\"on\"")
        case let error?: writer.string("refused: \(describe(error))")
        }
        writer.literal(",\"measurements_dropped\":{")
        for (index, entry) in dropped.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.string(entry.source)
            writer.literal(":")
            writer.integer(entry.count)
        }
        writer.literal("}}")
    }
}

extension JSONWriter {
    /// An array of strings.
    mutating func strings(_ texts: [String]) {
        literal("[")
        for (index, text) in texts.enumerated() {
            if index > 0 { literal(",") }
            string(text)
        }
        literal("]")
    }
}
