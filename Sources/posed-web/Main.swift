import ArgumentParser
import Glibc
import JournalLog
import Logging
import Platform
import Synchronization
import WebServer

/// The web server's command line.
@main struct PosedWeb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posed-web",
        abstract: "Shows posed in a browser: map, artificial horizon, preview of a head-up display, recordings.",
        discussion: """
            The page is served on this machine only, at http://127.0.0.1:8470/, unless --listen says otherwise. It \
            changes nothing in the daemon unless --allow-control is given. \
            Exit codes: 0 stopped as requested, 64 usage, 66 a file cannot be read, 69 the address cannot be used.
            """,
        version: "posed-web \(Release.version)")

    @Option(
        help: ArgumentHelp("The folder of the daemon's sockets.", valueName: "path"), completion: .directory)
    var folder = "/run/posed"

    @Option(
        help: ArgumentHelp("Numeric address to listen at; other than loopback only with a token.", valueName: "address")
    )
    var listen = "127.0.0.1"

    @Option(help: ArgumentHelp("Port to listen at; 0 for any free one.", valueName: "port"))
    var port: UInt16 = 8470

    @Option(
        help: ArgumentHelp("Show the page only to those who know the first line of this file.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("A name of this machine that browsers use. May be given several times.", valueName: "name"))
    var host: [String] = []

    @Flag(help: "Let the page start and stop recordings and set the target.")
    var allowControl = false

    @Option(help: ArgumentHelp("Most pages at the same time, 1 to 1000.", valueName: "number"))
    var viewers = 64

    @Option(
        help: ArgumentHelp("Draw the roads of this file; without it those of the daemon.", valueName: "file"),
        completion: .file())
    var roads: String?

    @Option(
        help: ArgumentHelp("Play the recordings in this folder; without it those of the daemon.", valueName: "path"),
        completion: .directory)
    var recordings: String?

    @Option(help: ArgumentHelp("The folder of the page's files.", valueName: "path"), completion: .directory)
    var page: String?

    func validate() throws {
        guard (1...1000).contains(viewers) else { throw ValidationError("--viewers must be 1 to 1000") }
        if let problem = WebSettings.problem(ofAddress: listen) { throw ValidationError(problem) }
    }

    func run() throws {
        // Before any other thread exists, so that all of them leave the signals to this one.
        guard let signals = SignalSource() else {
            complain("cannot create a descriptor: the system is out of resources")
            throw ExitCode(71)
        }
        let output = LogOutput(program: "posed-web")
        let log = Logger(label: "posed-web") { _ in JournalLogHandler(output: output) }
        let server: WebServer
        do throws(WebProblem) {
            server = try WebServer(try settings(), log: log)
        } catch {
            complain(error.description)
            throw ExitCode(66)
        }
        if let problem = serve(server, signals, log) {
            complain(problem)
            throw ExitCode(69)
        }
    }

    /// Serves until a signal asks for the end. Returns what ended it otherwise.
    private func serve(_ server: WebServer, _ signals: SignalSource, _ log: Logger) -> String? {
        let manager = ServiceManager()
        let ended = StopSignal()
        let problem = EndProblem()
        let task = Task {
            do {
                try await server.run { address in
                    log.info("the page is at \(address)")
                    manager.ready(status: "the page is at \(address)")
                }
            } catch  where !Task.isCancelled {
                problem.text.withLock { $0 = "\(error)" }
            } catch {}
            ended.raise()
        }
        while true {
            switch ended.wait(for: signals.descriptor, seconds: 60) {
            case .stopped: return problem.text.withLock { $0 }
            case .ready where signals.next() == .stop:
                manager.stopping(status: "stopped as requested")
                task.cancel()
            case .ready, .timedOut: continue
            }
        }
    }

    private func settings() throws(WebProblem) -> WebSettings {
        var settings = WebSettings()
        settings.socketPath = folder + "/stream"
        (settings.address, settings.port) = (listen, port)
        settings.token = try tokenFile.map { (file) throws(WebProblem) in try TokenFile.read(file) }
        settings.hostNames = host
        settings.allowsControl = allowControl
        settings.viewerLimit = viewers
        (settings.roadFile, settings.recordingFolder, settings.pageFolder) = (roads, recordings, page)
        return settings
    }

    private func complain(_ text: String) {
        let line = Array("posed-web: \(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Why the server ended by itself; `nil` if it was asked to.
private final class EndProblem: Sendable {
    let text = Mutex<String?>(nil)
}
