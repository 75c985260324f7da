/// The page of all faults, docs/doctor.md.
package enum FaultPage {
    /// The page as Markdown.
    package static var text: String {
        var lines = [
            "# posectl doctor", "",
            "This page is generated from `Sources/Doctor/Report` (`make generated`).", "",
            "`posectl doctor` looks at this machine from the settings to the estimate, and prints one line for each",
            "area. For each fault it prints what is wrong and why, and a command: `fix` removes the fault, `look`",
            "shows more where no command can remove it (a cable, an antenna, a drive). It changes nothing itself,",
            "needs no device, and takes at most 10 s. Areas that depend on a failed one are not judged, so that one",
            "fault gives one line.", "",
            "```sh", "posectl doctor", "posectl doctor --json", "```", "",
            "The exit code is the number of failures, at most 125; warnings do not count. `--json` prints one object",
            "for programs. `--config`, and `--folder` or `$POSED_STREAM`, select another daemon than that of the",
            "service: the commands then end and start that one.", "",
            "| area | passes if |", "|---|---|",
        ]
        lines += Area.allCases.map { "| \($0.rawValue) | \($0.summary) |" }
        lines += [
            "", "## Faults", "",
            "The last column says how the tests verify a fault. *Command run*: the fault is injected on a real file,",
            "socket or gpsd, the printed command is run, and the line is gone. *Fault injected*: its line appears on",
            "a real injection. *Facts*: only the judgement is tested. Where no command is run, the reason follows.",
            "",
            "On a machine without a service manager the commands start posed and gpsd by the command lines that these",
            "have; the tests run that form. `make test-systemd` runs those of systemd.", "",
            "| fault | meaning | counts | verified by |", "|---|---|---|---|",
        ]
        lines += Fault.allCases.map { fault in
            let proof = fault.proof.rawValue + (fault.reason.map { ". \($0)" } ?? "")
            return "| `\(fault.rawValue)` | \(fault.summary) | \(fault.isFailure ? "failure" : "warning") | \(proof) |"
        }
        let run = Fault.allCases.count { $0.proof == .run }
        lines += ["", "For \(run) of the \(Fault.allCases.count) faults the command is run."]
        return lines.joined(separator: "\n") + "\n"
    }
}
