/// What the estimator refused, by reason; each refusal counts once.
///
/// A refused input is not used, but for these: IMU samples that repeat or are clipped are used with large noise, and of
/// a fix with an unusable part the rest is used. A lost heading or an unhealthy filter restarts the filter.
public struct RejectionCounters: Sendable, Equatable {
    /// IMU samples with NaN or infinity.
    public var inertialNotFinite: UInt64 = 0
    /// IMU samples beyond any sensor's range.
    public var inertialOutOfRange: UInt64 = 0
    /// IMU samples not later than the one before.
    public var inertialTimeBackwards: UInt64 = 0
    /// IMU samples used with large noise, because a sensor or one of its axes repeats itself.
    public var inertialStuck: UInt64 = 0
    /// IMU samples used with large noise, because a reading is at the end of its range.
    public var inertialClipped: UInt64 = 0
    /// Fixes without a usable position.
    public var fixWithoutPosition: UInt64 = 0
    /// Fixes with a value that is not finite or out of range.
    public var fixOutOfRange: UInt64 = 0
    /// Fixes whose own stated accuracy is too poor.
    public var fixPoorAccuracy: UInt64 = 0
    /// Fixes used without a part of them that is not finite or out of range: velocity, climb, a sigma, the geoid, the
    /// declination.
    public var fixPartUnusable: UInt64 = 0
    /// Fixes that do not come from satellites (the receiver's own dead reckoning, a held or simulated position).
    public var fixNotMeasured: UInt64 = 0
    /// Fixes whose receiver says that it is jammed or spoofed.
    public var fixInterfered: UInt64 = 0
    /// Fixes that are valid after they arrived, or 30 s or more before.
    public var fixTimeInvalid: UInt64 = 0
    /// Fixes that arrived more than 10 s after their time of validity, or are older than the running filter.
    public var fixTooLate: UInt64 = 0
    /// Measurements of any kind that were valid before the end of a suspension of the machine.
    public var beforeSuspension: UInt64 = 0
    /// Magnetometer samples that are no field of the Earth.
    public var magneticOutOfRange: UInt64 = 0
    /// Magnetometer samples not later than the one before.
    public var magneticTimeBackwards: UInt64 = 0
    /// Barometer samples outside 100 to 1,200 hPa.
    public var pressureOutOfRange: UInt64 = 0
    /// Barometer samples not later than the one before.
    public var pressureTimeBackwards: UInt64 = 0
    /// Means of barometer samples that came while the navigation filter did not run.
    public var pressureWithoutFilter: UInt64 = 0
    /// Means of barometer samples that came while the height was not known well enough to find their offset.
    public var pressureWithoutHeight: UInt64 = 0
    /// Wheel speeds beyond 150 m/s.
    public var wheelSpeedOutOfRange: UInt64 = 0
    /// Wheel speeds older than the buffer for delayed measurements.
    public var wheelSpeedTooLate: UInt64 = 0
    /// Wheel speeds that came while the navigation filter did not run and no course was known, or not in a vehicle.
    public var wheelSpeedWithoutFilter: UInt64 = 0
    /// Fixes that lay where the motion cannot have led, or far off after a silence, of a receiver that was stuck or
    /// drifting, or not later than the one before, while the filter did not run.
    public var fixUnconfirmed: UInt64 = 0
    /// Times the position began anew at such fixes, while the filter did not run.
    public var positionRestarted: UInt64 = 0
    /// Times the pose of the last stop was contradicted: by the lean at the start, by fixes, by courses, or by the
    /// heading from accelerations.
    public var warmStartRefused: UInt64 = 0
    /// Times the heading was wrong and the filter was restarted.
    public var headingLost: UInt64 = 0
    /// Times a receiver that agreed with itself showed that the filter was wrong.
    public var filterRefuted: UInt64 = 0
    /// Number of times the motion showed that the constraints of a vehicle do not fit.
    public var profileRefuted: UInt64 = 0
    /// Times the positions of a receiver showed that the velocity it states is false.
    public var velocityRefuted: UInt64 = 0
    /// Times a state or variance was out of range and the filter was restarted.
    public var filterRestarted: UInt64 = 0

    /// All zero.
    public init() {}

    /// All counters by the names that `status` and docs/rejections.md use.
    public var named: [(name: String, count: UInt64)] {
        [
            ("inertialNotFinite", inertialNotFinite),
            ("inertialOutOfRange", inertialOutOfRange),
            ("inertialTimeBackwards", inertialTimeBackwards),
            ("inertialStuck", inertialStuck),
            ("inertialClipped", inertialClipped),
            ("fixWithoutPosition", fixWithoutPosition),
            ("fixOutOfRange", fixOutOfRange),
            ("fixPoorAccuracy", fixPoorAccuracy),
            ("fixPartUnusable", fixPartUnusable),
            ("fixNotMeasured", fixNotMeasured),
            ("fixInterfered", fixInterfered),
            ("fixTimeInvalid", fixTimeInvalid),
            ("fixTooLate", fixTooLate),
            ("beforeSuspension", beforeSuspension),
            ("magneticOutOfRange", magneticOutOfRange),
            ("magneticTimeBackwards", magneticTimeBackwards),
            ("pressureOutOfRange", pressureOutOfRange),
            ("pressureTimeBackwards", pressureTimeBackwards),
            ("pressureWithoutFilter", pressureWithoutFilter),
            ("pressureWithoutHeight", pressureWithoutHeight),
            ("wheelSpeedOutOfRange", wheelSpeedOutOfRange),
            ("wheelSpeedTooLate", wheelSpeedTooLate),
            ("wheelSpeedWithoutFilter", wheelSpeedWithoutFilter),
            ("fixUnconfirmed", fixUnconfirmed),
            ("positionRestarted", positionRestarted),
            ("warmStartRefused", warmStartRefused),
            ("headingLost", headingLost),
            ("filterRefuted", filterRefuted),
            ("profileRefuted", profileRefuted),
            ("velocityRefuted", velocityRefuted),
            ("filterRestarted", filterRestarted),
        ]
    }
}
