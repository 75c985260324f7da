import Configuration
import Files
import Glibc

/// Output of the command line: results on standard output, mistakes on standard error.
enum CommandOutput {
    /// EX_CONFIG of sysexits.h: the settings are invalid.
    static let settingsExitCode: Int32 = 78

    /// Writes a result, a text that ends with a newline. Text that cannot be written is dropped.
    static func print(_ text: String) { try? FileTransfer.write(text, to: STDOUT_FILENO) }

    /// Writes every mistake and a summary.
    static func complain(_ failure: SettingsFailure, checking: Bool) {
        let count = failure.problems.count
        let summary =
            "\(count) \(count == 1 ? "mistake" : "mistakes") in the settings; "
            + (checking ? "the check failed" : "posed was not started")
        try? FileTransfer.write("\(failure.description)\nposed: \(summary)\n", to: STDERR_FILENO)
    }

    /// The output of `--check` for valid settings.
    static func verdict(_ loaded: LoadedSettings) -> String {
        let place = loaded.file ?? "no settings file"
        return
            "\(place): valid; \(loaded.origins.count) of \(SettingsRegistry.keys.count) keys set, the others have "
            + "their defaults\n"
    }
}
