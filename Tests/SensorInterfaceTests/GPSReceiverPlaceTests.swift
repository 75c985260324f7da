import SensorInterface
import Testing

@Suite struct GPSReceiverPlaceTests {
    @Test(
        arguments: [
            ("/dev/ttyACM0", nil, nil, "/dev/ttyACM0"), ("localhost", "localhost", nil, nil),
            ("10.0.0.5:2950", "10.0.0.5", 2950, nil), ("box:2947:/dev/ttyS0", "box", 2947, "/dev/ttyS0"),
            ("[fe80::1]:2947", "fe80::1", 2947, nil), ("[::1]", "::1", nil, nil),
            ("box:2947:/dev/by-path/pci-0000:00:14.0", "box", 2947, "/dev/by-path/pci-0000:00:14.0"),
        ] as [(String, String?, UInt16?, String?)])
    func aPlaceIsReadAndWritten(text: String, host: String?, port: UInt16?, device: String?) throws {
        // GIVEN a place as gpsd's clients take it THEN its parts are read, and it is written as it was
        let place = try #require(GPSReceiverPlace(text))
        #expect(place.host == host && place.port == port && place.device == device)
        #expect(place.description == text)
    }

    @Test(arguments: ["", ":2947", "box:", "box:0", "box:70000", "box:2947:ttyS0", "5", "[::1", "a b", "[::1]x"])
    func whatIsNoneIsRefused(text: String) { #expect(GPSReceiverPlace(text) == nil) }

    @Test func eachReceiverHasTheCommonSettings() {
        // GIVEN settings with two receivers THEN each has its place and the rest of the settings
        var settings = GPSSettings()
        #expect(settings.perReceiver == [settings])
        (settings.host, settings.port, settings.maximumSpeedMetersPerSecond) = ("box", 3000, 80)
        settings.receivers = ["/dev/a", "other:2950:/dev/b", "third"].compactMap(GPSReceiverPlace.init)
        let each = settings.perReceiver
        #expect(each.map(\.host) == ["box", "other", "third"] && each.map(\.port) == [3000, 2950, 2947])
        #expect(each.map(\.device) == ["/dev/a", "/dev/b", nil])
        #expect(each.allSatisfy { $0.maximumSpeedMetersPerSecond == 80 && $0.receivers.isEmpty })
    }
}
