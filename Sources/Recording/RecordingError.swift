/// Why a recording cannot be used: location, problem and remedy.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the file or folder.
    public var path: String
    /// Line, from 1; `nil` if the problem concerns the whole file.
    public var line: Int?
    /// Byte in the line where the problem starts, from 1; `nil` if it concerns the whole line.
    public var column: Int?
    /// What is wrong.
    public var problem: String
    /// What to do about it.
    public var remedy: String

    /// Creates an error about a file, or about a place in it.
    package init(path: String, line: Int? = nil, column: Int? = nil, problem: String, remedy: String) {
        self.path = path
        self.line = line
        self.column = column
        self.problem = problem
        self.remedy = remedy
    }

    /// The message `path:line:column: problem; remedy`.
    public var description: String {
        let place = [line, column].compactMap { $0 }.map { ":\($0)" }.joined()
        return "\(path)\(place): \(problem); \(remedy)"
    }
}
