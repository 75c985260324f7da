import BoundedJSON

/// The daemon's reply to `status`, as far as the doctor judges it.
package struct DaemonStatus: Sendable, Equatable {
    /// The release, and the time since the start, seconds.
    package var release = ""
    package var uptimeSeconds = 0.0
    /// State of the pose by its wire name, and why it is not better.
    package var poseState = ""
    package var why: [String] = []
    /// Kinds of the sources that stream, and of those that are open, with data or without.
    package var streaming: Set<String> = []
    package var open: Set<String> = []
    /// Verdict on the receiver, and the lateness of its fixes, seconds.
    package var receiver = "trusted"
    package var latenessSeconds = 0.0
    /// Faults of the IMU by name.
    package var imuFaults: [String] = []
    /// State of the magnetometer; `nil` without one.
    package var magnetometer: String?
    /// Measurements and frames that were lost.
    package var lost = 0
    /// Clients that get fewer frames than they asked for.
    package var lowRateClients = 0
    /// `off`, `on` or `refused: why`.
    package var realTime = "off"
    /// Problems of the road file and the recording; `nil` without.
    package var roadsProblem: String?
    package var recordingProblem: String?
    /// Path of the settings file in use, and notes about the settings.
    package var settingsFile: String?
    package var settingsNotes: [String] = []

    /// A status without content.
    package init() {}

    /// Reads a reply; `nil` if it is not a reply to `status`.
    package init?(reply: [UInt8]) {
        guard let root = (try? JSONDocument(bytes: reply))?.root, root["cmd"]?.string == "status",
            root["ok"]?.bool == true
        else { return nil }
        release = root["release"]?.string ?? ""
        uptimeSeconds = root["uptime_s"]?.double ?? 0
        poseState = root["pose"]?["state"]?.string ?? ""
        why = Self.strings(root["pose"]?["why"])
        for source in root["sources"].map({ Array($0.elements) }) ?? [] {
            guard let kind = source["kind"]?.string, let state = source["state"]?.string else { continue }
            if state == "streaming" { streaming.insert(kind) }
            if ["waiting", "streaming", "stale"].contains(state) { open.insert(kind) }
        }
        receiver = root["trust"]?["receiver"]?.string ?? receiver
        latenessSeconds = root["trust"]?["fix_lateness_s"]?.double ?? 0
        imuFaults = Self.strings(root["trust"]?["imu_faults"])
        magnetometer = root["magnetometer"]?["state"]?.string
        let engine = root["engine"]
        let dropped = engine?["measurements_dropped"]?.members.compactMap { $1.int } ?? []
        lost = dropped.reduce(engine?["frames_dropped"]?.int ?? 0) { $0.addingReportingOverflow($1).partialValue }
        lowRateClients = root["clients"]?["low_rate"]?.int ?? 0
        realTime = engine?["real_time"]?.string ?? "off"
        roadsProblem = root["roads"]?["problem"]?.string
        recordingProblem = root["recording"]?["problem"]?.string
        settingsFile = root["settings"]?["file"]?.string
        settingsNotes = Self.strings(root["settings"]?["notes"])
    }

    private static func strings(_ json: JSONValue?) -> [String] { json?.elements.compactMap(\.string) ?? [] }
}
