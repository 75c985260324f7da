import BoundedJSON
import Frames
import Glibc
import Platform
import PoseMath

/// One client session: connects, subscribes, reads, requests the status regularly, and reconnects after a loss.
struct MonitorSession: ~Copyable {
    /// The client's request.
    enum Request: Sendable {
        /// Frames at a rate in hertz; `nil` for the daemon's default rate.
        case frames(rateHertz: Double?)

        var line: String {
            switch self {
            case .frames(let rate?): "{\"cmd\":\"subscribe\",\"rate_hz\":\(rate)}"
            case .frames(nil): "{\"cmd\":\"subscribe\"}"
            }
        }
    }

    /// The state received so far.
    private(set) var state = MonitorState()
    private let socketPath: String
    private let request: Request
    private var connection: StreamConnection?
    /// Descriptor of the connection; -1 without a connection.
    private var descriptor: Int32 = -1
    private var nextTry = 0.0
    private var nextStatus = 0.0

    private static let retrySeconds = 0.5
    private static let statusSeconds = 2.0

    init(socketPath: String, request: Request) {
        self.socketPath = socketPath
        self.request = request
    }

    /// Waits at most `waitingSeconds` and processes what arrived. Returns the other descriptors that have data or an
    /// error.
    @discardableResult
    mutating func work(waitingSeconds: Double, also others: [Int32] = [], eachFrameLine: (String) -> Void = { _ in })
        -> Set<Int32>
    {
        let now = SystemClock.monotonicNow.seconds
        connectIfDue(now)
        requestStatusIfDue(now)
        var watched = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&watched, nfds_t(watched.count), Int32((waitingSeconds * 1000).rounded(.up)))
        guard count > 0 else { return [] }
        if watched[0].revents != 0 { receive(eachFrameLine) }
        return Set(watched.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }

    private mutating func connectIfDue(_ now: Double) {
        guard descriptor < 0, now >= nextTry else { return }
        nextTry = now + Self.retrySeconds
        do throws(StreamConnection.Failure) {
            var opened = try StreamConnection(path: socketPath)
            // A daemon that refuses has closed the connection already; what it said is read below.
            _ = opened.send(request.line)
            descriptor = opened.descriptor
            connection = consume opened
            nextStatus = now
            // What was said belongs to the connection before.
            state.farewell = nil
        } catch {
            state.disconnect(why: error.description)
        }
    }

    private mutating func requestStatusIfDue(_ now: Double) {
        guard descriptor >= 0, now >= nextStatus else { return }
        nextStatus = now + Self.statusSeconds
        // Where the daemon has closed the connection, what it said before is read first.
        _ = connection?.send("{\"cmd\":\"status\"}")
    }

    private mutating func receive(_ eachFrameLine: (String) -> Void) {
        let now = SystemClock.monotonicNow.seconds
        var lines: [[UInt8]] = []
        let isConnected = connection?.receive { lines.append($0) } ?? false
        for line in lines {
            let before = state.frameSeconds
            MonitorParser.process(line, into: &state, atSeconds: now)
            if let status = StatusReply(line: line) { take(status, line) }
            if state.frameSeconds != before || line.starts(with: Self.frameStart) {
                eachFrameLine(String(decoding: line, as: UTF8.self))
            }
        }
        if !isConnected { disconnect() }
    }

    private mutating func take(_ status: StatusReply, _ line: [UInt8]) {
        (state.status, state.statusLine) = (status, line)
        if let document = try? JSONDocument(bytes: line) { state.details = StatusDetails(document.root) }
    }

    private static let frameStart = Array("{\"type\":\"frame\"".utf8)

    private mutating func disconnect() {
        connection = nil
        descriptor = -1
        state.disconnect(why: "\(socketPath): \(state.farewell ?? "posed closed the connection")")
    }
}
