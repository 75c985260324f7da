import Logging
import Synchronization

/// A log handler that keeps its lines, of every level.
package final class LogLines: LogHandler, Sendable {
    private let kept = Mutex<[(level: Logger.Level, text: String)]>([])

    /// A handler without lines.
    package init() {}

    /// The lines so far.
    package var lines: [(level: Logger.Level, text: String)] { kept.withLock { $0 } }
    /// The same with their levels: `warning: text`.
    package var labelled: [String] { lines.map { "\($0.level): \($0.text)" } }

    package var metadata: Logger.Metadata {
        get { [:] }
        set { _ = newValue }
    }
    package var logLevel: Logger.Level {
        get { .trace }
        set { _ = newValue }
    }

    package subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set { _ = newValue }
    }

    package func log(event: LogEvent) { kept.withLock { $0.append((event.level, "\(event.message)")) } }
}
