import Logging

/// Writes log lines to standard error: with the journal's `<n>` priorities when the journal reads it, otherwise as
/// plain text.
///
/// One call site writes at most ``LogRateLimit/burst`` lines in ten seconds. Suppressed lines are counted, and the next
/// line of that call site states their number.
package struct JournalLogHandler: LogHandler {
    /// Fields added to every line.
    package var metadata: Logger.Metadata = [:]
    /// The lowest level that is written. All handlers of an output share it, so that a reload changes it for all of
    /// them.
    package var logLevel: Logger.Level {
        get { output.level }
        set { output.level = newValue }
    }

    private let output: LogOutput

    /// Creates a handler that writes to `output`, which all loggers share.
    package init(output: LogOutput) { self.output = output }

    /// One field added to every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let details =
            fields.isEmpty
            ? ""
            : " (" + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + ")"
        output.write(event.level, "\(event.message)\(details)", site: LogSite(file: event.file, line: event.line))
    }
}
