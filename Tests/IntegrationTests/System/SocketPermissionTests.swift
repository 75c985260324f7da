import Foundation
import Glibc
import Testing

/// The sockets' permissions at every moment of the daemon's life.
@Suite(.serialized) struct SocketPermissionTests {
    @Test(.enabled(if: ExternalProgram.has("strace"), "strace is not installed"))
    func theyAreNeverWiderThanInTheEnd() throws {
        // GIVEN an open umask; WHEN the daemon is started under strace; THEN it binds each socket under a umask that leaves only the bits set, never changes
        // its mode afterwards, and sets the group before it listens: no moment with wider permissions exists.
        let folder = try TemporaryFolder()
        let trace = "\(folder.path)/trace"
        let process = try ExternalProgram.start(
            "/bin/sh",
            [
                "-c",
                "umask 0; exec strace -f -o '\(trace)' -e trace=bind,listen,umask,chmod,fchmod,fchmodat,lchown,fchownat,chown '\(ExternalProgram.buildFolder)/posed' "
                    + "--source simulated --set sockets.folder='\(folder.path)' --set sockets.mode=0640 --set sockets.group=0",
            ], output: "\(folder.path)/out", errors: "\(folder.path)/log")
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        #expect(DaemonProcess.poll(seconds: 20) { LineConnection("\(folder.path)/stream") != nil }, "\(folder.text(of: "log"))")
        for name in ["frames", "stream"] {
            var information = stat()
            #expect(lstat("\(folder.path)/\(name)", &information) == 0 && information.st_mode & 0o777 == 0o640)
        }
        let calls = folder.text(of: "trace").split(separator: "\n").map(String.init)
        for name in ["frames", "stream"] {
            let bind = try #require(calls.firstIndex { $0.contains("bind(") && $0.contains("/\(name)\"") })
            let mask = calls[..<bind].last { $0.contains("umask(") }
            #expect(mask?.contains("umask(0137)") == true, "\(mask ?? "no umask")")
            let group = calls[bind...].firstIndex { $0.contains("chown") && $0.contains("/\(name)\"") }
            let listening = calls[bind...].firstIndex { $0.contains("listen(") }
            #expect(group != nil && listening != nil && (group ?? 0) < (listening ?? 0))
            #expect(!calls[bind...].contains { $0.contains("chmod") && $0.contains("/\(name)") })
        }
        let daemon = calls.first { $0.contains("bind(") }.flatMap { $0.split(separator: " ").first }.flatMap { pid_t($0) }
        if let daemon { kill(daemon, SIGTERM) }
        #expect(DaemonProcess.poll(seconds: 10) { !process.isRunning })
    }
}
