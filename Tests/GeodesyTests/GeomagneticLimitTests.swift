import Testing

@testable import Geodesy

/// The text of a magnetic model: which heads, lines and numbers are taken, and the field of a dipole by hand.
@Suite struct GeomagneticLimitTests {
    /// A file with a head and all ninety pairs of degree and order, of which only the first is not zero.
    private static func text(
        _ head: String = "2025.0 M", first: String = "1 0 -29000 0 0 0", end: [String] = ["9999"]
    ) -> String {
        var lines = (1...12).flatMap { n in (0...n).map { m in "\(n) \(m) 0 0 0 0" } }
        lines[0] = first
        return ([head] + lines + end).joined(separator: "\n")
    }

    /// The first fault of a text; `nil` for a model.
    private static func fault(_ text: String) -> GeomagneticModelFault? {
        do throws(GeomagneticModelFault) {
            _ = try GeomagneticModel(text: text)
            return nil
        } catch { return error }
    }

    private static func place(_ latitude: Double, _ longitude: Double = 0) -> GeodeticPosition {
        GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }

    @Test(arguments: [
        ("1900 M", true), ("1899.9 M", false), ("2200 M", true), ("2200.1 M", false), ("2025", false),
        ("M 2025", false), ("2025.0 WMM-2025 11/13/2024", true),
    ])
    func aHeadHasAYearAndAName(head: String, isTaken: Bool) {
        // GIVEN a first line THEN it is taken with a year from 1900 to 2200 and a name
        let expected = GeomagneticModelFault(line: 1, problem: "no year and name of a model")
        #expect(Self.fault(Self.text(head)) == (isTaken ? nil : expected))
    }

    @Test func aNameIsCutAfter32Characters() throws {
        for count in [31, 32, 33, 500] {
            let model = try GeomagneticModel(text: Self.text("2025.0 \(String(repeating: "n", count: count))"))
            #expect(model.name == String(repeating: "n", count: min(count, 32)))
        }
    }

    @Test(
        arguments: [
            ("1 0 100000 0 0 0", nil), ("1 0 -100000 0 0 0", nil), ("1 0 0 0 0 100000", nil),
            ("1 0 100001 0 0 0", "not four coefficients in nanotesla"),
            ("1 0 0 -100001 0 0", "not four coefficients in nanotesla"),
            ("1 0 0 0 0 100001", "not four coefficients in nanotesla"),
            ("1 0 0 0 0 x", "not four coefficients in nanotesla"),
            ("1 0 0 0 0 nan", "not four coefficients in nanotesla"),
            ("1 0 0 0 0 0 0", "no degree and order of 1 to 12"), ("0 0 0 0 0 0", "no degree and order of 1 to 12"),
            ("13 0 0 0 0 0", "no degree and order of 1 to 12"), ("1 2 0 0 0 0", "no degree and order of 1 to 12"),
            ("1 -1 0 0 0 0", "no degree and order of 1 to 12"), ("1 1 0 0 0 0", nil),
        ] as [(String, String?)])
    func aLineHasItsNumbers(first: String, problem: String?) {
        // GIVEN the line after the head THEN a fault is of line 2; a pair that is left out or comes twice is one of a
        // later line
        let fault = Self.fault(Self.text(first: first))
        if first == "1 1 0 0 0 0" {
            #expect(fault == GeomagneticModelFault(line: 3, problem: "given twice"))
            return
        }
        #expect(fault == problem.map { GeomagneticModelFault(line: 2, problem: $0) })
        #expect(fault?.description == problem.map { "line 2: \($0)" })
    }

