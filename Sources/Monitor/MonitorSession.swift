import Frames
import Glibc
import Platform
import PoseMath

/// One client's life with the daemon: connects, subscribes, listens, asks for the status now and then, and connects
/// again after a loss.
struct MonitorSession: ~Copyable {
    /// What the client wants.
    enum Wish: Sendable {
        /// Frames at a rate; `nil` at the daemon's default.
        case frames(rateHertz: Double?)

        var line: String {
            switch self {
            case .frames(let rate?): "{\"cmd\":\"subscribe\",\"rate_hz\":\(rate)}"
            case .frames(nil): "{\"cmd\":\"subscribe\"}"
            }
        }
    }

    /// All that is known.
    private(set) var state = MonitorState()
    private let socketPath: String
    private let wish: Wish
    private var connection: StreamConnection?
    /// That of the connection; -1 without one.
    private var descriptor: Int32 = -1
    private var nextTry = 0.0
    private var nextStatus = 0.0

    private static let retrySeconds = 0.5
    private static let statusSeconds = 2.0

    init(socketPath: String, wish: Wish) {
        self.socketPath = socketPath
        self.wish = wish
    }

    /// Works for at most a time; returns which of the other descriptors have something to say.
    @discardableResult
    mutating func work(waitingSeconds: Double, also others: [Int32] = [], eachFrameLine: (String) -> Void = { _ in })
        -> Set<Int32>
    {
        let now = SystemClock.monotonicNow.seconds
        connectIfDue(now)
        askForStatusIfDue(now)
        var watched = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&watched, nfds_t(watched.count), Int32((waitingSeconds * 1000).rounded(.up)))
        guard count > 0 else { return [] }
        if watched[0].revents != 0 { listen(eachFrameLine) }
        return Set(watched.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }

    private mutating func connectIfDue(_ now: Double) {
        guard descriptor < 0, now >= nextTry else { return }
        nextTry = now + Self.retrySeconds
        do throws(StreamConnection.Failure) {
            var fresh = try StreamConnection(path: socketPath)
            guard fresh.send(wish.line) else { return }
            descriptor = fresh.descriptor
            connection = consume fresh
            nextStatus = now
        } catch {
            state.disconnect(why: error.description)
        }
    }

    private mutating func askForStatusIfDue(_ now: Double) {
        guard descriptor >= 0, now >= nextStatus else { return }
        nextStatus = now + Self.statusSeconds
        if connection?.send("{\"cmd\":\"status\"}") == false { lose() }
    }

    private mutating func listen(_ eachFrameLine: (String) -> Void) {
        let now = SystemClock.monotonicNow.seconds
        var lines: [[UInt8]] = []
        let isThere = connection?.receive { lines.append($0) } ?? false
        for line in lines {
            let before = state.frameSeconds
            MonitorParser.take(line, into: &state, atSeconds: now)
            if let status = StatusReply(line: line) { state.status = status }
            if state.frameSeconds != before || line.starts(with: Self.frameStart) {
                eachFrameLine(String(decoding: line, as: UTF8.self))
            }
        }
        if !isThere { lose() }
    }

    private static let frameStart = Array("{\"type\":\"frame\"".utf8)

    private mutating func lose() {
        connection = nil
        descriptor = -1
        state.disconnect(why: "\(socketPath): posed has closed the connection")
    }
}
