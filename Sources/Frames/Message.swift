/// One message of the daemon or of a client, common to both wire formats.
public enum Message: Sendable, Equatable {
    /// The first message of the daemon.
    case hello(Hello)
    /// A client's subscription.
    case subscribe(Subscription)
    /// One frame.
    case frame(Frame, Delivery)
    /// The next maneuver changed.
    case maneuver(Maneuver)
    /// Something changed.
    case event(Event)
    /// The last message of the daemon.
    case bye(Bye)
    /// The status of the daemon.
    case status(Status)
    /// The points to draw along the route.
    case scene(Scene)
    /// Nearby points of interest.
    case points(InterestPoints)
    /// The route for a map.
    case route(RouteLine)
    /// Frames in shared memory of `size` bytes; its descriptor was passed with the message.
    case shared(size: UInt32)
    /// A message of a later version; to be skipped.
    case unknown(type: UInt16)

    /// The daemon's offer to a client.
    public struct Hello: Sendable, Equatable {
        /// The daemon's release, for display.
        public var release: String
        /// The available topics.
        public var topics: Topics = .all
        /// Default frame rate of the stream socket, frames per 1000 s.
        public var defaultRateMillihertz: UInt32 = 10_000
        /// Lowest rate that a client may request, frames per 1000 s.
        public var slowestRateMillihertz: UInt32 = 1_000
        /// Highest rate that a client may request, frames per 1000 s.
        public var fastestRateMillihertz: UInt32 = 10_000_000
        /// Whether the daemon shows a simulated drive. When that changes, it sends another hello.
        public var isSimulated = false

        /// Creates the offer of a release with the default values.
        public init(release: String) { self.release = release }
    }

    /// A client's subscription.
    public struct Subscription: Sendable, Equatable {
        /// The topics.
        public var topics: Topics
        /// Frames per 1000 s; 0 means every frame.
        public var rateMillihertz: UInt32
        /// For loggers: frames are queued for the client, up to a limit. Otherwise the client gets the newest frame
        /// when it reads.
        public var wantsEvery = false
        /// Whether to blend corrections of the pose (glide).
        public var isSmooth = false
        /// Prediction beyond the time of publishing, ms, 0 to ``longestLeadMilliseconds``: until the frame is seen.
        public var leadMilliseconds: UInt32 = 0
        /// The longest prediction, ms: the rates of a pose tell no more.
        public static let longestLeadMilliseconds: UInt32 = 100
        /// Whether to pass the shared memory; only on the binary socket.
        public var wantsSharedMemory = false
        /// Whether to add the position in Earth-centred coordinates to the pose.
        public var wantsECEF = false
        /// Whether the client left the rate to the daemon, which then also limits the bytes of scene and points. Not a
        /// part of the binary message.
        package var hasDefaultRate = false

        /// Creates a subscription.
        public init(topics: Topics, rateMillihertz: UInt32) {
            self.topics = topics
            self.rateMillihertz = rateMillihertz
        }

        /// The parts of a frame that the client gets.
        package var frameTopics: Topics {
            let parts = topics.intersection(.inFrames)
            return wantsECEF && parts.contains(.pose) ? parts.union(.ecef) : parts
        }
    }

    /// The data that accompanies a frame to one client.
    public struct Delivery: Sendable, Equatable {
        /// The topics that were sent; the other parts of the frame are unknown.
        public var topics: Topics
        /// Messages that this client has lost since it connected.
        public var dropped: UInt64

        /// Creates the delivery data.
        public init(topics: Topics, dropped: UInt64) {
            self.topics = topics
            self.dropped = dropped
        }
    }

    /// The next maneuver on the route.
    public struct Maneuver: Sendable, Equatable {
        /// Version of the route.
        public var routeVersion: UInt32
        /// Index in the route's list; `nil` if there is no maneuver ahead.
        public var index: UInt32?
        /// Latitude of the maneuver, radians.
        public var latitudeRadians: Double?
        /// Longitude of the maneuver, radians.
        public var longitudeRadians: Double?
        /// The turn angle, clockwise positive, radians.
        public var turnAngleRadians: Double?
        /// Distance along the route from its start, metres.
        public var alongRouteMeters: Double = 0
        /// The kind of maneuver, as the route names it.
        public var kind = ""
        /// The instruction text of the route.
        public var text = ""
        /// The lanes before the maneuver, from left to right; empty if the router gave none.
        public var lanes: [Lane] = []
        private var following: [Maneuver] = []
        /// The maneuver after this one; `nil` if there is none. It has no `then` of its own.
        public var then: Maneuver? {
            get { following.first }
            set { following = newValue.map { [$0] } ?? [] }
        }

