import Measurements

/// Where every source hands over what it measured. One sink serves all sources, each calling from its own thread.
package protocol EventSink: Sendable {
    /// Takes one measurement. Never blocks: where there is no room, the sink drops and counts.
    func send(_ event: SensorEvent)
    /// Takes the changed state of a source. Never blocks.
    func send(_ report: SourceReport)
}

/// A source of measurements: one blocking thread between ``start()`` and ``stop()``.
package protocol SensorSource: AnyObject, Sendable {
    /// Starts the thread; a second call does nothing.
    func start()
    /// Asks the thread to end and returns when it has, within 300 ms. May be called more than once, and before
    /// ``start()``.
    func stop()
}
