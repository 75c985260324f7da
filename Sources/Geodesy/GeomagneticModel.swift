import Glibc

/// A model of the Earth's magnetic field: spherical harmonics of degree and order 12 with linear change, in the format
/// of the World Magnetic Model.
///
/// Source: Chulliat et al., The US/UK World Magnetic Model for 2025-2030: Technical Report, NOAA NCEI and BGS 2025
/// (doi 10.25923/ew7q-9x50), section 1. The coefficients are in the public domain.
public struct GeomagneticModel: Sendable, Equatable {
    /// The degree of the model.
    static let degree = 12
    /// Time for which a model is valid from its epoch on, years.
    static let validYears = 5.0
    /// Radius of the reference sphere, metres.
    private static let referenceRadiusMeters = 6_371_200.0
    /// Number of pairs of degree and order with degree 0.
    private static let termCount = (degree + 1) * (degree + 2) / 2

    /// Its name, such as `WMM-2025`.
    public let name: String
    /// The year, with its fraction, of the coefficients. The model is valid for five years from then on.
    public let epochYear: Double
    /// g and h at the epoch, and their change per year: degree n and order m at n (n + 1)/2 + m, nanotesla.
    private var terms: [Term]

    private struct Term: Sendable, Equatable {
        var (g, h, gRate, hRate) = (0.0, 0.0, 0.0, 0.0)
    }

    /// The year in which the model stops to be valid.
    public var endYear: Double { epochYear + Self.validYears }

    /// Reads the text of a file of coefficients (`WMM.COF`): a line with year, name and date of release, a line with n,
    /// m, g, h, g', h' for each pair, and a line of nines.
    public init(text: String) throws(GeomagneticModelFault) {
        var lines = text.split(whereSeparator: \.isNewline).makeIterator()
        let head = lines.next()?.split(whereSeparator: \.isWhitespace) ?? []
        guard head.count >= 2, let year = Double(head[0]), year >= 1900, year <= 2200 else {
            throw GeomagneticModelFault(line: 1, problem: "no year and name of a model")
        }
        (epochYear, name) = (year, String(head[1].prefix(32)))
        terms = Array(repeating: Term(), count: Self.termCount)
        var isFound = Array(repeating: false, count: Self.termCount)
        isFound[0] = true
        var number = 1
        while let line = lines.next() {
            number += 1
            if line.hasPrefix("9999") { break }
            let (index, term) = try Self.term(line.split(whereSeparator: \.isWhitespace), number)
            guard !isFound[index] else { throw GeomagneticModelFault(line: number, problem: "given twice") }
            (terms[index], isFound[index]) = (term, true)
        }
        guard isFound.allSatisfy({ $0 }) else {
            throw GeomagneticModelFault(line: number, problem: "the coefficients end before degree \(Self.degree)")
        }
    }

    private static func term(_ words: [Substring], _ line: Int) throws(GeomagneticModelFault) -> (Int, Term) {
        guard words.count == 6, let n = Int(words[0]), let m = Int(words[1]), (1...degree).contains(n),
            (0...n).contains(m)
        else { throw GeomagneticModelFault(line: line, problem: "no degree and order of 1 to \(degree)") }
        let numbers = words[2...].compactMap { Double($0) }
        // The dipole has 30,000 nT.
        guard numbers.count == 4, numbers.allSatisfy({ $0 >= -1e5 && $0 <= 1e5 }) else {
            throw GeomagneticModelFault(line: line, problem: "not four coefficients in nanotesla")
        }
        return (n * (n + 1) / 2 + m, Term(g: numbers[0], h: numbers[1], gRate: numbers[2], hRate: numbers[3]))
    }

