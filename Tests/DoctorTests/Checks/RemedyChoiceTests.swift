import Configuration
import SensorInterface
import Testing

@testable import Doctor

/// Which of several commands is printed, by what the machine has.
@Suite struct RemedyChoiceTests {
    private func findings(_ change: (inout DoctorFacts) -> Void) -> [Finding] {
        var facts = Machine.healthy
        change(&facts)
        return DoctorReport(judging: facts).findings
    }

    private func command(_ fault: Fault, _ change: (inout DoctorFacts) -> Void) -> String? {
        findings(change).first { $0.fault == fault }?.remedy.command
    }

    /// The settings of a machine without settings and without a running daemon, so that commands are short.
    private func stopped(_ facts: inout DoctorFacts) {
        facts.settings.path = nil
        (facts.daemon.connection, facts.daemon.status) = (.answered, DaemonStatus())
        facts.daemon.status?.release = "0.1.0"
        facts.daemon.status?.poseState = "aligned"
        facts.daemon.process = nil
    }

    @Test func devicesOfOneNameAreToldApartByLabelOrId() {
        // GIVEN a second gyro THEN its name tells it, or a label, or the id
        func chosen(_ change: (inout IMUFacts) -> Void) -> String? {
            command(.deviceSeveral) { facts in
                stopped(&facts)
                var second = Machine.imu(1, [.gyro])
                change(&second)
                facts.devices?.append(second)
            }
        }
        #expect(chosen { $0.name = "mpu6050" } == "posed --set imu.gyro_device=name:bmi160")
        #expect(chosen { _ in } == "posed --set imu.gyro_device=id:iio:device0")
        let labelled = command(.deviceSeveral) { facts in
            stopped(&facts)
            facts.devices?[0].label = "front"
            facts.devices?.append(Machine.imu(1, [.gyro]))
        }
        #expect(labelled == "posed --set imu.gyro_device=label:front")
        // AND where the settings choose one, nothing is to be told
        let isChosen = findings { facts in
            facts.devices?.append(Machine.imu(1, [.gyro]))
            facts.settings.loaded?.settings.imu.gyro.device = .id("iio:device0")
        }
        #expect(isChosen == [])
    }

    @Test func settingsThatCannotBeSeenAreNotReplaced() {
        // GIVEN settings in a folder that this user may not enter THEN no command writes the file, which may be there
        let found = findings { facts in
            (facts.settings.path, facts.settings.file) = ("/home/bob/posed.yaml", nil)
            (facts.settings.isReadable, facts.settings.loaded) = (false, nil)
        }
        #expect(found.map(\.fault) == [.settingsUnreadable])
        #expect(found.first?.text == "/home/bob/posed.yaml: user alice may not enter its folder")
        #expect(found.first?.remedy == .look("sudo posectl doctor --config /home/bob/posed.yaml"))
        // AND neither are the defaults told to be in force
        let usual = findings { facts in
            (facts.settings.file, facts.settings.isDefault) = (nil, true)
            (facts.settings.isReadable, facts.settings.loaded) = (false, nil)
        }
        #expect(usual.map(\.fault) == [.settingsUnreadable])
    }

    @Test func aStateThatCannotBeSeenIsNotChecked() {
        // GIVEN a folder of the state below one that this user may not enter THEN no command makes it anew
        var facts = Machine.healthy
        (facts.state.path, facts.state.folder, facts.state.isHidden) = ("/root/state", nil, true)
        let report = DoctorReport(judging: facts)
        #expect(report.findings == [])
        let verdict = report.entries.first { $0.area == .storage }?.verdict
        #expect(verdict == .notChecked("not checked: user alice may not look at /root/state"))
        // AND what the daemon says of its files is told
        facts.daemon.status?.recordingProblem = "No space left on device"
        #expect(DoctorReport(judging: facts).findings.map(\.fault) == [.recordingFailed])
    }

    @Test func aProgramOnAnotherMachineIsStartedThere() {
        func remote(_ host: String) -> String? {
            command(.deviceRemote) { $0.remoteContext = RemoteFacts(host: host, port: 30431, problem: "x") }
        }
        for here in ["localhost", "127.0.0.1", "127.0.1.1", "::1"] {
            #expect(remote(here) == "sudo systemctl start iiod", "\(here)")
        }
        for there in ["128.0.0.1", "127.example.org", "127.0.0.1.example"] {
            #expect(remote(there) == "ssh \(there) sudo systemctl start iiod")
        }
        #expect(remote("board") == "ssh board sudo systemctl start iiod")
        #expect(remote("bo ard") == "ssh 'bo ard' sudo systemctl start iiod")
        #expect(findings { $0.remoteContext = RemoteFacts(host: "board", port: 1, problem: nil) } == [])
        func gpsd(_ connection: GpsdState.Connection, _ fault: Fault) -> String? {
            command(fault) { facts in
                stopped(&facts)
                facts.gpsd?.host = "boat"; facts.gpsd?.connection = connection
            }
        }
        #expect(gpsd(.refused, .gpsdStopped) == "ssh boat sudo systemctl start gpsd.socket")
        #expect(gpsd(.silent, .gpsdSilent) == "ssh boat sudo systemctl restart gpsd")
        #expect(gpsd(.unreachable("x"), .gpsdHost) == "posed --set gps.host=localhost")
    }

