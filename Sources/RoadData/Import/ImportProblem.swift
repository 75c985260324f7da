import Files

/// Why an import failed: location, problem and remedy.
public struct ImportProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, and the location in it.
    public var place: String
    /// What is wrong.
    public var reason: String
    /// Remedy.
    public var remedy: String

    /// Creates a problem.
    public init(place: String, reason: String, remedy: String) {
        self.place = place
        self.reason = reason
        self.remedy = remedy
    }

    /// `place: reason; remedy`.
    public var description: String { "\(place): \(reason); \(remedy)" }
}

extension ImportProblem {
    /// Runs a file operation; converts its fault to a problem of the file.
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
