import Measurements
import PoseMath

/// `gnss.csv`: the fixes of a satellite receiver, in the order of their arrival.
final class FixTable: EventTable {
    private let table: Table
    private var clock = RowClock()

    /// The columns, in the order of ``Index``.
    static let columns: [Column] = [
        .seconds("t"),
        .seconds("arrival", isEssential: false),
        Column(quantity: "lat", unit: "deg", range: -90...90),
        Column(quantity: "lon", unit: "deg", range: -180...180),
        .optional("alt_hae", "m", -11_000...100_000),
        .optional("vel_n", "m_s", -2_000...2_000),
        .optional("vel_e", "m_s", -2_000...2_000),
        .optional("vel_d", "m_s", -2_000...2_000),
        .optional("eph", "m", -1...1e9),
        .optional("epv", "m", -1...1e9),
        .optional("sacc", "m_s", -1...1e9),
        .optional("mode", "", 0...3),
        .optional("rtk", "", 0...2),
        .optional("alt_msl", "m", -11_000...100_000),
        .optional("geoid_separation", "m", -200...200),
        .optional("magnetic_variation", "deg", -180...180),
        .optional("satellites_used", "", 0...1_000),
        .optional("satellites_visible", "", 0...1_000),
        .optional("quality", "", 0...7),
        .optional("interfered", "", 0...1),
        .optional("horizontal_sigma", "m", -1...1e9),
        .optional("speed_sigma", "m_s", -1...1e9),
        .optional("climb_sigma", "m_s", -1...1e9),
        .seconds("utc", isEssential: false),
        .optional("heading", "deg", -360...360),
        .optional("heading_sigma", "deg", -1...1e9),
        .optional("receiver", "", 0...255),
        .optional("time_sigma", "s", 0...1e9),
    ]

    /// Index of each column.
    enum Index: Int {
        case validity, arrival, latitude, longitude, altitudeEllipsoid, north, east, down, horizontal, vertical, speed,
            mode, rtk
        case altitudeMeanSea, geoidSeparation, magneticVariation, satellitesUsed, satellitesVisible,
            quality, interfered, horizontalSigma, speedSigma, climbSigma, utc, heading, headingSigma, receiver,
            timeSigma
    }

    /// Opens the file; `nil` if it does not exist.
    init?(path: String) throws(RecordingError) {
        guard let table = try Table(path: path, columns: Self.columns) else { return nil }
        self.table = table
    }

    var bytes: (read: Int, total: Int) { table.bytes }

    func next() throws(RecordingError) -> SensorEvent? {
        guard try table.advance() else { return nil }
        guard let validity = table.time(Index.validity.rawValue) else {
            throw table.error(at: Index.validity.rawValue, "t_s is empty", "give each row its time")
        }
        let arrival = table.time(Index.arrival.rawValue) ?? validity
        let timeColumn = table.time(Index.arrival.rawValue) == nil ? Index.validity : Index.arrival
        guard arrival >= validity else {
            throw table.error(
                at: timeColumn.rawValue, "the fix came in \(validity.seconds(since: arrival)) s before it was valid",
                "arrival_s is t_s plus the delay")
        }
        try clock.advance(to: arrival, timeColumn.rawValue, of: table)
        return .gnss(try fix(validity, arrival))
    }

