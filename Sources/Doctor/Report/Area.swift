/// What a check looks at, in the order of the report: an area needs those before it.
package enum Area: String, CaseIterable, Sendable {
    /// The settings file.
    case settings
    /// The running daemon and its sockets.
    case daemon
    /// What is kept on the disk: saved state, recordings, roads.
    case storage
    /// The kernel: IIO, and what occupies sensors.
    case kernel
    /// The IMU.
    case device
    /// Access of the daemon to the IMU.
    case permissions
    /// Buffers and triggers of the IMU.
    case trigger
    /// Measuring ranges and scales of the IMU.
    case range
    /// Sample rates and filters of the IMU.
    case rate
    /// The clocks.
    case clock
    /// gpsd and its receivers.
    case gpsd
    /// The receiver's fix.
    case fix
    /// The estimate of the daemon.
    case filter

    /// What it looks at, in a few words.
    package var summary: String {
        switch self {
        case .settings: "the settings file is there, safe and valid"
        case .daemon: "posed runs, answers, and this user may connect"
        case .storage: "state, recordings and roads can be read and written"
        case .kernel: "the kernel has IIO, and no other program occupies the sensors"
        case .device: "there is one IMU with gyro and accelerometer, the one of the settings"
        case .permissions: "the user of posed may read the IMU and set it up"
        case .trigger: "the IMU has a buffer and a trigger"
        case .range: "its measuring ranges are known and wide enough"
        case .rate: "its sample rate is high enough, and its low-pass filter fits"
        case .clock: "the system clock is set and synchronized"
        case .gpsd: "gpsd runs at the address of the settings and has the receiver"
        case .fix: "the receiver sends, has a fix, and states what posed needs"
        case .filter: "the estimate is aligned and no measurement is refused or lost"
        }
    }
}
