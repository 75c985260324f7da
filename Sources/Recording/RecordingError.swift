/// Why a recording cannot be used: where it is, what is wrong, and what to do about it.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the file or folder.
    public var path: String
    /// Line, counted from 1; `nil` where the whole file is meant.
    public var line: Int?
    /// Byte in the line at which the trouble begins, counted from 1; `nil` where the whole line is meant.
    public var column: Int?
    /// What is wrong.
    public var problem: String
    /// What to do about it.
    public var remedy: String

    /// The message `path:line:column: what; remedy`.
    public var description: String {
        let place = [line, column].compactMap { $0 }.map { ":\($0)" }.joined()
        return "\(path)\(place): \(problem); \(remedy)"
    }
}
