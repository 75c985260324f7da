import Measurements

/// Reads the measurements of a recording, whatever its format, in the order of their arrival.
package protocol EventReader: AnyObject {
    /// The sensors of the recording.
    var kinds: Set<SensorKind> { get }
    /// The share that has been read, 0 to 1.
    var progress: Double { get }
    /// What was left out so far, one sentence each.
    var notes: [String] { get }
    /// What else is known of the recording so far, one line each.
    var details: [String] { get }
    /// The next measurement; `nil` at the end. Must not be called again after an error.
    func next() throws(RecordingError) -> SensorEvent?
}

extension EventReader {
    /// Nothing else.
    package var details: [String] { [] }
}

/// Reads a folder of CSV files.
package final class FolderReader: EventReader {
    private var reader: RecordingReader

    /// Opens the files of a folder.
    package init(folder: String) throws(RecordingError) { reader = try RecordingReader(folder: folder) }

    package var kinds: Set<SensorKind> { reader.kinds }
    package var progress: Double { reader.progress }
    package var notes: [String] { [] }
    package func next() throws(RecordingError) -> SensorEvent? { try reader.next() }
}
