import Configuration

/// What is known of this machine. `nil` and empty mean unknown or not there, as each member says.
package struct DoctorFacts: Sendable {
    /// The settings.
    package var settings = SettingsFacts()
    /// The user who runs the doctor, and the one who runs posed.
    package var user = UserFacts(name: "root", id: 0, groups: [0])
    package var daemonUser = UserFacts(name: "posed", id: 990, groups: [990])
    /// Group names by id, and whether the groups `iio` and those of the settings exist.
    package var groupNames: [UInt32: String] = [:]
    /// Whether systemd manages services here.
    package var hasSystemd = false
    /// Whether a drop-in of posed.service opens it for other machines, which its sandbox keeps it from.
    package var hasNetworkDropIn = false
    /// The daemon and its sockets.
    package var daemon = DaemonFacts()
    /// The saved state.
    package var state = StateFacts()
    /// The kernel; `nil` if reading it did not end in time.
    package var kernel: KernelFacts? = KernelFacts()
    /// The IMU devices; `nil` if reading them did not end in time.
    package var devices: [IMUFacts]? = []
    /// Whether the IIO context on another machine accepts a connection; `nil` if the context is local.
    package var remoteContext: RemoteFacts?
    /// The clocks.
    package var clock = ClockFacts()
    /// gpsd; `nil` if gpsd is turned off in the settings.
    package var gpsd: GpsdState? = GpsdState()

    /// Facts of a machine about which nothing is known.
    package init() {}

    /// Whether the daemon is one that systemd starts and ends as posed.service.
    package var isManaged: Bool { hasSystemd && daemon.isService }

    /// The settings in force; the defaults if they are invalid.
    package var loaded: Settings { settings.loaded?.settings ?? Settings() }

    /// The name of a group; its number if it has none.
    package func group(_ id: UInt32) -> String { groupNames[id] ?? String(id) }
}

/// A user.
package struct UserFacts: Sendable, Equatable {
    /// The name.
    package var name: String
    /// The user id.
    package var id: UInt32
    /// The ids of all groups.
    package var groups: Set<UInt32>

    /// Creates a user.
    package init(name: String, id: UInt32, groups: Set<UInt32>) {
        self.name = name
        self.id = id
        self.groups = groups
    }

    /// Whether the permission bits of a file allow all of `bits` (4 read, 2 write, 1 enter).
    package func may(_ bits: UInt32, _ file: FileFacts) -> Bool {
        if id == 0 { return true }
        let shift: UInt32 = file.owner == id ? 6 : groups.contains(file.group) ? 3 : 0
        return (file.mode >> shift) & bits == bits
    }
}

/// A file or folder.
package struct FileFacts: Sendable, Equatable {
    /// Its path.
    package var path: String
    /// Permission bits.
    package var mode: UInt32
    /// Ids of owner and group.
    package var owner: UInt32
    package var group: UInt32

    /// Creates a file.
    package init(path: String, mode: UInt32, owner: UInt32, group: UInt32) {
        self.path = path
        self.mode = mode
        self.owner = owner
        self.group = group
    }
}

/// The settings file.
package struct SettingsFacts: Sendable {
    /// The path; `nil`: posed runs with the defaults.
    package var path: String?
    /// The file; `nil` if it does not exist, or cannot be seen.
    package var file: FileFacts?
    /// Whether it is the default file, which need not exist.
    package var isDefault = false
    /// Whether this user may read it; without a file, whether it may look.
    package var isReadable = true
    /// The first mistake and the number of mistakes; `nil` without.
    package var mistake: (first: String, count: Int)?
    /// The included file that has the mistake; `nil`: the settings file has it.
    package var mistakenFile: String?
    /// Lines that make that file valid when they become comments; empty if there are no such lines.
    package var mistakenLines: [Int] = []
    /// The settings, if they are valid.
    package var loaded: LoadedSettings?
    /// The text of the file, for commands that change it.
    package var text = ""

    /// No settings file.
    package init() {}
}

/// The daemon and its sockets.
package struct DaemonFacts: Sendable {
    /// How far a connection to the stream socket came.
    package enum Connection: Sendable, Equatable {
        /// There is no socket.
        case noSocket
        /// Nobody listens on it.
        case refused
        /// Access is denied: the reason and the command.
        case denied(String, command: String)
        /// It was accepted, and no reply followed.
        case silent
        /// The daemon replied.
        case answered
        /// Another error.
        case failed(String)
    }

    /// The path of the stream socket.
    package var socketPath = "/run/posed/stream"
    /// How far a connection came.
    package var connection = Connection.noSocket
    /// What it replied.
    package var status: DaemonStatus?
    /// Its process, and that process's command line; `nil` and empty if unknown.
    package var process: Int32?
    package var arguments: [String] = []
    /// Whether it is the daemon of posed.service, or would be, and not one that a person starts beside it.
    package var isService = true
    /// Whether the group of the sockets in the settings exists.
    package var hasGroup = true
    /// The release of posectl.
    package var ownRelease = ""

    /// No daemon.
    package init() {}
}

