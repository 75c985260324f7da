import Glibc
import Logging
import Platform
import Synchronization

/// Where in the sources a line is logged from.
package struct LogSite: Hashable, Sendable {
    /// The file.
    package var file: String
    /// The line.
    package var line: UInt

    /// The place.
    package init(file: String, line: UInt) {
        self.file = file
        self.line = line
    }
}

/// The one stream all log lines go to.
package final class LogOutput: Sendable {
    /// Characters of a message that are written; PIPE_BUF bytes go into a pipe in one piece.
    package static let longestLine = 900

    private let descriptor: Int32
    private let isJournal: Bool
    private let levelIndex: Atomic<Int>
    private let limit = Mutex(LogRateLimit())

    /// Writes to a descriptor; lines are marked for the journal where JOURNAL_STREAM names that very descriptor.
    package init(
        descriptor: Int32 = STDERR_FILENO, environment: [String: String] = ProcessEnvironment.current,
        level: Logger.Level = .info
    ) {
        self.descriptor = descriptor
        isJournal = Self.isJournal(descriptor, environment["JOURNAL_STREAM"])
        levelIndex = Atomic(Self.index(of: level))
    }

    /// The least important level that is written. May be changed while the daemon runs.
    package var level: Logger.Level {
        get { Logger.Level.allCases[levelIndex.load(ordering: .relaxed)] }
        set { levelIndex.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    /// Writes one line, unless its call site has written too many.
    package func write(_ level: Logger.Level, _ text: String, site: LogSite) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard let leftOut = limit.withLock({ $0.admit(site, nowSeconds: now.tv_sec) }) else { return }
        let note = leftOut == 0 ? "" : " (\(leftOut) more like this were left out)"
        let line = Array("\(prefix(level))\(Self.printable(text))\(note)\n".utf8)
        // A reader that hangs must not hang the daemon: a line that would wait is lost. One write a line, so that lines
        // of threads do not mix.
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&writable, 1, 0) == 1 else { return }
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private func prefix(_ level: Logger.Level) -> String {
        guard isJournal else { return level >= .warning ? "posed: \(level.rawValue): " : "posed: " }
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

    /// Text from outside must not be able to begin a line of its own or to move a terminal's cursor.
    package static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(longestLine).map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }

    /// JOURNAL_STREAM holds device and inode of the stream the journal reads; another standard error was put in its
    /// place where they differ.
    private static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }
}
