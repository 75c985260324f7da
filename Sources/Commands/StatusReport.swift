import EngineRuntime
import Frames
import Fusion
import Platform
import PoseMath
import Publishing
import SensorInterface

/// The contents of the `status` reply, collected on the socket thread.
struct StatusReport {
    /// The latest frame.
    var frame = Frame()
    /// Status of each source.
    var sources: [SourceStatus] = []
    /// Fault detection status.
    var trust = TrustReport()
    /// Measurements dropped because of a full queue, by source.
    var dropped: [(source: String, count: UInt64)] = []
    /// Current mount and magnetometer calibration.
    var calibration = SensorCalibration()
    /// The declination.
    var north = MagneticNorth()
    /// Results of reading the state files.
    var stateNotes: [String] = []
    /// Warnings about the settings, and the result of the last reload.
    var settingsNotes: [String] = []
    /// Path of the settings file.
    var settingsFile: String?
    /// Start time of the daemon.
    var startTime: MonotonicTime
    /// Current time.
    var now: MonotonicTime

    /// Creates an empty report for an instant.
    init(startTime: MonotonicTime, now: MonotonicTime) {
        self.startTime = startTime
        self.now = now
    }

    /// Writes the members of the reply, each preceded by a comma.
    func write(to writer: inout JSONWriter, route: RouteInForce, fanOut: FanOut, loop: EngineLoop) {
        writer.string(",\"release\":", Release.version)
        writer.number(",\"uptime_s\":", now.seconds(since: startTime), decimals: 1)
        writePose(&writer)
        writeSources(&writer)
        writeTrust(&writer)
        writeRoute(route, &writer)
        writeClients(fanOut, &writer)
        writeEngine(loop, &writer)
        writer.string(",\"settings\":{\"file\":", settingsFile)
        writer.strings(",\"notes\":", settingsNotes)
        writer.literal("}")
    }

    private func writePose(_ writer: inout JSONWriter) {
        writer.name(",\"pose\":{\"state\":", frame.pose.state.wireName)
        writer.strings(
            ",\"why\":",
            Diagnosis.reasons(frame: frame, sources: sources, calibration: calibration, trust: trust, north: north))
        writer.literal("}")
        writer.calibration(
            calibration.mount.map { Message.Mount($0) }, calibration.magnetometer.map { Message.Magnetometer($0) })
        writeAntenna(&writer)
        north.write(to: &writer)
        writer.strings(",\"state_notes\":", stateNotes)
    }

    /// The place of the antenna from the IMU; `null` while nothing is known of it.
    private func writeAntenna(_ writer: inout JSONWriter) {
        guard let antenna = calibration.mount?.antenna, antenna.isValid else {
            writer.literal(",\"antenna\":null")
            return
        }
        writer.number(",\"antenna\":{\"forward_m\":", antenna.meters.x, decimals: 3)
        writer.number(",\"left_m\":", antenna.meters.y, decimals: 3)
        writer.numbers(",\"sigma_m\":", [antenna.sigmaMeters.x, antenna.sigmaMeters.y], decimals: 3)
        writer.number(",\"beside_imu\":", antenna.probabilityOfBeside, decimals: 3)
        writer.boolean(",\"told\":", calibration.isAntennaTold)
        writer.literal("}")
    }

    private func writeSources(_ writer: inout JSONWriter) {
        writer.literal(",\"sources\":")
        writer.list(sources) { writer, source in
            writer.string("{\"name\":", source.description.name)
            writer.string(",\"kind\":", "\(source.description.kind)")
            writer.string(",\"place\":", source.description.place)
            writer.string(",\"state\":", "\(source.state)")
            writer.string(",\"explanation\":", source.explanation)
            writer.integer(",\"accepted\":", source.acceptedCount)
            writer.number(",\"rate_hz\":", source.rateHertz, decimals: 2)
            if let celsius = source.celsius { writer.number(",\"temperature_c\":", celsius, decimals: 1) }
            if let drift = source.clockDriftPartsPerMillion {
                writer.number(",\"clock_drift_ppm\":", drift, decimals: 1)
            }
            writer.number(",\"last_data_age_s\":", source.lastDataTime.map { now.seconds(since: $0) }, decimals: 3)
            writer.counts(",\"rejected\":", source.rejections.map { ($0.reason, $0.count) })
            if let receiver = source.receiver { write(receiver, &writer) }
            writer.literal("}")
        }
    }

