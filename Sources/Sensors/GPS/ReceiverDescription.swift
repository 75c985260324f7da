import GpsdReports
import Measurements
import PoseMath
import SensorInterface

/// Collects what a receiver reports of itself, for `status`. Pure.
struct ReceiverDescription {
    /// Age from which an attitude is no longer shown, seconds.
    private static let attitudeSeconds = 5.0

    private var shown = ReceiverStatus()
    private var epoch: Int64?
    private var attitudeTime: MonotonicTime?

    /// Processes a report of position and velocity. The reports of one epoch add to each other.
    mutating func note(_ fix: GpsdFix) {
        let isSameEpoch = fix.utcNanoseconds != nil && fix.utcNanoseconds == epoch
        epoch = fix.utcNanoseconds
        shown.device = fix.devicePath.isEmpty ? nil : fix.devicePath
        let mode = FixBuilder.mode(fix.mode) ?? .none
        let quality = FixBuilder.quality(fix.status)
        shown.mode = isSameEpoch && (shown.mode ?? .none).rawValue > mode.rawValue ? shown.mode : mode
        shown.quality = isSameEpoch && quality == .unknown ? shown.quality : quality
        shown.correctionsAgeSeconds = fix.correctionsAgeSeconds ?? (isSameEpoch ? shown.correctionsAgeSeconds : nil)
        shown.correctionsStation = fix.correctionsStation ?? (isSameEpoch ? shown.correctionsStation : nil)
        shown.jammingIndicator = fix.jammingIndicator ?? (isSameEpoch ? shown.jammingIndicator : nil)
    }

    /// Processes a report of the attitude.
    mutating func note(_ attitude: GpsdAttitude, at now: MonotonicTime) {
        guard case .success(let degrees) = attitude.usableHeading() else { return }
        attitudeTime = now
        shown.headingDegrees = degrees
        shown.pitchDegrees = Self.usable(attitude.pitchDegrees)
        shown.rollDegrees = Self.usable(attitude.rollDegrees)
    }

    private static func usable(_ degrees: Double?) -> Double? { degrees.flatMap { abs($0) <= 180 ? $0 : nil } }

    /// Forgets what a receiver has said that is silent now.
    mutating func forget() { self = ReceiverDescription() }

    /// The status without its place among other receivers.
    ///
    /// - Parameters:
    ///   - driver: gpsd's driver; `nil` while unknown.
    func status(driver: String?, isJammed: Bool, used: UInt16?, visible: UInt16?, at now: MonotonicTime)
        -> ReceiverStatus
    {
        var status = shown
        if attitudeTime.map({ now.seconds(since: $0) > Self.attitudeSeconds }) ?? true {
            (status.headingDegrees, status.pitchDegrees, status.rollDegrees) = (nil, nil, nil)
        }
        status.driver = driver.flatMap { $0.isEmpty ? nil : $0 }
        status.isJammed = isJammed
        (status.satellitesUsed, status.satellitesVisible) = (used, visible)
        return status
    }
}
