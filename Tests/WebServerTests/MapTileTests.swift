import Geodesy
import Glibc
import PoseMath
import Testing

@testable import WebServer

@Suite struct MapTileTests {
    @Test func onlyTilesOfTheMapExist() {
        #expect(MapTile(zoom: 14, x: 16383, y: 0) != nil)
        for (zoom, x, y) in [(14, 16384, 0), (14, -1, 0), (14, 0, 16384), (13, 0, 0), (60, 0, 0), (-1, 0, 0)] {
            #expect(MapTile(zoom: zoom, x: x, y: y) == nil, "\(zoom)/\(x)/\(y)")
        }
    }

    @Test(arguments: [(42.5063, 1.5218), (-33.9, 18.4), (0.001, -179.999), (70.1, 25.8)])
    func aPlaceIsWhereItsTileSays(latitude: Double, longitude: Double) throws {
        // GIVEN the tile that has a place, by the usual formula of web maps
        let count = 16384.0
        let x = (longitude + 180) / 360 * count
        let radians = latitude * .pi / 180
        let y = (1 - asinh(tan(radians)) / .pi) / 2 * count
        let tile = try #require(MapTile(zoom: 14, x: Int(x), y: Int(y)))
        // WHEN the place is put into the tile THEN it is where the formula has it, to a thousandth of a unit
        let place = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
        let (right, down) = tile.units(ofECEFMeters: place.ecefMeters)
        #expect(abs(right - (x - x.rounded(.down)) * MapTile.extent) < 1e-3)
        #expect(abs(down - (y - y.rounded(.down)) * MapTile.extent) < 1e-3)
        // THEN it lies within the reach of the tile, which is about half of its diagonal
        #expect((place.ecefMeters - tile.center).length <= tile.reachMeters)
        let edge = 40_075_016.7 / count * cos(radians)
        #expect(tile.reachMeters > 0.69 * edge && tile.reachMeters < 0.73 * edge)
    }

    @Test(arguments: [(10, 1023, -179.9, 1.0), (14, 16383, -179.99, 1), (14, 0, 179.99, -1), (14, 0, 179.9999, -1)])
    func aPlaceAcrossLongitude180IsBesideItsTile(zoom: Int, x: Int, longitude: Double, side: Double) throws {
        // GIVEN a tile at one border of the map WHEN a place on the other side of longitude 180 is put into it THEN it
        // is as far from that border as it is on the Earth, and not around the world
        let tile = try #require(MapTile(zoom: zoom, x: x, y: 1 << (zoom - 1)))
        let place = GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: longitude)
        let beyond = (180 - abs(longitude)) / 360 * Double(1 << zoom) * MapTile.extent
        let (right, _) = tile.units(ofECEFMeters: place.ecefMeters)
        #expect(abs(right - (side > 0 ? MapTile.extent + beyond : -beyond)) < 1e-3)
    }
}
