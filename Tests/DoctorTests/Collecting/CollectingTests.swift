import Configuration
import Foundation
import SensorInterface
import Testing

@testable import Doctor

/// The facts below a root folder.
@Suite struct CollectingTests {
    @Test func aMachineWithoutAnythingHasFacts() throws {
        // GIVEN an empty root THEN every collector returns, and finds nothing
        let root = try RootFolder([:])
        let kernel = KernelCollector(files: root.files)
        #expect(!kernel.kernel().hasIIO && kernel.devices().isEmpty)
        #expect(UserCollector(files: root.files).groupNames.isEmpty)
        let settings = SettingsCollector(files: root.files, config: nil).collect()
        #expect(settings.file == nil && settings.isDefault && settings.loaded != nil)
    }

    @Test func aCommandLineIsReadAsWords() throws {
        let root = try RootFolder([
            "/proc/7/cmdline": "posed\0--config\0/my file\0", "/proc/8/cmdline": "gpsd\0-n\n\0",
            "/proc/9/cmdline": "", "/proc/7/comm": "posed\n", "/proc/x/comm": "posed\n",
        ])
        #expect(root.files.arguments(of: 7) == ["posed", "--config", "/my file"])
        // A line that a terminal could take for two is none.
        #expect(root.files.arguments(of: 8) == [] && root.files.arguments(of: 9) == [])
        #expect(root.files.arguments(of: 10) == [] && root.files.processes(named: "posed") == [7])
    }

    @Test func attributesOfADeviceAreReadAsTheDriverWritesThem() throws {
        // GIVEN a device with a filter, a range of rates, and twelve bits
        let folder = "/sys/bus/iio/devices/iio:device3"
        var files = [
            "\(folder)/name": "bmi160\n", "\(folder)/label": "front\n", "\(folder)/serial_number": "A17\n",
            "\(folder)/in_accel_scale": "0.004788\n",
            "\(folder)/in_accel_scale_available": "0.000598 0.001197\n", "\(folder)/sampling_frequency": "100\n",
            "\(folder)/sampling_frequency_available": "[12.5 0.5 400]\n", "\(folder)/buffer/enable": "0\n",
            "\(folder)/in_accel_filter_low_pass_3db_frequency": "44\n", "/dev/iio:device3": "",
            "\(folder)/trigger/current_trigger": "\n", "/sys/bus/iio/devices/trigger0/name": "bmi160-dev3\n",
        ]
        for axis in ["x", "y", "z"] {
            files["\(folder)/in_accel_\(axis)_raw"] = "1\n"
            files["\(folder)/scan_elements/in_accel_\(axis)_en"] = "0\n"
            files["\(folder)/scan_elements/in_accel_\(axis)_type"] = "le:s12/16>>4\n"
        }
        // a gyro without its z axis is none
        files["\(folder)/in_anglvel_x_raw"] = "1\n"
        let root = try RootFolder(files)
        let device = try #require(KernelCollector(files: root.files).devices().first)
        #expect(device.id == "iio:device3" && device.name == "bmi160" && device.label == "front")
        // and a serial number selects it, if it is this one
        #expect(device.matches(.serial("A17")) && !device.matches(.serial("A18")))
        #expect(device.measures(.accelerometer) && !device.measures(.gyro))
        let quantity = try #require(device.quantities.first)
        #expect(quantity.scale?.text == "0.004788" && quantity.scales.count == 2 && quantity.bits == 12)
        #expect(quantity.rate?.path == "\(root.path)\(folder)/sampling_frequency")
        #expect(quantity.rates == [12.5, 0.5, 400] && quantity.lowPass?.text == "44")
        #expect(device.hasBuffer && device.takesTrigger && device.currentTrigger == "" && device.node != nil)
        #expect(KernelCollector(files: root.files).kernel().triggers == ["bmi160-dev3"])
    }

