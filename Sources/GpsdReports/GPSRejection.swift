import SensorInterface

/// Every reason for which data from gpsd is rejected or changed. The raw values are the names of the counters in
/// `status`.
package enum GPSRejection: String, CaseIterable, Sendable, Error {
    /// A line that is not a report, or that libgps could not parse.
    case unreadableLine
    /// A line longer than any line of gpsd.
    case overlongLine
    /// A receiver other than the one in use.
    case otherDevice
    /// The receiver has no fix.
    case noFix
    /// A fix without a position.
    case positionMissing
    /// A fix without a time, from a receiver that usually reports one.
    case timeMissing
    /// A time that is not a valid date.
    case timeUnusable
    /// Infinite or NaN.
    case notFinite
    /// Latitude beyond 90 degrees.
    case latitudeOutOfRange
    /// Longitude beyond 180 degrees.
    case longitudeOutOfRange
    /// Latitude and longitude both exactly zero: broken receivers report an unknown position this way.
    case zeroPosition
    /// Height below -11 km or above 100 km; the fix is used without it.
    case altitudeOutOfRange
    /// Negative speed, or above the maximum set; the fix is used without velocity.
    case speedOutOfRange
    /// Course outside 0 to 360 degrees; the fix is used without velocity.
    case courseOutOfRange
    /// Climb faster than 150 m/s; the fix is used without it.
    case climbOutOfRange
    /// An error estimate that is zero, negative or above 10 km. Above 10 km the fix is rejected; otherwise a default
    /// replaces the estimate.
    case sigmaOutOfRange
    /// The epoch is older than the previous one.
    case timeNotForward
    /// The epoch was already delivered.
    case duplicateEpoch
    /// The epoch is ahead of all earlier ones by more than the local clock moved.
    case timeJumpedAhead
    /// The date was wrong by 1024 weeks and was corrected.
    case weekRollover
    /// The date cannot be correct; the fix is used without UTC.
    case dateImplausible
    /// A heading outside 0 to 360 degrees; the fix is used without it.
    case headingOutOfRange
    /// Heading, pitch and roll all exactly zero: receivers report an unknown attitude this way.
    case headingZero
    /// The heading of a magnetic compass; not used.
    case headingMagnetic
    /// The same position to the last digit while the receiver states a speed; the estimator vetoes the fix.
    case positionStuck
    /// The receiver reports that it is jammed; the fix is shown and not used.
    case interference
}

/// The number of rejections for each reason.
package struct GPSRejectionCounts: Equatable, Sendable {
    private var counts: [GPSRejection: UInt64] = [:]

    /// No rejection yet.
    package init() {}

    /// The count of one reason.
    package subscript(reason: GPSRejection) -> UInt64 { counts[reason, default: 0] }

    /// Adds to the count of one reason.
    package mutating func add(_ reason: GPSRejection, times: UInt64 = 1) {
        if times > 0 { counts[reason, default: 0] += times }
    }

    /// All reasons with a count above 0, in the order of the enum.
    package var all: [RejectionCount] {
        GPSRejection.allCases.compactMap { reason in
            counts[reason].map { RejectionCount(reason: reason.rawValue, count: $0) }
        }
    }
}
