import CSystem
import Files
import Foundation
import Glibc
import Testing

/// A machine below a temporary folder: what `posectl doctor` reads of /sys, /dev and /etc, and a settings file.
final class DoctoredMachine {
    /// What the doctor found.
    struct Report {
        /// The faults with their commands, in order.
        var findings: [(fault: String, command: String)]
        var exitCode: Int32?
        var failures: Int
        var seconds: Double

        var faults: [String] { findings.map(\.fault) }

        func command(_ fault: String) -> String? { findings.first { $0.fault == fault }?.command }
    }

    let folder: TemporaryFolder
    var root: String { "\(folder.path)/root" }
    var config: String { "\(folder.path)/posed.yaml" }
    /// The folder of the daemon's sockets.
    var sockets: String { "\(folder.path)/sockets" }
    var device: String { "\(root)/sys/bus/iio/devices/iio:device0" }

    /// A machine with a good IMU, without gpsd and without a daemon.
    init(settings: String = "gps:\n  enabled: false\n") throws {
        folder = try TemporaryFolder()
        try folder.write(settings, to: "posed.yaml")
        try write("tsc hpet\n", "/sys/devices/system/clocksource/clocksource0/available_clocksource")
        try write("tsc\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
        try write("", "/run/systemd/timesync/synchronized")
        try write("", "/usr/sbin/gpsd")
        try write("root:x:0:0::/:\n", "/etc/passwd")
        try write("root:x:0:\niio:x:991:posed\n", "/etc/group")
        try write("fake-imu-dev0\n", "/sys/bus/iio/devices/trigger0/name")
        try addDevice(0)
    }

    /// Adds an IMU.
    func addDevice(_ number: Int, name: String = "fake-imu", channels: [String] = ["accel", "anglvel"]) throws {
        let id = "iio:device\(number)"
        let folder = "/sys/bus/iio/devices/\(id)"
        try write("", "/dev/\(id)")
        var files = [
            "name": name, "buffer/enable": "0", "buffer/length": "2", "trigger/current_trigger": "fake-imu-dev0",
            "sampling_frequency": "100.000000", "sampling_frequency_available": "25 50 100 200 400",
            "in_accel_scale_available": "0.000299 0.000598 0.001197",
        ]
        let scales = ["accel": "0.000598", "anglvel": "0.001065"]
        for channel in channels {
            files["in_\(channel)_scale"] = scales[channel]
            for axis in ["x", "y", "z"] {
                files["scan_elements/in_\(channel)_\(axis)_en"] = "0"
                files["scan_elements/in_\(channel)_\(axis)_type"] = "le:s16/16>>0"
            }
        }
        for (file, text) in files { try write(text + "\n", "\(folder)/\(file)") }
    }

    /// Writes a file below the root.
    func write(_ text: String, _ path: String) throws {
        let url = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
    }

    /// Removes a file or folder below the root.
    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

    /// Replaces the settings.
    func configure(_ text: String) throws { try folder.write(text, to: "posed.yaml") }

    /// Runs the doctor. `launcher` is a program with its arguments that runs it, such as setpriv.
    func examine(sockets: String? = nil, launcher: [String] = []) throws -> Report {
        let program = "\(ExternalProgram.buildFolder)/posectl"
        let arguments = ["doctor", "--json", "--root", root, "--config", config, "--folder", sockets ?? self.sockets]
        let result = try ExternalProgram.run(
            launcher.first ?? program, launcher.dropFirst() + (launcher.isEmpty ? [] : [program]) + arguments)
        let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
        let checks = json["checks"] as? [[String: Any]] ?? []
        let findings = checks.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
        return Report(
            findings: findings.map { ($0["fault"] as? String ?? "", $0["command"] as? String ?? "") },
            exitCode: result.exitCode, failures: json["failures"] as? Int ?? -1, seconds: result.seconds)
    }

    /// Runs a printed command, with the built programs in the path and the users and groups of this machine. Returns
    /// its output. `replacesEtc`: the command changes users or groups, and sees only this machine's /etc. `old`: a
    /// program of the test that the command ends; its end is taken note of at once.
    @discardableResult
    func run(
        _ command: String, environment: [String: String] = [:], printsProcess: Bool = false, replacesEtc: Bool = false,
        ending old: ChildProcess? = nil
    ) throws -> String {
        // As a service manager would; until then `tail --pid` finds the process.
        if let old { Thread { old.waitUntilExit() }.start() }
        let plain = command.replacingOccurrences(of: "sudo ", with: "") + (printsProcess ? " echo $!" : "")
        let path = "\(ExternalProgram.buildFolder):/usr/sbin:/usr/bin:/sbin:/bin"
        let environment = ["PATH": path].merging(environment) { $1 }
        guard geteuid() == 0, ExternalProgram.has("unshare") else {
            return try ExternalProgram.run("/bin/bash", ["-c", plain], environment: environment).output
        }
        // A program that replaces a file of users and groups cannot replace a mount: the whole folder is one then.
        let users =
            replacesEtc
            ? "mount --bind '\(root)/etc' /etc; "
            : "mount --bind '\(root)/etc/passwd' /etc/passwd; mount --bind '\(root)/etc/group' /etc/group; "
        return try ExternalProgram.run(
            "unshare", ["-m"] + Self.propagation + ["/bin/bash", "-c", users + plain],
            environment: environment
        ).output
    }

    /// Runs a printed command that ends the daemon and starts another one. Returns the process of that one, which the
    /// caller ends.
    func runStarting(_ command: String, after old: ChildProcess, stream: String) throws -> pid_t {
        // Its output must not keep the files of the shell open.
        try #require(command.hasSuffix(" &"))
        try run(command.dropLast() + ">/dev/null 2>&1 &", ending: old)
        var other: UInt32 = 0
        let answers = DaemonProcess.poll(seconds: 60) {
            var (user, group): (UInt32, UInt32) = (0, 0)
            guard let line = LineConnection(stream) else { return false }
            return posed_peer(line.descriptor, &other, &user, &group) == 0 && other != UInt32(old.processIdentifier)
        }
        try #require(answers, "\(command)")
        return pid_t(other)
    }

    /// What unshare does with the propagation of mounts. Nothing where none is shared: in a root folder that is no
    /// mount, as after chroot, it could not be changed.
    private static let propagation: [String] = {
        guard let bytes = try? RegularFile("/proc/self/mountinfo").bytes(count: 1 << 20) else { return [] }
        return String(decoding: bytes, as: UTF8.self).contains(" shared:") ? [] : ["--propagation", "unchanged"]
    }()
}
