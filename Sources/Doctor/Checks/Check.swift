/// One check: the area it looks at, the areas it needs, and its judgement of the facts.
struct Check: Sendable {
    /// The area.
    let area: Area
    /// Areas whose failure makes this check meaningless.
    let needs: [Area]
    /// The judgement; pure.
    let judge: @Sendable (DoctorFacts) -> Verdict

    /// All checks, in the order of the areas.
    static let all = [
        settings, daemon, storage, kernel, device, permissions, trigger, range, rate, clock, gpsd, fix, filter,
    ]
}

extension DoctorReport {
    /// Judges facts by all checks.
    package init(judging facts: DoctorFacts) {
        var entries: [Entry] = []
        for check in Check.all {
            let failed = check.needs.first { needed in
                // Settings that are valid can be used, whatever is wrong with their file.
                if needed == .settings, facts.settings.loaded != nil { return false }
                return entries.contains { $0.area == needed && $0.verdict.blocksOthers }
            }
            let verdict = failed.map { Verdict.before($0) }
            entries.append(Entry(area: check.area, verdict: verdict ?? check.judge(facts)))
        }
        self.init(entries: entries)
    }
}

extension Verdict {
    /// A check that is made only after another area is in order.
    static func before(_ area: Area) -> Verdict { .notChecked("not checked before \(area.rawValue) is in order") }

    /// Whether checks that need this one say nothing: it failed, or could not be judged itself.
    fileprivate var blocksOthers: Bool {
        if case .notChecked = self { return true }
        return hasFailed
    }
}

/// The parts of commands.
enum Shell {
    /// A text as one word of a shell.
    static func word(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "A")
                    && byte <= UInt8(ascii: "Z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
                || "/._-:+,@%=".utf8.contains(byte)
        }
        guard !plain || text.isEmpty else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Writes a text into a file of the system.
    static func write(_ text: String, to path: String) -> String { "echo \(word(text)) | sudo tee \(word(path))" }
}
