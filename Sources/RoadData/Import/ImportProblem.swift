import Files

/// Why no file of roads or points comes about: what, where, and what to do.
public struct ImportProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, and the place in it.
    public var place: String
    /// What is wrong.
    public var reason: String
    /// What to do.
    public var remedy: String

    /// A problem.
    public init(place: String, reason: String, remedy: String) {
        self.place = place
        self.reason = reason
        self.remedy = remedy
    }

    /// `place: reason; remedy`.
    public var description: String { "\(place): \(reason); \(remedy)" }
}

extension ImportProblem {
    /// Does something with a file; a fault of it becomes the problem of a place.
    static func at<Result: ~Copyable>(
        _ place: String, remedy: String? = nil, _ body: () throws(FileFault) -> Result
    ) throws(ImportProblem) -> Result {
        do throws(FileFault) {
            return try body()
        } catch {
            throw ImportProblem(place: place, reason: error.reason, remedy: remedy ?? error.remedy)
        }
    }
}
