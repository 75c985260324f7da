/// Limits of a JSON text; a text beyond them is refused.
public struct JSONLimits: Sendable, Equatable {
    /// Maximum size of the text, bytes.
    public var maximumBytes: Int
    /// Maximum nesting depth of arrays and objects.
    public var maximumDepth: Int
    /// Maximum number of values and member names together; each needs 16 bytes.
    public var maximumEntries: Int

    /// Creates limits; the defaults suit one command on a socket.
    public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 32, maximumEntries: Int = 100_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumEntries = maximumEntries
    }

    /// For route files: 64 MB (a route of 10,000 km with all annotations has about 30), 64 levels, 5 million entries
    /// (it has about 4 million).
    public static let routeFile = JSONLimits(maximumBytes: 64_000_000, maximumDepth: 64, maximumEntries: 5_000_000)
}
