import SensorInterface

/// The reason why something from the vehicle bus was not used, beside its time stamp (``TimeStampRefusal``); the raw
/// values are the names in `status`.
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
    /// The kernel's queue of frames, or that of the controller, was full.
    case queueFull = "queue_full"
    /// The control unit refused a request by OBD-II.
    case diagnosticsRefused = "obd_refused"
    /// No control unit answered a request by OBD-II.
    case diagnosticsTimeout = "obd_timeout"
}

/// Counts by ``CANRejection`` and ``TimeStampRefusal``. Adding to them does not allocate.
struct CANCounts: Sendable {
    private var counts = InlineArray<8, UInt64>(repeating: 0)
    private var timeStamps = InlineArray<3, UInt64>(repeating: 0)

    /// Adds to the count of a reason.
    mutating func add(_ reason: CANRejection, _ number: UInt64 = 1) { counts[Self.index(reason)] &+= number }

    /// The count of a reason.
    subscript(reason: CANRejection) -> UInt64 { counts[Self.index(reason)] }

    /// Adds to the count of a refused time stamp.
    mutating func add(_ refusal: TimeStampRefusal, _ number: UInt64) { timeStamps[refusal.index] &+= number }

    /// The reasons with a count above 0.
    var named: [RejectionCount] {
        CANRejection.allCases.map { RejectionCount(reason: $0.rawValue, count: self[$0]) }.filter { $0.count > 0 }
            + TimeStampRefusal.allCases.map { RejectionCount(reason: $0.rawValue, count: timeStamps[$0.index]) }
            .filter { $0.count > 0 }
    }

    private static func index(_ reason: CANRejection) -> Int {
        switch reason {
        case .malformed: 0
        case .shortFrame: 1
        case .notAvailable: 2
        case .outOfRange: 3
        case .wheelsApart: 4
        case .queueFull: 5
        case .diagnosticsRefused: 6
        case .diagnosticsTimeout: 7
        }
    }
}
