import Configuration
import Foundation
import Platform
import RunPrograms
import SensorInterface
import Testing

@testable import Doctor

/// The printed commands.
@Suite struct RemedyTests {
    private func command(_ fault: Fault, _ change: (inout DoctorFacts) -> Void = { _ in }) -> String? {
        var facts = Machine.healthy
        Machine.injections.first { $0.fault == fault }?.apply(&facts)
        change(&facts)
        return DoctorReport(judging: facts).findings.first { $0.fault == fault }?.remedy.command
    }

    @Test func servicesAreManagedWhereThereIsAManager() {
        #expect(command(.daemonStopped) { $0.hasSystemd = true } == "sudo systemctl start posed")
        #expect(command(.daemonStopped) == "posed --config /etc/posed/posed.yaml &")
        #expect(command(.gpsdStopped) { $0.hasSystemd = true } == "sudo systemctl start gpsd.socket")
        #expect(command(.gpsdStopped) { $0.gpsd?.wanted = "/dev/gps0" } == "sudo gpsd -S 2947 /dev/gps0")
        #expect(command(.daemonSettings) == "sudo kill -HUP 4711")
    }

    @Test func aDaemonWithoutAManagerIsStartedAgainByItsOwnArguments() {
        let own: (inout DoctorFacts) -> Void = { facts in
            facts.daemon.arguments = ["/usr/bin/posed", "--config", "/etc/my posed.yaml"]
        }
        let restart =
            "sudo kill 4711 && timeout 5 tail --pid=4711 -f /dev/null; "
            + "sudo -u posed /usr/bin/posed --config '/etc/my posed.yaml' &"
        #expect(command(.daemonRelease, own) == restart)
        // A setting that needs a start has it in its command, one that a reload applies only that.
        #expect(command(.rateLow, own)?.hasSuffix(" && " + restart) == true)
        #expect(command(.roadsUnusable, own)?.hasSuffix(" && sudo kill -HUP 4711") == true)
        let managed: (inout DoctorFacts) -> Void = { facts in
            own(&facts)
            facts.hasSystemd = true
        }
        #expect(command(.daemonRelease, managed) == "sudo systemctl restart posed")
        #expect(command(.daemonRelease) == "sudo kill -TERM 4711")
    }

