import CSystem
import Glibc

/// Starts the programs of the benchmarks, and reads what the kernel tells of them.
package enum ChildProgram {
    /// Why a program was not started.
    package struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        package var description: String
    }

    /// Starts a program whose standard streams are /dev/null. Returns its process id; the caller waits for its end.
    package static func start(_ path: String, _ arguments: [String]) throws(Failure) -> pid_t {
        guard access(path, X_OK) == 0 else { throw Failure(description: "\(path) is not there; build it first") }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let problem = posed_spawn(path, &words, environ, [-1, -1, -1], 3, 0, &child)
        guard problem == 0 else {
            throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(problem)))")
        }
        return child
    }

    /// Memory of a process, KiB: resident now (`VmRSS`) or at most so far (`VmHWM`); `nil` if there is no such process.
    package static func kibibytes(of process: pid_t, _ key: String) -> Double? {
        let line = text("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("\(key):") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Double($0) }
    }

    /// Time of a process on the processors so far, seconds; `nil` if there is no such process.
    package static func processorSeconds(of process: pid_t) -> Double? {
        let words = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The first 8 KiB of a file; empty if it cannot be read.
    package static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
