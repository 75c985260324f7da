import Geodesy
import PoseMath
import RoadData
import Roads

/// The roads around a track.
struct RoadsAround: Sendable {
    /// One road between two junctions.
    struct Line: Sendable {
        /// Its class, the raw value of `RoadClass`: larger is smaller.
        var roadClass: UInt8
        /// Whether it is in a tunnel.
        var isTunnel: Bool
        /// Its points.
        var points: [GeodeticPosition]
    }

    /// The roads.
    private(set) var lines: [Line] = []
    /// Where the roads come from, as the file states it.
    let path: String

    private static let reachMeters = 200.0
    private static let mostPoints = 120_000

    /// Finds the roads within 200 m of a track, as many as have 120,000 points; throws if the road file cannot be read.
    init(path: String, along samples: [TrackSample]) throws(ImportProblem) {
        self.path = path
        let map = try RoadFile.open(path: path)
        var seen: Set<UInt32> = []
        var (last, count) = (Vector3(0, 0, 0), 0)
        for sample in samples {
            guard let latitude = sample.latitudeRadians, let longitude = sample.longitudeRadians else { continue }
            let place = GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: sample.altitudeMeters ?? 0
            ).ecefMeters
            guard place.isFinite, (place - last).length > Self.reachMeters / 2 else { continue }
            last = place
            map.forEachEdge(near: place, withinMeters: Self.reachMeters) { seen.insert($0) }
        }
        for number in seen.sorted() {
            guard let edge = map.edge(number) else { continue }
            let points = map.line(edge)
            count += points.count
            guard count <= Self.mostPoints else { return }
            lines.append(
                Line(
                    roadClass: edge.roadClass, isTunnel: edge.properties.contains(.tunnel),
                    points: points.map { GeodeticPosition(ecefMeters: $0) }))
        }
    }
}
