/// A problem of a JSON text: location, reason and remedy.
public struct JSONProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Line, from 1.
    public let line: Int
    /// Column in characters (Unicode scalars), from 1.
    public let column: Int
    /// Path of the value, such as `routes[0].legs[1]`; empty for the whole text and for syntax errors.
    public let path: String
    /// What is wrong.
    public let reason: String
    /// What to do about it.
    public let remedy: String

    /// Creates a problem.
    public init(line: Int, column: Int, path: String = "", reason: String, remedy: String) {
        self.line = line
        self.column = column
        self.path = path
        self.reason = reason
        self.remedy = remedy
    }

    /// `line:column: path: reason; remedy`, ready to follow a file's name and a colon.
    public var description: String {
        "\(line):\(column): \(path.isEmpty ? "" : path + ": ")\(reason); \(remedy)"
    }
}
