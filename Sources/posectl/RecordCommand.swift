import ArgumentParser
import Glibc
import Monitor

/// `posectl record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record drives, for replay and for other programs.",
        discussion: """
            The daemon writes MCAP files into its folder of recordings (recording.folder of the settings). They tell \
            where the vehicle was, and only the daemon's user may read them. Exit status: 0 done, 1 the recorder \
            cannot record, 2 the daemon does not run, 64 wrong usage, 65 refused.
            """,
        subcommands: [Start.self, Stop.self, Status.self], defaultSubcommand: Status.self)

    /// `posectl record start`.
    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a recording; it lasts until it is stopped.",
            discussion: """
                A replay gives the same frames if the recording has everything since posed started \
                (recording.mode other than off), otherwise from the first reset in the recording on. \
                --reset gives that at once: posed aligns again, as after posectl reset.
                """)

        @OptionGroup var socket: SocketOptions

        @Flag(help: "Reset posed at the start of the recording, so that its replay gives the same frames.")
        var reset = false

        func run() throws { try socket.record("start", resets: reset) }
    }

    /// `posectl record stop`.
    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop recording, also if the settings ask for it, until the next start.")

        @OptionGroup var socket: SocketOptions

        func run() throws { try socket.record("stop") }
    }

    /// `posectl record status`.
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show what the recorder does, and the file it writes.")

        @OptionGroup var socket: SocketOptions

        func run() throws { try socket.record("status") }
    }
}

extension SocketOptions {
    /// Sends the command and prints what the recorder does. The daemon starts and stops within a tenth of a second, so
    /// the text is that of a second request.
    fileprivate func record(_ action: String, resets: Bool = false) throws {
        let ended = action == "stop" ? RecordingText(reply: try perform(.record(action: "status")))?.ended : nil
        var reply = try perform(.record(action: action))
        if action != "status" {
            usleep(400_000)
            if resets {
                _ = try perform(.reset)
                usleep(400_000)
            }
            reply = try perform(.record(action: "status"))
        }
        guard let text = RecordingText(reply: reply) else {
            complain("the daemon's reply is unknown; the daemon may be of another release: \(reply)")
            throw ExitCode.noDaemon
        }
        try printResult((text.lines + (ended.map { [$0] } ?? [])).joined(separator: "\n") + "\n")
        if text.state == "failed" { throw ExitCode(1) }
    }
}
