import GpsdReports
import Measurements
import PoseMath
import SensorInterface

/// What gpsd has reported about itself and its receivers on this connection.
struct GpsdFacts {
    /// Version of gpsd's protocol that libgps 3.22 was written for.
    private static let knownProtocolMajor: Int32 = 3

    private var version: GpsdVersion?
    private var devices: [GpsdDevice] = []
    private var isListed = false
    private var error: String?

    /// Stores what a report contains about gpsd and its receivers. An error is told until a position report comes.
    mutating func update(_ report: GpsdReport) {
        switch report {
        case .version(let version): self.version = version
        case .devices(let devices): (self.devices, isListed) = (devices, true)
        case .device(let device):
            devices.removeAll { $0.path == device.path }
            // gpsd serves at most four receivers; the list is bounded.
            devices = devices.suffix(7) + [device]
        case .error(let message): error = String(message.prefix(120))
        // A receiver that was missing is there: gpsd does not take back that it had none.
        case .fix: error = nil
        default: break
        }
    }

    /// The reason for the source's state and the remedy, in one sentence.
    ///
    /// - Parameters:
    ///   - wanted: the receiver that the settings name; `nil`: any.
    ///   - key: the setting that names it.
    func explanation(
        state: SourceState, wanted: String?, key: String = "gps.device", link: GpsdLink, pipeline: GPSPipeline,
        at now: MonotonicTime
    ) -> String {
        let isOpen = state == .waiting || state == .stale
        if let wanted, isOpen, let missing = missing(wanted, key) { return missing }
        switch state {
        case .absent, .lost: return link.failure.isEmpty ? "not started" : link.failure
        case .opening: return "connecting to gpsd"
        case .waiting: return waiting(link: link, pipeline: pipeline, wanted: wanted, at: now) + remark
        case .streaming: return streaming(pipeline) + remark
        case .stale:
            let seconds = Int((link.secondsSinceReport(at: now) ?? 0).rounded())
            let name = receiver(pipeline, wanted)
            return "no data from \(name) for \(seconds) s, but gpsd answers: check its cable and power"
        }
    }

    /// What to say if gpsd does not have the receiver that the settings name; `nil` if it has, or has not listed its
    /// receivers yet.
    private func missing(_ wanted: String, _ key: String) -> String? {
        guard isListed, !devices.contains(where: { $0.path == wanted }) else { return nil }
        let others = devices.map(\.path).joined(separator: ", ")
        return others.isEmpty
            ? "gpsd has no receiver, and \(key) is \(wanted): plug it in or run `sudo gpsdctl add \(wanted)`"
            : "gpsd has \(others), and \(key) is \(wanted): set \(key) to one that gpsd has, or to null"
    }

    /// The receiver that is meant, also one that fell silent: gpsd may have others.
    private func receiver(_ pipeline: GPSPipeline, _ wanted: String?) -> String {
        let path = pipeline.leadingDevice ?? pipeline.lastUsedDevice ?? wanted ?? devices.last?.path ?? ""
        return path.isEmpty ? "the receiver" : path
    }

    private func waiting(link: GpsdLink, pipeline: GPSPipeline, wanted: String?, at now: MonotonicTime) -> String {
        let name = receiver(pipeline, wanted)
        if pipeline.isJammed { return "\(name) reports jamming and has no fix: find the source of the interference" }
        guard link.secondsSinceReport(at: now) == nil else {
            let visible = pipeline.satellites.visible.map { ", \($0) satellites in view" } ?? ""
            return "\(name) has no usable fix yet\(visible): give the antenna a view of the sky"
        }
        let meant = devices.filter { $0.path == wanted }
        let active = (meant.isEmpty ? devices : meant).filter(\.isActive)
        return active.isEmpty
            ? "gpsd has no receiver: plug one in, or name it to gpsd (gpsdctl add DEVICE)"
            : "gpsd has \(active.map(\.path).joined(separator: ", ")), which has sent nothing yet"
    }

    private func streaming(_ pipeline: GPSPipeline) -> String {
        let driver = devices.last { $0.path == pipeline.leadingDevice }?.driver ?? ""
        let name = receiver(pipeline, nil)
        if pipeline.isJammed { return "\(name) reports jamming: its fixes are not used until the jamming ends" }
        let satellites = pipeline.satellites.used.map { ", \($0) satellites used" } ?? ""
        return "fixes from \(name)\(driver.isEmpty ? "" : " (\(driver))")\(satellites)"
    }

    private var remark: String {
        if let error { return "; gpsd reports: \(error)" }
        if let version, version.protocolMajor != Self.knownProtocolMajor {
            return
                "; gpsd \(version.release) uses protocol \(version.protocolMajor), supported is "
                + "\(Self.knownProtocolMajor)"
        }
        return ""
    }
}

/// Requests to gpsd.
enum GpsdRequest {
    /// Requests JSON reports, from one receiver if it is named. Quotes and backslashes in the name are escaped for
    /// JSON. gpsd answers the name of a receiver that it does not have only with an error: therefore the list of those
    /// that it has is requested too.
    static func watch(device: String?) -> String {
        let filter = device.map { name in
            let escaped = name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return ",\"device\":\"\(String(escaped))\""
        }
        return "?WATCH={\"enable\":true,\"json\":true\(filter ?? "")};\n" + (device == nil ? "" : "?DEVICES;\n")
    }
}

/// Reports changes of state to the sink and keeps the status board up to date.
struct GPSStatusReporter {
    private let outlet: ReceiverSwitch
    private let place: Int
    let board: SourceStatusBoard
    let entry: Int
    private var lastState: SourceState?
    private var lastWritten: MonotonicTime?

    /// Creates a reporter of the receiver with a place in the order of preference, from 0.
    init(outlet: ReceiverSwitch, place: Int, board: SourceStatusBoard, entry: Int) {
        (self.outlet, self.place) = (outlet, place)
        self.board = board
        self.entry = entry
    }

    /// Publishes a change of state at once, everything else every `seconds`.
    mutating func publish(
        _ state: SourceState, at now: MonotonicTime, every seconds: Double, explanation: () -> String,
        pipeline: GPSPipeline
    ) {
        let isChange = state != lastState
        if !isChange, let lastWritten, now.seconds(since: lastWritten) < seconds { return }
        if isChange { outlet.report(state, of: place, at: now) }
        lastState = state
        lastWritten = now
        let text = explanation()
        let receiver = pipeline.receiverStatus(at: now)
        board.update(entry) { status in
            status.state = state
            status.explanation = text
            status.acceptedCount = pipeline.acceptedCount
            status.rejections = pipeline.counts.all
            status.rateHertz = state == .streaming ? 1 / pipeline.cycleSeconds : nil
            status.lastDataTime = pipeline.lastFix?.arrivalTime
            status.clockDriftPartsPerMillion = pipeline.clockDriftPartsPerMillion
            status.receiver = receiver.placed(as: status.receiver)
        }
    }

    /// Reports that the source has ended.
    mutating func finish(at now: MonotonicTime) {
        if lastState != .absent { outlet.report(.absent, of: place, at: now) }
        lastState = .absent
        board.update(entry) { status in
            status.state = .absent
            status.explanation = "stopped"
            status.rateHertz = nil
        }
    }
}
