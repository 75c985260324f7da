import Foundation
import Glibc
import Testing

/// The programs of the tests end with the runner, also where it is killed.
@Suite(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed")) struct EndWithRunnerTests {
    /// Whether a process runs; one that has ended and is not yet reaped does not.
    private func isRunning(_ process: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !(text.split(separator: ")").last?.hasPrefix(" Z") ?? true)
    }

    @Test func aKilledRunnerLeavesNoneOfItsPrograms() throws {
        // GIVEN a runner with two programs, of which one ignores every signal that it can, and a program of another
        // runner
        let folder = try TemporaryFolder()
        let mark = "POSED_TEST_RUNNER=\(UUID().uuidString)"
        let start = """
            \(mark) sleep 600 & echo $! > one
            \(mark) sh -c 'trap "" HUP INT TERM; sleep 600; sleep 600' & echo $! > two
            POSED_TEST_RUNNER=other sleep 600 & echo $! > other
            touch started; wait
            """
        let runner = try ExternalProgram.start(
            "sh", ["-c", "cd '\(folder.path)'; \(start)"], output: "\(folder.path)/out", errors: "\(folder.path)/err")
        defer { runner.kill() }
        #expect(DaemonProcess.poll(seconds: 60) { access("\(folder.path)/started", F_OK) == 0 })
        func process(_ name: String) throws -> pid_t {
            try #require(pid_t(folder.text(of: name).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let (one, two, other) = (try process("one"), try process("two"), try process("other"))
        defer { kill(other, SIGKILL) }
        let watcher = try ExternalProgram.start(
            "\(ExternalProgram.packageFolder)/scripts/contain", ["--after", "\(runner.processIdentifier)", mark],
            output: "\(folder.path)/watcher", errors: "\(folder.path)/ended")
        #expect(isRunning(one) && isRunning(two) && watcher.isRunning)
        // WHEN the runner is killed THEN its programs end, and that of the other one stays
        runner.send(SIGKILL)
        watcher.waitUntilExit()
        #expect(watcher.exitCode == 0)
        #expect(DaemonProcess.poll(seconds: 60) { !isRunning(one) && !isRunning(two) } && isRunning(other))
        #expect(folder.text(of: "ended").contains("its runner has ended: \(one) sleep 600"))
    }

    @Test func theProgramsEndWhereNobodyReadsWhatTheWatcherSays() throws {
        // GIVEN a runner with a program, and a watcher whose lines nobody reads any more
        let mark = UUID().uuidString
        let runner = try ExternalProgram.start("sleep", ["600"])
        let program = try ExternalProgram.start("sleep", ["600"], environment: [EndWithRunner.variable: mark])
        let lines = Pipe()
        let watcher = try ExternalProgram.start(
            "\(ExternalProgram.packageFolder)/scripts/contain",
            ["--after", "\(runner.processIdentifier)", "\(EndWithRunner.variable)=\(mark)"],
            errors: .descriptor(lines.fileHandleForWriting.fileDescriptor))
        try lines.fileHandleForReading.close()
        // WHEN the runner is killed THEN its program ends all the same
        runner.kill()
        watcher.waitUntilExit()
        program.waitUntilExit()
        #expect(program.signal == SIGKILL)
    }

    @Test func thisRunnerIsWatched() {
        // GIVEN this runner THEN something ends its programs when it is killed, and they have its mark
        #expect(EndWithRunner.isSet && getenv(EndWithRunner.variable) != nil)
    }
}
