import ArgumentParser
import Glibc
import Monitor

extension Waiter.Goal: ExpressibleByArgument {}

/// `posectl wait`.
struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until the daemon has reached a state.",
        discussion: """
            A daemon that does not run yet is waited for, too. The states are running, position, heading, aligned, \
            route, on-route and recording. On a terminal each change of what is missing is shown.
            Exit status: 0 reached, 1 the time is over, 2 the time is over and the daemon does not run, 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The state to wait for.", valueName: "state"))
    var until = Waiter.Goal.aligned

    @Option(help: ArgumentHelp("Longest wait, 0 to 86400.", valueName: "seconds"))
    var timeout = 60.0

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print nothing.")
    var quiet = false

    func validate() throws {
        guard timeout >= 0, timeout <= 86_400 else { throw ValidationError("--timeout must be 0 to 86400 seconds") }
    }

    func run() throws {
        let waiter = Waiter(socketPath: socket.path, timeoutSeconds: timeout)
        let isTold = !quiet && isatty(STDERR_FILENO) == 1
        switch waiter.wait(until: until, onState: { if isTold { complain($0) } }) {
        case .reached(let seconds):
            if !quiet { writeText("\(until.rawValue) after \((seconds * 10).rounded() / 10) s\n", to: STDOUT_FILENO) }
        case .timeout(let missing):
            if !quiet { complain("not \(until.rawValue) after \(timeout) s: \(missing)") }
            throw ExitCode(1)
        case .noDaemon(let why):
            if !quiet { complain(why) }
            throw ExitCode.noDaemon
        }
    }
}
