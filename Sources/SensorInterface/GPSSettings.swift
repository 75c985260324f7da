/// Everything about the satellite receiver that a user may set.
package struct GPSSettings: Hashable, Sendable {
    /// Host on which gpsd runs: a name or an address.
    package var host = "localhost"
    /// TCP port of gpsd.
    package var port: UInt16 = 2947
    /// The one receiver to listen to, as gpsd names it (`/dev/ttyACM0`); `nil`: the first that gives a fix, another
    /// only when that one falls silent.
    package var device: String?
    /// What the estimates of error in gpsd's reports are taken for.
    package var errorConfidence = GPSErrorConfidence.automatic
    /// How long a report takes from its time of validity to here, used while the system clock cannot tell, seconds, 0
    /// to 1.5.
    package var nominalLatencySeconds = 0.15
    /// A speed above this is an error of the receiver, m/s.
    package var maximumSpeedMetersPerSecond = 150.0
    /// UTC before this is a rolled-over or unset clock, nanoseconds since 1970. At the latest the day this program was
    /// written.
    package var earliestUTCNanoseconds: Int64 = 1_790_812_800_000_000_000  // 2026-10-01

    /// The defaults.
    package init() {}
}

/// What gpsd's estimates of error (`eph`, `epv`, `eps` ...) are taken for; its manual leaves it open.
package enum GPSErrorConfidence: String, Sendable, CaseIterable {
    /// 1-sigma where the u-blox protocol is spoken, else 95 %.
    case automatic
    /// Always 1-sigma.
    case oneSigma
    /// Always 95 %.
    case ninetyFivePercent
}
