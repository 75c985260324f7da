import MQTT
import MessageStore

extension MetricsText {
    /// Writes what the bridge knows of its connection and of the messages that wait.
    package mutating func add(link: LinkStatus) {
        metric("posed_bridge_connected", .gauge, "Whether the broker accepts messages.", link.isConnected ? 1 : 0)
        metric("posed_bridge_connections_total", .counter, "Connections that were made.", Double(link.connections))
        metric(
            "posed_bridge_connection_faults_total", .counter, "Connections that failed or were lost, by kind.",
            BrokerFault.Kind.allCases.map { ([("kind", $0.rawValue)], Double(link.faults[$0] ?? 0)) })
        metric(
            "posed_bridge_messages_refused_total", .counter, "Messages that the broker refused, dropped or deferred.",
            [
                ([("kind", "dropped")], Double(link.refusedMessages)),
                ([("kind", "deferred")], Double(link.deferredMessages)),
            ]
        )
        metric("posed_bridge_commands_total", .counter, "Commands that were passed on.", Double(link.commands))
        metric(
            "posed_bridge_commands_refused_total", .counter, "Commands that were refused, by reason.",
            CommandRefusal.allCases.map { ([("reason", $0.rawValue)], Double(link.refusals[$0] ?? 0)) })
    }

    /// Writes what the store has done.
    package mutating func add(store: StoreCounters, diskSize: Int) {
        metric("posed_bridge_stored_bytes", .gauge, "Size of the messages that wait.", Double(diskSize))
        let rows: [(String, UInt64)] = [
            ("appended", store.appended), ("acknowledged", store.acknowledged), ("thinned", store.thinned),
            ("recovered", store.recovered), ("damaged", store.damaged), ("failed_write", store.failedWrites),
        ]
        metric(
            "posed_bridge_messages_total", .counter,
            "Messages by what became of them; thinned ones were left out because the store was full.",
            rows.map { ([("event", $0.0)], Double($0.1)) })
    }
}
