import Geodesy
import Glibc
import RoadData
import RoadMaps
import Testing

/// Tiles of heights: their sizes, their names, and the heights that exist on Earth.
@Suite struct ElevationLimitTests {
    private static func height(_ tiles: inout ElevationTiles, _ latitude: Double, _ longitude: Double) -> Double? {
        tiles.heightMeanSeaMeters(at: GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude))
    }

    /// A tile of 1201 samples per side with one height.
    private static func flat(_ height: Int16) -> [UInt8] {
        let value = UInt16(bitPattern: height)
        return (0..<(1201 * 1201 * 2)).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? value >> 8 : value) }
    }

    @Test(arguments: [(-501, false), (-500, false), (-499, true), (0, true), (8999, true), (9000, false)])
    func aHeightIsOneOfEarth(height: Int16, isKnown: Bool) {
        let folder = ImportFolder()
        folder.write(Self.flat(height), to: "S01W001.hgt")
        var tiles = ElevationTiles(folder: folder.path)
        let found = Self.height(&tiles, -0.3, -0.7)
        #expect(isKnown ? abs((found ?? 99_999) - Double(height)) < 1e-6 : found == nil)
    }

    @Test(arguments: [
        ("N89E010.hgt", 90.0, 10.5), ("N89E010.hgt", 89, 10), ("S90W180.hgt", -90, 180), ("S90W180.hgt", -90, -180),
        ("N00E000.hgt", 0, 0), ("S01E000.hgt", -0.001, 0), ("N00W001.hgt", 0, -0.001), ("N09E100.hgt", 9.9, 100.1),
        ("S10E179.hgt", -9.1, 179.999),
    ])
    func aTileHasTheNameOfItsSouthWestCorner(name: String, latitude: Double, longitude: Double) {
        let folder = ImportFolder()
        folder.write(Self.flat(257), to: name)
        var tiles = ElevationTiles(folder: folder.path)
        #expect(Self.height(&tiles, latitude, longitude) == 257)
    }

    @Test func aTileHasOneOfTwoSizes() {
        // GIVEN files of zeros, which need no room THEN those of 1201 and of 3601 samples per side are tiles
        let folder = ImportFolder()
        for (size, isTile) in [
            (1201 * 1201 * 2, true), (3601 * 3601 * 2, true), (1201 * 1201 * 2 + 2, false),
            (3601 * 3601 * 2 - 2, false), (1201 * 1201, false), (0, false),
        ] {
            let path = folder.write([], to: "N10E010.hgt")
            #expect(truncate(path, size) == 0)
            var tiles = ElevationTiles(folder: folder.path)
            #expect(Self.height(&tiles, 10.999, 10.999) == (isTile ? 0 : nil), "\(size)")
        }
    }

    @Test func theLastCellOfATileLiesBetweenItsOwnSamples() {
        // GIVEN a tile of which only the four samples at its south-eastern corner are known: 500 m and 100 m, and 400 m
        // and 0 m south of them WHEN a place is a quarter of the way to the south and three quarters to the east
        let folder = ImportFolder()
        var bytes = Self.flat(.min)
        for (row, column, height) in [(1199, 1199, 500), (1199, 1200, 100), (1200, 1199, 400), (1200, 1200, 0)] {
            let at = (row * 1201 + column) * 2
            (bytes[at], bytes[at + 1]) = (UInt8(height >> 8), UInt8(height & 255))
        }
        folder.write(bytes, to: "N10E010.hgt")
        var tiles = ElevationTiles(folder: folder.path)
        // THEN it has 200 m between the northern ones, 100 m between the others, and 175 m between these
        let found = Self.height(&tiles, 10 + 0.75 / 1200, 10 + 1199.75 / 1200)
        #expect(abs((found ?? 0) - 175) < 1e-6, "\(found ?? -1)")
        // AND a place beside that cell has none
        #expect(Self.height(&tiles, 10 + 1.75 / 1200, 10 + 1199.75 / 1200) == nil)
    }
}