        /// Creates the message that no maneuver is ahead.
        public init(routeVersion: UInt32) { self.routeVersion = routeVersion }
    }

    /// A change of state.
    public struct Event: Sendable, Equatable {
        /// Time of the change: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64
        /// The change.
        public var change: Change

        /// Creates an event.
        public init(timeNanoseconds: Int64, change: Change) {
            self.timeNanoseconds = timeNanoseconds
            self.change = change
        }
    }

    /// The kind of change with the new value.
    public enum Change: Sendable, Equatable {
        /// The state of the pose.
        case poseState(Frame.PoseState)
        /// The state of the guidance.
        case guidanceState(Frame.GuidanceState)
        /// The state of a source.
        case source(SourceName, Frame.SourceState)
        /// The route changed: its new version.
        case route(version: UInt32)
        /// The pose made an announced jump: the number of jumps so far.
        case reset(count: UInt32)
        /// The local frame has a new origin: its epoch.
        case origin(epoch: UInt32)
        /// The target became near or far; `number` counts the targets chosen so far, modulo 65,536.
        case target(number: UInt16, isNear: Bool)
        /// Maneuvers were reached: the index of the last one in the route's list, and how many at once.
        case maneuverReached(index: UInt32, count: UInt16)
        /// Waypoints were reached: the number of the last one in the order of the route, from 1, and how many at once.
        case waypointReached(number: UInt32, count: UInt16)
        /// The vehicle left the route: its version.
        case departed(routeVersion: UInt32)
        /// The vehicle is back on the route of that version; `isAhead`: farther along than where it left.
        case rejoined(routeVersion: UInt32, isAhead: Bool)
        /// The vehicle rejoined the route beyond waypoints that it had not reached: the number of the last one, and how
        /// many.
        case waypointSkipped(number: UInt32, count: UInt16)
        /// This client gets fewer frames than it asked for, or enough again: frames per 1000 s, measured.
        case frameRate(isLow: Bool, millihertz: UInt32)
    }

    /// The sources in the order of ``Frame/Sources``; the raw value is the code in the wire format.
    public enum SourceName: UInt16, Sendable, CaseIterable {
        /// Satellite receiver.
        case gps = 0
        /// Gyro and accelerometer.
        case imu = 1
        /// Magnetometer.
        case magnetometer = 2
        /// Barometer.
        case barometer = 3
        /// Wheel speed.
        case wheels = 4
    }

    /// The last message of the daemon.
    public struct Bye: Sendable, Equatable {
        /// The reason, for programs.
        public var reason: ByeReason
        /// The reason and the remedy, for people.
        public var text: String

        /// Creates the message.
        public init(reason: ByeReason, text: String) {
            self.reason = reason
            self.text = text
        }
    }

    /// The reason why the daemon disconnects a client; the raw value is the code in the wire format.
    public enum ByeReason: UInt16, Sendable, CaseIterable {
        /// A reason of a later version.
        case unknown = 0
        /// The daemon stops.
        case stopping = 1
        /// The client did not read for too long.
        case tooSlow = 2
        /// The limit of connections is reached.
        case tooMany = 3
        /// The client sent an invalid message.
        case malformed = 4
        /// The client sent too much.
        case flood = 5
        /// The client passed file descriptors.
        case descriptors = 6
        /// The client sent a request that cannot be served.
        case badRequest = 7
    }
}

extension Frame.Sources {
    /// The state of one source.
    public subscript(name: Message.SourceName) -> Frame.SourceState {
        get {
            switch name {
            case .gps: gps
            case .imu: imu
            case .magnetometer: magnetometer
            case .barometer: barometer
            case .wheels: wheels
            }
        }
        set {
            switch name {
            case .gps: gps = newValue
            case .imu: imu = newValue
            case .magnetometer: magnetometer = newValue
            case .barometer: barometer = newValue
            case .wheels: wheels = newValue
            }
        }
    }
}
