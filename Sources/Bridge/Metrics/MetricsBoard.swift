import BoundedJSON
import Frames
import Platform
import PosedClient
import Synchronization

/// What the threads know, for metrics.
package final class MetricsBoard: Sendable {
    private struct State {
        var facts = DaemonFacts()
        /// When the newest frame arrived, and its newest measurement; nanoseconds.
        var arrived: Int64 = 0
        var measured: Int64 = 0
    }

    /// Longest silence of a daemon that is there, nanoseconds: it sends a frame once per second at least.
    private static let silenceLimit: Int64 = 5_000_000_000

    private let state = Mutex(State())
    private let id: String
    private let link: Link?
    private let queue: MessageQueue?

    /// Creates a board.
    ///
    /// - Parameters:
    ///   - id: of this machine, in topics and messages.
    ///   - link: `nil` without a broker, as `queue`.
    package init(id: String, link: Link?, queue: MessageQueue?) {
        self.id = id
        self.link = link
        self.queue = queue
    }

    /// Notes a frame.
    package func note(_ frame: Frame, arrivedNanoseconds: Int64, lost: UInt64) {
        state.withLock { state in
            state.facts.frame = frame
            state.facts.lost = lost
            state.arrived = arrivedNanoseconds
            // A frame without a new measurement tells how long none has come, which is no latency.
            let measured = frame.measuredNanoseconds
            guard measured > 0, measured != state.measured else { return }
            state.measured = measured
            state.facts.latency.add(seconds: Double(arrivedNanoseconds &- measured) * 1e-9)
        }
    }

    /// Notes that the daemon cannot be reached.
    package func noteLoss() { state.withLock { $0.facts.frame = nil } }

    /// Notes that nothing comes. A daemon that is silent for long counts as one that cannot be reached.
    package func noteSilence(nowNanoseconds: Int64) {
        state.withLock { if nowNanoseconds &- $0.arrived > Self.silenceLimit { $0.facts.frame = nil } }
    }

    /// The text of all metrics. `status` is the daemon's answer to the command of that name.
    package func text(status: JSONDocument?) -> String {
        var known = state.withLock { $0.facts }
        known.status = status
        var metrics = MetricsText()
        metrics.metric(
            "posed_bridge_info", .gauge, "The release of the bridge.",
            [([("release", Release.version), ("board", id)], 1)])
        metrics.metric(
            "posed_bridge_frames_lost_total", .counter, "Messages of the daemon that did not reach the bridge.",
            Double(known.lost))
        metrics.add(known)
        if let link { metrics.add(link: link.status) }
        if let queue {
            let (counters, size) = queue.withStore { ($0.counters, $0.diskSize) }
            metrics.add(store: counters, diskSize: size)
        }
        return metrics.text
    }
}

/// Asks the daemon for its status, at most once per second.
struct StatusQuestion: ~Copyable {
    private let path: String
    private var client: StreamClient
    private var answer: JSONDocument?
    private var askedAtNanoseconds = Int64.min

    init(path: String) {
        self.path = path
        client = StreamClient(path: path, subscription: nil)
    }

    /// The newest answer; `nil` if the daemon does not answer within a second.
    mutating func status() -> JSONDocument? {
        let now = SystemClock.monotonicNow.nanoseconds
        guard askedAtNanoseconds < now - 1_000_000_000 else { return answer }
        askedAtNanoseconds = now
        answer = nil
        var isSent = client.send("{\"cmd\":\"status\"}")
        while SystemClock.monotonicNow.nanoseconds < now + 1_000_000_000 {
            switch client.next(timeoutSeconds: 0.2) {
            case .connected: if !isSent { isSent = client.send("{\"cmd\":\"status\"}") }
            case .reply(let reply) where isSent && reply.command == "status":
                answer = try? JSONDocument(reply.line)
                return answer
            // The next attempt comes with a later question: a scrape must not wait for a daemon that is not there.
            case .disconnected,
                .nothing where !isSent && !client.isConnecting:
                return nil
            default: continue
            }
        }
        // A late answer must not be taken for that to the next question.
        client = StreamClient(path: path, subscription: nil)
        return nil
    }
}
