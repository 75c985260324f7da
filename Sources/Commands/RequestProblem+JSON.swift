import BoundedJSON
import Frames
import Routing

extension RequestProblem {
    /// A JSON error in the text of a command.
    package init(_ problem: JSONProblem) {
        let position = problem.line == 1 ? "column \(problem.column)" : "line \(problem.line), column \(problem.column)"
        self.init(
            what: problem.reason, place: problem.path.isEmpty ? position : "\(problem.path) (\(position))",
            remedy: problem.remedy)
    }
}

extension JSONWriter {
    /// Writes the problem as a JSON object.
    package mutating func problem(_ problem: RequestProblem) {
        string("{\"what\":", problem.what)
        string(",\"where\":", problem.place)
        string(",\"remedy\":", problem.remedy)
        literal("}")
    }
}
