import Foundation
import Glibc
import Testing

/// The web server as a program, with pages of all kinds but without a browser.
@Suite struct WebServerProcessTests {
    private static let hasPython = ExternalProgram.has("python3")

    @Test(.enabled(if: hasPython, "python3 is not installed"))
    func threePagesGetTheirFrames() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // WHEN three pages read 80 frames THEN each gets them, 20 per second by the clock of the engine: never faster
        // in the mean, and a quarter of them without a longer gap, on a machine that is busy with other tests
        let found = try WebProcess.run("viewers.py", python: "python3", [web.port, "watch", "3", "80"])
        let pages = try #require(found["pages"] as? [[String: Any]])
        #expect(pages.count == 3)
        for page in pages {
            let gaps = try #require(page["gaps"] as? [Double])
            try #require(gaps.count == 79, "\(page)")
            #expect(gaps.reduce(0, +) / 79 >= 0.045 && gaps[19] <= 0.065, "\(gaps)")
        }
        // THEN the server has left the daemon, whose only client is the one that asks
        let line = try #require(LineConnection(daemon.streamPath))
        let isAlone = DaemonProcess.poll(seconds: 60) {
            (line.ask(#"{"cmd":"status"}"#)["clients"] as? [String: Any])?["connected"] as? Int == 1
        }
        #expect(isAlone)
        // WHEN it is asked to stop THEN it ends
        web.process.terminate()
        #expect(DaemonProcess.poll(seconds: 60) { !web.process.isRunning } && web.process.exitCode == 0)
    }

    @Test(.enabled(if: hasPython, "python3 is not installed"))
    func aThousandPagesAreRefusedWithOneMessage() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a page that reads WHEN 1000 others are opened
        let found = try WebProcess.run("viewers.py", python: "python3", [web.port, "crowd", "1000"])
        // THEN it gets its frames all the same, and a page that is opened afterwards too
        #expect((found["during"] as? Int ?? 0) >= 40, "\(found)")
        #expect(((found["later"] as? [String: Any])?["frames"] as? Int ?? 0) >= 20, "\(found)")
        // THEN those that are refused are told the reason and the remedy
        let reasons = try #require(found["reasons"] as? [String: Int])
        #expect(reasons.keys.contains { $0.hasPrefix("1013 ") && $0.contains("--viewers") }, "\(reasons)")
        // THEN the log has one line about pages, and at most one about connections; memory is bounded
        let lines = web.log.split(separator: "\n")
        #expect(lines.count { $0.contains("refused a page") } == 1, "\(web.log)")
        #expect(lines.count { $0.contains("refused a connection") } <= 1, "\(web.log)")
        #expect(web.memory < 128 << 20, "\(web.memory) bytes")
        #expect(daemon.process.isRunning)
    }

    @Test(.enabled(if: hasPython, "python3 is not installed"))
    func noiseAffectsNobodyElse() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a page that reads WHEN 36 others send random bytes, endless frames and requests, and no requests
        let found = try WebProcess.run("viewers.py", python: "python3", [web.port, "noise", "7"])
        // THEN it gets its frames while they are there: those that do not read stay until then
        #expect((found["during"] as? Int ?? 0) >= 40, "\(found)")
        // THEN those that sent too much were disconnected, and those that waited for the replies with the code of
        // RFC 6455. Of those that sent all words at once some may have sent more than a busy server has read, which
        // ends the connection without a code.
        let ends = try #require(found["ends"] as? [String: Int])
        #expect(ends["endless: ended"] == 6 && ends["huge: ended"] == 6 && ends["talk: 1008"] == 6, "\(ends)")
        #expect((ends["words: 1008"] ?? 0) + (ends["words: ended"] ?? 0) == 6, "\(ends)")
        // THEN there is one line for each kind of noise, and memory is bounded
        for words in ["sent a request of more than", "it sent more than", "sent what is no request"] {
            #expect(web.log.split(separator: "\n").count { $0.contains(words) } <= 1, "\(web.log)")
        }
        #expect(web.log.contains("sent what is no request") && web.memory < 128 << 20, "\(web.memory) bytes")
        #expect(daemon.process.isRunning && !daemon.log.contains("disconnected"), "\(daemon.log)")
    }

    @Test func mistakesOfTheCommandLineAreToldWithTheRemedy() throws {
        let folder = try TemporaryFolder()
        try folder.write("short\n", to: "token")
        for (arguments, code, words) in [
            (["--listen", "0.0.0.0"], Int32(66), "--token-file"),
            (["--token-file", "\(folder.path)/none"], 66, "none"),
            (["--token-file", "\(folder.path)/token"], 66, "openssl rand"),
            (["--page", folder.path], 66, "--page"), (["--roads", "\(folder.path)/none"], 66, "none"),
            (["--listen", "here"], 64, "127.0.0.1"), (["--viewers", "0"], 64, "1 to 1000"),
            (["--port", "70000"], 64, "port"),
        ] {
            let result = try ExternalProgram.run(
                "\(ExternalProgram.buildFolder)/posed-web", ["--port", "0"] + arguments)
            #expect(result.exitCode == code && result.errors.contains(words), "\(arguments): \(result)")
        }
    }

    @Test func aPortInUseIsToldWithTheRemedy() throws {
        let folder = try TemporaryFolder()
        let web = try WebProcess(daemon: folder.path)
        let result = try ExternalProgram.run(
            "\(ExternalProgram.buildFolder)/posed-web", ["--folder", folder.path, "--port", web.port])
        #expect(result.exitCode == 69 && result.errors.contains("--port"), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
