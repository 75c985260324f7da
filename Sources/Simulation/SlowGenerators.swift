import Fusion
import Glibc
import Measurements
import PoseMath

/// Generates the readings of a simulated magnetometer.
struct MagneticGenerator: EventGenerator {
    private let sensor: SensorSuite.Magnetometer
    private let bodyToSensor: Quaternion
    private var clock: SampleClock
    private var random: RandomSource

    init(_ sensor: SensorSuite.Magnetometer, sensorToBody: Quaternion, seed: UInt64, window: ClosedRange<Double>) {
        self.sensor = sensor
        bodyToSensor = sensorToBody.inverse
        clock = SampleClock(rateHertz: sensor.rateHertz, window: window)
        random = RandomSource(seed: seed, use: 3)
    }

    mutating func next(_ drive: any MotionTruth) -> SensorEvent? {
        guard let seconds = clock.next() else { return nil }
        let inBody = drive.truth(atSeconds: seconds).bodyToENU.inverse.rotate(sensor.fieldENUTesla)
        let noise = random.gaussianVector() * sensor.noiseTesla
        let field = sensor.softIron * bodyToSensor.rotate(inBody) + sensor.hardIronTesla + noise
        return .magnetic(MagneticSample(time: clock.time(seconds), fluxDensityTesla: field))
    }
}

/// Generates the readings of a simulated barometer.
struct PressureGenerator: EventGenerator {
    private let sensor: SensorSuite.Barometer
    private var clock: SampleClock
    private var random: RandomSource
    private var weather: GaussMarkovVector

    init(_ sensor: SensorSuite.Barometer, seed: UInt64, window: ClosedRange<Double>) {
        self.sensor = sensor
        clock = SampleClock(rateHertz: sensor.rateHertz, window: window)
        random = RandomSource(seed: seed, use: 4)
        weather = GaussMarkovVector(sigma: Vector3(sensor.driftPascal, 0, 0), timeConstantSeconds: 600)
    }

    mutating func next(_ drive: any MotionTruth) -> SensorEvent? {
        guard let seconds = clock.next() else { return nil }
        let altitude = drive.truth(atSeconds: seconds).position.altitudeEllipsoidMeters
        // International Standard Atmosphere below 11 km.
        let still = sensor.pressureAtEllipsoidPascal * pow(1 - 2.255_77e-5 * altitude, 5.255_88)
        let drift = weather.next(afterSeconds: clock.interval, &random).x
        return .pressure(
            PressureSample(
                time: clock.time(seconds), pressurePascal: still + drift + random.gaussian() * sensor.noisePascal))
    }
}

/// Generates the readings of a simulated wheel speed sensor.
struct WheelGenerator: EventGenerator {
    private let sensor: SensorSuite.Wheels
    private let scale: Double
    private var clock: SampleClock
    private var random: RandomSource

    init(_ sensor: SensorSuite.Wheels, seed: UInt64, window: ClosedRange<Double>) {
        self.sensor = sensor
        clock = SampleClock(rateHertz: sensor.rateHertz, window: window)
        random = RandomSource(seed: seed, use: 5)
        scale = random.uniform(1 - sensor.scale, 1 + sensor.scale)
    }

    mutating func next(_ drive: any MotionTruth) -> SensorEvent? {
        guard let seconds = clock.next() else { return nil }
        let truth = drive.truth(atSeconds: seconds)
        let forward = truth.bodyToENU.inverse.rotate(truth.velocityENUMetersPerSecond).x
        // Standing wheels give no pulses, hence no noise.
        let noisy = forward == 0 ? 0 : forward * scale + random.gaussian() * sensor.noiseMetersPerSecond
        let step = sensor.resolutionMetersPerSecond
        let read = step > 0 ? (noisy / step).rounded() * step : noisy
        return .wheelSpeed(WheelSpeedSample(time: clock.time(seconds), speedMetersPerSecond: read))
    }
}
