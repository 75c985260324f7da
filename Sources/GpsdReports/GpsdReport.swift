/// The content of one line from gpsd as plain values. Nothing here depends on libgps.
package enum GpsdReport: Equatable, Sendable {
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
    /// Attitude (ATT).
    case attitude(GpsdAttitude)
    /// gpsd rejected a request.
    case error(String)
    /// A report that is not used; it still shows that gpsd is alive.
    case other
    /// Not a report, or a line that libgps could not parse.
    case unreadable
}

/// gpsd's greeting.
package struct GpsdVersion: Equatable, Sendable {
    /// gpsd's release, such as `3.22`.
    package var release: String
    /// Version of gpsd's protocol.
    package var protocolMajor: Int32

    /// Creates the greeting of a release.
    package init(release: String, protocolMajor: Int32) {
        self.release = release
        self.protocolMajor = protocolMajor
    }
}

/// One receiver that gpsd serves.
package struct GpsdDevice: Equatable, Sendable {
    /// Device path, such as `/dev/ttyACM0`.
    package var path: String
    /// gpsd's driver for it, such as `u-blox` or `NMEA0183`; empty until gpsd knows it.
    package var driver = ""
    /// Whether gpsd has it open.
    package var isActive = true
    /// Time between its reports according to gpsd, seconds; `nil` if gpsd reports none. gpsd reports 1 for many faster
    /// receivers.
    package var cycleSeconds: Double?

    /// Creates a receiver from its properties.
    package init(path: String, driver: String = "", isActive: Bool = true, cycleSeconds: Double? = nil) {
        self.path = path
        self.driver = driver
        self.isActive = isActive
        self.cycleSeconds = cycleSeconds
    }
}

/// One SKY report: satellites and dilution of precision.
package struct GpsdSky: Equatable, Sendable {
    /// Device path of the receiver; empty if gpsd does not report it.
    package var devicePath = ""
    /// Satellites in view; `nil` if not reported.
    package var satellitesVisible: UInt16?
    /// Satellites used; `nil` if not reported.
    package var satellitesUsed: UInt16?
    /// Horizontal dilution of precision; `nil` if not reported.
    package var horizontalDilution: Double?

    /// Creates a report from its values.
    package init(
        devicePath: String = "", satellitesVisible: UInt16? = nil, satellitesUsed: UInt16? = nil,
        horizontalDilution: Double? = nil
    ) {
        self.devicePath = devicePath
        self.satellitesVisible = satellitesVisible
        self.satellitesUsed = satellitesUsed
        self.horizontalDilution = horizontalDilution
    }
}

/// One ATT report: the heading of a receiver with several antennas, or of its own attitude. Its values are not checked.
package struct GpsdAttitude: Equatable, Sendable {
    /// Device path of the receiver; empty if gpsd does not report it.
    package var devicePath = ""
    /// Time of the attitude, nanoseconds since 1970; `nil` if gpsd does not report it.
    package var utcNanoseconds: Int64?
    /// Heading from true north, degrees.
    package var headingDegrees: Double?
    /// Pitch and roll, degrees.
    package var pitchDegrees: Double?
    package var rollDegrees: Double?
    /// Whether the report is that of a magnetic compass.
    package var isMagnetic = false

    /// Creates a report without values.
    package init() {}

    /// The heading of the antennas, or why it is not used; `nil` if there is none. Receivers report a heading that they
    /// do not know as zero, with a pitch and a roll of exactly zero.
    package func usableHeading() -> Result<Double, GPSRejection>? {
        guard let headingDegrees else { return nil }
        if isMagnetic { return .failure(.headingMagnetic) }
        if headingDegrees == 0, pitchDegrees == 0, rollDegrees == 0 { return .failure(.headingZero) }
        guard headingDegrees >= 0, headingDegrees <= 360 else { return .failure(.headingOutOfRange) }
        return .success(headingDegrees)
    }
}

