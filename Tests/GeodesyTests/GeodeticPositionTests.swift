import Geodesy
import PoseMath
import Testing

/// Conversion to Earth-centred coordinates and back.
@Suite struct GeodeticPositionTests {
    @Test func publishedEarthCentredCoordinates() {
        // GIVEN two positions with known Earth-centred coordinates, published to a micrometre
        let known: [(GeodeticPosition, Vector3)] = [
            (
                GeodeticPosition(latitudeDegrees: 43.72306, longitudeDegrees: 10.39639),
                Vector3(4_541_003.189436, 833_134.297714, 4_385_905.468989)
            ),
            (
                GeodeticPosition(latitudeDegrees: 43.72306, longitudeDegrees: 10.39639, altitudeEllipsoidMeters: 18),
                Vector3(4_541_015.984278, 833_136.645174, 4_385_917.910108)
            ),
            (
                GeodeticPosition(latitudeDegrees: 41.926676, longitudeDegrees: 12.512543),
                Vector3(4_639_567.476988, 1_029_632.996018, 4_239_547.967276)
            ),
        ]
        for (place, ecef) in known {
            // THEN they agree to the published digits and a few nanometres of rounding
            #expect((place.ecefMeters - ecef).length < 1e-6)
            let back = GeodeticPosition(ecefMeters: ecef)
            #expect(
                abs(back.latitudeRadians - place.latitudeRadians) < 2e-13
                    && abs(back.longitudeRadians - place.longitudeRadians) < 2e-13)
            #expect(abs(back.altitudeEllipsoidMeters - place.altitudeEllipsoidMeters) < 1e-6)
        }
    }

    @Test func axesOfTheEllipsoid() {
        let a = WGS84.semiMajorAxisMeters
        #expect((GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0).ecefMeters - Vector3(a, 0, 0)).length < 1e-8)
        #expect(
            (GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 90).ecefMeters - Vector3(0, a, 0)).length < 1e-8)
        // The semi-minor axis as published in TR8350.2, to its four digits.
        #expect(
            (GeodeticPosition(latitudeDegrees: 90, longitudeDegrees: 0).ecefMeters - Vector3(0, 0, 6_356_752.3142))
                .length < 5e-5)
        #expect(
            (GeodeticPosition(latitudeDegrees: -90, longitudeDegrees: 77).ecefMeters - Vector3(0, 0, -6_356_752.3142))
                .length < 5e-5)
    }

    @Test func roundTripWorldwide() {
        // GIVEN all latitudes with the poles, the equator and their vicinity, all longitudes, and heights from the
        // deepest trench to orbit
        let latitudes =
            stride(from: -90.0, through: 90, by: 7.5).map { $0 } + [-89.999_999, -1e-7, 1e-7, 89.9999, 89.999_999_999]
        for latitude in latitudes {
            for longitude in stride(from: -180.0, through: 180, by: 22.5) {
                for height in [-10_000, -100, 0, 100, 9_000, 100_000, 1e6, 1e7] {
                    let place = GeodeticPosition(
                        latitudeDegrees: latitude, longitudeDegrees: longitude, altitudeEllipsoidMeters: height)
                    let back = GeodeticPosition(ecefMeters: place.ecefMeters)
                    // THEN the round trip is accurate to 1e-9 rad and 1e-6 m
                    #expect(abs(back.latitudeRadians - place.latitudeRadians) < 1e-9, "\(latitude) \(height)")
                    #expect(abs(back.altitudeEllipsoidMeters - height) < 1e-6, "\(latitude) \(height)")
                    #expect((back.ecefMeters - place.ecefMeters).length < 1e-6 + 1e-15 * height)
                    guard abs(latitude) < 89.999_999_9 else { continue }
                    #expect(abs(Angle.wrappedToPi(back.longitudeRadians - place.longitudeRadians)) < 1e-9)
                }
            }
        }
    }

    @Test func onTheAxisTheLongitudeIsZero() {
        for z in [7e6, -7e6] {
            let place = GeodeticPosition(ecefMeters: Vector3(0, 0, z))
            #expect(place.longitudeRadians == 0 && abs(place.latitudeDegrees - (z > 0 ? 90 : -90)) < 1e-12)
            #expect(abs(place.altitudeEllipsoidMeters - (7e6 - WGS84.semiMinorAxisMeters)) < 1e-8)
            // A zero with a sign, such as a rounded longitude of 180 degrees leaves, turns nothing.
            #expect(GeodeticPosition(ecefMeters: Vector3(-0.0, 0, z)).longitudeRadians == 0)
        }
    }

    @Test func pointsDeepInsideTheEarthGiveLatitudesInRange() {
        // GIVEN the Earth's centre and points around it, which only invalid input contains
        let centre = GeodeticPosition(ecefMeters: .zero)
        #expect(
            centre.latitudeRadians == 0 && centre.longitudeRadians == 0
                && abs(centre.altitudeEllipsoidMeters + 6_378_137) < 1e-6)
        for inside in [
            Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(-10, 20, -30), Vector3(40_000, 0, 5_000),
            Vector3(0, 30_000, -42_000),
        ] {
            let place = GeodeticPosition(ecefMeters: inside)
            // THEN latitudes are in range, and none of them is a valid position
            #expect(abs(place.latitudeRadians) <= .pi / 2 && abs(place.longitudeRadians) <= .pi)
            #expect(place.altitudeEllipsoidMeters.isFinite && !place.isValid)
        }
    }

    @Test func validityBoundsAndNaN() {
        func valid(_ latitude: Double, _ longitude: Double, _ height: Double) -> Bool {
            GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
                .isValid
        }
        #expect(valid(0, 0, 0) && valid(.pi / 2, .pi, 99_999) && valid(-.pi / 2, -.pi, -10_999))
        #expect(
            !valid((Double.pi / 2).nextUp, 0, 0) && !valid(0, Double.pi.nextUp, 0) && !valid(0, 0, 100_000)
                && !valid(0, 0, -11_000))
        for bad in [Double.nan, .infinity, -.infinity] {
            #expect(!valid(bad, 0, 0) && !valid(0, bad, 0) && !valid(0, 0, bad))
        }
    }

    @Test func degreesAndSigns() {
        let sydney = GeodeticPosition(
            latitudeDegrees: -33.8568, longitudeDegrees: 151.2153, altitudeEllipsoidMeters: 25)
        #expect(abs(sydney.latitudeDegrees + 33.8568) < 1e-13 && abs(sydney.longitudeDegrees - 151.2153) < 1e-12)
        // South is negative z; at 151 degrees east x is negative.
        #expect(sydney.ecefMeters.z < 0 && sydney.ecefMeters.x < 0 && sydney.ecefMeters.y > 0)
    }
}
