import Glibc
import Logging
import Platform
import Synchronization

/// The place in the source code that logs a line.
package struct LogSite: Hashable, Sendable {
    /// The source file.
    package var file: String
    /// The line number.
    package var line: UInt

    /// Creates the place from a file and a line number.
    package init(file: String, line: UInt) {
        self.file = file
        self.line = line
    }
}

/// The stream that all log lines are written to.
package final class LogOutput: Sendable {
    /// Maximum characters of a message that are written. Writes of at most PIPE_BUF bytes to a pipe are atomic.
    package static let longestLine = 900

    private let descriptor: Int32
    private let program: String
    private let isJournal: Bool
    private let levelIndex: Atomic<Int>
    private let limit = Mutex(LogRateLimit())
    private let reader = Mutex<(@Sendable (Logger.Level, String) -> Void)?>(nil)

    /// Writes to a descriptor. Lines get journal priorities when JOURNAL_STREAM names that descriptor, otherwise the
    /// name of the program.
    package init(
        descriptor: Int32 = STDERR_FILENO, program: String = "posed",
        environment: [String: String] = ProcessEnvironment.current,
        level: Logger.Level = .info
    ) {
        self.descriptor = descriptor
        self.program = program
        isJournal = Self.isJournal(descriptor, environment["JOURNAL_STREAM"])
        levelIndex = Atomic(Self.index(of: level))
    }

    /// The lowest level that is written. May be changed while the daemon runs.
    package var level: Logger.Level {
        get { Logger.Level.allCases[levelIndex.load(ordering: .relaxed)] }
        set { levelIndex.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    /// Passes a copy of each written line to `reader`, which must not wait. The recorder uses it.
    package func copyLines(to reader: @escaping @Sendable (Logger.Level, String) -> Void) {
        self.reader.withLock { $0 = reader }
    }

    /// Writes one line, unless the rate limit of its call site is reached.
    package func write(_ level: Logger.Level, _ text: String, site: LogSite) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard let suppressed = limit.withLock({ $0.admit(site, nowSeconds: now.tv_sec) }) else { return }
        reader.withLock { $0 }?(level, Self.printable(text))
        let note = suppressed == 0 ? "" : " (\(suppressed) similar lines suppressed)"
        let line = Array("\(prefix(level))\(Self.printable(text))\(note)\n".utf8)
        // A blocked reader must not block the daemon: a line that would have to wait is dropped. Each line is one
        // write, so that the lines of several threads do not mix.
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&writable, 1, 0) == 1 else { return }
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private func prefix(_ level: Logger.Level) -> String {
        guard isJournal else { return level >= .warning ? "\(program): \(level.rawValue): " : "\(program): " }
        // Priorities of syslog(3).
        switch level {
        case .trace, .debug: return "<7>"
        case .info: return "<6>"
        case .notice: return "<5>"
        case .warning: return "<4>"
        case .error: return "<3>"
        case .critical: return "<2>"
        }
    }

    /// Replaces control characters: text from outside must not start a new line or move a terminal's cursor.
    package static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(longestLine).map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }

    /// JOURNAL_STREAM holds device and inode of the stream that the journal reads. When they differ, standard error was
    /// redirected.
    private static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }
}
