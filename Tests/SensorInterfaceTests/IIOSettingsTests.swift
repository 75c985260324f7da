import Testing

@testable import SensorInterface
@testable import Sensors

@Suite struct IIOSettingsTests {
    @Test func selectorsParseTheirDescription() {
        for selector: IIODeviceSelector in [
            .automatic, .off, .name("a b"), .label("x"), .serial("1:2"), .id("iio:device0"),
        ] {
            #expect(IIODeviceSelector(selector.description) == selector)
        }
        #expect(IIODeviceSelector("icm20608") == .name("icm20608"))
        #expect(IIODeviceSelector("label:") == nil)
        #expect(IIODeviceSelector("") == nil)
    }

    @Test func everyMistakeIsFoundAtOnce() {
        #expect(IIOSettings().problems.isEmpty)
        var settings = IIOSettings()
        settings.contextURI = "usb:1.2"
        settings.gyro.rateHertz = .nan
        settings.accelerometer.scaleOverride = 0
        settings.magnetometer.mountMatrixOverride = "0, 1, 0; 1, 0, 0; 0, 0, 1"
        settings.bufferSamples = 5
        settings.staleAfterSeconds = -1
        settings.backoffMaximumSeconds = 0.01
        settings.stuckSampleLimit = -1
        let problems = settings.problems
        for key in [
            "context:", "gyro.rate:", "accelerometer.scale:", "magnetometer.mount_matrix:", "buffer_samples:",
            "stale_after:", "backoff_maximum:",
            "stuck_samples:",
        ] {
            #expect(problems.contains { $0.hasPrefix(key) }, "\(key) in \(problems)")
        }
        #expect(problems.count == 8)
        settings.contextURI = "ip:"
        #expect(settings.problems.count == 8)
    }

    @Test func ratesAreChosenAmongTheAvailable() {
        #expect(AvailableRates("12.5 25 50 100 200 400\n")?.choice(for: 200) == 200)
        #expect(AvailableRates("12.5 26 52 104 208 416")?.choice(for: 200) == 208)
        #expect(AvailableRates("99.9 199.8")?.choice(for: 200) == 199.8)
        #expect(AvailableRates("10 100")?.choice(for: 200) == 100)
        #expect(AvailableRates("400 25 100")?.choice(for: 60) == 100)
        #expect(AvailableRates("[10 5 500]")?.choice(for: 203) == 205)
        #expect(AvailableRates("[10 0 500]")?.choice(for: 203) == 203)
        #expect(AvailableRates("[10 5 500]")?.choice(for: 1000) == 500)
        #expect(AvailableRates("[10 5 500]")?.choice(for: 1) == 10)
        #expect(AvailableRates("") == nil)
        #expect(AvailableRates("nan inf -5 0") == nil)
        #expect(AvailableRates("[500 1 10]") == nil)
    }

    @Test(arguments: ["1e300", "1e-300", "1e8", "0", "-5", "nan", "inf", "-inf", "", "fast"])
    func aRateThatNoSensorHasIsNoRate(_ text: String) {
        // GIVEN texts that a device attribute may have; WHEN parsed as a rate; THEN there is no rate, so that no sample
        // period is infinite and no number of samples is too large
        #expect(AvailableRates.plausibleRate(text) == nil)
        #expect(AvailableRates.plausibleRate("104.000000\n") == 104)
    }

    @Test func textsAreParsedWithoutLoss() {
        #expect(IIOText.number(" 0.001064724\n") == 0.001064724)
        #expect(IIOText.number("9.806e-06\0") == 9.806e-06)
        #expect(IIOText.number("1.0 m") == nil)
        #expect(IIOText.number("") == nil)
        #expect(IIOText.trimmed("\t monotonic \n\0") == "monotonic")
        #expect(IIOText.significantDigits("1.7e-08") == 2)
        #expect(IIOText.significantDigits("0.001064724") == 7)
        #expect(IIOText.short(1.2000000000000002) == "1.2")
        #expect(IIOText.short(200) == "200")
        #expect(IIOText.short(-0.00012345) == "-0.0001235")
    }
}
