/// What one line from gpsd says, as plain values: all that the rest of the source knows of libgps.
enum GpsdReport: Equatable, Sendable {
    /// The greeting.
    case version(GpsdVersion)
    /// All receivers gpsd serves.
    case devices([GpsdDevice])
    /// One receiver appeared, changed or went away.
    case device(GpsdDevice)
    /// Time, position, velocity.
    case fix(GpsdFix)
    /// Satellites.
    case sky(GpsdSky)
    /// gpsd refused a request.
    case error(String)
    /// A kind of report that is of no use here; still a sign of life.
    case other
    /// Not a report, or one that libgps could not parse.
    case unreadable
}

/// gpsd's greeting.
struct GpsdVersion: Equatable, Sendable {
    /// gpsd's release, such as `3.22`.
    var release: String
    /// Version of its protocol.
    var protocolMajor: Int32
}

/// One receiver that gpsd serves.
struct GpsdDevice: Equatable, Sendable {
    /// Where it is, such as `/dev/ttyACM0`.
    var path: String
    /// gpsd's driver for it, such as `u-blox` or `NMEA0183`; empty until gpsd knows.
    var driver = ""
    /// Whether gpsd has it open.
    var isActive = true
    /// Time between its reports as gpsd has it, seconds; `nil` where it says none. gpsd says 1 for many faster
    /// receivers.
    var cycleSeconds: Double?
}

/// One report of the sky: what the satellites are.
struct GpsdSky: Equatable, Sendable {
    /// The receiver; empty where gpsd does not say.
    var devicePath = ""
    /// Satellites in view; `nil`: not said.
    var satellitesVisible: UInt16?
    /// Satellites used; `nil`: not said.
    var satellitesUsed: UInt16?
    /// Horizontal dilution of precision; `nil`: not said.
    var horizontalDilution: Double?
}

/// One TPV report. `nil` is what gpsd did not say; what it said may still be nonsense (infinite, out of range): nothing
/// here is checked.
struct GpsdFix: Equatable, Sendable {
    /// The receiver; empty where gpsd does not say.
    var devicePath = ""
    /// gpsd's `mode`: 0 and 1 no fix, 2 without height, 3 with height.
    var mode: Int32 = 0
    /// gpsd's `status`.
    var status: Int32 = 0
    /// Time of the epoch, nanoseconds since 1970.
    var utcNanoseconds: Int64?
    /// Whether a time was there that no date can be made of.
    var hasUnusableTime = false
    /// Latitude, degrees.
    var latitudeDegrees: Double?
    /// Longitude, degrees.
    var longitudeDegrees: Double?
    /// `altHAE`, metres above the ellipsoid.
    var altitudeEllipsoidMeters: Double?
    /// `altMSL`, metres above mean sea level.
    var altitudeMeanSeaMeters: Double?
    /// Speed over ground, m/s.
    var speedMetersPerSecond: Double?
    /// Course over ground from true north, degrees.
    var courseDegrees: Double?
    /// Upward speed, m/s.
    var climbMetersPerSecond: Double?
    /// `eph`: error of the horizontal position, metres.
    var horizontalErrorMeters: Double?
    /// `epx`: error eastward, metres.
    var eastErrorMeters: Double?
    /// `epy`: error northward, metres.
    var northErrorMeters: Double?
    /// `epv`: error of the height, metres.
    var verticalErrorMeters: Double?
    /// `eps`: error of the speed, m/s.
    var speedErrorMetersPerSecond: Double?
    /// `epc`: error of the climb, m/s.
    var climbErrorMetersPerSecond: Double?
    /// `sep`: error in three dimensions, metres.
    var sphericalErrorMeters: Double?
    /// `geoidSep`: the geoid above the ellipsoid, metres.
    var geoidSeparationMeters: Double?
    /// `jam`: the receiver's indicator of interference, 0 (none) to 255 (strong); gpsd 3.25 and later pass it on where
    /// the receiver has one.
    var jammingIndicator: UInt16?
    /// `magvar`: magnetic declination, east positive, degrees.
    var magneticVariationDegrees: Double?

    /// Every quantity that a report of the same epoch may add.
    static var quantities: [WritableKeyPath<GpsdFix, Double?>] {
        [
            \.latitudeDegrees, \.longitudeDegrees, \.altitudeEllipsoidMeters, \.altitudeMeanSeaMeters,
            \.speedMetersPerSecond, \.courseDegrees,
            \.climbMetersPerSecond, \.horizontalErrorMeters, \.eastErrorMeters, \.northErrorMeters,
            \.verticalErrorMeters,
            \.speedErrorMetersPerSecond, \.climbErrorMetersPerSecond, \.sphericalErrorMeters, \.geoidSeparationMeters,
            \.magneticVariationDegrees,
        ]
    }

    /// Which quantities are there, one bit each, and one for the height being part of the fix.
    var content: UInt32 {
        var bits: UInt32 = mode >= 3 ? 1 : 0
        for (index, quantity) in Self.quantities.enumerated() where self[keyPath: quantity] != nil {
            bits |= 2 << UInt32(index)
        }
        return bits
    }

    /// Takes over what a later report of the same epoch says; what it leaves out stays.
    mutating func absorb(_ later: GpsdFix) {
        mode = max(mode, later.mode)
        if later.status != 0 { status = later.status }
        jammingIndicator = later.jammingIndicator ?? jammingIndicator
        for quantity in Self.quantities {
            if let value = later[keyPath: quantity] { self[keyPath: quantity] = value }
        }
    }
}
