import Foundation
import Glibc
import Testing

/// Faults of settings, files, kernel and IMU, injected below a root folder. The printed commands are run.
@Suite struct DoctorMachineTests {
    /// One injection.
    struct Injection: Sendable, CustomTestStringConvertible {
        let fault: String
        /// Whether the printed command can be run here.
        var runs = true
        let inject: @Sendable (DoctoredMachine) throws -> Void

        var testDescription: String { fault }
    }

    private static let gps = "gps:\n  enabled: false\n"
    private static let imu = "/sys/bus/iio/devices/iio:device0"

    static let injections: [Injection] = [
        Injection(fault: "settings.missing") { try FileManager.default.removeItem(atPath: $0.config) },
        Injection(fault: "settings.invalid") {
            try $0.configure(gps + "imu:\n  stale_s: 5\n  reopen_s: 1\nprofil: x\n")
        },
        Injection(fault: "settings.writable") { chmod($0.config, 0o666) },
        Injection(fault: "daemon.group", runs: false) { try $0.configure(gps + "sockets:\n  group: nosuchgroup\n") },
        Injection(fault: "storage.folder") { try $0.configure(gps + "state:\n  folder: \($0.folder.path)/state\n") },
        Injection(fault: "storage.damaged") { machine in
            try machine.configure(gps + "state:\n  folder: \(machine.folder.path)/root/state\n")
            try machine.write("{\"posed_mount\":1", "/state/mount-12345678.json")
        },
        Injection(fault: "kernel.iio", runs: false) { try $0.remove("/sys/bus/iio") },
        Injection(fault: "kernel.occupied", runs: false) { try $0.write("iio-sensor-prox\n", "/proc/77/comm") },
        Injection(fault: "clock.source") {
            try $0.write("hpet\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
        },
        Injection(fault: "clock.unsynchronized", runs: false) { try $0.remove("/run/systemd/timesync/synchronized") },
        Injection(fault: "device.none", runs: false) { try $0.remove(imu) },
        Injection(fault: "device.no-gyro", runs: false) { machine in
            try machine.remove(imu)
            try machine.addDevice(0, channels: ["accel"])
        },
        Injection(fault: "device.no-accelerometer", runs: false) { machine in
            try machine.remove(imu)
            try machine.addDevice(0, channels: ["anglvel"])
        },
        Injection(fault: "device.unknown") { try $0.configure(gps + "imu:\n  gyro_device: name:icm20608\n") },
        Injection(fault: "device.several") { try $0.addDevice(1, name: "other-imu", channels: ["anglvel"]) },
        Injection(fault: "device.remote", runs: false) { machine in
            // The port has no listener.
            try machine.configure(gps + "imu:\n  context: \"ip:127.0.0.1:\(try GpsdProcess.freePort())\"\n")
        },
        Injection(fault: "permissions.no-node", runs: false) { try $0.remove("/dev/iio:device0") },
        Injection(fault: "trigger.no-buffer", runs: false) { machine in
            for axis in ["x", "y", "z"] {
                for channel in ["accel", "anglvel"] { try machine.write("1\n", "\(imu)/in_\(channel)_\(axis)_raw") }
            }
            try machine.remove("\(imu)/buffer")
        },
        Injection(fault: "trigger.missing", runs: false) { machine in
            try machine.write("\n", "\(imu)/trigger/current_trigger")
            try machine.remove("/sys/bus/iio/devices/trigger0")
        },
        Injection(fault: "trigger.unknown") { try $0.configure(gps + "imu:\n  trigger: posed\n") },
        Injection(fault: "range.small") { try $0.write("0.000299\n", "\(imu)/in_accel_scale") },
        Injection(fault: "range.scale", runs: false) { try $0.remove("\(imu)/in_anglvel_scale") },
        Injection(fault: "rate.unreadable") { try $0.write("\n", "\(imu)/sampling_frequency") },
        Injection(fault: "rate.low") { try $0.configure(gps + "imu:\n  gyro_rate_hz: 20\n") },
        Injection(fault: "rate.device", runs: false) {
            try $0.write("12.5 25\n", "\(imu)/sampling_frequency_available")
        },
        Injection(fault: "rate.filter") { machine in
            try machine.write("188\n", "\(imu)/in_anglvel_filter_low_pass_3db_frequency")
            try machine.write("42 98 188\n", "\(imu)/in_anglvel_filter_low_pass_3db_frequency_available")
        },
    ]

    /// Other ways to the same faults.
    static let variants: [Injection] = [
        Injection(fault: "settings.invalid") { try $0.configure(gps + "  port: 99999\n") },
        Injection(fault: "settings.invalid") { try $0.configure(gps + "imu:\n  gyro_rate_hz: fast\n") },
        Injection(fault: "settings.invalid") { try $0.configure(gps + "can:\n  speed: nonsense\n") },
        Injection(fault: "storage.damaged") { machine in
            try machine.configure(gps + "state:\n  folder: \(machine.folder.path)/root/state\n")
            try machine.write(#"{"posed_sensors":1,"check":"0123456789abcdef"}"#, "/state/sensors-12345678.json")
        },
        Injection(fault: "storage.folder") { machine in
            try machine.configure(gps + "state:\n  folder: \(machine.folder.path)/of/posed/state\n")
        },
        Injection(fault: "clock.source") { machine in
            try machine.write("acpi_pm\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
        },
        Injection(fault: "device.unknown") { try $0.configure(gps + "imu:\n  accelerometer_device: label:left\n") },
        Injection(fault: "device.unknown") { try $0.configure(gps + "imu:\n  gyro_device: serial:A1B2\n") },
        Injection(fault: "device.unknown") { try $0.configure(gps + "imu:\n  gyro_device: id:iio:device7\n") },
        Injection(fault: "device.several") { try $0.addDevice(1, name: "other-imu", channels: ["accel"]) },
        Injection(fault: "trigger.missing") { machine in
            try machine.write("\n", "\(imu)/trigger/current_trigger")
            try machine.write("sysfstrig1\n", "/sys/bus/iio/devices/trigger0/name")
        },
        Injection(fault: "trigger.single") { machine in
            for axis in ["x", "y", "z"] {
                for channel in ["accel", "anglvel"] { try machine.write("1\n", "\(imu)/in_\(channel)_\(axis)_raw") }
            }
            try machine.write("\n", "\(imu)/trigger/current_trigger")
            try machine.write("sysfstrig1\n", "/sys/bus/iio/devices/trigger0/name")
        },
        Injection(fault: "range.small") { machine in
            try machine.write("0.000010\n", "\(imu)/in_anglvel_scale")
            try machine.write("0.000010 0.000266 0.001065\n", "\(imu)/in_anglvel_scale_available")
        },
        Injection(fault: "rate.unreadable") { try $0.write("none\n", "\(imu)/sampling_frequency") },
        Injection(fault: "rate.low") { try $0.configure(gps + "imu:\n  accelerometer_rate_hz: 12.5\n") },
        Injection(fault: "rate.filter") { machine in
            try machine.write("460\n", "\(imu)/in_accel_filter_low_pass_3db_frequency")
            try machine.write("41 92 184 460\n", "\(imu)/in_accel_filter_low_pass_3db_frequency_available")
        },
    ]

    @Test(arguments: injections + variants)
    func aFaultGivesItsLineAndTheCommandClearsIt(injection: Injection) throws {
        // GIVEN a machine on which only the daemon is missing
        let machine = try DoctoredMachine()
        let before = try machine.examine()
        #expect(before.faults == ["daemon.stopped"] && before.exitCode == 1)
        // WHEN a fault is injected THEN it is the only new one
        try injection.inject(machine)
        let report = try machine.examine()
        #expect(report.faults.filter { $0 != "daemon.stopped" } == [injection.fault])
        #expect(report.exitCode.map(Int.init) == report.failures && report.seconds < 10)
        // WHEN the printed command runs THEN the machine is as before
        guard injection.runs, let command = report.command(injection.fault) else { return }
        try machine.run(command)
        // The sample, which replaces a missing file, turns on gpsd.
        let after = try machine.examine().faults.filter { !$0.hasPrefix("gpsd.") }
        #expect(after == ["daemon.stopped"], "\(command)")
    }

    static let accessFaults = [
        "permissions.node", "permissions.no-node", "permissions.attributes", "storage.unwritable",
        "storage.unreadable", "settings.unreadable",
    ]

    @Test(
        .enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv", "unshare"), "needs root, setpriv and unshare"),
        arguments: accessFaults)
    func accessOfAnotherUserIsGivenByTheCommand(fault: String) throws {
        // GIVEN a daemon that will run as the user posed, whose files are in order
        let machine = try DoctoredMachine()
        let state = try ofUserPosed(machine)
        // The doctor runs as an ordinary user: root may read everything.
        let user =
            fault == "settings.unreadable" ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        #expect(try machine.examine(launcher: user).faults == ["daemon.stopped"])
        // WHEN it is closed to posed, or to this user
        switch fault {
        case "permissions.node": chmod("\(machine.root)/dev/iio:device0", 0o600)
        case "permissions.no-node":
            // The numbers of /dev/null stand for those of an IIO device.
            try machine.write("1:3\n", "/sys/bus/iio/devices/iio:device0/dev")
            try machine.remove("/dev/iio:device0")
        case "permissions.attributes":
            chown("\(machine.device)/buffer/enable", 0, 0)
            chmod("\(machine.device)/buffer/enable", 0o644)
        case "storage.unwritable": chmod(state, 0o700)
        case "storage.unreadable":
            try "{}".write(toFile: "\(state)/kept.json", atomically: false, encoding: .utf8)
            chmod("\(state)/kept.json", 0o600)
        default: chmod(machine.config, 0o600)
        }
        // THEN its line appears, and the command gives access
        let report = try machine.examine(launcher: user)
        #expect(report.faults.filter { $0 != "daemon.stopped" } == [fault])
        let command = try #require(report.command(fault))
        try machine.run(command)
        #expect(try machine.examine(launcher: user).faults == ["daemon.stopped"], "\(command)")
    }

    /// Gives the files of a machine to the user posed or its group. Returns the folder of the saved state.
    private func ofUserPosed(_ machine: DoctoredMachine) throws -> String {
        let state = "\(machine.folder.path)/state"
        mkdir(state, 0o750)
        try machine.configure("gps:\n  enabled: false\nstate:\n  folder: \(state)\n")
        try machine.write("root:x:0:0::/:\nposed:x:990:990::/:\n", "/etc/passwd")
        try machine.write("root:x:0:\nposed:x:990:\niio:x:991:posed\n", "/etc/group")
        let controls = ["enable", "length"].map { "\(machine.device)/buffer/\($0)" }
        for path in [state, "\(machine.root)/dev/iio:device0"] + controls {
            chown(path, 0, 991)
            chmod(path, path == state ? 0o770 : 0o660)
        }
        chmod(machine.folder.path, 0o755)
        return state
    }
}
