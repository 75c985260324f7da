import DriveRecording
import MCAP

/// Reads a recording of several files: the file given, and those that follow it in the same folder.
package final class RecordedParts {
    private var reader: DriveRecordingReader
    /// What the file that is read says of itself.
    private var facts: RecordingInfo?
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
                guard openNext() else { return nil }
                continue
            }
            if case .info(let info) = entry {
                if isFirstFile, info.part > 0 {
                    notes.append(
                        "\(reader.path) is part \(info.part) of its recording, counted from 0; give the first part "
                            + "that was kept")
                }
                facts = info
            }
            if case .input = entry { hasInput = true }
            return entry
        }
    }

    /// The next entry of the file; `nil` at its end, and where it is damaged after the recording's first input. A disk
    /// that lost its power may have left anything behind what it wrote before, also as a whole further part.
    private func nextOfFile() throws(MCAPProblem) -> RecordedEntry? {
        do throws(MCAPProblem) { return try reader.next() } catch {
            guard hasInput || !isFirstFile else { throw error }
            isDamaged = true
            note(error, in: reader.path)
            return nil
        }
    }

    private func note(_ damage: MCAPProblem, in path: String) {
        let place = damage.offset.map { "byte \($0): " } ?? ""
        notes.append("\(path): \(place)\(damage.problem); everything before it was used")
    }

    /// Opens the file with the next number if it is the next part of the same recording, and can be read.
    private func openNext() -> Bool {
        guard let facts, let path = Self.path(after: reader.path) else { return false }
        do throws(MCAPProblem) {
            guard let next = try Self.readFacts(of: path), next.continues(facts) else { return false }
            reader = try DriveRecordingReader(path: path)
        } catch {
            note(error, in: path)
            return false
        }
        (isFirstFile, hasInput, isDamaged) = (false, false, false)
        return true
    }

    /// What a file says of itself; `nil` if it is no recording.
    static func readFacts(of path: String) throws(MCAPProblem) -> RecordingInfo? {
        guard DriveRecordingReader.isRecording(path: path) else { return nil }
        var reader = try DriveRecordingReader(path: path)
        guard case .info(let info)? = try reader.next() else { return nil }
        return info
    }

    /// The files with which the reading of a file goes on, in their order; `most` of them at most.
    package static func files(after path: String, most: Int) -> [String] {
        var files: [String] = []
        var (last, facts) = (path, try? Self.readFacts(of: path))
        while files.count < most, let before = facts, let path = Self.path(after: last),
            let next = try? Self.readFacts(of: path), next.continues(before)
        {
            files.append(path)
            (last, facts) = (path, next)
        }
        return files
    }

    /// Whether the reading of the file before goes on with this one.
    package static func isContinuation(path: String) -> Bool {
        guard let before = self.path(before: path), self.path(after: before) == path,
            let facts = try? Self.readFacts(of: path), let earlier = try? Self.readFacts(of: before)
        else { return false }
        return facts.continues(earlier)
    }

    /// The path with the next number: `...-001.mcap` after `...-000.mcap`; `nil` if the name has no number.
    static func path(after path: String) -> String? { self.path(numberedAs: path, plus: 1) }

    /// The path with the number before; `nil` if the name has no number, or the first one.
    static func path(before path: String) -> String? { self.path(numberedAs: path, plus: -1) }

    private static func path(numberedAs path: String, plus step: Int) -> String? {
        guard path.hasSuffix(".mcap") else { return nil }
        let stem = path.dropLast(5)
        guard let dash = stem.lastIndex(of: "-") else { return nil }
        let digits = stem[dash...].dropFirst()
        guard (3...6).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(digits)
        else { return nil }
        // At most six digits.
        let other = number + step
        guard other >= 0 else { return nil }
        let text = other < 1000 ? String(String(1000 + other).dropFirst()) : String(other)
        return "\(stem[...dash])\(text).mcap"
    }
}

extension RecordingInfo {
    /// Whether a file is the next part after another one. What is converted or simulated is one part, and its session
    /// may have the name of another one's.
    fileprivate func continues(_ before: RecordingInfo) -> Bool {
        !session.isEmpty && session == before.session && part > 0 && part - 1 == before.part
    }
}
