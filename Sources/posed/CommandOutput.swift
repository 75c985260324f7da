import ArgumentParser
import Configuration
import Files
import Glibc

/// Output of the command line: results on standard output, mistakes on standard error.
enum CommandOutput {
    /// EX_CONFIG of sysexits.h: the settings are invalid.
    static let settingsExitCode: Int32 = 78

    /// EX_CANTCREAT: the output cannot be written.
    static let outputExitCode: Int32 = 73

    /// Writes a result, a text that ends with a newline. Where it cannot be written, such as on a full disk, that is
    /// told, and the program ends with an error. A reader that has closed its pipe has enough of it.
    static func print(_ text: String) throws(ExitCode) {
        do throws(FileFault) {
            try FileTransfer.write(text, to: STDOUT_FILENO)
        } catch {
            guard error != .notWritten(EPIPE) else { return }
            try? FileTransfer.write("posed: the output \(error.description)\n", to: STDERR_FILENO)
            throw ExitCode(outputExitCode)
        }
    }

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
