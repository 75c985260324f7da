import Measurements
import PoseMath
import Testing

@testable import SensorInterface

/// The limits of the settings of the sensors, on both sides, and the texts about them.
@Suite struct SettingsLimitTests {
    private static func problems(_ change: (inout IIOSettings) -> Void) -> [String] {
        var settings = IIOSettings()
        change(&settings)
        return settings.problems
    }

    @Test func whatIsJustAllowedHasNoProblem() {
        let problems = Self.problems { settings in
            settings.contextURI = "ip:a"
            (settings.gyro.rateHertz, settings.accelerometer.rateHertz) = (8000, 1e-9)
            (settings.gyro.scaleOverride, settings.barometer.scaleOverride) = (-1e-300, 9.99e8)
            settings.bufferSamples = 1
            (settings.staleAfterSeconds, settings.reopenAfterSeconds) = (0.02, 0.05)
            (settings.contextTimeoutSeconds, settings.backoffMinimumSeconds) = (0.05, 0.01)
            (settings.backoffMaximumSeconds, settings.stuckSampleLimit) = (0.01, 0)
        }
        #expect(problems.isEmpty, "\(problems)")
        let largest = Self.problems { settings in
            (settings.contextURI, settings.bufferSamples) = ("local", 4)
            (settings.staleAfterSeconds, settings.reopenAfterSeconds) = (60, 60)
            (settings.contextTimeoutSeconds, settings.backoffMinimumSeconds) = (60, 60)
            settings.backoffMaximumSeconds = 600
        }
        #expect(largest.isEmpty, "\(largest)")
    }

