import ArgumentParser
import Glibc
import Monitor

/// `posectl monitor`.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Show the pose, the route, the speed and the sources.",
        discussion: """
            Draws on the whole terminal and reconnects when the daemon restarts; q or Ctrl-C quits. On a terminal \
            without cursor control (TERM=dumb) and in a pipe it writes one line per second.
            Exit status: 0 done, 2 the daemon does not run (with --once), 64 wrong usage, 73 output cannot be written \
            (with --once).
            """)

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Show everything once and end.")
    var once = false

    @Flag(help: "Print the daemon's JSON frames instead.")
    var json = false

    @Option(help: ArgumentHelp("End after this many seconds; 0 never.", valueName: "seconds"))
    var seconds = 0.0

    func validate() throws {
        guard seconds >= 0, seconds <= 1e9 else { throw ValidationError("--seconds must be 0 or more") }
    }

    func run() throws {
        let monitor = Monitor(
            socketPath: socket.path, once: once, json: json, durationSeconds: seconds > 0 ? seconds : nil)
        switch monitor.run() {
        case .done: break
        case .noDaemon(let why):
            complain(why)
            throw ExitCode.noDaemon
        case .cannotWrite(let why):
            complain(why)
            throw ExitCode.cannotWrite
        }
    }
}
