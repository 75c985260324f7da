import Geodesy
import Glibc
import PoseMath
import RoadData
import Roads

/// The shortest way between two places on the roads of a road file, or of an OpenStreetMap extract.
struct RoadWay {
    private let map: RoadMap
    private let path: String

    /// An edge from one node to another, with the way it takes.
    private struct Step {
        var edge: UInt32
        var from: UInt32
        var to: UInt32
        var meters: Double
        var isForward: Bool
    }

    private static let reachMeters = 500.0
    private static let mostEdges = 4_000_000

    /// Opens a road file; an extract (.osm.pbf) is imported into a temporary file first.
    init(path: String) throws(Scenario.Failure) {
        self.path = path
        do throws(ImportProblem) {
            guard path.hasSuffix(".pbf") else {
                map = try RoadFile.open(path: path)
                return
            }
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            let file = "\(folder)/posed-scenario-\(getpid()).posed"
            _ = try RoadImport(country: nil).run(from: path, to: file)
            // The map is in memory: its name is no longer needed.
            defer { unlink(file) }
            map = try RoadFile.open(path: file)
        } catch { throw Scenario.Failure(description: error.description) }
    }

    /// The points of the way from the road nearest to one place to the road nearest to the other, degrees.
    func between(_ from: [Double], _ to: [Double]) throws(Scenario.Failure) -> [GeodeticPosition] {
        guard map.edgeCount <= Self.mostEdges else {
            throw Scenario.Failure(
                description:
                    "\(path): has \(map.edgeCount) roads, too many for a scenario; use an extract of the region")
        }
        let (start, goal) = (try node(near: from), try node(near: to))
        guard start != goal else {
            throw Scenario.Failure(
                description: "\(path): both places are at the same junction; choose places that are farther apart")
        }
        let steps = allSteps()
        guard let way = shortest(from: start, to: goal, steps) else {
            throw Scenario.Failure(
                description: "\(path): no road leads from \(Self.text(from)) to \(Self.text(to)); choose other places")
        }
        return points(of: way)
    }

    /// The junction nearest to a place.
    private func node(near place: [Double]) throws(Scenario.Failure) -> UInt32 {
        let there = GeodeticPosition(latitudeDegrees: place[0], longitudeDegrees: place[1]).ecefMeters
        var best: (node: UInt32, meters: Double)?
        map.forEachEdge(near: there, withinMeters: Self.reachMeters) { number in
            guard let edge = map.edge(number), Self.isDrivable(edge) else { return }
            let line = map.line(edge)
            for (node, point) in [(edge.start, line.first), (edge.end, line.last)] {
                guard let point else { continue }
                // Heights of roads are not known: only the distance along the ground counts, nearly.
                let meters = (point - there).length
                if meters < best?.meters ?? .infinity { best = (node, meters) }
            }
        }
        guard let best else {
            throw Scenario.Failure(
                description: "\(path): no road within \(Int(Self.reachMeters)) m of \(Self.text(place)); "
                    + "choose a place on a road")
        }
        return best.node
    }

    /// The steps from each node.
    private func allSteps() -> [UInt32: [Step]] {
        var steps: [UInt32: [Step]] = [:]
        for number in 0..<UInt32(clamping: map.edgeCount) {
            guard let edge = map.edge(number), Self.isDrivable(edge), edge.start != edge.end else { continue }
            let meters = Double(edge.lengthDecimeters) / 10
            steps[edge.start, default: []].append(
                Step(edge: number, from: edge.start, to: edge.end, meters: meters, isForward: true))
            guard !edge.properties.contains(.oneWay) else { continue }
            steps[edge.end, default: []].append(
                Step(edge: number, from: edge.end, to: edge.start, meters: meters, isForward: false))
        }
        return steps
    }

    private static func isDrivable(_ edge: RoadMap.EdgeRecord) -> Bool {
        (RoadClass(rawValue: edge.roadClass)?.rawValue ?? .max) <= RoadClass.service.rawValue
    }

    /// Dijkstra's algorithm (1959).
    private func shortest(from start: UInt32, to goal: UInt32, _ steps: [UInt32: [Step]]) -> [Step]? {
        var distance: [UInt32: Double] = [start: 0]
        var arrival: [UInt32: Step] = [:]
        var queue = NearestFirst()
        queue.insert(start, at: 0)
        while let (node, meters) = queue.removeNearest() {
            if node == goal { break }
            guard meters <= distance[node] ?? .infinity else { continue }
            for step in steps[node] ?? [] {
                let there = meters + step.meters
                guard there < distance[step.to] ?? .infinity else { continue }
                distance[step.to] = there
                arrival[step.to] = step
                queue.insert(step.to, at: there)
            }
        }
        var way: [Step] = []
        var node = goal
        while node != start {
            guard let step = arrival[node] else { return nil }
            way.append(step)
            node = step.from
        }
        return way.reversed()
    }

    private func points(of way: [Step]) -> [GeodeticPosition] {
        way.flatMap { step -> [GeodeticPosition] in
            guard let edge = map.edge(step.edge) else { return [] }
            let line = map.line(edge)
            return (step.isForward ? line : line.reversed()).map {
                var place = GeodeticPosition(ecefMeters: $0)
                // All at the height of the first: hills are those of the scenario.
                place.altitudeEllipsoidMeters = 100
                return place
            }
        }
    }

    private static func text(_ place: [Double]) -> String { place.map { "\($0)" }.joined(separator: ", ") }
}

/// A binary heap of nodes by their distance.
private struct NearestFirst {
    private var heap: [(node: UInt32, meters: Double)] = []

    mutating func insert(_ node: UInt32, at meters: Double) {
        heap.append((node, meters))
        var child = heap.count - 1
        while child > 0, heap[child].meters < heap[(child - 1) / 2].meters {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeNearest() -> (node: UInt32, meters: Double)? {
        guard let nearest = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return nearest }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].meters < heap[least].meters { least = child }
            guard least != parent else { return nearest }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
