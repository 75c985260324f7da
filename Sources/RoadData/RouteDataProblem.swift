import BoundedJSON

/// Why data are not a valid route: location, problem and remedy.
public struct RouteDataProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Line, from 1; `nil` if the problem concerns the whole file.
    public let line: Int?
    /// Column in characters, from 1; `nil` if the problem concerns the whole file.
    public let column: Int?
    /// Path of the value, such as `routes[0].legs[1].steps[3].maneuver.location`; empty if there is none.
    public let path: String
    /// What is wrong.
    public let reason: String
    /// What to do about it.
    public let remedy: String

    /// A problem with the file as a whole.
    public init(reason: String, remedy: String) {
        (line, column, path) = (nil, nil, "")
        self.reason = reason
        self.remedy = remedy
    }

    /// Creates a problem at a position of the text.
    init(line: Int, column: Int, path: String, reason: String, remedy: String) {
        self.line = line
        self.column = column
        self.path = path
        self.reason = reason
        self.remedy = remedy
    }

    /// Converts a problem of a JSON value.
    init(_ problem: JSONProblem) {
        (line, column, path) = (problem.line, problem.column, problem.path)
        reason = problem.reason
        remedy = problem.remedy
    }

    /// `line:column: path: reason; remedy`, ready to follow a file's name and a colon.
    public var description: String {
        var place = ""
        if let line, let column { place = "\(line):\(column): " }
        return "\(place)\(path.isEmpty ? "" : path + ": ")\(reason); \(remedy)"
    }
}
