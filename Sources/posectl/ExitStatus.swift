import ArgumentParser
import Files
import Glibc

extension ExitCode {
    /// The daemon is not there.
    static let noDaemon = ExitCode(2)
    /// A recording, route or other data is broken (EX_DATAERR).
    static let badData = ExitCode(65)
    /// Output cannot be written (EX_CANTCREAT).
    static let cannotWrite = ExitCode(73)
    /// A settings file is wrong (EX_CONFIG).
    static let badSettings = ExitCode(78)
}

/// Says one thing on the standard error, after the program's name.
func complain(_ message: String) { writeText("posectl: \(message)\n", to: STDERR_FILENO) }

/// Writes text to a descriptor, all of it; what cannot be written is lost.
func writeText(_ text: String, to descriptor: Int32) { try? FileTransfer.write(text, to: descriptor) }
