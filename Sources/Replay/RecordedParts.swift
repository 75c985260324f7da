import DriveRecording
import MCAP

/// Reads a recording of several files: the file given, and those that follow it in the same folder.
package final class RecordedParts {
    private var reader: DriveRecordingReader
    private var session: String?
    /// Whether the file is the first one that was read.
    package private(set) var isFirstFile = true
    /// Share of the file that was read, 0 to 1.
    package var progress: Double { reader.size > 0 ? Double(reader.offset) / Double(reader.size) : 1 }
    /// What a user has to know.
    package private(set) var notes: [String] = []

    /// Whether the file has given an input.
    private var hasInput = false
    /// Whether the file is damaged after an input.
    private var isDamaged = false

    /// Opens the first file.
    package init(path: String) throws(MCAPProblem) { reader = try DriveRecordingReader(path: path) }

    /// The next entry; `nil` at the end of the last file.
    package func next() throws(MCAPProblem) -> RecordedEntry? {
        while true {
            guard let entry = try nextOfFile() else {
                if !isDamaged, case .cutOff(let offset)? = reader.end {
                    notes.append(
                        "\(reader.path) was cut off at byte \(offset) of \(reader.size); everything before it was used")
                }
                guard try openNext() else { return nil }
                continue
            }
            if case .info(let info) = entry {
                if isFirstFile, info.part > 0 {
                    notes.append(
                        "\(reader.path) is part \(info.part) of its recording, counted from 0; give the first part "
                            + "that was kept")
                }
                session = session ?? info.session
            }
            if case .input = entry { hasInput = true }
            return entry
        }
    }

    /// The next entry of the file; `nil` at its end, and where it is damaged after its first input. A disk that lost
    /// its power may have left anything behind what it wrote before.
    private func nextOfFile() throws(MCAPProblem) -> RecordedEntry? {
        do throws(MCAPProblem) { return try reader.next() } catch {
            guard hasInput else { throw error }
            isDamaged = true
            let place = error.offset.map { "byte \($0): " } ?? ""
            notes.append("\(reader.path): \(place)\(error.problem); everything before it was used")
            return nil
        }
    }

    /// Opens the file with the next number if it belongs to the same recording.
    private func openNext() throws(MCAPProblem) -> Bool {
        guard let session, !session.isEmpty, let path = Self.path(after: reader.path),
            DriveRecordingReader.isRecording(path: path)
        else { return false }
        var next = try DriveRecordingReader(path: path)
        guard case .info(let info)? = try next.next(), info.session == session else { return false }
        reader = try DriveRecordingReader(path: path)
        (isFirstFile, hasInput, isDamaged) = (false, false, false)
        return true
    }

    /// The path with the next number: `...-001.mcap` after `...-000.mcap`; `nil` if the name has no number.
    static func path(after path: String) -> String? {
        guard path.hasSuffix(".mcap") else { return nil }
        let stem = path.dropLast(5)
        guard let dash = stem.lastIndex(of: "-") else { return nil }
        let digits = stem[dash...].dropFirst()
        guard (3...6).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(digits)
        else { return nil }
        let next = number < 999 ? String(String(1001 + number).dropFirst()) : String(number + 1)
        return "\(stem[...dash])\(next).mcap"
    }
}
