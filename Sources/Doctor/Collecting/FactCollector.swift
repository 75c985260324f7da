import CSystem
import Configuration
import Glibc
import Platform
import PoseMath

/// Collects the facts of this machine, group by group, each with a time limit.
struct FactCollector: Sendable {
    /// Time for everything, seconds.
    private static let limitSeconds = 8.0

    private let options: DoctorOptions
    private let files: SystemFiles

    /// Prepares the collection.
    init(_ options: DoctorOptions) {
        self.options = options
        files = SystemFiles(root: options.root)
    }

    /// All facts.
    func collect() -> DoctorFacts {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: Self.limitSeconds)
        var facts = DoctorFacts()
        // A running daemon tells which settings file it uses.
        let usual = options.folder ?? PublishingSettings().folder
        let first = TimeLimited("posed") { DaemonProbe(path: usual + "/stream").run() }.value(until: deadline)
        let config = options.config ?? first?.status?.settingsFile
        facts.settings = SettingsCollector(files: files, config: config).collect()
        let settings = facts.loaded
        let folder = options.folder ?? settings.publishing.folder
        let place = settings.gps.perReceiver.first ?? settings.gps
        let listed = settings.gps.devicesListed(atGpsdOf: place)
        let (probe, files) = (GpsdProbe(settings: place, files: files, listed: listed), files)
        let gpsd = settings.isGPSEnabled ? TimeLimited("gpsd") { probe.run() } : nil
        let kernel = TimeLimited("kernel") { KernelCollector(files: files).kernel() }
        let devices = TimeLimited("devices") { KernelCollector(files: files).devices() }
        let remote = TimeLimited("iiod") { RemoteProbe.run(contextURI: settings.imu.contextURI) }
        facts.daemon =
            (folder == usual ? first : DaemonProbe(path: folder + "/stream").run()) ?? facts.daemon
        facts.daemon.isService = isService(facts.daemon.process, folder, settings)
        collectHost(&facts, settings, folder)
        facts.kernel = kernel.value(until: deadline)
        facts.devices = devices.value(until: deadline)
        facts.remoteContext = remote.value(until: deadline) ?? nil
        facts.gpsd = gpsd?.value(until: deadline)
        facts.clock.systemSeconds = Double(SystemClock.realtimeNanoseconds) * 1e-9
        facts.clock.isSynchronized = synchronization
        return facts
    }

    /// Users, groups and the saved state.
    private func collectHost(_ facts: inout DoctorFacts, _ settings: Settings, _ folder: String) {
        let users = UserCollector(files: files)
        facts.hasSystemd = files.exists("/run/systemd/system")
        facts.hasNetworkDropIn = hasNetworkDropIn
        facts.daemon.socketPath = folder + "/stream"
        facts.daemon.ownRelease = Release.version
        facts.daemon.hasGroup = settings.publishing.group.map(users.hasGroup) ?? true
        facts.user = users.user(id: geteuid())
        facts.daemonUser = users.daemonUser(process: facts.daemon.process)
        facts.groupNames = users.groupNames
        facts.state = StateCollector(files: files).collect(
            settings.state, daemonUser: facts.daemonUser, isService: facts.daemon.isService)
    }

    /// Whether the daemon is that of posed.service: its process tells. Without one, as before its start, it is the
    /// service if its sockets are where the service has them.
    private func isService(_ process: Int32?, _ folder: String, _ settings: Settings) -> Bool {
        let cgroup = process.flatMap { SystemFiles(root: "").text("/proc/\($0)/cgroup") } ?? ""
        if !cgroup.isEmpty { return Self.isService(cgroup: cgroup) }
        return folder == PublishingSettings().folder
            || options.config == nil && folder == settings.publishing.folder
    }

    /// Whether the control groups of a process are those of posed.service.
    static func isService(cgroup: String) -> Bool {
        cgroup.split(separator: "\n").contains { $0.hasSuffix("/posed.service") }
    }

    /// Whether a drop-in of posed.service names addresses that it may reach.
    private var hasNetworkDropIn: Bool {
        let folder = "/etc/systemd/system/posed.service.d"
        return files.entries(folder).contains { name in
            (files.text("\(folder)/\(name)") ?? "").split(separator: "\n").contains { $0.hasPrefix("IPAddressAllow=") }
        }
    }

    /// Whether the kernel's clock is synchronized; a test gives it by a file in its root.
    private var synchronization: Bool? {
        if !options.root.isEmpty { return files.exists("/run/systemd/timesync/synchronized") }
        return SystemClock.isSynchronized
    }
}
