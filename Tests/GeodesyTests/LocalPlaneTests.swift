import Geodesy
import Glibc
import PoseMath
import SeededNumbers
import Testing

/// The plane around a position, in which maps draw their lines.
@Suite struct LocalPlaneTests {
    @Test func nearItsPositionItAgreesWithTheFrameThere() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            // GIVEN a position up to 45 degrees of latitude, and another one up to 1 km away in any direction
            var center = random.place(height: 0)
            center.latitudeRadians /= 2
            let (bearing, meters) = (random.uniform(-.pi, .pi), random.uniform(1, 1000))
            let way = Vector3(meters * sin(bearing), meters * cos(bearing), 0)
            let other = LocalFrame(origin: center).position(ofENUMeters: way)
            // THEN the offset is that of the frame; 2e-4: at 45 degrees a parallel shrinks by 1.6e-4 in 1 km
            let plane = LocalPlane(at: center)
            let there = plane.offsetMeters(from: center, to: other)
            #expect(hypot(there.east - way.x, there.north - way.y) <= 2e-4 * meters)
            // AND the way back is the same one
            let back = plane.offsetMeters(from: other, to: center)
            #expect(back.east == -there.east && back.north == -there.north)
        }
    }

    @Test func aLineOfTheMapIsStraight() {
        // GIVEN a place in the middle between two others, in longitude and latitude, across the antimeridian
        let west = GeodeticPosition(latitudeDegrees: -17, longitudeDegrees: 179.9)
        let east = GeodeticPosition(latitudeDegrees: -16.8, longitudeDegrees: -179.9)
        let middle = GeodeticPosition(latitudeDegrees: -16.9, longitudeDegrees: 180)
        // THEN it is in the middle of them in the plane of any position; 1e-6 m: angles are rounded to 1e-16 of a turn
        let plane = LocalPlane(at: GeodeticPosition(latitudeDegrees: -17.1, longitudeDegrees: 180))
        let (half, whole) = (plane.offsetMeters(from: west, to: middle), plane.offsetMeters(from: west, to: east))
        #expect(abs(whole.east - 2 * half.east) < 1e-6 && abs(whole.north - 2 * half.north) < 1e-6)
        #expect(half.east > 10_000 && half.north > 11_000)
    }

    @Test func atAPoleNothingIsEast() {
        let pole = GeodeticPosition(latitudeDegrees: 90, longitudeDegrees: 0)
        let offset = LocalPlane(at: pole).offsetMeters(
            from: pole, to: GeodeticPosition(latitudeDegrees: 89.99, longitudeDegrees: 90))
        // 1e-6 m: the cosine of a right angle is 6e-17, not 0
        #expect(abs(offset.east) < 1e-6 && abs(offset.north + 1116.9) < 0.1)
    }
}
