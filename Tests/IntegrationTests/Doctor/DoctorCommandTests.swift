import CSystem
import Foundation
import Glibc
import Testing

/// Faults whose printed commands act on users, groups, processes and gpsd. The commands are run.
@Suite struct DoctorCommandTests {
    @Test(
        .enabled(if: geteuid() == 0 && ExternalProgram.has("groupadd", "unshare"), "needs root, groupadd and unshare"))
    func aMissingGroupIsMadeByTheCommand() throws {
        // GIVEN settings with a group that does not exist
        let machine = try DoctoredMachine(settings: "gps:\n  enabled: false\nsockets:\n  group: riders\n")
        try machine.write("", "/etc/login.defs")
        let report = try machine.examine()
        #expect(report.faults == ["daemon.group"])
        // WHEN the printed command runs THEN there is the group, and only the daemon is missing
        try machine.run(try #require(report.command("daemon.group")), replacesEtc: true)
        #expect(try machine.examine().faults == ["daemon.stopped"])
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && ExternalProgram.has("usermod", "unshare", "setpriv"),
            "needs root, usermod, unshare and setpriv"))
    func aUserBecomesAMemberByTheCommand() throws {
        // GIVEN a daemon for a group, and a user who is none of its members
        let machine = try DoctoredMachine(settings: "source: simulated\n")
        try machine.write("", "/etc/login.defs")
        try machine.write("root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", "/etc/passwd")
        try machine.write("root:x:0:\nnogroup:x:65534:\nriders:x:65500:\n", "/etc/group")
        chmod(machine.folder.path, 0o755)
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.group=65500"])
        chmod(daemon.folder.path, 0o755)
        func examine(groups: String) throws -> DoctoredMachine.Report {
            try machine.examine(
                sockets: daemon.folder.path, launcher: ["setpriv", "--reuid=65534", "--regid=65534", groups])
        }
        let report = try examine(groups: "--clear-groups")
        #expect(report.faults == ["daemon.access"])
        // WHEN the printed command runs THEN the user is a member, and with the groups of a new login has access
        try machine.run(try #require(report.command("daemon.access")), replacesEtc: true)
        let groups = try String(contentsOfFile: "\(machine.root)/etc/group", encoding: .utf8)
        #expect(groups.contains("riders:x:65500:nobody"), "\(groups)")
        #expect(try examine(groups: "--groups=65500").faults == [])
    }

    @Test func anUnknownHostIsReplacedByThisMachine() throws {
        // GIVEN settings with a host that nobody knows, and a gpsd on this machine
        let server = try ScriptedServer.gpsd(
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/null","activated":1.5,"driver":"u-blox"}]}"#,
            #"{"class":"SKY","device":"/dev/null","nSat":12,"uSat":8,"satellites":[]}"#,
            #"{"class":"TPV","device":"/dev/null","time":"NOW","mode":3,"lat":48.0,"lon":11.0,"speed":1.5,"track":10.0}"#
        )
        defer { server.stop() }
        let machine = try DoctoredMachine(
            settings: "gps:\n  host: no.such.host.invalid\n  port: \(server.port)\n")
        let report = try machine.examine()
        #expect(report.faults == ["daemon.stopped", "gpsd.host"])
        // WHEN the printed command runs THEN the line is gone
        try machine.run(try #require(report.command("gpsd.host")))
        #expect(try machine.examine().faults == ["daemon.stopped"])
    }

    @Test(.enabled(if: GpsdProcess.isInstalled && ExternalProgram.has("gpsdctl"), "needs gpsd and gpsdctl"))
    func aReceiverThatIsGoneIsRemovedByTheCommand() throws {
        // GIVEN a real gpsd with two receivers
        let feeds = try (ReceiverFeed(), ReceiverFeed())
        defer {
            feeds.0.stop()
            feeds.1.stop()
        }
        NMEAReceiver().play(on: feeds.0)
        NMEAReceiver().play(on: feeds.1)
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        let links = ["\(folder.path)/one", "\(folder.path)/two"]
        symlink(feeds.0.path, links[0])
        symlink(feeds.1.path, links[1])
        let gpsd = try GpsdProcess(devices: links, control: "\(folder.path)/control")
        let machine = try DoctoredMachine(settings: "gps:\n  host: 127.0.0.1\n  port: \(gpsd.port)\n")
        func faults() -> [String] { (try? machine.examine().faults.filter { $0 != "daemon.stopped" }) ?? ["?"] }
        #expect(DaemonProcess.poll(seconds: 60) { faults() == [] })
        // WHEN the one that is used is unplugged THEN it is told. A gpsd that a busy machine keeps from its work says
        // nothing during one look, so that only a look with another answer counts.
        func look() throws -> DoctoredMachine.Report {
            var report = try machine.examine()
            _ = DaemonProcess.poll(seconds: 60) {
                guard report.faults.contains("gpsd.silent") else { return true }
                if let next = try? machine.examine() { report = next }
                return false
            }
            return report
        }
        unlink(links[0])
        if try look().faults == ["daemon.stopped"] {
            symlink(feeds.0.path, links[0])
            unlink(links[1])
        }
        let report = try look()
        #expect(report.faults == ["daemon.stopped", "gpsd.receiver-gone"])
        // AND the printed command removes it from gpsd, which goes on with the other one
        let environment = ["GPSD_SOCKET": "\(folder.path)/control"]
        try machine.run(try #require(report.command("gpsd.receiver-gone")), environment: environment)
        #expect(DaemonProcess.poll(seconds: 60) { faults() == [] })
    }

    /// Whether a file system in memory can be mounted here.
    private static let mounts =
        geteuid() == 0 && ExternalProgram.has("unshare")
        && (try? ExternalProgram.run("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]))?.exitCode == 0

    /// Mounts a small disk in memory on a folder, or changes the size of one.
    private func mount(_ folder: String, size: String, again: Bool = false) throws {
        let options = (again ? "remount," : "") + "size=\(size)"
        let arguments = ["-t", "tmpfs", "-o", options, "tmpfs", folder]
        #expect(try ExternalProgram.run("mount", arguments).exitCode == 0)
    }

    @Test(
        .enabled(if: mounts && ExternalProgram.has("apt-get", "journalctl"), "needs root, mount, apt-get, journalctl"))
    func aFullDiskGetsSpaceByTheCommand() throws {
        // GIVEN a full disk with the saved state and the packages that apt has kept
        let machine = try DoctoredMachine()
        let disk = "\(machine.folder.path)/disk"
        mkdir(disk, 0o755)
        try mount(disk, size: "4m")
        defer { _ = try? ExternalProgram.run("umount", [disk]) }
        try machine.configure("gps:\n  enabled: false\nstate:\n  folder: \(disk)/state\n")
        for folder in ["state", "apt", "apt/archives", "apt/archives/partial"] { mkdir("\(disk)/\(folder)", 0o755) }
        try Data(count: 3_500_000).write(to: URL(fileURLWithPath: "\(disk)/apt/archives/old_1_all.deb"))
        #expect(try machine.examine().faults == ["daemon.stopped", "storage.full"])
        // WHEN the printed command runs, on that disk's packages and no journal of this machine
        let command = try #require(try machine.examine().command("storage.full"))
        try machine.run("mount --bind '\(disk)/apt' /var/cache/apt; mount -t tmpfs tmpfs /var/log; " + command)
        // THEN there is space
        #expect(try machine.examine().faults == ["daemon.stopped"])
    }

    @Test(.enabled(if: mounts, "needs root and mount"))
    func aRecordingThatEndedIsStartedAgainByTheCommand() throws {
        // GIVEN a daemon whose recording ended, because the disk was full
        let machine = try DoctoredMachine(settings: "source: simulated\n")
        let disk = "\(machine.folder.path)/disk"
        mkdir(disk, 0o755)
        try mount(disk, size: "64k")
        defer { _ = try? ExternalProgram.run("umount", ["-l", disk]) }
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "recording.mode=always", "--set", "recording.folder=\(disk)/drives",
            "--set", "recording.reserve_mib=0",
        ])
        func faults() -> [String] { (try? machine.examine(sockets: daemon.folder.path).faults) ?? ["?"] }
        #expect(DaemonProcess.poll(seconds: 60) { faults() == ["storage.recording"] }, "\(faults()) \(daemon.log)")
        // WHEN the disk has space, and the printed command runs THEN it records, and the line is gone
        try mount(disk, size: "100m", again: true)
        let report = try machine.examine(sockets: daemon.folder.path)
        try machine.run(try #require(report.command("storage.recording")))
        #expect(DaemonProcess.poll(seconds: 60) { faults() == [] }, "\(faults()) \(daemon.log)")
        #expect(daemon.stop().exitCode == 0)
    }
}
