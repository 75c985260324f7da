import Configuration
import Foundation
import SensorInterface
import Testing

@testable import Doctor

/// What the files below `/sys`, `/proc` and the folder of the saved state tell.
@Suite struct MachineFilesTests {
    private static let devices = "/sys/bus/iio/devices"

    /// A device with the three axes of an accelerometer, and more files in its folder.
    private static func device(_ number: Int, _ more: [String: String] = [:]) -> [String: String] {
        let folder = "\(devices)/iio:device\(number)"
        var files = ["\(folder)/name": "imu\(number)\n"]
        for axis in ["x", "y", "z"] { files["\(folder)/in_accel_\(axis)_raw"] = "1\n" }
        for (name, text) in more { files["\(folder)/\(name)"] = text }
        return files
    }

    @Test func theKernelIsThatOfItsFiles() throws {
        let clock = "/sys/devices/system/clocksource/clocksource0"
        let root = try RootFolder([
            "\(Self.devices)/trigger1/name": "b\n", "\(Self.devices)/trigger0/name": "a\n",
            "\(Self.devices)/trigger2/other": "", "/sys/kernel/config/iio/triggers/hrtimer/x": "",
            "\(clock)/current_clocksource": "hpet\n", "\(clock)/available_clocksource": "tsc hpet acpi_pm \n",
            "/proc/31/comm": "iio-sensor-prox\n", "/proc/9/comm": "posed\n",
        ])
        let kernel = KernelCollector(files: root.files).kernel()
        #expect(kernel.hasIIO && kernel.hasSoftwareTriggers && kernel.triggers == ["a", "b"])
        #expect(kernel.clockSource == "hpet" && kernel.clockSources == ["tsc", "hpet", "acpi_pm"])
        #expect(!kernel.hasTriggerModule)
        #expect(kernel.proxyProcess == 31 && kernel.sysfs == root.path + "/sys")
        let other = try RootFolder(["/sys/bus/iio/x": ""])
        let bare = KernelCollector(files: other.files).kernel()
        #expect(bare.hasIIO && !bare.hasSoftwareTriggers && bare.triggers == [] && bare.clockSource == nil)
        #expect(bare.proxyProcess == nil && bare.clockSources == [])
    }

    @Test(arguments: ["modules.dep", "modules.builtin"]) func theModuleOfTimerTriggersIsLookedFor(list: String) throws {
        // GIVEN the lists of the modules of two kernels, of which the one that runs has that of the timer triggers
        func hasModule(release: String) throws -> Bool {
            let root = try RootFolder([
                "/proc/sys/kernel/osrelease": "\(release)\n",
                "/lib/modules/6.1.0/\(list)": "kernel/a.ko:\nkernel/trigger/iio-trig-hrtimer.ko.xz: kernel/b.ko\n",
                "/lib/modules/6.2.0/\(list)": "kernel/trigger/iio-trig-sysfs.ko:\n",
            ])
            return KernelCollector(files: root.files).kernel().hasTriggerModule
        }
        // THEN that kernel alone counts
        for (release, isThere) in [("6.1.0", true), ("6.2.0", false), ("6.3.0", false)] {
            #expect(try hasModule(release: release) == isThere, "\(release)")
        }
    }

    @Test func aQuantityIsReadableWhereEachAxisIs() throws {
        func readable(_ files: [String: String]) throws -> [Bool] {
            let root = try RootFolder(files)
            return KernelCollector(files: root.files).devices().flatMap(\.quantities).map(\.isReadable)
        }
        #expect(try readable(Self.device(0)) == [true])
        var files = Self.device(0, ["scan_elements/in_accel_z_en": "0\n"])
        files["\(Self.devices)/iio:device0/in_accel_z_raw"] = nil
        #expect(try readable(files) == [false])
    }

