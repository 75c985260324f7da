import Foundation
import Glibc
import Testing

/// A package that is missing, with the real apt-get and dpkg. They act on a root folder of their own.
@Suite struct DoctorPackageTests {
    @Test(
        .enabled(
            if: geteuid() == 0 && ExternalProgram.has("apt-get", "dpkg-deb", "sha256sum"),
            "needs root, apt-get, dpkg-deb and sha256sum"))
    func aMissingGpsdIsInstalledByTheCommand() throws {
        // GIVEN a machine without gpsd, and an archive that has it
        let port = try GpsdProcess.freePort()
        let machine = try DoctoredMachine(settings: "gps:\n  host: 127.0.0.1\n  port: \(port)\n")
        try machine.remove("/usr/sbin/gpsd")
        let environment = ["APT_CONFIG": try archive(in: machine), "DEBIAN_FRONTEND": "noninteractive"]
        #expect(try ExternalProgram.run("apt-get", ["update"], environment: environment).exitCode == 0)
        func faults() throws -> [String] { try machine.examine().faults.filter { $0 != "daemon.stopped" } }
        let report = try machine.examine()
        // A gpsd of this machine on the default port would be offered instead.
        guard report.faults.contains("gpsd.missing") else { return }
        // WHEN the printed command runs THEN it is installed, and only its start is left
        let command = try #require(report.command("gpsd.missing"))
        let output = try machine.run(command, environment: environment)
        #expect(access("\(machine.root)/usr/sbin/gpsd", X_OK) == 0, "\(output)")
        #expect(try faults() == ["gpsd.stopped"], "\(output)")
    }

    /// Makes an archive with a package gpsd, and a configuration of apt that knows only that and the root of the
    /// machine. Returns the path of the configuration.
    private func archive(in machine: DoctoredMachine) throws -> String {
        let apt = "\(machine.folder.path)/apt"
        for folder in [
            "package/DEBIAN", "package/usr/sbin", "archive", "state/lists/partial", "etc/apt.conf.d",
            "etc/preferences.d", "cache/archives/partial",
        ] {
            try FileManager.default.createDirectory(atPath: "\(apt)/\(folder)", withIntermediateDirectories: true)
        }
        let control = """
            Package: gpsd
            Version: 3.22-1
            Architecture: all
            Maintainer: Nobody <nobody@example.org>
            Description: stands for gpsd

            """
        try machine.folder.write(control, to: "apt/package/DEBIAN/control")
        try machine.folder.write("#!/bin/sh\n", to: "apt/package/usr/sbin/gpsd")
        chmod("\(apt)/package/usr/sbin/gpsd", 0o755)
        let file = "\(apt)/archive/gpsd.deb"
        #expect(try ExternalProgram.run("dpkg-deb", ["-b", "\(apt)/package", file]).exitCode == 0)
        let hash = try ExternalProgram.run("sha256sum", [file]).output.prefix(64)
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        try machine.folder.write(
            control + "Filename: ./gpsd.deb\nSize: \(size)\nSHA256: \(hash)\n", to: "apt/archive/Packages")
        try machine.folder.write("deb [trusted=yes] file:\(apt)/archive ./\n", to: "apt/etc/sources.list")
        for folder in ["info", "updates"] { try machine.write("", "/var/lib/dpkg/\(folder)/.keep") }
        try machine.write("", "/var/lib/dpkg/status")
        let settings = [
            "Dir::State \"\(apt)/state\";", "Dir::State::status \"\(machine.root)/var/lib/dpkg/status\";",
            "Dir::Cache \"\(apt)/cache\";", "Dir::Etc \"\(apt)/etc\";", "Dir::Log \"\(apt)\";",
            "DPkg::Options { \"--root=\(machine.root)\"; };", "APT::Sandbox::User \"root\";",
        ]
        try machine.folder.write(settings.joined(separator: "\n") + "\n", to: "apt/configuration")
        return "\(apt)/configuration"
    }
}
