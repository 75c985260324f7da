import MQTT

/// The state of the connection, for metrics.
package struct LinkStatus: Sendable {
    /// Whether the broker accepts messages.
    package var isConnected = false
    /// Connections that were made.
    package var connections: UInt64 = 0
    /// Connections that failed or were lost, by kind.
    package var faults: [BrokerFault.Kind: UInt64] = [:]
    /// Messages that the broker refused for ever.
    package var refusedMessages: UInt64 = 0
    /// Messages that the broker refused for now: it was full, or did not authorise the topic.
    package var deferredMessages: UInt64 = 0
    /// Commands that were passed on, and refusals by reason.
    package var commands: UInt64 = 0
    package var refusals: [CommandRefusal: UInt64] = [:]

    /// The state before the first connection.
    package init() {}
}
