/// What is wrong with a JSON text, where, and what to do about it.
public struct JSONProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Line of the place, from 1.
    public let line: Int
    /// Column of the place in characters (Unicode scalars), from 1.
    public let column: Int
    /// Path of the value concerned, such as `routes[0].legs[1]`; empty for the whole text and for errors of syntax.
    public let path: String
    /// What is wrong.
    public let reason: String
    /// What to do about it.
    public let remedy: String

    /// The problem at a place.
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
