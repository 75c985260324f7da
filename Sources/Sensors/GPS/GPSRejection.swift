import SensorInterface

/// Every reason for which something from gpsd is not taken as it is. The raw values are the names that `status` counts
/// under.
enum GPSRejection: String, CaseIterable, Sendable {
    /// A line that is no report, or one that libgps could not parse.
    case unreadableLine
    /// A line longer than any of gpsd's.
    case overlongLine
    /// A receiver other than the one listened to.
    case otherDevice
    /// The receiver has no fix.
    case noFix
    /// A fix without a position.
    case positionMissing
    /// A fix without a time, from a receiver that otherwise gives one.
    case timeMissing
    /// A time that no date can be made of.
    case timeUnusable
    /// Infinite or not a number.
    case notFinite
    /// Latitude beyond 90 degrees.
    case latitudeOutOfRange
    /// Longitude beyond 180 degrees.
    case longitudeOutOfRange
    /// Latitude and longitude both exactly zero: how broken receivers spell "unknown".
    case zeroPosition
    /// Height below -11 km or above 100 km; the fix goes on without it.
    case altitudeOutOfRange
    /// Negative speed, or above the maximum set; the fix goes on without velocity.
    case speedOutOfRange
    /// Course outside 0 to 360 degrees; the fix goes on without velocity.
    case courseOutOfRange
    /// Climb faster than 150 m/s; the fix goes on without it.
    case climbOutOfRange
    /// An estimate of error that is zero, negative or above 10 km. Above: the fix is refused; else a default takes its
    /// place.
    case sigmaOutOfRange
    /// The epoch is older than the one before.
    case timeNotForward
    /// The epoch was handed over already.
    case duplicateEpoch
    /// The epoch is ahead of all that came before by more than the clock moved.
    case timeJumpedAhead
    /// The date was 1024 weeks off and has been put right.
    case weekRollover
    /// The date cannot be right; the fix goes on without UTC.
    case dateImplausible
    /// The same position to the last digit while the receiver says it moves.
    case positionStuck
    /// The receiver says that it is jammed; the fix is shown and not used.
    case interference
}

/// How often each reason came up.
struct GPSRejectionCounts: Equatable, Sendable {
    private var counts: [GPSRejection: UInt64] = [:]

    /// How often this one did.
    subscript(reason: GPSRejection) -> UInt64 { counts[reason, default: 0] }

    /// Counts one more.
    mutating func add(_ reason: GPSRejection, times: UInt64 = 1) {
        if times > 0 { counts[reason, default: 0] += times }
    }

    /// All that came up, in the order of the enum.
    var all: [RejectionCount] {
        GPSRejection.allCases.compactMap { reason in
            counts[reason].map { RejectionCount(reason: reason.rawValue, count: $0) }
        }
    }
}
