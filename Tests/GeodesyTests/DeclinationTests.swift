import Foundation
import PoseMath
import Testing

@testable import Geodesy

/// The declination and its accuracy at the limits of place and date.
@Suite struct DeclinationTests {
    private static func model() throws -> GeomagneticModel {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("../../data/WMM.COF")
        return try GeomagneticModel(text: try String(contentsOf: file, encoding: .utf8))
    }

    @Test(arguments: [(2010.0, true), (2009.999, false), (2045, true), (2045.001, false)])
    func aModelIsUsedForFifteenYearsOutsideItsValidity(year: Double, isUsed: Bool) throws {
        // GIVEN the model of 2025 to 2030 WHEN a declination of a year is asked for THEN there is one up to 15 years
        // before and after
        let place = GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11)
        #expect((try Self.model().declination(at: place, year: year) != nil) == isUsed)
    }

    @Test func aYearOutsideAddsFifteenHundredthsOfADegree() throws {
        // GIVEN the same place at the end of the validity and 15 years later, the field of which is nearly the same
        // THEN the sigma has grown by 15 times 0.15 degrees
        let place = GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11)
        let model = try Self.model()
        let end = try #require(model.declination(at: place, year: 2030)).sigmaRadians.radiansInDegrees
        let last = try #require(model.declination(at: place, year: 2045)).sigmaRadians.radiansInDegrees
        // The horizontal strength changes by some per cent in the time between: 0.01 degrees of 0.37.
        #expect(abs(last - hypot(end, 2.25)) < 0.01)
    }

    @Test(arguments: [(48.0, 11.0), (-30, -60), (20, 167), (60, -40)])
    func withoutADateTheSigmaCoversTheChangeOfFiveYears(latitude: Double, longitude: Double) throws {
        // GIVEN a place WHEN the date is unknown THEN the declination is that of the middle of the validity, and its
        // sigma has the change of five years, as the difference of two years shows it
        let model = try Self.model()
        let place = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
        func declination(_ year: Double?) throws -> Declination {
            try #require(model.declination(at: place, year: year))
        }
        let (middle, undated) = (try declination(2027.5), try declination(nil))
        let perYear = try declination(2028).radians - declination(2027).radians
        #expect(undated.radians == middle.radians)
        // The change of a year differs by 1e-5 from the derivative.
        #expect(abs(undated.sigmaRadians - hypot(middle.sigmaRadians, 5 * perYear)) < 1e-5)
    }

    @Test func aHorizontalFieldBelowTwoMicroteslaHasNoDirection() throws {
        // GIVEN places on the way to the magnetic pole THEN those with 2000 nT or more have a declination
        let model = try Self.model()
        var known = 0
        let latitudes = stride(from: 78.0, through: 86, by: 0.05).map { $0 }
        for latitude in latitudes {
            let place = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: 139)
            let isKnown = model.declination(at: place, year: 2025) != nil
            #expect(isKnown == (model.field(at: place, year: 2025).field.horizontalTesla >= 2000e-9), "\(latitude)")
            known += isKnown ? 1 : 0
        }
        #expect(known > 20 && known < latitudes.count - 20)
        #expect(
            model.declination(at: GeodeticPosition(latitudeDegrees: 91, longitudeDegrees: 0), year: 2025) == nil)
    }
}

/// Texts of coefficients at the limits of their format.
@Suite struct GeomagneticTextTests {
    /// A model without a field but for the terms that are given.
    private static func text(_ head: String = "2025.0 WMM-2025 x", _ terms: [String: String] = [:]) -> String {
        let lines = (1...12).flatMap { n in (0...n).map { m in "\(n) \(m) \(terms["\(n) \(m)"] ?? "0 0 0 0")" } }
        return ([head] + lines + ["9999"]).joined(separator: "\n")
    }

