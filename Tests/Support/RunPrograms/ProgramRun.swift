import CSystem
import Glibc

/// A program that a test runs to its end. Not with Foundation: its way to see the end of a program is a socket that the
/// programs of other tests may inherit, and it waits for ever.
///
/// It inherits no other file of this process, and what it writes goes to a file without a name, so that nothing that
/// another program holds open delays its end.
package struct ProgramRun: Sendable {
    /// Its exit code; 256 plus the signal that ended it.
    package var code: Int32
    /// What it wrote.
    package var output: String

    /// Why there is no result.
    package struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        package var description: String
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - path: its file.
    ///   - arguments: what follows its name.
    ///   - includesErrors: whether the output has what it writes to its standard error.
    ///   - limitSeconds: after this time it is killed, with what it has started; this only ends what hangs.
    package init(
        _ path: String, _ arguments: [String], includesErrors: Bool = false, limitSeconds: Double = 600
    ) throws(Failure) {
        let file = try Self.file()
        defer { close(file) }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: Int32 = 0
        let descriptors = [-1, file, includesErrors ? file : STDERR_FILENO]
        let problem = posed_spawn(path, words, environ, descriptors, 3, 1, &process)
        guard problem == 0 else {
            throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(problem)))")
        }
        let deadline = ContinuousClock.now + .seconds(limitSeconds)
        var status = posed_wait_process(process, 0)
        while status < 0 {
            guard ContinuousClock.now < deadline else {
                kill(-process, SIGKILL)
                _ = posed_wait_process(process, 1)
                throw Failure(description: "\(path) \(arguments) has not ended after \(limitSeconds) s")
            }
            usleep(2000)
            status = posed_wait_process(process, 0)
        }
        (code, output) = (status, Self.content(file))
    }

    /// A new file without a name.
    private static func file() throws(Failure) -> Int32 {
        var path = Array("/tmp/posed-output.XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw Failure(description: "/tmp: no file can be made") }
        unlink(path)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }

    private static func content(_ file: Int32) -> String {
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(file, &part, part.count, off_t(content.count))
            guard count > 0 else { return String(decoding: content, as: UTF8.self) }
            content += part[..<count]
        }
    }
}
