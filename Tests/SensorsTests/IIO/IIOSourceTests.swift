import Glibc
import Platform
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// The source of a whole context, on a machine that a test has chosen.
@Suite struct IIOSourceTests {
    @Test func countsAndTemperatureAreThoseOfTheLastSecond() {
        // The status is sent once a second, and the page of the hardware tells the same of the temperature.
        #expect(GPSWorker.statusIntervalSeconds == 1)
        #expect(IIOStream.reportSeconds == 1 && IIOStream.temperatureSeconds == 1)
    }

    @Test func aSensorWithoutADeviceHasItsReason() throws {
        // GIVEN a machine with a barometer alone, which is not wanted, and no gyro wanted either
        let channel = ScriptedIIOD.Channel(id: "pressure", attributes: ["input": ["101"]])
        let machine = ScriptedIIOD([
            .init(name: "air", channels: [channel], attributes: ["sampling_frequency": ["1", "2"]])
        ])
        defer { machine.end() }
        var settings = IIOSettings()
        settings.contextURI = machine.uri
        (settings.gyro.device, settings.barometer.device) = (.off, .off)
        // WHEN the source looks for the others
        let board = SourceStatusBoard()
        let source = IIOSource(settings: settings, sink: OrderedSink(), board: board)
        source.start()
        defer { source.stop() }
        // A busy machine needs longer: only what never comes takes that long.
        let end = SystemClock.monotonicNow.advanced(bySeconds: 60)
        while board.statuses[1].explanation == "not started", SystemClock.monotonicNow < end { usleep(1000) }
        // THEN each of them has the reason, and that of the gyro is the settings
        let found = "\(machine.uri) has 'air' (iio:device0)"
        #expect(
            board.statuses.map(\.explanation) == [
                "turned off in the settings; no IIO device with an accelerometer; \(found)",
                "no IIO device with a magnetometer; \(found)",
            ])
        #expect(board.statuses.allSatisfy { $0.state == .absent })
        // AND the search has read no attribute, of which each one takes time on a slow bus: this is the first reading
        let devices = try IIODevice.all(at: machine.uri)
        #expect(devices.map { $0.attributes["sampling_frequency"] } == ["1"])
    }
}

/// How long a device may be silent.
@Suite struct IIOSilenceTests {
    @Test(arguments: [
        (200.0, 0.5, 1.0), (10, 0.5, 1), (8, 0.625, 1.25), (4, 1.25, 2.5), (0.01, 500, 1000), (0.005, 500, 1000),
        (0, 500, 1000),
    ])
    func aSlowDeviceHasFiveAndTenOfItsPeriods(hertz: Double, stale: Double, reopen: Double) {
        // GIVEN the usual settings, half a second and one THEN a device of which five periods are longer is stale after
        // these, and is opened again after ten; a rate that is none counts as one in a hundred seconds
        let silence = IIOStream.silence(IIOSettings(), rateHertz: hertz)
        #expect(abs(silence.stale - stale) < 1e-9 && abs(silence.reopen - reopen) < 1e-9)
    }
}
