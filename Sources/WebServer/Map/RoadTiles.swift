import Frames
import Glibc
import RoadData
import Roads
import Synchronization

import struct Foundation.Data

/// The roads of the map, tile by tile, from a road file of posed.
final class RoadTiles: Sendable {
    private struct State {
        var path: String?
        /// The file at the path when it was opened.
        var version: String?
        var map: RoadMap?
        var problem: String?
        var tiles: [MapTile: Data] = [:]
    }

    /// Most tiles that are kept, of about 20 kB each.
    private static let mostTiles = 128
    /// Most points of a tile: a dense city has a tenth of that.
    private static let mostPoints = 60_000
    /// Points that are closer than this are left out, units of a tile: half a pixel at the largest scale of a level.
    private static let leastUnits = 2.0

    private let state = Mutex(State())
    private let onDamage: @Sendable () -> Void

    /// - Parameter onDamage: called when the file in use has lost bytes; ``use(path:)`` then reads what is there.
    init(onDamage: @escaping @Sendable () -> Void = {}) { self.onDamage = onDamage }

    /// Uses a road file; `nil`: none. The file that is in use already is not read again, but one that has replaced it
    /// is.
    func use(path: String?) {
        // Before it is read: a file that replaces it meanwhile is another one.
        let version = path.flatMap { Self.version(ofFile: $0) }
        let isNew = state.withLock { $0.path != path || (version != nil && $0.version != version) }
        guard isNew else { return }
        var (map, problem): (RoadMap?, String?) = (nil, nil)
        if let path {
            do throws(ImportProblem) { map = try RoadFile.open(path: path) } catch { problem = error.description }
        }
        state.withLock { $0 = State(path: path, version: version, map: map, problem: problem) }
    }

    /// What distinguishes the file at a path from every other one, in digits and dots; `nil` if the system does not
    /// tell.
    private static func version(ofFile path: String) -> String? {
        var entry = stat()
        guard stat(path, &entry) == 0 else { return nil }
        let time = entry.st_ctim
        return "\(entry.st_dev).\(entry.st_ino).\(entry.st_size).\(time.tv_sec).\(time.tv_nsec)"
    }

    /// The file in use and what is wrong with it.
    var status: (path: String?, problem: String?) { state.withLock { ($0.path, $0.problem) } }

    /// What distinguishes the file in use from every other one; `nil` without a file.
    var version: String? { state.withLock { $0.version } }

    /// The roads of a tile: `{"roads":[[class, flags, name or null, x, y, dx, dy, ...], ...]}`, in units of the tile.
    func json(of tile: MapTile) -> Data {
        let (map, path, version, kept) = state.withLock { ($0.map, $0.path, $0.version, $0.tiles[tile]) }
        if let kept { return kept }
        guard let map else { return Data(#"{"roads":[]}"#.utf8) }
        let data = Self.json(of: tile, map)
        let isDamaged = state.withLock { state -> Bool in
            guard state.path == path, state.version == version else { return false }
            guard !map.isDamaged else {
                // The next call of `use(path:)` reads the file that is there then.
                let problem = "\(path ?? ""): was changed in place while in use; replace it by import or mv, not by cp"
                state = State(path: nil, problem: problem)
                return true
            }
            if state.tiles.count >= Self.mostTiles { state.tiles = [:] }
            state.tiles[tile] = data
            return false
        }
        if isDamaged { onDamage() }
        return data
    }

    private static func json(of tile: MapTile, _ map: RoadMap) -> Data {
        var edges: [RoadMap.EdgeRecord] = []
        let least = MapTile.levels[tile.zoom] ?? 0
        var points = 0
        map.forEachEdge(near: tile.center, withinMeters: tile.reachMeters) { _, edge in
            guard edge.roadClass <= least, points < mostPoints else { return }
            points += Int(edge.pointCount)
            edges.append(edge)
        }
        // The important ones last: they are drawn above the others.
        edges.sort { $0.roadClass > $1.roadClass }
        var writer = JSONWriter(capacity: 65_536)
        writer.literal(#"{"roads":"#)
        writer.list(edges) { write(&$0, $1, map, tile) }
        writer.literal("}")
        return writer.data
    }

    private static func write(
        _ writer: inout JSONWriter, _ edge: RoadMap.EdgeRecord, _ map: RoadMap, _ tile: MapTile
    ) {
        writer.integer("[", edge.roadClass)
        writer.integer(",", edge.flags)
        writer.string(",", tile.zoom == 14 ? map.name(edge) : nil)
        var last: (right: Double, down: Double)?
        let points = map.points(of: edge)
        for (index, point) in points.enumerated() {
            let place = tile.units(ofECEFMeters: point)
            let (right, down) = (bounded(place.right), bounded(place.down))
            let step = (right - (last?.right ?? 0), down - (last?.down ?? 0))
            let isShort = max(abs(step.0), abs(step.1)) < leastUnits
            if last != nil, isShort, index < points.count - 1 { continue }
            writer.integer(",", Int64(step.0))
            writer.integer(",", Int64(step.1))
            last = (right, down)
        }
        writer.literal("]")
    }

    /// A coordinate as a whole number of units, at most some tiles away.
    private static func bounded(_ units: Double) -> Double {
        units.isFinite ? min(max(units, -1e6), 1e6).rounded() : 0
    }
}
