import RoadData

/// Why a request failed: a command of a client, or a query to a routing server.
package struct RequestProblem: Error, Sendable, Equatable {
    /// What is wrong.
    package var what: String
    /// Where: a member or a position in the line, a file with the position in it, a server.
    package var place: String
    /// What to do.
    package var remedy: String

    /// Creates a problem.
    package init(what: String, place: String, remedy: String) {
        self.what = what
        self.place = place
        self.remedy = remedy
    }

    /// A problem in a route file or in a server's answer.
    package init(_ problem: RouteDataProblem, file: String) {
        what = problem.reason
        var parts = [file]
        if let line = problem.line, let column = problem.column { parts.append("line \(line), column \(column)") }
        if !problem.path.isEmpty { parts.append(problem.path) }
        place = parts.joined(separator: ", ")
        remedy = problem.remedy
    }
}