/// The folder of the saved state.
package struct StateFacts: Sendable {
    /// The path; `nil`: nothing is saved, or the service manager gives the folder.
    package var path: String?
    /// The folder; `nil` if it does not exist, or cannot be seen.
    package var folder: FileFacts?
    /// Whether this user may not enter a folder above it.
    package var isHidden = false
    /// Whether its disk is mounted for reading only.
    package var isReadOnly = false
    /// Free space for posed, bytes; `nil` if unknown.
    package var freeBytes: UInt64?
    /// Its files.
    package var files: [FileFacts] = []
    /// Damaged files with the reason.
    package var damaged: [(path: String, reason: String)] = []

    /// No folder.
    package init() {}
}

/// The kernel.
package struct KernelFacts: Sendable {
    /// Where sysfs is.
    package var sysfs = "/sys"
    /// Whether it has IIO.
    package var hasIIO = true
    /// Whether software triggers can be made at once, and whether there is a module that makes that possible.
    package var hasSoftwareTriggers = false
    package var hasTriggerModule = false
    /// Names of the triggers.
    package var triggers: [String] = []
    /// The process of iio-sensor-proxy; `nil` if it does not run.
    package var proxyProcess: Int32?
    /// The clock source in use, and those available.
    package var clockSource: String?
    package var clockSources: [String] = []

    /// A kernel with IIO and nothing else.
    package init() {}
}

/// A quantity of an IMU.
package enum IMURole: String, Sendable, CaseIterable {
    case gyro
    case accelerometer

    /// The kernel's word in the names of channels.
    package var channel: String { self == .gyro ? "anglvel" : "accel" }
}

/// One IIO device with a gyro or an accelerometer.
package struct IMUFacts: Sendable {
    /// The attributes of one quantity; `nil` means that the file does not exist, empty that it cannot be read.
    package struct Quantity: Sendable {
        /// The quantity.
        package var role: IMURole
        /// Path and text of the scale, SI units per count.
        package var scale: (path: String, text: String)?
        /// The scales to choose from, as the driver writes them.
        package var scales: [String] = []
        /// Path and text of the sample rate, Hz.
        package var rate: (path: String, text: String)?
        /// The rates to choose from, Hz.
        package var rates: [Double] = []
        /// Path and text of the low-pass filter's cut-off frequency, Hz.
        package var lowPass: (path: String, text: String)?
        /// The cut-off frequencies to choose from, as the driver writes them.
        package var lowPasses: [String] = []
        /// Significant bits of a reading.
        package var bits = 16
        /// Whether each axis can be read without the buffer.
        package var isReadable = false

        /// A quantity without attributes.
        package init(role: IMURole) { self.role = role }
    }

    /// The kernel's id, such as `iio:device0`; the name and the label.
    package var id: String
    package var name: String
    package var label: String?
    /// The serial number; `nil` if the driver states none.
    package var serial: String?
    /// Its folder in sysfs.
    package var folder: String
    /// Its quantities.
    package var quantities: [Quantity] = []
    /// The device node; `nil` if it does not exist.
    package var node: FileFacts?
    package var nodePath: String
    /// The kernel's numbers of the device node, such as `246:0`, and whether udev makes nodes here.
    package var nodeNumbers: String?
    package var hasUdev = true
    /// The files in sysfs that set up its buffer.
    package var controls: [FileFacts] = []
    /// Whether it has a buffer.
    package var hasBuffer = true
    /// Whether it takes triggers, and the name of the current one; empty: none.
    package var takesTrigger = false
    package var currentTrigger = ""
    /// Whether the udev rule of posed is installed.
    package var hasRule = false

    /// Creates a device.
    package init(id: String, name: String, folder: String, nodePath: String) {
        self.id = id
        self.name = name
        self.folder = folder
        self.nodePath = nodePath
    }

    /// Title for messages.
    package var title: String { "'\(name)' (\(id))" }

    /// Whether it measures a quantity.
    package func measures(_ role: IMURole) -> Bool { quantities.contains { $0.role == role } }
}

/// An IIO context on another machine.
package struct RemoteFacts: Sendable, Equatable {
    /// The host and the port.
    package var host: String
    package var port: UInt16
    /// Why the connection failed; `nil` if it was accepted.
    package var problem: String?

    /// Creates a context.
    package init(host: String, port: UInt16, problem: String?) {
        self.host = host
        self.port = port
        self.problem = problem
    }
}

/// The clocks.
package struct ClockFacts: Sendable, Equatable {
    /// CLOCK_REALTIME, seconds since 1970.
    package var systemSeconds = 1_800_000_000.0
    /// Whether the kernel's clock is synchronized; `nil` if unknown.
    package var isSynchronized: Bool? = true

    /// A synchronized clock.
    package init() {}
}
