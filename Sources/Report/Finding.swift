/// Something that a report found out about a drive, with what to do.
struct Finding: Sendable, Equatable {
    /// How much it matters.
    enum Severity: Int, Sendable {
        /// Good to know.
        case note = 0
        /// The pose would be better otherwise.
        case advice
        /// The pose was wrong or missing.
        case problem

        /// Its name in the report.
        var name: StaticString {
            switch self {
            case .note: "note"
            case .advice: "advice"
            case .problem: "problem"
            }
        }
    }

    /// How much it matters.
    var severity: Severity
    /// What was found.
    var text: String
    /// What to do; empty if nothing.
    var remedy: String
    /// When it happened, seconds from the start of the recording; `nil` if it concerns the whole drive.
    var atSeconds: Double?
}
