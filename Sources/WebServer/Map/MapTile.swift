import Geodesy
import Glibc
import PoseMath

/// A square of the map in the usual scheme of web maps (spherical Mercator, x to the east, y to the south).
struct MapTile: Hashable, Sendable {
    /// Units along an edge of a tile.
    static let extent = 4096.0
    /// The zoom levels that are served, with the least important class of road of each.
    static let levels: [Int: RoadClassLimit] = [10: 4, 12: 6, 14: 11]

    /// A ``RoadClass`` by its raw value.
    typealias RoadClassLimit = UInt8

    let zoom: Int
    let x: Int
    let y: Int

    /// `nil` if the zoom is not served or the tile lies outside of the map.
    init?(zoom: Int, x: Int, y: Int) {
        guard Self.levels[zoom] != nil, (0..<(1 << zoom)).contains(x), (0..<(1 << zoom)).contains(y) else { return nil }
        (self.zoom, self.x, self.y) = (zoom, x, y)
    }

    private var count: Double { Double(1 << zoom) }

    /// The geodetic position of a place within the tile, in parts of its edge.
    private func position(_ right: Double, _ down: Double) -> GeodeticPosition {
        let longitude = (Double(x) + right) / count * 360 - 180
        let latitude = atan(sinh(.pi * (1 - 2 * (Double(y) + down) / count))) * 180 / .pi
        return GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }

    /// The middle, Earth-centred, metres.
    var center: Vector3 { position(0.5, 0.5).ecefMeters }

    /// Distance from the middle to the farthest corner, metres.
    var reachMeters: Double {
        let center = center
        return [(0.0, 0.0), (0, 1), (1, 0), (1, 1)].map { (position($0.0, $0.1).ecefMeters - center).length }.max() ?? 0
    }

    /// A point in units of the tile, from its upper left corner; across longitude 180 too it is on the nearer side.
    func units(ofECEFMeters point: Vector3) -> (right: Double, down: Double) {
        let place = GeodeticPosition(ecefMeters: point)
        let longitude = place.longitudeRadians / (2 * .pi) + 0.5
        let latitude = 0.5 - asinh(tan(place.latitudeRadians)) / (2 * .pi)
        var right = longitude * count - (Double(x) + 0.5)
        right -= (right / count).rounded() * count
        return ((right + 0.5) * Self.extent, (latitude * count - Double(y)) * Self.extent)
    }
}
