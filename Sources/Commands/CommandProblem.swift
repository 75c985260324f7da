import BoundedJSON
import Frames

/// Why a command is not carried out.
package struct CommandProblem: Error, Sendable, Equatable {
    /// What is wrong.
    package var what: String
    /// Where: a place in the line, a member, a file.
    package var place: String
    /// What to do.
    package var remedy: String

    /// The problem.
    package init(what: String, place: String, remedy: String) {
        self.what = what
        self.place = place
        self.remedy = remedy
    }

    /// A mistake in the text of a command.
    package init(_ problem: JSONProblem) {
        what = problem.reason
        let position = problem.line == 1 ? "column \(problem.column)" : "line \(problem.line), column \(problem.column)"
        place = problem.path.isEmpty ? position : "\(problem.path) (\(position))"
        remedy = problem.remedy
    }
}

extension JSONWriter {
    /// The problem as an object.
    package mutating func problem(_ problem: CommandProblem) {
        string("{\"what\":", problem.what)
        string(",\"where\":", problem.place)
        string(",\"remedy\":", problem.remedy)
        literal("}")
    }
}