    @Test func gpsdOnAnotherPortIsUsedThere() {
        let moved = findings { facts in
            stopped(&facts)
            facts.gpsd?.port = 2950
            facts.gpsd?.connection = .refused; facts.gpsd?.isOnDefaultPort = true
        }
        #expect(moved.map(\.fault) == [.gpsdStopped])
        #expect(moved.first?.text == "nothing listens at localhost port 2950 (gps.port), and gpsd has port 2947")
        #expect(moved.first?.remedy == .run("posed --set gps.port=2947"))
        // AND another program on the usual port is for a person to look at
        let foreign = findings { $0.gpsd?.connection = .foreign(kind: "an SSH server", line: "SSH-2.0") }
        #expect(foreign.map(\.remedy) == [.look("sudo ss -ltnp 'sport = :2947'")])
        #expect(foreign.first?.text == "localhost port 2947 is an SSH server, not gpsd: it sent `SSH-2.0`")
    }

    @Test func aReceiverIsNamedToGpsdIfThereIsOne() {
        func remedy(_ change: (inout GpsdState) -> Void) -> Remedy? {
            findings { facts in
                facts.gpsd?.receivers = []
                if var gpsd = facts.gpsd {
                    change(&gpsd)
                    facts.gpsd = gpsd
                }
            }.first { $0.fault == .gpsdNoReceiver }?.remedy
        }
        #expect(remedy { _ in } == .look("lsusb"))
        #expect(remedy { $0.candidates = ["/dev/ttyUSB0", "/dev/ttyUSB1"] } == .run("sudo gpsdctl add /dev/ttyUSB0"))
        #expect(
            remedy { ($0.candidates, $0.wanted) = (["/dev/ttyUSB0"], "/dev/gps7") }
                == .run("sudo gpsdctl add /dev/gps7"))
        #expect(remedy { ($0.candidates, $0.host) = (["/dev/ttyUSB0"], "boat") } == .look("lsusb"))
        // A port of the board may be that of a console or of Bluetooth: a person names it.
        #expect(remedy { $0.boardPorts = ["/dev/ttyAMA0"] } == .look("sudoedit /etc/default/gpsd"))
        #expect(
            remedy { ($0.candidates, $0.boardPorts) = (["/dev/ttyUSB0"], ["/dev/ttyAMA0"]) }
                == .run("sudo gpsdctl add /dev/ttyUSB0"))
    }

    @Test func anotherMachineIsReachedByTheServiceThroughADropIn() {
        // GIVEN a gpsd of another machine, with a fix for the doctor and none for the service THEN that is a failure
        func report(_ change: (inout DoctorFacts) -> Void) -> DoctorReport {
            var facts = Machine.healthy
            facts.hasSystemd = true
            facts.gpsd?.host = "192.168.7.1"; facts.daemon.status?.streaming = []
            facts.daemon.status?.poseState = "starting"; facts.daemon.status?.uptimeSeconds = 60
            change(&facts)
            return DoctorReport(judging: facts)
        }
        let kept = report { _ in }
        #expect(kept.findings.map(\.fault) == [.gpsdUnreached] && kept.exitCode == 1)
        #expect(kept.findings.first?.remedy == .run(DoctorFacts.openNetwork))
        // AND it is none where posed hears it, or waits for its fix, has just started, is no service, is open already,
        // or gpsd is here
        let others: [(inout DoctorFacts) -> Void] = [
            { $0.daemon.status?.streaming = ["gps2"] }, { $0.daemon.status?.open = ["gps"] },
            { $0.daemon.status?.uptimeSeconds = 30 },
            { $0.hasSystemd = false }, { $0.daemon.isService = false }, { $0.hasNetworkDropIn = true },
            { $0.gpsd?.host = "localhost" }, { $0.gpsd?.host = "127.0.1.1" }, { $0.daemon.status = nil },
        ]
        for change in others { #expect(report(change).findings == []) }
        // AND a gpsd that has no report itself is not kept from posed: its receiver is silent
        #expect(report { $0.gpsd?.reports = GpsdState.Reports() }.findings.map(\.fault) == [.fixSilent])
    }

    @Test func singleReadingsAreNoFailure() {
        // GIVEN a device without a trigger whose readings posed takes singly THEN that is a warning
        func report(_ change: (inout DoctorFacts) -> Void) -> DoctorReport {
            var facts = Machine.healthy
            Machine.injections.first { $0.fault == .triggerSingle }?.apply(&facts)
            change(&facts)
            return DoctorReport(judging: facts)
        }
        #expect(report { _ in }.exitCode == 0)
        let stopped = report { ($0.daemon.connection, $0.daemon.status) = (.noSocket, nil) }
        #expect(stopped.findings.map(\.fault) == [.daemonStopped, .triggerSingle])
        // AND a failure where posed gets none, or where one quantity has none
        #expect(report { $0.daemon.status?.streaming = ["gps"] }.findings.map(\.fault) == [.triggerMissing])
        #expect(report { $0.devices?[0].quantities[1].isReadable = false }.findings.map(\.fault) == [.triggerMissing])
    }

    @Test func aReceiverWithoutAFixIsToldWithWhatItSees() {
        func text(_ change: (inout GpsdState.Reports) -> Void) -> String? {
            findings { facts in
                facts.gpsd?.reports.mode = 1
                if var reports = facts.gpsd?.reports {
                    change(&reports)
                    facts.gpsd?.reports = reports
                }
            }.first?.text
        }
        #expect(
            text { $0.visible = 7 }
                == "/dev/ttyACM0 has no fix yet, with 7 satellites in view: a cold start takes a minute")
        #expect(text { $0.visible = nil } == "/dev/ttyACM0 has no fix yet: a cold start takes a minute")
        #expect(
            text { $0.visible = 3 }
                == "/dev/ttyACM0 sees 3 satellites, and a fix needs 4: give the antenna free sky")
        // AND one whose speed stays, or is recognized, is silent for another reason
        for (driver, speeds, fault) in [
            ("", [9600, 4800], Fault.fixSpeed), ("", [9600, 9600], .fixSilent), ("", [], .fixSilent),
            ("u-blox", [9600, 4800], .fixSilent),
        ] {
            let found = findings { facts in
                facts.gpsd?.reports = GpsdState.Reports()
                facts.gpsd?.receivers?[0].driver = driver; facts.gpsd?.receivers?[0].speeds = speeds
            }
            #expect(found.map(\.fault) == [fault], "\(driver) \(speeds)")
        }
    }

    @Test func aProgramThatOccupiesTheSensorIsEnded() {
        #expect(command(.kernelProxy) { $0.kernel?.proxyProcess = 77 } == "sudo kill 77")
        #expect(
            command(.kernelProxy) {
                $0.kernel?.proxyProcess = 77; $0.hasSystemd = true
            }
                == "sudo systemctl mask --now iio-sensor-proxy")
    }

    @Test func aFilterWithoutFoodIsNotJudged() {
        // GIVEN a pose that is not aligned because no receiver, or no IMU, streams THEN it is not checked
        for streaming in [["gps"], ["imu"], []] as [Set<String>] {
            var facts = Machine.healthy
            facts.daemon.status?.streaming = streaming
            facts.daemon.status?.poseState = "coarse"
            let entry = DoctorReport(judging: facts).entries.first { $0.area == .filter }
            #expect(
                entry?.verdict == .notChecked("not checked: the pose is coarse, without a receiver or an IMU"))
            facts.daemon.status?.poseState = "aligned"
            let aligned = DoctorReport(judging: facts).entries.first { $0.area == .filter }
            #expect(aligned?.verdict == .passed("the pose is aligned"))
        }
        // AND a receiver of another name counts as one
        var named = Machine.healthy
        named.daemon.status?.streaming = ["gps2", "imu"]
        named.daemon.status?.poseState = "coarse"
        let why = DoctorReport(judging: named).findings
        #expect(why.map(\.text) == ["the pose is coarse after 600 s: drive some hundred metres with bends"])
    }

    @Test func theClockSourceMattersWhereThereIsABetterOne() {
        for (source, others, isFound) in [
            ("hpet", ["tsc", "hpet"], true), ("acpi_pm", ["tsc"], true), ("kvm-clock", ["kvm-clock", "tsc"], false),
            ("hpet", ["hpet"], false), ("tsc", ["tsc"], false), (nil, ["tsc"], false),
        ] as [(String?, [String], Bool)] {
            let found = findings {
                $0.kernel?.clockSource = source; $0.kernel?.clockSources = others
            }
            #expect(found.map(\.fault) == (isFound ? [.clockSource] : []))
        }
        for (isSynchronized, text) in [(true, " and synchronized"), (nil, "")] as [(Bool?, String)] {
            var facts = Machine.healthy
            facts.clock.isSynchronized = isSynchronized
            let entry = DoctorReport(judging: facts).entries.first { $0.area == .clock }
            #expect(entry?.verdict == .passed("the system clock is set" + text))
        }
        #expect(findings { $0.clock.isSynchronized = false }.map(\.fault) == [.clockUnsynchronized])
    }
}
