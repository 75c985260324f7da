import Frames

/// The monitor's state: the latest of each message of the daemon. A value without clock or socket; times are seconds on
/// one clock.
struct MonitorState: Sendable {
    /// The state of the connection.
    var connection = Connection.connecting(why: "")
    /// The daemon's release; `nil` before its hello message.
    var release: String?
    /// The latest frame.
    var frame: Frame?
    /// Arrival time of the latest frame, seconds.
    var frameSeconds: Double?
    /// The JSON line of the latest frame.
    var frameLine = ""
    /// Number of messages this client has lost.
    var dropped: UInt64 = 0
    /// The next maneuver.
    var maneuver: Message.Maneuver?
    /// The daemon's latest reply to `status`.
    var status: StatusReply?
    /// The line of that reply, and what the pages show of it.
    var statusLine: [UInt8]?
    var details = StatusDetails()
    /// What the daemon said when it disconnected this client; `nil` before.
    var farewell: String?
    /// The latest events, the newest last.
    var events: [String] = []
    /// Frames per second as received; `nil` before two have arrived.
    var rateHertz: Double? { arrivals.rateHertz }

    private var arrivals = ArrivalRate()
    private static let keptEvents = 50

    /// Creates a state in which everything is unknown.
    init() {}

    /// The state of the connection.
    enum Connection: Sendable, Equatable {
        /// Not connected, with the reason.
        case connecting(why: String)
        /// Connected.
        case connected
    }

    /// Stores a frame that arrived at time `now`, seconds.
    mutating func update(_ frame: Frame, line: String, dropped: UInt64, atSeconds now: Double) {
        self.frame = frame
        self.dropped = dropped
        frameLine = line
        frameSeconds = now
        arrivals.add(now)
        if maneuver?.routeVersion != frame.guidance.routeVersion { maneuver = nil }
    }

    /// Stores the next maneuver.
    mutating func update(_ maneuver: Message.Maneuver) {
        self.maneuver = maneuver.index == nil ? nil : maneuver
    }

    /// Adds an event.
    mutating func addEvent(_ event: String) {
        events.append(event)
        if events.count > Self.keptEvents { events.removeFirst(events.count - Self.keptEvents) }
    }

    /// Clears the state after the connection was lost; only the events are kept.
    mutating func disconnect(why: String) {
        if connection == .connected { addEvent("connection lost: \(why)") }
        let (events, farewell) = (events, farewell)
        self = MonitorState()
        (self.events, self.farewell) = (events, farewell)
        connection = .connecting(why: why)
    }
}

/// The rate of arrivals over the two seconds before the latest arrival.
struct ArrivalRate: Sendable {
    private var times: [Double] = []

    /// Arrivals per second; `nil` with fewer than two arrivals in those seconds.
    var rateHertz: Double? {
        guard times.count > 1, let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / (last - first)
    }

    /// Adds an arrival, seconds.
    mutating func add(_ now: Double) {
        times.append(now)
        times.removeAll { now - $0 > 2 }
    }
}
