import Foundation
import Glibc
import Testing

/// What a start without devices, as another user, or beside another program says.
@Suite struct StartMessageTests {
    @Test func aStartWithoutDevicesSaysAtOnceWhatItWaitsForAndThenWhy() throws {
        // GIVEN no gpsd, no IMU, and a folder for the state that cannot be made
        let port = try GpsdProcess.freePort()
        let daemon = try DaemonProcess([
            "--source", "live", "--set", "gps.port=\(port)", "--set", "state.folder=/proc/none",
        ])
        // THEN the first lines say what is waited for and what cannot be saved; the reasons follow before 5 s
        #expect(DaemonProcess.poll(seconds: 2) { daemon.log.contains("waits for data of gps (gpsd at localhost") })
        let isSaid = DaemonProcess.poll(seconds: 2) {
            daemon.log.contains("nothing can be saved for the next drive: /proc/none cannot be created: ")
        }
        #expect(isSaid, "\(daemon.log)")
        #expect(
            DaemonProcess.poll(seconds: 4) { daemon.log.contains("no gpsd at localhost port \(port)") },
            "\(daemon.log)")
        let reply = LineConnection(daemon.streamPath)?.ask(#"{"cmd":"status"}"#)
        #expect((reply?["state_notes"] as? [String])?.first?.hasPrefix("nothing can be saved") == true)
    }

    @Test(.enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv"), "needs root and setpriv"))
    func aUserWithoutAccessGetsGroupAndCommand() throws {
        // GIVEN a daemon whose sockets are for the group 65500 WHEN nobody asks for the status
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.group=65500"])
        chmod(daemon.folder.path, 0o755)
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        let program = "\(ExternalProgram.buildFolder)/posectl"
        let result = try ExternalProgram.run("setpriv", user + [program, "status", "--folder", daemon.folder.path])
        // THEN the message has the group and the command
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("for members of group 65500"), "\(result.errors)")
        #expect(result.errors.contains("`sudo usermod -aG 65500 nobody && newgrp 65500`"), "\(result.errors)")
        // WHEN nobody starts the daemon in a folder of root below /run THEN the service and an own folder are named
        let start = try ExternalProgram.run(
            "setpriv",
            user + ["\(ExternalProgram.buildFolder)/posed", "--source", "simulated"])
        #expect(start.exitCode == 78)
        #expect(start.errors.contains("an ordinary user cannot use it: start the service"), "\(start.errors)")
    }
}
