import BoundedJSON
import Frames
import Logging
import Platform
import PosedClient
import Synchronization

import struct Foundation.Data

/// The connections to the daemon: one for frames, one for surroundings and commands. They exist while a page is open.
/// The lines of the daemon are passed on to the pages as they are.
final class DaemonLink: Sendable {
    /// What the server learns from the daemon's status.
    struct Places: Sendable, Equatable {
        /// The road file in use.
        var roadFile: String?
        /// The folder of the recordings.
        var recordingFolder: String?
        /// What the road file has: after a reload it may be another one with the same name.
        var roadContent: String?
    }

    private struct State {
        var commands: [String] = []
        var places = Places()
        /// Whether a connection was made or has failed.
        var isTried = false
        /// Why there is no connection; `nil` while there is one.
        var problem: String?
    }

    /// What a page draws, 20 times per second: with the rates in every frame it draws the pose in between.
    private static var frameSubscription: StreamSubscription {
        var subscription = StreamSubscription(
            topics: [.pose, .guidance, .speed, .sources, .events, .status, .route], rateHertz: 20)
        subscription.isSmooth = true
        return subscription
    }

    /// How often the whole status is asked for, seconds.
    private static let statusSeconds = 2.0
    /// Most commands that wait for the daemon.
    private static let mostCommands = 64

    private let socketPath: String
    private let hub: ViewerHub
    private let log: Logger
    private let onChange: @Sendable () -> Void
    private let state = Mutex(State())
    private let threads = Mutex<[WorkerThread]>([])

    /// - Parameter onChange: called when the connection, or what the server learned, has changed.
    init(socketPath: String, hub: ViewerHub, log: Logger, onChange: @escaping @Sendable () -> Void) {
        (self.socketPath, self.hub, self.log, self.onChange) = (socketPath, hub, log, onChange)
    }

    /// What the daemon's status told last.
    var places: Places { state.withLock { $0.places } }

    /// Why there is no connection to the daemon; `nil` while there is one, and before the first page is open.
    var problem: String? { state.withLock { $0.problem } }

    /// Passes a command on to the daemon; `false` if too many are waiting.
    func send(_ command: String) -> Bool {
        state.withLock { state in
            guard state.commands.count < Self.mostCommands else { return false }
            state.commands.append(command)
            return true
        }
    }

    /// Starts the threads; `false` if the system cannot create them.
    func start() -> Bool {
        let frames = WorkerThread(name: "frames") { [self] signal in
            serve(signal, Self.frameSubscription)
        }
        let surroundings = WorkerThread(name: "surroundings") { [self] signal in
            serve(signal, StreamSubscription(topics: [.scene, .points]), takesCommands: true)
        }
        threads.withLock { $0 = [frames, surroundings] }
        return frames.start() && surroundings.start()
    }

    /// Ends the threads.
    func stop() {
        let threads = threads.withLock { $0 }
        threads.forEach { $0.requestStop() }
        threads.forEach { $0.stop() }
    }

    /// Keeps one connection while a page is open.
    private func serve(_ signal: StopSignal, _ subscription: StreamSubscription, takesCommands: Bool = false) {
        while !signal.isRaised {
            guard hub.count > 0 else {
                if signal.wait(seconds: 0.1) == .stopped { return }
                continue
            }
            var client = StreamClient(path: socketPath, subscription: subscription)
            var lastStatus = -1.0
            while !signal.isRaised, hub.count > 0 {
                let update = client.next(timeoutSeconds: takesCommands ? 0.1 : 0.5)
                handle(update, line: client.line, refusal: client.connectError)
                guard takesCommands else { continue }
                for command in takeCommands() where !client.send(command) { hub.announce(Self.lost) }
                let now = SystemClock.monotonicNow.seconds
                if now - lastStatus >= Self.statusSeconds {
                    lastStatus = now
                    _ = client.send(#"{"cmd":"status","id":"status"}"#)
                }
            }
            // A page that is opened later must not take it for the present; its own connection brings the newer ones.
            hub.forget(takesCommands ? [.scene, .points, .report] : [.hello, .frame, .maneuver, .status, .route])
        }
    }

    private func takeCommands() -> [String] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// - Parameter refusal: why the system refused the connection, a value of `errno`; `nil` if it did not.
    private func handle(_ update: StreamClient.Update, line: [UInt8], refusal: Int32?) {
        switch update {
        case .connected:
            hub.publish(Data(line), .hello)
            note(problem: nil)
        case .message(let message):
            guard let kind = Self.kind(of: message) else { return hub.announce(Data(line)) }
            hub.publish(Data(line), kind)
        case .reply(let reply): pass(reply, line)
        case .disconnected(let reason):
            let advice = refusal.map { SocketAccess.refusal(code: $0, path: socketPath, option: "--folder") }
            note(problem: advice.map { "\(socketPath): \($0)" } ?? reason)
        case .nothing: break
        }
    }

    /// The kind of a message of which only the newest counts; `nil` for an event.
    private static func kind(of message: Message) -> Mailbox.Kind? {
        switch message {
        case .frame: .frame
        case .maneuver: .maneuver
        case .status: .status
        case .scene: .scene
        case .points: .points
        case .route: .route
        case .hello: .hello
        default: nil
        }
    }

    private func pass(_ reply: StreamReply, _ line: [UInt8]) {
        if reply.id == "status" {
            learn(from: line)
            return hub.publish(Data(line), .report)
        }
        guard let id = reply.id, let end = id.firstIndex(of: ":"), let viewer = UInt64(id[..<end]) else { return }
        hub.reply(Data(line), to: viewer)
    }

    private func learn(from line: [UInt8]) {
        let isNew = state.withLock { state -> Bool in
            guard let next = Self.places(in: line, after: state.places) else { return false }
            defer { state.places = next }
            return next != state.places
        }
        if isNew { onChange() }
    }

    /// What a status tells; `nil` for a line that is no JSON.
    ///
    /// - Parameter known: what the statuses before it told.
    static func places(in line: [UInt8], after known: Places) -> Places? {
        guard let root = try? JSONDocument(bytes: line).root else { return nil }
        let (roads, recording) = (root["roads"], root["recording"])
        // The folder is known while a recording is made, and still holds it afterwards.
        return Places(
            roadFile: roads?["file"]?.string,
            recordingFolder: recording?["folder"]?.string ?? known.recordingFolder,
            roadContent: roads?["holds"]?.string)
    }

    private func note(problem: String?) {
        let isNew = state.withLock { state in
            defer { (state.isTried, state.problem) = (true, problem) }
            let isNew = !state.isTried || state.problem != problem
            // Who sees the problem is no longer told what the daemon was.
            if isNew, problem != nil { hub.forgetDaemon() }
            return isNew
        }
        guard isNew else { return }
        if let problem {
            log.notice("no connection to posed: \(problem)")
        } else {
            log.info("connected to posed at \(socketPath)")
        }
        onChange()
    }

    private static let lost = Data(
        #"{"type":"reply","cmd":"","ok":false,"error":{"what":"posed does not answer","where":"","remedy":"start it"}}"#
            .utf8)
}
