import Geodesy
import Glibc
import PoseMath
import SeededNumbers
import Testing

/// Distances and bearings on the sphere, and short ones on the ellipsoid.
@Suite struct GreatCircleTests {
    private func place(_ latitude: Double, _ longitude: Double) -> GeodeticPosition {
        GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }

    private func bearing(_ a: GeodeticPosition, _ b: GeodeticPosition) -> Double? {
        GreatCircle.initialBearingRadians(from: a, to: b)?.radiansInDegrees
    }

    @Test func publishedHaversineDistances() {
        // GIVEN distances known on a sphere of 6378.137 km, THEN they agree to the published digits
        let denver = [place(39.74012, -104.9849), place(39.7995, -105.7237), place(39.6404, -106.3736)]
        let known: [(GeodeticPosition, GeodeticPosition, Double, Double)] = [
            (place(0, 0), place(0, 1), 111_319.4908, 5e-5), (place(45, 18), place(46, 18), 111_319.4908, 5e-5),
            (place(45, 18), place(45, 19), 78_714.267, 5e-4), (denver[0], denver[1], 63_558.03, 5e-3),
            (denver[1], denver[2], 58_397.60, 5e-3),
        ]
        for (a, b, meters, tolerance) in known {
            #expect(abs(GreatCircle.distanceMeters(from: a, to: b) - meters) <= tolerance)
            #expect(abs(GreatCircle.distanceMeters(from: b, to: a) - meters) <= tolerance)
        }
        // a degree of latitude on the mean sphere
        #expect(
            abs(GreatCircle.distanceMeters(from: place(10, 5), to: place(11, 5), radiusMeters: 6_371_000) - 111_194.93)
                < 5e-3)
    }

    @Test func publishedBearings() {
        let (krleza, skoljka) = (place(45.558779, 18.6916306), place(45.558988, 18.692848))
        // Published to 0.0001 degrees and a millimetre: half a digit of rounding, and the same for the coordinates.
        #expect(abs((bearing(krleza, skoljka) ?? .nan) - 76.2229) < 1e-4)
        #expect(abs((bearing(skoljka, krleza) ?? .nan) - 256.2238) < 1e-4)
        #expect(abs(GreatCircle.distanceMeters(from: krleza, to: skoljka, radiusMeters: 6_371_000) - 97.589) < 1e-3)
    }

    @Test func cardinalBearings() {
        #expect(bearing(place(10, 20), place(11, 20)) == 0)
        #expect(bearing(place(10, 20), place(9, 20)) == 180)
        #expect(abs((bearing(place(0, 20), place(0, 21)) ?? .nan) - 90) < 1e-12)
        #expect(abs((bearing(place(0, 20), place(0, 19)) ?? .nan) - 270) < 1e-12)
    }

    @Test func acrossTheAntimeridian() {
        #expect(abs((bearing(place(0, 179.5), place(0, -179.5)) ?? .nan) - 90) < 1e-12)
        #expect(abs((bearing(place(0, -179.5), place(0, 179.5)) ?? .nan) - 270) < 1e-12)
        #expect(abs(GreatCircle.distanceMeters(from: place(0, 179.5), to: place(0, -179.5)) - 111_319.4908) < 5e-5)
        // The same positions with longitudes beyond 180 degrees.
        #expect(abs((bearing(place(0, 179.5), place(0, 180.5)) ?? .nan) - 90) < 1e-12)
    }

    @Test func bearingsAtThePoles() {
        // GIVEN any position, THEN the bearing to the north pole is 0 and to the south pole 180 degrees
        for longitude in [-170.0, -20, 0, 95] {
            #expect(
                abs(
                    Angle.wrappedToPi(
                        (GreatCircle.initialBearingRadians(from: place(45, 20), to: place(90, longitude)) ?? .nan)))
                    < 1e-12)
            #expect(abs((bearing(place(45, 20), place(-90, longitude)) ?? .nan) - 180) < 1e-12)
        }
        // and at a pole bearings are relative to the extension of its own meridian
        #expect(abs((bearing(place(90, 0), place(80, 90)) ?? .nan) - 90) < 1e-9)
        #expect(abs((bearing(place(90, 0), place(80, 0)) ?? .nan) - 180) < 1e-9)
        #expect(abs((bearing(place(-90, 0), place(-80, 90)) ?? .nan) - 90) < 1e-9)
    }

    @Test func bearingIsNilWithoutADirection() {
        #expect(bearing(place(45.5, 18.7), place(45.5, 18.7)) == nil, "the same place")
        #expect(bearing(place(0, 0), place(0, 180)) == nil, "across the Earth")
        #expect(bearing(place(90, 0), place(90, 77)) == nil, "a pole has one place for all longitudes")
        #expect(bearing(place(10, 180), place(10, -180)) == nil, "the antimeridian from both sides")
        #expect(bearing(place(.nan, 0), place(1, 1)) == nil && bearing(place(0, 0), place(1, .infinity)) == nil)
        // A millimetre is enough for a direction.
        #expect(abs((bearing(place(45, 18), place(45 + 1e-8, 18)) ?? .nan)) < 1e-6)
    }

    @Test func distancesAtTheLimits() {
        #expect(GreatCircle.distanceMeters(from: place(12, 34), to: place(12, 34)) == 0)
        // Antipodal positions: rounding may push the haversine above one, which must not give NaN.
        var random = SplitMix64(seed: 4)
        for _ in 0..<500 {
            let a = random.place()
            let b = GeodeticPosition(
                latitudeRadians: -a.latitudeRadians, longitudeRadians: a.longitudeRadians + .pi,
                altitudeEllipsoidMeters: 0)
            // 1e-6 of the radius: near the antipode the haversine hardly changes
            #expect(abs(GreatCircle.distanceMeters(from: a, to: b) - .pi * WGS84.semiMajorAxisMeters) < 6.4)
        }
        #expect(GreatCircle.distanceMeters(from: place(.nan, 0), to: place(0, 0)).isNaN)
    }

    @Test func sphereErrorIsAtMostHalfAPercent() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<500 {
            let a = random.place(height: 0)
            let enu = Vector3(random.uniform(-500, 500), random.uniform(-500, 500), 0)
            let b = LocalFrame(origin: a).position(ofENUMeters: enu)
            let ratio = GreatCircle.distanceMeters(from: a, to: b) / enu.length
            // The meridian's radius at the equator is shorter than the sphere's by 0.67 %, at the poles longer by 0.34
            // %.
            #expect(ratio > 1 - 0.0034 && ratio < 1 + 0.0068)
        }
    }
}

