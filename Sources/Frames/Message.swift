/// One message of the daemon or of a client, as both forms of the wire carry it.
public enum Message: Sendable, Equatable {
    /// The daemon's first word.
    case hello(Hello)
    /// What a client wants.
    case subscribe(Subscription)
    /// One instant.
    case frame(Frame, Delivery)
    /// The next maneuver has changed.
    case maneuver(Maneuver)
    /// Something changed.
    case event(Event)
    /// The daemon's last word.
    case bye(Bye)
    /// How the daemon is.
    case status(Status)
    /// What to draw along the route.
    case scene(Scene)
    /// Points of interest around.
    case points(InterestPoints)
    /// Frames in shared memory: so many bytes, whose descriptor came with the message.
    case shared(size: UInt32)
    /// A message of a later version, to be skipped.
    case unknown(type: UInt16)

    /// What the daemon offers.
    public struct Hello: Sendable, Equatable {
        /// The daemon's release, for people.
        public var release: String
        /// Topics it has.
        public var topics: Topics = .all
        /// Frames per 1000 s to a client that does not say.
        public var defaultRateMillihertz: UInt32 = 60_000
        /// The least a client may ask for, frames per 1000 s.
        public var slowestRateMillihertz: UInt32 = 1_000
        /// The most a client may ask for, frames per 1000 s.
        public var fastestRateMillihertz: UInt32 = 10_000_000

        /// The offer of that release, all else as usual.
        public init(release: String) { self.release = release }
    }

    /// What a client wants.
    public struct Subscription: Sendable, Equatable {
        /// Which topics.
        public var topics: Topics
        /// Frames per 1000 s; 0: every frame there is.
        public var rateMillihertz: UInt32
        /// For loggers: frames wait for the client, up to a bound. Else it gets the newest when it comes to read.
        public var wantsEvery = false
        /// Whether announced jumps are glided over.
        public var isSmooth = false
        /// Whether the shared memory is to be handed over; over the binary socket alone.
        public var wantsSharedMemory = false

        /// The wish.
        public init(topics: Topics, rateMillihertz: UInt32) {
            self.topics = topics
            self.rateMillihertz = rateMillihertz
        }
    }

    /// What comes with a frame on its way to one client.
    public struct Delivery: Sendable, Equatable {
        /// The topics that were sent; the rest of the frame knows nothing.
        public var topics: Topics
        /// Messages this client has lost since it connected.
        public var dropped: UInt64

        /// The delivery.
        public init(topics: Topics, dropped: UInt64) {
            self.topics = topics
            self.dropped = dropped
        }
    }

    /// What to do next on the route.
    public struct Maneuver: Sendable, Equatable {
        /// Of which route.
        public var routeVersion: UInt32
        /// Its index in the route's list; `nil`: there is none ahead.
        public var index: UInt32?
        /// Where: latitude, radians.
        public var latitudeRadians: Double?
        /// Where: longitude, radians.
        public var longitudeRadians: Double?
        /// The turn, clockwise positive, radians.
        public var turnAngleRadians: Double?
        /// From the route's start, metres.
        public var alongRouteMeters: Double = 0
        /// What kind it is, in the route's own words.
        public var kind = ""
        /// The instruction as the route gave it.
        public var text = ""
        /// The lanes before it, from left to right; empty where the router gave none.
        public var lanes: [Lane] = []

        /// The word that no maneuver is ahead.
        public init(routeVersion: UInt32) { self.routeVersion = routeVersion }
    }

    /// Something changed.
    public struct Event: Sendable, Equatable {
        /// When: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64
        /// What.
        public var change: Change

        /// The event.
        public init(timeNanoseconds: Int64, change: Change) {
            self.timeNanoseconds = timeNanoseconds
            self.change = change
        }
    }

    /// What changed, with its new value.
    public enum Change: Sendable, Equatable {
        /// How far the pose can be trusted.
        case poseState(Frame.PoseState)
        /// Where on or off the route.
        case guidanceState(Frame.GuidanceState)
        /// A source.
        case source(SourceName, Frame.SourceState)
        /// The route: its new version.
        case route(version: UInt32)
        /// The pose jumped on purpose: how often so far.
        case reset(count: UInt32)
        /// The local frame has a new origin: its epoch.
        case origin(epoch: UInt32)
        /// The target came near, or is far again; how many targets were chosen so far, modulo 65,536.
        case target(number: UInt16, isNear: Bool)
    }

    /// The sources in the order of ``Frame/Sources``; the raw value is the wire's.
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

    /// The daemon's last word.
    public struct Bye: Sendable, Equatable {
        /// Why, for programs.
        public var reason: ByeReason
        /// Why and what to do, for people.
        public var text: String

        /// The word.
        public init(reason: ByeReason, text: String) {
            self.reason = reason
            self.text = text
        }
    }

    /// Why the daemon leaves a client; the raw value is the wire's.
    public enum ByeReason: UInt16, Sendable, CaseIterable {
        /// A reason of a later version.
        case unknown = 0
        /// The daemon ends.
        case stopping = 1
        /// The client took nothing for too long.
        case tooSlow = 2
        /// The limit of clients is reached.
        case tooMany = 3
        /// The client sent what is no message.
        case malformed = 4
        /// The client sent too much.
        case flood = 5
        /// The client passed descriptors.
        case descriptors = 6
        /// The client asked for what cannot be given.
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