    /// The field at a place and a year with its fraction, and its change per year.
    /// docs/math.md, eq. 2.12.
    public func field(at place: GeodeticPosition, year: Double) -> (field: GeomagneticField, perYear: GeomagneticField)
    {
        let p = place.ecefMeters
        let radius = p.length
        let sine = p.z / radius
        // At a pole the longitude has no meaning, and the eastward part is the limit.
        let cosine = max((1 - sine * sine).squareRoot(), 1e-9)
        let functions = LegendreFunctions(sine: sine, cosine: cosine)
        let years = year - epochYear
        var (field, rate) = (GeomagneticField(), GeomagneticField())
        var ratio = (Self.referenceRadiusMeters / radius) * (Self.referenceRadiusMeters / radius)
        for n in 1...Self.degree {
            ratio *= Self.referenceRadiusMeters / radius
            for m in 0...n {
                let index = n * (n + 1) / 2 + m
                let term = terms[index]
                let angle = Double(m) * place.longitudeRadians
                let (value, slope) = (functions.values[index], functions.slopes[index])
                func add(_ g: Double, _ h: Double, to sum: inout GeomagneticField) {
                    let (along, across) = (g * cos(angle) + h * sin(angle), g * sin(angle) - h * cos(angle))
                    sum.northTesla += ratio * along * slope * 1e-9
                    sum.eastTesla += ratio * Double(m) * across * value / cosine * 1e-9
                    sum.downTesla -= ratio * Double(n + 1) * along * value * 1e-9
                }
                add(term.g + term.gRate * years, term.h + term.hRate * years, to: &field)
                add(term.gRate, term.hRate, to: &rate)
            }
        }
        let turn = asin(sine) - place.latitudeRadians
        return (field.turned(by: turn), rate.turned(by: turn))
    }

    /// Schmidt's semi-normalised associated Legendre functions of the sine of the geocentric latitude, and their
    /// derivatives by the colatitude.
    /// docs/math.md, eq. 2.11.
    private struct LegendreFunctions {
        var values = InlineArray<91, Double>(repeating: 0)
        var slopes = InlineArray<91, Double>(repeating: 0)

        init(sine: Double, cosine: Double) {
            values[0] = 1
            for n in 1...GeomagneticModel.degree {
                for m in 0...n {
                    let index = n * (n + 1) / 2 + m
                    let (before, twoBefore) = (index - n, index - 2 * n + 1)
                    if m == n {
                        let factor = n == 1 ? 1 : (Double(2 * n - 1) / Double(2 * n)).squareRoot()
                        values[index] = factor * cosine * values[before - 1]
                        slopes[index] = factor * (cosine * slopes[before - 1] + sine * values[before - 1])
                        continue
                    }
                    let whole = Double(n * n - m * m).squareRoot()
                    let first = Double(2 * n - 1) / whole
                    values[index] = first * sine * values[before]
                    slopes[index] = first * (sine * slopes[before] - cosine * values[before])
                    guard m <= n - 2 else { continue }
                    let second = Double((n - 1) * (n - 1) - m * m).squareRoot() / whole
                    values[index] -= second * values[twoBefore]
                    slopes[index] -= second * slopes[twoBefore]
                }
            }
        }
    }
}

/// A magnetic field in the local geodetic axes.
public struct GeomagneticField: Sendable, Equatable {
    /// Towards true north, tesla.
    public var northTesla = 0.0
    /// Towards the east, tesla.
    public var eastTesla = 0.0
    /// Downwards, tesla.
    public var downTesla = 0.0

    /// Strength of the horizontal part, tesla.
    public var horizontalTesla: Double { (northTesla * northTesla + eastTesla * eastTesla).squareRoot() }
    /// Angle from true north to the horizontal part, east positive, radians.
    public var declinationRadians: Double { atan2(eastTesla, northTesla) }
    /// Angle of the field below the horizontal, radians.
    public var dipRadians: Double { atan2(downTesla, horizontalTesla) }

    /// The field in axes that are turned about the east by an angle, such as from geocentric to geodetic.
    fileprivate func turned(by angle: Double) -> GeomagneticField {
        GeomagneticField(
            northTesla: northTesla * cos(angle) - downTesla * sin(angle), eastTesla: eastTesla,
            downTesla: northTesla * sin(angle) + downTesla * cos(angle))
    }
}

/// Why a text is no model of the magnetic field.
public struct GeomagneticModelFault: Error, Equatable, CustomStringConvertible {
    /// Number of the line, from 1.
    public var line: Int
    /// What is wrong.
    public var problem: String

    /// Line and problem.
    public var description: String { "line \(line): \(problem)" }
}