/// East and north offsets along the surface, as used by the filter.
@Suite struct SurfaceOffsetTests {
    @Test func agreesWithTheLocalFrameAtTheMidpoint() {
        // GIVEN places on the ellipsoid within 65 degrees and up to 10 km apart
        var random = SplitMix64(seed: 6)
        for _ in 0..<2_000 {
            var a = random.place(height: 0)
            a.latitudeRadians *= 65.0 / 90
            let reach = 10_000 * random.uniform(0.001, 1)
            let bearing = random.uniform(0, 2 * .pi)
            var b = LocalFrame(origin: a).position(ofENUMeters: Vector3(reach * sin(bearing), reach * cos(bearing), 0))
            b.altitudeEllipsoidMeters = 0
            let middle = GeodeticPosition(
                latitudeRadians: (a.latitudeRadians + b.latitudeRadians) / 2,
                longitudeRadians: a.longitudeRadians + Angle.wrappedToPi(b.longitudeRadians - a.longitudeRadians) / 2,
                altitudeEllipsoidMeters: 0)
            let frame = LocalFrame(origin: middle)
            let expected = frame.enuMeters(of: b) - frame.enuMeters(of: a)
            let offset = a.surfaceOffsetMeters(to: b)
            // THEN both components are accurate to a millionth of the distance plus the rounding of the coordinates
            #expect(
                abs(offset.east - expected.x) < 1e-6 * reach + 1e-6
                    && abs(offset.north - expected.y) < 1e-6 * reach + 1e-6)
        }
    }

    @Test func reverseOffsetIsTheOpposite() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<500 {
            let a = random.place(height: 0)
            let b = GeodeticPosition(
                latitudeRadians: a.latitudeRadians * 0.999,
                longitudeRadians: Angle.wrappedToPi(a.longitudeRadians + 0.001),
                altitudeEllipsoidMeters: 9)
            let (there, back) = (a.surfaceOffsetMeters(to: b), b.surfaceOffsetMeters(to: a))
            #expect(there.east == -back.east && there.north == -back.north)
            #expect(there.east > 0)
        }
    }

    @Test func acrossTheAntimeridian() {
        let west = GeodeticPosition(latitudeDegrees: 52, longitudeDegrees: 179.9995)
        let east = GeodeticPosition(latitudeDegrees: 52.0001, longitudeDegrees: -179.9995)
        let offset = west.surfaceOffsetMeters(to: east)
        let enu = LocalFrame(origin: west).enuMeters(of: east)
        // 1e-3 m over 70 m: the frames at the origin and at the midpoint differ by half the convergence of the
        // meridians, 7e-6 rad
        #expect(abs(offset.east - enu.x) < 1e-3 && abs(offset.north - enu.y) < 1e-3 && offset.east > 68)
    }

    @Test func nonFiniteInputGivesNaN() {
        let here = GeodeticPosition(latitudeDegrees: 1, longitudeDegrees: 2)
        let offset = here.surfaceOffsetMeters(to: GeodeticPosition(latitudeDegrees: .nan, longitudeDegrees: .infinity))
        #expect(offset.east.isNaN && offset.north.isNaN)
        #expect(here.surfaceOffsetMeters(to: here) == (0, 0))
    }
}
