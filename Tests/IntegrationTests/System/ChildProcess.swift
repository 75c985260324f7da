import CSystem
import Foundation
import Glibc
import Synchronization
import Testing

/// A program that this process has started. It is killed with its object, at the latest.
///
/// Foundation's `Process` learns of the end of a program from a socket that this program inherits, as does what it
/// starts, and what is started elsewhere at that moment: it tells the end only when all of them have ended.
final class ChildProcess: Sendable {
    /// Where a standard stream leads.
    enum Stream {
        case null
        /// That of this process.
        case inherited
        case descriptor(Int32)
        /// A new file, in the place of one that is there.
        case file(String)

        /// The descriptor that becomes that number, to be closed; -1 for /dev/null.
        fileprivate func open(as number: Int32) throws -> Int32 {
            switch self {
            case .null: return -1
            case .inherited: return number
            case .descriptor(let own): return fcntl(own, F_DUPFD_CLOEXEC, 3)
            case .file(let path):
                // Never a device of the machine.
                precondition(!path.hasPrefix("/dev/"), "\(path) would be replaced by a file")
                unlink(path)
                let file = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
                guard file >= 0 else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
                return file
            }
        }
    }

    /// Why a program was not started.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private enum End {
        case exit(code: Int32)
        case signal(Int32)
    }

    /// Its process id. The kernel may give it to another program after the end: ``send(_:)`` never reaches that one.
    let processIdentifier: pid_t
    private let end = Mutex<End?>(nil)
    /// How long an end is waited for: this only ends what hangs.
    private static let longest = Duration.seconds(600)

    /// Starts a program in a process group of its own, with no signal blocked or ignored. It inherits its standard
    /// streams, and `descriptors` with the numbers from 3, and no other descriptor.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: Stream = .null,
        output: Stream = .null, errors: Stream = .null, descriptors: [Int32] = []
    ) throws {
        var own: [Int32] = []
        defer { for descriptor in own where descriptor > 2 { close(descriptor) } }
        for (number, stream) in [input, output, errors].enumerated() {
            own.append(try stream.open(as: Int32(number)))
        }
        // Above all that it gets, so that none is replaced before it is handed over.
        own += descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 3 + Int32(descriptors.count)) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var process: pid_t = 0
        let problem = posed_spawn(path, &words, &variables, own, Int32(own.count), 1, &process)
        guard problem == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(problem)))") }
        processIdentifier = process
    }

    deinit { kill() }

    /// Whether it runs.
    var isRunning: Bool { look() == nil }

    /// Its exit code; `nil` while it runs, and where a signal ended it.
    var exitCode: Int32? { if case .exit(let code)? = look() { code } else { nil } }

    /// The signal that ended it; `nil` while it runs, and where it ended by itself.
    var signal: Int32? { if case .signal(let number)? = look() { number } else { nil } }

    /// Sends it a signal, if it runs.
    func send(_ signal: Int32) { end.withLock { if $0 == nil { Glibc.kill(processIdentifier, signal) } } }

    /// Tells it to end.
    func terminate() { send(SIGTERM) }

    /// Waits for its end. One that does not end is killed after ten minutes, which is an issue of the test.
    func waitUntilExit() {
        let deadline = ContinuousClock.now + Self.longest
        while look() == nil {
            guard ContinuousClock.now < deadline else {
                Issue.record("process \(processIdentifier) has not ended after \(Self.longest), and is killed")
                return kill()
            }
            usleep(2000)
        }
    }

    /// Kills it and waits for its end, if it runs.
    func kill() {
        send(SIGKILL)
        // The process id stays taken until look() has the lock.
        var information = siginfo_t()
        while look() == nil { waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) }
    }

    private func look() -> End? {
        end.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(processIdentifier, &status, WNOHANG) == processIdentifier {
                end = status & 0x7F == 0 ? .exit(code: status >> 8 & 0xFF) : .signal(status & 0x7F)
            }
            return end
        }
    }
}
