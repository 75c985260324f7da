import Engine
import PoseMath

/// What a recording contains, in the order of the file.
package enum RecordedEntry: Sendable {
    /// Who recorded what; at the start of each file.
    case info(RecordingInfo)
    /// The settings that were in force when the daemon started.
    case settings(RecordedSettings)
    /// The road file in use, when it was read.
    case roads(RoadFileIdentity)
    /// An input of the engine, in the engine's order. The number counts the inputs from 1; a gap is the number of lost
    /// inputs. 0: the input is older than the file, such as the route in force; only a replay that starts with this
    /// file needs it.
    case input(EngineInput, number: UInt64)
    /// Frames as they were published. Their inputs are earlier in the recording.
    case publications([Publication])
    /// A published frame as the JSON line of the stream socket, without its line end; the lower 32 bits of its number.
    /// Its publication follows.
    case frame(line: ArraySlice<UInt8>, number: UInt32)
    /// An event or a maneuver as the JSON line of the stream socket, without its line end.
    case event(line: ArraySlice<UInt8>, time: MonotonicTime)
    /// A line of the daemon's log.
    case log(RecordedLogLine)
}

/// Facts about a recording.
package struct RecordingInfo: Hashable, Sendable {
    /// The release that wrote it.
    package var release: String
    /// Identifies the run of the recorder; the parts of one recording share it.
    package var session: String
    /// Number of the part, from 0: a long recording has several files.
    package var part = 0
    /// UTC minus monotonic clock when the recording started, nanoseconds: times of messages in the file are in UTC.
    package var clockOffsetNanoseconds: Int64 = 0
    /// Whether the recording has all inputs since the engine's start: only then does a replay give the same frames.
    package var startsWithEngine = false
    /// Whether it contains the publications. Otherwise a replay gives the engine's own frames.
    package var hasPublications = false
    /// Number of frames that were published before the first input of the file.
    package var publishedBefore: UInt64 = 0
    /// Whether positions were moved to a random place.
    package var isPrivate = false
    /// What it was converted from; `nil` if the daemon recorded it.
    package var convertedFrom: String?

    /// Whether the engine was running before the first input of this file. What its filters knew is not in the file, so
    /// a replay that starts with this file aligns again, and its frames are not those that were published.
    package var beginsInMidRun: Bool { convertedFrom == nil && (part > 0 || !startsWithEngine) }

    /// Creates the facts of a first part.
    package init(release: String, session: String) {
        self.release = release
        self.session = session
    }
}

/// The settings of a recording, as they were given to the daemon: a replay reads them in the same way.
package struct RecordedSettings: Hashable, Sendable {
    /// The content of the settings file; `nil` without a file.
    package var file: [UInt8]?
    /// Options of the command line in their order.
    package var options: [Option] = []

    /// An option of the command line.
    package struct Option: Hashable, Sendable {
        /// Path of the key.
        package var path: String
        /// The value as written.
        package var value: String

        /// Creates an option.
        package init(path: String, value: String) {
            self.path = path
            self.value = value
        }
    }

    /// Settings with only the defaults.
    package init() {}
}

/// Which road file was in use. Its answers are recorded, so a replay does not need it.
package struct RoadFileIdentity: Hashable, Sendable {
    /// Path of the file.
    package var path: String
    /// Description of its content.
    package var content: String

    /// Creates an identity.
    package init(path: String, content: String) {
        self.path = path
        self.content = content
    }
}

/// A line of the daemon's log.
package struct RecordedLogLine: Hashable, Sendable {
    /// Level; the numbers are Foxglove's.
    package enum Level: UInt8, Sendable {
        /// Unknown.
        case unknown = 0
        /// For developers.
        case debug = 1
        /// Information.
        case info = 2
        /// Something needs attention.
        case warning = 3
        /// Something does not work.
        case error = 4
        /// The daemon ends.
        case fatal = 5
    }

    /// Time of the line.
    package var time: MonotonicTime
    /// Level.
    package var level: Level
    /// Text.
    package var text: String

    /// Creates a line.
    package init(time: MonotonicTime, level: Level, text: String) {
        self.time = time
        self.level = level
        self.text = text
    }
}
