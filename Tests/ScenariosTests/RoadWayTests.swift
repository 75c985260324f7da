import Geodesy
import Glibc
import PoseMath
import RoadMaps
import Testing

@testable import Scenarios

/// The shortest way on the roads of a road file.
@Suite struct RoadWayTests {
    private static let origin = LocalFrame(
        origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5, altitudeEllipsoidMeters: 100))

    /// A place, metres east and north, in degrees.
    private static func place(_ east: Double, _ north: Double) -> [Double] {
        let place = origin.position(ofENUMeters: Vector3(east, north, 0))
        return [place.latitudeDegrees, place.longitudeDegrees]
    }

    /// A road file in a folder.
    private static func file(_ nodes: [(Double, Double)], _ ways: [([Int64], [(String, String)])]) throws
        -> (folder: ImportFolder, path: String)
    {
        var map = MapWriter()
        for (index, node) in nodes.enumerated() {
            let place = place(node.0, node.1)
            map.node(Int64(index + 1), place[0], place[1])
        }
        for (index, way) in ways.enumerated() { map.way(Int64(index + 1), way.0, way.1) }
        let folder = ImportFolder()
        _ = try folder.roads(map)
        return (folder, "\(folder.path)/roads.posed")
    }

    /// The corners of a way, metres east and north, equal ones in succession once.
    private static func corners(_ way: [GeodeticPosition]) -> [[Int]] {
        var corners: [[Int]] = []
        for place in way {
            let offset = origin.enuMeters(of: place)
            let corner = [Int(offset.x.rounded()), Int(offset.y.rounded())]
            if corners.last != corner { corners.append(corner) }
        }
        return corners
    }

    /// Two rows of three junctions, 300 m apart, numbered from the south-west.
    private static func town(_ more: [([Int64], [(String, String)])] = []) throws -> (
        folder: ImportFolder, path: String
    ) {
        try file(
            [(0, 0), (300, 0), (600, 0), (0, 300), (300, 300), (600, 300), (450, 20), (900, 900)],
            [
                ([1, 2], [("highway", "residential")]), ([2, 7, 3], [("highway", "residential"), ("oneway", "-1")]),
                ([1, 4], [("highway", "tertiary")]), ([4, 5], [("highway", "service")]),
                ([5, 6], [("highway", "secondary"), ("oneway", "yes")]),
                ([6, 3], [("highway", "motorway"), ("oneway", "no")]),
                ([2, 5], [("highway", "pedestrian")]), ([3, 8], [("highway", "track")]),
            ] + more)
    }

    @Test func aWayKeepsToOneWayRoadsAndToRoadsForCars() throws {
        let (folder, path) = try Self.town()
        let way = try RoadWay(path: path)
        // GIVEN a road that is one-way against the way THEN the way leads around it
        let there = try way.between(Self.place(20, -30), Self.place(590, -20))
        #expect(Self.corners(there) == [[0, 0], [0, 300], [300, 300], [600, 300], [600, 0]])
        #expect(there.allSatisfy { $0.altitudeEllipsoidMeters == 100 } && there.count == 8)
        // THEN the way back is the direct one, with the points between the junctions
        let back = try way.between(Self.place(590, -20), Self.place(20, -30))
        #expect(Self.corners(back) == [[600, 0], [450, 20], [300, 0], [0, 0]])
        // THEN the pedestrian road is no way, and one against a one-way road neither
        #expect(
            try Self.corners(way.between(Self.place(300, 280), Self.place(300, 10)))
                == [[300, 300], [0, 300], [0, 0], [300, 0]])
        #expect(
            try Self.corners(way.between(Self.place(600, 300), Self.place(300, 300)))
                == [[600, 300], [600, 0], [450, 20], [300, 0], [0, 0], [0, 300], [300, 300]])
        withExtendedLifetime(folder) {}
    }

    /// The length of a way, metres.
    private static func length(_ way: [GeodeticPosition]) -> Double {
        let places = way.map { origin.enuMeters(of: $0) }
        return zip(places, places.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).length }
    }

    @Test func aDetourThatIsShorterThanTheDirectRoadIsTaken() throws {
        // GIVEN crossings in eight directions, each with a direct road of 361 m to a place that is 200 m away by two
        // other roads, and with two dead ends that are longer than that
        let shape: [(Double, Double)] = [(0, 0), (100, 0), (200, 0), (100, 150), (-400, 0), (0, -450)]
        let roads: [[Int64]] = [[2, 1], [5, 1], [6, 1], [3, 4, 1], [2, 3]]
        var nodes: [(Double, Double)] = []
        var ways: [([Int64], [(String, String)])] = []
        for number in 0..<8 {
            let (east, north) = (Double(number % 4) * 2000, Double(number / 4) * 2000)
            let (along, across) = (cos(Double(number) * .pi / 4), sin(Double(number) * .pi / 4))
            let before = Int64(nodes.count)
            ways += roads.map { road in (road.map { before + $0 }, [("highway", "residential")]) }
            nodes += shape.map { x, y in (east + along * x - across * y, north + across * x + along * y) }
        }
        let (folder, path) = try Self.file(nodes, ways)
        let way = try RoadWay(path: path)
        // WHEN the way to that place is searched THEN it is the one of 200 m; the points are stored in centimetres
        for first in stride(from: 0, to: nodes.count, by: shape.count) {
            let (from, to) = (nodes[first], nodes[first + 2])
            let points = try way.between(Self.place(from.0, from.1), Self.place(to.0, to.1))
            let length = Self.length(points)
            #expect(abs(length - 200) < 1, "\(first): \(length)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func aPlaceWithoutAWayIsNamed() throws {
        let (folder, path) = try Self.town([([5], []), ([8, 8], [("highway", "residential")])])
        let way = try RoadWay(path: path)
        func problem(_ from: [Double], _ to: [Double]) -> String {
            do throws(Scenario.Failure) {
                _ = try way.between(from, to)
                return "none"
            } catch { return error.description }
        }
        #expect(
            problem(Self.place(10, 0), Self.place(-5, 20))
                == "\(path): both places are at the same junction; choose places that are farther apart")
        let far = Self.place(5000, 5000)
        #expect(
            problem(Self.place(0, 0), far)
                == "\(path): no road within 500 m of \(far[0]), \(far[1]); choose a place on a road")
        // A track is no road for the search of the place.
        let end = Self.place(1200, 1000)
        #expect(problem(end, Self.place(0, 0)).contains("no road within 500 m of \(end[0]), \(end[1])"))
        withExtendedLifetime(folder) {}
    }

    @Test func placesOnRoadsThatAreNotConnectedHaveNoWay() throws {
        let (folder, path) = try Self.file(
            [(0, 0), (300, 0), (0, 300), (300, 300)],
            [
                ([1, 2], [("highway", "primary"), ("oneway", "yes")]), ([3, 4], [("highway", "primary")]),
            ])
        let way = try RoadWay(path: path)
        for (from, to) in [((0.0, 0.0), (0.0, 300.0)), ((300, 0), (0, 0))] {
            let (from, to) = (Self.place(from.0, from.1), Self.place(to.0, to.1))
            let error = #expect(throws: Scenario.Failure.self) { try way.between(from, to) }
            let places = "from \(from[0]), \(from[1]) to \(to[0]), \(to[1])"
            #expect(error?.description == "\(path): no road leads \(places); choose other places")
        }
        #expect(try Self.corners(way.between(Self.place(0, 0), Self.place(300, 0))) == [[0, 0], [300, 0]])
        withExtendedLifetime(folder) {}
    }

    /// A net of 36 junctions with roads of different lengths, a third of them one-way, and the length of the shortest
    /// way from each junction to each other one (Floyd and Warshall), metres.
    private struct Net {
        var nodes: [(Double, Double)] = []
        var ways: [([Int64], [(String, String)])] = []
        var shortest: [[Double]]

        init(side: Int = 6) {
            let count = side * side
            shortest = Array(repeating: Array(repeating: .infinity, count: count), count: count)
            for index in 0..<count {
                let (column, row) = (Double(index % side), Double(index / side))
                nodes.append((column * 150 + Double(index * 37 % 90), row * 150 + Double(index * 53 % 90)))
            }
            for a in nodes.indices {
                shortest[a][a] = 0
                for b in [a + 1, a + side] where b < count && (b == a + side || b % side != 0) {
                    let isOneWay = (a * 7 + b * 5) % 3 == 0
                    let tags = [("highway", "primary"), ("oneway", isOneWay ? "yes" : "no")]
                    ways.append(([Int64(a + 1), Int64(b + 1)], tags))
                    let (east, north) = (nodes[a].0 - nodes[b].0, nodes[a].1 - nodes[b].1)
                    shortest[a][b] = (east * east + north * north).squareRoot()
                    if !isOneWay { shortest[b][a] = shortest[a][b] }
                }
            }
            for k in nodes.indices {
                for a in nodes.indices {
                    for b in nodes.indices { shortest[a][b] = min(shortest[a][b], shortest[a][k] + shortest[k][b]) }
                }
            }
        }
    }

    @Test func theWayIsTheShortest() throws {
        // GIVEN a net of roads
        let net = Net()
        let (nodes, shortest) = (net.nodes, net.shortest)
        let (folder, path) = try Self.file(nodes, net.ways)
        let way = try RoadWay(path: path)
        // WHEN ways are searched from every junction to some others THEN their lengths are these; the roads are stored
        // in decimetres, their points in centimetres
        for a in nodes.indices {
            for b in stride(from: a % 5, to: nodes.count, by: 5) where a != b {
                let (from, to) = (Self.place(nodes[a].0, nodes[a].1), Self.place(nodes[b].0, nodes[b].1))
                guard let points = try? way.between(from, to) else {
                    #expect(shortest[a][b] == .infinity, "\(a) \(b)")
                    continue
                }
                let length = Self.length(points)
                #expect(abs(length - shortest[a][b]) < 1, "\(a) \(b): \(length), not \(shortest[a][b])")
            }
        }
        withExtendedLifetime(folder) {}
    }
}
