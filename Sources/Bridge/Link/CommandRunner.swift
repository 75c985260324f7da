import Platform
import PosedClient

/// Gives commands to the daemon, one at a time, and waits for each answer.
struct CommandRunner: ~Copyable {
    /// The longest wait: the daemon asks a routing server for at most 30 s.
    private static let limitSeconds = 35.0

    private let path: String
    private var client: StreamClient

    /// Creates a runner for the daemon's stream socket.
    init(path: String) {
        self.path = path
        client = StreamClient(path: path, subscription: nil)
    }

    /// Sends a command. Returns the line of the answer, or `nil` if there is none. `isStopped` is asked at least every
    /// half second.
    mutating func run(_ line: String, isStopped: () -> Bool) -> String? {
        let begin = SystemClock.monotonicNow
        var isSent = client.send(line)
        while SystemClock.monotonicNow.seconds(since: begin) < Self.limitSeconds, !isStopped() {
            switch client.next(timeoutSeconds: 0.5) {
            case .connected: if !isSent { isSent = client.send(line) }
            case .reply(let reply) where isSent: return reply.line
            // It answers nothing any more; what answers later is another one, which has not got the command.
            case .message(.bye) where isSent: return giveUp()
            case .disconnected where isSent || SystemClock.monotonicNow.seconds(since: begin) > 2: return giveUp()
            default: continue
            }
        }
        return giveUp()
    }

    /// Forgets the connection, so that a late answer is not taken for that to the next command.
    private mutating func giveUp() -> String? {
        client = StreamClient(path: path, subscription: nil)
        return nil
    }
}
