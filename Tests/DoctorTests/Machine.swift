import Configuration
import SensorInterface

@testable import Doctor

/// Facts of a machine on which everything is in order, and one injection for each fault.
enum Machine {
    /// A receiver with a fix, an IMU with a buffer, a daemon with an aligned pose.
    static var healthy: DoctorFacts {
        var facts = DoctorFacts()
        facts.settings.path = "/etc/posed/posed.yaml"
        facts.settings.file = FileFacts(path: "/etc/posed/posed.yaml", mode: 0o644, owner: 0, group: 0)
        facts.settings.loaded = LoadedSettings()
        facts.user = UserFacts(name: "alice", id: 1000, groups: [1000, 990])
        facts.daemonUser = UserFacts(name: "posed", id: 990, groups: [990, 991])
        facts.groupNames = [0: "root", 990: "posed", 991: "iio", 20: "dialout"]
        facts.daemon.ownRelease = "0.1.0"
        facts.daemon.connection = .answered
        facts.daemon.process = 4711
        var status = DaemonStatus()
        (status.release, status.poseState, status.uptimeSeconds) = ("0.1.0", "aligned", 600)
        status.streaming = ["gps", "imu"]
        facts.daemon.status = status
        facts.state.path = "/var/lib/posed"
        facts.state.folder = FileFacts(path: "/var/lib/posed", mode: 0o750, owner: 990, group: 990)
        facts.state.freeBytes = 1 << 30
        facts.kernel?.clockSource = "tsc"; facts.kernel?.clockSources = ["tsc", "hpet"]
        facts.kernel?.triggers = ["bmi160-dev0"]
        facts.kernel?.hasTriggerModule = true
        facts.devices = [imu()]
        facts.gpsd?.release = "3.22"
        facts.gpsd?.receivers = [receiver]
        facts.gpsd?.reports = reports
        return facts
    }

    static var receiver: GpsdState.Receiver {
        var receiver = GpsdState.Receiver(path: "/dev/ttyACM0")
        receiver.driver = "u-blox"
        receiver.file = FileFacts(path: "/dev/ttyACM0", mode: 0o660, owner: 0, group: 20)
        return receiver
    }

    static var reports: GpsdState.Reports {
        var reports = GpsdState.Reports()
        (reports.count, reports.mode, reports.hasVelocity) = (3, 3, true)
        (reports.utcSeconds, reports.systemSeconds) = (1_800_000_000, 1_800_000_000.2)
        reports.uptimeSeconds = 5000
        (reports.visible, reports.used) = (14, 9)
        return reports
    }

    /// A device with both quantities at 4 g and 2000 deg/s.
    static func imu(_ number: Int = 0, _ roles: [IMURole] = IMURole.allCases) -> IMUFacts {
        let folder = "/sys/bus/iio/devices/iio:device\(number)"
        var device = IMUFacts(
            id: "iio:device\(number)", name: "bmi160", folder: folder, nodePath: "/dev/iio:device\(number)")
        device.node = FileFacts(path: device.nodePath, mode: 0o660, owner: 0, group: 991)
        device.controls = [FileFacts(path: "\(folder)/buffer/enable", mode: 0o664, owner: 0, group: 991)]
        (device.takesTrigger, device.currentTrigger) = (true, "bmi160-dev\(number)")
        device.quantities = roles.map { role in
            var quantity = IMUFacts.Quantity(role: role)
            let channel = "\(folder)/in_\(role.channel)"
            quantity.scale = ("\(channel)_scale", role == .gyro ? "0.001064" : "0.001197")
            quantity.scales = role == .gyro ? ["0.000066", "0.001064"] : ["0.000598", "0.001197", "0.004788"]
            quantity.rate = ("\(channel)_sampling_frequency", "100.000000")
            quantity.rates = [25, 50, 100, 200, 400]
            return quantity
        }
        return device
    }

    /// One injection.
    struct Injection: Sendable, CustomStringConvertible {
        let fault: Fault
        let apply: @Sendable (inout DoctorFacts) -> Void
        var description: String { fault.rawValue }

        init(_ fault: Fault, _ apply: @escaping @Sendable (inout DoctorFacts) -> Void) {
            self.fault = fault
            self.apply = apply
        }
    }

    static let injections = host + sensors + receivers + estimate