    @Test func usersAndGroupsAreThoseOfTheirFiles() throws {
        let root = try RootFolder([
            "/etc/passwd": "root:x:0:0::/:\nposed:x:990:990::/:\nbroken\n",
            "/etc/group": "posed:x:990:\niio:x:991:posed,alice\nplugdev:x:46:\n",
        ])
        let users = UserCollector(files: root.files)
        #expect(users.daemonUser(process: nil) == UserFacts(name: "posed", id: 990, groups: [990, 991]))
        #expect(users.hasGroup("iio") && users.hasGroup("65500") && !users.hasGroup("none"))
        #expect(users.groupNames[991] == "iio")
    }

    @Test func aUserHasItsOwnGroupAndThoseThatNameIt() throws {
        // GIVEN users whose number is not that of their group, one without a group, and groups that name some
        let root = try RootFolder([
            "/etc/passwd": "anna:x:1001:100::/:/bin/sh\nposed:x:64:65::/:\nshort:x:66\nodd:x:a:b::/:\n",
            "/etc/group": "users:x:100:\nposed:x:65:\niio:x:991:posed\nvideo:x:44:anna,posed\nbad:x:b:posed\n",
        ])
        let users = UserCollector(files: root.files)
        #expect(users.user(id: 1001) == UserFacts(name: "anna", id: 1001, groups: [100, 44]))
        #expect(users.daemonUser(process: nil) == UserFacts(name: "posed", id: 64, groups: [65, 991, 44]))
        #expect(users.groupNames == [100: "users", 65: "posed", 991: "iio", 44: "video"])
    }

    @Test func mistakenLinesMakeTheFileValidAsComments() throws {
        // GIVEN mistakes of which one hides another THEN commenting the lines out gives a valid file
        let text = "gps:\n  port: abc\n  host: localhost\nimu:\n  stale_s: 5\n  reopen_s: 1\nprofil: x\n"
        let root = try RootFolder(["/posed.yaml": text])
        let facts = SettingsCollector(files: root.files, config: root.path + "/posed.yaml").collect()
        #expect(facts.mistake?.count == 3 && facts.mistakenLines == [2, 5, 6, 7] && facts.loaded == nil)
        var lines = text.split(separator: "\n").map(String.init)
        for line in facts.mistakenLines { lines[line - 1] = "#" + lines[line - 1] }
        #expect(throws: Never.self) { try SettingsLoader.load(text: lines.joined(separator: "\n"), name: "x") }
        // and a file that is none is set aside
        let folder = SettingsCollector(files: root.files, config: root.path).collect()
        #expect(folder.mistake?.first == "\(root.path) is not a regular file" && folder.mistake?.count == 1)
        #expect(folder.mistakenLines.isEmpty && folder.isReadable && folder.loaded == nil)
    }

    @Test func aMistakeIsFoundInLinesThatEndWithCRLF() throws {
        // GIVEN a file of another system with a mistake in its second line THEN that line becomes a comment
        let root = try RootFolder(["/posed.yaml": "profile: vehicle\r\nprofil: x\r\n"])
        let path = root.path + "/posed.yaml"
        var facts = DoctorFacts()
        facts.settings = SettingsCollector(files: root.files, config: path).collect()
        #expect(facts.settings.mistakenLines == [2])
        #expect(DoctorReport(judging: facts).findings.first?.remedy == .run("sudo sed -i '2s/^/#/' \(path)"))
    }

    @Test func aMistakeInAnIncludedFileIsMendedThere() throws {
        // GIVEN settings that include a file with a mistake THEN that file and its line are named, and the command
        // changes it
        let root = try RootFolder([
            "/posed.yaml": "include: [own.yaml]\ngps:\n  host: localhost\n", "/own.yaml": "imu:\n  stale_s: abc\n",
        ])
        let (path, own) = (root.path + "/posed.yaml", root.path + "/own.yaml")
        var facts = DoctorFacts()
        facts.settings = SettingsCollector(files: root.files, config: path).collect()
        #expect(facts.settings.mistakenFile == own && facts.settings.mistakenLines == [2])
        let finding = try #require(DoctorReport(judging: facts).findings.first)
        #expect(finding.remedy == .run("sudo sed -i '2s/^/#/' \(own)") && finding.text.hasPrefix("\(own):2:"))
        // AND a mistake of the settings file itself leaves its include as it is
        try "include: [own.yaml]\nprofil: x\n".write(toFile: path, atomically: false, encoding: .utf8)
        let both = SettingsCollector(files: root.files, config: path).collect()
        #expect(both.mistakenFile == nil && both.mistakenLines == [2] && both.mistake?.count == 2)
        // AND an included file of which no line is known that makes it valid is for a person
        try "include: [own.yaml]\n".write(toFile: path, atomically: false, encoding: .utf8)
        try "- a\n".write(toFile: own, atomically: false, encoding: .utf8)
        facts.settings = SettingsCollector(files: root.files, config: path).collect()
        facts.settings.mistakenLines = []
        #expect(DoctorReport(judging: facts).findings.first?.remedy == .run("sudoedit \(own)"))
    }

