import Frames
import Platform
import PoseMath
import Publishing
import RoadData
import Routing

extension CommandHandler {
    /// The engine's command queue is full.
    package static let busy = RequestProblem(
        what: "the queue of 64 commands is full", place: "engine",
        remedy: "try again in a second; if it lasts, look at engine.beat_age_s in status")

    /// The refusal of a command from a peer without permission.
    package static func notAllowed(_ client: Client) -> RequestProblem {
        RequestProblem(
            what: "user \(client.peer.userId) may not send this command", place: "cmd",
            remedy: "send it as root, as the daemon's own user, or as a member of the socket's group")
    }

    /// Sends a reply with `ok: true` and the members that `members` writes, each preceded by a comma.
    package func reply(_ name: String, _ id: String?, _ client: Client, _ members: (inout JSONWriter) -> Void) {
        counters.countAccepted()
        begin(name, id)
        writer.literal(",\"ok\":true")
        members(&writer)
        finish(client)
    }

    /// Sends a reply with `ok: false` and the problem, and counts it.
    func refuse(
        _ problem: RequestProblem, _ name: String?, _ id: String?, _ client: Client, as reason: CommandRefusal
    ) {
        counters.count(reason)
        begin(name, id)
        writer.literal(",\"ok\":false,\"error\":")
        writer.problem(problem)
        finish(client)
    }

    private func begin(_ name: String?, _ id: String?) {
        writer.clear()
        writer.string("{\"type\":\"reply\",\"cmd\":", name.map { String($0.prefix(32)) })
        guard let id else { return }
        writer.string(",\"id\":", id)
    }

    private func finish(_ client: Client) {
        writer.literal("}\n")
        let bytes = writer.withBytes { Array($0) }
        client.send(message: bytes, now: SystemClock.monotonicNow)
    }

    /// Writes release and protocol version.
    package static func writeVersion(_ writer: inout JSONWriter) {
        writer.string(",\"release\":", Release.version)
        writer.literal(",\"protocol\":1")
    }

    /// Writes the subscription as it was parsed.
    package static func write(_ wish: Message.Subscription, _ writer: inout JSONWriter) {
        writer.number(",\"rate_hz\":", Double(wish.rateMillihertz) / 1000, decimals: 3)
        writer.topics(wish.topics)
        writer.boolean(",\"every\":", wish.wantsEvery)
        writer.boolean(",\"smooth\":", wish.isSmooth)
        writer.integer(",\"lead_ms\":", wish.leadMilliseconds)
        writer.boolean(",\"ecef\":", wish.wantsECEF)
    }

    /// Writes the route in force.
    static func write(_ route: RouteInForce, _ writer: inout JSONWriter) {
        writer.integer(",\"route_version\":", route.version)
        writer.number(",\"length_m\":", route.route?.lengthMeters, decimals: 1)
        writer.integer(",\"maneuvers\":", route.route?.maneuvers.count ?? 0)
        writer.strings(",\"notes\":", route.notes)
    }

    /// Writes the complete status report.
    package func writeStatus(_ writer: inout JSONWriter, _ fanOut: FanOut) {
        var report = StatusReport(startTime: startTime, now: SystemClock.monotonicNow)
        report.frame = latest
        report.calibration = calibration
        report.stateNotes = stateNotes
        report.north = north
        report.sources = board.statuses
        report.trust = loop.trust.latest
        report.dropped = loop.dropped
        report.settingsFile = settingsFile
        report.settingsNotes = settingsNotes
        report.write(to: &writer, route: routes.inForce, fanOut: fanOut, loop: loop)
        counters.write(to: &writer)
        writeHorizon(&writer)
        if let recorder { Self.write(recorder.status, &writer) }
    }

    /// The state of the pose and the reasons why it is not better, in one line.
    package var poseSummary: String {
        let reasons = Diagnosis.reasons(
            frame: latest, sources: board.statuses, calibration: calibration, trust: loop.trust.latest, north: north)
        return ["\(latest.pose.state.wireName)", reasons.joined(separator: "; ")].filter { !$0.isEmpty }
            .joined(separator: ": ")
    }

    /// The short status message.
    package func statusMessage(_ fanOut: FanOut) -> Message.Status {
        var status = Message.Status()
        let now = SystemClock.monotonicNow
        status.timeNanoseconds = now.nanoseconds
        status.uptimeSeconds = now.seconds(since: startTime)
        status.framesMade = loop.counters.frameCount
        status.framesRepeated = loop.counters.repeatCount
        status.messagesLost = fanOut.clients.reduce(fanOut.droppedTotal) { $0 + $1.dropped }
        status.measurementsLost = loop.dropped.reduce(0) { $0 + $1.count }
        status.clients = UInt32(truncatingIfNeeded: fanOut.clients.count)
        status.clientLimit = UInt32(truncatingIfNeeded: fanOut.limits.clients)
        status.poseState = latest.pose.state
        status.guidanceState = latest.guidance.state
        status.sources = latest.sources
        status.isSimulated = latest.isSimulated
        let sources = board.statuses
        for source in sources {
            switch source.description.kind {
            case .gps:
                status.fixesAccepted += source.acceptedCount
                status.fixesRejected += source.rejections.reduce(0) { $0 + $1.count }
                // Of several receivers that of the one whose fixes are used.
                if status.fixRateHertz == nil || source.receiver?.isInUse == true {
                    status.fixRateHertz = source.rateHertz ?? status.fixRateHertz
                }
            case .imu: status.imuRateHertz = source.rateHertz ?? status.imuRateHertz
            default: break
            }
        }
        status.why = Diagnosis.reasons(
            frame: latest, sources: sources, calibration: calibration, trust: loop.trust.latest, north: north)
        status.mount = calibration.mount.map { Message.Mount($0) }
        status.magnetometer = calibration.magnetometer.map { Message.Magnetometer($0) }
        return status
    }
}
