import CSystem
import Files
import Frames
import Glibc
import Platform
import PoseMath

/// `posectl monitor`: connects, draws, reconnects after a loss, and restores the terminal.
package struct Monitor: Sendable {
    /// Path of the stream socket.
    package var socketPath: String
    /// Whether to show one frame and end.
    package var once: Bool
    /// Whether to print the daemon's JSON lines unchanged.
    package var json: Bool
    /// The time after which the monitor ends, seconds; `nil` for never.
    package var durationSeconds: Double?

    /// Creates a monitor for the daemon at a socket path.
    package init(socketPath: String, once: Bool, json: Bool, durationSeconds: Double?) {
        (self.socketPath, self.once, self.json) = (socketPath, once, json)
        self.durationSeconds = durationSeconds
    }

    /// Longest wait for the frame with `once`, seconds.
    private static let frameLimitSeconds = 3.0

    /// How the monitor ended.
    package enum Outcome: Sendable, Equatable {
        /// As requested.
        case done
        /// Without data from the daemon; the reason.
        case noDaemon(String)
        /// What was to be shown once could not be written, such as on a full disk; the reason.
        case cannotWrite(String)
    }

    /// Runs until the user quits, a signal arrives, or, with `once`, a frame was shown.
    package func run() -> Outcome {
        let signals = blockedSignals()
        defer { close(signals) }
        if once { return runOnce() }
        if !json, Terminal.canBeDrawnOn, let terminal = Terminal() {
            draw(on: terminal, signals)
            return .done
        }
        printLines(signals)
        return .done
    }

    /// SIGINT, SIGTERM and SIGHUP as a descriptor, so that the terminal is always restored.
    private func blockedSignals() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        return signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    private func runOnce() -> Outcome {
        var session = MonitorSession(socketPath: socketPath, request: .frames(rateHertz: 10))
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < Self.frameLimitSeconds {
            session.work(waitingSeconds: 0.05)
            guard session.state.frame != nil,
                session.state.status != nil || SystemClock.monotonicNow.seconds(since: began) > 1
            else { continue }
            let fault = Self.fault(printing: json ? session.state.frameLine : MonitorText.report(session.state))
            return Self.outcome(fault)
        }
        if case .connecting(let why) = session.state.connection { return .noDaemon(why) }
        return .noDaemon(
            "\(socketPath): connected, but received no frame in \(Int(Self.frameLimitSeconds)) s; see posectl status")
    }

    /// The time at which the monitor ends, seconds on the monotonic clock.
    private var end: Double { SystemClock.monotonicNow.seconds + (durationSeconds ?? .infinity) }

    private func draw(on terminal: borrowing Terminal, _ signals: Int32) {
        let screen = MonitorScreen(symbols: Symbols(isUnicode: Terminal.isUnicode))
        let inColour = Terminal.wantsColour
        var session = MonitorSession(socketPath: socketPath, request: .frames(rateHertz: nil))
        var painter = ScreenPainter()
        var view = MonitorView()
        let end = end
        while SystemClock.monotonicNow.seconds < end {
            let ready = session.work(waitingSeconds: ScreenPainter.redrawSeconds, also: [STDIN_FILENO, signals])
            if ready.contains(signals) { return }
            if ready.contains(STDIN_FILENO) {
                let keys = terminal.keys()
                // An empty read means that the terminal was closed.
                guard !keys.isEmpty else { return }
                switch view.press(keys) {
                case .quit: return
                case .redraw: painter.forget()
                case .none: break
                }
                painter.drawSoon()
            }
            let now = SystemClock.monotonicNow.seconds
            let text = painter.text(atSeconds: now, inColour: inColour) {
                let (width, height) = terminal.size
                let canvas = screen.draw(session.state, view, width: width, height: height, atSeconds: now)
                view.limitScroll(to: canvas.lastScroll)
                return canvas
            }
            if let text { terminal.show(text) }
        }
    }

    /// Prints plain lines for pipes and simple terminals: one per second, and one whenever the connection changes.
    private func printLines(_ signals: Int32) {
        var session = MonitorSession(socketPath: socketPath, request: .frames(rateHertz: json ? nil : 1))
        var lines = PlainLines()
        var isOpen = true
        let end = end
        while SystemClock.monotonicNow.seconds < end {
            let ready = session.work(waitingSeconds: 0.2, also: [signals]) { line in
                if json, isOpen { isOpen = printLine(line) }
            }
            if ready.contains(signals) { return }
            guard isOpen else { return }
            guard !json, let line = lines.next(session.state) else { continue }
            guard printLine(line) else { return }
        }
    }

    /// How the monitor ends after its only output. A reader that has closed its pipe has enough of it.
    static func outcome(_ fault: FileFault?) -> Outcome {
        guard let fault, fault != .notWritten(EPIPE) else { return .done }
        return .cannotWrite("the output \(fault.description)")
    }

    /// Writes a line to standard output. Returns `false` when the output is closed.
    private func printLine(_ line: String) -> Bool { Self.fault(printing: line) == nil }

    /// Writes a line to standard output; returns why it cannot.
    private static func fault(printing line: String) -> FileFault? {
        do throws(FileFault) {
            try FileTransfer.write(line + "\n", to: STDOUT_FILENO)
            return nil
        } catch {
            return error
        }
    }
}
