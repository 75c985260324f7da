import Files

/// Why a file cannot be read, or not further: location, problem and remedy.
package struct MCAPProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the file.
    package var path: String
    /// Byte of the file where the problem is, from 0; `nil` if it concerns the whole file.
    package var offset: Int?
    /// What is wrong.
    package var problem: String
    /// What to do about it.
    package var remedy: String

    /// Creates a problem.
    package init(path: String, offset: Int?, problem: String, remedy: String) {
        self.path = path
        self.offset = offset
        self.problem = problem
        self.remedy = remedy
    }

    /// A problem of the file system.
    init(path: String, _ fault: FileFault) {
        self.init(path: path, offset: nil, problem: fault.reason, remedy: fault.remedy)
    }

    /// The message `path: byte N: problem; remedy`.
    package var description: String {
        let place = offset.map { ": byte \($0)" } ?? ""
        return "\(path)\(place): \(problem); \(remedy)"
    }
}
