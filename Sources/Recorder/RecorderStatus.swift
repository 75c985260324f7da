/// What the recorder does, for `status`.
package struct RecorderStatus: Sendable, Equatable {
    /// What the recorder does.
    package enum State: String, Sendable {
        /// Nothing.
        case off
        /// The last minute is kept on the disk, until something happens.
        case waiting
        /// Recording.
        case recording
        /// It should record and cannot; ``RecorderStatus/problem`` says why.
        case failed
    }

    /// What it does.
    package var state = State.off
    /// The folder; `nil` if none is set.
    package var folder: String?
    /// Path of the current file.
    package var file: String?
    /// Bytes in the current file.
    package var bytes = 0
    /// Time since the current recording started, seconds.
    package var seconds = 0.0
    /// Whether the recording still has all inputs since the engine's start: then its replay gives the same frames.
    package var isFromStart = false
    /// Whether posed was reset since the recording began, and all files since then are there: then its replay gives the
    /// same frames from there on.
    package var hasReset = false
    /// Whether positions are moved to a random place.
    package var isPrivate = false
    /// Inputs of the engine and publications that were lost because a queue was full.
    package var lost: UInt64 = 0
    /// Seconds of recording that were lost because the disk was too slow.
    package var lostChunks: UInt64 = 0
    /// Why it cannot record, with the remedy.
    package var problem: String?

    /// The recorder is off.
    package init() {}
}
