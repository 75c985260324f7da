import Foundation
import Glibc
import PlayedDaemon
import Testing

@testable import Platform
@testable import posectl

/// What `posectl wait` prints, in a process of its own, because it goes to the standard output.
@Suite struct WaitCommandTests {
    @Test func theTimeThatWasWaitedIsToldInTenthsOfASecond() async {
        // GIVEN a daemon that takes three seconds until it tells of an aligned pose
        await #expect(processExitsWith: .success) {
            let folder = try CommandFolder()
            let output = open("\(folder.path)/output", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(output >= 0)
            let replaced = dup2(output, STDOUT_FILENO)
            let daemon = PlayedDaemon("\(folder.path)/stream") { line in
                guard line.contains("subscribe") else { return [] }
                sleep(3)
                return [#"{"type":"frame","seq":1,"pose":{"state":"aligned"}}"#]
            }
            // WHEN that is waited for
            let began = SystemClock.monotonicNow.seconds
            let status = folder.run("wait --until aligned --folder \(folder.path)")
            let passed = SystemClock.monotonicNow.seconds - began
            withExtendedLifetime(daemon) {}
            // THEN the time is told: at least three seconds, and no more than the command took, rounded to a tenth
            let lines = folder.text("output").split(separator: "\n")
            let words = lines.first { $0.hasPrefix("aligned after ") }?.split(separator: " ") ?? []
            #expect(replaced >= 0 && status == 0 && words.count == 4 && words.last == "s")
            let told = try #require(words.dropFirst(2).first.flatMap { Double($0) })
            #expect(told >= 3 && told <= passed + 0.05)
        }
    }
}
