import Engine
import Frames
import Fusion
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
        let numbers = [jump.x, jump.y, jump.z, estimator.lastJumpHeadingRadians, progressJumpMeters]
        return max(published, sequence) < 1 << 62
            && max(originEpoch, progressJumpCount, estimator.jumpCount) < 1 << 31
            && numbers.allSatisfy { $0.isFinite }
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

    /// Offsets of UTC as bit patterns.
    fileprivate var utcNumbers: [UInt64] {
        get { clock.recentOffsets.map { UInt64(bitPattern: $0) } }
        set { clock = UTCLabel(recentOffsets: newValue.map { Int64(bitPattern: $0) }) }
    }
}
