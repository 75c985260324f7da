import CSystem
import Configuration
import Files
import Foundation
import Frames
import Glibc
import KeptLog
import Logging
import Platform
import Synchronization
import Testing

@testable import Bridge

/// The bridge from its start to its end, each in a process of its own, whose signals it takes.
@Suite struct BridgeServiceTests {
    /// Starts a bridge in a process that was asked to stop already, so that it ends also if it starts; returns the exit
    /// code.
    private static func start(_ settings: BridgeSettings, _ log: LogLines, _ signals: SignalSource) -> Int32 {
        var loaded = LoadedSettings()
        loaded.settings.bridge = settings
        loaded.settings.bridge.id = "b1"
        raise(SIGTERM)
        return BridgeService.run(loaded, log: Logger(label: "test") { _ in log }, signals: signals)
    }

    static func settingsThatCannotBeUsed() {
        // What would go on for ever is ended.
        alarm(60)
        guard let signals = SignalSource() else { exit(9) }
        unsetenv("STATE_DIRECTORY")
        let (log, broker) = (LogLines(), PlayedBroker())
        var (port, socket, store) = (BridgeSettings(), BridgeSettings(), BridgeSettings())
        port.metricsPort = broker.port
        socket.metricsSocket = "/nowhere/socket"
        store.broker = "127.0.0.1"
        for settings in [port, socket, store] { #expect(start(settings, log, signals) == 78) }
        #expect(
            log.labelled == [
                "critical: 127.0.0.1:\(broker.port): cannot listen: Address already in use; choose another "
                    + "bridge.metrics_port",
                "critical: /nowhere/socket: cannot create the socket: No such file or directory; check the folder and "
                    + "its permissions",
                "critical: bridge.store_folder is not set, and no service manager provides a folder; give a path",
            ])
    }

    @Test func settingsThatCannotBeUsedEndItWith78() async {
        // GIVEN metrics on a port that another program has, metrics at a path in no folder, and a broker without a
        // folder for what waits, one by one WHEN the bridge starts THEN it tells the reason, and ends with the exit
        // code after which the service manager does not start it again
        await #expect(processExitsWith: .success) { BridgeServiceTests.settingsThatCannotBeUsed() }
    }

    /// The first message of a client.
    private final class Heard: Sendable { let packet = Mutex<[UInt8]>([]) }

    /// A daemon that closes each connection, the third one after its greeting; with the fifth it asks a thread to stop.
    private static func daemon(_ listener: Int32, _ heard: Heard, thenStops thread: pthread_t) -> WorkerThread {
        WorkerThread(name: "daemon") { stop in
            for number in 1...5 {
                // A deadline that only ends what hangs.
                guard stop.wait(for: listener, seconds: 20) == .ready else {
                    // Without it the bridge would run for ever.
                    pthread_kill(thread, SIGTERM)
                    return
                }
                let client = posed_accept(listener)
                if number == 3 {
                    let hello = Message.hello(Message.Hello(release: "9.9")).packet(sequence: 1)
                    _ = posed_send(client, hello, hello.count)
                    // The wish of the client is read: unread, it would end the connection in another way.
                    var wish = [UInt8](repeating: 0, count: 4096)
                    _ = stop.wait(for: client, seconds: 20)
                    let count = recv(client, &wish, wish.count, 0)
                    let packet = Array(wish.prefix(max(count, 0)))
                    heard.packet.withLock { $0 = packet }
                }
                if number == 5 { pthread_kill(thread, SIGTERM) }
                close(client)
            }
        }
    }

    static func losses() throws {
        // What would go on for ever is ended.
        alarm(300)
        guard let signals = SignalSource() else { exit(9) }
        let folder = NSTemporaryDirectory() + "posed-bridge-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let listener = posed_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
        #expect(posed_bind(listener, "\(folder)/frames") == 0 && listen(listener, 4) == 0)
        var loaded = LoadedSettings()
        loaded.settings.publishing.folder = folder
        (loaded.settings.bridge.id, loaded.settings.bridge.metricsFile) = ("b1", "\(folder)/posed.prom")
        let heard = Heard()
        let daemon = daemon(listener, heard, thenStops: pthread_self())
        daemon.start()
        let log = LogLines()
        let code = BridgeService.run(loaded, log: Logger(label: "test") { _ in log }, signals: signals)
        // The end of the bridge has a deadline, which is none of the rest.
        alarm(0)
        daemon.stop()
        close(listener)
        var wish = Message.Subscription(
            topics: [.pose, .guidance, .speed, .sources, .events, .status], rateMillihertz: 1000)
        wish.wantsEvery = true
        let packet = heard.packet.withLock { $0 }
        #expect(code == 0 && packet == Message.subscribe(wish).packet(sequence: 0))
        #expect(
            log.labelled == [
                "notice: posed-bridge \(Release.version): board b1, no broker",
                "warning: no frames: the daemon closed the connection", "notice: reads posed 9.9",
                "warning: no frames: the daemon closed the connection",
            ])
    }

    /// Whether a connection to a port of this machine waits for its answer (state 02, SYN_SENT).
    private static func isConnecting(to port: Int) -> Bool {
        let place = String(port, radix: 16, uppercase: true)
        // In pieces: a call of the system gives a page, and the sockets of other tests may fill several.
        let bytes = (try? RegularFile("/proc/net/tcp").bytes(count: 1 << 20)) ?? []
        let table = String(decoding: bytes, as: UTF8.self)
        return table.contains(" 0100007F:\(String(repeating: "0", count: 4 - place.count))\(place) 02 ")
    }

    static func stopWhileItConnects() throws {
        guard let signals = SignalSource() else { exit(9) }
        // A deadline that only ends what hangs.
        alarm(60)
        let folder = NSTemporaryDirectory() + "posed-bridge-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let broker = PlayedBroker()
        broker.stopAnswering()
        var loaded = LoadedSettings()
        loaded.settings.publishing.folder = folder
        loaded.settings.bridge.id = "b1"
        (loaded.settings.bridge.broker, loaded.settings.bridge.port) = ("127.0.0.1", broker.port)
        (loaded.settings.bridge.usesTLS, loaded.settings.bridge.storeFolder) = (false, "\(folder)/messages")
        let (main, port) = (pthread_self(), broker.port)
        // Nobody waits for the end of this thread: the process ends first.
        Thread.detachNewThread {
            while !BridgeServiceTests.isConnecting(to: port) { poll(nil, 0, 10) }
            // The process ends without the rest of this test.
            try? FileManager.default.removeItem(atPath: folder)
            pthread_kill(main, SIGTERM)
        }
        let code = BridgeService.run(loaded, log: Logger(label: "test") { _ in LogLines() }, signals: signals)
        Issue.record("it ended with \(code), without waiting for the connection")
        withExtendedLifetime(broker) {}
    }

    @Test func aStopWhileTheBrokerDoesNotAnswerIsNoFault() async {
        // GIVEN a broker that does not answer WHEN the bridge is stopped while it connects THEN it ends as requested,
        // and not by a signal
        await #expect(processExitsWith: .success) { try BridgeServiceTests.stopWhileItConnects() }
    }

    @Test func aLossOfTheDaemonIsToldOnce() async {
        // GIVEN a daemon that ends two connections at once, a third one after its greeting, and a fourth WHEN the
        // bridge is stopped at the fifth THEN it has told that there are no frames before the greeting and after it,
        // once each, has asked for every frame of its rate, and ends as it was asked to
        await #expect(processExitsWith: .success) { try BridgeServiceTests.losses() }
    }
}
