import Glibc
import PoseMath
import Testing

@testable import Roads

/// The length of the road ahead with points of a damaged road file.
@Suite struct HorizonLengthTests {
    @Test func pointsAroundTheEarthEndTheLine() {
        // GIVEN a line whose points are a thousand times on opposite sides of the Earth, as no road is
        var horizon = RoadHorizon()
        for index in 0..<1000 { horizon.append(Vector3(index % 2 == 0 ? 6.4e6 : -6.4e6, 0, 0)) }
        // THEN it ends at the greatest length, on its first segment; the search for curves goes on to the end of it
        #expect(horizon.lengthMeters == RoadHorizon.longestMeters && horizon.points.count == 2)
        #expect(horizon.points.last?.place == Vector3(6.4e6 - RoadHorizon.longestMeters, 0, 0))
        #expect(horizon.governingCurve() == nil)
    }

    @Test func ofTwoCurvesTheOneWhoseBrakingStartsFirstGoverns() throws {
        // GIVEN 60 m straight, a curve of 40 m radius, 400 m straight, and a curve of 15 m radius WHEN the governing
        // curve is looked for THEN it is the near one: for the far one, braking starts 400 m later
        var horizon = RoadHorizon()
        var (place, course) = (Vector3.zero, 0.0)
        func drive(_ meters: Int, turning curvature: Double) {
            for _ in 0..<meters {
                horizon.append(place)
                course += curvature
                place += Vector3(cos(course), sin(course), 0)
            }
        }
        drive(60, turning: 0)
        drive(60, turning: 1.0 / 40)
        drive(400, turning: 0)
        drive(20, turning: 1.0 / 15)
        let advice = try #require(horizon.governingCurve())
        #expect(advice.distanceMeters > 50 && advice.distanceMeters < 125, "\(advice)")
    }

    @Test(arguments: [(12.0, 3.0, false), (12, 3.5, true), (92, 2.9, false), (92, 3.1, true)])
    func aCurveIsToldIfItsFifteenMetersAreOnTheLine(east: Double, north: Double, isTold: Bool) {
        // GIVEN a line with a corner near its end WHEN the curve is looked for, every 5 m from 7.5 m on THEN it is told
        // if the 7.5 m before and after such a place are on the line and turn; a line of 15 m has no such place
        var horizon = RoadHorizon()
        for place in [Vector3(0, 0, 0), Vector3(east, 0, 0), Vector3(east, north, 0)] { horizon.append(place) }
        #expect((horizon.governingCurve() != nil) == isTold)
    }
}
