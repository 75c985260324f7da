/// A message that waits for its delivery.
public struct StoredMessage: Sendable, Equatable {
    /// What its owner needs to know where it goes.
    public var channel: UInt8
    /// Whether it may be left out when the store is full: one of a series, such as a position.
    public var isThinnable: Bool
    /// The content, at most ``payloadLimit`` bytes.
    public var payload: [UInt8]

    /// Maximum size of a payload, bytes.
    public static let payloadLimit = 131_072

    /// Creates a message.
    public init(channel: UInt8, isThinnable: Bool, payload: [UInt8]) {
        self.channel = channel
        self.isThinnable = isThinnable
        self.payload = payload
    }
}

/// The place of a message in the store. Later messages have later places.
public struct StorePlace: Sendable, Hashable, Comparable {
    /// Number of the file.
    var segment: UInt64
    /// Number of the message in the file, from 0.
    var index: Int

    /// Whether `a` was stored before `b`.
    public static func < (a: StorePlace, b: StorePlace) -> Bool {
        a.segment != b.segment ? a.segment < b.segment : a.index < b.index
    }
}

/// What the store has done since its program started.
public struct StoreCounters: Sendable, Equatable {
    /// Messages that were appended.
    public var appended: UInt64 = 0
    /// Messages that were acknowledged.
    public var acknowledged: UInt64 = 0
    /// Messages that were left out because the store was full.
    public var thinned: UInt64 = 0
    /// Messages that were found from an earlier run of the program.
    public var recovered: UInt64 = 0
    /// Files or parts of files that could not be read.
    public var damaged: UInt64 = 0
    /// Writes that failed.
    public var failedWrites: UInt64 = 0

    /// Creates counters at 0.
    public init() {}
}
