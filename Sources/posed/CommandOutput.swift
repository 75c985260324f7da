import Configuration
import Files
import Glibc

/// What the command line says, and where: results on standard output, mistakes on standard error.
enum CommandOutput {
    /// EX_CONFIG of sysexits.h: something is wrong with the settings.
    static let settingsExitCode: Int32 = 78

    /// Writes a result; text that ends in a line end. What cannot be written is lost.
    static func print(_ text: String) { try? FileTransfer.write(text, to: STDOUT_FILENO) }

    /// Writes every mistake, and what to do next.
    static func complain(_ failure: SettingsFailure, checking: Bool) {
        let count = failure.problems.count
        let summary =
            "\(count) \(count == 1 ? "mistake" : "mistakes") in the settings; \(checking ? "they were" : "posed was") "
            + "not \(checking ? "taken" : "started")"
        try? FileTransfer.write("\(failure.description)\nposed: \(summary)\n", to: STDERR_FILENO)
    }

    /// What `--check` says when nothing is wrong.
    static func verdict(_ loaded: LoadedSettings) -> String {
        let place = loaded.file ?? "no settings file"
        return
            "\(place): good; \(loaded.origins.count) of \(SettingsRegistry.keys.count) keys set, the others at their "
            + "defaults\n"
    }
}
