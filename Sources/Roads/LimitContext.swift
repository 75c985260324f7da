/// Kind of vehicle, for limits that hold for some kinds only; the raw values are those of the settings.
public enum VehicleKind: String, Sendable, CaseIterable {
    /// Passenger car.
    case motorcar
    /// Motorcycle.
    case motorcycle
    /// Motorhome.
    case motorhome
    /// Goods vehicle of up to 3.5 t.
    case goods
    /// Goods vehicle of more than 3.5 t.
    case hgv
    /// Bus of public transport.
    case bus
    /// Coach.
    case coach
}

/// State of the road surface; the raw values are those of the settings.
public enum RoadSurface: String, Sendable, CaseIterable {
    /// Nobody knows.
    case unknown
    /// Dry.
    case dry
    /// Wet.
    case wet
}

/// The vehicle, as far as limits depend on it.
public struct VehicleProfile: Sendable, Equatable {
    /// Its kind.
    public var kind = VehicleKind.motorcar
    /// Whether it tows a trailer.
    public var hasTrailer = false
    /// Maximum authorised mass of vehicle and trailer, tonnes; 0: unknown.
    public var weightTonnes = 0.0
    /// The road surface.
    public var surface = RoadSurface.unknown

    /// A car without a trailer, of unknown weight.
    public init() {}

    /// Maximum authorised mass of a car, a motorcycle or a small goods vehicle, tonnes: the limit of their class. A
    /// lorry has more.
    private static let lightTonnes = 3.5

    /// Whether the weight compares with a number of tonnes as stated; `nil` if the weight is unknown and its class does
    /// not tell.
    func weight(_ comparison: LimitCondition.Comparison, _ tonnes: Double) -> Bool? {
        if weightTonnes > 0 { return comparison.holds(weightTonnes, tonnes) }
        let isLight = !hasTrailer && (kind == .motorcar || kind == .motorcycle || kind == .goods)
        let saysLess = comparison == .below || comparison == .notAbove
        let saysMore = comparison == .above || comparison == .notBelow
        if isLight, tonnes > Self.lightTonnes { return saysLess }
        if isLight, tonnes == Self.lightTonnes, comparison == .above || comparison == .notAbove { return saysLess }
        if kind == .hgv, tonnes <= Self.lightTonnes { return saysMore }
        return nil
    }
}

/// On what conditional limits depend: vehicle, time and place. Nothing is asked of a clock here: the time comes with
/// the position.
public struct LimitContext: Sendable, Equatable {
    /// The vehicle.
    public var vehicle = VehicleProfile()
    /// UTC, seconds since 1970; `nil`: unknown.
    public var utcSeconds: Int64?
    /// Local time minus UTC, seconds; `nil`: unknown.
    public var utcOffsetSeconds: Int?
    /// Latitude, degrees, for sunrise and sunset; `nil`: unknown.
    public var latitudeDegrees: Double?
    /// Longitude, degrees, east positive; `nil`: unknown.
    public var longitudeDegrees: Double?

    /// A context in which only the vehicle is known.
    public init(vehicle: VehicleProfile = VehicleProfile()) { self.vehicle = vehicle }

    /// The local time; `nil` if unknown or outside the years 1970 to 2200.
    var localTime: LocalTime? {
        guard let utcSeconds, let utcOffsetSeconds, utcSeconds >= 0, utcSeconds < 7_258_118_400,
            utcOffsetSeconds >= -86_400, utcOffsetSeconds <= 86_400
        else { return nil }
        return LocalTime(seconds: utcSeconds + Int64(utcOffsetSeconds))
    }
}

/// A minute of a day in local time.
struct LocalTime: Equatable {
    /// The day, counted from 1970-01-01.
    var day: Int
    /// The minute of the day, 0 to 1439.
    var minute: Int

    /// The minute that contains an instant, local seconds since 1970.
    init(seconds: Int64) {
        let minutes = Int(seconds - ((seconds % 60) + 60) % 60) / 60
        minute = ((minutes % 1440) + 1440) % 1440
        day = (minutes - minute) / 1440
    }

    /// Weekday of a day: 0 is Monday.
    static func weekday(_ day: Int) -> Int { (((day + 3) % 7) + 7) % 7 }

    /// Month and day of the month of a day, each from 1 (Howard Hinnant, "chrono-compatible low-level date
    /// algorithms").
    static func monthAndDay(_ day: Int) -> (month: Int, day: Int) {
        let shifted = day + 719_468
        let dayOfEra = ((shifted % 146_097) + 146_097) % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