    private static let host: [Injection] = [
        Injection(.settingsMissing) {
            $0.settings.file = nil; $0.settings.loaded = nil
        },
        Injection(.settingsUnreadable) {
            $0.settings.isReadable = false; $0.settings.loaded = nil
        },
        Injection(.settingsInvalid) {
            $0.settings.mistake = ("posed.yaml:5:9: gps.port: `abc` is not a number", 2)
            $0.settings.mistakenLines = [5, 7]
            $0.settings.loaded = nil
        },
        Injection(.settingsWritable) { $0.settings.file?.mode = 0o666 },
        Injection(.daemonStopped) { ($0.daemon.connection, $0.daemon.status) = (.noSocket, nil) },
        Injection(.daemonStaleSocket) { ($0.daemon.connection, $0.daemon.status) = (.refused, nil) },
        Injection(.daemonAccess) {
            let command = "sudo usermod -aG posed alice && newgrp posed"
            ($0.daemon.connection, $0.daemon.status) = (.denied("access is denied", command: command), nil)
        },
        Injection(.daemonSilent) { ($0.daemon.connection, $0.daemon.status) = (.silent, nil) },
        Injection(.daemonRelease) { $0.daemon.status?.release = "0.0.9" },
        Injection(.daemonGroup) { $0.daemon.hasGroup = false },
        Injection(.daemonSettings) {
            $0.daemon.status?.settingsNotes = ["settings rejected, the old ones stay in force: x"]
        },
        Injection(.daemonRealTime) { $0.daemon.status?.realTime = "refused: Operation not permitted" },
        Injection(.daemonClients) { $0.daemon.status?.lowRateClients = 2 },
        Injection(.stateFolder) { $0.state.folder = nil },
        Injection(.stateUnwritable) { $0.state.folder?.owner = 0 },
        Injection(.stateFull) { $0.state.freeBytes = 4096 },
        Injection(.stateUnreadable) {
            $0.state.files = [FileFacts(path: "/var/lib/posed/mount-1.json", mode: 0o640, owner: 0, group: 0)]
        },
        Injection(.stateDamaged) { $0.state.damaged = [("/var/lib/posed/mount-1.json", "wrong checksum")] },
        Injection(.roadsUnusable) { $0.daemon.status?.roadsProblem = "/x.roads: is not a road file" },
        Injection(.recordingFailed) { $0.daemon.status?.recordingProblem = "No space left on device" },
        Injection(.clockUnset) { $0.clock.systemSeconds = 1000 },
        Injection(.clockUnsynchronized) { $0.clock.isSynchronized = false },
        Injection(.clockStep) { $0.gpsd?.reports.systemSeconds = 1_799_990_000 },
        Injection(.clockSource) { $0.kernel?.clockSource = "hpet" },
    ]

    private static let sensors: [Injection] = [
        Injection(.kernelIIO) {
            $0.kernel?.hasIIO = false; $0.devices = []
        },
        Injection(.kernelProxy) { $0.kernel?.proxyProcess = 77 },
        Injection(.deviceNone) { $0.devices = [] },
        Injection(.deviceNoGyro) { $0.devices = [imu(0, [.accelerometer])] },
        Injection(.deviceNoAccelerometer) { $0.devices = [imu(0, [.gyro])] },
        Injection(.deviceUnknown) { $0.settings.loaded?.settings.imu.gyro.device = .name("icm20608") },
        Injection(.deviceSeveral) { $0.devices?.append(imu(1, [.gyro])) },
        Injection(.deviceRemote) {
            $0.remoteContext = RemoteFacts(host: "board", port: 30431, problem: "Connection refused")
        },
        Injection(.deviceUnreached) {
            $0.hasSystemd = true; $0.daemon.status?.streaming = ["gps"]
            $0.remoteContext = RemoteFacts(host: "192.168.7.1", port: 30431, problem: nil)
        },
        Injection(.permissionsNode) { $0.devices?[0].node?.mode = 0o600 },
        Injection(.permissionsAttributes) { $0.devices?[0].controls[0].mode = 0o644 },
        Injection(.permissionsNoNode) { $0.devices?[0].node = nil },
        Injection(.triggerNoBuffer) { $0.devices?[0].hasBuffer = false },
        Injection(.triggerMissing) {
            $0.devices?[0].currentTrigger = ""; $0.kernel?.triggers = []
        },
        Injection(.triggerSingle) {
            $0.devices?[0].currentTrigger = ""; $0.kernel?.triggers = []
            $0.devices?[0].quantities[0].isReadable = true; $0.devices?[0].quantities[1].isReadable = true
        },
        Injection(.triggerUnknown) { $0.settings.loaded?.settings.imu.triggerName = "posed" },
        Injection(.rangeSmall) { $0.devices?[0].quantities[1].scale?.text = "0.000299" },
        Injection(.rangeScale) { $0.devices?[0].quantities[0].scale = nil },
        Injection(.rateUnreadable) { $0.devices?[0].quantities[0].rate?.text = "" },
        Injection(.rateLow) { $0.settings.loaded?.settings.imu.gyro.rateHertz = 20 },
        Injection(.rateDevice) { $0.devices?[0].quantities[0].rates = [12.5, 25] },
        Injection(.rateFilter) {
            $0.devices?[0].quantities[0].lowPass = ("/sys/x/in_anglvel_filter_low_pass_3db_frequency", "188")
            $0.devices?[0].quantities[0].lowPasses = ["5", "42", "98", "188"]
        },
    ]

