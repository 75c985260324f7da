/// When the recorder records without a command.
package enum RecordingMode: String, Sendable, CaseIterable {
    /// Only on command.
    case off
    /// From the start of the daemon to its end.
    case always
    /// While the vehicle moves, including the minute before.
    case moving
    /// When something happens, including the minute before: the pose is lost or dead reckoning, an announced jump, a
    /// lost or stale source, a departure from the route.
    case event
}

/// Settings of the recorder.
package struct RecorderSettings: Sendable, Equatable {
    /// When to record without a command.
    package var mode = RecordingMode.off
    /// The folder of the recordings; `nil`: the folder `recordings` in the service manager's state folder.
    package var folder: String?
    /// Whether positions are moved to a random place, and texts that tell the place are left out.
    package var isPrivate = false
    /// Whole frames per second in the recording; 0 for none. A replay gives all frames in any case.
    package var frameRateHertz = 5.0
    /// Maximum size of one file, MiB; the recording continues in the next file.
    package var fileMebibytes = 256
    /// In the modes that wait for something to happen: maximum size of what is kept since the engine's start, MiB, so
    /// that its replay gives the same frames; 0 keeps only the last minute.
    package var historyMebibytes = 256
    /// Maximum size of all recordings in the folder, MiB; the oldest are removed.
    package var totalMebibytes = 4096
    /// Recordings older than this are removed, days.
    package var keepDays = 30
    /// Free space that is left on the disk, MiB.
    package var reserveMebibytes = 512

    /// Free space beyond the reserve that is left for recordings that are kept: with less, nothing is kept only because
    /// it might be needed, MiB.
    var spareMebibytes = 64

    /// The defaults.
    package init() {}

    /// Maximum size of what is kept since the engine's start, MiB.
    var historyLimitMebibytes: Int { min(historyMebibytes, totalMebibytes / 2) }

    /// Size from which a recording continues in the next file, bytes: at most a quarter of all recordings, so that
    /// three quarters stay when the oldest file is removed.
    var fileLimitBytes: Int { min(fileMebibytes << 20, (totalMebibytes << 20) / 4) }

    /// Time between two whole frames for the recorder, nanoseconds; `nil` for none. The mode `moving` needs their speed
    /// once per second, also where fewer are recorded, or none.
    var frameIntervalNanoseconds: Int64? {
        let recorded: Int64? = frameRateHertz > 0 ? Int64(1e9 / max(frameRateHertz, 0.001)) : nil
        return mode == .moving ? min(recorded ?? .max, 1_000_000_000) : recorded
    }

    /// The folder in force; `nil`: nothing can be recorded.
    ///
    /// - Parameter environment: of the process; systemd's StateDirectory= sets `STATE_DIRECTORY`.
    package func folder(environment: [String: String]) -> String? {
        if let folder { return folder }
        guard let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") else {
            return nil
        }
        return "\(given)/recordings"
    }
}
