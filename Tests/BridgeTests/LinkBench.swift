import Configuration
import Foundation
import Glibc
import KeptLog
import Logging
import MessageStore
import Platform

@testable import Bridge

/// A link on a thread of its own, with a queue in a folder of its own, and the broker that the test plays.
final class LinkBench {
    /// The broker.
    let broker = PlayedBroker()
    /// The messages that wait.
    let queue: MessageQueue
    /// The link.
    let link: Link
    /// What it logged.
    let log = LogLines()
    /// A folder that goes with the bench.
    let folder: String
    private let thread: WorkerThread

    /// A link of board `b1` below the topic `fleet`, whose first message has the number 7.
    ///
    /// - Parameter acknowledgeLimit: how long the broker may acknowledge nothing, nanoseconds.
    init(
        acknowledgeLimit: Int64 = 30_000_000_000, _ change: (inout BridgeSettings, String) -> Void = { _, _ in }
    ) throws {
        let folder = NSTemporaryDirectory() + "posed-link-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        var settings = BridgeSettings()
        (settings.broker, settings.port, settings.usesTLS) = ("127.0.0.1", broker.port, false)
        settings.topic = "fleet"
        change(&settings, folder)
        let queue = try MessageQueue(folder: "\(folder)/messages", limit: 1 << 20)
        self.queue = queue
        let log = log
        let link = Link(
            settings: settings, identity: BoardIdentity(id: "b1", boot: "c0ffee"), queue: queue,
            streamPath: "\(folder)/stream", firstSequence: 7, log: Logger(label: "test") { _ in log },
            acknowledgeLimit: acknowledgeLimit)
        self.link = link
        thread = WorkerThread(name: "link") { link.run($0) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the link; returns how it introduces itself.
    func start() throws -> ConnectPacket {
        thread.start()
        return ConnectPacket(try broker.accept())
    }

    /// Starts the link, accepts it and acknowledges its birth message.
    func connect(limit: UInt32? = nil) throws {
        _ = try start()
        broker.answerConnection(limit: limit)
        broker.acknowledge(try broker.published())
    }

    /// Asks the link to end, without waiting for it.
    func requestStop() {
        thread.requestStop()
        queue.wake.signal()
    }

    /// Waits until the link has ended.
    func stop() {
        requestStop()
        // A goodbye that nobody answers would wait for a second.
        broker.end()
        thread.stop()
    }

    /// The birth message, or the last will.
    func birth(isOnline: Bool) -> PlayedBroker.Published {
        .init(
            topic: "fleet/b1/link",
            text: "{\"type\":\"link\",\"online\":\(isOnline),\"id\":\"b1\",\"boot\":\"c0ffee\",\"first_sequence\":7,"
                + "\"release\":\"\(Release.version)\"}", isRetained: true)
    }

    /// The payloads that wait, as text.
    func waiting() -> [String] {
        queue.withStore { store in
            store.rewind()
            var texts: [String] = []
            while let next = store.take() { texts.append(String(decoding: next.message.payload, as: UTF8.self)) }
            return texts
        }
    }
}
