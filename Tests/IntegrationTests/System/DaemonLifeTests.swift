import Foundation
import Glibc
import Testing

/// The daemon under a service manager: handed-over sockets, readiness, watchdog, reload, stop.
@Suite struct DaemonLifeTests {
    @Test func itLivesAsItsManagerExpects() throws {
        // GIVEN a daemon with sockets from its manager, which watches it
        let daemon = try ManagedDaemon(settings: "log_level: info\n")
        #expect(daemon.waits { daemon.messages.contains { $0.hasPrefix("READY=1") } }, "\(daemon.log)")
        // THEN it serves on them, and its engine feeds the watchdog
        #expect(try daemon.ask(#"{"cmd":"status"}"#, for: "\"type\":\"reply\"") != nil, "\(daemon.log)")
        #expect(daemon.waits { daemon.messages.count { $0 == "WATCHDOG=1" } >= 3 })
        // WHEN it is told to stop
        let stopped = try #require(daemon.stop())
        // THEN it says so, ends well and within half a second, and leaves the sockets to their owner
        #expect(stopped.exitCode == 0)
        #expect(stopped.seconds < 0.5)
        // The engine may feed the watchdog before the sockets are ready.
        let states = daemon.messages.filter { $0 != "WATCHDOG=1" }
        #expect(states.first?.hasPrefix("READY=1") == true)
        #expect(states.last?.hasPrefix("STOPPING=1") == true)
        for name in ["in-frames", "in-stream"] {
            #expect(FileManager.default.fileExists(atPath: "\(daemon.folder.path)/\(name)"))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(daemon.folder.path)/own/frames"))
    }

    @Test func aReloadIsTakenWholeOrNotAtAll() throws {
        let daemon = try ManagedDaemon(settings: "log_level: info\n", names: "posed.socket:posed.socket")
        #expect(daemon.waits { daemon.messages.contains { $0.hasPrefix("READY=1") } }, "\(daemon.log)")
        // WHEN its settings are broken and read again
        try daemon.folder.write("log_level: debug\nprofile: sled\n", to: "posed.yaml")
        daemon.process.send(SIGHUP)
        // THEN it says when it reads and when it serves again, and the status tells what is wrong, with the place
        #expect(daemon.waits { daemon.messages.count { $0.hasPrefix("READY=1") } == 2 })
        #expect(daemon.messages.contains { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") })
        let refused = try daemon.ask(
            #"{"cmd":"status"}"#, for: "posed.yaml:2:10: profile: `sled` is not one of the words")
        #expect(refused != nil, "\(daemon.log)")
        // AND WHEN they are mended
        try daemon.folder.write("sockets:\n  client_limit: 3\n", to: "posed.yaml")
        daemon.process.send(SIGHUP)
        // THEN the live key is in force
        #expect(
            daemon.waits {
                (try? daemon.ask(#"{"cmd":"status"}"#, for: "changed sockets.client_limit", seconds: 1)) != nil
            })
        #expect(daemon.stop()?.exitCode == 0)
    }

    @Test func socketsOfTheWrongKindAreRefused() throws {
        // GIVEN a socket unit that gave the two names the wrong way round
        let daemon = try ManagedDaemon(settings: "", names: "stream:frames")
        // THEN the daemon ends with the code for settings, and says which line of the unit is wrong
        #expect(daemon.waits { !daemon.process.isRunning })
        #expect(daemon.process.exitCode == 78)
        #expect(
            daemon.log.contains(
                "the socket `stream` from systemd has the wrong type; it needs ListenStream= in posed.socket"),
            "\(daemon.log)")
    }

    @Test func aDaemonThatIsToldNothingServesInItsOwnFolder() throws {
        let folder = try TemporaryFolder()
        let process = try ExternalProgram.start(
            "posed", ["--source", "simulated", "--set", "sockets.folder=\(folder.path)/s"],
            output: "\(folder.path)/out", errors: "\(folder.path)/log"
        )
        defer { process.kill() }
        let sockets = ["\(folder.path)/s/frames", "\(folder.path)/s/stream"]
        #expect(NapClock.wait(seconds: 60) { sockets.allSatisfy { FileManager.default.fileExists(atPath: $0) } })
        for path in sockets {
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o660)
        }
        process.terminate()
        process.waitUntilExit()
        #expect(process.exitCode == 0)
        #expect(!sockets.contains { FileManager.default.fileExists(atPath: $0) })
    }
}
