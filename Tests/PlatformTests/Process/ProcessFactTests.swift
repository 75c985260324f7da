import Foundation
import Glibc
import Testing

@testable import Platform

/// What a process knows of itself.
@Suite struct ProcessFactTests {
    @Test func theFileOfTheProgramIsAbsolute() throws {
        // GIVEN the program that runs these tests THEN its file is that of the kernel's link
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(ProgramFile.path == link && link.hasPrefix("/"))
    }

    @Test func onlyTheVariablesOfTheServiceManagerAreKept() async {
        // GIVEN a process with all variables that a service manager sets, but one, and a further one THEN those are
        // kept as they were at the first look
        await #expect(processExitsWith: .success) {
            let names = [
                "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
                "JOURNAL_STREAM", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY",
            ]
            unsetenv("XDG_RUNTIME_DIR")
            for name in names { setenv(name, "of \(name)", 1) }
            setenv("OTHER", "x", 1)
            let expected = Dictionary(uniqueKeysWithValues: names.map { ($0, "of \($0)") })
            #expect(ProcessEnvironment.current == expected)
            setenv("NOTIFY_SOCKET", "later", 1)
            setenv("XDG_RUNTIME_DIR", "later", 1)
            #expect(ProcessEnvironment.current == expected)
        }
    }

    @Test(arguments: [("7", true), ("8", false), ("07", false), ("", false)])
    func aWatchdogOfAnotherProcessIsNone(process: String, isOurs: Bool) {
        let environment = ["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": process]
        #expect((Watchdog(environment: environment, process: 7).limitNanoseconds == 2_000_000_000) == isOurs)
    }
}
