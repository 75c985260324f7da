extension Fault {
    /// How the tests verify the command of a fault.
    package enum Proof: String, Sendable {
        /// A test injects the fault, runs the printed command, and sees that the line is gone.
        case run = "command run"
        /// A test injects the fault and sees its line; ``Fault/reason`` says why its command is not run.
        case injected = "fault injected"
        /// A test judges facts; ``Fault/reason`` says why no command is run.
        case facts = "facts"
    }

    /// How the tests verify it.
    package var proof: Proof {
        if Self.provenByRunning.contains(self) { return .run }
        return Self.injected.contains(self) ? .injected : .facts
    }

    private static let provenByRunning: Set<Fault> = [
        .settingsMissing, .settingsUnreadable, .settingsInvalid, .settingsWritable, .daemonStopped,
        .daemonStaleSocket, .daemonSettings, .stateFolder, .stateUnwritable, .stateDamaged,
        .deviceUnknown, .deviceSeveral, .permissionsNode, .permissionsAttributes, .triggerUnknown, .rangeSmall,
        .rateUnreadable, .rateLow, .rateFilter, .clockSource, .gpsdStopped, .gpsdForeign,
        .gpsdNoReceiver, .gpsdOtherReceiver, .gpsdReceiverAccess, .roadsUnusable, .gpsdHost, .gpsdReceiverGone,
        .daemonSilent, .daemonGroup, .daemonAccess, .stateUnreadable, .stateFull,
        .recordingFailed, .triggerMissing, .triggerSingle, .daemonRealTime, .daemonRelease, .kernelProxy,
        .permissionsNoNode, .gpsdMissing, .gpsdSilent, .filterMount,
    ]

    private static let injected: Set<Fault> = [
        .kernelIIO, .deviceNone, .deviceNoGyro, .deviceNoAccelerometer, .deviceRemote, .triggerNoBuffer, .rangeScale,
        .rateDevice, .gpsdProtocol, .fixSilent, .fixSpeed, .fixNone, .fixIndoors, .fixDate, .fixVelocity,
        .clockUnsynchronized,
    ]

    static let summaries: [Fault: String] = [
        .settingsMissing: "the settings file that is named does not exist",
        .settingsUnreadable: "the settings file may not be read",
        .settingsInvalid: "the settings file has mistakes",
        .settingsWritable: "every user may write to the settings file",
        .daemonStopped: "posed does not run",
        .daemonStaleSocket: "posed ended and left its socket",
        .daemonAccess: "this user may not connect",
        .daemonSilent: "posed accepts the connection and does not answer",
        .daemonRelease: "posed and posectl are of different releases",
        .daemonGroup: "the group of the sockets in the settings does not exist",
        .daemonSettings: "posed refused the settings at the last reload and uses older ones",
        .daemonRealTime: "the kernel refuses the real-time priority of the settings",
        .daemonClients: "clients get fewer frames than they asked for",
        .stateFolder: "the folder of the saved state does not exist",
        .stateUnwritable: "the user of posed may not write to the folder of the saved state",
        .stateFull: "the disk of the saved state is full",
        .stateUnreadable: "the user of posed may not read a file of the saved state",
        .stateDamaged: "a file of the saved state is damaged",
        .roadsUnusable: "the road file is missing or damaged",
        .recordingFailed: "the recording ended by a fault, such as a full disk",
        .kernelIIO: "the kernel has no IIO",
        .kernelProxy: "iio-sensor-proxy occupies the accelerometer",
        .deviceNone: "there is no IMU",
        .deviceNoGyro: "there is an accelerometer and no gyro",
        .deviceNoAccelerometer: "there is a gyro and no accelerometer",
        .deviceUnknown: "the settings name an IMU that does not exist",
        .deviceSeveral: "several IMUs fit, and the settings choose none",
        .deviceRemote: "the IIO context on another machine does not answer",
        .deviceUnreached: "the sandbox of the unit keeps posed from the IIO context on another machine",
        .permissionsNode: "the user of posed may not read the device node of the IMU",
        .permissionsAttributes: "the user of posed may not set up the buffer of the IMU",
        .permissionsNoNode: "the IMU has no device node",
        .triggerNoBuffer: "the IMU has no buffer",
        .triggerMissing: "the IMU has a buffer and no trigger, and gives no single readings",
        .triggerSingle: "the IMU has a buffer and no trigger: posed uses single readings",
        .triggerUnknown: "the settings name a trigger that does not exist",
        .rangeSmall: "a measuring range is too small for the profile",
        .rangeScale: "the driver states no scale",
        .rateUnreadable: "the sample rate cannot be read",
        .rateLow: "the settings ask for a sample rate that is too low",
        .rateDevice: "the IMU has no sample rate that is high enough",
        .rateFilter: "the low-pass filter of the IMU lets more than half the sample rate through",
        .clockUnset: "the system clock is years in the past",
        .clockUnsynchronized: "the system clock is not synchronized",
        .clockStep: "the system clock differs from the receiver's time",
        .clockSource: "the kernel uses a slow clock source",
        .gpsdMissing: "gpsd is not installed",
        .gpsdStopped: "nothing listens on the port of gpsd",
        .gpsdHost: "the host of gpsd is unknown or does not answer",
        .gpsdUnreached: "the sandbox of the unit keeps posed from gpsd on another machine",
        .gpsdForeign: "another program has the port: an HTTP server, another JSON service",
        .gpsdSilent: "gpsd accepts the connection and hangs",
        .gpsdProtocol: "gpsd speaks another version of its protocol",
        .gpsdNoReceiver: "gpsd has no receiver",
        .gpsdOtherReceiver: "the settings name a receiver that gpsd does not have",
        .gpsdMissingReceiver: "gpsd does not have every receiver that the settings list",
        .gpsdReceiverGone: "the device of gpsd's receiver does not exist any more",
        .gpsdReceiverAccess: "gpsd may not open the device of its receiver",
        .fixSilent: "the receiver sends nothing",
        .fixSpeed: "gpsd does not recognize what the receiver sends, such as after a wrong baud rate",
        .fixNone: "the receiver has no fix yet",
        .fixIndoors: "the receiver sees too few satellites",
        .fixDate: "the receiver's date is years in the past",
        .fixVelocity: "the receiver states no velocity",
        .filterUnaligned: "the pose is not aligned minutes after the start",
        .filterReceiver: "the receiver contradicts itself or the motion",
        .filterLate: "fixes arrive late",
        .filterSaturated: "the IMU is saturated",
        .filterStuck: "the IMU repeats a reading",
        .filterMagnetometer: "the magnetometer is disturbed",
        .filterMount: "the mount of the settings contradicts the drive",
        .filterLost: "measurements or frames were lost, because a queue was full",
    ]
}
