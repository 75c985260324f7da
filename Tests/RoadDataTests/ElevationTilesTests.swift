import Geodesy
import Glibc
import RoadData
import RoadMaps
import Testing

@Suite struct ElevationTilesTests {
    /// A tile of 1201 samples per side with height 1000 + row - column / 2 (row 0 in the north), and one void.
    static func tile() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1201 * 1201 * 2)
        for row in 0..<1201 {
            for column in 0..<1201 {
                let value = row == 600 && column == 600 ? Int16.min : Int16(1000 + row - column / 2)
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
                bytes.append(UInt8(truncatingIfNeeded: value))
            }
        }
        return bytes
    }

    /// GIVEN tiles of all hemispheres WHEN queried THEN the height is interpolated between the samples; voids, other
    /// positions and invalid tiles are unknown.
    @Test func heights() {
        let folder = ImportFolder()
        for name in ["N42E001.hgt", "S34W059.hgt", "N00W180.hgt"] { folder.write(Self.tile(), to: name) }
        folder.write([1, 2, 3], to: "N43E001.hgt")
        var tiles = ElevationTiles(folder: folder.path)
        func height(_ latitude: Double, _ longitude: Double) -> Double? {
            tiles.heightMeanSeaMeters(at: GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude))
        }
        // Half a row and a quarter of two columns: linear, so exact except for the rounding of degrees.
        #expect(abs((height(42.25 + 0.5 / 1200, 1.5 + 0.5 / 1200) ?? 0) - (1000 + 899.5 - 300)) < 0.3)
        #expect(abs((height(-33.75, -58.5) ?? 0) - (1000 + 900 - 300)) < 0.3)
        #expect(abs((height(0.75, 180) ?? 0) - 1300) < 0.3)
        #expect(height(42.5, 1.5) == nil)
        #expect(height(10, 10) == nil && height(43.5, 1.5) == nil && height(90, 0) == nil && height(.nan, 0) == nil)
        // The edges of a tile belong to it.
        #expect(abs((height(42, 1) ?? 0) - 2200) < 0.3)
    }

    /// GIVEN tiles of one row and of one column of degrees WHEN queried in turn THEN each height is of its own tile;
    /// a tile stays open while it is used: its height is known after its file is gone.
    @Test func neighbours() {
        let folder = ImportFolder()
        for name in ["N42E001.hgt", "N43E001.hgt"] { folder.write(Self.tile(), to: name) }
        let flat = [UInt8](repeating: 1, count: 1201 * 1201 * 2)
        for name in ["N44E001.hgt", "N42E002.hgt"] { folder.write(flat, to: name) }
        var tiles = ElevationTiles(folder: folder.path)
        func height(_ latitude: Double, _ longitude: Double) -> Double? {
            tiles.heightMeanSeaMeters(at: GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude))
        }
        #expect(abs((height(43.25, 1.25) ?? 0) - (1000 + 900 - 150)) < 0.3)
        #expect(height(44.25, 1.25) == 257)
        #expect(abs((height(42.25, 1.25) ?? 0) - (1000 + 900 - 150)) < 0.3)
        #expect(height(42.25, 2.25) == 257)
        unlink("\(folder.path)/N42E002.hgt")
        #expect(height(42.75, 2.75) == 257)
        #expect(abs((height(42.25, 1.25) ?? 0) - (1000 + 900 - 150)) < 0.3)
        #expect(height(42.25, 2.25) == nil)
    }
}
