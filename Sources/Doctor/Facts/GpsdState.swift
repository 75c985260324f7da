/// gpsd and its receivers, as a probe saw them.
package struct GpsdState: Sendable {
    /// How far a connection to gpsd came.
    package enum Connection: Sendable, Equatable {
        /// The host is unknown, or did not answer in time; why.
        case unreachable(String)
        /// Nothing listens on the port.
        case refused
        /// Another program answers: what it is, and its first line.
        case foreign(kind: String, line: String)
        /// The connection was accepted, and nothing followed.
        case silent
        /// gpsd greeted.
        case greeted
    }

    /// One receiver in gpsd's list.
    package struct Receiver: Sendable, Equatable {
        /// The path.
        package var path: String
        /// gpsd's driver; empty until it recognizes what the receiver sends.
        package var driver = ""
        /// Whether gpsd has it open.
        package var isActive = true
        /// The device; `nil` if it does not exist or is none of this machine.
        package var file: FileFacts?
        /// Whether the path names a device of this machine.
        package var isLocal = true
        /// The speeds that gpsd reported, bit/s, in order.
        package var speeds: [Int] = []

        /// Creates a receiver.
        package init(path: String) { self.path = path }
    }

    /// Host and port of the settings.
    package var host = "localhost"
    package var port: UInt16 = 2947
    /// Whether it runs on this machine.
    package var isLocal: Bool { DoctorFacts.isHere(host) }
    /// Whether gpsd is installed here.
    package var isInstalled = true
    /// How far a connection came.
    package var connection = Connection.greeted
    /// The process of gpsd on this machine with this port, and its command line; `nil` and empty if unknown.
    package var process: Int32?
    package var arguments: [String] = []
    /// Whether gpsd greets on its default port, if the settings name another one.
    package var isOnDefaultPort = false
    /// Its release and the version of its protocol.
    package var release = ""
    package var protocolMajor = 3
    /// Its receivers; `nil` if it did not list them.
    package var receivers: [Receiver]?
    /// Serial devices of this machine that may be a receiver, the likeliest first.
    package var candidates: [String] = []
    /// Serial ports of the board: a receiver, a console, Bluetooth or nothing may be connected.
    package var boardPorts: [String] = []
    /// Whether its clients, such as gpspipe and cgps, are installed here.
    package var hasClients = true
    /// The receiver of the settings; of several the first.
    package var wanted: String?
    /// The devices that gps.receivers names at this gpsd, in the order of preference; empty without a list.
    package var listed: [String] = []
    /// What the receiver reported.
    package var reports = Reports()

    /// What a receiver reported during the probe.
    package struct Reports: Sendable, Equatable {
        /// The number of reports of time and position.
        package var count = 0
        /// The best mode: 0 and 1 no fix, 2 without height, 3 with height.
        package var mode = 0
        /// The last time, seconds since 1970, and the system clock and the time since the start of the machine
        /// (CLOCK_BOOTTIME) at its arrival.
        package var utcSeconds: Double?
        package var systemSeconds: Double?
        package var uptimeSeconds: Double?
        /// Whether a report with a fix had a speed.
        package var hasVelocity = false
        /// Satellites in view and used; `nil` if not reported.
        package var visible: Int?
        package var used: Int?

        /// No reports.
        package init() {}
    }

    /// A gpsd that greeted.
    package init() {}
}
