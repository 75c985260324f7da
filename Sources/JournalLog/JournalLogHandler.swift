import Logging

/// Writes log lines on standard error: with the `<n>` priorities of the journal where the journal reads them, for
/// people otherwise.
///
/// One call site writes at most ``LogRateLimit/burst`` lines in ten seconds; what is left out is counted and told with
/// the next line.
package struct JournalLogHandler: LogHandler {
    /// Details that go with every line.
    package var metadata: Logger.Metadata = [:]
    /// The least important level that is written; one for all handlers of an output, so that a reload changes them all.
    package var logLevel: Logger.Level {
        get { output.level }
        set { output.level = newValue }
    }

    private let output: LogOutput

    /// A handler that writes through `output`, which all loggers share.
    package init(output: LogOutput) { self.output = output }

    /// One detail that goes with every line.
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