    private func fix(_ validity: MonotonicTime, _ arrival: MonotonicTime) throws(RecordingError) -> GnssFix {
        let latitude = value(.latitude)
        let longitude = value(.longitude)
        guard (latitude == nil) == (longitude == nil) else {
            let empty = latitude == nil ? Index.latitude : Index.longitude
            throw table.error(
                at: empty.rawValue, "half of the position is empty", "give lat_deg and lon_deg both or leave both empty"
            )
        }
        var fix = GnssFix(validityTime: validity, arrivalTime: arrival, mode: try mode(hasPosition: latitude != nil))
        fix.quality = try quality()
        fix.latitudeRadians = latitude?.degreesInRadians
        fix.longitudeRadians = longitude?.degreesInRadians
        fix.altitudeEllipsoidMeters = value(.altitudeEllipsoid)
        fix.altitudeMeanSeaMeters = value(.altitudeMeanSea)
        fix.geoidSeparationMeters = value(.geoidSeparation)
        fix.completeHeights()
        fix.magneticVariationRadians = value(.magneticVariation)?.degreesInRadians
        fix.satellitesUsed = value(.satellitesUsed).map { UInt16($0) }
        fix.satellitesVisible = value(.satellitesVisible).map { UInt16($0) }
        fix.isInterfered = value(.interfered) == 1
        fix.headingTrueRadians = value(.heading)?.degreesInRadians
        fix.headingSigmaRadians = value(.headingSigma)?.degreesInRadians
        fix.receiver = value(.receiver).flatMap { UInt8(exactly: $0) } ?? 0
        fix.utcNanoseconds = table.time(Index.utc.rawValue)?.nanoseconds
        fix.timeSigmaSeconds = value(.timeSigma)
        if let north = value(.north), let east = value(.east) {
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: east, northMetersPerSecond: north)
        }
        fix.climbMetersPerSecond = value(.down).map { -$0 }
        setSigmas(of: &fix)
        return fix
    }

    /// Converts the sigmas: `eph_m` is a radius over both horizontal axes, `sacc_m_s` one over all three axes of the
    /// velocity; a fix has them per axis, as the columns `horizontal_sigma_m`, `speed_sigma_m_s` and `climb_sigma_m_s`
    /// do, which come first. A negative value is passed on, because the estimator refuses and counts such a fix.
    private func setSigmas(of fix: inout GnssFix) {
        fix.horizontalSigmaMeters = value(.horizontalSigma) ?? value(.horizontal).map { $0 / 2.0.squareRoot() }
        fix.verticalSigmaMeters = value(.vertical)
        let speedSigma = value(.speed).map { $0 / 3.0.squareRoot() }
        fix.speedSigmaMetersPerSecond = value(.speedSigma) ?? speedSigma
        fix.climbSigmaMetersPerSecond = value(.climbSigma) ?? speedSigma
    }

    /// gpsd's mode; without the column it follows from the values present: three dimensions need a height above the
    /// ellipsoid, stated or from that above the sea and that of the geoid.
    private func mode(hasPosition: Bool) throws(RecordingError) -> FixMode {
        guard let stated = value(.mode) else {
            guard hasPosition else { return .none }
            let isComputed = value(.altitudeMeanSea) != nil && value(.geoidSeparation) != nil
            return value(.altitudeEllipsoid) != nil || isComputed ? .threeDimensional : .twoDimensional
        }
        // gpsd writes 0 before the receiver has reported, which also means no fix.
        guard let mode = stated == 0 ? FixMode.none : UInt8(exactly: stated).flatMap(FixMode.init(rawValue:)) else {
            throw table.error(
                at: Index.mode.rawValue, "mode is not one of 0, 1, 2, 3", "0 and 1 are no fix, 2 is 2D, 3 is 3D")
        }
        return mode
    }

    private func quality() throws(RecordingError) -> FixQuality {
        if let stated = value(.quality) {
            guard let quality = UInt8(exactly: stated).flatMap(FixQuality.init(rawValue:)) else {
                throw table.error(
                    at: Index.quality.rawValue, "quality is not a whole number from 0 to 7",
                    "0 is unknown, 1 autonomous, 2 differential, 3 RTK fixed, 4 RTK float, 5 and 6 dead reckoning, 7 "
                        + "surveyed or simulated")
            }
            return quality
        }
        switch value(.rtk) {
        case nil, 0: return .unknown
        case 1: return .rtkFloat
        case 2: return .rtkFixed
        default: throw table.error(at: Index.rtk.rawValue, "rtk is not one of 0, 1, 2", "0 is none, 1 float, 2 fixed")
        }
    }

    private func value(_ index: Index) -> Double? { table.value(index.rawValue) }
}
