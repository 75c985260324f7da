import Geodesy
import Glibc

/// Ground heights from tiles of the Shuttle Radar Topography Mission. `N42E001.hgt` covers one degree of latitude and
/// longitude north-east of that corner: big-endian 16-bit metres above mean sea level, rows from the north, 1201 or
/// 3601 samples per side; -32768 is unknown.
///
/// Reads four samples at a time, so a tile of 26 MB uses no memory. Blocks on the disk: do not call it on the engine
/// thread.
public struct ElevationTiles: Sendable {
    private let folder: String
    private var open: Tile?

    /// Uses the tiles in a folder.
    public init(folder: String) { self.folder = folder }

    /// Ground height at a position, metres above mean sea level, interpolated between the four surrounding samples;
    /// `nil` if the tile or one of the samples is missing.
    public mutating func heightMeanSeaMeters(at place: GeodeticPosition) -> Double? {
        guard place.isValid else { return nil }
        let (latitude, longitude) = (place.latitudeDegrees, place.longitudeDegrees)
        let south = min(Int(latitude.rounded(.down)), 89)
        // Longitude 180 degrees is the west side of the tile at -180.
        var west = Int(longitude.rounded(.down))
        if west >= 180 { west -= 360 }
        if open?.south != south || open?.west != west { open = Tile(folder: folder, south: south, west: west) }
        return open?.height(latitude - Double(south), (longitude - Double(west)).truncatingRemainder(dividingBy: 360))
    }
}

/// One open tile; `side` is 0 if the file is missing, so that it is not searched again.
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

    /// Height at an offset from the corner, degrees north and east.
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
        // Rejects voids and heights that do not exist on Earth.
        return value > -500 && value < 9000 ? Double(value) : nil
    }
}