    @Test func aDaemonBesideTheServiceIsEndedAndStartedByItself() {
        // GIVEN a machine with systemd, and a daemon with sockets of its own that a person has started
        let own: (inout DoctorFacts) -> Void = { facts in
            facts.hasSystemd = true; facts.daemon.isService = false
            facts.daemon.socketPath = "/tmp/x/stream"
            facts.daemon.arguments = ["posed", "--set", "sockets.folder=/tmp/x"]
        }
        let restart =
            "sudo kill 4711 && timeout 5 tail --pid=4711 -f /dev/null; "
            + "sudo -u posed posed --set sockets.folder=/tmp/x &"
        // THEN no command ends, starts or reloads the service
        #expect(command(.daemonRelease, own) == restart)
        #expect(command(.daemonSettings, own) == "sudo kill -HUP 4711")
        #expect(
            command(.daemonStopped, own) == "posed --config /etc/posed/posed.yaml --set sockets.folder=/tmp/x &")
        #expect(command(.rateLow, own)?.hasSuffix(" && " + restart) == true)
        #expect(command(.triggerMissing, own) == "sudo systemctl enable --now posed-trigger && " + restart)
        // AND gpsd is that of the machine
        #expect(command(.gpsdStopped, own) == "sudo systemctl start gpsd.socket")
    }

    @Test func commandsOfGpsdsClientsInstallThem() {
        // GIVEN a machine without gpsd-clients THEN the commands that need it install it
        for fault in [Fault.fixNone, .fixIndoors, .fixSilent, .fixSpeed, .fixVelocity, .filterReceiver, .filterLate] {
            let plain = command(fault) ?? "?"
            let installing = command(fault) { $0.gpsd?.hasClients = false }
            #expect(installing == "sudo apt-get install gpsd-clients; \(plain)", "\(fault)")
        }
    }

    @Test(arguments: [Fault.clockStep, .clockUnset])
    func theClockIsSetToTheTimeAtWhichTheCommandRuns(_ fault: Fault) throws {
        // GIVEN a receiver that told its time 100 s ago
        let told = Double(SystemClock.bootReading.boot) * 1e-9 - 100
        let command = try #require(command(fault) { $0.gpsd?.reports.uptimeSeconds = told })
        // WHEN the command is run, with another one in place of the one that sets the clock
        let text = try #require(try Self.output(command.replacing("sudo date -u -s", with: "echo")))
        let now = Double(SystemClock.bootReading.boot) * 1e-9
        // THEN it is the time of now, within the second that the kernel's text is cut to
        let seconds = try #require(Double(text.dropFirst()))
        #expect(text.first == "@")
        #expect(seconds >= 1_800_000_100 - 1 && seconds <= 1_800_000_000 + (now - told) + 1)
    }

    @Test(arguments: [
        (4999.9, "1799995001"), (5000.2, "1799995000"), (5000.8, "1799995000"), (5001.2, "1799994999"),
    ])
    func theClockCountsFromTheStartOfTheMachine(uptime: Double, start: String) {
        // GIVEN a receiver that told a time so many seconds after the start of the machine THEN the start is rounded so
        // that the whole seconds of the kernel, which are half a second late in the mean, give the nearest time
        let command = command(.clockStep) { $0.gpsd?.reports.uptimeSeconds = uptime }
        #expect(command == "sudo date -u -s \"@$(($(cut -d. -f1 /proc/uptime) + \(start)))\"")
    }

    @Test func aReceiverWithoutATimeLeavesTheClockToTheNetwork() {
        #expect(command(.clockUnset) { $0.gpsd?.reports.utcSeconds = nil } == "sudo timedatectl set-ntp true")
        #expect(command(.clockUnset) { $0.gpsd?.reports.utcSeconds = .infinity } == "sudo timedatectl set-ntp true")
        // AND so does one that was never set: 1980 is no better than 1970
        let reset = command(.clockUnset) { $0.gpsd?.reports.utcSeconds = 315_964_800 }
        #expect(reset == "sudo timedatectl set-ntp true")
    }

    /// The first line that a shell prints for a command.
    private static func output(_ command: String) throws -> String? {
        try ProgramRun("/bin/sh", ["-c", command]).output.split(separator: "\n").first.map(String.init)
    }

    @Test func aGpsdThatHangsIsStartedAgainByItsOwnArguments() {
        let hanging: (inout DoctorFacts) -> Void = { facts in
            facts.gpsd?.process = 812
            facts.gpsd?.arguments = ["gpsd", "-n", "/dev/ttyACM0"]
        }
        #expect(
            command(.gpsdSilent, hanging)
                == "sudo kill -KILL 812 && timeout 5 tail --pid=812 -f /dev/null; sudo gpsd -n /dev/ttyACM0")
        #expect(command(.gpsdSilent)?.hasPrefix("sudo pkill -KILL -x gpsd; sudo gpsd -S 2947") == true)
        #expect(GpsdProbe.port(of: ["gpsd", "-n"]) == 2947)
        #expect(GpsdProbe.port(of: ["gpsd", "-S", "2950", "-n"]) == 2950)
        #expect(GpsdProbe.port(of: ["gpsd", "-S2951"]) == 2951)
        #expect(GpsdProbe.port(of: ["gpsd", "-S"]) == nil && GpsdProbe.port(of: ["gpsd", "-S", "99999"]) == nil)
    }

    @Test func aNodeIsMadeByUdevOrByItsNumbers() {
        #expect(command(.permissionsNoNode) == "sudo udevadm trigger --action=add --subsystem-match=iio")
        #expect(
            command(.permissionsNoNode) { facts in
                facts.devices?[0].hasUdev = false
                facts.devices?[0].nodeNumbers = "246:0"
            }
                == "sudo mknod -m 660 /dev/iio:device0 c 246 0 && sudo chgrp iio /dev/iio:device0 "
                + "&& sudo chmod g+rwX /dev/iio:device0")
        // Hostile numbers become no command.
        #expect(
            command(.permissionsNoNode) { facts in
                facts.devices?[0].hasUdev = false
                facts.devices?[0].nodeNumbers = "1;reboot:0"
            }?.hasPrefix("sudo udevadm") == true)
    }

    @Test func theNextWiderRangeAndTheNextFilterAreChosen() {
        #expect(
            command(.rangeSmall) == "echo 0.000598 | sudo tee /sys/bus/iio/devices/iio:device0/in_accel_scale")
        // A person needs 4 g.
        #expect(
            command(.rangeSmall) { $0.settings.loaded?.settings.engine.fusion.profile = .wearable }
                == "echo 0.001197 | sudo tee /sys/bus/iio/devices/iio:device0/in_accel_scale")
        // Half of the 200 Hz that the settings ask for.
        #expect(command(.rateFilter) == "echo 98 | sudo tee /sys/x/in_anglvel_filter_low_pass_3db_frequency")
        // The gyro has its widest range, the accelerometer has not.
        #expect(command(.filterSaturated)?.hasPrefix("grep . ") == true)
        #expect(
            command(.filterSaturated) { $0.daemon.status?.imuFaults = ["accelerometerClipped"] }
                == "echo 0.004788 | sudo tee /sys/bus/iio/devices/iio:device0/in_accel_scale")
    }

    @Test func accessIsGivenByTheRuleTheGroupOrTheFile() {
        #expect(
            command(.permissionsNode) { $0.devices?[0].hasRule = true }
                == "sudo udevadm trigger --action=add --subsystem-match=iio")
        #expect(
            command(.permissionsNode) == "sudo chgrp iio /dev/iio:device0 && sudo chmod g+rwX /dev/iio:device0")
        #expect(
            command(.permissionsNode) { facts in
                facts.devices?[0].node?.mode = 0o660
                facts.daemonUser.groups = [990]
            }?.hasPrefix("sudo usermod -aG iio posed") == true)
    }

    @Test func aTriggerIsTakenOrMade() {
        #expect(command(.triggerMissing)?.hasPrefix("sudo modprobe iio-trig-hrtimer && ") == true)
        #expect(command(.triggerMissing) { $0.kernel?.hasSoftwareTriggers = true }?.contains("modprobe") == false)
        #expect(command(.triggerMissing) { $0.kernel?.triggers = ["sysfs0"] }?.contains("trigger: sysfs0") == true)
        // That of another device's driver is none for this one.
        #expect(command(.triggerMissing) { $0.kernel?.triggers = ["gyro_3d-dev1"] }?.contains("hrtimer") == true)
        // The unit makes it at each start, and posed uses it by its name.
        #expect(command(.triggerMissing) { $0.hasSystemd = true }?.contains("enable --now posed-trigger") == true)
        #expect(command(.triggerMissing) { $0.kernel?.triggers = ["posed"] } == nil)
        #expect(
            command(.triggerMissing) { $0.hasSystemd = true }
                == "sudo systemctl enable --now posed-trigger && sudo systemctl restart posed")
        // A kernel that can make none is asked why the device has no interrupt.
        for hasSystemd in [false, true] {
            let look = command(.triggerSingle) { facts in
                facts.hasSystemd = hasSystemd; facts.kernel?.hasTriggerModule = false
            }
            #expect(look == "sudo dmesg | grep -i bmi160")
        }
    }

    /// Settings, the key to set, and the text that the file has then.
    static let edits: [(text: String?, key: String, value: String)] = [
        ("gps:\n  port: 8080\n  host: localhost\n", "gps.port", "2947"),
        ("# mine\ngps:\n    host: localhost\n", "gps.port", "2947"), ("profile: vehicle", "gps.port", "2947"),
        ("", "imu.gyro_device", "name:bmi160"), (nil, "imu.trigger", "posed"), ("gps:\n", "gps.device", "/dev/gps0"),
        ("imu:\n  gyro_device: auto # any\n", "imu.gyro_device", "id:iio:device1"),
    ]

    @Test(arguments: edits.indices)
    func anEditOfTheSettingsSetsTheKeyAndKeepsTheRest(index: Int) throws {
        // GIVEN a settings file, or none WHEN the printed command runs
        let edit = Self.edits[index]
        let folder = NSTemporaryDirectory() + "posed-edit-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var facts = Machine.healthy
        let path = "\(folder)/it's/posed.yaml"
        facts.settings.path = path
        facts.settings.file = nil
        if let text = edit.text {
            try FileManager.default.createDirectory(atPath: "\(folder)/it's", withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            facts.settings.file = FileFacts(path: path, mode: 0o644, owner: 0, group: 0)
            facts.settings.text = text
            facts.settings.loaded = try SettingsLoader.load(file: path)
        }
        let before = facts.settings.loaded?.origins.count ?? 0
        let command = SettingsEdit(facts).command(edit.key, edit.value)
        _ = try ProgramRun("/bin/sh", ["-c", command.replacingOccurrences(of: "sudo ", with: "")])
        // THEN the file is valid, has the key, and the keys that it had
        let loaded = try SettingsLoader.load(file: path)
        let key = try #require(SettingsRegistry.key(edit.key))
        #expect(key.show(loaded.settings) == edit.value, "\(command)")
        #expect(loaded.origins.count >= max(before, 1))
    }
}
