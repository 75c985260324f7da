import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// Passes the fixes of the receiver in use to the engine, of one receiver or of several. Each receiver calls it from
/// its own thread. A lock protects it, which is held only for the decision.
final class ReceiverSwitch: Sendable {
    private struct State {
        var priority: ReceiverPriority
        var states: [SourceState]
        var reported: SourceState?
        var lastValidity: MonotonicTime?
    }

    /// Names of the receivers for people, in the order of preference.
    let names: [String]
    private let sink: any EventSink
    private let board: SourceStatusBoard
    private let entries: [Int]
    private let state: Mutex<State>

    /// Creates a switch between receivers with these names and entries of the board.
    init(names: [String], entries: [Int], sink: any EventSink, board: SourceStatusBoard, at now: MonotonicTime) {
        (self.names, self.entries, self.sink, self.board) = (names, entries, sink, board)
        state = Mutex(
            State(
                priority: ReceiverPriority(count: names.count, at: now),
                states: Array(repeating: .absent, count: names.count)))
        for (place, entry) in entries.enumerated() {
            board.update(entry) { status in
                status.receiver = ReceiverStatus()
                status.receiver?.rank = entries.count > 1 ? place + 1 : nil
                status.receiver?.isInUse = place == 0
            }
        }
    }

    /// Passes a fix on if its receiver is the one in use.
    func send(_ fix: GnssFix, of receiver: Int, isGood: Bool, intervalSeconds: Double) {
        let change = state.withLock { state -> ReceiverPriority.Change? in
            let change = state.priority.note(
                receiver, isGood: isGood, intervalSeconds: intervalSeconds, at: fix.arrivalTime)
            guard state.priority.inUse == receiver else { return nil }
            // After a change, a fix of the faster receiver may be later than those of the slower one that follow.
            guard entries.count == 1 || state.lastValidity.map({ fix.validityTime > $0 }) ?? true else { return change }
            state.lastValidity = fix.validityTime
            sink.send(.gnss(fix))
            return change
        }
        if let change { announce(change) }
    }

    /// Reports the state of a receiver; the engine gets that of the one in use.
    func report(_ new: SourceState, of receiver: Int, at now: MonotonicTime) {
        state.withLock { state in
            state.states[receiver] = new
            let common = Self.common(state.states, inUse: state.priority.inUse)
            guard common != state.reported else { return }
            state.reported = common
            sink.send(SourceReport(time: now, source: .gps, state: common))
        }
    }

    /// The state of several receivers together: that of the one in use, or a better one of another while that is not
    /// even connected.
    private static func common(_ states: [SourceState], inUse: Int) -> SourceState {
        let used = states[inUse]
        guard used == .absent || used == .lost || used == .opening else { return used }
        let others: [SourceState] = states.map { $0 == .streaming ? .waiting : $0 }
        return [.waiting, .stale].first { others.contains($0) } ?? used
    }

    private func announce(_ change: ReceiverPriority.Change) {
        let reason =
            if let seconds = change.silentSeconds {
                "\(names[change.from]) has delivered no usable fix for \(IIOText.short(seconds)) s"
            } else {
                "\(names[change.to]), which is preferred to \(names[change.from]), delivers fixes again"
            }
        board.update(entries[change.from]) { $0.receiver?.isInUse = false }
        board.update(entries[change.to]) { status in
            status.receiver?.isInUse = true
            status.receiver?.useReason = reason
            status.receiver?.takeovers += 1
        }
        report(.streaming, of: change.to, at: SystemClock.monotonicNow)
    }
}
