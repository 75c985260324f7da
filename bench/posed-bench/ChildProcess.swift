import ChildPrograms
import Glibc

/// The reason why a measurement failed.
struct BenchError: Error, CustomStringConvertible {
    /// One sentence.
    var description: String

    /// Creates the error from its sentence.
    init(_ description: String) { self.description = description }
}

/// A program that the benchmark runs and ends.
struct ChildProcess: ~Copyable {
    /// The process id.
    let id: pid_t
    private var hasEnded = false

    /// Starts a program; its output is discarded.
    init(_ program: String, _ arguments: [String]) throws { id = try Self.start(program, arguments) }

    /// Starts a program for which the caller waits; its output is discarded.
    static func start(_ program: String, _ arguments: [String]) throws -> pid_t {
        forgetPeakMemory()
        do { return try ChildProgram.start(program, arguments) } catch { throw BenchError(error.description) }
    }

    /// Sets the peak of this process' memory back: the kernel passes it on to the programs that it starts.
    private static func forgetPeakMemory() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    deinit {
        guard !hasEnded else { return }
        kill(id, SIGKILL)
        var status: Int32 = 0
        waitpid(id, &status, 0)
    }

    /// Waits for the end of the program. Returns its exit code, or 128 plus the signal.
    mutating func wait() -> Int32 {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
        hasEnded = true
        peakKibibytes = Double(usage.ru_maxrss)
        processorSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    /// A time of getrusage in seconds.
    static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }

    /// Requests the end of the program, and waits.
    mutating func stop() -> Int32 {
        kill(id, SIGTERM)
        return wait()
    }

    /// Requests the end of the program, which must be a success.
    mutating func stopCleanly() throws {
        let code = stop()
        guard code == 0 else { throw BrokenCount(description: "a program ended with \(code) after SIGTERM") }
    }

    /// Processor time, known after the end of the program, seconds.
    private(set) var processorSeconds = 0.0
    /// Maximum resident memory, known after the end of the program, KiB.
    private(set) var peakKibibytes = 0.0

    /// Whether a process runs: it exists, and has not ended unnoticed.
    static func isRunning(_ process: pid_t) -> Bool {
        let status = TextFile.read("/proc/\(process)/stat")
        return !status.isEmpty && !status.contains(") Z ")
    }

    /// Resident memory of a process, KiB.
    static func residentKibibytes(of process: pid_t) -> Double? { ChildProgram.kibibytes(of: process, "VmRSS") }

    /// Number of open descriptors of a process; 0 if there is no such process.
    static func descriptors(of process: pid_t) -> Int { Folder.names(in: "/proc/\(process)/fd").count }
}

/// Reads small files as text.
enum TextFile {
    /// The first 8 KiB; empty if the file does not exist.
    static func read(_ path: String) -> String { ChildProgram.text(path) }

    /// Creates or replaces a file.
    static func write(_ text: String, to path: String) throws {
        guard let stream = fopen(path, "we") else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
        fputs(text, stream)
        guard fclose(stream) == 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    }
}
