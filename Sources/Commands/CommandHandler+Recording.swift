import Engine
import Frames
import Measurements
import Platform
import PoseMath
import Recorder
import Routing

extension CommandHandler {
    /// Starts or stops a recording, or only replies with the status of the recorder.
    func record(_ call: CommandCall, _ action: RecordAction) throws(RequestProblem) {
        guard let recorder else {
            throw RequestProblem(what: "there is no recorder", place: "record", remedy: "run posed as a daemon")
        }
        switch action {
        case .start:
            if let refusal = recorder.startRecording(context: recordingContext) {
                throw RequestProblem(what: refusal.problem, place: "record", remedy: refusal.remedy)
            }
        case .stop: recorder.stopRecording()
        case .status: break
        }
        call.reply { Self.write(recorder.status, &$0) }
    }

    /// Writes the status of the recorder.
    static func write(_ status: RecorderStatus, _ writer: inout JSONWriter) {
        writer.string(",\"recording\":{\"state\":", status.state.rawValue)
        writer.string(",\"folder\":", status.folder)
        writer.string(",\"file\":", status.file)
        writer.integer(",\"bytes\":", status.bytes)
        writer.number(",\"seconds\":", status.seconds, decimals: 1)
        writer.boolean(",\"from_start\":", status.isFromStart)
        writer.boolean(",\"has_reset\":", status.hasReset)
        writer.boolean(",\"private\":", status.isPrivate)
        writer.integer(",\"lost\":", status.lost)
        writer.integer(",\"lost_chunks\":", status.lostChunks)
        writer.string(",\"problem\":", status.problem)
        writer.literal("}")
    }

    /// What the engine took before and still has an effect: a recording that starts now begins with it.
    package var recordingContext: [EngineInput] {
        let now = SystemClock.monotonicNow
        var inputs: [EngineInput] = []
        for (kind, name) in zip(SensorKind.allCases, Message.SourceName.allCases) {
            guard let state = SourceState(rawValue: latest.sources[name].rawValue) else { continue }
            inputs.append(
                .report(SourceReport(time: now, source: kind, state: state, isSimulated: latest.isSimulated)))
        }
        let route = routes.inForce
        // Version 0: none was followed or cleared.
        if route.version != 0 { inputs.append(.command(.setRoute(route.route, version: route.version))) }
        if let found = north.schedule.latest { inputs.append(.command(.setDeclination(found.declination))) }
        if latest.pose.headingTrimRadians != 0 {
            inputs.append(.command(.setHeadingTrim(radians: latest.pose.headingTrimRadians)))
        }
        return inputs
    }
}
