import Engine
import Frames
import Geodesy
import Glibc
import PoseMath
import Testing

/// The origin of the local frame is the first position; it moves after 20 km.
@Suite struct LocalOriginTests {
    /// Places a minute apart, at a distance east of the start along the parallel; four fixes at each confirm it.
    private func drive(from start: GeodeticPosition, eastMeters: [Double]) -> [Frame.Pose] {
        let engine = RunningEngine()
        return eastMeters.enumerated().map { index, east in
            var place = start
            let radius = WGS84.primeVerticalRadiusMeters(latitudeRadians: start.latitudeRadians)
            let parallel = radius * cos(start.latitudeRadians)
            place.longitudeRadians = Angle.wrappedToPi(start.longitudeRadians + east / parallel)
            for second in 1...4 { #expect(engine.ingest(Scenes.fix(at: Double(60 * index + second), place))) }
            return engine.frame.pose
        }
    }

    @Test func isKeptUpToTwentyKilometresAndThenAnchoredAnew() {
        for start in [Scenes.start, GeodeticPosition(latitudeDegrees: -17, longitudeDegrees: 179.9)] {
            let poses = drive(from: start, eastMeters: [0, 10_000, 19_990, 20_010, 20_020, 40_000, 40_020])
            #expect(poses.map(\.originEpoch) == [1, 1, 1, 2, 2, 2, 3])
            // 10 m: the chord of 20 km is shorter than the parallel, which bends away from the tangent
            #expect(abs((poses[2].positionENUMeters?.x ?? .nan) - 19_990) < 10)
            #expect(
                poses[3].positionENUMeters == Frame.Triple(0, 0, 0)
                    && poses[3].originLongitudeRadians == poses[3].longitudeRadians)
            #expect(abs((poses[4].positionENUMeters?.x ?? .nan) - 10) < 1e-3)
        }
    }

    @Test func positionAndOriginTogetherMeanThePlace() {
        let poses = drive(from: Scenes.start, eastMeters: [0, 5_000, 25_000, 26_000])
        for pose in poses {
            guard let lat = pose.originLatitudeRadians, let lon = pose.originLongitudeRadians,
                let height = pose.originAltitudeEllipsoidMeters,
                let enu = pose.positionENUMeters
            else {
                Issue.record("a frame with a position has an origin")
                continue
            }
            let origin = GeodeticPosition(latitudeRadians: lat, longitudeRadians: lon, altitudeEllipsoidMeters: height)
            let place = LocalFrame(origin: origin).position(ofENUMeters: Vector3(enu.x, enu.y, enu.z))
            // 2e-13 rad is a micrometre on the ground.
            #expect(abs(place.latitudeRadians - (pose.latitudeRadians ?? .nan)) < 2e-13)
            #expect(abs(place.longitudeRadians - (pose.longitudeRadians ?? .nan)) < 4e-13)
        }
    }
}
