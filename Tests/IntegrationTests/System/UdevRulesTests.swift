import Foundation
import Glibc
import Testing

/// The udev rules, read by udev itself against an emulated device.
@Suite struct UdevRulesTests {
    private static let device = """
        P: /devices/platform/imu0/iio:device0
        N: iio:device0
        E: SUBSYSTEM=iio
        E: DEVTYPE=iio_device
        E: DEVNAME=/dev/iio:device0
        A: name=fake-imu\\n

        """

    private static let canRun = ExternalProgram.has("unshare", "umockdev-run", "udevadm") && geteuid() == 0

    /// What `udevadm test` says of the device with these rules in place of the system's; a mount namespace of its own
    /// hides them from all else.
    private func test(rules: String) throws -> String {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/rules.d", withIntermediateDirectories: true)
        try folder.write(rules, to: "rules.d/60-posed.rules")
        try folder.write(Self.device, to: "imu.umockdev")
        // In a root that is no mount of its own (chroot) nothing can be made private; there it must be so already.
        let script = """
            mount --make-rprivate / 2>/dev/null || ! grep -q ' shared:' /proc/self/mountinfo || exit 1
            mkdir -p /etc/udev/rules.d && mount --bind '\(folder.path)/rules.d' /etc/udev/rules.d &&
            umockdev-run -d '\(folder.path)/imu.umockdev' -- udevadm test /sys/devices/platform/imu0/iio:device0
            """
        let result = try ExternalProgram.run("unshare", ["--mount", "--propagation", "unchanged", "sh", "-c", script])
        return result.output + result.errors
    }

    @Test(.enabled(if: canRun, "unshare, umockdev-run, udevadm or root is missing"))
    func anIIODeviceIsGivenToItsGroup() throws {
        let rules = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/udev/60-posed.rules", encoding: .utf8)
        // udev does not print group and mode; the tag stands in the same rule and is printed.
        #expect(rules.contains("GROUP=\"iio\", MODE=\"0660\", TAG+=\"systemd\""))
        // The group need not exist on the machine that runs the tests; that of terminals does.
        let text = try test(rules: rules.replacingOccurrences(of: "GROUP=\"iio\"", with: "GROUP=\"tty\""))
        #expect(!text.contains("60-posed.rules") || !text.contains("Invalid"), "\(text)")
        #expect(text.contains("TAGS=:systemd:"), "\(text)")
        #expect(text.contains("run: '/bin/chgrp -R iio /sys/devices/platform/imu0/iio:device0'"), "\(text)")
        #expect(text.contains("run: '/bin/chmod -R g=u /sys/devices/platform/imu0/iio:device0'"), "\(text)")
    }

    @Test(.enabled(if: canRun, "unshare, umockdev-run, udevadm or root is missing"))
    func aBadLineIsSeen() throws {
        // The check above must be able to fail: udev names the line it does not understand.
        let text = try test(rules: "SUBSYSTEM==\"iio\", BAD=\"1\"\n")
        #expect(text.contains("60-posed.rules:1") && text.contains("Invalid key 'BAD'"), "\(text)")
    }
}