    @Test(arguments: [(380, 380), (381, 0)]) func mistakenLinesAreSoughtInTwentyRounds(count: Int, found: Int) throws {
        // GIVEN a file with so many wrong lines, of which twenty are named at a time THEN nineteen rounds make all of
        // them comments and the twentieth finds the rest valid; where there are more, none is named
        let text = (0..<count).map { "key\($0): @a\n" }.joined()
        let root = try RootFolder(["/posed.yaml": text])
        let facts = SettingsCollector(files: root.files, config: root.path + "/posed.yaml").collect()
        #expect(facts.mistake?.count == 20 && facts.loaded == nil)
        #expect(facts.mistakenLines == Array(1..<(found + 1)))
    }

    @Test(arguments: [
        ("2026-11-23T15:00:00.000Z", 1_795_446_000.0), ("1970-01-01T00:00:00Z", 0),
        ("2024-02-29T12:00:00.5Z", 1_709_208_000.5),
        ("2026-13-23T15:00:00Z", nil), ("2026-11-23 15:00", nil), ("", nil),
        ("9999999999999999999-01-01T00:00:00Z", nil),
    ])
    func timesOfReportsAreUTC(text: String, seconds: Double?) { #expect(UTCText.seconds(text) == seconds) }

    @Test func aProbeThatHangsCostsOnlyItsOwnFacts() {
        // GIVEN work that never ends THEN its value is unknown at the deadline
        let hanging = TimeLimited("hang") { () -> Int in
            while true { pause() }
        }
        #expect(hanging.value(until: .init(nanoseconds: 0)) == nil)
    }

    @Test func onlyTheSuperuserHasTheReservedBlocks() {
        // GIVEN a disk with 100 free blocks, 60 of them for everyone
        var disk = statvfs()
        (disk.f_bfree, disk.f_bavail, disk.f_frsize) = (100, 60, 4096)
        // THEN root has them all, and another user has 60
        let (root, other) = (UserFacts(name: "root", id: 0, groups: []), UserFacts(name: "posed", id: 998, groups: []))
        #expect(StateCollector.freeBytes(disk, for: root) == 409_600)
        #expect(StateCollector.freeBytes(disk, for: other) == 245_760)
    }

    @Test func gpsdOnItsUsualPortIsFoundWhereTheSettingsNameAnother() throws {
        // GIVEN gpsd on its port at an address of this test alone, and a port in the settings on which nobody listens
        let host = "127.77.29.47"
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        // Connections of an earlier run may still wait for their end.
        var isOn: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(2947).bigEndian
        place.sin_addr.s_addr = inet_addr(host)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        try #require(isBound && listen(listener, 1) == 0, "\(String(cString: strerror(errno)))")
        let ended = DispatchSemaphore(value: 0)
        defer {
            // The thread must not accept at a number that another test may have later.
            shutdown(listener, Int32(SHUT_RDWR))
            _ = ended.wait(timeout: .now() + 60)
        }
        Thread {
            defer { ended.signal() }
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let greeting = Array("{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3}\r\n".utf8)
            _ = send(client, greeting, greeting.count, Int32(MSG_NOSIGNAL))
            close(client)
        }.start()
        var settings = GPSSettings()
        (settings.host, settings.port) = (host, 2)
        // WHEN it is looked for THEN the doctor has found it where it is
        let state = GpsdProbe(settings: settings, files: try RootFolder([:]).files).run()
        #expect(state.connection == .refused && state.isOnDefaultPort)
    }
}
