import Foundation
import Testing

/// The real daemon with few descriptors and a small address space.
@Suite(.serialized, .enabled(if: ExternalProgram.has("prlimit"), "prlimit is not installed"))
struct ScarceResourcesTests {
    @Test(arguments: ["--nofile=12", "--nofile=20", "--as=125829120"])
    func itServesOrSaysWhy(limit: String) throws {
        // GIVEN a daemon under a limit of its user WHEN it starts
        let daemon = try DaemonProcess(launcher: ["prlimit", limit], waits: false)
        // THEN it runs until it is told to stop, and ends as asked: no signal ends it
        _ = DaemonProcess.poll(seconds: 3) { !daemon.process.isRunning }
        #expect(daemon.process.isRunning, "\(limit): \(daemon.process.terminationStatus) \(daemon.log)")
        #expect(daemon.stop().exitCode == 0, "\(limit): \(daemon.log)")
    }

    @Test func tooFewDescriptorsEndItWithAReason() throws {
        // GIVEN a daemon with 8 descriptors THEN it ends by itself with a reason
        let daemon = try DaemonProcess(launcher: ["prlimit", "--nofile=8"], waits: false)
        #expect(DaemonProcess.poll(seconds: 5) { !daemon.process.isRunning })
        #expect(daemon.process.terminationReason == .exit && daemon.process.terminationStatus != 0)
        #expect(daemon.log.contains("critical:"), "\(daemon.log)")
    }
}
