import Geodesy
import Glibc
import PoseMath
import SeededNumbers
import Testing

/// The east-north-up frame at a position.
@Suite struct LocalFrameTests {
    private let tower = GeodeticPosition(latitudeDegrees: 43.72306, longitudeDegrees: 10.39639)

    @Test func publishedVectors() {
        // GIVEN a tower seen from 264 km away, THEN east, north, up, distance and azimuth are the known ones
        let far = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 41.926676, longitudeDegrees: 12.512543))
            .enuMeters(of: tower)
        // 2e-6: the published micrometre, and Earth-centred coordinates rounded to a nanometre
        #expect((far - Vector3(-170_477.297686, 201_630.198264, -5_470.799323)).length < 2e-6)
        #expect(abs(far.horizontalLength - 264_040.235) < 1e-3)
        #expect(abs(Angle.wrappedToTwoPi(atan2(far.x, far.y)).radiansInDegrees - 319.785652) < 1e-6)
        // and from a position close to it
        let near = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 43.72280, longitudeDegrees: 10.39560))
        let offset = near.enuMeters(of: tower)
        #expect((offset - Vector3(63.656876, 28.888080, -0.000383)).length < 2e-6)
        #expect(abs(offset.length - 69.905072) < 2e-6)
        #expect(abs(atan2(offset.x, offset.y).radiansInDegrees - 65.591013) < 1e-6)
        var top = tower
        top.altitudeEllipsoidMeters = 18
        #expect(abs(near.enuMeters(of: top).z - 17.999617) < 1e-6)
    }

    @Test func publishedBearingOnTheEllipsoid() {
        // GIVEN two statues 98 m apart, known to 0.0001 degrees and a millimetre
        let from = GeodeticPosition(latitudeDegrees: 45.558779, longitudeDegrees: 18.6916306)
        let offset = LocalFrame(origin: from).enuMeters(
            of: GeodeticPosition(latitudeDegrees: 45.558988, longitudeDegrees: 18.692848))
        #expect(abs(atan2(offset.x, offset.y).radiansInDegrees - 76.2665) < 1e-4)
        #expect(abs(offset.horizontalLength - 97.848) < 1e-3)
    }

    @Test func originIsZeroAndUpIsPositive() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let origin = random.place()
            let frame = LocalFrame(origin: origin)
            #expect(frame.enuMeters(of: origin) == .zero)
            var above = origin
            above.altitudeEllipsoidMeters += 100
            // 1e-8: coordinates of 6.4e6 m are rounded to a nanometre
            #expect((frame.enuMeters(of: above) - Vector3(0, 0, 100)).length < 1e-8)
        }
    }

    @Test func axesPointEastAndNorth() {
        var random = SplitMix64(seed: 2)
        for _ in 0..<500 {
            var origin = random.place()
            origin.latitudeRadians *= 0.95
            let frame = LocalFrame(origin: origin)
            let step = 1e-6
            var (eastOfIt, northOfIt) = (origin, origin)
            eastOfIt.longitudeRadians += step
            northOfIt.latitudeRadians += step
            // THEN a step of longitude or latitude is along one axis, scaled by its radius of curvature; 1e-4 m: over 6
            // m the ground falls 3e-6 m, and parallels are not great circles
            let radiusEast =
                WGS84.primeVerticalRadiusMeters(latitudeRadians: origin.latitudeRadians)
                + origin.altitudeEllipsoidMeters
            let radiusNorth =
                WGS84.meridianRadiusMeters(latitudeRadians: origin.latitudeRadians) + origin.altitudeEllipsoidMeters
            let east = Vector3(step * radiusEast * cos(origin.latitudeRadians), 0, 0)
            #expect((frame.enuMeters(of: eastOfIt) - east).length < 1e-4)
            #expect((frame.enuMeters(of: northOfIt) - Vector3(0, step * radiusNorth, 0)).length < 1e-4)
        }
    }

    @Test func roundTripAndRigidity() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            let (origin, enu) = (random.place(), random.vector(20_000))
            let frame = LocalFrame(origin: origin)
            let place = frame.position(ofENUMeters: enu)
            // 1e-6 m: the accuracy of the conversion from Earth-centred coordinates
            #expect((frame.enuMeters(of: place) - enu).length < 1e-6)
            #expect(abs((place.ecefMeters - origin.ecefMeters).length - enu.length) < 1e-6)
        }
    }

    @Test func acrossTheAntimeridian() {
        // GIVEN an origin just west of the antimeridian and a position just east of it
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: -16.5, longitudeDegrees: 179.9999))
        let enu = frame.enuMeters(of: GeodeticPosition(latitudeDegrees: -16.5, longitudeDegrees: -179.9999))
        // THEN the position is 21 m to the east
        let expected =
            0.0002.degreesInRadians * WGS84.primeVerticalRadiusMeters(latitudeRadians: -16.5.degreesInRadians)
            * cos(16.5.degreesInRadians)
        #expect((enu - Vector3(expected, 0, 0)).length < 1e-4)
        #expect(frame.position(ofENUMeters: enu).longitudeDegrees < -179.999)
    }

    @Test func atThePoles() {
        // GIVEN the north pole with the meridian of Greenwich: north is along the meridian of 180 degrees
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 90, longitudeDegrees: 0))
        let beyond = frame.position(ofENUMeters: Vector3(0, 1_000, 0))
        #expect(
            abs(abs(beyond.longitudeDegrees) - 180) < 1e-9 && beyond.latitudeDegrees < 90
                && beyond.latitudeDegrees > 89.99)
        let side = frame.position(ofENUMeters: Vector3(1_000, 0, 0))
        #expect(abs(side.longitudeDegrees - 90) < 1e-9)
        #expect((frame.enuMeters(of: side) - Vector3(1_000, 0, 0)).length < 1e-6)
    }

    @Test func tangentPlaneRisesAboveTheEllipsoid() {
        // GIVEN a position on the ellipsoid, THEN it is below the tangent plane by the distance squared divided by
        // twice the radius
        let frame = LocalFrame(origin: tower)
        for kilometres in [1.0, 5, 20] {
            let d = kilometres * 1_000
            var place = frame.position(ofENUMeters: Vector3(0, d, 0))
            place.altitudeEllipsoidMeters = 0
            let radius = WGS84.meridianRadiusMeters(latitudeRadians: tower.latitudeRadians)
            // 0.5 %: the radius changes along the distance
            #expect(abs(frame.enuMeters(of: place).z * -2 * radius / (d * d) - 1) < 0.005)
        }
    }
}