    @Test func thePortsOfAReceiverAreInOrder() throws {
        // GIVEN ports with a plug, one that udev names after a receiver, and those of the board
        let names = ["ttyAMA0", "ttyUSB0", "ttyACM1", "gps0", "serial0", "ttyS0", "null"]
        let root = try RootFolder(Dictionary(uniqueKeysWithValues: names.map { ("/dev/\($0)", "") }))
        var settings = GPSSettings()
        (settings.host, settings.port) = ("127.77.29.98", 2)
        // WHEN gpsd is looked for THEN those come first that are most likely a receiver, and the board's are apart
        let state = GpsdProbe(settings: settings, files: root.files).run()
        #expect(state.candidates == ["gps0", "ttyACM1", "ttyUSB0"].map { root.path + "/dev/\($0)" })
        #expect(state.boardPorts == ["serial0", "ttyAMA0"].map { root.path + "/dev/\($0)" })
        #expect(!state.hasClients)
        let other = try RootFolder(["/usr/bin/gpspipe": ""])
        #expect(GpsdProbe(settings: settings, files: other.files).run().hasClients)
    }

    @Test(arguments: [
        ("0::/system.slice/posed.service", true), ("12:pids:/\n1:name=systemd:/system.slice/posed.service", true),
        ("0::/user.slice/user-1000.slice/session-3.scope", false), ("0::/system.slice/posed.service/x", false),
        ("0::/system.slice/other-posed.service", false), ("", false),
    ]) func theProcessOfTheServiceIsInItsControlGroup(cgroup: String, isService: Bool) {
        #expect(FactCollector.isService(cgroup: cgroup) == isService)
    }

    @Test func devicesAreInTheOrderOfTheirNumbers() throws {
        // GIVEN 34 devices THEN the first 32 by number are examined, 9 before 10
        var files: [String: String] = [:]
        for number in 0..<34 { files.merge(Self.device(number)) { first, _ in first } }
        let root = try RootFolder(files)
        let found = KernelCollector(files: root.files).devices()
        #expect(found.map(\.id) == (0..<32).map { "iio:device\($0)" } && found[10].name == "imu10")
    }

    @Test func aDeviceHasItsNamesNodeAndRule() throws {
        let root = try RootFolder(
            Self.device(
                0,
                ["serial": "S2\n", "serial_number": "S1\n", "dev": "246:0\n", "buffer/enable": "0\n", "label": "top\n"]
            )
            .merging(Self.device(1, ["serial": "S2\n"])) { first, _ in first }
            .merging(["/run/udev/control": "", "/lib/udev/rules.d/60-posed.rules": ""]) { first, _ in first })
        let found = KernelCollector(files: root.files).devices()
        try #require(found.count == 2)
        #expect(found.map(\.serial) == ["S1", "S2"] && found.map(\.label) == ["top", nil])
        #expect(found[0].nodeNumbers == "246:0" && found[0].hasUdev && found[0].hasRule && found[0].node == nil)
        #expect(found[0].nodePath == root.path + "/dev/iio:device0")
        #expect(found[0].folder == root.path + "\(Self.devices)/iio:device0")
        // Without a channel in it a buffer is none.
        #expect(!found[0].hasBuffer && !found[0].takesTrigger && found[0].currentTrigger == "")
        #expect(found[0].controls.map(\.path) == [root.path + "\(Self.devices)/iio:device0/buffer/enable"])
        let other = try RootFolder(Self.device(0))
        let plain = KernelCollector(files: other.files).devices().first
        #expect(plain?.hasRule == false && plain?.hasUdev == false && plain?.nodeNumbers == nil)
    }

    @Test(arguments: [
        ("le:s12/16>>4", 12), ("be:u24/32>>8", 24), ("le:s64/64>>0", 64), ("le:s65/128>>0", 16), ("le:s2/8>>0", 2),
        ("le:s1/8>>0", 16), ("", 16), ("none", 16),
    ]) func theSignificantBitsAreThoseOfTheType(type: String, bits: Int) throws {
        let root = try RootFolder(Self.device(0, ["scan_elements/in_accel_x_type": type + "\n"]))
        #expect(KernelCollector(files: root.files).devices().first?.quantities.map(\.bits) == [bits])
    }

