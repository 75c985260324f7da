import Frames
import Geodesy
import Testing

/// The frame's own conversion for clients, which do not have Geodesy.
@Suite struct EarthCentredTests {
    /// GIVEN places all over the Earth WHEN converted THEN the frame and Geodesy agree to the rounding of double
    /// precision at 6e6 m, and without a height it is unknown.
    @Test func theFrameAgreesWithGeodesy() throws {
        for latitude in stride(from: -90.0, through: 90, by: 15) {
            for longitude in stride(from: -180.0, through: 180, by: 45) {
                let place = GeodeticPosition(
                    latitudeDegrees: latitude, longitudeDegrees: longitude, altitudeEllipsoidMeters: latitude * 50)
                var pose = Frame.Pose()
                (pose.latitudeRadians, pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
                #expect(pose.ecefMeters == nil)
                pose.altitudeEllipsoidMeters = place.altitudeEllipsoidMeters
                let ecef = try #require(pose.ecefMeters)
                let other = place.ecefMeters
                #expect(abs(ecef.x - other.x) + abs(ecef.y - other.y) + abs(ecef.z - other.z) < 1e-8)
            }
        }
    }
}
