/// The reason why something from the vehicle bus was not used; the raw values are the names in `status`.
enum CANRejection: String, CaseIterable, Sendable {
    /// Bytes that are no frame.
    case malformed = "malformed_frame"
    /// A frame too short for its signal.
    case shortFrame = "short_frame"
    /// The raw value that means "not available".
    case notAvailable = "not_available"
    /// Outside the signal's range, or a speed beyond 150 m/s.
    case outOfRange = "out_of_range"
    /// The speed of a wheel without those of the others.
    case wheelsApart = "wheels_apart"
    /// The time stamp did not increase.
    case timeNotIncreasing = "time_not_increasing"
    /// The time stamp is later than now.
    case timeInFuture = "time_in_future"
    /// The time stamp is too old.
    case timeInPast = "time_in_past"
    /// The kernel's queue of frames was full.
    case queueFull = "queue_full"
    /// The control unit refused a request by OBD-II.
    case diagnosticsRefused = "obd_refused"
    /// No control unit answered a request by OBD-II.
    case diagnosticsTimeout = "obd_timeout"
}

/// Counts by ``CANRejection``. Does not allocate.
struct CANCounts: Sendable {
    private var counts = InlineArray<11, UInt64>(repeating: 0)

    /// Adds to the count of a reason.
    mutating func add(_ reason: CANRejection, _ number: UInt64 = 1) { counts[Self.index(reason)] &+= number }

    /// The count of a reason.
    subscript(reason: CANRejection) -> UInt64 { counts[Self.index(reason)] }

    private static func index(_ reason: CANRejection) -> Int {
        switch reason {
        case .malformed: 0
        case .shortFrame: 1
        case .notAvailable: 2
        case .outOfRange: 3
        case .wheelsApart: 4
        case .timeNotIncreasing: 5
        case .timeInFuture: 6
        case .timeInPast: 7
        case .queueFull: 8
        case .diagnosticsRefused: 9
        case .diagnosticsTimeout: 10
        }
    }
}