/// One TPV report. `nil` means that gpsd did not report the value. Reported values are not checked here: they may be
/// infinite or out of range.
package struct GpsdFix: Equatable, Sendable {
    /// Device path of the receiver; empty if gpsd does not report it.
    package var devicePath = ""
    /// gpsd's `mode`: 0 and 1 no fix, 2 without height, 3 with height.
    package var mode: Int32 = 0
    /// gpsd's `status`.
    package var status: Int32 = 0
    /// Time of the epoch, nanoseconds since 1970.
    package var utcNanoseconds: Int64?
    /// Whether the report had a time that is not a valid date.
    package var hasUnusableTime = false
    /// Latitude, degrees.
    package var latitudeDegrees: Double?
    /// Longitude, degrees.
    package var longitudeDegrees: Double?
    /// `altHAE`, metres above the ellipsoid.
    package var altitudeEllipsoidMeters: Double?
    /// `altMSL`, metres above mean sea level.
    package var altitudeMeanSeaMeters: Double?
    /// Speed over ground, m/s.
    package var speedMetersPerSecond: Double?
    /// Course over ground from true north, degrees.
    package var courseDegrees: Double?
    /// Upward speed, m/s.
    package var climbMetersPerSecond: Double?
    /// `eph`: error of the horizontal position, metres.
    package var horizontalErrorMeters: Double?
    /// `epx`: error eastward, metres.
    package var eastErrorMeters: Double?
    /// `epy`: error northward, metres.
    package var northErrorMeters: Double?
    /// `epv`: error of the height, metres.
    package var verticalErrorMeters: Double?
    /// `eps`: error of the speed, m/s.
    package var speedErrorMetersPerSecond: Double?
    /// `epc`: error of the climb, m/s.
    package var climbErrorMetersPerSecond: Double?
    /// `sep`: error in three dimensions, metres.
    package var sphericalErrorMeters: Double?
    /// `geoidSep`: height of the geoid above the ellipsoid, metres.
    package var geoidSeparationMeters: Double?
    /// `jam`: the receiver's jamming indicator, 0 (none) to 255 (strong); gpsd 3.25 and later report it if the receiver
    /// has one.
    package var jammingIndicator: UInt16?
    /// `magvar`: magnetic declination, east positive, degrees.
    package var magneticVariationDegrees: Double?
    /// `dgpsAge`: age of the corrections, seconds, and `dgpsSta`: their station.
    package var correctionsAgeSeconds: Double?
    package var correctionsStation: UInt16?
    /// Heading from true north of an ATT report of the same epoch, degrees; checked.
    package var headingDegrees: Double?

    /// Creates a report without values.
    package init() {}

    /// Every quantity that a later report of the same epoch may add.
    package static var quantities: [WritableKeyPath<GpsdFix, Double?>] {
        [
            \.latitudeDegrees, \.longitudeDegrees, \.altitudeEllipsoidMeters, \.altitudeMeanSeaMeters,
            \.speedMetersPerSecond, \.courseDegrees,
            \.climbMetersPerSecond, \.horizontalErrorMeters, \.eastErrorMeters, \.northErrorMeters,
            \.verticalErrorMeters,
            \.speedErrorMetersPerSecond, \.climbErrorMetersPerSecond, \.sphericalErrorMeters, \.geoidSeparationMeters,
            \.magneticVariationDegrees, \.headingDegrees,
        ]
    }

    /// A bit mask of the quantities present; the lowest bit means that the height is part of the fix.
    package var content: UInt32 {
        var bits: UInt32 = mode >= 3 ? 1 : 0
        for (index, quantity) in Self.quantities.enumerated() where self[keyPath: quantity] != nil {
            bits |= 2 << UInt32(index)
        }
        return bits
    }

    /// Merges a later report of the same epoch; quantities that it omits are kept.
    package mutating func merge(_ later: GpsdFix) {
        mode = max(mode, later.mode)
        if later.status != 0 { status = later.status }
        jammingIndicator = later.jammingIndicator ?? jammingIndicator
        for quantity in Self.quantities {
            if let value = later[keyPath: quantity] { self[keyPath: quantity] = value }
        }
    }
}
