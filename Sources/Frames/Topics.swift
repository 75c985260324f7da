/// Parts of a frame that a client may ask for; the bits are the wire's.
public struct Topics: OptionSet, Sendable, Hashable {
    /// One bit a topic, as in `posed.h`.
    public let rawValue: UInt32

    /// Topics from the wire's bits; bits without a meaning are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Where and how turned.
    public static let pose = Topics(rawValue: 1 << 0)
    /// Along the route.
    public static let guidance = Topics(rawValue: 1 << 1)
    /// How fast against the limit.
    public static let speed = Topics(rawValue: 1 << 2)
    /// State of each source.
    public static let sources = Topics(rawValue: 1 << 3)
    /// Announcements, as they happen: a new maneuver, a source lost and found, arrival.
    public static let events = Topics(rawValue: 1 << 4)

    /// How the daemon is, once a second.
    public static let status = Topics(rawValue: 1 << 5)
    /// What to draw along the route.
    public static let scene = Topics(rawValue: 1 << 6)
    /// Points of interest around.
    public static let points = Topics(rawValue: 1 << 7)

    /// Every topic of this version.
    public static let all: Topics = [.pose, .guidance, .speed, .sources, .events, .status, .scene, .points]
    /// The topics that are parts of a frame; the others have messages of their own.
    public static let inFrames: Topics = [.pose, .guidance, .speed, .sources]

    /// The topics by their names on the wire.
    public static let named: [(name: StaticString, topic: Topics)] = [
        ("pose", .pose), ("guidance", .guidance), ("speed", .speed), ("sources", .sources), ("events", .events),
        ("status", .status), ("scene", .scene), ("points", .points),
    ]

    /// The topic of that name; `nil` for a name that is none.
    public init?(name: String) {
        guard let match = Topics.named.first(where: { $0.name.description == name }) else { return nil }
        self = match.topic
    }
}
