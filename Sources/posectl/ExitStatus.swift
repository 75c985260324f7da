import ArgumentParser
import Files
import Glibc

extension ExitCode {
    /// The daemon does not run.
    static let noDaemon = ExitCode(2)
    /// A recording, route or other data is invalid (EX_DATAERR).
    static let badData = ExitCode(65)
    /// Output cannot be written (EX_CANTCREAT).
    static let cannotWrite = ExitCode(73)
    /// A settings file is invalid (EX_CONFIG).
    static let badSettings = ExitCode(78)
}

/// Writes one message to standard error, after the program's name.
func complain(_ message: String) { writeText("posectl: \(message)\n", to: STDERR_FILENO) }

/// Prints a result. Where it cannot be written, such as on a full disk, that is told, and the program ends with an
/// error. A reader that has closed its pipe has enough of it.
func printResult(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(ExitCode) {
    do throws(FileFault) {
        try FileTransfer.write(text, to: descriptor)
    } catch {
        guard error != .notWritten(EPIPE) else { return }
        complain("the output \(error.description)")
        throw ExitCode.cannotWrite
    }
}

/// Writes the whole text to a descriptor; text that cannot be written is dropped.
func writeText(_ text: String, to descriptor: Int32) { try? FileTransfer.write(text, to: descriptor) }