    @Test func attributesOfAChannelGoBeforeThoseOfTheDevice() throws {
        let root = try RootFolder(
            Self.device(
                0,
                [
                    "in_accel_x_scale": "0.5\n", "in_accel_x_scale_available": "0.5 1\n",
                    "in_accel_sampling_frequency": "100\n", "sampling_frequency": "200\n",
                    "in_accel_sampling_frequency_available": "100 50\n", "sampling_frequency_available": "9\n",
                    "filter_low_pass_3db_frequency": "44\n", "filter_low_pass_3db_frequency_available": "44 98\n",
                ]))
        let quantity = try #require(KernelCollector(files: root.files).devices().first?.quantities.first)
        #expect(quantity.scale?.text == "0.5" && quantity.scales == ["0.5", "1"])
        #expect(quantity.rate?.text == "100" && quantity.rates == [100, 50])
        #expect(quantity.lowPass?.text == "44" && quantity.lowPasses == ["44", "98"])
        // AND the scale of all axes before that of one; nothing without a file
        let other = try RootFolder(Self.device(0, ["in_accel_scale": "0.25\n", "in_accel_x_scale": "0.5\n"]))
        let second = KernelCollector(files: other.files).devices().first?.quantities.first
        #expect(second?.scale?.text == "0.25" && second?.rate == nil && second?.lowPass == nil)
    }

    @Test func filesAreReadAsTheyAre() throws {
        let root = try RootFolder(["/a/text": " \n one\n two \n", "/a/.hidden": "", "/a/b": "", "/a/empty": ""])
        let files = root.files
        #expect(files.text("/a/text") == "one\n two" && files.text("/a/empty") == "" && files.text("/a/none") == nil)
        // A part of the path that is no folder is no file; a folder cannot be read.
        #expect(files.text("/a/text/below") == nil && files.text("/a") == "")
        #expect(files.entries("/a") == ["b", "empty", "text"] && files.entries("/none") == [])
        #expect(files.exists("/a/b") && !files.exists("/a/c") && files.facts("/a/c") == nil)
        chmod(root.path + "/a/b", 0o640)
        let facts = try #require(files.facts("/a/b"))
        #expect(facts.mode == 0o640 && facts.owner == geteuid() && facts.path == root.path + "/a/b")
    }

