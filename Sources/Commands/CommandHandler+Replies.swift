import Frames
import Platform
import PoseMath
import Publishing
import RoadData

extension CommandHandler {
    /// The engine's thread does not come to take commands.
    package static let busy = CommandProblem(
        what: "the queue of 64 commands is full", place: "engine",
        remedy: "try again in a second; if it lasts, look at engine.beat_age_s in status")

    /// What a peer without the right is told.
    package static func notAllowed(_ client: Client) -> CommandProblem {
        CommandProblem(
            what: "user \(client.peer.userId) may not change anything", place: "cmd",
            remedy: "ask as root, as the daemon's own user, or as a member of the socket's group")
    }

    /// Sends a reply that says ok, with what `members` writes behind it, each member led by a comma.
    package func reply(_ name: String, _ id: String?, _ client: Client, _ members: (inout JSONWriter) -> Void) {
        begin(name, id)
        writer.literal(",\"ok\":true")
        members(&writer)
        finish(client)
    }

    /// Sends a reply that says why not.
    package func refuse(_ problem: CommandProblem, _ name: String?, _ id: String?, _ client: Client) {
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

    /// The release and the protocol.
    package static func writeVersion(_ writer: inout JSONWriter) {
        writer.string(",\"release\":", Release.version)
        writer.literal(",\"protocol\":1")
    }

    /// The wish as it was understood.
    package static func write(_ wish: Message.Subscription, _ writer: inout JSONWriter) {
        writer.number(",\"rate_hz\":", Double(wish.rateMillihertz) / 1000, decimals: 3)
        writer.topics(wish.topics)
        writer.boolean(",\"every\":", wish.wantsEvery)
        writer.boolean(",\"smooth\":", wish.isSmooth)
    }

    /// A route that the engine was given.
    static func write(_ route: RouteInForce, _ writer: inout JSONWriter) {
        writer.integer(",\"route_version\":", route.version)
        writer.number(",\"length_m\":", route.route?.lengthMeters, decimals: 1)
        writer.integer(",\"maneuvers\":", route.route?.maneuvers.count ?? 0)
        writer.strings(",\"notes\":", route.notes)
    }

    /// Everything there is to know.
    package func writeStatus(_ writer: inout JSONWriter, _ fanOut: FanOut) {
        var report = StatusReport(startTime: startTime, now: SystemClock.monotonicNow)
        report.frame = latest
        report.calibration = calibration
        report.stateNotes = stateNotes
        report.sources = board.statuses
        report.trust = loop.trust.latest
        report.dropped = loop.dropped
        report.settingsFile = settingsFile
        report.settingsNotes = settingsNotes
        report.write(to: &writer, route: routes.inForce, fanOut: fanOut, loop: loop)
        writeSurroundings(&writer)
    }

    /// The same in short, as a message.
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
        let sources = board.statuses
        for source in sources {
            switch source.description.kind {
            case .gps:
                status.fixesAccepted += source.acceptedCount
                status.fixesRejected += source.rejections.reduce(0) { $0 + $1.count }
                status.fixRateHertz = source.rateHertz ?? status.fixRateHertz
            case .imu: status.imuRateHertz = source.rateHertz ?? status.imuRateHertz
            default: break
            }
        }
        status.why = Diagnosis.reasons(
            frame: latest, sources: sources, calibration: calibration, trust: loop.trust.latest)
        status.mount = calibration.mount.map { Message.Mount($0) }
        status.magnetometer = calibration.magnetometer.map { Message.Magnetometer($0) }
        return status
    }
}
