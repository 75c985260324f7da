/// What is to be done about a fault.
package enum Remedy: Sendable, Equatable {
    /// A command that removes the fault.
    case run(String)
    /// A command that shows more, where no command can remove the fault: a cable, an antenna, a drive.
    case look(String)

    /// The command.
    package var command: String {
        switch self {
        case .run(let command), .look(let command): command
        }
    }

    /// The word before the command in the report.
    package var word: String {
        switch self {
        case .run: "fix"
        case .look: "look"
        }
    }
}

/// A fault that was found.
package struct Finding: Sendable, Equatable {
    /// The fault.
    package let fault: Fault
    /// What is wrong and why: `what: why`.
    package let text: String
    /// What to do.
    package let remedy: Remedy

    /// Creates a finding.
    package init(_ fault: Fault, _ text: String, _ remedy: Remedy) {
        self.fault = fault
        self.text = text
        self.remedy = remedy
    }
}

/// The result of a check.
package enum Verdict: Sendable, Equatable {
    /// Everything is in order; what was found.
    case passed(String)
    /// It could not be judged, or does not apply; why.
    case notChecked(String)
    /// What is wrong.
    case found([Finding])

    /// The findings; a check without any has passed.
    static func of(_ findings: [Finding?], otherwise text: String) -> Verdict {
        let found = findings.compactMap { $0 }
        return found.isEmpty ? .passed(text) : .found(found)
    }

    /// Whether a failure was found.
    package var hasFailed: Bool { findings.contains { $0.fault.isFailure } }

    /// The findings; empty unless something is wrong.
    package var findings: [Finding] {
        if case .found(let findings) = self { return findings }
        return []
    }
}