    @Test func aDipoleIsTwiceAsStrongAtItsPoles() throws {
        // GIVEN a dipole of 30,000 nT along the axis, which grows by 10 nT per year WHEN it is two years old THEN the
        // field falls with the third power of the distance from the centre
        let model = try GeomagneticModel(text: Self.text("2025.0 dipole x", ["1 0": "-30000 0 -10 0"]))
        let equator = GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 70)
        let pole = GeodeticPosition(latitudeDegrees: 90, longitudeDegrees: 0)
        let (low, high) = (model.field(at: equator, year: 2027), model.field(at: pole, year: 2027))
        let (a, b) = (6_371_200.0 / WGS84.semiMajorAxisMeters, 6_371_200.0 / WGS84.semiMinorAxisMeters)
        #expect(abs(low.field.northTesla - 30_020e-9 * a * a * a) < 1e-15 && abs(low.field.downTesla) < 1e-18)
        #expect(abs(high.field.downTesla - 2 * 30_020e-9 * b * b * b) < 1e-15)
        #expect(abs(low.perYear.northTesla - 10e-9 * a * a * a) < 1e-18 && low.field.eastTesla == 0)
        #expect(abs(low.field.dipRadians) < 1e-9 && abs(high.field.dipRadians - .pi / 2) < 1e-9)
    }

    @Test(
        arguments: [
            ("1900 a", true), ("1899.9 a", false), ("2200 a", true), ("2200.1 a", false), ("2025", false),
            ("inf a", false),
        ] as [(String, Bool)])
    func theHeadHasAYearAndAName(head: String, isTaken: Bool) {
        // GIVEN a whole list of coefficients below a head THEN its year is one of 1900 to 2200, and it has a name
        #expect(((try? GeomagneticModel(text: Self.text(head))) != nil) == isTaken)
        guard !isTaken else { return }
        let fault = #expect(throws: GeomagneticModelFault.self) { try GeomagneticModel(text: Self.text(head)) }
        #expect(fault?.description == "line 1: no year and name of a model")
    }

    @Test func aLongNameIsCut() throws {
        let name = String(repeating: "n", count: 40)
        #expect(try GeomagneticModel(text: Self.text("2025 \(name)")).name == String(repeating: "n", count: 32))
    }

    @Test(
        arguments: [
            ("100000 0 0 0", true), ("0 -100000 0 0", true), ("0 0 100000 0", true), ("0 0 0 -100000.1", false),
            ("100000.1 0 0 0", false), ("0 nan 0 0", false), ("0 0 0 x", false), ("0 0 0 0 0", false),
        ] as [(String, Bool)])
    func coefficientsAreBelowATenthOfAMillitesla(term: String, isTaken: Bool) {
        // GIVEN a term of degree 2 and order 1, which is in line 5 THEN its four numbers are of 100,000 nT at most
        let text = Self.text("2025 a", ["2 1": term])
        guard !isTaken else { return #expect((try? GeomagneticModel(text: text)) != nil) }
        let fault = #expect(throws: GeomagneticModelFault.self) { try GeomagneticModel(text: text) }
        #expect(fault?.line == 5, "\(String(describing: fault))")
    }

    @Test func everyTermIsNeededAndWhatFollowsTheNinesIsNot() throws {
        // GIVEN a list without its last term, and one with noise behind its end
        let lines = Self.text().split(separator: "\n").map(String.init)
        #expect(lines.count == 92)
        let fault = #expect(throws: GeomagneticModelFault.self) {
            try GeomagneticModel(text: lines.filter { !$0.hasPrefix("12 12") }.joined(separator: "\n"))
        }
        #expect(fault == GeomagneticModelFault(line: 91, problem: "the coefficients end before degree 12"))
        #expect(try GeomagneticModel(text: (lines + ["noise"]).joined(separator: "\n")).epochYear == 2025)
        #expect(try GeomagneticModel(text: lines.dropLast().joined(separator: "\n")).endYear == 2030)
    }
}
