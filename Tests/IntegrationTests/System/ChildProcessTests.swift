import Foundation
import Glibc
import Testing

/// Programs that the tests start: when and how their end is seen, and what they inherit.
@Suite struct ChildProcessTests {
    /// A shell that runs a script, with its output in a file.
    private func shell(_ script: String, _ folder: TemporaryFolder, _ descriptors: [Int32] = []) throws -> ChildProcess
    {
        try ExternalProgram.start(
            "/bin/sh", ["-c", script], output: .file("\(folder.path)/out"), descriptors: descriptors)
    }

    private func isThere(_ process: pid_t) -> Bool { Glibc.kill(process, 0) == 0 }

    @Test func theEndIsSeenWhereOthersGoOn() throws {
        // GIVEN a program that has started another one, and one that was started meanwhile
        let folder = try TemporaryFolder()
        let program = try shell("sleep 600 & echo $!; exec sleep 600", folder)
        let other = try ExternalProgram.start("sleep", ["600"])
        #expect(NapClock.wait(seconds: 60) { folder.text(of: "out").hasSuffix("\n") })
        let started = try #require(pid_t(folder.text(of: "out").dropLast()))
        defer { Glibc.kill(started, SIGKILL) }
        // WHEN it is killed THEN its end is seen while both still run
        program.send(SIGKILL)
        program.waitUntilExit()
        #expect(!program.isRunning && program.signal == SIGKILL && program.exitCode == nil)
        #expect(other.isRunning && isThere(started))
    }

    @Test func theExitCodeOrTheSignalIsTold() throws {
        // GIVEN programs that end by themselves, and one that is told to
        let folder = try TemporaryFolder()
        for code in [Int32(0), 1, 77, 255] {
            let program = try shell("exit \(code)", folder)
            program.waitUntilExit()
            #expect(program.exitCode == code && program.signal == nil)
        }
        let program = try ExternalProgram.start("sleep", ["600"])
        #expect(program.isRunning && program.exitCode == nil && program.signal == nil)
        program.terminate()
        program.waitUntilExit()
        #expect(program.signal == SIGTERM && program.exitCode == nil)
        // THEN what does not exist is named
        let failure = #expect(throws: ChildProcess.Failure.self) { try ExternalProgram.start("/no/such", []) }
        #expect(failure?.description == "/no/such: No such file or directory")
    }

    @Test func itIsKilledWithItsObject() throws {
        // GIVEN a program that ignores what it can WHEN its object goes THEN it has gone too, and is no zombie process
        let folder = try TemporaryFolder()
        var program: ChildProcess? = try shell("trap '' TERM HUP INT; echo on; sleep 600; sleep 600", folder)
        let process = try #require(program).processIdentifier
        #expect(NapClock.wait(seconds: 60) { folder.text(of: "out") == "on\n" })
        // Else the last line would end the group of this runner.
        try #require(getpgid(process) == process)
        program?.terminate()
        #expect(program?.isRunning == true)
        program = nil
        #expect(!isThere(process))
        // What it has started is not ended with it.
        Glibc.kill(-process, SIGKILL)
    }

    @Test func itInheritsWhatIsHandedOverAndNoBlockedSignals() throws {
        // GIVEN files that are open in this process, for every program that it starts
        let folder = try TemporaryFolder()
        let files = ["a", "b", "c"].map { open("\(folder.path)/\($0)", O_RDWR | O_CREAT, 0o600) }
        defer { for file in files { close(file) } }
        // GIVEN a thread that blocks signals
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        // WHEN two of them are handed over, the later one first, to a program that has opened what it opens by itself
        // (many read the list of locales as they start)
        let program = try shell("echo on; kill -STOP $$", folder, [files[2], files[0]])
        #expect(NapClock.wait(seconds: 60) { folder.text(of: "out") == "on\n" })
        // THEN it has these two and its standard streams
        let place = "/proc/\(program.processIdentifier)"
        let links = try FileManager.default.contentsOfDirectory(atPath: "\(place)/fd").sorted().map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "\(place)/fd/\($0)")
        }
        #expect(links == ["/dev/null", "\(folder.path)/out", "/dev/null", "\(folder.path)/c", "\(folder.path)/a"])
        // THEN it blocks none
        let status = try String(contentsOfFile: "\(place)/status", encoding: .utf8)
        #expect(status.contains("SigBlk:\t0000000000000000\n"), "\(status)")
    }
}
