import CSystem
import Files
import Frames
import Glibc
import Platform
import PoseMath

/// `posectl monitor`: connects, draws, comes back after a loss, and leaves the terminal as it was.
package struct Monitor: Sendable {
    /// The stream socket.
    package var socketPath: String
    /// Show one answer and end.
    package var once = false
    /// Pass on the daemon's own lines.
    package var json = false

    /// End after this time; `nil` never.
    package var durationSeconds: Double?

    /// A monitor of the daemon behind a socket.
    package init(socketPath: String) { self.socketPath = socketPath }

    /// Longest wait for the one answer of `once`, seconds.
    private static let patienceSeconds = 3.0
    private static let redrawSeconds = 0.1

    /// How it ended.
    package enum Outcome: Sendable, Equatable {
        /// As asked for.
        case done
        /// No answer; why.
        case noDaemon(String)
    }

    /// Runs until the user quits, a signal comes, or, with `once`, there is an answer.
    package func run() -> Outcome {
        let signals = blockedSignals()
        defer { close(signals) }
        if once { return runOnce() }
        if !json, Terminal.canBeDrawnOn, let terminal = Terminal() {
            draw(on: terminal, signals)
            return .done
        }
        pass(signals)
        return .done
    }

    /// SIGINT, SIGTERM and SIGHUP as a descriptor, so that the terminal is always put back.
    private func blockedSignals() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        return signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    private func runOnce() -> Outcome {
        var session = MonitorSession(socketPath: socketPath, wish: .frames(rateHertz: 10))
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < Self.patienceSeconds {
            session.work(waitingSeconds: 0.05)
            guard session.state.frame != nil,
                session.state.status != nil || SystemClock.monotonicNow.seconds(since: began) > 1
            else { continue }
            printLine(json ? session.state.frameLine : MonitorText.report(session.state))
            return .done
        }
        if case .connecting(let why) = session.state.connection { return .noDaemon(why) }
        return .noDaemon(
            "\(socketPath): connected, but no frame came in \(Int(Self.patienceSeconds)) s; see posectl status")
    }

    /// When it ends, seconds on the monotonic clock.
    private var end: Double { SystemClock.monotonicNow.seconds + (durationSeconds ?? .infinity) }

    private func draw(on terminal: borrowing Terminal, _ signals: Int32) {
        let screen = MonitorScreen(symbols: Symbols(isUnicode: Terminal.isUnicode))
        let inColour = Terminal.wantsColour
        var session = MonitorSession(socketPath: socketPath, wish: .frames(rateHertz: nil))
        var shown: Canvas?
        var drawn = -1.0
        let end = end
        while SystemClock.monotonicNow.seconds < end {
            let ready = session.work(waitingSeconds: Self.redrawSeconds, also: [STDIN_FILENO, signals])
            if ready.contains(signals) { return }
            if ready.contains(STDIN_FILENO) {
                let keys = terminal.keys()
                // 3 and 4 are what Ctrl-C and Ctrl-D send; nothing at all is sent by a terminal that has gone.
                if keys.isEmpty || keys.contains(where: { [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains($0) }) {
                    return
                }
                if keys.contains(12) { shown = nil }
            }
            let now = SystemClock.monotonicNow.seconds
            guard now - drawn >= Self.redrawSeconds else { continue }
            drawn = now
            let (width, height) = terminal.size
            let canvas = screen.draw(session.state, width: width, height: height, atSeconds: now)
            if canvas != shown { terminal.show(canvas.changes(from: shown, inColour: inColour)) }
            shown = canvas
        }
    }

    /// Plain lines for pipes and simple terminals: one a second, and one whenever the connection comes or goes.
    private func pass(_ signals: Int32) {
        var session = MonitorSession(socketPath: socketPath, wish: .frames(rateHertz: json ? nil : 1))
        var told = ""
        var toldFrame: UInt64?
        let end = end
        while SystemClock.monotonicNow.seconds < end {
            let ready = session.work(waitingSeconds: 0.2, also: [signals]) { line in if json { printLine(line) } }
            if ready.contains(signals) { return }
            guard !json else { continue }
            let text = MonitorText.line(session.state)
            guard session.state.frame?.sequence != toldFrame || (session.state.frame == nil && text != told) else {
                continue
            }
            toldFrame = session.state.frame?.sequence
            told = text
            guard printLine(text) else { return }
        }
    }

    /// Writes a line to the standard output; false when nobody reads it.
    @discardableResult private func printLine(_ line: String) -> Bool {
        do throws(FileFault) {
            try FileTransfer.write(line + "\n", to: STDOUT_FILENO)
            return true
        } catch {
            return false
        }
    }
}
