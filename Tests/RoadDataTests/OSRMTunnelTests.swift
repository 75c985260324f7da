import Guidance
import RoadData
import Testing

/// Where the tunnels of a response begin and end.
@Suite struct OSRMTunnelTests: RouteTexts {
    /// A response whose second step goes 444 m to the north, with a point every 111 m: vertices 2 to 6 of the route.
    private static func response(_ crossings: [(latitude: Double, classes: String?)]) -> ResponseMaker {
        var maker = ResponseMaker()
        (maker.geoJSON, maker.annotation) = (true, "")
        maker.steps[1] = [43.731, 43.732, 43.733, 43.734, 43.735].map { (7.422, $0) }
        let list = crossings.map { crossing in
            #"{"location": [7.422, \#(crossing.latitude)]"# + (crossing.classes.map { #", "classes": \#($0)"# } ?? "")
                + "}"
        }
        maker.intersections = ["[]", "[\(list.joined(separator: ", "))]"]
        return maker
    }

    /// The vertices at which the tunnels begin and end.
    private func tunnels(_ maker: ResponseMaker) throws -> [[Int]] {
        let route = try read(maker.json).route
        let alongs = (0..<route.vertexCount).map { route.vertex($0).alongMeters }
        var (found, along): ([[Int]], Double) = ([], 0)
        while let tunnel = route.tunnel(alongMeters: along, withinMeters: 10_000), tunnel.endMeters > along {
            let ends = [tunnel.startMeters, tunnel.endMeters]
            found.append(ends.map { end in alongs.firstIndex { abs($0 - end) < 1e-6 } ?? -1 })
            along = tunnel.endMeters + 0.01
        }
        return found
    }

    @Test func aTunnelEndsAtTheNextCrossingOutsideOrWithTheStep() throws {
        let (tunnel, toll) = (#"["tunnel"]"#, #"["toll"]"#)
        for (crossings, expected) in [
            ([(43.731, nil), (43.732, tunnel), (43.733, #"["toll", "tunnel"]"#), (43.734, "[]")], [[3, 5]]),
            ([(43.732, tunnel), (43.733, nil), (43.734, tunnel)], [[3, 4], [5, 6]]),
            ([(43.732, tunnel), (43.733, toll), (43.735, tunnel)], [[3, 4]]),
            ([(43.731, toll), (43.733, nil)], []), ([(43.734, tunnel)], [[5, 6]]), ([(43.731, tunnel)], [[2, 6]]),
        ] as [([(latitude: Double, classes: String?)], [[Int]])] {
            let found = try tunnels(Self.response(crossings))
            #expect(found == expected, "\(crossings)")
        }
    }

    @Test(arguments: [(49.5, true), (50.5, false)])
    func aTunnelBeginsWithinFiftyMetersOfTheLine(meters: Double, isRead: Bool) {
        // A degree of longitude has 80,569 m there.
        var maker = Self.response([(43.732, #"["tunnel"]"#)])
        let place = "[\(7.422 + meters / 80_569), 43.732]"
        maker.intersections[1] = maker.intersections[1].replacing("[7.422, 43.732]", with: place)
        let found = problem(maker.json)
        #expect((found == nil) == isRead, "\(String(describing: found))")
        if !isRead { #expect(found?.path == "routes[0].legs[0].steps[1].intersections[0].location") }
        // AND the place of one without a tunnel does not matter
        maker.intersections[1] = #"[{"location": [9, 9], "classes": ["toll"]}]"#
        #expect(problem(maker.json) == nil)
    }

    @Test(arguments: [(0.5, [[3, 6]]), (1.5, [[4, 6]])])
    func aTunnelBeginsAtTheFirstPointWithinAMeter(meters: Double, expected: [[Int]]) throws {
        // GIVEN a line with a point 0.5 m or 1.5 m before the crossing of a tunnel, and one at it THEN the tunnel
        // begins at the first of them that is less than a meter away
        let latitude = 43.732 + meters / 111_107
        var maker = Self.response([(latitude, #"["tunnel"]"#)])
        maker.steps[1] = [43.731, 43.732, latitude, 43.734, 43.735].map { (7.422, $0) }
        let found = try tunnels(maker)
        #expect(found == expected)
    }
}