    @Test func whatIsInAClosedFolderIsNotTakenForMissing() async {
        // GIVEN a process whose user may not enter the folder of the settings and the state WHEN they are examined THEN
        // nothing is claimed of them, not even that they are missing
        await #expect(processExitsWith: .success) {
            var template = Array("/tmp/posed-closed-XXXXXX".utf8CString)
            guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { exit(9) }
            let isRoot = geteuid() == 0
            #expect(chmod(folder, 0o600) == 0 && (!isRoot || seteuid(65_534) == 0))
            let facts = SettingsCollector(files: SystemFiles(root: ""), config: "\(folder)/posed.yaml").collect()
            var settings = StateSettings()
            settings.folder = "\(folder)/state"
            let user = UserFacts(name: "posed", id: 990, groups: [])
            let collector = StateCollector(files: SystemFiles(root: ""))
            let state = collector.collect(settings, daemonUser: user, isService: false)
            #expect(!isRoot || seteuid(0) == 0)
            rmdir(folder)
            #expect(facts.file == nil && !facts.isReadable && facts.loaded == nil)
            #expect(state.folder == nil && state.isHidden && state.path == settings.folder)
            // AND a file that is missing is
            let missing = SettingsCollector(files: SystemFiles(root: ""), config: "\(folder)/posed.yaml").collect()
            #expect(missing.file == nil && missing.isReadable)
            #expect(!collector.collect(settings, daemonUser: user, isService: false).isHidden)
        }
    }

    @Test func aLongFileThatComesInPiecesIsCut() throws {
        // GIVEN a file of the kernel that is longer than 64 KiB and is read in pieces of a page THEN its first 64 KiB
        // are there, but for the blanks at their end
        let text = try #require(SystemFiles(root: "").text("/proc/self/smaps"))
        #expect((65_000...65_536).contains(text.utf8.count))
    }

    @Test func permissionsAreThoseOfTheFirstClassThatFits() {
        let user = UserFacts(name: "a", id: 7, groups: [20, 21])
        func may(_ bits: UInt32, _ mode: UInt32, owner: UInt32 = 1, group: UInt32 = 1) -> Bool {
            user.may(bits, FileFacts(path: "/x", mode: mode, owner: owner, group: group))
        }
        #expect(may(4, 0o400, owner: 7) && !may(4, 0o044, owner: 7, group: 20) && may(6, 0o600, owner: 7))
        #expect(may(2, 0o020, group: 21) && !may(2, 0o402, group: 20) && !may(6, 0o040, group: 20))
        #expect(may(1, 0o001) && !may(1, 0o770) && may(7, 0o007))
        #expect(UserFacts(name: "root", id: 0, groups: []).may(7, FileFacts(path: "/x", mode: 0, owner: 1, group: 1)))
    }

    @Test func theFolderOfTheStateIsExamined() throws {
        // GIVEN a folder with a file that is damaged, and one that is none of the state WHEN examined THEN the first is
        // named with its reason
        let root = try RootFolder(["/state/mount-x.json": "{", "/state/notes.txt": "x", "/var/lib/posed/a.json": "{}"])
        var settings = StateSettings()
        settings.folder = root.path + "/state"
        let user = UserFacts(name: "a", id: geteuid(), groups: [])
        let collector = StateCollector(files: root.files)
        let facts = collector.collect(settings, daemonUser: user, isService: false)
        #expect(facts.path == root.path + "/state" && facts.folder != nil && (facts.freeBytes ?? 0) > 0)
        #expect(facts.files.map(\.path) == [root.path + "/state/mount-x.json"] && !facts.isReadOnly)
        #expect(facts.damaged.map(\.path) == [root.path + "/state/mount-x.json"])
        #expect(facts.damaged.first?.reason.isEmpty == false)
        // AND without a folder in the settings that of the service counts, if it is there
        settings.folder = nil
        let service = collector.collect(settings, daemonUser: user, isService: true)
        #expect(service.path == root.path + "/var/lib/posed")
        // AND a daemon beside the service has none, unless it runs as the user of the service
        #expect(collector.collect(settings, daemonUser: user, isService: false).path == nil)
        let posed = UserFacts(name: "posed", id: 990, groups: [])
        #expect(collector.collect(settings, daemonUser: posed, isService: false).path == service.path)
        let other = try RootFolder(["/x": ""])
        let bare = StateCollector(files: other.files).collect(settings, daemonUser: user, isService: true)
        #expect(bare.path == nil && bare.folder == nil && bare.files == [])
        settings.keepsMount = false
        #expect(collector.collect(settings, daemonUser: user, isService: true).path == nil)
    }

    @Test func sixtyFourFilesOfTheStateAreExamined() throws {
        // GIVEN a folder with 66 files THEN the first 64 by name are examined, and no more however many there are
        var files: [String: String] = [:]
        for number in 100..<166 { files["/state/x-\(number).json"] = "{}" }
        let root = try RootFolder(files)
        var settings = StateSettings()
        settings.folder = root.path + "/state"
        let user = UserFacts(name: "a", id: geteuid(), groups: [])
        let facts = StateCollector(files: root.files).collect(settings, daemonUser: user, isService: true)
        #expect(facts.files.map(\.path) == (100..<164).map { "\(root.path)/state/x-\($0).json" })
    }

    @Test(
        arguments: [
            ("ip:127.77.29.99:1", "127.77.29.99", 1), ("ip:127.77.29.99", "127.77.29.99", 30431),
        ] as [(String, String, UInt16)])
    func aContextOnAnotherMachineHasHostAndPort(uri: String, host: String, port: UInt16) throws {
        // GIVEN an address where nobody listens THEN host, port and the reason are told
        let facts = try #require(RemoteProbe.run(contextURI: uri))
        #expect(facts == RemoteFacts(host: host, port: port, problem: "Connection refused"))
        #expect(RemoteProbe.run(contextURI: "local:") == nil)
    }
}
