import Geodesy
import Glibc

/// Heights of the ground from tiles of the Shuttle Radar Topography Mission: `N42E001.hgt` holds a degree of latitude
/// and longitude from that corner on, as big-endian 16-bit metres above mean sea level, rows from the north, 1201 or
/// 3601 a side; -32768 is unknown.
///
/// Reads four samples at a time, so that a tile of 26 MB costs no memory. Blocks on the disk: not for the engine's
/// thread.
public struct ElevationTiles: Sendable {
    private let folder: String
    private var open: Tile?

    /// The tiles in a folder.
    public init(folder: String) { self.folder = folder }

    /// The height of the ground at a place, metres above mean sea level, between the four samples around it; `nil`
    /// where a tile or one of them is missing.
    public mutating func heightMeanSeaMeters(at place: GeodeticPosition) -> Double? {
        guard place.isValid else { return nil }
        let (latitude, longitude) = (place.latitudeDegrees, place.longitudeDegrees)
        let south = min(Int(latitude.rounded(.down)), 89)
        // The meridian of 180 degrees is the west side of the tile there.
        var west = Int(longitude.rounded(.down))
        if west >= 180 { west -= 360 }
        if open?.south != south || open?.west != west { open = Tile(folder: folder, south: south, west: west) }
        return open?.height(latitude - Double(south), (longitude - Double(west)).truncatingRemainder(dividingBy: 360))
    }
}

/// One tile, held open; `side` is 0 where there is none, so that it is not looked for again.
private final class Tile: Sendable {
    let south: Int
    let west: Int
    private let descriptor: Int32
    private let side: Int

    init(folder: String, south: Int, west: Int) {
        self.south = south
        self.west = west
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(abs(value))
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let name = "\(south < 0 ? "S" : "N")\(digits(south, 2))\(west < 0 ? "W" : "E")\(digits(west, 3)).hgt"
        descriptor = Glibc.open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            side = 0
            return
        }
        side = [1201, 3601].first { $0 * $0 * 2 == Int(status.st_size) } ?? 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The height at so many degrees north and east of the corner.
    func height(_ north: Double, _ east: Double) -> Double? {
        guard side > 1 else { return nil }
        let row = (1 - north) * Double(side - 1)
        let column = east * Double(side - 1)
        let (r, c) = (min(max(Int(row), 0), side - 2), min(max(Int(column), 0), side - 2))
        guard let nw = sample(r, c), let ne = sample(r, c + 1), let sw = sample(r + 1, c), let se = sample(r + 1, c + 1)
        else { return nil }
        let (y, x) = (row - Double(r), column - Double(c))
        return (nw * (1 - x) + ne * x) * (1 - y) + (sw * (1 - x) + se * x) * y
    }

    private func sample(_ row: Int, _ column: Int) -> Double? {
        var bytes: (UInt8, UInt8) = (0, 0)
        guard pread(descriptor, &bytes, 2, off_t((row * side + column) * 2)) == 2 else { return nil }
        let value = Int16(bitPattern: UInt16(bytes.0) << 8 | UInt16(bytes.1))
        // Voids and what no ground of the Earth is.
        return value > -500 && value < 9000 ? Double(value) : nil
    }
}
