import Engine
import Frames
import Fusion
import Geodesy
import PoseMath

/// The layout of what a reset keeps of the engine.
enum PastLayout {
    static let past = MessageLayout<EnginePast>(
        "Past",
        [
            .count(1, "published", \.published), .count(2, "sequence", \.sequence),
            .integer(3, "time_ns", \.timeNumber), .count(4, "reset_count", \.estimator.jumpCount),
            .double(5, "reset_east_m", \.estimator.lastJumpENUMeters.x),
            .double(6, "reset_north_m", \.estimator.lastJumpENUMeters.y),
            .double(7, "reset_up_m", \.estimator.lastJumpENUMeters.z),
            .double(8, "reset_heading_rad", \.estimator.lastJumpHeadingRadians),
            .count(9, "origin_epoch", \.originEpoch),
            .count(10, "route_version", \.routeVersion), .count(11, "progress_jumps", \.progressJumpCount),
            .double(12, "progress_jump_m", \.progressJumpMeters),
            .time(13, "last_measurement_ns", \.lastMeasurement),
            .integer(14, "last_wheel_speed_ns", \.lastWheelSpeedNumber),
            .counts(15, "utc_offsets", \.utcNumbers), .count(16, "fix_mode", \.fixMode),
            .count(17, "satellites_used", \.satellitesUsed), .code(18, "gps", \.sources.gps),
            .code(19, "imu", \.sources.imu), .code(20, "magnetometer", \.sources.magnetometer),
            .code(21, "barometer", \.sources.barometer), .code(22, "wheels", \.sources.wheels),
            .double(23, "trim_rad", \.trimNumber), .doubles(24, "mount", \.mountNumbers),
            .count(25, "mount_origin", \.mountOriginNumber), .count(26, "mount_refused", \.mountRefusedNumber),
            .integer(27, "measured_from_ns", \.measuredFromNumber),
            .doubles(28, "declination", \.declinationNumbers),
        ])
}

extension CommandMessage {
    /// The past as a list of at most one. One whose counts the engine would bring beyond their range, or with a number
    /// that is none, is left out: such a reset is one without it.
    var pastList: [EnginePast] {
        get { past.map { [$0] } ?? [] }
        set { past = newValue.last.flatMap { $0.canContinue ? $0 : nil } }
    }
}

extension EnginePast {
    /// Whether counting can go on from here.
    fileprivate var canContinue: Bool {
        let jump = estimator.lastJumpENUMeters
        let numbers = [
            jump.x, jump.y, jump.z, estimator.lastJumpHeadingRadians, progressJumpMeters, headingTrimRadians,
        ]
        return max(published, sequence) < 1 << 62
            && max(originEpoch, progressJumpCount, estimator.jumpCount) < 1 << 31
            && numbers.allSatisfy { $0.isFinite } && estimator.mount?.isValid ?? true
            && estimator.declination?.isUsable ?? true
    }

    /// Time of the latest estimate, nanoseconds; `nil` before the first. One of more than 146 years is none.
    fileprivate var timeNumber: Int64? {
        get { estimator.time.nanoseconds == .min ? nil : estimator.time.nanoseconds }
        set { if let newValue, newValue.magnitude < 1 << 62 { estimator.time = MonotonicTime(nanoseconds: newValue) } }
    }

    /// Time of the last wheel speed, nanoseconds. One of more than 146 years is none.
    fileprivate var lastWheelSpeedNumber: Int64? {
        get { lastWheelSpeed?.nanoseconds }
        set { lastWheelSpeed = newValue.flatMap { $0.magnitude < 1 << 62 ? MonotonicTime(nanoseconds: $0) : nil } }
    }

    /// Heading trim, radians; `nil` for none.
    fileprivate var trimNumber: Double? {
        get { headingTrimRadians == 0 ? nil : headingTrimRadians }
        set { headingTrimRadians = newValue ?? 0 }
    }

    /// The mount in its recorded form; empty without one. One that is none makes the past unusable.
    fileprivate var mountNumbers: [Double] {
        get { estimator.mount?.recorded ?? [] }
        set { estimator.mount = MountEstimate(recorded: newValue, origin: estimator.mount?.origin ?? .kept) }
    }

    /// Number of the mount's origin, which follows the mount.
    fileprivate var mountOriginNumber: UInt8? {
        get { estimator.mount?.origin.rawValue }
        set { if let origin = newValue.flatMap(MountEstimate.Origin.init) { estimator.mount?.origin = origin } }
    }

    /// 1 if the mount in the settings is refused; `nil` otherwise.
    fileprivate var mountRefusedNumber: UInt8? {
        get { estimator.isConfiguredMountRefused ? 1 : nil }
        set { estimator.isConfiguredMountRefused = newValue == 1 }
    }

    /// The declination and its sigma, radians; empty while it is unknown.
    fileprivate var declinationNumbers: [Double] {
        get { estimator.declination?.recorded ?? [] }
        set { estimator.declination = Declination(recorded: newValue) }
    }

    /// Time from which measurements are used, nanoseconds. One of more than 146 years is none.
    fileprivate var measuredFromNumber: Int64? {
        get { estimator.measuredFrom?.nanoseconds }
        set {
            estimator.measuredFrom = newValue.flatMap { $0.magnitude < 1 << 62 ? MonotonicTime(nanoseconds: $0) : nil }
        }
    }

    /// Offsets of UTC as bit patterns.
    fileprivate var utcNumbers: [UInt64] {
        get { clock.recentOffsets.map { UInt64(bitPattern: $0) } }
        set { clock = UTCLabel(recentOffsets: newValue.map { Int64(bitPattern: $0) }) }
    }
}
