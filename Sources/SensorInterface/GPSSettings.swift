/// All settings of the GPS source.
package struct GPSSettings: Hashable, Sendable {
    /// Host on which gpsd runs: name or address.
    package var host = "localhost"
    /// TCP port of gpsd.
    package var port: UInt16 = 2947
    /// The receiver to use, as gpsd names it (`/dev/ttyACM0`). `nil` uses the first receiver with a fix, and another
    /// one only when that one stops sending.
    package var device: String?
    /// Several receivers, in the order of preference; empty: the one of ``host``, ``port`` and ``device``. The first
    /// one that delivers fixes is used.
    package var receivers: [GPSReceiverPlace] = []
    /// How to interpret the error estimates in gpsd's reports.
    package var errorConfidence = GPSErrorConfidence.automatic
    /// Delay of a report from its time of validity to its arrival here, used while the system clock cannot give it,
    /// seconds, 0 to 1.5.
    package var nominalLatencySeconds = 0.15
    /// A speed above this value is a receiver error, m/s.
    package var maximumSpeedMetersPerSecond = 150.0
    /// A UTC before this value comes from a rolled-over or unset clock, nanoseconds since 1970. At the latest the day
    /// this program was written.
    package var earliestUTCNanoseconds: Int64 = 1_790_812_800_000_000_000  // 2026-10-01

    /// The defaults.
    package init() {}
}

extension GPSSettings {
    /// The settings of each receiver, in the order of preference: at least one.
    package var perReceiver: [GPSSettings] {
        guard !receivers.isEmpty else { return [self] }
        return receivers.map { place in
            var own = self
            own.receivers = []
            if let host = place.host { (own.host, own.port) = (host, place.port ?? 2947) }
            own.device = place.device
            return own
        }
    }
}

/// Interpretation of gpsd's error estimates (`eph`, `epv`, `eps` ...), whose confidence gpsd's manual leaves open.
package enum GPSErrorConfidence: String, Sendable, CaseIterable {
    /// 1-sigma for receivers with the u-blox driver, otherwise 95 %.
    case automatic
    /// Always 1-sigma.
    case oneSigma
    /// Always 95 %.
    case ninetyFivePercent
}