    private func write(_ receiver: ReceiverStatus, _ writer: inout JSONWriter) {
        writer.boolean(",\"receiver\":{\"in_use\":", receiver.isInUse)
        writer.number(",\"rank\":", receiver.rank.map { Double($0) }, decimals: 0)
        writer.string(",\"device\":", receiver.device)
        writer.string(",\"driver\":", receiver.driver)
        writer.string(",\"fix\":", receiver.solution)
        writer.number(",\"corrections_age_s\":", receiver.correctionsAgeSeconds, decimals: 1)
        writer.number(",\"corrections_station\":", receiver.correctionsStation.map { Double($0) }, decimals: 0)
        writer.number(",\"jamming_indicator\":", receiver.jammingIndicator.map { Double($0) }, decimals: 0)
        writer.boolean(",\"jammed\":", receiver.isJammed)
        writer.number(",\"satellites_used\":", receiver.satellitesUsed.map { Double($0) }, decimals: 0)
        writer.number(",\"satellites_visible\":", receiver.satellitesVisible.map { Double($0) }, decimals: 0)
        writer.number(",\"heading_deg\":", receiver.headingDegrees, decimals: 2)
        writer.number(",\"pitch_deg\":", receiver.pitchDegrees, decimals: 2)
        writer.number(",\"roll_deg\":", receiver.rollDegrees, decimals: 2)
        writer.integer(",\"takeovers\":", receiver.takeovers)
        writer.string(",\"use_reason\":", receiver.useReason)
        writer.literal("}")
    }

    private func writeRoute(_ inForce: RouteInForce, _ writer: inout JSONWriter) {
        writer.integer(",\"route\":{\"version\":", inForce.version)
        writer.boolean(",\"loaded\":", inForce.route != nil)
        writer.string(",\"name\":", inForce.route?.name)
        writer.string(",\"from\":", inForce.origin)
        writer.number(",\"length_m\":", inForce.route?.lengthMeters, decimals: 1)
        writer.strings(",\"notes\":", inForce.notes)
        writer.literal(",\"last_refused\":")
        if let refusal = inForce.refusal {
            writer.string("{\"from\":", refusal.origin)
            writer.literal(",\"error\":")
            writer.problem(refusal.problem)
            writer.literal("}")
        } else {
            writer.literal("null")
        }
        writer.literal("}")
    }

    private func writeClients(_ fanOut: FanOut, _ writer: inout JSONWriter) {
        writer.integer(",\"clients\":{\"connected\":", fanOut.clients.count)
        writer.integer(",\"limit\":", fanOut.limits.clients)
        writer.integer(",\"limit_per_user\":", fanOut.limits.clientsPerUser)
        // Those that get fewer frames than they asked for.
        writer.integer(",\"low_rate\":", fanOut.clients.count(where: \.isRateLow))
        writer.integer(",\"held_bytes\":", fanOut.memory.bytes)
        writer.integer(",\"held_peak_bytes\":", fanOut.memory.peakBytes)
        writer.integer(",\"held_limit_bytes\":", fanOut.limits.heldBytes)
        writer.integer(",\"dropped\":", fanOut.clients.reduce(fanOut.droppedTotal) { $0 + $1.dropped })
        writer.counts(
            ",\"left\":",
            Message.ByeReason.allCases.compactMap { reason in
                fanOut.dismissals[reason].map { (reason.wireName.description, $0) }
            })
        writer.literal("}")
    }

    private func writeEngine(_ loop: EngineLoop, _ writer: inout JSONWriter) {
        writer.integer(",\"engine\":{\"frames\":", loop.counters.frameCount)
        writer.integer(",\"repeats\":", loop.counters.repeatCount)
        writer.integer(",\"frames_dropped\":", loop.frames.refusedCount)
        writer.integer(",\"horizon_late\":", loop.counters.lateHorizonCount)
        writer.integer(",\"horizon_dropped\":", loop.questions.refusedCount)
        writer.integer(",\"suspended_count\":", loop.counters.suspensionCount)
        writer.number(",\"suspended_s\":", loop.counters.suspendedSeconds, decimals: 1)
        writer.number(",\"beat_age_s\":", loop.counters.lastBeatTime.map { now.seconds(since: $0) }, decimals: 3)
        writer.literal(",\"real_time\":")
        switch loop.counters.realTimeResult {
        case nil: writer.literal("\"off\"")
        case 0?: writer.literal("\"on\"")
        case let error?: writer.string("refused: \(describe(error))")
        }
        writer.counts(",\"measurements_dropped\":", dropped.map { ($0.source, $0.count) })
        writer.literal("}")
    }
}
