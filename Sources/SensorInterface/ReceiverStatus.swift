import Measurements
import PoseMath

/// What a satellite receiver reports of itself, and whether it is used. `nil`: not reported.
package struct ReceiverStatus: Hashable, Sendable {
    /// The receiver as gpsd names it, and gpsd's driver for it.
    package var device: String?
    package var driver: String?
    /// Place in the order of preference, from 1; `nil`: the settings name one receiver.
    package var rank: Int?
    /// Whether its fixes are used.
    package var isInUse = false
    /// Why it came into use, one sentence; `nil`: it was used from the start.
    package var useReason: String?
    /// How often it came into use after another one.
    package var takeovers: UInt64 = 0
    /// Kind and method of the last fix; `nil` before the first report. Without a fix the kind is `none`.
    package var mode: FixMode?
    package var quality = FixQuality.unknown
    /// Age of the corrections that the last fix used, seconds, and their station.
    package var correctionsAgeSeconds: Double?
    package var correctionsStation: UInt16?
    /// The receiver's jamming indicator, 0 (none) to 255 (strong), and whether it counts as jammed.
    package var jammingIndicator: UInt16?
    package var isJammed = false
    /// Satellites used and in view.
    package var satellitesUsed: UInt16?
    package var satellitesVisible: UInt16?
    /// Attitude by several antennas or the receiver's own sensors, degrees; the heading is from true north.
    package var headingDegrees: Double?
    package var pitchDegrees: Double?
    package var rollDegrees: Double?

    /// The status of a receiver that has reported nothing.
    package init() {}

    /// The same with what another status says of the place among other receivers.
    package func placed(as other: ReceiverStatus?) -> ReceiverStatus {
        var placed = self
        guard let other else { return placed }
        (placed.rank, placed.isInUse) = (other.rank, other.isInUse)
        (placed.useReason, placed.takeovers) = (other.useReason, other.takeovers)
        return placed
    }

    /// The kind of solution in one word: `none`, `single`, `dgps`, `rtk_float`, `rtk_fixed`, `dead_reckoning`,
    /// `combined`, `not_measured`; `nil` before the first report.
    package var solution: String? {
        guard let mode else { return nil }
        guard mode != .none else { return "none" }
        return switch quality {
        case .unknown, .autonomous: "single"
        case .differential: "dgps"
        case .rtkFloat: "rtk_float"
        case .rtkFixed: "rtk_fixed"
        case .deadReckoning: "dead_reckoning"
        case .combinedDeadReckoning: "combined"
        case .notMeasured: "not_measured"
        }
    }
}
