import Frames

/// What the monitor knows of the daemon: the latest of everything it said. A value without clock or socket; times are
/// seconds on one clock.
struct MonitorState: Sendable {
    /// Whether the daemon is there.
    var connection = Connection.connecting(why: "")
    /// The daemon's release, once it has said hello.
    var release: String?
    /// The latest frame.
    var frame: Frame?
    /// When it came, seconds.
    var frameSeconds: Double?
    /// The latest frame's line as it came.
    var frameLine = ""
    /// Messages this client has lost.
    var dropped: UInt64 = 0
    /// The next maneuver.
    var maneuver: Message.Maneuver?
    /// The daemon's latest answer to `status`.
    var status: StatusReply?
    /// What happened, the newest last.
    var events: [String] = []
    /// Frames a second as they come in; `nil` before there are enough to tell.
    var rateHertz: Double? { arrivals.rateHertz }

    private var arrivals = ArrivalRate()
    private static let keptEvents = 50

    /// Nothing known yet.
    init() {}

    /// Whether the daemon is there.
    enum Connection: Sendable, Equatable {
        /// Being tried, and why it is not there yet.
        case connecting(why: String)
        /// There.
        case connected
    }

    /// Takes a frame that came at a time.
    mutating func take(_ frame: Frame, line: String, dropped: UInt64, atSeconds now: Double) {
        self.frame = frame
        self.dropped = dropped
        frameLine = line
        frameSeconds = now
        arrivals.note(now)
        if maneuver?.routeVersion != frame.guidance.routeVersion { maneuver = nil }
    }

    /// Takes the next maneuver.
    mutating func take(_ maneuver: Message.Maneuver) {
        self.maneuver = maneuver.index == nil ? nil : maneuver
    }

    /// Takes word of something that happened.
    mutating func take(event: String) {
        events.append(event)
        if events.count > Self.keptEvents { events.removeFirst(events.count - Self.keptEvents) }
    }

    /// The daemon has gone; what it said is no longer true.
    mutating func disconnect(why: String) {
        if connection == .connected { take(event: "connection lost: \(why)") }
        let events = events
        self = MonitorState()
        self.events = events
        connection = .connecting(why: why)
    }
}

/// How often something comes: over the two seconds before the latest arrival.
struct ArrivalRate: Sendable {
    private var times: [Double] = []

    /// Arrivals a second; `nil` while only one lies in those seconds.
    var rateHertz: Double? {
        guard times.count > 1, let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / (last - first)
    }

    mutating func note(_ now: Double) {
        times.append(now)
        times.removeAll { now - $0 > 2 }
    }
}
