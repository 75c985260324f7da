import Configuration
import Files
import Logging
import MQTT
import MessageStore
import Platform
import Synchronization

/// Messages that wait, shared by the thread that makes them and the one that sends them.
package final class MessageQueue: Sendable {
    private let store: Mutex<MessageStore>
    /// Wakes the thread that sends.
    package let wake = EventFD()

    /// Creates a queue in a folder, with a maximum size in bytes.
    package init(folder: String, limit: Int) throws(FileFault) {
        store = Mutex(try MessageStore(folder: folder, limit: limit))
    }

    /// Appends a message and wakes the link.
    package func append(_ channel: Channel, _ payload: [UInt8]) {
        store.withLock {
            _ = $0.append(
                StoredMessage(channel: channel.rawValue, isThinnable: channel.isThinnable, payload: payload))
        }
        wake.signal()
    }

    /// Uses the store.
    package func withStore<R>(_ body: (inout MessageStore) -> sending R) -> sending R {
        store.withLock { body(&$0) }
    }
}

/// Keeps the connection to the broker: connects, sends what waits, takes commands, and connects again after a loss.
///
/// ``run(_:)`` is the body of its thread.
package final class Link: Sendable {
    let settings: BridgeSettings
    let identity: BoardIdentity
    let topics: BoardTopics
    let queue: MessageQueue
    let streamPath: String
    let firstSequence: UInt64
    let log: Logger
    /// How long the broker may acknowledge nothing while a message waits for that, nanoseconds.
    let acknowledgeLimit: Int64
    private let state = Mutex(LinkStatus())

    /// Creates a link that does not run.
    ///
    /// - Parameter acknowledgeLimit: how long the broker may acknowledge nothing while a message waits for that,
    ///   nanoseconds.
    package init(
        settings: BridgeSettings, identity: BoardIdentity, queue: MessageQueue, streamPath: String,
        firstSequence: UInt64, log: Logger, acknowledgeLimit: Int64 = 30_000_000_000
    ) {
        self.settings = settings
        self.identity = identity
        self.queue = queue
        self.streamPath = streamPath
        self.firstSequence = firstSequence
        self.log = log
        self.acknowledgeLimit = acknowledgeLimit
        topics = BoardTopics(prefix: settings.topic, id: identity.id)
    }

    /// The state of the connection.
    package var status: LinkStatus { state.withLock { $0 } }

    /// Changes the state of the connection.
    func note(_ change: (inout LinkStatus) -> Void) { state.withLock { change(&$0) } }

    /// Runs until a stop is requested.
    package func run(_ stop: StopSignal) {
        var gate = CommandGate(topics: topics, allowed: settings.commands)
        var runner = CommandRunner(path: streamPath)
        var losses = LossRecord()
        var lastText = ""
        while !stop.isRaised {
            var session = LinkSession(link: self)
            let begin = SystemClock.monotonicNow
            let fault = session.run(stop, &gate, &runner)
            let life = SystemClock.monotonicNow.seconds(since: begin)
            let wasUseful = LossRecord.wasUseful(
                isBorn: session.isBorn, isRefused: fault?.kind == .refused, lifeOf: life)
            note { $0.isConnected = false }
            queue.withStore { $0.rewind() }
            guard let fault else { return }
            note { $0.faults[fault.kind, default: 0] += 1 }
            if fault.text != lastText || wasUseful { log.warning("\(fault.text); messages wait on the disk") }
            lastText = fault.text
            losses.note(lifeOf: life, wasUseful: wasUseful)
            if losses.isHintDue { log.warning("\(LossRecord.hint(identity.id))") }
            // Boards that lost the same broker must not return at the same moment.
            if stop.wait(seconds: losses.waitSeconds * Double.random(in: 0.5...1)) == .stopped { return }
        }
    }

    /// The address of the broker, with the secrets read anew: they may have been replaced.
    func address() throws(BrokerFault) -> BrokerAddress {
        var address = BrokerAddress(
            host: settings.broker ?? "", port: settings.portInUse, clientID: "posed-\(identity.id)")
        address.keepAliveSeconds = settings.keepAliveSeconds
        address.sessionSeconds = UInt32(clamping: settings.sessionSeconds)
        address.packetLimit = UInt32(CommandGate.sizeLimit + 10_000)
        if settings.usesTLS {
            var tls = BrokerAddress.Certificates()
            tls.authorityFile = try Self.readable(settings.authorityFile, "ca_file")
            tls.certificateFile = try Self.readable(settings.certificateFile, "certificate_file")
            tls.keyFile = try Self.readable(settings.keyFile, "key_file")
            address.tls = tls
        }
        address.login = try settings.loginFile.map { name throws(BrokerFault) in try Secrets.login(name) }
        return address
    }

    private static func readable(_ name: String?, _ key: String) throws(BrokerFault) -> String? {
        guard let name else { return nil }
        return try Secrets.readable(name, key: key)
    }
}
