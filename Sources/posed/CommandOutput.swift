import Glibc
import Service

/// What the command line says, and where: results on standard output, mistakes on standard error.
enum CommandOutput {
    /// EX_CONFIG of sysexits.h: something is wrong with the settings.
    static let settingsExitCode: Int32 = 78

    /// Writes a result; text that ends in a line end.
    static func print(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes every mistake, and what to do next.
    static func complain(_ failure: SettingsFailure, checking: Bool) {
        let count = failure.problems.count
        let summary =
            "\(count) \(count == 1 ? "mistake" : "mistakes") in the settings; \(checking ? "they were" : "posed was") not \(checking ? "taken" : "started")"
        write("\(failure.description)\nposed: \(summary)\n", to: STDERR_FILENO)
    }

    /// What `--check` says when nothing is wrong.
    static func verdict(_ loaded: LoadedSettings) -> String {
        let place = loaded.file ?? "no settings file"
        return "\(place): good; \(loaded.origins.count) of \(SettingsRegistry.keys.count) keys set, the others at their defaults\n"
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
