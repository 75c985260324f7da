import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// What a state begins with, when it is sound, and how its place moves.
@Suite struct NavigationStateTests {
    private static let start = NavigationState(
        time: MonotonicTime(nanoseconds: 0),
        position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
        velocityENU: .zero, sensorToENU: .identity)

    @Test func wheelsAreRightUntilSomethingSaysOtherwise() {
        // GIVEN a state before anything is known THEN the wheels state the true speed, and every other number is zero
        for entry in StateTable.entries {
            for axis in 0..<entry.state.length {
                let expected = entry.state == .wheelScale ? 1.0 : 0
                #expect(Self.start[entry.state[axis]] == expected, "\(entry.name) \(axis)")
            }
        }
    }

    @Test func aPlaceOrARotationThatIsNoneIsNotSound() {
        // GIVEN a sound state WHEN its place leaves the Earth, or a number of place, attitude or mount is none THEN it
        // is not sound
        let changes: [(name: String, change: (inout NavigationState) -> Void)] = [
            ("no latitude", { $0.position.latitudeRadians = .nan }),
            ("beyond the pole", { $0.position.latitudeRadians = -1.571 }),
            ("no longitude", { $0.position.longitudeRadians = .infinity }),
            ("no height", { $0.position.altitudeEllipsoidMeters = .nan }),
            ("in space", { $0.position.altitudeEllipsoidMeters = 100_001 }),
            ("no attitude", { $0.sensorToENU.w = .nan }), ("endless attitude", { $0.sensorToENU.x = .infinity }),
            ("no mount", { $0.sensorToVehicle.z = .nan }), ("endless mount", { $0.sensorToVehicle.y = .infinity }),
        ]
        #expect(Self.start.isSound)
        for (name, change) in changes {
            var state = Self.start
            change(&state)
            #expect(!state.isSound, "\(name)")
            // AND neither is a filter that believes in it
            var filter = NavigationFilter(at: Self.start, leverArm: .zero)
            filter.state = state
            let isHealthy = filter.isHealthy()
            #expect(!isHealthy, "\(name)")
        }
        // AND it is at the pole and below space
        var edge = Self.start
        (edge.position.latitudeRadians, edge.position.altitudeEllipsoidMeters) = (.pi / 2, 99_999)
        #expect(edge.isSound)
    }

    @Test(arguments: [
        (47.0, 0.0, 6.279_809_447_848e-6, 6.884_385_022_841e-6),
        (47, 3000, 6.276_853_139_725e-6, 6.881_154_225_081e-6),
        (-30, 8000, 6.289_924_209_185e-6, 5.419_873_202_703e-6),
        (0, -400, 6.314_088_663_613e-6, 4.703_862_827_834e-6),
    ])
    func aWayIsAnAngleByTheRadiiAtItsHeight(latitude: Double, height: Double, north: Double, east: Double) {
        // GIVEN a place at a height WHEN it moves by 30 m to the east, 40 m to the north and 5 m up THEN latitude and
        // longitude change by that over the radii of WGS 84 and the height (Groves 2013 eq. 2.111, worked out beside
        // this program), to the rounding of an angle of the whole Earth
        let place = GeodeticPosition(
            latitudeDegrees: latitude, longitudeDegrees: 9, altitudeEllipsoidMeters: height)
        let moved = place.moved(byENU: Vector3(30, 40, 5))
        #expect(abs(moved.latitudeRadians - place.latitudeRadians - north) < 1e-15)
        #expect(abs(moved.longitudeRadians - place.longitudeRadians - east) < 1e-15)
        #expect(abs(moved.altitudeEllipsoidMeters - height - 5) < 1e-9)
        // AND in space it is as long, 50.249 m, to its square over the radius of the Earth
        let way = (moved.ecefMeters - place.ecefMeters).length
        #expect(abs(way - 50.249_378) < 4e-4, "\(way)")
    }

    @Test func aWayGoesOnBeyondTheDateLine() {
        // GIVEN a place 10 m before the date line WHEN it moves by 30 m to the east THEN it is 20 m beyond
        let line = GeodeticPosition(latitudeDegrees: 10, longitudeDegrees: 180, altitudeEllipsoidMeters: 0)
        let moved = line.moved(byENU: Vector3(-10, 0, 0)).moved(byENU: Vector3(30, 0, 0))
        #expect(moved.longitudeRadians < 0)
        #expect(abs(line.surfaceOffsetMeters(to: moved).east - 20) < 1e-6)
    }
}
