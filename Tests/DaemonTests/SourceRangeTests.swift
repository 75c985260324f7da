import Configuration
import Fusion
import Measurements
import SensorInterface
import Testing

@testable import Daemon

/// The measuring ranges that the daemon asks of the motion sensors.
@Suite struct SourceRangeTests {
    @Test(arguments: [(MotionProfile.vehicle, 4.0, 500.0), (.boat, 4, 500), (.wearable, 8, 1000)])
    func theProfileGivesTheRange(profile: MotionProfile, g: Double, degreesPerSecond: Double) throws {
        // GIVEN settings with a profile, and without ranges of their own
        var settings = Settings()
        settings.engine.fusion.profile = profile
        // WHEN the sensors are opened THEN the least ranges are those of docs/hardware.md; a conversion may change the
        // last bit
        let imu = try #require(SourceSet.sensors(settings, [:]))
        #expect(abs((imu.accelerometer.leastRange ?? 0) / 9.80665 - g) < 1e-9)
        #expect(abs((imu.gyro.leastRange ?? 0) * 180 / .pi - degreesPerSecond) < 1e-9)
        // AND ranges in the settings stay
        (settings.imu.accelerometer.leastRange, settings.imu.gyro.leastRange) = (20, 0)
        let own = try #require(SourceSet.sensors(settings, [:]))
        #expect(own.accelerometer.leastRange == 20 && own.gyro.leastRange == 0)
    }

    @Test func sensorsThatAreOffAreNotOpened() {
        // GIVEN settings in which every sensor is off, or all but one THEN only the second ones open the context
        var settings = Settings()
        settings.imu.gyro.device = .off
        settings.imu.accelerometer.device = .off
        settings.imu.magnetometer.device = .off
        #expect(SourceSet.sensors(settings, [:]) != nil)
        settings.imu.barometer.device = .off
        #expect(SourceSet.sensors(settings, [:]) == nil)
    }
}
