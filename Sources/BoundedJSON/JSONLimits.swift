/// How much a JSON text may ask for before it is refused.
public struct JSONLimits: Sendable, Equatable {
    /// Size of the text, bytes.
    public var maximumBytes: Int
    /// Arrays and objects inside one another.
    public var maximumDepth: Int
    /// Values and member names together; each costs 16 bytes.
    public var maximumEntries: Int

    /// The limits; the defaults suit one command on a socket.
    public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 32, maximumEntries: Int = 100_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumEntries = maximumEntries
    }

    /// For files of routes: 64 MB (a route of 10,000 km with every annotation has about 30), 64 levels, 5 million
    /// entries (it has about 4).
    public static let routeFile = JSONLimits(maximumBytes: 64_000_000, maximumDepth: 64, maximumEntries: 5_000_000)
}
