import Foundation
import Testing

/// The real daemon with few descriptors, a small address space and small stacks.
@Suite(.serialized, .enabled(if: ExternalProgram.has("prlimit"), "prlimit is not installed"))
struct ScarceResourcesTests {
    @Test(arguments: ["--nofile=12", "--nofile=20", "--as=125829120", "--stack=131072:"])
    func itServes(limit: String) throws {
        // GIVEN a daemon under a limit of its user, or one that it may raise, as that of its stack, WHEN it starts
        let daemon = try DaemonProcess(launcher: ["prlimit", limit], waits: false)
        // THEN it runs until it is told to stop, and ends as asked: no signal ends it
        _ = DaemonProcess.poll(seconds: 60) { access(daemon.streamPath, F_OK) == 0 || !daemon.process.isRunning }
        _ = DaemonProcess.poll(seconds: 3) { !daemon.process.isRunning }
        #expect(daemon.process.isRunning, "\(limit): \(String(describing: daemon.process.exitCode)) \(daemon.log)")
        #expect(daemon.stop().exitCode == 0, "\(limit): \(daemon.log)")
    }

    @Test(.enabled(if: getuid() == 0 && ExternalProgram.has("setpriv"), "needs root and setpriv"))
    func aStackThatIsTooSmallEndsItWithAReason() throws {
        // GIVEN a daemon of a user with a stack of 128 KiB, who may not raise the limit WHEN it starts THEN it ends by
        // itself and names the limit
        let user = ["setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource", "--no-new-privs"]
        let daemon = try DaemonProcess(launcher: user + ["prlimit", "--stack=131072:131072"], waits: false)
        #expect(DaemonProcess.poll(seconds: 60) { !daemon.process.isRunning })
        #expect(daemon.process.exitCode == 70)
        #expect(daemon.log.contains("the stack is limited to 128 KiB, and 256 KiB are needed"), "\(daemon.log)")
    }

    @Test func tooFewDescriptorsEndItWithAReason() throws {
        // GIVEN a daemon with 8 descriptors THEN it ends by itself with a reason
        let daemon = try DaemonProcess(launcher: ["prlimit", "--nofile=8"], waits: false)
        #expect(DaemonProcess.poll(seconds: 60) { !daemon.process.isRunning })
        #expect(daemon.process.exitCode.map { $0 != 0 } == true)
        #expect(daemon.log.contains("critical:"), "\(daemon.log)")
    }
}
