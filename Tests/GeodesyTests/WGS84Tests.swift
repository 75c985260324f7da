import Geodesy
import Glibc
import PoseMath
import Testing

/// Constants, radii and gravity against published values.
@Suite struct WGS84Tests {
    @Test func derivedConstants() {
        // Published to the digits given (NIMA TR8350.2 table 3.3).
        #expect(abs(WGS84.semiMinorAxisMeters - 6_356_752.3142) < 5e-5)
        #expect(abs(WGS84.eccentricitySquared - 6.694_379_990_14e-3) < 5e-15)
    }

    @Test func radiiOfCurvature() {
        // At the equator b^2/a and a, at the poles both a^2/b = 6399593.6258 m (TR8350.2 table 3.3); at 45 degrees a (1
        // - e2) / (1 - e2/2)^1.5 and a / (1 - e2/2)^0.5, computed by hand to a tenth of a millimetre.
        let known: [(Double, Double, Double)] = [
            (0, 6_335_439.3273, 6_378_137.0), (45, 6_367_381.8156, 6_388_838.2901),
            (90, 6_399_593.6258, 6_399_593.6258),
            (-90, 6_399_593.6258, 6_399_593.6258), (-45, 6_367_381.8156, 6_388_838.2901),
        ]
        for (degrees, meridian, prime) in known {
            #expect(
                abs(WGS84.meridianRadiusMeters(latitudeRadians: degrees.degreesInRadians) - meridian) < 1e-4,
                "\(degrees)")
            #expect(
                abs(WGS84.primeVerticalRadiusMeters(latitudeRadians: degrees.degreesInRadians) - prime) < 1e-4,
                "\(degrees)")
        }
        #expect(
            WGS84.meridianRadiusMeters(latitudeRadians: .nan).isNaN
                && WGS84.primeVerticalRadiusMeters(latitudeRadians: .nan).isNaN)
    }

    @Test func normalGravityOnTheEllipsoid() {
        func gravity(_ degrees: Double) -> Double {
            WGS84.normalGravity(latitudeRadians: degrees.degreesInRadians, altitudeEllipsoidMeters: 0)
        }
        // Published: equator and pole to ten decimals; at 45 degrees 9.806199203 for GRS 80, whose gravity is 1.433e-6
        // greater from equator to pole.
        #expect(abs(gravity(0) - 9.780_325_335_9) < 1e-12)
        #expect(abs(gravity(90) - 9.832_184_937_8) < 1e-10 && gravity(-90) == gravity(90))
        #expect(abs(gravity(45) - 9.806_197_770) < 1e-8)
        for degrees in stride(from: 0.0, to: 90, by: 5) {
            #expect(gravity(degrees) < gravity(degrees + 5) && gravity(-degrees) == gravity(degrees))
        }
    }

    @Test func normalGravityAboveTheEllipsoid() {
        // GIVEN the potential of the ellipsoid's mass and rotation as a series of zonal harmonics, independent of
        // Somigliana's formula
        for degrees in [0.0, 20, 45, 70, 90] {
            for height in [0.0, 1_000, 5_000, 10_000] {
                let place = GeodeticPosition(
                    latitudeDegrees: degrees, longitudeDegrees: 30, altitudeEllipsoidMeters: height)
                var (above, below) = (place, place)
                above.altitudeEllipsoidMeters += 10
                below.altitudeEllipsoidMeters -= 10
                let fall = (Self.potential(below.ecefMeters) - Self.potential(above.ecefMeters)) / 20
                // THEN its derivative with height is the gravity: 1e-5 m/s2 up to 10 km
                #expect(
                    abs(
                        WGS84.normalGravity(latitudeRadians: place.latitudeRadians, altitudeEllipsoidMeters: height)
                            - fall) < 1e-5)
            }
        }
    }

    /// Gravitation with J2, J4 and J6 of the ellipsoid (TR8350.2; the next is 1e-11) and the centrifugal potential,
    /// m2/s2.
    private static func potential(_ p: Vector3) -> Double {
        let r = p.length
        let s2 = p.z * p.z / (r * r)
        let q = WGS84.semiMajorAxisMeters * WGS84.semiMajorAxisMeters / (r * r)
        let p2 = (3 * s2 - 1) / 2
        let p4 = ((35 * s2 - 30) * s2 + 3) / 8
        let p6 = (((231 * s2 - 315) * s2 + 105) * s2 - 5) / 16
        let bulge = 1.082_629_821e-3 * q * p2 - 2.370_911_2e-6 * q * q * p4 + 6.083_47e-9 * q * q * q * p6
        let w = WGS84.earthRateRadiansPerSecond
        return WGS84.gravitationalParameter / r * (1 - bulge) + w * w * (p.x * p.x + p.y * p.y) / 2
    }

    @Test func rotationOfTheEarth() {
        // GIVEN the Earth's rate in the local frame, THEN it is horizontal at the equator, up at the north pole and
        // down at the south pole
        let rate = 7.292_115e-5
        #expect(WGS84.earthRateENU(latitudeRadians: 0) == (0, rate, 0))
        #expect(
            abs(WGS84.earthRateENU(latitudeRadians: .pi / 2).up - rate) < 1e-20
                && abs(WGS84.earthRateENU(latitudeRadians: -.pi / 2).up + rate) < 1e-20)
        let middle = WGS84.earthRateENU(latitudeRadians: .pi / 6)
        #expect(
            abs(middle.up - rate / 2) < 1e-19 && abs(middle.north - rate * 0.75.squareRoot()) < 1e-19
                && middle.east == 0)
    }
}
