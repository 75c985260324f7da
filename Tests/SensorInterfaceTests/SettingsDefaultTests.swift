import Testing

@testable import SensorInterface

/// What the settings of the sensors are where nobody sets them: the values of docs/hardware.md and of the manual.
@Suite struct SettingsDefaultTests {
    @Test func sensorsOfTheMachineHaveTheirUsualRates() {
        // GIVEN settings that nobody has changed THEN the rates are 200, 200, 50 and 25 Hz, of any device
        let settings = IIOSettings()
        let sensors = [settings.gyro, settings.accelerometer, settings.magnetometer, settings.barometer]
        #expect(sensors.map(\.rateHertz) == [200, 200, 50, 25])
        #expect(sensors.allSatisfy { $0.device == .automatic && $0.scaleOverride == nil && $0.leastRange == nil })
        #expect(settings.contextURI == "local:" && settings.isLocal && settings.matchesFilters)
        #expect(settings.triggerName == nil && settings.bufferSamples == nil && settings.corrections.isEmpty)
        #expect(IIOSettings.softwareTriggerName == "posed")
    }

    @Test func silenceIsToldAfterHalfASecondAndEndsAfterOne() {
        // GIVEN the same THEN a source is stale after half a second and opened again after one; the delays before
        // that are 0.1 to 5 s, and a hundred equal samples are those of a stuck sensor
        let settings = IIOSettings()
        #expect(settings.staleAfterSeconds == 0.5 && settings.reopenAfterSeconds == 1)
        #expect(settings.contextTimeoutSeconds == 1 && settings.stuckSampleLimit == 100)
        #expect(settings.backoffMinimumSeconds == 0.1 && settings.backoffMaximumSeconds == 5)
    }

    @Test func aReceiverIsBehindTheGpsdOfThisMachine() {
        // GIVEN settings of a receiver that nobody has changed THEN it is that of gpsd's port on this machine
        let settings = GPSSettings()
        #expect(settings.host == "localhost" && settings.port == 2947 && settings.device == nil)
        #expect(settings.receivers.isEmpty && settings.errorConfidence == .automatic)
        #expect(settings.nominalLatencySeconds == 0.15 && settings.maximumSpeedMetersPerSecond == 150)
        // 2026-10-01, 56 years of 365 days, 14 days of leap years and 273 days after 1970
        #expect(settings.earliestUTCNanoseconds == (56 * 365 + 14 + 273) * 86_400 * 1_000_000_000)
        // Eight receivers have numbers of their own in a fix.
        #expect(GPSReceiverPlace.limit == 8)
    }

    @Test func aVehicleBusIsOffAndAsksNothing() {
        let settings = CANSettings()
        #expect(settings.interface == nil && settings.wheels == .rear && settings.diagnostics == .off)
        #expect(settings.diagnosticsRateHertz == 10 && settings.problem == nil)
        #expect(settings.usedWheels.map(\.name) == ["speed_rear_left", "speed_rear_right"])
        #expect(settings.usedWheels.allSatisfy { $0.signal == nil })
    }

    @Test(arguments: [("ip:", true), ("ip:a", false), ("local", false), ("local:", false), ("usb:1", true), ("", true)])
    func aContextIsLocalOrHasAHost(uri: String, isMistake: Bool) {
        var settings = IIOSettings()
        settings.contextURI = uri
        let problems = isMistake ? ["context: '\(uri)' is neither 'local:' nor 'ip:HOST[:PORT]'"] : []
        #expect(settings.problems == problems)
    }
}
