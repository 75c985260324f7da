import Foundation
import Glibc
import Testing

/// `posectl wait`, `explain` and `monitor` beside a running daemon on the simulated drive.
@Suite struct DaemonToolTests {
    @Test func scriptsWaitAndAsk() throws {
        // GIVEN a daemon
        let daemon = try DaemonProcess()
        // WHEN a script waits for what it reaches at once, and for what it does not reach
        let running = try ExternalProgram.run(
            "posectl", ["wait", "--until", "running", "--folder", daemon.folder.path, "--timeout", "300"])
        #expect(running.exitCode == 0 && running.output.hasPrefix("running after "), "\(running)")
        let position = try ExternalProgram.run(
            "posectl", ["wait", "--until", "position", "--folder", daemon.folder.path, "--timeout", "300"])
        #expect(position.exitCode == 0, "\(position)")
        let late = try ExternalProgram.run(
            "posectl", ["wait", "--until", "recording", "--folder", daemon.folder.path, "--timeout", "0.2"])
        // THEN the exit status and the message say so
        #expect(late.exitCode == 1 && late.errors.contains("not recording after 0.2 s: "), "\(late)")
        // WHEN each quantity is explained THEN there is a table and an action
        for quantity in ["heading", "position", "speed", "off-route", "limit"] {
            let result = try ExternalProgram.run("posectl", ["explain", quantity, "--folder", daemon.folder.path])
            #expect(result.exitCode == 0 && result.output.hasPrefix("\(quantity): "), "\(result)")
            #expect(result.output.contains("\nhelps most: "), "\(result)")
        }
        let json = try ExternalProgram.run("posectl", ["explain", "heading", "--json", "--folder", daemon.folder.path])
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["action"] is String && (object?["contributions"] as? [Any])?.count == 5)
        // WHEN the daemon has stopped THEN they say that it does not run
        _ = daemon.stop()
        for arguments in [["explain", "speed"], ["wait", "--timeout", "0"]] {
            let gone = try ExternalProgram.run("posectl", arguments + ["--folder", daemon.folder.path])
            #expect(gone.exitCode == 2 && gone.errors.contains("start posed"), "\(gone)")
        }
        let wrong = try ExternalProgram.run("posectl", ["explain", "weather"])
        #expect(wrong.exitCode == 64 && wrong.errors.contains("heading"), "\(wrong)")
    }

    @Test(.enabled(if: ExternalProgram.has("tmux"), "needs tmux"), arguments: [(80, 24), (60, 15), (40, 10)])
    func theMonitorFitsItsTerminal(width: Int, height: Int) throws {
        // GIVEN a daemon, and a terminal of that size
        let daemon = try DaemonProcess()
        let socket = "\(daemon.folder.path)/tmux"
        func tmux(_ arguments: String...) throws -> String {
            try ExternalProgram.run("tmux", ["-S", socket] + arguments).output
        }
        // The server stays in the foreground, and ends with the test.
        try daemon.folder.write("set -g exit-empty off\n", to: "tmux.conf")
        let server = try ExternalProgram.start(
            "tmux", ["-u", "-S", socket, "-f", "\(daemon.folder.path)/tmux.conf", "-D"],
            output: "\(daemon.folder.path)/tmux.out", errors: "\(daemon.folder.path)/tmux.err")
        defer { server.kill() }
        #expect(DaemonProcess.poll(seconds: 60) { access(socket, F_OK) == 0 })
        let command = "LANG=C.UTF-8 \(ExternalProgram.buildFolder)/posectl monitor --folder \(daemon.folder.path)"
        _ = try tmux("-u", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", command)
        func screen() throws -> [String] {
            try tmux("-u", "capture-pane", "-p").split(
                separator: "\n", omittingEmptySubsequences: false
            ).map(String.init)
        }
        func shown() -> String { ((try? screen()) ?? []).joined(separator: "\n") }
        func shows(_ text: String) -> Bool {
            DaemonProcess.poll(seconds: 60) { (try? screen().contains { $0.contains(text) }) ?? false }
        }
        // THEN the keys are in the last row, alone on a small screen, and the program's name in the first
        #expect(shows("km/h"), "\(shown())")
        let first = try screen()
        #expect(first[0].hasPrefix(" posed") && first[height - 1].hasPrefix(" q quit  ? keys"), "\(first)")
        #expect(first.filter { $0.contains("q quit") }.count == 1)
        // WHEN keys are pressed THEN the pages, the keys and the unit follow
        for (key, text) in [("2", "demo receiver"), ("5", "connected"), ("?", "quit"), ("?", "connected")] {
            _ = try tmux("send-keys", key)
            #expect(shows(text), "\(key): \(shown())")
        }
        _ = try tmux("send-keys", "1", "u")
        #expect(shows("mph"), "\(shown())")
        // WHEN the daemon stops THEN the screen says so
        _ = daemon.stop()
        #expect(shows("posed was stopped"), "\(shown())")
    }
}