    @Test func whatIsJustTooMuchIsNamedWithItsLimits() {
        let low = Self.problems { settings in
            settings.bufferSamples = 0
            (settings.staleAfterSeconds, settings.reopenAfterSeconds) = (0.019, 0.049)
            (settings.contextTimeoutSeconds, settings.backoffMinimumSeconds) = (0.049, 0.009)
            settings.backoffMaximumSeconds = 0.008
        }
        #expect(
            low == [
                "buffer_samples: 0 is not within 1...4", "stale_after: 0.019 s is not within 0.02...60.0 s",
                "reopen_after: 0.049 s is not within 0.05...60.0 s",
                "context_timeout: 0.049 s is not within 0.05...60.0 s",
                "backoff_minimum: 0.009 s is not within 0.01...60.0 s",
                "backoff_maximum: 0.008 s is not within 0.009...600.0 s",
            ])
        let high = Self.problems { settings in
            settings.contextURI = "ip:"
            (settings.gyro.rateHertz, settings.accelerometer.rateHertz) = (8000.5, 0)
            (settings.magnetometer.scaleOverride, settings.barometer.scaleOverride) = (1e9, -.infinity)
            settings.bufferSamples = 5
            (settings.staleAfterSeconds, settings.reopenAfterSeconds) = (60.5, 60.5)
            (settings.contextTimeoutSeconds, settings.backoffMinimumSeconds) = (.nan, 60.5)
            (settings.backoffMaximumSeconds, settings.stuckSampleLimit) = (601, -1)
        }
        #expect(
            high == [
                "context: 'ip:' is neither 'local:' nor 'ip:HOST[:PORT]'",
                "gyro.rate: 8000.5 Hz is not within 0 (excluded)...8000 Hz",
                "accelerometer.rate: 0.0 Hz is not within 0 (excluded)...8000 Hz",
                "magnetometer.scale: 1000000000.0 must be finite and not zero",
                "barometer.scale: -inf must be finite and not zero", "buffer_samples: 5 is not within 1...4",
                "stale_after: 60.5 s is not within 0.02...60.0 s", "reopen_after: 60.5 s is not within 0.05...60.0 s",
                "context_timeout: nan s is not within 0.05...60.0 s",
                "backoff_minimum: 60.5 s is not within 0.01...60.0 s",
                "backoff_maximum: 601.0 s is not within 60.5...600.0 s",
                "stuck_samples: -1 is negative; 0 turns the check off",
            ])
    }

    @Test func onlyTheLocalContextHasThisMachinesClocks() {
        var settings = IIOSettings()
        for (uri, isLocal) in [("local:", true), ("local", true), ("ip:local", false), ("", false)] {
            settings.contextURI = uri
            #expect(settings.isLocal == isLocal, "\(uri)")
        }
    }

    @Test func rangesThatTheSettingsGiveStay() {
        // GIVEN a range of the accelerometer in the settings WHEN those of the profile come THEN only the open one is
        // taken
        var settings = IIOSettings()
        settings.accelerometer.leastRange = 20
        settings.useRanges(acceleration: 39, rate: 8.7)
        #expect(settings.accelerometer.leastRange == 20 && settings.gyro.leastRange == 8.7)
        #expect(settings.magnetometer.leastRange == nil && settings.barometer.leastRange == nil)
    }

    @Test(
        arguments: [
            ("automatic", .automatic), ("auto", .automatic), ("off", .off), ("none", .off), ("name:", nil),
            ("serial:", nil), ("id:", nil), ("name:off", .name("off")), ("label:a:b", .label("a:b")),
            ("Auto", .name("Auto")),
        ] as [(String, IIODeviceSelector?)])
    func devicesAreSelectedByTheirWords(text: String, selector: IIODeviceSelector?) {
        #expect(IIODeviceSelector(text) == selector)
    }

    @Test(arguments: [
        ("0", 0.0, "0.0"), ("1e9", 1e9, "1000000000"), ("1234.56", 1234.56, "1235"), ("0.123456", 0.123456, "0.1235"),
        ("-99995", -99_995.0, "-100000"), ("1.7E-08", 1.7e-08, "1.7e-08"), ("12345678e9", 12_345_678e9, "1.235e+16"),
    ])
    func messagesHaveFourDigits(text: String, value: Double, shown: String) {
        #expect(IIOText.number(text) == value && IIOText.short(value) == shown)
    }

    @Test func numbersThatAreNoneAreShownAsTheyAre() {
        #expect(IIOText.short(.nan) == "nan" && IIOText.short(-.infinity) == "-inf")
        // Their power of ten is beyond the range of a number.
        #expect(IIOText.short(.leastNonzeroMagnitude) == "5e-324" && IIOText.short(1e-307).hasPrefix("1"))
    }

    @Test(arguments: [
        ("1.7E-08", 2), ("1.7e18", 2), ("0", 0), ("0.000", 0), ("100", 3), ("0.0100", 3), ("-2.50", 3), ("", 0),
    ])
    func digitsAreThoseWritten(text: String, digits: Int) {
        #expect(IIOText.significantDigits(text) == digits)
    }

    @Test(arguments: [
        "a", "under_score-a.B9", "10.0.0.5", "[fe80::1]:1", "box:65535", "/", String(repeating: "h", count: 253),
        "box:1:/" + String(repeating: "d", count: 493),
    ])
    func aPlaceThatIsJustAllowedIsTaken(text: String) { #expect(GPSReceiverPlace(text)?.description == text) }

    @Test(arguments: [
        "b@x", "b x", "box:65536", "box:-1", "box:1:", "[]", "[]:1", "[a b]", "12345", "\u{7F}", "h\u{E9}",
        String(repeating: "h", count: 254), "box:1:/" + String(repeating: "d", count: 494),
        "/" + String(repeating: "d", count: 500),
    ])
    func aPlaceThatIsJustNoneIsRefused(text: String) { #expect(GPSReceiverPlace(text) == nil) }

    @Test func aReceiverOnItsOwnHostHasTheUsualPort() throws {
        // GIVEN a gpsd of the settings at another port THEN it is kept for its devices only
        var settings = GPSSettings()
        (settings.port, settings.device) = (3000, "/dev/x")
        settings.receivers = [try #require(GPSReceiverPlace("/dev/a")), try #require(GPSReceiverPlace("b"))]
        let each = settings.perReceiver
        #expect(each.map(\.host) == ["localhost", "b"] && each.map(\.port) == [3000, 2947])
        #expect(each.map(\.device) == ["/dev/a", nil])
    }
}

/// What is told of a receiver.
@Suite struct ReceiverStatusTests {
    @Test func aReceiverThatHasReportedNothingHasNothing() {
        let status = ReceiverStatus()
        #expect(!status.isInUse && !status.isJammed && status.takeovers == 0 && status.quality == .unknown)
        #expect(status.solution == nil && status.rank == nil && status.mode == nil)
    }

    @Test(arguments: [
        (FixQuality.unknown, "single"), (.autonomous, "single"), (.differential, "dgps"), (.rtkFloat, "rtk_float"),
        (.rtkFixed, "rtk_fixed"), (.deadReckoning, "dead_reckoning"), (.combinedDeadReckoning, "combined"),
        (.notMeasured, "not_measured"),
    ])
    func theSolutionIsOneWord(quality: FixQuality, word: String) {
        var status = ReceiverStatus()
        (status.mode, status.quality) = (.twoDimensional, quality)
        #expect(status.solution == word)
        status.mode = FixMode.none
        #expect(status.solution == "none")
    }

    @Test func thePlaceIsThatOfTheOther() {
        // GIVEN a status of the receiver, and one of its place among others THEN the place is taken, and nothing else
        var own = ReceiverStatus()
        (own.device, own.isJammed, own.satellitesUsed) = ("/dev/a", true, 9)
        var place = ReceiverStatus()
        (place.rank, place.isInUse, place.useReason, place.takeovers) = (2, true, "why", 3)
        (place.device, place.satellitesUsed) = ("/dev/b", 1)
        var expected = own
        (expected.rank, expected.isInUse, expected.useReason, expected.takeovers) = (2, true, "why", 3)
        #expect(own.placed(as: place) == expected && own.placed(as: nil) == own)
    }

    @Test func everyRefusalHasItsPlace() {
        #expect(TimeStampRefusal.allCases.map(\.index) == [0, 1, 2])
        #expect(
            TimeStampRefusal.allCases.map(\.rawValue) == ["time_not_increasing", "time_in_future", "time_in_past"])
    }
}
