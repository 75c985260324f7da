import Measurements

/// Receives the measurements of all sources. One sink serves all sources; each source calls it from its own thread.
package protocol EventSink: Sendable {
    /// Accepts one measurement. Never blocks: a full queue drops and counts it.
    func send(_ event: SensorEvent)
    /// Accepts a change of a source's state. Never blocks.
    func send(_ report: SourceReport)
}

/// A source of measurements: one blocking thread between ``start()`` and ``stop()``.
package protocol SensorSource: AnyObject, Sendable {
    /// Starts the thread; a second call does nothing.
    func start()
    /// Requests the end of the thread and returns when it has ended, within 300 ms. May be called several times, and
    /// before ``start()``.
    func stop()
}
