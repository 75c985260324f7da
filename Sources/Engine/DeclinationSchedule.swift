import Frames
import Geodesy
import PoseMath

/// Decides when the declination is computed, and computes it: seldom, and outside the engine, which takes it as a
/// command. So it is recorded, and a replay does not need the magnetic model.
package struct DeclinationSchedule: Sendable {
    /// Where the place of a declination is from.
    package enum Origin: String, Sendable {
        /// The place of the pose.
        case pose
        /// The place in the settings.
        case settings
    }

    /// A declination that was computed.
    package struct Finding: Sendable, Equatable {
        /// The declination; `nil` close to a magnetic pole and long after the end of the model.
        package var declination: Declination?
        /// Where it is valid.
        package var place: GeodeticPosition
        /// Where the place is from.
        package var origin: Origin
        /// The year, with its fraction; `nil` if it is unknown.
        package var year: Double?
    }

    /// The magnetic model; `nil` without one: nothing is computed.
    package let model: GeomagneticModel?
    /// The place in the settings.
    package let configuredPlace: GeodeticPosition?
    /// The last result; `nil` before the first.
    package private(set) var latest: Finding?

    /// Way after which it is computed anew, metres: below 70 degrees of latitude it changes by less than a tenth of
    /// its sigma.
    private static let farMeters = 10_000.0
    /// Time after which it is computed anew, years.
    private static let longYears = 0.1
    /// 1-sigma of the place of the pose up to which that is used, metres.
    private static let largestSigmaMeters = 10_000.0

    /// Creates a schedule before the first computation.
    package init(model: GeomagneticModel?, configuredPlace: GeodeticPosition?) {
        (self.model, self.configuredPlace) = (model, configuredPlace)
    }

    /// The command for the engine, if the declination was computed: at the first place and when it has changed.
    ///
    /// - Parameters:
    ///   - frame: the latest one.
    ///   - utcNanoseconds: the date where the frame has none, since 1970; `nil` if it is unknown. A date before the
    ///     model is that of a clock that was never set.
    package mutating func update(with frame: Frame, utcNanoseconds: Int64? = nil) -> EngineCommand? {
        guard let model, let (place, origin) = place(of: frame) else { return nil }
        let stated = frame.utcNanoseconds.map(Self.year)
        let year = stated ?? utcNanoseconds.map(Self.year).flatMap { $0 >= model.epochYear ? $0 : nil }
        guard isDue(place, origin, year) else { return nil }
        let declination = model.declination(at: place, year: year)
        latest = Finding(declination: declination, place: place, origin: origin, year: year)
        return .setDeclination(declination)
    }

    /// Has it computed anew with the next frame: the engine has not taken the last command.
    package mutating func restart() { latest = nil }

    /// The place: that of the pose, or the last of these, else that in the settings.
    private func place(of frame: Frame) -> (GeodeticPosition, Origin)? {
        let pose = frame.pose
        if let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians,
            let sigma = pose.positionSigmaENUMeters, max(sigma.x, sigma.y) <= Self.largestSigmaMeters
        {
            let height = pose.altitudeEllipsoidMeters ?? 0
            let place = GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
            if place.isValid { return (place, .pose) }
        }
        if let latest, latest.origin == .pose { return (latest.place, .pose) }
        return configuredPlace.map { ($0, .settings) }
    }

    private func isDue(_ place: GeodeticPosition, _ origin: Origin, _ year: Double?) -> Bool {
        guard let latest, latest.origin == origin, (latest.year == nil) == (year == nil) else { return true }
        let offset = latest.place.surfaceOffsetMeters(to: place)
        // Written so that a number that is none is due.
        guard Vector3(offset.east, offset.north, 0).length <= Self.farMeters else { return true }
        return abs((latest.year ?? 0) - (year ?? 0)) > Self.longYears
    }

    /// The year, with its fraction, of nanoseconds since 1970; years of the mean length of the calendar.
    static func year(_ utcNanoseconds: Int64) -> Double { 1970 + Double(utcNanoseconds) / (365.2425 * 86_400e9) }
}
