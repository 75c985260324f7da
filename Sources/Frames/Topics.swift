/// Parts of a frame that a client can subscribe to; the bits are those of the wire format.
public struct Topics: OptionSet, Sendable, Hashable {
    /// One bit per topic, as in `posed.h`.
    public let rawValue: UInt32

    /// Creates topics from the bits of the wire format; unknown bits are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Position, velocity and attitude.
    public static let pose = Topics(rawValue: 1 << 0)
    /// Guidance along the route.
    public static let guidance = Topics(rawValue: 1 << 1)
    /// Speed and speed limit.
    public static let speed = Topics(rawValue: 1 << 2)
    /// State of each source.
    public static let sources = Topics(rawValue: 1 << 3)
    /// Events when they occur: a new maneuver, a source lost or found, arrival.
    public static let events = Topics(rawValue: 1 << 4)

    /// The status of the daemon, once per second.
    public static let status = Topics(rawValue: 1 << 5)
    /// The points to draw along the route.
    public static let scene = Topics(rawValue: 1 << 6)
    /// Nearby points of interest.
    public static let points = Topics(rawValue: 1 << 7)
    /// The route for a map.
    public static let route = Topics(rawValue: 1 << 8)

    /// Every topic of this version.
    public static let all: Topics = [.pose, .guidance, .speed, .sources, .events, .status, .scene, .points, .route]
    /// The topics that are parts of a frame; the other topics have their own messages.
    public static let inFrames: Topics = [.pose, .guidance, .speed, .sources]

    /// The position in Earth-centred coordinates, which an option of the subscription adds to the pose: not a topic of
    /// the wire.
    public static let ecef = Topics(rawValue: 1 << 31)

    /// The topics by their names in the wire format.
    public static let named: [(name: StaticString, topic: Topics)] = [
        ("pose", .pose), ("guidance", .guidance), ("speed", .speed), ("sources", .sources), ("events", .events),
        ("status", .status), ("scene", .scene), ("points", .points), ("route", .route),
    ]

    /// The topic with that name; `nil` for an unknown name.
    public init?(name: String) {
        guard let match = Topics.named.first(where: { $0.name.description == name }) else { return nil }
        self = match.topic
    }
}
