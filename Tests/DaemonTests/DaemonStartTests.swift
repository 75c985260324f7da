import Configuration
import Glibc
import Testing

@testable import Daemon

/// What the daemon does before it runs.
@Suite struct DaemonStartTests {
    @Test func aStackThatIsTooSmallEndsItWithTheCodeOfAnInternalError() async {
        // GIVEN a process of an ordinary user whose stack is limited to 255 KiB, one less than the daemon needs WHEN
        // the daemon runs THEN it ends by itself with the exit code that its help names for this
        await #expect(processExitsWith: .exitCode(70)) {
            if geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(1) }
            var limit = rlimit(rlim_cur: 100 << 10, rlim_max: 255 << 10)
            guard setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { exit(2) }
            exit(Daemon.run(LoadedSettings(), reload: SettingsSources()))
        }
    }
}
