import CZlib
import Geodesy
import Glibc
import PoseMath

@testable import RoadData
@testable import Roads

/// Readers of maps and routes.
enum MapReaders {
    private static let place = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)

    /// Reads the bytes.
    static func read(_ target: FuzzTarget, _ bytes: [UInt8]) {
        switch target {
        case .route: route { () throws(RouteDataProblem) in try RouteReader.read(bytes: bytes) }
        case .answer:
            let status = 200 + Int(bytes.first ?? 0) * 2
            route { () throws(RouteDataProblem) in
                try RoutingAnswer.route(status: status, body: Array(bytes.dropFirst()))
            }
        case .points: _ = try? PointImport().open(path: ScratchFolder.write(bytes, to: "points.txt"))
        case .pointFile: search(bytes)
        case .extract: importing(bytes)
        case .blocks: importing(Self.file(of: bytes))
        case .roadFile: drive(bytes)
        case .limits: limits(String(decoding: bytes, as: UTF8.self))
        default: heights(bytes)
        }
    }

    private static func route(_ read: () throws(RouteDataProblem) -> RouteReading) {
        do throws(RouteDataProblem) {
            let length = try read().route.lengthMeters
            if !length.isFinite || length < 0 { broken("a route of \(length) m") }
        } catch {
            if error.reason.isEmpty || error.remedy.isEmpty { broken("a problem without words") }
        }
    }

    private static func importing(_ bytes: [UInt8]) {
        let path = ScratchFolder.write(bytes, to: "map.osm.pbf")
        let target = "\(ScratchFolder.path)/roads.posed"
        var roads = RoadImport()
        roads.sorterBytes = 1 << 16
        guard (try? roads.run(from: path, to: target)) != nil else { return }
        // What was written can be opened.
        guard let map = try? RoadFile.open(path: target) else { broken("a road file that cannot be opened") }
        walk(map)
    }

    /// Framed blocks: flags, and a part; bit 0 of the flags: compressed, bit 1: a header.
    static func file(of bytes: [UInt8]) -> [UInt8] {
        var input = InputSplitter(bytes)
        var file: [UInt8] = []
        while !input.rest.isEmpty {
            let flags = input.byte()
            let part = input.part()
            var blob = field(1, part)
            if flags & 1 != 0 {
                var length = compressBound(uLong(part.count))
                var packed = [UInt8](repeating: 0, count: Int(length))
                compress(&packed, &length, part, uLong(part.count))
                blob = varint(2 << 3) + varint(UInt64(part.count)) + field(3, Array(packed.prefix(Int(length))))
            }
            let kind = Array((flags & 2 != 0 ? "OSMHeader" : "OSMData").utf8)
            let head = field(1, kind) + varint(3 << 3) + varint(UInt64(blob.count))
            file += [0, 0, UInt8(head.count >> 8), UInt8(head.count & 255)] + head + blob
        }
        return file
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
    }

    private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private static func drive(_ bytes: [UInt8]) {
        guard let map = try? RoadMap(MemoryRegion(bytes)) else { return }
        walk(map)
        var guide = RoadGuide(map: map)
        for second in 0..<4 {
            let input = RoadInput(
                time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000),
                position: GeodeticPosition(latitudeDegrees: 42.5 + Double(second) * 1e-4, longitudeDegrees: 1.5),
                sigmaMeters: 10, directionRadians: 0, speedMetersPerSecond: 11)
            _ = guide.update(input, progress: nil)
        }
    }

    private static func walk(_ map: RoadMap) {
        map.forEachEdge(near: place.ecefMeters, withinMeters: 500) { number in
            guard let edge = map.edge(number) else { return }
            _ = map.line(edge)
            _ = map.name(edge)
            _ = map.limit(edge, isForward: true)
            _ = map.rules(ofEdge: number)
        }
    }

    private static func search(_ bytes: [UInt8]) {
        guard let map = try? PointMap(MemoryRegion(bytes)) else { return }
        var hits = PointHits()
        hits.search(map, near: place, PointQuery())
        for hit in hits.nearest {
            guard let point = map.point(hit.number) else { broken("a hit that does not exist") }
            _ = map.position(point)
            _ = map.details(point)
        }
    }

    private static func limits(_ text: String) {
        _ = MaxspeedTag(text)
        _ = ConditionalLimit.read(text)
    }

    private static func heights(_ bytes: [UInt8]) {
        // A file has the size of a tile; the input is at the place that is read.
        let path = ScratchFolder.write([], to: "N42E001.hgt")
        let side = 1201
        truncate(path, off_t(side * side * 2))
        let file = open(path, O_WRONLY | O_CLOEXEC)
        pwrite(file, bytes, bytes.count, off_t((side / 2 * side + side / 2) * 2))
        close(file)
        var tiles = ElevationTiles(folder: ScratchFolder.path)
        let height = tiles.heightMeanSeaMeters(at: place)
        if let height, !height.isFinite { broken("a height of \(height)") }
    }
}
