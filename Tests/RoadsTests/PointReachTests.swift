import PoseMath
import Testing

@testable import Roads

/// Which boxes of points are inside the sphere of a search: their points are counted without a look at each.
@Suite struct PointReachTests {
    /// A place by its coordinate on one axis and on both others.
    private static func place(_ axis: Int, _ along: Double, _ aside: Double) -> Vector3 {
        switch axis {
        case 0: Vector3(along, aside, aside)
        case 1: Vector3(aside, along, aside)
        default: Vector3(aside, aside, along)
        }
    }

    @Test(
        arguments: 0..<3,
        [
            (10.0, 10.2, true), (10, 10, false), (-5, 25.1, true), (-5, 24.9, false), (25, 25.1, true),
            (25, 24.9, false),
        ] as [(Double, Double, Bool)])
    func aBoxIsInsideIfItsFarthestCornerIs(axis: Int, search: (along: Double, meters: Double, isInside: Bool)) {
        // GIVEN a box from 0 to 20 m on one axis, and from -1 to 1 m on the others
        var box = QuantizedBox()
        box.include(QuantizedPoint(meters: Self.place(axis, 0, -1)))
        box.include(QuantizedPoint(meters: Self.place(axis, 20, 1)))
        // WHEN the sphere is around a place on that axis THEN its radius must reach the farthest corner, on either side
        let reach = PointMap.Reach(Self.place(axis, search.along, 0), meters: search.meters)
        #expect(reach.contains(box) == search.isInside)
        #expect(reach.intersects(box))
        // AND the same holds on the other side of the Earth's centre
        var mirrored = QuantizedBox()
        mirrored.include(QuantizedPoint(meters: Self.place(axis, -20, -1)))
        mirrored.include(QuantizedPoint(meters: Self.place(axis, 0, 1)))
        let other = PointMap.Reach(Self.place(axis, -search.along, 0), meters: search.meters)
        #expect(other.contains(mirrored) == search.isInside)
    }
}
