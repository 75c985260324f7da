/// The declination: the angle from true to magnetic north, with its accuracy.
public struct Declination: Hashable, Sendable {
    /// East positive, radians.
    public var radians: Double
    /// 1-sigma, radians.
    public var sigmaRadians: Double

    /// Creates a declination without checks.
    @inlinable public init(radians: Double, sigmaRadians: Double) {
        (self.radians, self.sigmaRadians) = (radians, sigmaRadians)
    }
}

extension GeomagneticModel {
    /// Horizontal strength below which the direction of the field is not known well enough for a compass, tesla: the
    /// blackout zone around a magnetic pole.
    static let leastHorizontalTesla = 2000e-9
    /// 1-sigma of the declination where the horizontal field is strong, degrees: crust, ionosphere and storms.
    static let sigmaDegrees = 0.26
    /// The horizontal part of that error, tesla.
    static let sigmaTesla = 5417e-9
    /// Error of a declination for each year outside the validity, degrees per year: the change of the change, with a
    /// margin.
    static let staleDegreesPerYear = 0.15
    /// Years outside the validity beyond which the model is not used.
    static let longestStaleYears = 15.0

    /// Years by which a year is outside the validity of the model; 0 within it.
    public func yearsOutside(year: Double) -> Double { max(epochYear - year, year - endYear, 0) }

    /// The declination at a place.
    ///
    /// docs/math.md, eq. 2.13.
    ///
    /// - Parameter year: with its fraction; `nil` if it is unknown: then that of the middle of the validity, and an
    ///   uncertainty of the whole validity.
    /// - Returns: `nil` close to a magnetic pole, and more than 15 years outside the validity.
    public func declination(at place: GeodeticPosition, year: Double?) -> Declination? {
        let outside = year.map { yearsOutside(year: $0) } ?? 0
        guard place.isValid, outside <= Self.longestStaleYears else { return nil }
        let (field, rate) = field(at: place, year: year ?? (epochYear + endYear) / 2)
        let horizontal = field.horizontalTesla
        guard horizontal >= Self.leastHorizontalTesla else { return nil }
        let weak = Self.sigmaTesla / horizontal * Self.radiansPerDegree
        let stale = Self.staleDegreesPerYear * outside * Self.radiansPerDegree
        let perYear =
            (field.northTesla * rate.eastTesla - field.eastTesla * rate.northTesla) / (horizontal * horizontal)
        let undated = year == nil ? perYear * Self.validYears : 0
        let own = Self.sigmaDegrees * Self.radiansPerDegree
        return Declination(
            radians: field.declinationRadians,
            sigmaRadians: (own * own + weak * weak + stale * stale + undated * undated).squareRoot())
    }

    private static let radiansPerDegree = Double.pi / 180
}
