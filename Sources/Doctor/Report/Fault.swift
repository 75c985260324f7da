/// Every fault that the doctor knows. The part of the name before the point is the area.
package enum Fault: String, CaseIterable, Sendable {
    case settingsMissing = "settings.missing"
    case settingsUnreadable = "settings.unreadable"
    case settingsInvalid = "settings.invalid"
    case settingsWritable = "settings.writable"

    case daemonStopped = "daemon.stopped"
    case daemonStaleSocket = "daemon.stale-socket"
    case daemonAccess = "daemon.access"
    case daemonSilent = "daemon.silent"
    case daemonRelease = "daemon.release"
    case daemonGroup = "daemon.group"
    case daemonSettings = "daemon.settings"
    case daemonRealTime = "daemon.real-time"
    case daemonClients = "daemon.clients"

    case stateFolder = "storage.folder"
    case stateUnwritable = "storage.unwritable"
    case stateFull = "storage.full"
    case stateUnreadable = "storage.unreadable"
    case stateDamaged = "storage.damaged"
    case roadsUnusable = "storage.roads"
    case recordingFailed = "storage.recording"

    case kernelIIO = "kernel.iio"
    case kernelProxy = "kernel.occupied"

    case deviceNone = "device.none"
    case deviceNoGyro = "device.no-gyro"
    case deviceNoAccelerometer = "device.no-accelerometer"
    case deviceUnknown = "device.unknown"
    case deviceSeveral = "device.several"
    case deviceRemote = "device.remote"
    case deviceUnreached = "device.unreached"

    case permissionsNode = "permissions.node"
    case permissionsAttributes = "permissions.attributes"
    case permissionsNoNode = "permissions.no-node"

    case triggerNoBuffer = "trigger.no-buffer"
    case triggerMissing = "trigger.missing"
    case triggerSingle = "trigger.single"
    case triggerUnknown = "trigger.unknown"

    case rangeSmall = "range.small"
    case rangeScale = "range.scale"

    case rateUnreadable = "rate.unreadable"
    case rateLow = "rate.low"
    case rateDevice = "rate.device"
    case rateFilter = "rate.filter"

    case clockUnset = "clock.unset"
    case clockUnsynchronized = "clock.unsynchronized"
    case clockStep = "clock.step"
    case clockSource = "clock.source"

    case gpsdMissing = "gpsd.missing"
    case gpsdStopped = "gpsd.stopped"
    case gpsdHost = "gpsd.host"
    case gpsdUnreached = "gpsd.unreached"
    case gpsdForeign = "gpsd.foreign"
    case gpsdSilent = "gpsd.silent"
    case gpsdProtocol = "gpsd.protocol"
    case gpsdNoReceiver = "gpsd.no-receiver"
    case gpsdOtherReceiver = "gpsd.other-receiver"
    case gpsdMissingReceiver = "gpsd.missing-receiver"
    case gpsdReceiverGone = "gpsd.receiver-gone"
    case gpsdReceiverAccess = "gpsd.receiver-access"

    case fixSilent = "fix.silent"
    case fixSpeed = "fix.unrecognized"
    case fixNone = "fix.none"
    case fixIndoors = "fix.indoors"
    case fixDate = "fix.date"
    case fixVelocity = "fix.velocity"

    case filterUnaligned = "filter.unaligned"
    case filterReceiver = "filter.receiver"
    case filterLate = "filter.late"
    case filterSaturated = "filter.saturated"
    case filterStuck = "filter.stuck"
    case filterMagnetometer = "filter.magnetometer"
    case filterMount = "filter.mount"
    case filterLost = "filter.lost"

    /// The area whose check finds it.
    package var area: Area { Area(rawValue: String(rawValue.prefix { $0 != "." })) ?? .settings }

    /// Whether it counts in the exit code. The others leave a pose, but a worse one, or may be intended.
    package var isFailure: Bool { !Self.warnings.contains(self) }

    private static let warnings: Set<Fault> = [
        .daemonRelease, .daemonClients, .daemonRealTime, .deviceSeveral, .triggerNoBuffer, .triggerSingle,
        .clockUnsynchronized, .clockSource, .gpsdMissingReceiver, .fixVelocity, .filterReceiver, .filterLate,
        .filterLost,
    ]

    /// The fault in one sentence, for the page.
    package var summary: String { Self.summaries[self] ?? rawValue }
}
