import RoadData

/// Why there is no route.
package struct RoutingProblem: Error, Sendable, Equatable {
    /// What is wrong.
    package var what: String
    /// Where: the server, or the file with the place in it.
    package var place: String
    /// What to do.
    package var remedy: String

    /// The problem, taken as it is.
    package init(what: String, place: String, remedy: String) {
        self.what = what
        self.place = place
        self.remedy = remedy
    }

    /// A problem of a route's file, or of a server's answer.
    package init(_ problem: RouteDataProblem, file: String) {
        what = problem.reason
        var parts = [file]
        if let line = problem.line, let column = problem.column { parts.append("line \(line), column \(column)") }
        if !problem.path.isEmpty { parts.append(problem.path) }
        place = parts.joined(separator: ", ")
        remedy = problem.remedy
    }
}
