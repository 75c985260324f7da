import Foundation
import Glibc
import Platform
import PlayedDaemon
import Testing

@testable import Calibration
@testable import posectl

/// A terminal in the place of the standard error of this process.
private struct ErrorTerminal {
    private let controller: Int32

    /// `nil` where the system gives no terminal.
    init?() {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK unlocks the other end, and TIOCGPTPEER opens it: Swift's Glibc module has neither.
        var lock: Int32 = 0
        guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0 else { return nil }
        let end = ioctl(controller, 0x5441, O_RDWR | O_NOCTTY)
        guard end >= 0, dup2(end, STDERR_FILENO) >= 0 else { return nil }
    }

    /// What is shown, up to a text, or all of it where nothing follows for ten seconds.
    func text(to end: String) -> String {
        var text = ""
        var ready = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        while !text.contains(end), poll(&ready, 1, 10_000) > 0 {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(controller, &bytes, bytes.count)
            guard count > 0 else { break }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return text
    }
}

/// What a live calibration and a command that takes long show, in processes of their own, because it goes to the
/// standard error.
@Suite struct CalibrationRunTests {
    @Test func aCalibrationHasABarOfFortySigns() async {
        // GIVEN a terminal WHEN half of a calibration is done THEN half of forty signs are full
        await #expect(processExitsWith: .success) {
            setenv("TERM", "xterm", 1)
            let terminal = try #require(ErrorTerminal())
            let progress = CollectionProgress(share: 0.5, advice: "hold it still", coverage: "faces +x")
            CalibrationScreen(title: "gyro", isQuiet: false).show(progress, seconds: 12)
            let signs = String(repeating: "#", count: 20) + String(repeating: ".", count: 20)
            let text = terminal.text(to: "50 %")
            #expect(text.contains("  [\(signs)] 50 %"), "\(text)")
        }
    }

    @Test func aHiddenBarIsNotShown() async {
        // GIVEN a terminal, and a bar that is to be hidden before one that is not THEN only the latter is shown
        await #expect(processExitsWith: .success) {
            setenv("TERM", "xterm", 1)
            let terminal = try #require(ErrorTerminal())
            ProgressBar(isHidden: true).show(0.25)
            ProgressBar(isHidden: false).show(0.5)
            let signs = String(repeating: "#", count: 20) + String(repeating: ".", count: 20)
            #expect(terminal.text(to: "50 %") == "\r[\(signs)] 50 %")
        }
    }

    @Test func theSecondsOfACalibrationAreThoseSinceItsBegin() async {
        // GIVEN a terminal, and a daemon without samples
        await #expect(processExitsWith: .success) {
            setenv("TERM", "xterm", 1)
            let terminal = try #require(ErrorTerminal())
            let folder = try CommandFolder()
            let daemon = PlayedDaemon("\(folder.path)/stream") { _ in
                [#"{"type":"reply","cmd":"samples","ok":true}"#]
            }
            // WHEN noise is measured, and given up after a second
            let began = SystemClock.monotonicNow.seconds
            let status = folder.run("calibrate noise --limit 1 --folder \(folder.path)")
            let passed = SystemClock.monotonicNow.seconds - began
            withExtendedLifetime(daemon) {}
            // THEN no more seconds are shown than have passed
            let text = terminal.text(to: " s (Ctrl-C ends it)")
            let shown = try #require(text.firstMatch(of: /Calibration of the noise, (\d+) s \(/)).output.1
            #expect(status != 0 && Double(shown).map { $0 <= passed } == true, "\(text)")
        }
    }

    @Test func aMeasurementOfNoiseTakesItsMinutes() async {
        // GIVEN a standard error that is a file, and a daemon without samples
        await #expect(processExitsWith: .success) {
            let folder = try CommandFolder()
            let log = open("\(folder.path)/log", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(log >= 0)
            let replaced = dup2(log, STDERR_FILENO)
            let daemon = PlayedDaemon("\(folder.path)/stream") { _ in
                [#"{"type":"reply","cmd":"samples","ok":true}"#]
            }
            // WHEN noise is measured for three minutes, and given up after a second
            let status = folder.run("calibrate noise --limit 1 --minutes 3 --folder \(folder.path)")
            withExtendedLifetime(daemon) {}
            // THEN it fails, and three minutes were left
            #expect(replaced >= 0 && status != 0)
            let text = folder.text("log")
            #expect(text.contains("leave it still, on a firm table: 3 min more"), "\(text)")
        }
    }
}