    @Test func aTextEndsWithItsNines() {
        // GIVEN all pairs THEN a line of nines ends the text, and need not be there; what follows is not read
        for end in [[], ["9999"], ["99999999"], ["9999", "rubbish"]] { #expect(Self.fault(Self.text(end: end)) == nil) }
        #expect(Self.fault(Self.text(end: ["rubbish", "9999"]))?.line == 92)
        // AND a text that ends before the last pair is told at its last line
        let lines = Self.text(end: []).split(separator: "\n").dropLast()
        let fault = Self.fault(lines.joined(separator: "\n"))
        #expect(fault == GeomagneticModelFault(line: 90, problem: "the coefficients end before degree 12"))
    }

    @Test func aDipoleHasItsField() throws {
        // GIVEN a dipole of 29000 nT along the axis of the Earth, on a sphere of 6371.2 km
        let model = try GeomagneticModel(text: Self.text())
        // WHEN the field is computed at the equator and at both poles of the ellipsoid
        let (equator, north, south) = (
            model.field(at: Self.place(0, 77), year: 2026), model.field(at: Self.place(90), year: 2026),
            model.field(at: Self.place(-90), year: 2026)
        )
        let (far, near) = (6_371_200 / 6_378_137.0, 6_371_200 / 6_356_752.3142)
        // THEN it falls with the cube of the distance: once to the north there, and twice down or up here
        #expect(abs(equator.field.northTesla * 1e9 - 29_000 * far * far * far) < 1e-3)
        #expect(abs(equator.field.eastTesla) < 1e-15 && abs(equator.field.downTesla) < 1e-15)
        #expect(abs(north.field.downTesla * 1e9 - 58_000 * near * near * near) < 1e-3)
        #expect(abs(south.field.downTesla * 1e9 + 58_000 * near * near * near) < 1e-3)
        #expect(equator.perYear == GeomagneticField())
        // AND a change per year counts from the year of the head on
        let changing = try GeomagneticModel(text: Self.text(first: "1 0 -29000 0 100 0"))
        let later = changing.field(at: Self.place(0, 77), year: 2028)
        #expect(abs(later.field.northTesla * 1e9 - 28_700 * far * far * far) < 1e-3)
        #expect(abs(later.perYear.northTesla * 1e9 + 100 * far * far * far) < 1e-3)
    }

    @Test(arguments: [(45.0, 40_876.271_750), (-45, -40_876.271_750)])
    func theFieldIsThatAlongTheVerticalOfTheEllipsoid(latitude: Double, down: Double) throws {
        // GIVEN a dipole of 29000 nT along the axis, at 45 degrees, where the vertical leans by 0.1924 degrees
        let model = try GeomagneticModel(text: Self.text())
        let field = model.field(at: Self.place(latitude, 77), year: 2026).field
        // THEN the field is B cos and 2 B sin of the geocentric latitude, 44.8076 degrees, turned by that angle, with B
        // of 29,050.7 nT at the radius of 6367.490 km: by hand, in nanotesla
        #expect(abs(field.northTesla * 1e9 - 20_748.234_345) < 1e-3)
        #expect(abs(field.downTesla * 1e9 - down) < 1e-3)
        #expect(abs(field.eastTesla) < 1e-15)
    }

    @Test(arguments: [(2005.0, false), (2008, true)])
    func aCompassNeedsTwoMicrotesla(strength: Double, isKnown: Bool) throws {
        // GIVEN a dipole that is weak, 0.33 % less at the equator THEN from 2000 nT on a declination is known
        let model = try GeomagneticModel(text: Self.text(first: "1 0 -\(strength) 0 0 0"))
        #expect((model.declination(at: Self.place(0), year: 2026) != nil) == isKnown)
    }

    @Test(arguments: [(2010.0, true), (2009.9, false), (2045, true), (2045.1, false), (2027, true)])
    func aModelIsUsedForFifteenYearsMore(year: Double, isKnown: Bool) throws {
        // GIVEN a model of 2025 to 2030 THEN it is used from fifteen years before to fifteen years after
        let model = try GeomagneticModel(text: Self.text())
        let found = model.declination(at: Self.place(40), year: year)
        #expect((found != nil) == isKnown)
        // AND each of those years adds an error of 0.15 degrees
        guard let found else { return }
        let valid = try #require(model.declination(at: Self.place(40), year: 2026))
        let stale = model.yearsOutside(year: year) * 0.15 * .pi / 180
        let expected = (valid.sigmaRadians * valid.sigmaRadians + stale * stale).squareRoot()
        #expect(abs(found.sigmaRadians - expected) < 1e-9)
    }
}