    private static let receivers: [Injection] = [
        Injection(.gpsdMissing) {
            $0.gpsd?.connection = .refused; $0.gpsd?.isInstalled = false
        },
        Injection(.gpsdStopped) { $0.gpsd?.connection = .refused },
        Injection(.gpsdHost) {
            $0.gpsd?.host = "boat"; $0.gpsd?.connection = .unreachable("the host is unknown")
        },
        Injection(.gpsdUnreached) {
            $0.hasSystemd = true; $0.daemon.status?.streaming = ["imu"]
            $0.gpsd?.host = "192.168.7.1"
        },
        Injection(.gpsdForeign) {
            $0.gpsd?.port = 8080; $0.gpsd?.connection = .foreign(kind: "an HTTP server", line: "HTTP/1.1 400")
        },
        Injection(.gpsdSilent) { $0.gpsd?.connection = .silent },
        Injection(.gpsdProtocol) {
            $0.gpsd?.release = "2.90"; $0.gpsd?.protocolMajor = 2
        },
        Injection(.gpsdNoReceiver) {
            $0.gpsd?.receivers = []; $0.gpsd?.candidates = ["/dev/ttyACM0"]
        },
        Injection(.gpsdOtherReceiver) { $0.gpsd?.wanted = "/dev/gps1" },
        Injection(.gpsdMissingReceiver) { facts in
            let devices = ["/dev/gps1", "/dev/ttyACM0"]
            facts.settings.loaded?.settings.gps.receivers = devices.compactMap { GPSReceiverPlace($0) }
            facts.gpsd?.wanted = devices[0]; facts.gpsd?.listed = devices
        },
        Injection(.gpsdReceiverGone) { $0.gpsd?.receivers?[0].file = nil },
        Injection(.gpsdReceiverAccess) {
            $0.gpsd?.receivers?[0].isActive = false; $0.gpsd?.receivers?[0].file?.mode = 0o600
        },
        Injection(.fixSilent) { $0.gpsd?.reports = GpsdState.Reports() },
        Injection(.fixSpeed) {
            $0.gpsd?.reports = GpsdState.Reports()
            $0.gpsd?.receivers?[0].driver = ""; $0.gpsd?.receivers?[0].speeds = [4800, 9600, 38400]
        },
        Injection(.fixNone) { $0.gpsd?.reports.mode = 1 },
        Injection(.fixIndoors) {
            $0.gpsd?.reports.mode = 1; $0.gpsd?.reports.visible = 2
        },
        Injection(.fixDate) { $0.gpsd?.reports.utcSeconds = 1_180_000_000 },
        Injection(.fixVelocity) { $0.gpsd?.reports.hasVelocity = false },
    ]

    private static let estimate: [Injection] = [
        Injection(.filterUnaligned) { $0.daemon.status?.poseState = "coarse" },
        Injection(.filterReceiver) { $0.daemon.status?.receiver = "drifting" },
        Injection(.filterLate) { $0.daemon.status?.latenessSeconds = 4 },
        Injection(.filterSaturated) { $0.daemon.status?.imuFaults = ["gyroClipped"] },
        Injection(.filterStuck) { $0.daemon.status?.imuFaults = ["accelerometerStuck"] },
        Injection(.filterMagnetometer) { $0.daemon.status?.magnetometer = "disturbed" },
        Injection(.filterMount) {
            $0.daemon.status?.why = [
                "the mount in the settings contradicts gravity or the drive and is not used: correct "
                    + "fusion.sensor_to_body, or leave it out"
            ]
        },
        Injection(.filterLost) { $0.daemon.status?.lost = 12 },
    ]
}
