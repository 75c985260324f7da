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
}
