import Configuration
import Glibc
import PoseMath
import Testing

@testable import Daemon

/// What the daemon does before it runs.
@Suite struct DaemonStartTests {
    @Test func aStackThatIsTooSmallEndsItWithTheCodeOfAnInternalError() async {
        // GIVEN a process of an ordinary user whose stack is limited to 255 KiB, one less than the daemon needs WHEN
        // the daemon runs THEN it ends by itself with the exit code that its help names for this
        await #expect(processExitsWith: .exitCode(70)) {
            // A daemon that starts would run for ever.
            alarm(60)
            if geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(1) }
            var limit = rlimit(rlim_cur: 100 << 10, rlim_max: 255 << 10)
            guard setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { exit(2) }
            exit(Daemon.run(LoadedSettings(), reload: SettingsSources()))
        }
    }

    @Test func anEngineThatCannotStartEndsItWithTheCodeOfAnInternalError() async {
        // GIVEN a process of an ordinary user who may have no further thread WHEN the daemon runs THEN it does not end
        // as if somebody had stopped it
        await #expect(processExitsWith: .exitCode(70)) {
            alarm(60)
            if geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(1) }
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            guard setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0 else { exit(2) }
            var template = Array("/tmp/posed-start-XXXXXX".utf8CString)
            guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { exit(3) }
            var loaded = LoadedSettings()
            loaded.settings.publishing.folder = folder
            let code = Daemon.run(loaded, reload: SettingsSources())
            rmdir(folder)
            exit(code)
        }
    }

    @Test func whatIsToldOnceASecondIsNotLate() {
        // GIVEN something that is told once a second, whenever the sockets are looked after, which is a little early or
        // late THEN it is due at first, and again from a twentieth before the second on
        let last = MonotonicTime(nanoseconds: 7_000_000_000)
        #expect(RunningDaemon.isDue(since: nil, last))
        let due = [0, 0.94, 0.96, 1, 60].map { RunningDaemon.isDue(since: last, last.advanced(bySeconds: $0)) }
        #expect(due == [false, false, true, true, true])
    }
}
