import SensorInterface
import Testing

@testable import Configuration

/// The settings of the vehicle bus.
@Suite struct VehicleBusSettingsTests {
    @Test func signalsAreReadAndWritten() throws {
        // GIVEN the settings of docs/can.md; WHEN read, written and read again; THEN the signals are the same.
        let text = """
            can:
              interface: can0
              speed_rear_left: '0x4B0 16|16@1+ (0.01,0) [0|655.34] "km/h" na=0xFFFF'
              speed_rear_right: '0x4B0 SG_ RearRight : 32|16@1+ (0.01,0) [0|655.34] "km/h" ABS'
              reverse: 0x1F5 24|4@1+
              reverse_value: 13
            """
        let settings = try SettingsLoader.load(text: text, name: "t").settings
        #expect(settings.can.rearLeft?.unavailable == [0xFFFF])
        #expect(settings.can.rearRight?.field.start == 32 && settings.can.reverse?.field.count == 4)
        let key = try #require(SettingsRegistry.key("can.speed_rear_left"))
        let again = try SettingsLoader.load(
            text: "can:\n  speed_rear_left: \(key.show(settings))\n", name: "t")
        #expect(again.settings.can.rearLeft == settings.can.rearLeft)
    }

    @Test func everyMistakeIsNamedInOneRun() {
        // GIVEN settings with a mistake in each line; WHEN read; THEN each is named at its place with its remedy.
        let mistakes = SettingsFixture.mistakes(
            """
            can:
              interface: this-name-is-too-long
              speed: 0x1A0 64|8@1+ "km/h"
              speed_rear_left: 0x1A0 0|8@1+
              speed_rear_right: 0x1A0 0|8@1+ "rpm"
              reverse: 0x1A0
              wheels: front
              obd: on
              obd_rate_hz: 100
            """)
        for (place, words) in [
            ("2:14", "network interface"), ("3:10", "start bit 64 outside of a frame of 8 bytes"),
            ("4:20", "has no unit; a speed is in"), ("5:21", "has the unit \"rpm\""), ("6:12", "ends too early"),
            ("7:11", "rear or all"), ("8:8", "off, standard or extended"), ("9:16", "0.5 to 50"),
        ] {
            #expect(mistakes.contains { $0.hasPrefix(place) && $0.contains(words) }, "\(place) \(words): \(mistakes)")
        }
        #expect(mistakes.count == 8)
    }

    @Test(
        arguments: [
            ("interface: can0", "without a speed"),
            ("interface: can0\n  speed: '0x1 0|8@1+ \"m/s\"'\n  obd: standard", "more than one speed"),
            ("interface: can0\n  speed_rear_left: '0x1 0|8@1+ \"m/s\"'", "lacks can.speed_rear_right"),
            ("interface: can0\n  obd: standard", nil), ("obd: standard", nil),
        ] as [(String, String?)])
    func keysThatDoNotFitTogetherAreNamed(_ lines: String, _ words: String?) {
        let mistakes = SettingsFixture.mistakes("can:\n  \(lines)\n")
        guard let words else {
            #expect(mistakes.isEmpty, "\(mistakes)")
            return
        }
        #expect(mistakes.count == 1 && mistakes.first?.contains(words) == true, "\(mistakes)")
    }

    @Test(arguments: [
        ("can0", true), ("a", true), ("fifteen-bytes-x", true), ("sixteen-bytes-xx", false), ("", false), (".", false),
        ("..", false), ("...", true), ("a/b", false), ("a:b", false), ("a b", false), ("ä", false), ("can!", true),
    ]) func anInterfaceHasTheNameOfOne(name: String, isTaken: Bool) {
        // The kernel takes 15 bytes without blanks, slashes and colons, and not the names of folders.
        let mistakes = SettingsFixture.mistakes("can:\n  interface: \"\(name)\"\n  obd: standard\n")
        #expect(mistakes.isEmpty == isTaken, "\(mistakes)")
    }
}
