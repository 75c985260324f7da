import Foundation
import PoseMath
import Testing

@testable import Geodesy

/// The magnetic model against the values that NOAA publishes for WMM2025 (WMM2025_TEST_VALUES.txt and
/// WMM2025_TestValues.txt; public domain).
@Suite struct GeomagneticModelTests {
    private static func text() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent("../../data/WMM.COF"), encoding: .utf8)
    }

    private static func place(_ latitude: Double, _ longitude: Double, kilometers: Double) -> GeodeticPosition {
        GeodeticPosition(
            latitudeDegrees: latitude, longitudeDegrees: longitude > 180 ? longitude - 360 : longitude,
            altitudeEllipsoidMeters: kilometers * 1000)
    }

    /// Year, height (km), latitude, longitude, then X, Y, Z, H (nT), dip and declination (degrees).
    private static let vectors: [[Double]] = [
        [2025, 0, 80, 0, 6521.6, 145.9, 54791.5, 6523.2, 83.21, 1.28],
        [2025, 0, 0, 120, 39677.8, -109.6, -10580.2, 39677.9, -14.93, -0.16],
        [2025, 0, -80, 240, 6117.5, 15751.9, -52022.5, 16898.1, -72.00, 68.78],
        [2025, 100, 80, 0, 6216.0, 92.4, 52598.8, 6216.7, 83.26, 0.85],
        [2025, 100, 0, 120, 37688.6, -96.2, -10152.1, 37688.7, -15.08, -0.15],
        [2025, 100, -80, 240, 5907.6, 14780.3, -49540.7, 15917.1, -72.19, 68.21],
        [2027.5, 0, 80, 0, 6500.8, 294.5, 54869.4, 6507.5, 83.24, 2.59],
        [2027.5, 0, 0, 120, 39701.6, -167.4, -10381.8, 39702.0, -14.65, -0.24],
        [2027.5, 0, -80, 240, 6200.7, 15730.3, -51783.7, 16908.3, -71.92, 68.49],
        [2027.5, 100, 80, 0, 6196.7, 233.8, 52670.5, 6201.1, 83.29, 2.16],
        [2027.5, 100, 0, 120, 37711.5, -148.7, -9969.8, 37711.8, -14.81, -0.23],
        [2027.5, 100, -80, 240, 5984.0, 14760.1, -49317.7, 15927.0, -72.10, 67.93],
    ]

    /// Year, height (km), latitude, longitude, declination (degrees).
    private static let declinations: [[Double]] = [
        [2025, 28, 89, -121, -99.77], [2025, 39, -59, -8, -15.75], [2025.5, 6, -36, -137, 20.28],
        [2025.5, 8, -66, 17, -33.14], [2026, 74, -57, 3, -22.51], [2026, 62, -14, 99, -1.43],
        [2026.5, 14, 0, 80, -3.10], [2026.5, 12, 33, -145, 11.96], [2027, 37, -66, -5, -17.22],
        [2027, 44, -43, -111, 24.31], [2027.5, 8, 62, 53, 19.39], [2027.5, 73, -72, 95, -102.64],
        [2028, 49, 20, 167, 5.10], [2028, 75, 79, 125, -18.59], [2028.5, 28, 54, -120, 15.43],
        [2028.5, 72, -62, 65, -67.87], [2029, 95, -60, -59, 8.58], [2029, 38, -76, 49, -64.28],
        [2029.5, 31, 13, -132, 9.04], [2029.5, 66, -21, 32, -14.63],
    ]

    @Test(arguments: vectors) func thePublishedFieldIsReached(row: [Double]) throws {
        // GIVEN the installed coefficients WHEN the field is computed at a published place and date
        let model = try GeomagneticModel(text: try Self.text())
        let (field, _) = model.field(at: Self.place(row[2], row[3], kilometers: row[1]), year: row[0])
        // THEN it is the published one to half of its last digit
        #expect(abs(field.northTesla * 1e9 - row[4]) <= 0.0501)
        #expect(abs(field.eastTesla * 1e9 - row[5]) <= 0.0501)
        #expect(abs(field.downTesla * 1e9 - row[6]) <= 0.0501)
        #expect(abs(field.horizontalTesla * 1e9 - row[7]) <= 0.0501)
        #expect(abs(field.dipRadians.radiansInDegrees - row[8]) <= 0.00501)
        #expect(abs(field.declinationRadians.radiansInDegrees - row[9]) <= 0.00501)
    }

    @Test(arguments: declinations) func thePublishedDeclinationIsReached(row: [Double]) throws {
        let model = try GeomagneticModel(text: try Self.text())
        let (field, _) = model.field(at: Self.place(row[2], row[3], kilometers: row[1]), year: row[0])
        #expect(abs(field.declinationRadians.radiansInDegrees - row[4]) <= 0.00501)
    }

    @Test func theChangePerYearIsTheDifferenceOfTwoYears() throws {
        // GIVEN a place WHEN the field is computed a year apart THEN the stated change is the difference
        let model = try GeomagneticModel(text: try Self.text())
        let place = Self.place(48, 11, kilometers: 0.5)
        let (before, rate) = model.field(at: place, year: 2026)
        let after = model.field(at: place, year: 2027).field
        #expect(abs(after.northTesla - before.northTesla - rate.northTesla) < 1e-15)
        #expect(abs(after.eastTesla - before.eastTesla - rate.eastTesla) < 1e-15)
    }

    @Test func theFieldIsFiniteAndContinuousAtThePoles() throws {
        // GIVEN both poles and places a metre beside them WHEN the field is computed THEN it is finite and the same to
        // 1e-4 of its strength in axes that do not depend on the longitude
        let model = try GeomagneticModel(text: try Self.text())
        for sign in [1.0, -1.0] {
            func horizontal(_ latitude: Double, _ longitude: Double) -> (Double, Double) {
                let (field, _) = model.field(at: Self.place(sign * latitude, longitude, kilometers: 0), year: 2026)
                let (s, c) = (sin(longitude * .pi / 180), cos(longitude * .pi / 180))
                // Along the meridian of 0 degrees, and across it.
                return (
                    field.northTesla * c * sign + field.eastTesla * s, field.northTesla * s * sign - field.eastTesla * c
                )
            }
            let pole = horizontal(90, 0)
            for longitude in stride(from: -170.0, through: 170, by: 20) {
                let beside = horizontal(90 - 1e-5, longitude)
                let at = horizontal(90, longitude)
                for found in [beside, at] {
                    #expect(abs(found.0 - pole.0) < 6e-9 && abs(found.1 - pole.1) < 6e-9, "\(longitude) \(found)")
                }
            }
        }
    }

    @Test func theSigmaFollowsThePlaceAndTheDate() throws {
        let model = try GeomagneticModel(text: try Self.text())
        func sigma(_ latitude: Double, _ longitude: Double, _ year: Double?) -> Double? {
            model.declination(at: Self.place(latitude, longitude, kilometers: 0), year: year)?.sigmaRadians
                .radiansInDegrees
        }
        // GIVEN places from the equator to the Arctic THEN the sigma is that of the error model: 0.26 deg and 5417 nT
        // over the horizontal strength
        #expect(abs((sigma(0, 120, 2025) ?? 0) - hypot(0.26, 5417 / 39677.9)) < 1e-4)
        #expect(abs((sigma(80, 0, 2025) ?? 0) - hypot(0.26, 5417 / 6523.2)) < 1e-4)
        // and close to the magnetic pole (85.8 N, 139 E in 2025) there is none
        #expect(sigma(85.8, 139.3, 2025) == nil)
        // AND after the end of the model it grows, and before its begin, and is unknown at last
        let valid = try #require(sigma(48, 11, 2029.9))
        let stale = try #require(sigma(48, 11, 2034))
        #expect(abs(stale - hypot(valid, 4 * 0.15)) < 0.01, "\(valid) \(stale)")
        #expect((sigma(48, 11, 2021) ?? 0) > valid && sigma(48, 11, 2046) == nil && sigma(48, 11, 2000) == nil)
        #expect(model.yearsOutside(year: 2027) == 0 && model.yearsOutside(year: 2031.5) == 1.5)
        // AND without a date it is that of the middle, and covers both ends
        let place = Self.place(48, 11, kilometers: 0)
        let undated = try #require(model.declination(at: place, year: nil))
        for year in [2025.0, 2030] {
            let dated = try #require(model.declination(at: place, year: year))
            #expect(abs(dated.radians - undated.radians) < undated.sigmaRadians)
        }
    }

    @Test(arguments: [
        ("", 1), ("hello\n", 1), ("nan WMM-2025 x\n", 1), ("2025.0 WMM-2025 x\n 1 0 -29351.8 0.0 12.0 0.0\n9999\n", 3),
        ("2025.0 WMM-2025 x\n 13 0 1 0 0 0\n", 2), ("2025.0 WMM-2025 x\n 1 2 1 0 0 0\n", 2),
        ("2025.0 WMM-2025 x\n 1 0 inf 0 0 0\n", 2), ("2025.0 WMM-2025 x\n 1 0 1 0 0\n", 2),
        ("2025.0 WMM-2025 x\n -9223372036854775808 0 1 0 0 0\n", 2),
        ("2025.0 WMM-2025 x\n 1 0 1 0 0 0\n 1 0 1 0 0 0\n", 3),
    ])
    func aDamagedFileIsRefusedWithItsLine(text: String, line: Int) {
        // GIVEN a text that is cut off or damaged THEN the fault names its line
        let fault = #expect(throws: GeomagneticModelFault.self) { _ = try GeomagneticModel(text: text) }
        #expect(fault?.line == line, "\(String(describing: fault))")
    }

    @Test func theInstalledFileIsRead() throws {
        let model = try GeomagneticModel(text: try Self.text())
        #expect(model.name == "WMM-2025" && model.epochYear == 2025 && model.endYear == 2030)
    }
}
