/// The content of one line from gpsd as plain values. The rest of the source does not depend on libgps.
enum GpsdReport: Equatable, Sendable {
    /// gpsd's greeting.
    case version(GpsdVersion)
    /// All receivers that gpsd serves.
    case devices([GpsdDevice])
    /// One receiver was added, changed or removed.
    case device(GpsdDevice)
    /// Time, position and velocity (TPV).
    case fix(GpsdFix)
    /// Satellites (SKY).
    case sky(GpsdSky)
    /// gpsd rejected a request.
    case error(String)
    /// A report that is not used; it still shows that gpsd is alive.
    case other
    /// Not a report, or a line that libgps could not parse.
    case unreadable
}

/// gpsd's greeting.
struct GpsdVersion: Equatable, Sendable {
    /// gpsd's release, such as `3.22`.
    var release: String
    /// Version of gpsd's protocol.
    var protocolMajor: Int32
}

/// One receiver that gpsd serves.
struct GpsdDevice: Equatable, Sendable {
    /// Device path, such as `/dev/ttyACM0`.
    var path: String
    /// gpsd's driver for it, such as `u-blox` or `NMEA0183`; empty until gpsd knows it.
    var driver = ""
    /// Whether gpsd has it open.
    var isActive = true
    /// Time between its reports according to gpsd, seconds; `nil` if gpsd reports none. gpsd reports 1 for many faster
    /// receivers.
    var cycleSeconds: Double?
}

/// One SKY report: satellites and dilution of precision.
struct GpsdSky: Equatable, Sendable {
    /// Device path of the receiver; empty if gpsd does not report it.
    var devicePath = ""
    /// Satellites in view; `nil` if not reported.
    var satellitesVisible: UInt16?
    /// Satellites used; `nil` if not reported.
    var satellitesUsed: UInt16?
    /// Horizontal dilution of precision; `nil` if not reported.
    var horizontalDilution: Double?
}

/// One TPV report. `nil` means that gpsd did not report the value. Reported values are not checked here: they may be
/// infinite or out of range.
struct GpsdFix: Equatable, Sendable {
    /// Device path of the receiver; empty if gpsd does not report it.
    var devicePath = ""
    /// gpsd's `mode`: 0 and 1 no fix, 2 without height, 3 with height.
    var mode: Int32 = 0
    /// gpsd's `status`.
    var status: Int32 = 0
    /// Time of the epoch, nanoseconds since 1970.
    var utcNanoseconds: Int64?
    /// Whether the report had a time that is not a valid date.
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
    /// `geoidSep`: height of the geoid above the ellipsoid, metres.
    var geoidSeparationMeters: Double?
    /// `jam`: the receiver's jamming indicator, 0 (none) to 255 (strong); gpsd 3.25 and later report it if the receiver
    /// has one.
    var jammingIndicator: UInt16?
    /// `magvar`: magnetic declination, east positive, degrees.
    var magneticVariationDegrees: Double?

    /// Every quantity that a later report of the same epoch may add.
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

    /// A bit mask of the quantities present; the lowest bit means that the height is part of the fix.
    var content: UInt32 {
        var bits: UInt32 = mode >= 3 ? 1 : 0
        for (index, quantity) in Self.quantities.enumerated() where self[keyPath: quantity] != nil {
            bits |= 2 << UInt32(index)
        }
        return bits
    }

    /// Merges a later report of the same epoch; quantities that it omits are kept.
    mutating func merge(_ later: GpsdFix) {
        mode = max(mode, later.mode)
        if later.status != 0 { status = later.status }
        jammingIndicator = later.jammingIndicator ?? jammingIndicator
        for quantity in Self.quantities {
            if let value = later[keyPath: quantity] { self[keyPath: quantity] = value }
        }
    }
}
